/** For the clock: removes log rows and traces that are older than the settings keep. Ledger and roll-ups stay. */
import type { Options } from "../settings/options.ts";
import { type Database, StaleWrite } from "../storage/database.ts";
import { idFloor } from "../storage/time-ids.ts";
import type { LogStore } from "./log-store.ts";
import { type Removed, removeBefore } from "./remove-logs.ts";
import { cutsOf } from "./retention-rules.ts";

/** No other node does it again within this. */
const everyMs = 3_600_000;

export interface RetentionParts {
  db: Database;
  logs: LogStore;
  options: Options;
  /** Ends the work between two steps: what is left is removed another time. */
  signal: AbortSignal;
}

export async function forgetOldLogs({ db, logs, options, signal }: RetentionParts, now: number): Promise<void> {
  if (!(await isOurs(db, now))) return;
  const cuts = cutsOf(options.number("LogRetentionDays"), options.number("TraceRetentionDays"), now);
  const remove = async (table: "logs" | "traces"): Promise<Removed> => {
    const cut = cuts[table];
    return cut === undefined ? { rows: 0, quota: 0 } : removeBefore(db, logs, table, idFloor(cut), signal);
  };
  const traces = await remove("traces");
  const { rows, quota } = await remove("logs");
  if (rows + traces.rows === 0) return;
  const change = { rows, quota, traces: traces.rows, before: isoOf(cuts.logs), traces_before: isoOf(cuts.traces) };
  await db.write(db.audit({ at: now, actorId: 0, address: "", action: "log.expired", target: "logs", change }));
}

const isoOf = (ms: number | undefined) => (ms === undefined ? null : new Date(ms).toISOString());

/** Several nodes may wake up at once: the one that moves the date on does the work. */
async function isOurs(db: Database, now: number): Promise<boolean> {
  const due = db.sql
    .updateTable("chores")
    .set({ due_at: now + everyMs })
    .where("name", "=", "log retention")
    .where("due_at", "<=", now);
  try {
    await db.write([{ query: due, rows: 1 }]);
    return true;
  } catch (error) {
    if (error instanceof StaleWrite) return false;
    throw error;
  }
}
