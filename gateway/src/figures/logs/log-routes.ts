/** API routes for the log. */

import { roles } from "@tollgate/contract/accounts/roles.ts";
import type { Reference } from "@tollgate/contract/api/ids.ts";
import { pageSizeDefault } from "@tollgate/contract/api/page.ts";
import {
  clearLogs,
  exportLogs,
  exportOwnLogs,
  exportTotalHeader,
  getLogStat,
  getOwnLogStat,
  listLogs,
  listOwnLogs,
  listOwnProblems,
  listProblems,
  searchLogs,
  searchOwnLogs,
  tailLogs,
  tailOwnLogs,
} from "@tollgate/contract/figures/logs.ts";
import type { TeamSight } from "../../accounts/teams/team-sight.ts";
import { type ApiRoute, apiRoute } from "../../http/api-route.ts";
import { stillAllowed } from "../../http/export-streams.ts";
import { createPerUserQueue } from "../../http/per-user-queue.ts";
import type { AuthenticatedContext, Identify, Principal } from "../../http/request-context.ts";
import type { Database } from "../../storage/database.ts";
import { readIdTimes } from "../../storage/id-clock.ts";
import type { LogRow } from "../../storage/tables/call-tables.ts";
import { clearLogsBefore } from "./clear-logs.ts";
import { createLogExports } from "./export-logs.ts";
import { buildLogFilter, type LogQueryParams, type LogRowFilter, needsScan } from "./log-filter.ts";
import { createLogReader, isCostly, type LogListQuery } from "./log-reader.ts";
import type { LogStore } from "./log-store.ts";
import { logTotals } from "./log-totals.ts";
import { readReferences, viewLog, viewProblem } from "./log-view.ts";

type AdminLogQuery = LogQueryParams & {
  username?: string | undefined;
  channel?: Reference | undefined;
};

type OwnLogQuery = LogQueryParams & { team_id?: Reference | undefined };

interface LogRoutesDeps {
  db: Database;
  logs: LogStore;
  users: { byUsername(username: string): Promise<{ id: number } | undefined> };
  sight: TeamSight;
  identify: Identify;
  clock(): number;
}

