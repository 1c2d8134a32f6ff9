/** SQL of the month's report. It reads roll-ups alone. */
import type { ReportKind, ReportRow } from "@tollgate/contract/figures/reports.ts";
import { type RawBuilder, sql as raw } from "kysely";
import type { Database } from "../../storage/database.ts";
import { isPaidBy, isSinceMove, isWholeSite, type PayerScope } from "../../storage/payer-scope.ts";
import type { MonthSpan } from "./report-rules.ts";
import { isTeamPayer, selectTeamDays, type TeamPayer } from "./team-days.ts";

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

/**
 * Each value fits a JavaScript number, but a sum may not, and SQLite would refuse to return such an
 * integer.
 */
const sums = measures.map((name) =>
  raw<number>`coalesce(sum(cast(${raw.ref(`used.${name}`)} as double precision)), 0)`.as(name),
);

/**
 * A list of days: the tables lead with the day, so a range would read the rows of all users to find
 * one user's.
 */
function selectDays({ first, end }: MonthSpan): RawBuilder<boolean> {
  const days = Array.from({ length: end - first }, (_, index) => raw.lit(first + index));
  return raw<boolean>`used.day in (${raw.join(days)})`;
}

export function reportStore({ sql, read }: Pick<Database, "sql" | "read">) {
  const numbers = <Row extends object>(rows: Row[]) =>
    rows.map((row) => ({
      ...row,
      ...Object.fromEntries(
        measures.map((name) => [name, Number((row as Record<string, unknown>)[name])]),
      ),
    })) as (Row & ReportSums)[];

  const ofTeam = ({ first, end }: MonthSpan, payer: TeamPayer) =>
    selectTeamDays({ sql }, payer, { first, last: end - 1 });

  /** `queries` are what spent most comes first. */
  const queries = {
    user: (span: MonthSpan, payer: PayerScope) =>
      isTeamPayer(payer)
        ? ofTeam(span, payer)
            .leftJoin("users as named", "named.id", "used.user_id")
            .groupBy(["used.user_id", "named.username"])
            .select([
              "used.user_id as id",
              "named.username as name",
              raw<string | null>`null`.as("owner"),
            ])
        : sql
            .selectFrom("rollup_day_user as used")
            .leftJoin("users as named", "named.id", "used.user_id")
            .where(selectDays(span))
            .groupBy(["used.user_id", "named.username"])
            .select([
              "used.user_id as id",
              "named.username as name",
              raw<string | null>`null`.as("owner"),
            ]),

    /** Deleted keys are one row. */
    key: (span: MonthSpan, payer: PayerScope) =>
      sql
        .selectFrom("rollup_day_token as used")
        .leftJoin("tokens as named", "named.id", "used.token_id")
        .leftJoin("users", "users.id", "named.user_id")
        .where(selectDays(span))
        .$if(!isWholeSite(payer), (rows) =>
          rows.where(isPaidBy(payer, "named")).where(isSinceMove("used.token_id", "used.day")),
        )
        .groupBy(["named.id", "named.name", "users.username"])
        .select(["named.id as id", "named.name as name", "users.username as owner"]),

    model: (span: MonthSpan, payer: PayerScope) =>
      isTeamPayer(payer)
        ? ofTeam(span, payer)
            .groupBy("used.model_name")
            .select([
              raw<number>`0`.as("id"),
              "used.model_name as name",
              raw<string | null>`null`.as("owner"),
            ])
        : payer.userId === undefined
          ? sql
              .selectFrom("rollup_day_model as used")
              .where(selectDays(span))
              .groupBy("used.model_name")
              .select([
                raw<number>`0`.as("id"),
                "used.model_name as name",
                raw<string | null>`null`.as("owner"),
              ])
          : sql
              .selectFrom("rollup_day_user_model as used")
              .where("used.user_id", "=", payer.userId)
              .where(selectDays(span))
              .groupBy("used.model_name")
              .select([
                raw<number>`0`.as("id"),
                "used.model_name as name",
                raw<string | null>`null`.as("owner"),
              ]),

    channel: ({ first, end }: MonthSpan) =>
      sql
        .selectFrom("rollup_hour_channel as used")
        .leftJoin("channels as named", "named.id", "used.channel_id")
        .where("used.hour", ">=", first * hoursOfDay)
        .where("used.hour", "<", end * hoursOfDay)
        .where("used.channel_id", ">", 0)
        .groupBy(["used.channel_id", "named.name"])
        .select([
          "used.channel_id as id",
          "named.name as name",
          raw<string | null>`null`.as("owner"),
        ]),
    tag: (span: MonthSpan, _payer: PayerScope, tagKey: string) =>
      sql
        .selectFrom("rollup_day_tag as used")
        .where(selectDays(span))
        .where("used.tag_key", "=", tagKey)
        .groupBy("used.tag_value")
        .select([
          raw<number>`0`.as("id"),
          "used.tag_value as name",
          raw<string | null>`null`.as("owner"),
        ]),
  };

  return {
    /** `rows` are those of one payer, or of the site. */
    async rows(
      { by, tagKey = "" }: { by: ReportKind; tagKey?: string | undefined },
      span: MonthSpan,
      payer: PayerScope,
      limit: number,
    ): Promise<ReportRow[]> {
      const found = queries[by](span, payer, tagKey) as ReturnType<(typeof queries)["user"]>;
      const rows = await read(
        found.select(sums).orderBy("quota", "desc").orderBy("name").limit(limit),
      );
      return numbers(rows).map(({ id, name, owner, ...row }) => ({
        ...row,
        id: Number(id ?? 0),
        name: name ?? "",
        owner: owner ?? "",
      }));
    },

    async total(span: MonthSpan, payer: PayerScope): Promise<ReportSums> {
      const { userId } = payer;
      const rows = isTeamPayer(payer)
        ? await read(ofTeam(span, payer).select(sums))
        : userId === undefined
          ? await read(
              sql.selectFrom("rollup_day_model as used").where(selectDays(span)).select(sums),
            )
          : await read(
              sql
                .selectFrom("rollup_day_user as used")
                .where("used.user_id", "=", userId)
                .where(selectDays(span))
                .select(sums),
            );
      const [total] = numbers(rows);
      if (!total) throw new Error("a sum without a group has one row");
      return total;
    },
  };
}

/**
 * `addRest` adds the part that the rows do not account for: one user's keys that are gone, whose
 * roll-up does not say whose they were, or calls without the tag.
 */
export function addRest(rows: readonly ReportRow[], total: ReportSums): ReportRow[] {
  const rest = Object.fromEntries(
    measures.map((name) => [name, total[name] - rows.reduce((sum, row) => sum + row[name], 0)]),
  ) as ReportSums;
  return rest.requests > 0 ? [...rows, { ...rest, id: 0, name: "", owner: "" }] : [...rows];
}
