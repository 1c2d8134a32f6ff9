/** Rules for creating, changing and showing budgets. Pure. */
import {
  type BudgetChange,
  type BudgetInput,
  pausesKeysOf,
  pausingSubjects,
  type Budget as Shown,
  type SpendingLimitInput,
} from "@tollgate/contract/budgets.ts";
import { refuse } from "../http/refusal.ts";
import { budgetForecast } from "./budget-forecast.ts";
import type { BudgetColumns, BudgetCounter, BudgetRow, NamedBudgetRow } from "./budget-store.ts";
import { isTimeZone, type TimeWindow, windowAt } from "./budget-windows.ts";

type SettingColumns = Omit<
  BudgetColumns,
  | "uuid"
  | "subject"
  | "subject_id"
  | "model_name"
  | "tag"
  | "by_owner"
  | "created_at"
  | "pauses_after"
  | "external_id"
  | "managed_by"
> &
  Partial<Pick<BudgetRow, "pauses_after" | "managed_by">>;

const storedThresholds = (thresholds: readonly number[]): string =>
  [...new Set(thresholds)].sort((one, other) => one - other).join(",");

export const thresholdsIn = (text: string): number[] => (text === "" ? [] : text.split(",").map(Number));

function checkZone(zone: string): void {
  if (!isTimeZone(zone))
    throw refuse("invalid_request", { fields: { zone: "zone must be a time zone such as Europe/Berlin" } });
}

/** The first day of a window that has none is 1, so that a later change of the window begins at a sound one. */
const firstDayOf = (window: BudgetRow["window"], day: number): number =>
  window === "week" ? Math.min(day, 7) : window === "month" ? day : 1;

export function newBudget(
  { subject, subject_id, model, tag, thresholds, hard, enabled, first_day, ...input }: BudgetInput,
  uuid: string,
  now: number,
): BudgetColumns {
  checkZone(input.zone);
  return {
    uuid,
    subject,
    subject_id: subject_id ?? 0,
    model_name: model ?? "",
    tag: tag ?? "",
    ...input,
    first_day: firstDayOf(input.window, first_day),
    thresholds: storedThresholds(thresholds),
    hard: hard ? 1 : 0,
    enabled: enabled ? 1 : 0,
    by_owner: 0,
    counts_from: now,
    created_at: now,
    updated_at: now,
  };
}

/** Refusals name it. */
const spendingLimitName = "Spending limit of the key";

/** Set by the owner of a token. */
export const newSpendingLimit = (
  tokenId: number,
  { amount, window, zone }: SpendingLimitInput,
  uuid: string,
  now: number,
): BudgetColumns => ({
  ...newBudget(
    {
      subject: "token",
      subject_id: tokenId,
      name: spendingLimitName,
      ...{ amount, window, zone, first_day: 1, hard: true, on_reached: "refuse", enabled: true, thresholds: [80, 100] },
    },
    uuid,
    now,
  ),
  by_owner: 1,
});

export function changedBudget(row: BudgetRow, change: BudgetChange, now: number): SettingColumns {
  if (change.updated_at !== undefined && change.updated_at !== row.updated_at) throw refuse("changed_meanwhile");
  const window = change.window ?? row.window;
  const zone = change.zone ?? row.zone;
  const first_day = firstDayOf(window, change.first_day ?? row.first_day);
  checkZone(zone);
  const isOtherWindow = window !== row.window || zone !== row.zone || first_day !== row.first_day;
  const onReached = change.on_reached ?? row.on_reached;
  if (onReached === "pause" && !pausingSubjects.includes(row.subject))
    throw refuse("invalid_request", { fields: { on_reached: `on_reached ${pausesKeysOf}` } });
  const amount = change.amount ?? row.amount;
  const flag = (given: boolean | undefined, stored: 0 | 1) => (given === undefined ? stored : given ? 1 : 0);
  const hard = flag(change.hard, row.hard);
  const enabled = flag(change.enabled, row.enabled);
  const isRearmed =
    isOtherWindow ||
    amount !== row.amount ||
    hard !== row.hard ||
    enabled !== row.enabled ||
    onReached !== row.on_reached;
  return {
    name: change.name ?? row.name,
    window,
    first_day,
    zone,
    amount,
    hard,
    on_reached: onReached,
    thresholds: change.thresholds === undefined ? row.thresholds : storedThresholds(change.thresholds),
    enabled,
    ...(change.managed_by !== undefined && { managed_by: change.managed_by }),
    // Not written otherwise: the budget may pause at this moment. What was decided of the budget anew may pause in this window again.
    ...(isRearmed && { pauses_after: 0 }),
    // Never the same twice: a counter belongs to one start.
    counts_from: isOtherWindow ? Math.max(now, row.counts_from + 1) : row.counts_from,
    // Two versions of a budget never have the same time.
    updated_at: Math.max(now, row.updated_at + 1),
  };
}

/** The highest threshold that `spent` has reached, in per cent of the amount; 0 before the first. */
export const reachedThreshold = (thresholds: readonly number[], spent: number, amount: number): number =>
  Math.max(0, ...thresholds.filter((percent) => BigInt(spent) * 100n >= BigInt(amount) * BigInt(percent)));

export interface CountedBudget<Row extends BudgetRow = BudgetRow> {
  row: Row;
  window: TimeWindow;
  spent: number;
  held: number;
}

/** The budgets with what `counters` say of their windows at a moment. */
export async function countedAt<Row extends BudgetRow>(
  rows: readonly Row[],
  at: number,
  counters: (windows: { id: number; start: number }[]) => Promise<readonly BudgetCounter[]>,
): Promise<CountedBudget<Row>[]> {
  const windows = rows.map((row) => windowAt(row, at));
  const found = await counters(rows.map(({ id }, index) => ({ id, start: windows[index]?.start ?? 0 })));
  const byId = new Map(found.map((counter) => [counter.budget_id, counter]));
  return rows.map((row, index) => {
    const { spent = 0, held = 0 } = byId.get(row.id) ?? {};
    return { row, window: windows[index] ?? { start: row.counts_from, end: null }, spent, held };
  });
}

export function viewBudget({ row, window, spent, held }: CountedBudget<NamedBudgetRow>, now: number): Shown {
  const thresholds = thresholdsIn(row.thresholds);
  return {
    id: row.id,
    uuid: row.uuid,
    name: row.name,
    subject: row.subject,
    subject_id: row.subject_id,
    subject_name: row.model_name || row.tag || (row.username ?? row.token_name ?? ""),
    window: row.window,
    first_day: row.first_day,
    zone: row.zone,
    amount: row.amount,
    hard: row.hard === 1,
    on_reached: row.on_reached,
    thresholds,
    enabled: row.enabled === 1,
    by_owner: row.by_owner === 1,
    managed_by: row.managed_by,
    window_start: window.start,
    resets_at: window.end,
    spent,
    held,
    exceeded: Math.max(0, spent - row.amount),
    reached: reachedThreshold(thresholds, spent, row.amount),
    forecast: budgetForecast({ window, spent, amount: row.amount }, now),
    created_at: row.created_at,
    updated_at: row.updated_at,
  };
}
