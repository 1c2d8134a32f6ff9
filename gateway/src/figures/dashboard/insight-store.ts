/** SQL of the dashboard's further figures. It reads roll-ups alone. */
import { type RawBuilder, sql as raw } from "kysely";
import type { Database } from "../../storage/database.ts";
import { isKeptFor, type PayerScope } from "../../storage/payer-scope.ts";
import { addRecentCalls } from "../../storage/recent-call-counts.ts";
import { measureColumns } from "../../storage/rollups.ts";
import type { RollupMeasures } from "../../storage/tables/call-tables.ts";
import type { DayRange } from "./dashboard-rules.ts";
import type { HourCount } from "./insight-rules.ts";
import { selectTeamDays, type TeamPayer, teamSums } from "./team-days.ts";

/** The chart shows this many, the busiest. */
const channelsMax = 20;
const hoursOfDay = 24;
/** Ranking all channels reads every hour of theirs, so it covers a week. */
const rankedDays = 7;
/** UTC days since 1970; the end is exclusive. */
const buildLastDays = ({ first, last }: DayRange, days: number) => ({
  first: Math.max(first, last - days + 1),
  end: last + 1,
});
/** The days in which channels are ranked. */
export const buildRankedSpan = (range: DayRange) => buildLastDays(range, rankedDays);
const weeksDays = 28;

type InsightDayRow = RollupMeasures & { day: number };

export type InsightStore = ReturnType<typeof createInsightStore>;

export function createInsightStore({ sql, read }: Pick<Database, "sql" | "read">) {
  const sums = measureColumns.map((column) => sumColumn(column).as(column));
  const hoursOf = ({ first, end }: { first: number; end: number }) => ({
    first: first * hoursOfDay,
    end: end * hoursOfDay,
  });
  const numbers = <Row extends object>(rows: Row[]): Row[] =>
    rows.map((row) =>
      Object.fromEntries(
        Object.entries(row).map(([key, value]) => [key, key === "name" ? value : Number(value)]),
      ),
    ) as Row[];
  /** A list of days: the table leads with the day, so a range would read the rows of all users. */
  const onDays = ({ first, last }: DayRange) => {
    const days = Array.from({ length: last - first + 1 }, (_, index) => raw.lit(first + index));
    return raw<boolean>`day in (${raw.join(days)})`;
  };

  return {
    teamDays: async (days: DayRange, payer: TeamPayer) =>
      read(
        selectTeamDays({ sql }, payer, days)
          .select("used.day")
          .select(teamSums)
          .groupBy("used.day")
          .orderBy("used.day"),
      ),

    async teamSpending(days: DayRange, payer: TeamPayer): Promise<number> {
      const [row] = await read(selectTeamDays({ sql }, payer, days).select(teamSums));
      return row?.quota ?? 0;
    },

    /** Null where no call had marks of the gateway. */
    async promptMarks(
      { first, last }: DayRange,
      payer: PayerScope,
    ): Promise<{ requests: number; saved: number } | null> {
      const [sum] = await read(
        sql
          .selectFrom("rollup_day_marks")
          .where("day", ">=", first)
          .where("day", "<=", last)
          .where(isKeptFor(payer, "rollup_day_marks"))
          .select([sumColumn("requests").as("requests"), sumColumn("saved").as("saved")]),
      );
      const requests = Number(sum?.requests ?? 0);
      return requests === 0 ? null : { requests, saved: Number(sum?.saved) };
    },

    userDays: (days: DayRange, userId: number): Promise<InsightDayRow[]> =>
      read(
        sql
          .selectFrom("rollup_day_user")
          .selectAll()
          .where("user_id", "=", userId)
          .where(onDays(days))
          .orderBy("day"),
      ),

    async siteDays({ first, last }: DayRange): Promise<InsightDayRow[]> {
      const rows = sql
        .selectFrom("rollup_day_model")
        .where("day", ">=", first)
        .where("day", "<=", last);
      const found = await read(rows.select("day").select(sums).groupBy("day").orderBy("day"));
      return numbers(found) as unknown as InsightDayRow[];
    },

    async userSpending(days: DayRange, userId: number): Promise<number> {
      const rows = sql
        .selectFrom("rollup_day_user")
        .where("user_id", "=", userId)
        .where(onDays(days));
      const [row] = await read(rows.select(sumColumn("quota").as("quota")));
      return Number(row?.quota ?? 0);
    },

    /**
     * `busiestChannels` go by calls in the last week of the range, with the calls of the last 24
     * hours. A deleted channel keeps its number as its name.
     */
    async busiestChannels(range: DayRange, now: number) {
      const { first, end } = hoursOf(buildRankedSpan(range));
      const rows = await read(
        sql
          .selectFrom("rollup_hour_channel as used")
          .leftJoin("channels", "channels.id", "used.channel_id")
          .where("used.hour", ">=", first)
          .where("used.hour", "<", end)
          .where("used.channel_id", ">", 0)
          .groupBy(["used.channel_id", "channels.name"])
          .select(["used.channel_id as id", "channels.name"])
          .select([
            sumColumn("used.requests").as("requests"),
            sumColumn("used.failures").as("failures"),
          ])
          .select(sumColumn("used.quota").as("quota"))
          .orderBy("requests", "desc")
          .orderBy("id")
          .limit(channelsMax),
      );
      const channels = numbers(
        rows.map(({ name, ...row }) => ({ ...row, name: name ?? `#${row.id}` })),
      );
      const counted = await addRecentCalls({ sql, read }, "channel", channels, now);
      return counted.map(({ recent: hours, ...channel }) => ({ ...channel, hours }));
    },

    /** Calls by hour in the last four weeks of the range. */
    async siteHours(range: DayRange): Promise<HourCount[]> {
      const { first, end } = hoursOf(buildLastDays(range, weeksDays));
      const rows = sql
        .selectFrom("rollup_hour_model")
        .where("hour", ">=", first)
        .where("hour", "<", end);
      const sum = [
        sumColumn("requests").as("requests"),
        sumColumn("failures").as("failures"),
      ] as const;
      return numbers(await read(rows.select("hour").select(sum).groupBy("hour")));
    },
  };
}

/**
 * `sumColumn` sums as a double: a sum may exceed the numbers that JavaScript holds exactly, and
 * SQLite would refuse to return it.
 */
const sumColumn = (column: string): RawBuilder<number> =>
  raw<number>`sum(cast(${raw.ref(column)} as double precision))`;
