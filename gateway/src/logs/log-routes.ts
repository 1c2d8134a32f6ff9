/** What the API answers about the log. */
import type { Reference } from "@tollgate/contract/ids.ts";
import {
  clearLogs,
  exportLogs,
  exportOwnLogs,
  exportTotalHeader,
  getLogStat,
  getOwnLogStat,
  listLogs,
  listOwnLogs,
  searchLogs,
  searchOwnLogs,
  tailLogs,
  tailOwnLogs,
} from "@tollgate/contract/logs.ts";
import { pageSizeDefault } from "@tollgate/contract/page.ts";
import { answer, type Route } from "../http/answer.ts";
import type { Caller, Circumstances, Identify } from "../http/caller.ts";
import { stillAllowed } from "../http/export-streams.ts";
import { inTurn } from "../http/in-turn.ts";
import type { Database } from "../storage/database.ts";
import type { LogRow } from "../storage/schema.ts";
import type { UserStore } from "../users/user-store.ts";
import { clearLogsBefore } from "./clear-logs.ts";
import { countLogsWith } from "./count-logs.ts";
import { logExports } from "./export-logs.ts";
import { isCostly, type ListQuery, listLogsWith } from "./list-logs.ts";
import { filterOf, isNarrowedByHand, type LogFilter, type LogQuery } from "./log-filter.ts";
import type { LogStore } from "./log-store.ts";
import { logTotals } from "./log-totals.ts";
import { uuidsOf, viewLog } from "./log-view.ts";
import { tailOf } from "./tail-logs.ts";

type FullQuery = LogQuery & { username?: string | undefined; channel?: Reference | undefined };

interface Parts {
  db: Database;
  logs: LogStore;
  users: UserStore;
  identify: Identify;
  clock(): number;
}

export function logRoutes({ db, logs, users, identify, clock }: Parts): Route[] {
  const totals = logTotals(db, logs);
  const count = countLogsWith(logs, totals);
  const list = listLogsWith(logs, totals, count);
  const exported = logExports(logs);
  const turns = inTurn();

  /** Undefined when the filter names a channel that does not exist: then nothing matches. */
  const everybodys = async (query: FullQuery): Promise<LogFilter | undefined> => {
    const filter = filterOf(query);
    if (query.channel) {
      filter.channelId = query.channel.id ?? (await channelId(query.channel.uuid ?? ""));
      if (filter.channelId === undefined) return undefined;
    }
    if (query.username === undefined) return filter;
    const user = await users.byUsername(query.username);
    return user ? { ...filter, userId: user.id } : { ...filter, username: query.username };
  };

  const channelId = async (uuid: string): Promise<number | undefined> => {
    const [row] = await db.read(db.sql.selectFrom("channels").select("id").where("uuid", "=", uuid));
    return row?.id;
  };

  const own = (caller: Caller, query: LogQuery): LogFilter => ({ ...filterOf(query), userId: caller.id });

  const page = async (filter: LogFilter | undefined, query: ListQuery, caller: Caller, now: number) => {
    if (!filter) return { data: [], total: 0 };
    const read = () => list(filter, query, now);
    const { rows, ...found } = await (isCostly(filter, query) ? turns(caller.id, read) : read());
    return { data: await view(rows, caller), ...found };
  };

  const view = async (rows: LogRow[], caller: Caller) => {
    const uuids = await uuidsOf(db, rows);
    return rows.map((row) => viewLog(row, uuids, caller.role));
  };

  const tail = async (filter: LogFilter | undefined, size = pageSizeDefault, caller: Caller, now: number) => {
    if (!filter) return [];
    const read = () => tailOf(logs, filter, size, now);
    return view(await (isNarrowedByHand(filter) ? turns(caller.id, read) : read()), caller);
  };

  /** Counted beforehand only where that is no work of its own. */
  const csv = async (
    filter: LogFilter | undefined,
    timeZone: string | undefined,
    call: Circumstances & { caller: Caller },
  ) => {
    const isCountable = filter !== undefined && !isNarrowedByHand(filter);
    const { total, total_capped } = isCountable
      ? await count(filter, call.now)
      : { total: 0, total_capped: filter !== undefined };
    const body = exported(call.caller.id, filter, { timeZone, checkCaller: stillAllowed(identify, clock, call) });
    if (!total_capped) call.reply.set(exportTotalHeader, String(total));
    call.reply.set("Content-Disposition", 'attachment; filename="logs.csv"');
    return body;
  };

  const stat = async (filter: LogFilter | undefined, now: number) => {
    if (!filter) return { quota: 0 };
    const { quota, capped } = await totals.total(filter, now);
    return { quota, ...(capped && { capped }) };
  };

  return [
    answer(listLogs, async ({ query, caller, now }) => page(await everybodys(query), query, caller, now)),
    answer(searchLogs, async ({ query, caller, now }) => page(await everybodys(query), query, caller, now)),
    answer(listOwnLogs, ({ query, caller, now }) => page(own(caller, query), query, caller, now)),
    answer(searchOwnLogs, ({ query, caller, now }) => page(own(caller, query), query, caller, now)),
    answer(tailLogs, async ({ query, caller, now }) => tail(await everybodys(query), query.size, caller, now)),
    answer(tailOwnLogs, ({ query, caller, now }) => tail(own(caller, query), query.size, caller, now)),
    answer(exportLogs, async (call) => csv(await everybodys(call.query), call.query.time_zone, call)),
    answer(exportOwnLogs, (call) => csv(own(call.caller, call.query), call.query.time_zone, call)),
    answer(getLogStat, async ({ query, now }) => stat(await everybodys(query), now)),
    answer(getOwnLogStat, ({ query, caller, now }) => stat(own(caller, query), now)),
    answer(clearLogs, (call) => clearLogsBefore(db, logs, call.query.target_timestamp * 1000, call)),
  ];
}
