/**
 * SQL on what the subjects of budgets usually spend, from the roll-ups of the last four weeks. For
 * forecasts alone.
 */
import { anyTagValue } from "@tollgate/contract/accounts/tags.ts";
import { type RawBuilder, sql as raw } from "kysely";
import type { Database } from "../../storage/database.ts";
import { computeDay, computeHour } from "../../storage/rollups.ts";
import { hoursPerWeek, type UsualHours } from "./budget-forecast.ts";
import { parseModels } from "./budget-rules.ts";
import type { BudgetRow } from "./budget-store.ts";

const weeks = 4;
const daysPerWeek = 7;
const hoursPerDay = 24;

interface UsualSource {
  table:
    | "rollup_hour_model"
    | "rollup_day_user"
    | "rollup_day_user_model"
    | "rollup_day_token"
    | "rollup_day_tag"
    | "rollup_day_team";
  where: RawBuilder<boolean>;
}

/**
 * Undefined where no roll-up holds what the budget counts: a tag or key with a list of models, a
 * user with keys of teams, and `key=*`.
 */
function chooseSource(row: BudgetRow): UsualSource | undefined {
  const { subject, subject_id, model_name, tag, models, counts_team_keys } = row;
  const names = subject === "model" ? [model_name] : parseModels(models);
  const named =
    names.length === 0 ? raw<boolean>`1 = 1` : raw<boolean>`model_name in (${raw.join(names)})`;
  switch (subject) {
    case "site":
    case "model":
      return { table: "rollup_hour_model", where: named };
    case "user": {
      if (counts_team_keys === 1) return undefined;
      const table = names.length === 0 ? "rollup_day_user" : "rollup_day_user_model";
      return { table, where: raw<boolean>`user_id = ${subject_id} and ${named}` };
    }
    case "token":
      if (names.length > 0) return undefined;
      return { table: "rollup_day_token", where: raw<boolean>`token_id = ${subject_id}` };
    case "team":
      return {
        table: "rollup_day_team",
        where: raw<boolean>`team_id = ${subject_id} and ${named}`,
      };
    case "member": {
      const member = raw`from team_members where id = ${subject_id}`;
      const isTheirs = raw<boolean>`team_id = (select team_id ${member}) and user_id = (select user_id ${member})`;
      return { table: "rollup_day_team", where: raw<boolean>`${isTheirs} and ${named}` };
    }
    case "tag":
      return names.length > 0 ? undefined : findTagSource(tag);
    // Runs are too short to have usual weeks.
    case "run":
    case "token_run":
    case "team_run":
    // Of a channel, roll-ups by hour have what was charged.
    case "channel":
      return undefined;
    default:
      return subject satisfies never;
  }
}

function findTagSource(tag: string): UsualSource | undefined {
  const sign = tag.indexOf("=");
  const [key, value] = [tag.slice(0, sign), tag.slice(sign + 1)];
  if (value === anyTagValue) return undefined;
  return {
    table: "rollup_day_tag",
    where: raw<boolean>`tag_key = ${key} and tag_value = ${value}`,
  };
}

/**
 * `UsualHoursReader` is what an hour of the week costs each budget, by its id. One without an entry
 * has no four weeks of spending, or no source. The roll-ups of users, keys and tags are by day, so
 * that each hour of a day has the same share there.
 */
export type UsualHoursReader = (
  rows: readonly BudgetRow[],
  now: number,
) => Promise<ReadonlyMap<number, UsualHours>>;

export function createUsualHoursReader({
  sql,
  read,
}: Pick<Database, "sql" | "read">): UsualHoursReader {
  async function usualHours(
    { table, where }: UsualSource,
    now: number,
  ): Promise<UsualHours | undefined> {
    const isHourly = table === "rollup_hour_model";
    const [at, perWeek] = isHourly
      ? [computeHour(now), hoursPerWeek]
      : [computeDay(now), daysPerWeek];
    const column = raw.ref<number>(isHourly ? "hour" : "day");
    const slots = await read(
      sql
        .selectFrom(table)
        .select([
          raw<number>`${column} % ${raw.lit(perWeek)}`.as("slot"),
          raw<number>`cast(sum(quota) as double precision)`.as("units"),
          raw<number>`min(${column})`.as("first"),
        ])
        .where(raw<boolean>`${column} >= ${at - weeks * perWeek} and ${column} < ${at}`)
        .where(where)
        .groupBy(raw`1`),
    );
    const first = Math.min(...slots.map((one) => Number(one.first)));
    if (!(first < at - (weeks - 1) * perWeek)) return undefined;
    const unitsOf = new Map(slots.map(({ slot, units }) => [Number(slot), units / weeks]));
    return Array.from({ length: hoursPerWeek }, (_, hour) =>
      isHourly
        ? (unitsOf.get(hour) ?? 0)
        : (unitsOf.get(Math.floor(hour / hoursPerDay)) ?? 0) / hoursPerDay,
    );
  }

  return async (rows, now) => {
    const usual = new Map<number, UsualHours>();
    for (const row of rows) {
      const source = chooseSource(row);
      const hours = source && (await usualHours(source, now));
      if (hours) usual.set(row.id, hours);
    }
    return usual;
  };
}
