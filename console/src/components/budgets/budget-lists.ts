import { listBudgetTemplates } from "@tollgate/contract/accounts/budget-templates.ts";
import { listBudgets } from "@tollgate/contract/accounts/budgets.ts";
import { listTeamBudgets, listTeamCaps } from "@tollgate/contract/accounts/team-caps.ts";

/**
 * A change of a template shows in the budgets that follow it, and a change of one of these in the
 * template's count.
 */
export const budgetLists = [
  listBudgets,
  listBudgetTemplates,
  listTeamBudgets,
  listTeamCaps,
] as const;
