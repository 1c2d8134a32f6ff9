import { useLingui } from "@lingui/react/macro";
import { type Budget, spendingLimitWindows } from "@tollgate/contract/budgets.ts";
import { BudgetBar } from "../../components/budget-bar.tsx";
import { budgetWindowLabel } from "../../components/budget-words.ts";
import { QuotaField } from "../../components/quota-field.tsx";
import { hasFeature, useSession } from "../../session.ts";
import { SelectField } from "../../ui/field-choice.tsx";
import { type ContractForm, useFieldValue } from "../../ui/form-contract.ts";
import { FormSection } from "../../ui/form-sections.tsx";
import type { TokenFormValues } from "./token-form-values.ts";

type SpendingLimitSectionProps = { form: ContractForm<TokenFormValues>; current: Budget | undefined };

/** What the owner lets the token spend in a window of time: saved beside the token, because it is a budget. */
export function SpendingLimitSection({ form, current }: SpendingLimitSectionProps) {
  const { t } = useLingui();
  const window = useFieldValue(form, "spending_window");
  if (!hasFeature(useSession().status, "budgets")) return null;
  // An administrator may have given it a window that owners cannot choose.
  const windows = [...new Set([...spendingLimitWindows, ...(current === undefined ? [] : [current.window])])];
  return (
    <FormSection
      id="spending-limit"
      title={t`Spending limit`}
      help={t`Calls beyond it are refused until it starts anew.`}
    >
      <SelectField
        {...form.field("spending_window")}
        label={t`Window`}
        choices={[
          { value: "", label: t`No limit` },
          ...windows.map((value) => ({ value, label: t(budgetWindowLabel(value)) })),
        ]}
      />
      {window !== "" && <QuotaField {...form.field("spending_limit")} label={t`Amount`} />}
      {current !== undefined && <BudgetBar budget={current} />}
    </FormSection>
  );
}
