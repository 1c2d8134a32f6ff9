/** Totals from the roll-ups where one fits the filter: exact for any number of rows. */
import { sql as raw } from "kysely";
import type { Database } from "../../storage/database.ts";
import { isWholeSite } from "../../storage/payer-scope.ts";
import { computeIdTime } from "../../storage/time-ids.ts";
import {
  buildWholeUnits,
  consume,
  dayMs,
  hourMs,
  type LogRowFilter,
  needsScan,
  type RollupUnits,
} from "./log-filter.ts";
import type { LogStore } from "./log-store.ts";

export interface LogSums {
  requests: number;
  quota: number;
  capped: boolean;
}

const noSums: LogSums = { requests: 0, quota: 0, capped: false };
const plus = (one: LogSums, other: LogSums): LogSums => ({
  requests: one.requests + other.requests,
  quota: one.quota + other.quota,
  capped: one.capped || other.capped,
});

type DayRollupTable =
  | "rollup_day_model"
  | "rollup_day_user_model"
  | "rollup_day_user"
  | "rollup_day_team";

const buildDayTable = ({ userId, teamId, model }: LogRowFilter): DayRollupTable => {
  if (teamId !== undefined) return "rollup_day_team";
  if (userId === undefined) return "rollup_day_model";
  return model === undefined ? "rollup_day_user" : "rollup_day_user_model";
};
type HourRollupTable = "rollup_hour_model" | "rollup_hour_channel";

export function logTotals({ sql, read }: Pick<Database, "sql" | "read">, logs: LogStore) {
  const measures = [
    raw<number>`sum(requests)`.as("requests"),
    raw<number>`sum(quota)`.as("quota"),
  ] as const;

  const keyed = (filter: LogRowFilter) => ({
    ...(filter.teamId !== undefined && { team_id: filter.teamId }),
    ...(filter.userId !== undefined && { user_id: filter.userId }),
    ...(filter.model !== undefined && { model_name: filter.model }),
    ...(filter.channelId !== undefined && { channel_id: filter.channelId }),
  });

  /**
   * Calls per day. The tables of accounts lead with the day: a list of days reads only the rows of
   * one.
   */
  const byDay = async (filter: LogRowFilter, { first, end }: RollupUnits) => {
    const table = buildDayTable(filter);
    const [oldest] = await read(
      sql
        .selectFrom(table)
        .$if(filter.teamId !== undefined, (days) =>
          days.where(raw<boolean>`team_id = ${filter.teamId}`),
        )
        .select("day")
        .orderBy("day")
        .limit(1),
    );
    const from = Math.max(first, oldest?.day ?? end);
    if (from >= end) return [];
    const days = Array.from({ length: end - from }, (_, index) => raw.lit(from + index));
    const within =
      filter.userId === undefined || filter.teamId !== undefined
        ? raw<boolean>`day between ${from} and ${end - 1}`
        : raw<boolean>`day in (${raw.join(days)})`;
    const rows = sql.selectFrom(table).where(within);
    return read(
      addKeys(rows, keyed(filter))
        .select("day")
        .select(measures)
        .groupBy("day")
        .orderBy("day", "desc"),
    );
  };

  const byHour = async (filter: LogRowFilter, { first, end }: RollupUnits): Promise<LogSums> => {
    const table: HourRollupTable =
      filter.channelId === undefined ? "rollup_hour_model" : "rollup_hour_channel";
    const rows = sql.selectFrom(table).where("hour", ">=", first).where("hour", "<", end);
    const [row] = await read(addKeys(rows, keyed(filter)).select(measures));
    return { requests: Number(row?.requests ?? 0), quota: Number(row?.quota ?? 0), capped: false };
  };

  const sumDays = async (filter: LogRowFilter, units: RollupUnits): Promise<LogSums> => {
    const days = await byDay(filter, units);
    return days.reduce(
      (all, { requests, quota }) =>
        plus(all, { requests: Number(requests), quota: Number(quota), capped: false }),
      noSums,
    );
  };

  /** Bounded, because a rare name would otherwise scan the whole log. */
  const sumByScan = async (filter: LogRowFilter): Promise<LogSums> => {
    const stop = await logs.scanEnd(filter);
    if (stop === undefined) return logs.sum(filter);
    return {
      ...(await logs.sum({ ...filter, from: Math.max(filter.from, computeIdTime(stop)) })),
      capped: true,
    };
  };

  /**
   * Sums calls (type 2) by default, or the filter's type: from whole days, then whole hours, then
   * single rows.
   */
  const total = async (requested: LogRowFilter, now: number): Promise<LogSums> => {
    const filter = { ...requested, type: requested.type ?? consume };
    // Every filter that an index serves has a roll-up: by user and model, or by one key.
    if (needsScan(filter)) return sumByScan(filter);
    const rows = (span: LogRowFilter) => logs.sum(span);
    const hours = async (span: LogRowFilter): Promise<LogSums> =>
      sumRange(span, hourMs, now, byHour, rows);
    if (filter.channelId !== undefined) return hours(filter);
    return sumRange(filter, dayMs, now, sumDays, isWholeSite(filter) ? hours : rows);
  };

  /**
   * The name as rows have it for one that is typed in any case: as typed where calls have it so,
   * else the spelling with the most calls. The index on models compares exactly, and the roll-up by
   * day names them all in few rows.
   */
  const spellingOf = async (model: string): Promise<string> => {
    const [row] = await read(
      sql
        .selectFrom("rollup_day_model")
        .where(raw<boolean>`lower(model_name) = lower(${model})`)
        .select("model_name")
        .groupBy("model_name")
        .orderBy(raw`case when model_name = ${model} then 0 else 1 end`)
        .orderBy(raw`sum(requests)`, "desc")
        .limit(1),
    );
    return row?.model_name ?? model;
  };

  return { total, byDay, spellingOf };
}
export type LogTotals = ReturnType<typeof logTotals>;

async function sumRange(
  filter: LogRowFilter,
  unitMs: number,
  now: number,
  whole: (filter: LogRowFilter, units: RollupUnits) => Promise<LogSums>,
  remainder: (filter: LogRowFilter) => Promise<LogSums>,
): Promise<LogSums> {
  const { units, edges } = buildWholeUnits(filter, unitMs, now);
  const sums = await Promise.all([
    ...(units ? [whole(filter, units)] : []),
    ...edges.map((edge) => remainder({ ...filter, ...edge })),
  ]);
  return sums.reduce(plus, noSums);
}

/** Adds `where key = value` for each key, on tables with different keys. */
function addKeys<Query extends { where(column: never, operator: "=", value: never): unknown }>(
  query: Query,
  keys: Record<string, string | number>,
): Query {
  return Object.entries(keys).reduce(
    (narrowed, [column, value]) => narrowed.where(column as never, "=", value as never) as Query,
    query,
  );
}
