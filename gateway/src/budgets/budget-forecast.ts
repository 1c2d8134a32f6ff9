/** What will be spent of a budget by the end of its window if spending goes on as so far. For display only. Pure. */
import type { BudgetForecast } from "@tollgate/contract/budgets.ts";
import type { TimeWindow } from "./budget-windows.ts";

/** Before a tenth of a window has passed, its pace says little. */
const elapsedShareMin = 0.1;

interface PacedBudget {
  window: TimeWindow;
  /** Units, as is the amount. */
  spent: number;
  amount: number;
}

/** Null for a window without an end, one that has only begun or has ended, and one in which nothing was spent. */
export function budgetForecast({ window: { start, end }, spent, amount }: PacedBudget, now: number): BudgetForecast {
  if (end === null || spent <= 0 || now >= end) return null;
  const [elapsed, length] = [now - start, end - start];
  if (elapsed < length * elapsedShareMin) return null;
  // An amount may be as large as an integer can be exact.
  const expected = Math.min(Number.MAX_SAFE_INTEGER, Math.round((spent / elapsed) * length));
  const usedUpAt = Math.round(start + (amount / spent) * elapsed);
  return { spent: Math.max(spent, expected), used_up_at: spent < amount && usedUpAt < end ? usedUpAt : null };
}
