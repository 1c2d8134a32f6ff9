import type { UsageRow } from "./usage-metrics.ts";

export type ModelMetric = "tokens" | "requests" | "expenses";
export type ModelSeries = {
  name: string;
  values: number[];
  /** The models that it sums up. */
  parts?: readonly ModelSeries[];
};

const seriesMax = 15;

const metricOf: Record<ModelMetric, (row: UsageRow) => number> = {
  tokens: (row) => row.PromptTokens + row.CompletionTokens,
  requests: (row) => row.RequestCount,
  expenses: (row) => row.Quota,
};

/**
 * `listModelSeries` gives one series per model, largest first; what the server did not count has no
 * height. Models beyond the size of the palette are summed up as `other`.
 */
export function listModelSeries(
  rows: readonly UsageRow[],
  days: readonly string[],
  metric: ModelMetric,
  other: string,
): ModelSeries[] {
  const dayIndexes = new Map(days.map((day, index) => [day, index]));
  const series = new Map<string, number[]>();
  for (const row of rows) {
    const dayIndex = dayIndexes.get(row.Day.slice(0, 10));
    if (dayIndex === undefined) continue;
    const values = series.get(row.ModelName) ?? days.map(() => 0);
    values[dayIndex] = (values[dayIndex] ?? 0) + (metricOf[metric](row) || 0);
    series.set(row.ModelName, values);
  }
  const sorted = [...series]
    .map(([name, values]) => ({
      name,
      values,
      total: values.reduce((sum, value) => sum + value, 0),
    }))
    .sort((a, b) => b.total - a.total || a.name.localeCompare(b.name));
  if (sorted.length <= seriesMax) return sorted;
  const remaining = sorted.slice(seriesMax - 1);
  const otherValues = days.map((_, index) =>
    remaining.reduce((sum, one) => sum + (one.values[index] ?? 0), 0),
  );
  return [
    ...sorted.slice(0, seriesMax - 1),
    { name: other, values: otherValues, parts: remaining },
  ];
}
