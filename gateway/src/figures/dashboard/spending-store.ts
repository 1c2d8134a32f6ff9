/**
 * SQL of spending in steps of time. It reads roll-ups, and the log for the hours of one account
 * alone.
 */
import { chargedLogTypes } from "@tollgate/contract/figures/logs.ts";
import type { SpendingGroup, SpendingUnit } from "@tollgate/contract/figures/spending.ts";
import { type RawBuilder, sql as raw } from "kysely";
import type { Database } from "../../storage/database.ts";
import { isPaidBy, isSinceMove, isWholeSite, type PayerScope } from "../../storage/payer-scope.ts";
import { EPOCH_MS, idsPerMs } from "../../storage/time-ids.ts";
import { buildIdRange, dayMs, hourMs } from "../logs/log-filter.ts";
import type { DayRange } from "./dashboard-rules.ts";
import {
  limitGroupedDays,
  type SpendingName,
  type SpendingRow,
  type SpendingRows,
} from "./spending-rules.ts";
import { isTeamPayer, selectTeamDays, type TeamPayer, teamSums } from "./team-days.ts";
import { listTopTokens, namedMax } from "./top-tokens.ts";

/**
 * `hourRowsMax` is decided: more rows of one account would delay the lists that share the reader.
 */
const hourRowsMax = 20_000;
const hoursOfDay = 24;

export type SpendingStore = ReturnType<typeof createSpendingStore>;

type GroupedRow = {
  at: number;
  id: string | number;
  quota: number;
  requests: number;
  tokens: number;
};

