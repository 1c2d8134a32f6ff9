/**
 * SQL of the dashboard. It reads roll-ups, and the log only where a roll-up is too coarse: for a
 * part of a day.
 */
import { chargedLogTypes } from "@tollgate/contract/figures/logs.ts";
import { type Expression, sql as raw } from "kysely";
import type { Database } from "../../storage/database.ts";
import type { TimeSpan } from "../../storage/log-time.ts";
import { isPaidBy, isSinceMove, isWholeSite, type PayerScope } from "../../storage/payer-scope.ts";
import type { RollupMeasures } from "../../storage/tables/call-tables.ts";
import { buildIdRange, hourMs } from "../logs/log-filter.ts";
import type { DayRange } from "./dashboard-rules.ts";
import { isTeamPayer, selectTeamDays, type TeamPayer, teamSums } from "./team-days.ts";
import { listTopTokens, namedMax } from "./top-tokens.ts";

const usersMax = 999;
/** Log rows that one request adds up; more would delay the lists that share the reader. */
const summedRowsMax = 100_000;

type UsageSums = { requests: number; quota: number; tokens: number };

/**
 * Each value fits a JavaScript number, but a sum may not, and SQLite would refuse to return such an
 * integer.
 */
const sumColumn = (column: string) =>
  raw<number | null>`sum(cast(${raw.ref(column)} as double precision))`;

type DashboardUsageRow<Keys> = RollupMeasures & { day: number } & Keys;

export type DashboardStore = ReturnType<typeof createDashboardStore>;

