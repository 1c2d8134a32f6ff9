import { expect, test } from "vitest";
import { computeCostUnits, computeMarginUnits, findMarginShare } from "./known-cost.ts";

test("a margin is what is left of the charge, and may be a loss", () => {
  const cost = { requests: 2, quota: 1_000, cost_micros: 1_500 };
  expect([computeCostUnits(cost), computeMarginUnits(cost), findMarginShare(cost)]).toEqual([
    750, 250, 0.25,
  ]);
  expect(findMarginShare({ ...cost, cost_micros: 4_000 })).toBe(-1);
  expect(findMarginShare({ ...cost, quota: 0 })).toBeUndefined();
});
