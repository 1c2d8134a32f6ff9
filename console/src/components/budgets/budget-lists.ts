import { listBudgetTemplates } from "@tollgate/contract/accounts/budget-templates.ts";
import { listBudgets } from "@tollgate/contract/accounts/budgets.ts";

/** A change of a template shows in the budgets that follow it, and a change of one of these in the template's count. */
export const budgetLists = [listBudgets, listBudgetTemplates] as const;
