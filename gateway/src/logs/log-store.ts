/** SQL on the log. Ids order and range by time, and no statement looks at more rows than it was allowed. */
import { type RawBuilder, sql as raw } from "kysely";
import { literally, totalMax } from "../http/page.ts";
import type { Database, Write } from "../storage/database.ts";
import type { LogRow } from "../storage/schema.ts";
import { idRange, type LogFilter, type Span } from "./log-filter.ts";

/** Rows that a search or an odd order looks at before it says how far it came. */
export const lookedAtMax = 100_000;
const clearChunk = 5_000;

export const byTime = raw.ref("id");
export const sortColumns: Record<string, RawBuilder<unknown>> = {
  id: byTime,
  created_at: byTime,
  created_time: byTime,
  prompt_tokens: raw.ref("prompt_tokens"),
  completion_tokens: raw.ref("completion_tokens"),
  quota: raw.ref("quota"),
  elapsed_time: raw.ref("elapsed_ms"),
};

export interface LogPage {
  column: RawBuilder<unknown>;
  direction: "asc" | "desc";
  limit: number;
  offset: number;
}

export function logStore({ sql, read }: Pick<Database, "sql" | "read">) {
  const within = (span: Span) => {
    const { first, end } = idRange(span);
    return sql.selectFrom("logs").where("id", ">=", first).where("id", "<", end);
  };

  /** What an index leads to. */
  const led = (filter: LogFilter) => {
    let query = within(filter);
    if (filter.userId !== undefined) query = query.where("user_id", "=", filter.userId);
    else if (filter.channelId !== undefined) query = query.where("channel_id", "=", filter.channelId);
    else if (filter.model !== undefined) query = query.where("model_name", "=", filter.model);
    return query;
  };

  const matching = (filter: LogFilter) => {
    let query = led(filter);
    if (filter.channelId !== undefined) query = query.where("channel_id", "=", filter.channelId);
    if (filter.model !== undefined) query = query.where("model_name", "=", filter.model);
    if (filter.type !== undefined) query = query.where("type", "=", filter.type);
    if (filter.tokenName !== undefined) query = query.where("token_name", "=", filter.tokenName);
    if (filter.username !== undefined) query = query.where("username", "=", filter.username);
    if (filter.keyword !== undefined)
      query = query.where(raw<boolean>`lower(content) like lower(${`%${literally(filter.keyword)}%`}) escape '!'`);
    return query;
  };

  return {
    page: (filter: LogFilter, { column, direction, limit, offset }: LogPage): Promise<LogRow[]> =>
      read(
        matching(filter)
          .selectAll()
          .orderBy(column, direction)
          .$if(column !== byTime, (query) => query.orderBy("id", direction))
          .limit(limit)
          .offset(offset),
      ),

    async count(filter: LogFilter): Promise<number> {
      const some = matching(filter)
        .select("id")
        .limit(totalMax + 1)
        .as("some");
      const [row] = await read(sql.selectFrom(some).select(({ fn }) => fn.countAll<number>().as("count")));
      return Number(row?.count ?? 0);
    },

    /** The oldest id that may be looked at, when the index leads to more rows than that. */
    async lookingStopsAt(filter: LogFilter): Promise<number | undefined> {
      const [row] = await read(led(filter).select("id").orderBy("id", "desc").limit(1).offset(lookedAtMax));
      return row?.id;
    },

    /** Requests and quota of the newest rows that match, up to a bound. */
    async sum(filter: LogFilter): Promise<{ requests: number; quota: number; capped: boolean }> {
      const some = matching(filter).select("quota").orderBy("id", "desc").limit(lookedAtMax).as("some");
      const [row] = await read(
        sql
          .selectFrom(some)
          .select(({ fn }) => [fn.countAll<number>().as("requests"), fn.sum<number>("quota").as("quota")]),
      );
      const requests = Number(row?.requests ?? 0);
      return { requests, quota: Number(row?.quota ?? 0), capped: requests === lookedAtMax };
    },

    async byId(id: number): Promise<LogRow | undefined> {
      const [row] = await read(sql.selectFrom("logs").selectAll().where("id", "=", id));
      return row;
    },

    async oldest(): Promise<number | undefined> {
      const [row] = await read(sql.selectFrom("logs").select("id").orderBy("id").limit(1));
      return row?.id;
    },

    add: (row: LogRow): Write => ({ query: sql.insertInto("logs").values(row), rows: 1 }),

    /** Two statements that remove the oldest rows before an id, few at a time so that calls are not held up. */
    clearSome(before: number): [Write, Write] {
      const oldest = (table: "logs" | "traces") =>
        sql.selectFrom(table).select("id").where("id", "<", before).orderBy("id").limit(clearChunk);
      return [
        { query: sql.deleteFrom("logs").where("id", "in", oldest("logs")) },
        { query: sql.deleteFrom("traces").where("id", "in", oldest("traces")) },
      ];
    },
  };
}
export type LogStore = ReturnType<typeof logStore>;
