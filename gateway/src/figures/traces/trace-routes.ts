/** API routes for traces, for the user who made the call and for administrators. */

import { roles } from "@tollgate/contract/accounts/roles.ts";
import type { Reference } from "@tollgate/contract/api/ids.ts";
import {
  getTrace,
  getTraceOfLog,
  type Trace,
  type TraceRecord,
  traceRecord,
} from "@tollgate/contract/figures/traces.ts";
import * as z from "zod/mini";
import type { TeamSight } from "../../accounts/teams/team-sight.ts";
import { mayReadBody } from "../../call-bodies/body-rules.ts";
import type { BodyStore } from "../../call-bodies/body-store.ts";
import { type ApiRoute, apiRoute } from "../../http/api-route.ts";
import { refuse } from "../../http/refusal.ts";
import type { Principal } from "../../http/request-context.ts";
import type { Database } from "../../storage/database.ts";
import { readIdTimes } from "../../storage/id-clock.ts";
import type { LogRow } from "../../storage/tables/call-tables.ts";
import { composeUuidFromId, findIdFromText, findIdFromUuid } from "../../storage/time-ids.ts";
import type { LogStore } from "../logs/log-store.ts";
import { composeTraceId, readReferences, viewLog } from "../logs/log-view.ts";
import { buildDurations } from "./trace-rules.ts";

interface TraceDeps {
  db: Database;
  logs: LogStore;
  bodies: Pick<BodyStore, "find">;
  sight: TeamSight;
}

export function traceRoutes({ db, logs, bodies, sight }: TraceDeps): ApiRoute[] {
  const bodyOf = async (id: number, principal: Principal) => {
    const body = await bodies.find(id);
    if (!body || !mayReadBody(principal, body)) return {};
    return { body: { mode: body.mode, created_at: body.created_at } };
  };

  /** A call that the caller may not see is reported as missing. */
  const logOf = async (id: number | undefined, principal: Principal): Promise<LogRow> => {
    const row = id === undefined ? undefined : await logs.byId(id);
    if (!row || !(await sight.mayRead(principal, row))) throw refuse("log_not_found");
    return row;
  };

  const recordOf = async (id: number): Promise<TraceRecord> => {
    const [row] = await db.read(db.sql.selectFrom("traces").select("data").where("id", "=", id));
    if (!row) throw refuse("trace_not_found");
    return z.parse(traceRecord, JSON.parse(row.data));
  };

  const view = (id: number, at: number, record: TraceRecord, principal: Principal): Trace => ({
    ...record,
    id,
    uuid: composeUuidFromId(id),
    trace_id: composeTraceId(id),
    created_at: at,
    updated_at: record.timestamps.request_completed ?? at,
    attempts: principal.role >= roles.admin ? record.attempts : [],
    candidates: principal.role >= roles.admin ? record.candidates : [],
  });

  const idOf = ({ id, uuid }: Reference) => id ?? findIdFromUuid(uuid ?? "");

  return [
    apiRoute(getTraceOfLog, async ({ params, principal }) => {
      const log = await logOf(idOf(params.id), principal);
      const record = await recordOf(log.id);
      const references = await readReferences(db, [log]);
      const { content, type, username, user_id } = log;
      return {
        ...view(log.id, references.timeOf(log.id), record, principal),
        ...(await bodyOf(log.id, principal)),
        durations: buildDurations(record.timestamps),
        log: {
          id: log.id,
          uuid: composeUuidFromId(log.id),
          user_id,
          user_uuid: references.users.get(user_id) ?? null,
          channel_uuid:
            principal.role >= roles.admin
              ? (references.channels.get(log.channel_id) ?? null)
              : null,
          username,
          content,
          type,
        },
        entry: viewLog(log, references, principal.role),
      };
    }),
    apiRoute(getTrace, async ({ params, principal }) => {
      const log = await logOf(findIdFromText(params.trace_id), principal);
      const timeOf = await readIdTimes(db);
      return view(log.id, timeOf(log.id), await recordOf(log.id), principal);
    }),
  ];
}
