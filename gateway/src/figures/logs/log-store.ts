/**
 * SQL on the log. Ids are time-ordered, and every statement has a bound on the rows that it reads.
 */
import { chargedLogTypes, slowFromMs } from "@tollgate/contract/figures/logs.ts";
import { type RawBuilder, sql as raw } from "kysely";
import type { Database, Write } from "../../storage/database.ts";
import { readIdTimes } from "../../storage/id-clock.ts";
import { byTime, type TimeSpan } from "../../storage/log-time.ts";
import { escapeLike, totalMax } from "../../storage/pagination.ts";
import { isPaidBy, isWholeSite } from "../../storage/payer-scope.ts";
import type { LogRow } from "../../storage/tables/call-tables.ts";
import { EPOCH_MS, idsPerMs } from "../../storage/time-ids.ts";
import {
  buildIdRange,
  consume,
  type LogRowFilter,
  matchesProblemsOnly,
  storedOutcomes,
} from "./log-filter.ts";
import type { ProblemStep, TimeSteps } from "./problem-steps.ts";

/** Rows that a search or an unindexed order scans before it stops and reports how far it came. */
export const scanMax = 100_000;
/** Small, so that a deletion does not delay running calls. */
const removeBatchSize = 1_000;

export const sortColumns: Record<string, RawBuilder<unknown>> = {
  id: byTime,
  created_at: byTime,
  created_time: byTime,
  prompt_tokens: raw.ref("prompt_tokens"),
  completion_tokens: raw.ref("completion_tokens"),
  quota: raw.ref("quota"),
  elapsed_time: raw.ref("elapsed_ms"),
};

const exportedColumns = [
  "id",
  "type",
  "model_name",
  "token_name",
  "username",
  "quota",
  "prompt_tokens",
  "completion_tokens",
  "elapsed_ms",
  "content",
  "tags",
] as const;
export type ExportedLogRow = Pick<LogRow, (typeof exportedColumns)[number]>;

/**
 * The condition of the two indexes on problems, in their words: a partial index serves only a query
 * that states it.
 */
const isProblem = raw<boolean>`(outcome not in ('success', '') or retries > 0) and outcome <> 'shadow'`;
/** Groups of problems that one reply shows. */
const problemGroupsMax = 50;

/** Calls that failed alike. */
export type ProblemGroup = Pick<LogRow, "outcome" | "content" | "model_name" | "channel_id"> & {
  channel_name: string;
  calls: number;
  users: number;
  first_id: number;
  last_id: number;
};

/** Ids that narrow the span of a filter further. */
interface IdBounds {
  /** Inclusive. */
  stop?: number | undefined;
  /** Exclusive. */
  before?: number | undefined;
}

export interface LogPage {
  column: RawBuilder<unknown>;
  direction: "asc" | "desc";
  limit: number;
  offset: number;
}

/** The whole value, without regard to case. Neither column has an index. */
/** A group that spans channels has the number 0 and no name. */
const selectChannelParts = (isByChannel: boolean) => ({
  channel: (isByChannel ? raw.ref<number>("channel_id") : raw<number>`0`).as("channel_id"),
  channelName: (isByChannel ? raw<string>`max(channel_name)` : raw<string>`''`).as("channel_name"),
});

const isSameText = (column: "token_name" | "username", value: string) =>
  raw<boolean>`lower(${raw.ref(column)}) = lower(${value})`;

/**
 * `hasTag` looks for the tag as the row's JSON has it. Replacing finds the text as it is on both
 * databases, where LIKE would fold cases and take wildcards.
 */
function hasTag(tag: string) {
  const sign = tag.indexOf("=");
  const member = `${JSON.stringify(tag.slice(0, sign))}:${JSON.stringify(tag.slice(sign + 1))}`;
  return raw<boolean>`replace(tags, ${member}, '') <> tags`;
}

