/** The spending of a budget by the end of its window, as a forecast. For display only. Pure. */
import type { BudgetForecast } from "@tollgate/contract/accounts/budgets.ts";
import type { TimeWindow } from "../../money/holds/budget-windows.ts";

export const hoursPerWeek = 168;
const hourMs = 3_600_000;

/** Before a tenth of a window has passed, or before so many calls, its pace says little. */
const elapsedShareMin = 0.1;
const callsMin = 20;

export interface PacedBudget {
  window: TimeWindow;
  /** Units, as is the amount. */
  spent: number;
  amount: number;
  calls: number;
}

/** Units that an hour of the week usually costs: hour N since 1970 is hour N modulo 168. */
export type UsualHours = readonly number[];

/**
 * Nothing is forecast for a window without an end, one that has only begun or has ended, and one
 * with few calls.
 */
export const hasForecast = (
  { window: { start, end }, spent, calls }: Omit<PacedBudget, "amount">,
  now: number,
) =>
  end !== null &&
  spent > 0 &&
  calls >= callsMin &&
  now < end &&
  now - start >= (end - start) * elapsedShareMin;

/**
 * Spent so far and what the rest of the window usually costs; without `usual`, what it costs at the
 * mean of the window so far.
 */
export function buildBudgetForecast(
  budget: PacedBudget,
  usual: UsualHours | undefined,
  now: number,
): BudgetForecast {
  const { window, spent, amount } = budget;
  if (window.end === null || !hasForecast(budget, now)) return null;
  const soFar = spent / (now - window.start);
  const perMs = (at: number) =>
    usual === undefined ? soFar : (usual[Math.floor(at / hourMs) % hoursPerWeek] ?? 0) / hourMs;
  let [expected, usedUpAt]: [number, number | null] = [spent, null];
  for (let at = now; at < window.end; ) {
    const next = Math.min(window.end, (Math.floor(at / hourMs) + 1) * hourMs);
    const pace = perMs(at);
    const after = expected + pace * (next - at);
    // What is used up already has no moment in the future.
    if (spent < amount && expected < amount && after >= amount)
      usedUpAt = Math.floor(at + (amount - expected) / pace);
    [expected, at] = [after, next];
  }
  // An amount may be as large as an integer can be exact.
  return { spent: Math.min(Number.MAX_SAFE_INTEGER, Math.round(expected)), used_up_at: usedUpAt };
}
