/** The measures of budgets, as rows have them and as replies tell them. Pure. */
import type { BudgetMeasure } from "@tollgate/contract/accounts/budget-kinds.ts";
import { refuse } from "../../http/refusal.ts";

/** A counter adds up milliseconds; people think in minutes. */
const rowUnits: Readonly<Record<BudgetMeasure, number>> = { quota: 1, calls: 1, minutes: 60_000 };

/**
 * `amountMax` is of calls or minutes: more than any run has, and far from what a number holds
 * exactly.
 */
const amountMax = 10_000_000;

/** An amount as the row has it. Throws a refusal. */
export function storeAmount(measure: BudgetMeasure, amount: number): number {
  if (measure !== "quota" && amount > amountMax)
    throw refuse("invalid_request", {
      fields: { amount: `amount must be at most ${amountMax} ${measure}` },
    });
  return amount * rowUnits[measure];
}

/** A sum of a row as it is told: a minute that has begun counts as one. */
export const tellAmount = (measure: BudgetMeasure, stored: number): number =>
  Math.ceil(stored / rowUnits[measure]);

/**
 * `computeOwnHold` gives the amount that a call sets aside on a budget when it begins; undefined
 * where that is its hold.
 */
export const computeOwnHold = (measure: BudgetMeasure): number | undefined =>
  measure === "quota" ? undefined : rowUnits[measure];
