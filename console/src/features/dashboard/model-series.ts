import type { UsageRow } from "./figures.ts";

export type Metric = "tokens" | "requests" | "expenses";
export type ModelSeries = { name: string; values: number[] };

const seriesMax = 15;

const measure: Record<Metric, (row: UsageRow) => number> = {
  tokens: (row) => row.PromptTokens + row.CompletionTokens,
  requests: (row) => row.RequestCount,
  expenses: (row) => row.Quota,
};

/** One series a model, largest first. Beyond what the palette can tell apart, the smallest are summed as `other`. */
export function modelSeries(
  rows: readonly UsageRow[],
  days: readonly string[],
  metric: Metric,
  other: string,
): ModelSeries[] {
  const places = new Map(days.map((day, index) => [day, index]));
  const series = new Map<string, number[]>();
  for (const row of rows) {
    const place = places.get(row.Day.slice(0, 10));
    if (place === undefined) continue;
    const values = series.get(row.ModelName) ?? days.map(() => 0);
    values[place] = (values[place] ?? 0) + measure[metric](row);
    series.set(row.ModelName, values);
  }
  const sorted = [...series]
    .map(([name, values]) => ({ name, values, total: values.reduce((sum, value) => sum + value, 0) }))
    .sort((a, b) => b.total - a.total || a.name.localeCompare(b.name));
  if (sorted.length <= seriesMax) return sorted;
  const rest = sorted.slice(seriesMax - 1);
  const summed = days.map((_, index) => rest.reduce((sum, one) => sum + (one.values[index] ?? 0), 0));
  return [...sorted.slice(0, seriesMax - 1), { name: other, values: summed }];
}
