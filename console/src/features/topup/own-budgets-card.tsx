import { useQuery } from "@tanstack/react-query";
import { listOwnBudgets } from "@tollgate/contract/accounts/budgets.ts";
import { pageSizeMax } from "@tollgate/contract/api/page.ts";
import { api } from "../../api-queries.ts";
import { BudgetsCard } from "../../components/budgets/budgets-card.tsx";
import { hasFeature, useSession } from "../../session.ts";

/** The budgets of the user and of the user's keys. */
export function OwnBudgetsCard() {
  const isServed = hasFeature(useSession().status, "budgets");
  const budgets = useQuery({
    ...api.query(listOwnBudgets, { query: { size: pageSizeMax } }),
    enabled: isServed,
  });
  return (
    <BudgetsCard
      source={budgets}
      subjectOf={({ subject, subject_name }) => subject === "token" && subject_name}
    />
  );
}