export function logStore({ sql, read }: Pick<Database, "sql" | "read">) {
  /**
   * `within` gives one bound at each end: of two, SQLite would seek by the first and read all rows
   * up to the second.
   */
  const within = (span: TimeSpan, { stop = 0, before = Number.POSITIVE_INFINITY }: IdBounds) => {
    const { first, end } = buildIdRange(span);
    return sql
      .selectFrom("logs")
      .where("id", ">=", Math.max(first, stop))
      .where("id", "<", Math.min(end, before));
  };

  /** The part of the filter that an index serves. */
  const indexed = (filter: LogRowFilter, bounds: IdBounds = {}) => {
    let query = within(filter, bounds);
    if (filter.run !== undefined) {
      query = query.where("run", "=", filter.run);
      if (matchesProblemsOnly(filter)) query = query.where(isProblem);
      // As expressions, so that the index on runs is used.
      if (filter.userId !== undefined)
        query = query.where(raw<boolean>`user_id + 0 = ${filter.userId}`);
      return isWholeSite(filter)
        ? query
        : query.where(raw<boolean>`coalesce(team_id, 0) = ${filter.teamId ?? 0}`);
    }
    if (matchesProblemsOnly(filter)) {
      query = query.where(isProblem);
      return isWholeSite(filter) ? query : query.where(isPaidBy(filter));
    }
    if (!isWholeSite(filter)) {
      query = query.where(isPaidBy(filter));
      if (filter.model !== undefined) query = query.where("model_name", "=", filter.model);
    } else if (filter.channelId !== undefined)
      query = query.where("channel_id", "=", filter.channelId);
    else if (filter.model !== undefined) query = query.where("model_name", "=", filter.model);
    return query;
  };

  /** A key that names groups was charged in the name of one, which the price then names. */
  const isOfGroup = (group: string) => {
    const accounts = sql.selectFrom("users").select("id").where("group", "=", group);
    const teams = sql.selectFrom("teams").select("id").where("group", "=", group);
    const isOfPayer = raw<boolean>`((team_id is null and user_id in ${accounts}) or team_id in ${teams})`;
    const named = `"group":${JSON.stringify(group)}`;
    return raw<boolean>`(replace(coalesce(price, ''), ${named}, '') <> coalesce(price, '')
      or (replace(coalesce(price, ''), '"group":', '') = coalesce(price, '') and ${isOfPayer}))`;
  };

  const matching = (filter: LogRowFilter, bounds: IdBounds = {}) => {
    let query = indexed(filter, bounds);
    if (filter.id !== undefined) query = query.where("id", "=", filter.id);
    if (matchesProblemsOnly(filter)) {
      // As expressions, so that the index on problems is used: those on channel and model would
      // read all their calls.
      if (filter.channelId !== undefined)
        query = query.where(raw<boolean>`channel_id + 0 = ${filter.channelId}`);
      if (filter.model !== undefined)
        query = query.where(raw<boolean>`model_name || '' = ${filter.model}`);
    } else {
      if (filter.channelId !== undefined) query = query.where("channel_id", "=", filter.channelId);
      if (filter.model !== undefined) query = query.where("model_name", "=", filter.model);
    }
    if (filter.outcome !== undefined)
      query = query.where("outcome", "in", storedOutcomes[filter.outcome]);
    if (filter.isRetried) query = query.where("retries", ">", 0);
    if (filter.isSlow)
      query = query.where("elapsed_ms", ">=", slowFromMs).where("type", "in", chargedLogTypes);
    // Only calls have problems.
    const isOfCalls = filter.type === consume && matchesProblemsOnly(filter);
    if (filter.type !== undefined && !isOfCalls) {
      const types = filter.type === consume ? chargedLogTypes : [filter.type];
      query = query.where("type", "in", types);
    }
    if (filter.tag !== undefined) query = query.where(hasTag(filter.tag));
    if (filter.group !== undefined) query = query.where(isOfGroup(filter.group));
    if (filter.tokenName !== undefined)
      query = query.where(isSameText("token_name", filter.tokenName));
    if (filter.username !== undefined) query = query.where(isSameText("username", filter.username));
    if (filter.keyword !== undefined)
      query = query.where(
        raw<boolean>`lower(content) like lower(${`%${escapeLike(filter.keyword)}%`}) escape '!'`,
      );
    return query;
  };

  return {
    /** The times of rows by their ids. */
    readTimes: () => readIdTimes({ sql, read }),

    page: (
      filter: LogRowFilter,
      { column, direction, limit, offset }: LogPage,
    ): Promise<LogRow[]> =>
      read(
        matching(filter)
          .selectAll()
          .orderBy(column, direction)
          .$if(column !== byTime, (query) => query.orderBy("id", direction))
          .limit(limit)
          .offset(offset),
      ),

    async count(filter: LogRowFilter): Promise<number> {
      const some = matching(filter)
        .select("id")
        .limit(totalMax + 1)
        .as("some");
      const [row] = await read(
        sql.selectFrom(some).select(({ fn }) => fn.countAll<number>().as("count")),
      );
      return Number(row?.count ?? 0);
    },

    /** The exported columns of matching rows with ids in [stop, before), newest first. */
    older: (
      filter: LogRowFilter,
      before: number,
      stop: number | undefined,
      limit: number,
    ): Promise<ExportedLogRow[]> =>
      read(
        matching(filter, { before, stop })
          .select(exportedColumns)
          .orderBy("id", "desc")
          .limit(limit),
      ),

    /** The id at which a scan stops, or undefined when the index narrows to fewer rows. */
    async scanEnd(
      filter: LogRowFilter,
      rows = scanMax,
      before?: number,
    ): Promise<number | undefined> {
      const candidates = indexed(filter, { before });
      const [row] = await read(candidates.select("id").orderBy("id", "desc").limit(1).offset(rows));
      return row?.id;
    },

    /** Requests and quota of the newest matching rows, up to a bound. */
    async sum(filter: LogRowFilter): Promise<{ requests: number; quota: number; capped: boolean }> {
      const some = matching(filter).select("quota").orderBy("id", "desc").limit(scanMax).as("some");
      const [row] = await read(
        sql
          .selectFrom(some)
          .select(({ fn }) => [
            fn.countAll<number>().as("requests"),
            fn.sum<number>("quota").as("quota"),
          ]),
      );
      const requests = Number(row?.requests ?? 0);
      return { requests, quota: Number(row?.quota ?? 0), capped: requests === scanMax };
    },

    /** Matching rows in groups, most calls first. */
    async problemGroups(filter: LogRowFilter, isByChannel: boolean): Promise<ProblemGroup[]> {
      const { channel, channelName } = selectChannelParts(isByChannel);
      const rows = matching(filter)
        .select(["id", "user_id", "outcome", "content", "model_name", "channel_name", channel])
        .as("calls");
      const groups = await read(
        sql
          .selectFrom(rows)
          .groupBy(["outcome", "content", "model_name", "channel_id"])
          .select(["outcome", "content", "model_name", "channel_id", channelName])
          .select(({ fn }) => [
            fn.countAll<number>().as("calls"),
            fn.count<number>("user_id").distinct().as("users"),
            fn.min("id").as("first_id"),
            fn.max("id").as("last_id"),
          ])
          .orderBy("calls", "desc")
          .orderBy("last_id", "desc")
          .limit(problemGroupsMax),
      );
      return groups.map(({ calls, users, first_id, last_id, ...group }) => ({
        ...group,
        calls: Number(calls),
        users: Number(users),
        first_id: Number(first_id),
        last_id: Number(last_id),
      }));
    },

    /** The calls of each reason, and of each channel where these are told apart, in each step. */
    async problemSteps(
      filter: LogRowFilter,
      { from, step: seconds }: TimeSteps,
      isByChannel: boolean,
    ): Promise<ProblemStep[]> {
      const { channel, channelName } = selectChannelParts(isByChannel);
      const firstId = (from * 1000 - EPOCH_MS) * idsPerMs;
      const step = raw<number>`cast((id - ${firstId}) / ${seconds * 1000 * idsPerMs} as integer)`;
      const rows = matching(filter)
        .select(["outcome", "content", "channel_name", channel, step.as("step")])
        .as("calls");
      const steps = await read(
        sql
          .selectFrom(rows)
          .groupBy(["outcome", "content", "channel_id", "step"])
          .select(["outcome", "content", "channel_id", "step", channelName])
          .select(({ fn }) => fn.countAll<number>().as("calls")),
      );
      return steps.map(({ channel_id, step: place, calls, ...found }) => ({
        ...found,
        channel_id: Number(channel_id),
        step: Number(place),
        calls: Number(calls),
      }));
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

    /** Removes the oldest rows before an id; for log rows it returns their charges. */
    removeSome(table: "logs" | "traces", before: number): Write {
      // A range, because PostgreSQL would read whole months for a list of ids.
      const last = sql
        .selectFrom(table)
        .select("id")
        .where("id", "<", before)
        .orderBy("id")
        .limit(1)
        .offset(removeBatchSize - 1);
      const oldest = sql
        .deleteFrom(table)
        .where("id", "<=", raw<number>`coalesce(${last}, ${before - 1})`);
      return {
        query:
          table === "logs"
            ? oldest.returning(
                raw<number>`case when type in (${raw.join(chargedLogTypes)}) then quota else 0 end`.as(
                  "quota",
                ),
              )
            : oldest,
      };
    },
  };
}
export type LogStore = ReturnType<typeof logStore>;
