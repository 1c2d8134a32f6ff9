/** Burn of a budget: what is spent, step by step to the end of its window. Pure. */
import type { Budget } from "@tollgate/contract/accounts/budgets.ts";
import { type Spending, spendingUnitSeconds } from "@tollgate/contract/figures/spending.ts";

const dayMs = 86_400_000;
/** `windowDaysMax` is the range that one request has at most. */
const windowDaysMax = 365;

export type BurnBudget = Pick<
  Budget,
  "window_start" | "resets_at" | "amount" | "spent" | "forecast"
>;

/** `canBurn` leaves out windows without an end, and budgets that count some models alone. */
export const canBurn = (
  budget: Pick<Budget, "enabled" | "models" | "window_start" | "resets_at">,
): boolean =>
  budget.enabled &&
  budget.models.length === 0 &&
  budget.resets_at !== null &&
  budget.resets_at - budget.window_start >= dayMs / 2 &&
  budget.resets_at - budget.window_start <= windowDaysMax * dayMs;

const writeDay = (ms: number): string => new Date(ms).toISOString().slice(0, "2026-11-28".length);

/** `listBurnDays` are the days (UTC) of the window until today. */
export const listBurnDays = ({ window_start }: Pick<Budget, "window_start">, today: string) => {
  const from = writeDay(window_start);
  return { from_date: from > today ? today : from, to_date: today };
};

export type Burn = {
  /** The beginning of each step, in unix seconds, to the end of the window. */
  starts: number[];
  /** Units spent at the end of each step that has begun. */
  spent: number[];
  /**
   * Units that the budget comes to at the end of the window if the rest is like the past; undefined
   * where nothing is known of that.
   */
  forecast: number | undefined;
};

/**
 * `buildBurn` ends with what the budget itself counts: steps are UTC, and its window may begin in
 * another zone.
 */
export function buildBurn({ resets_at, spent, forecast }: BurnBudget, spending: Spending): Burn {
  const { unit, first, until, series } = spending;
  const seconds = spendingUnitSeconds[unit];
  const count = Math.max(1, Math.ceil(((resets_at ?? 0) / 1_000 - first) / seconds));
  const begun = Math.min(count, Math.floor((until - first) / seconds) + 1);
  const sums: number[] = [];
  for (let place = 0; place < begun; place += 1) {
    const step = series.reduce((sum, { quota }) => sum + (quota[place] ?? 0), 0);
    sums.push(Math.min(spent, (sums.at(-1) ?? 0) + step));
  }
  if (sums.length > 0) sums[sums.length - 1] = spent;
  return {
    starts: Array.from({ length: count }, (_, place) => first + place * seconds),
    spent: sums,
    forecast: forecast === null ? undefined : Math.max(spent, forecast.spent),
  };
}
