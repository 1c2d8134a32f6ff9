import { useQuery } from "@tanstack/react-query";
import type { BudgetSubject } from "@tollgate/contract/accounts/budget-kinds.ts";
import { listBudgets } from "@tollgate/contract/accounts/budgets.ts";
import { pageSizeMax } from "@tollgate/contract/api/page.ts";
import { api } from "../../api-queries.ts";
import { hasFeature, isAdmin, useSession } from "../../session.ts";

/** `useSubjectBudgets` is for administrators: the budgets of one subject, or of all of its kind. */
export function useSubjectBudgets(subject: BudgetSubject, id: number | string | undefined) {
  const { status, user } = useSession();
  const query = { subject, size: pageSizeMax, ...(id !== undefined && { subject_id: id }) };
  return useQuery({
    ...api.query(listBudgets, { query }),
    enabled: hasFeature(status, "budgets") && isAdmin(user) && id !== "all",
  });
}