export function createDashboardStore({ sql, read }: Pick<Database, "sql" | "read">) {
  const usageRows = <Keys>(rows: unknown[]) => rows as DashboardUsageRow<Keys>[];
  const inDays = (day: Expression<number>, { first, last }: DayRange) =>
    raw<boolean>`${day} between ${first} and ${last}`;
  /**
   * A list of days: the tables lead with the day, so a range would read the rows of all users to
   * find one user's.
   */
  const onDays = (day: Expression<number>, { first, last }: DayRange) => {
    const days = Array.from({ length: last - first + 1 }, (_, index) => raw.lit(first + index));
    return raw<boolean>`${day} in (${raw.join(days)})`;
  };
  /**
   * Ranking all users reads every row of its days, so it covers only the last week of the range.
   */
  const rankedDays = ({ first, last }: DayRange): DayRange => ({
    first: Math.max(first, last - 6),
    last,
  });

  const models = async (days: DayRange, payer: PayerScope) => {
    const { userId } = payer;
    if (isTeamPayer(payer))
      return usageRows<{ model_name: string }>(
        await read(
          selectTeamDays({ sql }, payer, days)
            .select(["used.day", "used.model_name"])
            .select(teamSums)
            .groupBy(["used.day", "used.model_name"])
            .orderBy("used.day")
            .orderBy("used.model_name"),
        ),
      );
    if (userId === undefined)
      return usageRows<{ model_name: string }>(
        await read(
          sql
            .selectFrom("rollup_day_model")
            .selectAll()
            .where(inDays(raw.ref("day"), days))
            .orderBy("day")
            .orderBy("model_name"),
        ),
      );
    return usageRows<{ model_name: string }>(
      await read(
        sql
          .selectFrom("rollup_day_user_model")
          .selectAll()
          .where("user_id", "=", userId)
          .where(onDays(raw.ref("day"), days))
          .orderBy("day")
          .orderBy("model_name"),
      ),
    );
  };

  /** `members` are the people who spent most in a team; services are no people. */
  const members = async (days: DayRange, payer: TeamPayer) => {
    const top = selectTeamDays({ sql }, payer, days)
      .where("used.user_id", ">", 0)
      .select("used.user_id")
      .groupBy("used.user_id")
      .orderBy(raw`sum(used.quota)`, "desc")
      .orderBy("used.user_id")
      .limit(namedMax);
    const ids = (await read(top)).map(({ user_id }) => user_id);
    if (ids.length === 0) return [];
    return usageRows<{ user_id: number; username: string; uuid: string }>(
      await read(
        selectTeamDays({ sql }, payer, days)
          .innerJoin("users", "users.id", "used.user_id")
          .where("used.user_id", "in", ids)
          .select(["used.day", "used.user_id", "users.username", "users.uuid"])
          .select(teamSums)
          .groupBy(["used.day", "used.user_id", "users.username", "users.uuid"])
          .orderBy("used.day")
          .orderBy("used.user_id"),
      ),
    );
  };

  /**
   * First the top spenders, then their rows: one statement for both would read the rows of all
   * users twice.
   */
  const users = async (requested: DayRange, payer: PayerScope) => {
    if (isTeamPayer(payer)) return members(requested, payer);
    const { userId } = payer;
    const days = userId === undefined ? rankedDays(requested) : requested;
    const topSpenders = sql
      .selectFrom("rollup_day_user")
      .where(inDays(raw.ref("day"), days))
      .select("user_id as id")
      .groupBy("user_id")
      .orderBy(raw`sum(quota)`, "desc")
      .orderBy("user_id")
      .limit(namedMax);
    const ids = userId === undefined ? (await read(topSpenders)).map(({ id }) => id) : [userId];
    if (ids.length === 0) return [];
    return usageRows<{ user_id: number; username: string; uuid: string }>(
      await read(
        sql
          .selectFrom("rollup_day_user as used")
          .innerJoin("users", "users.id", "used.user_id")
          .where(onDays(raw.ref("used.day"), days))
          .where("used.user_id", "in", ids)
          .selectAll("used")
          .select(["users.username", "users.uuid"])
          .orderBy("used.day")
          .orderBy("used.user_id"),
      ),
    );
  };

  const tokens = async (requested: DayRange, payer: PayerScope) => {
    const days = isWholeSite(payer) ? rankedDays(requested) : requested;
    const ids = await listTopTokens({ sql, read }, days, payer);
    if (ids.length === 0) return [];
    return usageRows<{
      token_id: number;
      token_name: string;
      user_id: number;
      username: string;
      uuid: string;
    }>(
      await read(
        sql
          .selectFrom("rollup_day_token as used")
          .innerJoin("tokens", "tokens.id", "used.token_id")
          // The key of a service of a team belongs to nobody.
          .leftJoin("users", "users.id", "tokens.user_id")
          .where(onDays(raw.ref("used.day"), days))
          .where("used.token_id", "in", ids)
          .where("tokens.id", "in", ids)
          .$if(!isWholeSite(payer), (used) => used.where(isSinceMove("used.token_id", "used.day")))
          .selectAll("used")
          .select(["tokens.name as token_name", "tokens.user_id"])
          .select(raw<string>`coalesce(users.username, '')`.as("username"))
          .select(raw<string>`coalesce(users.uuid, '')`.as("uuid"))
          .orderBy("used.day")
          .orderBy("used.token_id"),
      ),
    );
  };

  /** Undefined above `summedRowsMax` rows. */
  const sumRows = async (span: TimeSpan, payer: PayerScope): Promise<UsageSums | undefined> => {
    const { first, end } = buildIdRange(span);
    let rows = sql
      .selectFrom("logs")
      .where("id", ">=", first)
      .where("id", "<", end)
      .where("type", "in", chargedLogTypes)
      .select(["quota", raw<number>`prompt_tokens + completion_tokens`.as("tokens")])
      .limit(summedRowsMax + 1);
    if (!isWholeSite(payer)) rows = rows.where(isPaidBy(payer));
    const [row] = await read(
      sql
        .selectFrom(rows.as("calls"))
        .select(({ fn }) => fn.countAll<number>().as("requests"))
        .select([sumColumn("quota").as("quota"), sumColumn("tokens").as("tokens")]),
    );
    const sums = {
      requests: Number(row?.requests ?? 0),
      quota: row?.quota ?? 0,
      tokens: row?.tokens ?? 0,
    };
    return sums.requests > summedRowsMax ? undefined : sums;
  };

  const sumHours = async (first: number, end: number): Promise<UsageSums> => {
    const [row] = await read(
      sql
        .selectFrom("rollup_hour_model")
        .where("hour", ">=", first)
        .where("hour", "<", end)
        .select([
          sumColumn("requests").as("requests"),
          sumColumn("quota").as("quota"),
          raw<number | null>`sum(cast(prompt_tokens + completion_tokens as double precision))`.as(
            "tokens",
          ),
        ]),
    );
    return { requests: row?.requests ?? 0, quota: row?.quota ?? 0, tokens: row?.tokens ?? 0 };
  };

  /**
   * Calls of a span that begins with an hour: whole hours of the site from the roll-up, the rest
   * from the log. Null where that would read too many rows.
   */
  const sums = async (span: TimeSpan, payer: PayerScope): Promise<UsageSums | null> => {
    const wholeUntil = isWholeSite(payer) ? span.to - (span.to % hourMs) : span.from;
    const [hours, rest] = await Promise.all([
      sumHours(span.from / hourMs, wholeUntil / hourMs),
      sumRows({ from: wholeUntil, to: span.to }, payer),
    ]);
    if (rest === undefined) return null;
    return {
      requests: hours.requests + rest.requests,
      quota: hours.quota + rest.quota,
      tokens: hours.tokens + rest.tokens,
    };
  };

  return {
    models,
    users,
    tokens,
    sums,

    /** `usedByTeam` is the usage of a team's keys since they were made. */
    async usedByTeam(teamId: number): Promise<number> {
      const rows = sql
        .selectFrom("tokens")
        .where("team_id", "=", teamId)
        .select(sumColumn("used_quota").as("used"));
      const [row] = await read(rows);
      return Math.min(row?.used ?? 0, Number.MAX_SAFE_INTEGER);
    },

    /** Sums over all users that are not deleted, capped at the largest exact JavaScript integer. */
    async site() {
      const [row] = await read(
        sql
          .selectFrom("users")
          .innerJoin("wallets", "wallets.id", "users.wallet_id")
          .where("users.status", "<>", 3)
          .select(({ fn }) => fn.countAll<number>().as("all"))
          .select([
            sumColumn("wallets.balance").as("balance"),
            sumColumn("users.used_quota").as("used"),
          ])
          .select(raw<number>`sum(case when users.status = 1 then 1 else 0 end)`.as("active")),
      );
      return {
        all: Number(row?.all ?? 0),
        active: Number(row?.active ?? 0),
        total_quota: Math.min(row?.balance ?? 0, Number.MAX_SAFE_INTEGER),
        used_quota: Math.min(row?.used ?? 0, Number.MAX_SAFE_INTEGER),
      };
    },

    people: () =>
      read(
        sql
          .selectFrom("users")
          .select(["id", "uuid", "username", "display_name"])
          .where("status", "<>", 3)
          .orderBy("username")
          .limit(usersMax),
      ),
  };
}
