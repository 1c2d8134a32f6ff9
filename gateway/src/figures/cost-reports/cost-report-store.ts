/** SQL on report keys, on the days that were read with them, and on what the log says of a day. */

import { sql as raw } from "kysely";
import { type PricedUsage, pricedColumns } from "../../money/audit/explain-log.ts";
import type { Database, Write } from "../../storage/database.ts";
import { computeHour } from "../../storage/rollups.ts";
import type { LogRow } from "../../storage/tables/call-tables.ts";
import type { ChannelsTable } from "../../storage/tables/channel-tables.ts";
import type {
  CostReportDayRow,
  CostReportLineRow,
  CostReportRow,
} from "../../storage/tables/cost-report-tables.ts";
import { computeIdFloor } from "../../storage/time-ids.ts";
import type { CostLine } from "./compare-costs.ts";

/** A report with the channel that it belongs to. */
export type ChannelReport = CostReportRow & { channel_id: number; channel_name: string } & Pick<
    ChannelsTable,
    "type" | "base_url" | "config" | "proxy_sealed"
  >;

/** The columns of a log row from which its cost by our books follows. */
export type PricedLogRow = Pick<LogRow, "id" | "model_name" | "quota" | "cost_nanos"> & PricedUsage;

const dayMs = 86_400_000;
/** Rows that are judged at once, without a pause for other work. */
const logPageSize = 1_000;
/** Below the parameters that a statement may have. */
const linesPerStatement = 500;

export type CostReportStore = ReturnType<typeof createCostReportStore>;

export function createCostReportStore({ sql, read }: Pick<Database, "sql" | "read">) {
  const reports = () =>
    sql
      .selectFrom("cost_reports")
      .innerJoin("channels", "channels.uuid", "cost_reports.channel_uuid")
      .selectAll("cost_reports")
      .select(["channels.id as channel_id", "channels.name as channel_name"])
      .select(["channels.type", "channels.base_url", "channels.config", "channels.proxy_sealed"])
      .orderBy("channels.id");

  const removeDays = (uuids: readonly string[]): Write[] => [
    { query: sql.deleteFrom("cost_report_days").where("channel_uuid", "in", uuids) },
    { query: sql.deleteFrom("cost_report_lines").where("channel_uuid", "in", uuids) },
  ];

  /** Misses when the settings changed after they were read, or were removed. */
  const update = (
    { channel_uuid, updated_at }: CostReportRow,
    change: Partial<CostReportRow>,
  ): Write => ({
    query: sql
      .updateTable("cost_reports")
      .set(change)
      .where("channel_uuid", "=", channel_uuid)
      .where("updated_at", "=", updated_at),
    rows: 1,
    missed: "changed_meanwhile",
  });

  return {
    all: (): Promise<ChannelReport[]> => read(reports()),

    due: (now: number): Promise<ChannelReport[]> =>
      read(reports().where("cost_reports.due_at", "<=", now)),

    async find(uuid: string): Promise<ChannelReport | undefined> {
      const [report] = await read(reports().where("cost_reports.channel_uuid", "=", uuid));
      return report;
    },

    insert: (row: CostReportRow): Write => ({
      query: sql.insertInto("cost_reports").values(row),
      rows: 1,
      conflict: "changed_meanwhile",
    }),

    update,
    removeDays,

    remove: (uuids: readonly string[]): Write[] => [
      { query: sql.deleteFrom("cost_reports").where("channel_uuid", "in", uuids) },
      ...removeDays(uuids),
    ],

    /** `claim` gives the attempt to one of several nodes: the one that moves the date makes it. */
    claim: ({ channel_uuid, attempted_at }: CostReportRow, now: number, due_at: number): Write => ({
      query: sql
        .updateTable("cost_reports")
        .set({ attempted_at: now, due_at })
        .where("channel_uuid", "=", channel_uuid)
        .where("attempted_at", "=", attempted_at),
      rows: 1,
      missed: "cost_report_just_read",
    }),

    days: (uuid: string, first: number, last: number): Promise<CostReportDayRow[]> =>
      read(
        sql
          .selectFrom("cost_report_days")
          .selectAll()
          .where("channel_uuid", "=", uuid)
          .where("day", ">=", first)
          .where("day", "<=", last),
      ),

    lines: (uuid: string, first: number, last: number): Promise<CostReportLineRow[]> =>
      read(
        sql
          .selectFrom("cost_report_lines")
          .selectAll()
          .where("channel_uuid", "=", uuid)
          .where("day", ">=", first)
          .where("day", "<=", last),
      ),

    /** Replaces what is known of a day. */
    replaceDay(
      row: CostReportDayRow,
      sides: Readonly<Record<CostReportLineRow["side"], readonly CostLine[]>>,
    ): Write[] {
      const { channel_uuid, day } = row;
      const lines = (["charged", "reported"] as const).flatMap((side) =>
        sides[side].map(
          ({ model, ...line }): CostReportLineRow => ({
            channel_uuid,
            side,
            model_name: model,
            ...line,
          }),
        ),
      );
      const inserts: Write[] = [];
      for (let first = 0; first < lines.length; first += linesPerStatement) {
        const some = lines.slice(first, first + linesPerStatement);
        inserts.push({
          query: sql.insertInto("cost_report_lines").values(some),
          rows: some.length,
        });
      }
      return [
        {
          query: sql
            .deleteFrom("cost_report_days")
            .where("channel_uuid", "=", channel_uuid)
            .where("day", "=", day),
        },
        {
          query: sql
            .deleteFrom("cost_report_lines")
            .where("channel_uuid", "=", channel_uuid)
            .where("day", "=", day),
        },
        { query: sql.insertInto("cost_report_days").values(row), rows: 1 },
        ...inserts,
      ];
    },

    /** Days older than what is kept. */
    removeDaysBefore: (day: number): Write[] => [
      { query: sql.deleteFrom("cost_report_days").where("day", "<", day) },
      { query: sql.deleteFrom("cost_report_lines").where("day", "<", day) },
    ],

    /**
     * The calls of a UTC day on some channels, in pages: `after` is the id of the last row before.
     */
    callsOfDay: (
      channelIds: readonly number[],
      day: number,
      after: number,
    ): Promise<PricedLogRow[]> =>
      read(
        sql
          .selectFrom("logs")
          .select(["id", "model_name", "quota", "cost_nanos", ...pricedColumns])
          .where("type", "=", 2)
          .where("channel_id", "in", channelIds)
          .where("id", ">", Math.max(after, computeIdFloor(day * dayMs) - 1))
          .where("id", "<", computeIdFloor((day + 1) * dayMs))
          .orderBy("id")
          .limit(logPageSize),
      ),

    /**
     * `countedQuota` gives what the roll-ups say that the calls of a UTC day cost on some channels,
     * in units.
     */
    async countedQuota(channelIds: readonly number[], day: number): Promise<number> {
      const [sum] = await read(
        sql
          .selectFrom("rollup_hour_channel")
          .select(({ fn }) => fn.coalesce(fn.sum<number>("quota"), raw<number>`0`).as("quota"))
          .where("channel_id", "in", channelIds)
          .where("hour", ">=", computeHour(day * dayMs))
          .where("hour", "<", computeHour((day + 1) * dayMs)),
      );
      return Number(sum?.quota ?? 0);
    },
  };
}