export function createSpendingStore({ sql, read }: Pick<Database, "sql" | "read">) {
  const sums = [
    sumColumn("quota").as("quota"),
    sumColumn("requests").as("requests"),
    raw<number>`sum(cast(prompt_tokens + completion_tokens as double precision))`.as("tokens"),
  ] as const;
  /**
   * `onDays` lists the days: the tables lead with the day, so a range would read the rows of all
   * users.
   */
  const onDays = ({ first, last }: DayRange) => {
    const days = Array.from({ length: last - first + 1 }, (_, index) => raw.lit(first + index));
    return raw<boolean>`day in (${raw.join(days)})`;
  };
  const toHours = ({ first, last }: DayRange) => ({
    from: first * hoursOfDay,
    end: (last + 1) * hoursOfDay,
  });

  const listSiteModels = async (days: DayRange, unit: SpendingUnit): Promise<SpendingRow[]> => {
    if (unit === "hour") {
      const { from, end } = toHours(days);
      const rows = sql
        .selectFrom("rollup_hour_model")
        .where("hour", ">=", from)
        .where("hour", "<", end);
      return normalizeRows(
        await read(
          rows.select(["hour as at", "model_name as id", ...sums]).groupBy(["hour", "model_name"]),
        ),
      );
    }
    const rows = sql
      .selectFrom("rollup_day_model")
      .where("day", ">=", days.first)
      .where("day", "<=", days.last);
    return normalizeRows(
      await read(
        rows.select(["day as at", "model_name as id", ...sums]).groupBy(["day", "model_name"]),
      ),
    );
  };

  const teamTokens = raw<number>`sum(cast(used.prompt_tokens + used.completion_tokens as double precision))`;
  const listTeamRows = async (days: DayRange, payer: TeamPayer, group: "model_name" | "user_id") =>
    normalizeRows(
      await read(
        selectTeamDays({ sql }, payer, days)
          .select(["used.day as at", `used.${group} as id`])
          .select(teamSums)
          .select(teamTokens.as("tokens"))
          .groupBy(["used.day", `used.${group}`]),
      ),
    );

  const listPayerModels = async (days: DayRange, payer: PayerScope): Promise<SpendingRow[]> => {
    if (isTeamPayer(payer)) return listTeamRows(days, payer, "model_name");
    const userId = payer.userId ?? 0;
    const rows = sql
      .selectFrom("rollup_day_user_model")
      .where("user_id", "=", userId)
      .where(onDays(days));
    return normalizeRows(
      await read(
        rows.select(["day as at", "model_name as id", ...sums]).groupBy(["day", "model_name"]),
      ),
    );
  };

  const listChannels = async (days: DayRange, unit: SpendingUnit): Promise<SpendingRow[]> => {
    const { from, end } = toHours(days);
    const at = unit === "hour" ? raw<number>`hour` : raw<number>`hour / ${raw.lit(hoursOfDay)}`;
    const rows = sql
      .selectFrom("rollup_hour_channel")
      .where("hour", ">=", from)
      .where("hour", "<", end);
    return normalizeRows(
      await read(
        rows
          .where("channel_id", ">", 0)
          .select([at.as("at"), "channel_id as id", ...sums])
          .groupBy([at, "channel_id"]),
      ),
    );
  };

  const listKeys = async (days: DayRange, ranked: DayRange, payer: PayerScope) => {
    const ids = await listTopTokens({ sql, read }, ranked, payer);
    if (ids.length === 0) return [];
    const rows = sql
      .selectFrom("rollup_day_token")
      .where("token_id", "in", ids)
      .$if(!isWholeSite(payer), (used) => used.where(isSinceMove("token_id", "day")))
      .where(onDays(days));
    return normalizeRows(
      await read(
        rows.select(["day as at", "token_id as id", ...sums]).groupBy(["day", "token_id"]),
      ),
    );
  };

  const listUsers = async (days: DayRange, ranked: DayRange): Promise<SpendingRow[]> => {
    const top = sql
      .selectFrom("rollup_day_user")
      .where("day", ">=", ranked.first)
      .where("day", "<=", ranked.last)
      // Calls without a user have no name: they are part of what is left.
      .where("user_id", ">", 0)
      .select("user_id as id")
      .groupBy("user_id")
      .orderBy(raw`sum(quota)`, "desc")
      .orderBy("user_id")
      .limit(namedMax);
    const ids = (await read(top)).map(({ id }) => id);
    if (ids.length === 0) return [];
    const rows = sql.selectFrom("rollup_day_user").where("user_id", "in", ids).where(onDays(days));
    return normalizeRows(
      await read(rows.select(["day as at", "user_id as id", ...sums]).groupBy(["day", "user_id"])),
    );
  };

  /**
   * `listSiteRows` has hours of models and channels alone: users and keys have no roll-up by hour.
   */
  async function listSiteRows(
    by: SpendingGroup,
    requested: DayRange,
    ranked: DayRange,
    unit: SpendingUnit,
  ): Promise<SpendingRows> {
    if (by === "model") return { rows: await listSiteModels(requested, unit) };
    const days = limitGroupedDays(requested);
    const [rows, totals] = await Promise.all([
      by === "channel"
        ? listChannels(days, unit)
        : by === "user"
          ? listUsers(days, ranked)
          : listKeys(days, ranked, {}),
      listSiteModels(requested, unit),
    ]);
    return { rows, totals };
  }

  async function listPayerDays(
    by: SpendingGroup,
    days: DayRange,
    ranked: DayRange,
    payer: PayerScope,
  ): Promise<SpendingRows> {
    if (by === "model") return { rows: await listPayerModels(days, payer) };
    const [rows, totals] = await Promise.all([
      by === "user" && isTeamPayer(payer)
        ? listTeamRows(limitGroupedDays(days), payer, "user_id")
        : listKeys(limitGroupedDays(days), limitGroupedDays(ranked), payer),
      listPayerModels(days, payer),
    ]);
    return { rows, totals };
  }

  const countRequests = async (days: DayRange, payer: PayerScope): Promise<number> => {
    const ofUser = sql
      .selectFrom("rollup_day_user")
      .where("user_id", "=", payer.userId ?? 0)
      .where(onDays(days));
    const [row] = isTeamPayer(payer)
      ? await read(selectTeamDays({ sql }, payer, days).select(teamSums))
      : await read(ofUser.select(sumColumn("requests").as("requests")));
    return Number(row?.requests ?? 0);
  };

  /**
   * `listPayerHours` adds up rows of the log. Undefined where they are too many, and where the
   * roll-up counts more: then rows were deleted, and their hours would look idle.
   */
  async function listPayerHours(
    by: SpendingGroup,
    days: DayRange,
    payer: PayerScope,
  ): Promise<SpendingRows | undefined> {
    const { first, end } = buildIdRange({ from: days.first * dayMs, to: (days.last + 1) * dayMs });
    const calls = sql
      .selectFrom("logs")
      .where(isPaidBy(payer))
      .where("id", ">=", first)
      .where("id", "<", end)
      .where("type", "in", chargedLogTypes)
      .select([
        "id",
        "model_name",
        "token_id",
        "user_id",
        "quota",
        "prompt_tokens",
        "completion_tokens",
      ])
      .select(raw<number>`1`.as("requests"))
      .limit(hourRowsMax + 1);
    const at = raw<number>`calls.id / ${raw.lit(idsPerMs * hourMs)}`;
    const group = (
      { key: "token_id", user: "user_id", model: "model_name", channel: "model_name" } as const
    )[by];
    const [found, counted] = await Promise.all([
      read(
        sql
          .selectFrom(calls.as("calls"))
          .select([at.as("at"), `calls.${group} as id`, ...sums])
          .groupBy([at, `calls.${group}`]),
      ),
      countRequests(days, payer),
    ]);
    const rows = normalizeRows(found).map((row) => ({ ...row, at: row.at + EPOCH_MS / hourMs }));
    const requests = rows.reduce((sum, row) => sum + row.requests, 0);
    if (requests > hourRowsMax || requests < counted) return undefined;
    return { rows };
  }

  /**
   * `listNames` names ids; what is deleted has none, and neither have the services of a team, which
   * are user 0.
   */
  async function listNames(
    by: SpendingGroup,
    ids: readonly string[],
  ): Promise<Map<string, SpendingName>> {
    if (by === "model" || ids.length === 0) return new Map();
    const numbers = [...new Set(ids)].map(Number);
    const byGroup = {
      channel: () =>
        read(sql.selectFrom("channels").where("id", "in", numbers).select(["id", "name"])).then(
          (rows) => rows.map((row) => ({ ...row, owner: "" })),
        ),
      user: () =>
        read(
          sql.selectFrom("users").where("id", "in", numbers).select(["id", "username as name"]),
        ).then((rows) => rows.map((row) => ({ ...row, owner: "" }))),
      key: () =>
        read(
          sql
            .selectFrom("tokens")
            .leftJoin("users", "users.id", "tokens.user_id")
            .where("tokens.id", "in", numbers)
            .select([
              "tokens.id",
              "tokens.name",
              raw<string>`coalesce(users.username, '')`.as("owner"),
            ]),
        ),
    };
    const named = new Map(
      numbers.map((id) => [String(id), { name: id === 0 ? "" : `#${id}`, owner: "" }]),
    );
    for (const { id, name, owner } of await byGroup[by]()) named.set(String(id), { name, owner });
    return named;
  }

  return { listSiteRows, listPayerDays, listPayerHours, listNames };
}

const normalizeRows = (rows: readonly GroupedRow[]): SpendingRow[] =>
  rows.map(({ at, id, quota, requests, tokens }) => ({
    at: Number(at),
    id: String(id),
    quota: Number(quota),
    requests: Number(requests),
    tokens: Number(tokens),
  }));

/**
 * `sumColumn` sums as a double: SQLite would refuse to return an integer that no JavaScript number
 * holds.
 */
const sumColumn = (column: string): RawBuilder<number> =>
  raw<number>`sum(cast(${raw.ref(column)} as double precision))`;
