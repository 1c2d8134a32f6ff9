/** SQL of the dashboard: roll-ups only, never the log. */
import { type Expression, sql as raw } from "kysely";
import type { Database } from "../storage/database.ts";
import { measureColumns } from "../storage/rollups.ts";
import type { RollupMeasures } from "../storage/schema.ts";
import type { Days } from "./dashboard-rules.ts";

/** A site has more users and tokens than a chart can show: these many, by what they spent. */
const namedMax = 50;
const usersMax = 999;

type Row<Keys> = RollupMeasures & { day: number } & Keys;

/** `sum(column) as column` for every measure; PostgreSQL's sums of bigint are numeric, hence the cast. */
const sums = measureColumns.map((column) => raw<number>`cast(sum(${raw.ref(column)}) as bigint)`.as(column));

export type DashboardStore = ReturnType<typeof dashboardStore>;

export function dashboardStore({ sql, read }: Pick<Database, "sql" | "read">) {
  const numbers = <Keys>(rows: unknown[]) => rows as Row<Keys>[];
  const inDays = (day: Expression<number>, { first, last }: Days) => raw<boolean>`${day} between ${first} and ${last}`;
  /** Day by day: the tables lead with the day, so a range would read everybody's rows to find one user's. */
  const onDays = (day: Expression<number>, { first, last }: Days) => {
    const days = Array.from({ length: last - first + 1 }, (_, index) => raw.lit(first + index));
    return raw<boolean>`${day} in (${raw.join(days)})`;
  };
  /** Ranking everybody reads every row of its days, so for the whole site it covers the last week of the range. */
  const ranked = (day: Expression<number>, days: Days, userId: number | undefined) =>
    userId === undefined
      ? inDays(day, { first: Math.max(days.first, days.last - 6), last: days.last })
      : onDays(day, days);

  const models = async (days: Days, userId: number | undefined) => {
    if (userId === undefined)
      return numbers<{ model_name: string }>(
        await read(
          sql
            .selectFrom("rollup_day_model")
            .selectAll()
            .where(inDays(raw.ref("day"), days))
            .orderBy("day")
            .orderBy("model_name"),
        ),
      );
    return numbers<{ model_name: string }>(
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

  const users = async (days: Days, userId: number | undefined) => {
    const inRange = sql.selectFrom("rollup_day_user_model").where(ranked(raw.ref("day"), days, userId));
    const most = inRange
      .select("user_id")
      .groupBy("user_id")
      .orderBy(raw`sum(quota)`, "desc")
      .orderBy("user_id")
      .limit(namedMax);
    const shown =
      userId === undefined
        ? inRange.where("user_id", "in", sql.selectFrom(most.as("most")).select("user_id"))
        : inRange.where("user_id", "=", userId);
    const perDay = shown.select(["day", "user_id"]).select(sums).groupBy(["day", "user_id"]).as("used");
    return numbers<{ user_id: number; username: string; uuid: string }>(
      await read(
        sql
          .selectFrom(perDay)
          .innerJoin("users", "users.id", "used.user_id")
          .selectAll("used")
          .select(["users.username", "users.uuid"])
          .orderBy("used.day")
          .orderBy("used.user_id"),
      ),
    );
  };

  const tokens = async (days: Days, userId: number | undefined) => {
    const inRange = sql
      .selectFrom("rollup_day_token")
      .innerJoin("tokens", "tokens.id", "rollup_day_token.token_id")
      .where(ranked(raw.ref("rollup_day_token.day"), days, userId))
      .$if(userId !== undefined, (query) => query.where("tokens.user_id", "=", userId ?? 0));
    const most = inRange
      .select("rollup_day_token.token_id")
      .groupBy("rollup_day_token.token_id")
      .orderBy(raw`sum(rollup_day_token.quota)`, "desc")
      .orderBy("rollup_day_token.token_id")
      .limit(namedMax);
    return numbers<{ token_id: number; token_name: string; user_id: number; username: string; uuid: string }>(
      await read(
        inRange
          .innerJoin("users", "users.id", "tokens.user_id")
          .where("rollup_day_token.token_id", "in", sql.selectFrom(most.as("most")).select("token_id"))
          .selectAll("rollup_day_token")
          .select(["tokens.name as token_name", "tokens.user_id", "users.username", "users.uuid"])
          .orderBy("rollup_day_token.day")
          .orderBy("rollup_day_token.token_id"),
      ),
    );
  };

  return {
    models,
    users,
    tokens,

    /** Sums over everybody who has not been deleted. */
    async site() {
      const [row] = await read(
        sql
          .selectFrom("users")
          .innerJoin("wallets", "wallets.id", "users.wallet_id")
          .where("users.status", "<>", 3)
          .select(({ fn }) => [
            fn.countAll<number>().as("all"),
            fn.sum<number>("wallets.balance").as("balance"),
            fn.sum<number>("users.used_quota").as("used"),
          ])
          .select(raw<number>`sum(case when users.status = 1 then 1 else 0 end)`.as("active")),
      );
      return {
        all: Number(row?.all ?? 0),
        active: Number(row?.active ?? 0),
        total_quota: Number(row?.balance ?? 0),
        used_quota: Number(row?.used ?? 0),
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
