/** Adds to the amount of a budget for one window. */

import type { BudgetGrant } from "@tollgate/contract/accounts/budget-grants.ts";
import { runSubjects } from "@tollgate/contract/accounts/budget-kinds.ts";
import { quotaMax } from "@tollgate/contract/api/scalars.ts";
import { sql as raw } from "kysely";
import { refuse } from "../../http/refusal.ts";
import { findWindow } from "../../money/holds/budget-windows.ts";
import type { Database, Write } from "../../storage/database.ts";
import { storeAmount } from "./budget-measures.ts";
import type { BudgetRow } from "./budget-store.ts";

interface PlannedGrant {
  writes: Write[];
  /** `told` is what the record of changes says of it. */
  told: { name: string; granted: number; window_start: number; run?: string };
}

/**
 * `planGrant` gives the statements for a batch. They miss where the budget has changed since it was
 * read, and where more is taken back than was granted. The budget may pause keys again: it is not
 * used up any more.
 */
export function planGrant(
  { sql }: Pick<Database, "sql">,
  row: BudgetRow,
  { amount, run, window_start }: BudgetGrant,
  now: number,
): PlannedGrant {
  const isByRun = runSubjects.includes(row.subject);
  if (isByRun !== (run !== undefined))
    throw refuse("invalid_request", {
      fields: { run: "run names the run of an agent, in budgets that count each run by itself" },
    });
  const window = findWindow(row, now);
  if (window_start !== undefined && window_start !== window.start)
    throw refuse("changed_meanwhile");
  const stored = Math.sign(amount) * storeAmount(row.measure, Math.abs(amount));
  const part = run ?? "";
  const counter = {
    ...{ budget_id: row.id, window_start: window.start, window_end: window.end, part },
    granted: 0,
  };
  const made = sql
    .insertInto("budget_counters")
    .values(counter)
    .onConflict((conflict) => conflict.columns(["budget_id", "window_start", "part"]).doNothing());
  const added = raw<number>`granted + cast(${stored} as bigint)`;
  const grant = sql
    .updateTable("budget_counters")
    .set({ granted: added })
    .where("budget_id", "=", row.id)
    .where("window_start", "=", window.start)
    .where("part", "=", part)
    .where(added, ">=", 0)
    .where(added, "<=", quotaMax - row.amount);
  const guard = sql
    .updateTable("budgets")
    .set({ pauses_after: 0 })
    .where("id", "=", row.id)
    .where("updated_at", "=", row.updated_at);
  return {
    writes: [
      { query: guard, rows: 1, missed: "changed_meanwhile" },
      { query: made },
      { query: grant, rows: 1, missed: "budget_grant_out_of_range" },
    ],
    told: {
      ...{ name: row.name, granted: amount, window_start: window.start },
      ...(run !== undefined && { run }),
    },
  };
}