export function logRoutes({ db, logs, users, sight, identify, clock }: LogRoutesDeps): ApiRoute[] {
  const totals = logTotals(db, logs);
  const reader = createLogReader(logs, totals);
  const exported = createLogExports(logs);
  const queue = createPerUserQueue();

  /** Logs keep models as providers spell them; a filter may be typed in any case. */
  const spelled = async (filter: LogRowFilter): Promise<LogRowFilter> =>
    filter.model === undefined
      ? filter
      : { ...filter, model: await totals.spellingOf(filter.model) };

  /** Undefined when the filter names an unknown channel: then no row matches. */
  const adminFilter = async (query: AdminLogQuery): Promise<LogRowFilter | undefined> => {
    const filter = await spelled(buildLogFilter(query));
    if (filter.id !== undefined) return filter;
    if (query.channel) {
      filter.channelId = query.channel.id ?? (await channelId(query.channel.uuid ?? ""));
      if (filter.channelId === undefined) return undefined;
    }
    if (query.username === undefined) return filter;
    const user = await users.byUsername(query.username);
    return user ? { ...filter, userId: user.id } : { ...filter, username: query.username };
  };

  const channelId = async (uuid: string): Promise<number | undefined> => {
    const [row] = await db.read(
      db.sql.selectFrom("channels").select("id").where("uuid", "=", uuid),
    );
    return row?.id;
  };

  const ownFilter = async (principal: Principal, query: OwnLogQuery): Promise<LogRowFilter> => ({
    ...(await spelled(buildLogFilter(query))),
    ...(await sight.payerOf(principal, query.team_id)),
  });

  const page = async (
    filter: LogRowFilter | undefined,
    query: LogListQuery,
    principal: Principal,
    now: number,
  ) => {
    if (!filter) return { data: [], total: 0 };
    const read = () => reader.list(filter, query, now);
    const { rows, ...found } = await (isCostly(filter, query) ? queue(principal.id, read) : read());
    return { data: await view(rows, principal), ...found };
  };

  const view = async (rows: LogRow[], principal: Principal) => {
    const references = await readReferences(db, rows);
    return rows.map((row) => viewLog(row, references, principal.role));
  };

  const tail = async (
    filter: LogRowFilter | undefined,
    size = pageSizeDefault,
    principal: Principal,
    now: number,
  ) => {
    if (!filter) return [];
    const read = () => reader.tail(filter, size, now);
    return view(await (needsScan(filter) ? queue(principal.id, read) : read()), principal);
  };

  const problems = async (filter: LogRowFilter | undefined, principal: Principal, now: number) => {
    if (!filter) return { data: [] };
    const isAdmin = principal.role >= roles.admin;
    const { groups, ...searched } = await queue(principal.id, () =>
      reader.problems(filter, isAdmin, now),
    );
    const timeOf = await readIdTimes(db);
    return { data: groups.map((group) => viewProblem(group, timeOf, isAdmin)), ...searched };
  };

  /** The total is sent only where counting is cheap. */
  const csv = async (
    filter: LogRowFilter | undefined,
    {
      time_zone: timeZone,
      with_tags: withTags,
    }: { time_zone?: string | undefined; with_tags?: boolean | undefined },
    call: AuthenticatedContext,
  ) => {
    const isCountable = filter !== undefined && !needsScan(filter);
    const { total, total_capped } = isCountable
      ? await reader.count(filter, call.now)
      : { total: 0, total_capped: filter !== undefined };
    const body = exported(call.principal.id, filter, {
      timeZone,
      withTags,
      checkCaller: stillAllowed(identify, clock, call),
    });
    if (!total_capped) call.responseHeaders.set(exportTotalHeader, String(total));
    call.responseHeaders.set("Content-Disposition", 'attachment; filename="logs.csv"');
    return body;
  };

  const stat = async (filter: LogRowFilter | undefined, now: number) => {
    if (!filter) return { quota: 0 };
    const { quota, capped } = await totals.total(filter, now);
    return { quota, ...(capped && { capped }) };
  };

  return [
    apiRoute(listLogs, async ({ query, principal, now }) =>
      page(await adminFilter(query), query, principal, now),
    ),
    apiRoute(searchLogs, async ({ query, principal, now }) =>
      page(await adminFilter(query), query, principal, now),
    ),
    apiRoute(listOwnLogs, async ({ query, principal, now }) =>
      page(await ownFilter(principal, query), query, principal, now),
    ),
    apiRoute(searchOwnLogs, async ({ query, principal, now }) =>
      page(await ownFilter(principal, query), query, principal, now),
    ),
    apiRoute(tailLogs, async ({ query, principal, now }) =>
      tail(await adminFilter(query), query.size, principal, now),
    ),
    apiRoute(tailOwnLogs, async ({ query, principal, now }) =>
      tail(await ownFilter(principal, query), query.size, principal, now),
    ),
    apiRoute(listProblems, async ({ query, principal, now }) =>
      problems(await adminFilter(query), principal, now),
    ),
    apiRoute(listOwnProblems, async ({ query, principal, now }) =>
      problems(await ownFilter(principal, query), principal, now),
    ),
    apiRoute(exportLogs, async (call) => csv(await adminFilter(call.query), call.query, call)),
    apiRoute(exportOwnLogs, async (call) =>
      csv(await ownFilter(call.principal, call.query), call.query, call),
    ),
    apiRoute(getLogStat, async ({ query, now }) => stat(await adminFilter(query), now)),
    apiRoute(getOwnLogStat, async ({ query, principal, now }) =>
      stat(await ownFilter(principal, query), now),
    ),
    apiRoute(clearLogs, (call) =>
      clearLogsBefore(db, logs, call.query.target_timestamp * 1000, call),
    ),
  ];
}
