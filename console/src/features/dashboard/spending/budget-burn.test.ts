import type { Spending } from "@tollgate/contract/figures/spending.ts";
import fc from "fast-check";
import { expect, test } from "vitest";
import { buildBurn, canBurn, listBurnDays } from "./budget-burn.ts";

const start = Date.UTC(2026, 10, 1);
const end = Date.UTC(2026, 11, 1);
const now = Date.UTC(2026, 10, 20, 9);
const window = { window_start: start, resets_at: end, amount: 1_000, forecast: null };
const spend = (quota: number[]): Spending => ({
  unit: "day",
  first: start / 1_000,
  until: now / 1_000,
  earlier: null,
  series: [{ id: "m", name: "m", owner: "", quota, requests: quota, tokens: quota, earlier: null }],
});

test("the line never falls, has a step for each day so far, and ends with what the budget counts", () => {
  fc.assert(
    fc.property(
      fc.array(fc.nat(100), { minLength: 20, maxLength: 20 }),
      fc.nat(3_000),
      (quota, spent) => {
        const burn = buildBurn({ ...window, spent }, spend(quota));
        expect(burn.starts).toHaveLength(30);
        expect(burn.spent).toHaveLength(20);
        expect(burn.spent.at(-1)).toBe(spent);
        expect(burn.spent).toEqual(burn.spent.toSorted((one, other) => one - other));
        expect(burn.forecast).toBeUndefined();
      },
    ),
  );
});

test("a forecast is never below what is spent", () => {
  const forecast = { spent: 10, used_up_at: null };
  expect(buildBurn({ ...window, spent: 40, forecast }, spend([40])).forecast).toBe(40);
});

test("a window without an end, of some models alone, or switched off has no line", () => {
  const budget = { enabled: true, models: [], window_start: start, resets_at: end };
  expect(canBurn(budget)).toBe(true);
  expect(canBurn({ ...budget, resets_at: null })).toBe(false);
  expect(canBurn({ ...budget, models: ["gpt-5"] })).toBe(false);
  expect(canBurn({ ...budget, enabled: false })).toBe(false);
  expect(canBurn({ ...budget, resets_at: start + 3_600_000 })).toBe(false);
});

test("the days that are asked for begin with the window and end today", () => {
  expect(listBurnDays({ window_start: start }, "2026-11-20")).toEqual({
    from_date: "2026-11-01",
    to_date: "2026-11-20",
  });
});
