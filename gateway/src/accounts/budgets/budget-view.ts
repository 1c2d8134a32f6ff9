/**
 * A budget as replies show it: its terms, what its present window has counted, and the forecast.
 */

import { runSubjects } from "@tollgate/contract/accounts/budget-kinds.ts";
import type { Budget as Shown } from "@tollgate/contract/accounts/budgets.ts";
import { findWindow, type TimeWindow } from "../../money/holds/budget-windows.ts";
import type { InheritedColumn } from "../../money/holds/inherited-budgets.ts";
import { buildBudgetForecast, type UsualHours } from "./budget-forecast.ts";
import { tellAmount } from "./budget-measures.ts";
import { parseModels, parseThresholds } from "./budget-rules.ts";
import type { BudgetCounter, BudgetRow, CountedWindow, NamedBudgetRow } from "./budget-store.ts";

/**
 * The highest threshold that `spent` has reached, in per cent of the amount; 0 before the first.
 */
export const findReachedThreshold = (
  thresholds: readonly number[],
  spent: number,
  amount: number,
): number =>
  Math.max(
    0,
    ...thresholds.filter((percent) => BigInt(spent) * 100n >= BigInt(amount) * BigInt(percent)),
  );

export interface CountedBudget<Row extends BudgetRow = BudgetRow> {
  row: Row;
  window: TimeWindow;
  spent: number;
  held: number;
  calls: number;
  /** `granted` is what was added to the amount for this window. */
  granted: number;
  /** `limit` is the amount with what was granted. */
  limit: number;
  exceeded: number;
}

/** The budgets with what `counters` say of their windows at a moment. */
export async function selectCounted<Row extends BudgetRow>(
  rows: readonly Row[],
  at: number,
  counters: (windows: CountedWindow[]) => Promise<readonly BudgetCounter[]>,
  /** `part` is counted alone, of budgets that count parts of their subject by themselves. */
  part?: string,
): Promise<CountedBudget<Row>[]> {
  const windows = rows.map((row) => findWindow(row, at));
  const found = await counters(
    rows.map(({ id, subject }, index) => ({
      ...{ id, start: windows[index]?.start ?? 0 },
      ...(runSubjects.includes(subject) && { part }),
    })),
  );
  const byId = new Map(found.map((counter) => [counter.budget_id, counter]));
  return rows.map((row, index) => {
    const { spent = 0, held = 0, calls = 0, granted = 0, exceeding = 0 } = byId.get(row.id) ?? {};
    return {
      row,
      window: windows[index] ?? { start: row.counts_from, end: null },
      spent,
      held,
      calls,
      granted,
      limit: row.amount + granted,
      exceeded: Math.max(0, exceeding - row.amount),
    };
  });
}

type ShownTerms = Pick<
  BudgetRow,
  InheritedColumn | "id" | "uuid" | "external_id" | "managed_by" | "created_at" | "updated_at"
>;

/** `viewTerms` gives what budgets and templates of budgets show alike. */
export const viewTerms = (row: ShownTerms) => ({
  id: row.id,
  uuid: row.uuid,
  external_id: row.external_id ?? "",
  name: row.name,
  note: row.note,
  models: parseModels(row.models),
  window: row.window,
  first_day: row.first_day,
  anchor: row.anchor,
  zone: row.zone,
  amount: row.amount,
  hard: row.hard === 1,
  on_reached: row.on_reached,
  thresholds: parseThresholds(row.thresholds),
  enabled: row.enabled === 1,
  managed_by: row.managed_by,
  created_at: row.created_at,
  updated_at: row.updated_at,
});

export function viewBudget(
  { row, window, spent, held, calls, granted, limit, exceeded }: CountedBudget<NamedBudgetRow>,
  usual: UsualHours | undefined,
  now: number,
): Shown {
  const thresholds = parseThresholds(row.thresholds);
  const { measure } = row;
  const tell = (sum: number): number => tellAmount(measure, sum);
  const forecast = buildBudgetForecast({ window, spent, calls, amount: limit }, usual, now);
  return {
    ...viewTerms(row),
    measure,
    amount: tell(row.amount),
    subject: row.subject,
    subject_id: row.subject_id,
    subject_name:
      row.model_name ||
      row.tag ||
      (row.username ?? row.token_name ?? row.team_name ?? row.channel_name ?? ""),
    template_id: row.template_id,
    by_owner: row.by_owner === 1,
    counts_team_keys: row.counts_team_keys === 1,
    window_start: window.start,
    resets_at: window.end,
    spent: tell(spent),
    held: tell(held),
    granted: tell(granted),
    exceeded: tell(exceeded),
    reached: findReachedThreshold(thresholds, spent, limit),
    forecast: forecast && { ...forecast, spent: tell(forecast.spent) },
  };
}
