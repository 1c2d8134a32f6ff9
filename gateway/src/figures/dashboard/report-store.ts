/** SQL of the month's report. It reads roll-ups alone. */
import type { ReportKind, ReportRow } from "@tollgate/contract/reports.ts";
import { type RawBuilder, sql as raw } from "kysely";
import type { Database } from "../storage/database.ts";
import type { MonthSpan } from "./report-rules.ts";

const hoursOfDay = 24;
const measures = [
  "requests",
  "failures",
  "prompt_tokens",
  "cached_prompt_tokens",
  "completion_tokens",
  "quota",
] as const;

export type ReportSums = Record<(typeof measures)[number], number>;
export type ReportStore = ReturnType<typeof reportStore>;

/** Each value fits a JavaScript number, but a sum may not, and SQLite would refuse to return such an integer. */
const sums = measures.map((name) =>
  raw<number>`coalesce(sum(cast(${raw.ref(`used.${name}`)} as double precision)), 0)`.as(name),
);

/** A list of days: the tables lead with the day, so a range would read the rows of all users to find one user's. */
function onDays({ first, end }: MonthSpan): RawBuilder<boolean> {
  const days = Array.from({ length: end - first }, (_, index) => raw.lit(first + index));
  return raw<boolean>`used.day in (${raw.join(days)})`;
}

export function reportStore({ sql, read }: Pick<Database, "sql" | "read">) {
  const numbers = <Row extends object>(rows: Row[]) =>
    rows.map((row) => ({
      ...row,
      ...Object.fromEntries(measures.map((name) => [name, Number((row as Record<string, unknown>)[name])])),
    })) as (Row & ReportSums)[];

  /** What spent most comes first. */
  const queries = {
    user: (span: MonthSpan) =>
      sql
        .selectFrom("rollup_day_user as used")
        .leftJoin("users as named", "named.id", "used.user_id")
        .where(onDays(span))
        .groupBy(["used.user_id", "named.username"])
        .select(["used.user_id as id", "named.username as name", raw<string | null>`null`.as("owner")]),

    /** Deleted keys are one row. */
    key: (span: MonthSpan, userId: number | undefined) =>
      sql
        .selectFrom("rollup_day_token as used")
        .leftJoin("tokens as named", "named.id", "used.token_id")
        .leftJoin("users", "users.id", "named.user_id")
        .where(onDays(span))
        .$if(userId !== undefined, (rows) => rows.where("named.user_id", "=", userId ?? 0))
        .groupBy(["named.id", "named.name", "users.username"])
        .select(["named.id as id", "named.name as name", "users.username as owner"]),

    model: (span: MonthSpan, userId: number | undefined) =>
      userId === undefined
        ? sql
            .selectFrom("rollup_day_model as used")
            .where(onDays(span))
            .groupBy("used.model_name")
            .select([raw<number>`0`.as("id"), "used.model_name as name", raw<string | null>`null`.as("owner")])
        : sql
            .selectFrom("rollup_day_user_model as used")
            .where("used.user_id", "=", userId)
            .where(onDays(span))
            .groupBy("used.model_name")
            .select([raw<number>`0`.as("id"), "used.model_name as name", raw<string | null>`null`.as("owner")]),

    channel: ({ first, end }: MonthSpan) =>
      sql
        .selectFrom("rollup_hour_channel as used")
        .leftJoin("channels as named", "named.id", "used.channel_id")
        .where("used.hour", ">=", first * hoursOfDay)
        .where("used.hour", "<", end * hoursOfDay)
        .where("used.channel_id", ">", 0)
        .groupBy(["used.channel_id", "named.name"])
        .select(["used.channel_id as id", "named.name as name", raw<string | null>`null`.as("owner")]),
    tag: (span: MonthSpan, _userId: number | undefined, tagKey: string) =>
      sql
        .selectFrom("rollup_day_tag as used")
        .where(onDays(span))
        .where("used.tag_key", "=", tagKey)
        .groupBy("used.tag_value")
        .select([raw<number>`0`.as("id"), "used.tag_value as name", raw<string | null>`null`.as("owner")]),
  };

  return {
    /** Of one user, or of all. */
    async rows(
      { by, tagKey = "" }: { by: ReportKind; tagKey?: string | undefined },
      span: MonthSpan,
      userId: number | undefined,
      limit: number,
    ): Promise<ReportRow[]> {
      const found = queries[by](span, userId, tagKey) as ReturnType<(typeof queries)["user"]>;
      const rows = await read(found.select(sums).orderBy("quota", "desc").orderBy("name").limit(limit));
      return numbers(rows).map(({ id, name, owner, ...row }) => ({
        ...row,
        id: Number(id ?? 0),
        name: name ?? "",
        owner: owner ?? "",
      }));
    },

    async total(span: MonthSpan, userId: number | undefined): Promise<ReportSums> {
      const rows =
        userId === undefined
          ? await read(sql.selectFrom("rollup_day_model as used").where(onDays(span)).select(sums))
          : await read(
              sql
                .selectFrom("rollup_day_user as used")
                .where("used.user_id", "=", userId)
                .where(onDays(span))
                .select(sums),
            );
      const [total] = numbers(rows);
      if (!total) throw new Error("a sum without a group has one row");
      return total;
    },
  };
}

/**
 * With what the rows do not account for: one user's keys that are gone, whose roll-up does not say whose they were, or calls without
 * the tag.
 */
export function withRest(rows: readonly ReportRow[], total: ReportSums): ReportRow[] {
  const rest = Object.fromEntries(
    measures.map((name) => [name, total[name] - rows.reduce((sum, row) => sum + row[name], 0)]),
  ) as ReportSums;
  return rest.requests > 0 ? [...rows, { ...rest, id: 0, name: "", owner: "" }] : [...rows];
}
