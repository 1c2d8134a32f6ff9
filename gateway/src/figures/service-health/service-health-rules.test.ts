import { describe, expect, test } from "vitest";
import { latencyColumns } from "../../storage/rollups.ts";
import {
  buildHealth,
  computeServiceState,
  type DaySums,
  type LatencySums,
  listIncidents,
  modelsMax,
} from "./service-health-rules.ts";

const hourMs = 3_600_000;
const thisHour = 480_010;
const now = thisHour * hourMs + 1;
const today = Math.floor(thisHour / 24);
const noLatency = Object.fromEntries(latencyColumns.map((column) => [column, 0])) as LatencySums;
const day = (more: Partial<DaySums> = {}): DaySums => ({
  ...noLatency,
  day: today,
  model_name: "small",
  requests: 10,
  failures: 0,
  latency_3: 10,
  ...more,
});
const names = (...models: string[]) => new Map(models.map((model) => [model, new Set([model])]));
const hour = (ago: number, requests: number, failures: number) => ({
  hour: thisHour - ago,
  requests,
  failures,
});

test("a model has a share and a median for each of 90 days, and nothing on days without calls", () => {
  const days = [day({ day: today - 89, failures: 5 }), day()];
  const { models, first_day } = buildHealth(names("small"), { days, hours: [] }, now);
  const [model] = models;
  expect(first_day).toBe(new Date((today - 89) * 24 * hourMs).toISOString().slice(0, 10));
  expect(model?.days).toHaveLength(90);
  expect(model?.days.at(0)).toEqual({ success_rate: 50, latency_ms: 750 });
  expect(model?.days.at(1)).toEqual({ success_rate: null, latency_ms: null });
  expect(model?.days.at(-1)).toMatchObject({ success_rate: 100 });
  expect(model).toMatchObject({ model: "small", success_rate: 75, state: "quiet" });
});

test("how many calls there were, and models that the caller may not use, are not told", () => {
  const days = [day({ requests: 1_234, failures: 77 }), day({ model_name: "of another group" })];
  const text = JSON.stringify(buildHealth(names("small"), { days, hours: [] }, now));
  expect(text).not.toMatch(/1234|1157|77|another/);
});

test("a model that channels map to others is the sum of these", () => {
  const models = new Map([["alias", new Set(["one", "two"])]]);
  const days = [day({ model_name: "one", failures: 10 }), day({ model_name: "two" })];
  expect(buildHealth(models, { days, hours: [] }, now).models).toMatchObject([
    { model: "alias", success_rate: 50 },
  ]);
});

test("of very many models those with most calls are shown, by name", () => {
  const many = Array.from({ length: modelsMax + 1 }, (_, at) => `m${String(at).padStart(3, "0")}`);
  const days = many.map((model_name, at) => day({ model_name, requests: at + 1 }));
  const shown = buildHealth(names(...many), { days, hours: [] }, now).models.map(
    ({ model }) => model,
  );
  expect(shown).toEqual(many.slice(1));
});

describe("the state of the last two hours", () => {
  test.each([
    ["quiet", 0, 0],
    ["quiet", 4, 4],
    ["ok", 1, 0],
    ["ok", 100, 4],
    ["degraded", 100, 5],
    ["degraded", 100, 49],
    ["down", 100, 50],
    ["down", 5, 5],
  ])("is %s with %i calls of which %i failed", (state, requests, failures) => {
    expect(computeServiceState([hour(0, requests, failures)])).toBe(state);
  });

  test("knows nothing of what was before", () => {
    const hours = [{ ...hour(2, 10, 10), model_name: "small" }];
    expect(buildHealth(names("small"), { days: [], hours }, now).models).toMatchObject([
      { state: "quiet" },
    ]);
  });
});

describe("an incident", () => {
  const at = (ago: number) => (thisHour - ago) * hourMs;

  test("is the hours in which most calls failed, and a quiet hour does not divide it", () => {
    const hours = [hour(9, 10, 0), hour(8, 10, 6), hour(7, 2, 0), hour(6, 10, 10), hour(5, 10, 1)];
    expect(listIncidents(hours, thisHour)).toEqual([{ from: at(8), to: at(5) }]);
  });

  test("goes on while the last two hours have not ended it", () => {
    expect(listIncidents([hour(3, 10, 9), hour(1, 10, 9)], thisHour)).toEqual([
      { from: at(3), to: null },
    ]);
    expect(listIncidents([hour(3, 10, 9), hour(2, 10, 9)], thisHour)).toEqual([
      { from: at(3), to: at(1) },
    ]);
  });

  test("needs some calls, and is forgotten after a week", () => {
    expect(listIncidents([hour(3, 4, 4), hour(168, 50, 50)], thisHour)).toEqual([]);
  });
});
