/** SQL on what the subjects of budgets usually spend, from the roll-ups of the last four weeks. For forecasts alone. */
import { anyTagValue } from "@tollgate/contract/tags.ts";
import { type RawBuilder, sql as raw } from "kysely";
import type { Database } from "../storage/database.ts";
import { dayOf, hourOf } from "../storage/rollups.ts";
import { hoursPerWeek, type UsualHours } from "./budget-forecast.ts";
import { modelsIn } from "./budget-rules.ts";
import type { BudgetRow } from "./budget-store.ts";

const weeks = 4;
const daysPerWeek = 7;
const hoursPerDay = 24;

interface UsualSource {
  table: "rollup_hour_model" | "rollup_day_user" | "rollup_day_user_model" | "rollup_day_token" | "rollup_day_tag";
  where: RawBuilder<boolean>;
}

/** Undefined where no roll-up holds what the budget counts: a tag or key with a list of models, and `key=*`. */
function sourceOf({ subject, subject_id, model_name, tag, models }: BudgetRow): UsualSource | undefined {
  const names = subject === "model" ? [model_name] : modelsIn(models);
  const named = names.length === 0 ? raw<boolean>`1 = 1` : raw<boolean>`model_name in (${raw.join(names)})`;
  switch (subject) {
    case "site":
    case "model":
      return { table: "rollup_hour_model", where: named };
    case "user": {
      const table = names.length === 0 ? "rollup_day_user" : "rollup_day_user_model";
      return { table, where: raw<boolean>`user_id = ${subject_id} and ${named}` };
    }
    case "token":
      if (names.length > 0) return undefined;
      return { table: "rollup_day_token", where: raw<boolean>`token_id = ${subject_id}` };
    case "tag":
      return names.length > 0 ? undefined : tagSource(tag);
    default:
      return subject satisfies never;
  }
}

function tagSource(tag: string): UsualSource | undefined {
  const sign = tag.indexOf("=");
  const [key, value] = [tag.slice(0, sign), tag.slice(sign + 1)];
  if (value === anyTagValue) return undefined;
  return { table: "rollup_day_tag", where: raw<boolean>`tag_key = ${key} and tag_value = ${value}` };
}

/**
 * What an hour of the week costs each budget, by its id. One without an entry has no four weeks of spending, or no source. The
 * roll-ups of users, keys and tags are by day, so that each hour of a day has the same share there.
 */
export type UsualHoursReader = (rows: readonly BudgetRow[], now: number) => Promise<ReadonlyMap<number, UsualHours>>;

export function usualHoursReader({ sql, read }: Pick<Database, "sql" | "read">): UsualHoursReader {
  async function usualHours({ table, where }: UsualSource, now: number): Promise<UsualHours | undefined> {
    const isHourly = table === "rollup_hour_model";
    const [at, perWeek] = isHourly ? [hourOf(now), hoursPerWeek] : [dayOf(now), daysPerWeek];
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
      isHourly ? (unitsOf.get(hour) ?? 0) : (unitsOf.get(Math.floor(hour / hoursPerDay)) ?? 0) / hoursPerDay,
    );
  }

  return async (rows, now) => {
    const usual = new Map<number, UsualHours>();
    for (const row of rows) {
      const source = sourceOf(row);
      const hours = source && (await usualHours(source, now));
      if (hours) usual.set(row.id, hours);
    }
    return usual;
  };
}
