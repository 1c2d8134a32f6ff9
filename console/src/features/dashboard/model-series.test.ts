import { expect, test } from "vitest";
import { listModelSeries } from "./model-series.ts";

const row = (Day: string, ModelName: string, RequestCount: number) => ({
  Day,
  ModelName,
  RequestCount,
  Quota: RequestCount * 100,
  PromptTokens: RequestCount * 10,
  CompletionTokens: RequestCount,
});
const days = ["2026-11-20", "2026-11-21"];
const rows = [
  row("2026-11-20", "a", 1),
  row("2026-11-21", "b", 5),
  row("2026-11-21", "a", 2),
  row("2026-11-21", "b", 1),
];

test("one series per model, largest first, with a value for every day", () => {
  expect(
    listModelSeries(rows, days, "requests", "Other").map(({ name, values }) => [name, values]),
  ).toEqual([
    ["b", [0, 6]],
    ["a", [1, 2]],
  ]);
});

test("the metric selects the value", () => {
  // a: 1 * 11 and 2 * 11 tokens; 1 * 100 and 2 * 100 units
  expect(listModelSeries(rows, days, "tokens", "Other")[1]?.values).toEqual([11, 22]);
  expect(listModelSeries(rows, days, "expenses", "Other")[1]?.values).toEqual([100, 200]);
});

test("with more models than colours the smallest are summed up", () => {
  const many = Array.from({ length: 17 }, (_, index) =>
    row("2026-11-20", `m${index}`, 100 - index),
  );
  const series = listModelSeries(many, days, "requests", "Other");
  expect(series).toHaveLength(15);
  // 100 - 14, 100 - 15 and 100 - 16 requests
  expect(series[14]).toMatchObject({ name: "Other", values: [86 + 85 + 84, 0] });
  expect(series[14]?.parts?.map(({ name }) => name)).toEqual(["m14", "m15", "m16"]);
});
