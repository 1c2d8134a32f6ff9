/** Deletes old log rows and traces for an administrator, with audit entries. Ledger and roll-ups stay. */
import { logTypes } from "@tollgate/contract/logs.ts";
import type { AuthenticatedContext } from "../http/request-context.ts";
import type { Database } from "../storage/database.ts";
import { idFloor } from "../storage/time-ids.ts";
import { eventRow } from "./event-row.ts";
import type { LogStore } from "./log-store.ts";
import { removeBefore } from "./remove-logs.ts";

export async function clearLogsBefore(
  db: Database,
  logs: LogStore,
  beforeMs: number,
  { principal, audit }: AuthenticatedContext,
): Promise<number> {
  const before = idFloor(beforeMs);
  const moment = new Date(beforeMs).toISOString();
  // Before the deletion, so that a crash in between leaves an entry.
  await db.write(audit("log.clear", "logs", { before: moment }));

  await removeBefore(db, logs, "traces", before);
  const { rows, quota } = await removeBefore(db, logs, "logs", before);

  const row = eventRow({
    id: db.mintId(),
    type: logTypes.system,
    user_id: principal.id,
    username: principal.username,
    quota: 0,
    content: `Deleted ${rows} log rows from before ${moment}`,
  });
  await db.write([logs.add(row), ...audit("log.cleared", "logs", { before: moment, rows, quota })]);
  return rows;
}
