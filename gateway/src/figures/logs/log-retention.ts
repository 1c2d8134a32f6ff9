/**
 * The scheduled removal of log rows and traces that are older than the settings keep. Ledger and
 * roll-ups stay.
 */
import type { AuditAction } from "@tollgate/contract/site/audit-actions.ts";
import type { OptionReader } from "../../settings/live-options.ts";
import { type Database, tryWrite } from "../../storage/database.ts";
import { computeIdFloor } from "../../storage/time-ids.ts";
import type { LogStore } from "./log-store.ts";
import { type RemovedRows, removeOldRows } from "./remove-logs.ts";
import { buildCutoffs } from "./retention-rules.ts";

/** The interval between runs, over all nodes. */
const everyMs = 3_600_000;

export interface LogRetentionDeps {
  db: Database;
  logs: LogStore;
  options: OptionReader;
  /** Stops the work between two steps; the next run continues. */
  signal: AbortSignal;
}

export async function purgeOldLogs(
  { db, logs, options, signal }: LogRetentionDeps,
  now: number,
): Promise<void> {
  if (!(await claimRun(db, now))) return;
  const cutoffs = buildCutoffs(
    options.number("LogRetentionDays"),
    options.number("TraceRetentionDays"),
    now,
  );
  const remove = async (table: "logs" | "traces"): Promise<RemovedRows> => {
    const cutoff = cutoffs[table];
    return cutoff === undefined
      ? { rows: 0, quota: 0 }
      : removeOldRows(db, logs, table, computeIdFloor(cutoff), signal);
  };
  const traces = await remove("traces");
  const { rows, quota } = await remove("logs");
  if (rows + traces.rows === 0) return;
  const change = {
    rows,
    quota,
    traces: traces.rows,
    before: formatIso(cutoffs.logs),
    traces_before: formatIso(cutoffs.traces),
  };
  await db.write(
    db.audit({
      at: now,
      actorId: 0,
      address: "",
      action: "log.expired" satisfies AuditAction,
      target: "logs",
      change,
    }),
  );
}

const formatIso = (ms: number | undefined) =>
  ms === undefined ? null : new Date(ms).toISOString();

/** Several nodes may wake up at once: the node that moves the due date does the work. */
async function claimRun(db: Database, now: number): Promise<boolean> {
  const due = db.sql
    .updateTable("chores")
    .set({ due_at: now + everyMs })
    .where("name", "=", "log retention")
    .where("due_at", "<=", now);
  return (await tryWrite(db, [{ query: due, rows: 1 }])) === undefined;
}
