import { expect, test } from "vitest";
import { costUnits, marginShare, marginUnits } from "./known-cost.ts";

test("a margin is what is left of the charge, and may be a loss", () => {
  const cost = { requests: 2, quota: 1_000, cost_micros: 1_500 };
  expect([costUnits(cost), marginUnits(cost), marginShare(cost)]).toEqual([750, 250, 0.25]);
  expect(marginShare({ ...cost, cost_micros: 4_000 })).toBe(-1);
  expect(marginShare({ ...cost, quota: 0 })).toBeUndefined();
});
