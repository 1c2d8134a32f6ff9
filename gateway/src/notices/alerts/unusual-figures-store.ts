/**
 * SQL on figures that are compared with the usual ones. It reads roll-ups alone, and the past of
 * what stands out today.
 */
import type { AlertRuleSettings } from "@tollgate/contract/notices/alert-rule-settings.ts";
import type { Database } from "../../storage/database.ts";
import { computeDay, computeHour, ttftColumns } from "../../storage/rollups.ts";
import type { DatabaseSchema } from "../../storage/schema.ts";
import {
  comparedDays,
  type ModelSpeed,
  type SpendingToken,
  spikeUnitsMin,
  timedCallsMin,
} from "./unusual-causes.ts";

/** The keys that spent most today. */
const tokensMax = 200;
const usualDays = 14;
/** The models that were called most. */
const modelsMax = 200;

export function createUnusualFiguresStore({ sql, read }: Pick<Database, "sql" | "read">) {
  async function tokens(now: number): Promise<SpendingToken[]> {
    const today = computeDay(now);
    const most = await read(
      sql
        .selectFrom("rollup_day_token as used")
        .innerJoin("tokens", "tokens.id", "used.token_id")
        .innerJoin("users", "users.id", "tokens.user_id")
        .select(["tokens.id", "tokens.name", "users.username", "used.quota"])
        .where("used.day", "=", today)
        .where("used.quota", ">=", spikeUnitsMin)
        .orderBy("used.quota", "desc")
        .limit(tokensMax),
    );
    if (most.length === 0) return [];
    const before = await read(
      sql
        .selectFrom("rollup_day_token")
        .select(["token_id", "quota"])
        .where("day", ">=", today - usualDays)
        .where("day", "<", today)
        .where("quota", ">", 0)
        .where(
          "token_id",
          "in",
          most.map(({ id }) => id),
        ),
    );
    const byToken = Map.groupBy(before, ({ token_id }) => token_id);
    return most.map(({ id, name, username, quota }) => ({
      id,
      name,
      username,
      today: quota,
      usualDays: (byToken.get(id) ?? []).map((day) => day.quota),
    }));
  }

  async function speeds(now: number): Promise<ModelSpeed[]> {
    const current = computeHour(now);
    const rows = sql.selectFrom("rollup_hour_model").select(["hour", "model_name", ...ttftColumns]);
    const recent = await read(
      rows
        .where("hour", ">=", current - 1)
        .where("requests", ">=", 1)
        .orderBy("requests", "desc")
        .limit(2 * modelsMax),
    );
    const timed = Map.groupBy(recent.map(readSpeed), ({ model_name }) => model_name);
    const names = [...timed].flatMap(([name, hours]) => {
      const calls = hours.flatMap(({ ttft }) => ttft).reduce((sum, count) => sum + count, 0);
      return calls < timedCallsMin ? [] : [name];
    });
    if (names.length === 0) return [];
    const hours = Array.from({ length: comparedDays }, (_, day) => current - (day + 1) * 24);
    const before = await read(
      rows.where("model_name", "in", names).where(
        "hour",
        "in",
        hours.flatMap((hour) => [hour, hour - 1]),
      ),
    );
    return [...names.flatMap((name) => timed.get(name) ?? []), ...before.map(readSpeed)];
  }

  return {
    /** Reads nothing for a rule that is off. */
    async figures(rules: AlertRuleSettings, now: number) {
      const [spending, timed] = await Promise.all([
        rules["spend.spike"].enabled ? tokens(now) : [],
        rules["calls.slow"].enabled ? speeds(now) : [],
      ]);
      return { tokens: spending, speeds: timed };
    },
  };
}

export type UnusualFiguresStore = ReturnType<typeof createUnusualFiguresStore>;

const readSpeed = (
  row: Pick<
    DatabaseSchema["rollup_hour_model"],
    "hour" | "model_name" | (typeof ttftColumns)[number]
  >,
): ModelSpeed => ({
  hour: row.hour,
  model_name: row.model_name,
  ttft: ttftColumns.map((column) => row[column] ?? 0),
});
