/** API routes for traces, for the user who made the call and for administrators. */
import type { Reference } from "@tollgate/contract/ids.ts";
import { roles } from "@tollgate/contract/roles.ts";
import { getTrace, getTraceOfLog, type Trace, type TraceRecord, traceRecord } from "@tollgate/contract/traces.ts";
import * as z from "zod/mini";
import { mayReadBody } from "../call-bodies/body-rules.ts";
import type { BodyStore } from "../call-bodies/body-store.ts";
import { type ApiRoute, apiRoute } from "../http/api-route.ts";
import { refuse } from "../http/refusal.ts";
import type { Principal } from "../http/request-context.ts";
import type { LogStore } from "../logs/log-store.ts";
import { traceIdOf, uuidsOf, viewLog } from "../logs/log-view.ts";
import type { Database } from "../storage/database.ts";
import type { LogRow } from "../storage/tables/call-tables.ts";
import { idFromText, idFromUuid, idTime, uuidFromId } from "../storage/time-ids.ts";
import { durationsOf } from "./trace-rules.ts";

export function traceRoutes(db: Database, logs: LogStore, bodies: Pick<BodyStore, "find">): ApiRoute[] {
  const bodyOf = async (id: number, principal: Principal) => {
    const body = await bodies.find(id);
    if (!body || !mayReadBody(principal, body)) return {};
    return { body: { mode: body.mode, created_at: body.created_at } };
  };

  /** Another user's call is reported as missing. */
  const logOf = async (id: number | undefined, principal: Principal): Promise<LogRow> => {
    const row = id === undefined ? undefined : await logs.byId(id);
    if (!row || (row.user_id !== principal.id && principal.role < roles.admin)) throw refuse("log_not_found");
    return row;
  };

  const recordOf = async (id: number): Promise<TraceRecord> => {
    const [row] = await db.read(db.sql.selectFrom("traces").select("data").where("id", "=", id));
    if (!row) throw refuse("trace_not_found");
    return z.parse(traceRecord, JSON.parse(row.data));
  };

  const view = (id: number, record: TraceRecord, principal: Principal): Trace => ({
    ...record,
    id,
    uuid: uuidFromId(id),
    trace_id: traceIdOf(id),
    created_at: idTime(id),
    updated_at: record.timestamps.request_completed ?? idTime(id),
    attempts: principal.role >= roles.admin ? record.attempts : [],
    candidates: principal.role >= roles.admin ? record.candidates : [],
  });

  const idOf = ({ id, uuid }: Reference) => id ?? idFromUuid(uuid ?? "");

  return [
    apiRoute(getTraceOfLog, async ({ params, principal }) => {
      const log = await logOf(idOf(params.id), principal);
      const record = await recordOf(log.id);
      const uuids = await uuidsOf(db, [log]);
      const { content, type, username, user_id } = log;
      return {
        ...view(log.id, record, principal),
        ...(await bodyOf(log.id, principal)),
        durations: durationsOf(record.timestamps),
        log: {
          id: log.id,
          uuid: uuidFromId(log.id),
          user_id,
          user_uuid: uuids.users.get(user_id) ?? null,
          channel_uuid: principal.role >= roles.admin ? (uuids.channels.get(log.channel_id) ?? null) : null,
          username,
          content,
          type,
        },
        entry: viewLog(log, uuids, principal.role),
      };
    }),
    apiRoute(getTrace, async ({ params, principal }) => {
      const log = await logOf(idFromText(params.trace_id), principal);
      return view(log.id, await recordOf(log.id), principal);
    }),
  ];
}
