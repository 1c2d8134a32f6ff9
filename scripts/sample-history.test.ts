import { expect, test } from "vitest";
import { channels } from "./sample-channels.ts";
import { historyDays, sampleMonth } from "./sample-history.ts";

const now = Date.UTC(2026, 10, 21, 12);
const month = sampleMonth(now);

test("the same moment and seed give the same month", () => {
  expect(sampleMonth(now)).toEqual(month);
  expect(sampleMonth(now, 7)).not.toEqual(month);
});

test("it is a few thousand calls, in order, within the last thirty days", () => {
  expect(month.length).toBeGreaterThan(1_500);
  expect(month.length).toBeLessThan(5_000);
  expect(month.map(({ at }) => at)).toEqual(month.map(({ at }) => at).sort((a, b) => a - b));
  expect(month[0]?.at).toBeGreaterThan(now - historyDays * 86_400_000);
  expect(month.at(-1)?.at).toBeLessThan(now);
});

test("every call went through a channel that lists its model, with a key that may use it", () => {
  for (const { model, channel, token } of month) {
    expect(channels.find(({ name }) => name === channel)?.models.split(",")).toContain(model);
    if (token.models) expect(token.models.split(",")).toContain(model);
  }
});

test("every outcome occurs, and only a call that failed used nothing", () => {
  expect(new Set(month.map(({ outcome }) => outcome))).toEqual(
    new Set(["success", "failed", "client_left", "cut", "quota_ran_out", "interrupted"]),
  );
  for (const { outcome, usage } of month) expect(usage.output > 0).toBe(outcome !== "failed");
});
