/**
 * Deletes old log rows and traces for an administrator, with audit entries. Ledger and roll-ups
 * stay.
 */
import { logTypes } from "@tollgate/contract/figures/logs.ts";
import type { AuthenticatedContext } from "../../http/request-context.ts";
import type { Database } from "../../storage/database.ts";
import { buildEventRow } from "../../storage/event-row.ts";
import { computeIdFloor } from "../../storage/time-ids.ts";
import type { LogStore } from "./log-store.ts";
import { removeOldRows } from "./remove-logs.ts";

export async function clearLogsBefore(
  db: Database,
  logs: LogStore,
  beforeMs: number,
  { principal, audit }: AuthenticatedContext,
): Promise<number> {
  const before = computeIdFloor(beforeMs);
  const moment = new Date(beforeMs).toISOString();
  // Before the deletion, so that a crash in between leaves an entry.
  await db.write(audit("log.clear", "logs", { before: moment }));

  await removeOldRows(db, logs, "traces", before);
  const { rows, quota } = await removeOldRows(db, logs, "logs", before);

  const row = buildEventRow({
    id: db.mintId(),
    type: logTypes.system,
    user_id: principal.id,
    username: principal.username,
    quota: 0,
    content: `Deleted ${rows} log rows from before ${moment}`,
    event: { code: "logs_deleted", params: { rows, before: moment } },
  });
  await db.write([logs.add(row), ...audit("log.cleared", "logs", { before: moment, rows, quota })]);
  return rows;
}
