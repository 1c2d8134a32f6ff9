/**
 * Lists and exports the audit trail. Nothing here writes: each entry is written in the batch of the
 * change that it records.
 */

import type { QueryOf } from "@tollgate/contract/api/endpoint.ts";
import { exportAuditEntries, listAuditEntries } from "@tollgate/contract/site/audit-trail.ts";
import { type ApiRoute, apiRoute } from "../../http/api-route.ts";
import { createExportStreams, stillAllowed } from "../../http/export-streams.ts";
import type { Identify } from "../../http/request-context.ts";
import type { Database } from "../../storage/database.ts";
import { capTotal, computePage, totalMax } from "../../storage/pagination.ts";
import { changeNames, listMentioned } from "./changed-names.ts";

const batchRows = 1_000;

interface AuditTrailDeps {
  db: Database;
  identify: Identify;
  clock(): number;
}

export function auditTrailRoutes({ db, identify, clock }: AuditTrailDeps): ApiRoute[] {
  const createExport = createExportStreams();
  return [
    apiRoute(listAuditEntries, async ({ query }) => {
      const { limit, offset } = computePage(query);
      const entries = selectEntries(db, query);
      const page = entries
        .selectAll("audit_entries")
        .select("users.username as actor")
        .orderBy("audit_entries.id", "desc")
        .limit(limit)
        .offset(offset);
      const candidates = entries.select("audit_entries.id").limit(totalMax + 1);
      const [rows, [counted]] = await Promise.all([
        db.read(page),
        db.read(
          db.sql
            .selectFrom(candidates.as("some"))
            .select(({ fn }) => fn.countAll<number>().as("count")),
        ),
      ]);
      const names = await changeNames(db, rows);
      const data = rows.map((row) => ({
        ...row,
        actor: row.actor ?? "",
        target_name: names.get(row.target) ?? "",
        change_names: Object.fromEntries(
          listMentioned(row.change).flatMap((uuid) => {
            const name = names.get(uuid);
            return name === undefined ? [] : [[uuid, name]];
          }),
        ),
      }));
      return { data, ...capTotal(Number(counted?.count ?? 0)) };
    }),
    apiRoute(exportAuditEntries, (call) => {
      const body = createExport(
        call.principal.id,
        buildLines(db),
        stillAllowed(identify, clock, call),
      );
      call.responseHeaders.set("Content-Disposition", 'attachment; filename="changes.ndjson"');
      return body;
    }),
  ];
}

/** An empty filter is none. */
function selectEntries(
  db: Database,
  { subject = "", actor = "", target = "" }: QueryOf<typeof listAuditEntries>,
) {
  let entries = db.sql
    .selectFrom("audit_entries")
    .leftJoin("users", "users.id", "audit_entries.actor_id");
  if (subject !== "") {
    const start = `${subject}.`;
    entries = entries.where(
      ({ fn, val }) => fn("substr", ["action", val(1), val(start.length)]),
      "=",
      start,
    );
  }
  if (actor !== "") entries = entries.where("users.username", "=", actor);
  if (target !== "") entries = entries.where("audit_entries.target", "=", target);
  return entries;
}

async function* buildLines(db: Database): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  let last = 0;
  for (;;) {
    const query = db.sql
      .selectFrom("audit_entries")
      .selectAll()
      .where("id", ">", last)
      .orderBy("id");
    const rows = await db.read(query.limit(batchRows));
    const newest = rows.at(-1);
    if (!newest) return;
    yield encoder.encode(rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
    last = newest.id;
  }
}
