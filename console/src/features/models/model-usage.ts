/** The usage of one model, from the days of the dashboard. Pure. */
import type { ModelUsage } from "@tollgate/contract/figures/dashboard.ts";
import type { CallCount } from "@tollgate/contract/figures/recent-calls.ts";

export type ModelDays = { counts: CallCount[]; requests: number; failures: number; quota: number };

/** `buildDaysOfModel` gives one count for each day, oldest first; a day without calls has none. */
export function buildDaysOfModel(
  rows: readonly ModelUsage[],
  model: string,
  days: readonly string[],
): ModelDays {
  const own = rows.filter(({ ModelName }) => ModelName === model);
  const sum = (of: readonly ModelUsage[], measure: "RequestCount" | "failures" | "Quota") =>
    of.reduce((total, row) => total + row[measure], 0);
  const counts = days.map((day) => {
    const ofDay = own.filter(({ Day }) => Day.startsWith(day));
    return { requests: sum(ofDay, "RequestCount"), failures: sum(ofDay, "failures") };
  });
  return {
    counts,
    requests: sum(own, "RequestCount"),
    failures: sum(own, "failures"),
    quota: sum(own, "Quota"),
  };
}

/** The channels whose list of models has this name. */
export const listServingChannels = <Channel extends { models: string }>(
  channels: readonly Channel[],
  model: string,
): Channel[] =>
  channels.filter(({ models }) => models.split(",").some((name) => name.trim() === model));
