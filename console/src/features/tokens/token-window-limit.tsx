import { useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { listOwnBudgets } from "@tollgate/contract/accounts/budgets.ts";
import type { Token } from "@tollgate/contract/accounts/tokens.ts";
import { pageSizeMax } from "@tollgate/contract/api/page.ts";
import { api } from "../../api-queries.ts";
import { buildBudgetWindowLabel } from "../../components/budgets/budget-words.ts";
import { sortTightest } from "../../components/budgets/tightest-budget.ts";
import { Quota } from "../../components/quota.tsx";

const staleTime = 30_000;

/**
 * `TokenWindowLimit` is the tightest limit of a key without a total: "Unlimited" alone would not be
 * true of it.
 */
export function TokenWindowLimit({ token }: { token: Pick<Token, "id"> }) {
  const { t } = useLingui();
  // One request for all rows of the list.
  const budgets = useQuery({
    ...api.query(listOwnBudgets, { query: { size: pageSizeMax } }),
    staleTime,
  });
  const [tightest] = sortTightest(
    (budgets.data?.data ?? []).filter(
      ({ subject, subject_id }) => subject === "token" && subject_id === token.id,
    ),
  );
  if (tightest === undefined) return null;
  return (
    <>
      {" · "}
      <Quota units={tightest.amount} isOwn /> {t(buildBudgetWindowLabel(tightest.window))}
    </>
  );
}
