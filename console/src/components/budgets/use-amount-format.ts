import { useLingui } from "@lingui/react/macro";
import type { BudgetMeasure } from "@tollgate/contract/accounts/budget-kinds.ts";
import { buildOwnQuotaStyle, useSession } from "../../session.ts";
import { formatQuota } from "../../ui/format.ts";
import { countedAmounts } from "./budget-words.ts";

/** `useAmountFormat` writes sums of a budget in what it counts. */
export function useAmountFormat({
  measure = "quota",
}: {
  measure?: BudgetMeasure | undefined;
}): (amount: number) => string {
  const { t } = useLingui();
  const style = buildOwnQuotaStyle(useSession().status);
  if (measure === "calls" || measure === "minutes")
    return (amount) => t(countedAmounts[measure](amount));
  return (amount) => formatQuota(amount, style);
}
