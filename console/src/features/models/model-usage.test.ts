import type { ModelUsage } from "@tollgate/contract/figures/dashboard.ts";
import { expect, test } from "vitest";
import { buildDaysOfModel, listServingChannels } from "./model-usage.ts";

const row = (
  Day: string,
  ModelName: string,
  RequestCount: number,
  failures: number,
  Quota: number,
) => ({ Day, ModelName, RequestCount, failures, Quota }) as ModelUsage;

test("the calls of a model are counted by day, and days without any are there", () => {
  const rows = [
    row("2026-11-24T00:00:00Z", "a", 2, 1, 10),
    row("2026-11-26", "a", 3, 0, 5),
    row("2026-11-26", "a", 1, 1, 0),
    row("2026-11-26", "b", 9, 9, 99),
  ];
  expect(buildDaysOfModel(rows, "a", ["2026-11-24", "2026-11-25", "2026-11-26"])).toEqual({
    counts: [
      { requests: 2, failures: 1 },
      { requests: 0, failures: 0 },
      { requests: 4, failures: 1 },
    ],
    requests: 6,
    failures: 2,
    quota: 15,
  });
});

test("a channel serves a model whose whole name is in its list", () => {
  const channels = [{ models: "gpt-4o-mini,o1" }, { models: "o1, gpt-4o" }, { models: "" }];
  expect(listServingChannels(channels, "gpt-4o")).toEqual([channels[1]]);
});
