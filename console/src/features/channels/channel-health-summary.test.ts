import { expect, test } from "vitest";
import {
  formatKeyName,
  formatKeyNames,
  hasTransientState,
  summarizeHealth,
} from "./channel-health-summary.ts";

const breaker = (seconds_left: number) => ({
  model: "m",
  state: "open" as const,
  reason: "status 503",
  seconds_left,
});
const key = (place: number, status: number, seconds_left = 0) => ({
  place,
  hint: `aa${place}${place}`,
  status,
  reason: "",
  changed_at: 0,
  seconds_left,
});

const mark = (kind: "usage_capped" | "usage_far") => ({
  mark: kind,
  calls: 1,
  last_at: 0,
  members: [],
});

const served = {
  status: 1,
  models: "m",
  address_issue: "",
  test_time: 7,
  response_time: 90,
  used_quota: 5,
};

test.each([
  ["works", { status: 1, breaker: [], keys: [key(1, 1), key(2, 2)] }, undefined],
  ["comes from a compatible server", { status: 1 }, undefined],
  ["is disabled", { status: 3, breaker: [breaker(9)], keys: [key(1, 3)] }, undefined],
  [
    "is suspended",
    { status: 1, breaker: [breaker(3), breaker(20)], keys: [key(1, 3)] },
    ["suspended", 20],
  ],
  ["is half open", { status: 1, breaker: [breaker(0)] }, ["suspended", 0]],
  ["lost a key", { status: 1, keys: [key(1, 3), key(2, 1), key(3, 2)] }, ["keys", 1, 3]],
  ["has a key in cooldown", { status: 1, keys: [key(1, 1, 30), key(2, 1)] }, ["keys", 1, 2]],
  ["offers no model", { ...served, models: " ", breaker: [breaker(9)] }, ["no-models"]],
  [
    "has an address that is refused",
    { ...served, address_issue: "is a private address" },
    ["address"],
  ],
  ["failed its last test", { ...served, response_time: 0 }, ["test-failed"]],
  [
    "reported odd usage",
    { ...served, usage_marks: [mark("usage_far"), mark("usage_capped")] },
    ["usage_capped"],
  ],
  ["passed its last test", served, ["works"]],
  [
    "was neither tested nor called",
    { ...served, test_time: 0, response_time: 0, used_quota: 0 },
    ["never-tested"],
  ],
  [
    "was called but never tested",
    { ...served, test_time: 0, response_time: 0, used_quota: 5 },
    ["works"],
  ],
  ["is disabled without models", { ...served, status: 2, models: "" }, undefined],
])("summarizes the health of a channel that %s", (_, channel, expected) => {
  const health = summarizeHealth(channel);
  const summary =
    health?.kind === "suspended"
      ? [health.kind, health.secondsLeft]
      : health?.kind === "keys"
        ? [health.kind, health.working, health.total]
        : health && [health.kind === "usage" ? health.mark.mark : health.kind];
  expect(summary).toEqual(expected);
});

test("a list with a temporary state is refetched", () => {
  expect(hasTransientState([{ status: 1 }, { status: 1, keys: [key(1, 3)] }])).toBe(false);
  expect(hasTransientState([{ status: 1, breaker: [breaker(1)] }])).toBe(true);
  expect(hasTransientState([{ status: 1, keys: [key(1, 1, 5)] }])).toBe(true);
});

test("keys are named by their last characters, and only the first few are listed", () => {
  expect([formatKeyName(key(1, 1)), formatKeyName({ hint: "", place: 4 })]).toEqual([
    "…aa11",
    "#4",
  ]);
  expect(formatKeyNames([1, 2].map((place) => key(place, 1)))).toBe("…aa11, …aa22");
  expect(formatKeyNames([1, 2, 3, 4, 5, 6].map((place) => key(place, 1)))).toMatch(
    /^…aa11.*…aa55, … \(6\)$/,
  );
});
