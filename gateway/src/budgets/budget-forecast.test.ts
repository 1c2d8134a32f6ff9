import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { budgetForecast } from "./budget-forecast.ts";

const hour = 3_600_000;
const day = { start: 0, end: 24 * hour };

describe("the forecast of a budget", () => {
  test("carries on the pace of the window so far, and says when the amount is used up", () => {
    expect(budgetForecast({ window: day, spent: 300, amount: 400 }, 12 * hour)).toEqual({
      spent: 600,
      used_up_at: 16 * hour,
    });
    expect(budgetForecast({ window: day, spent: 300, amount: 600 }, 12 * hour)).toEqual({
      spent: 600,
      used_up_at: null,
    });
  });

  test("of a budget that is used up already names no moment", () => {
    expect(budgetForecast({ window: day, spent: 400, amount: 400 }, 12 * hour)).toEqual({
      spent: 800,
      used_up_at: null,
    });
  });

  test("is not made before a tenth of the window, without an end, without spending, or after the end", () => {
    const budget = { window: day, spent: 300, amount: 400 };
    expect(budgetForecast(budget, 2.3 * hour)).toBeNull();
    expect(budgetForecast(budget, 24 * hour)).toBeNull();
    expect(budgetForecast({ ...budget, spent: 0 }, 12 * hour)).toBeNull();
    expect(budgetForecast({ ...budget, window: { start: 0, end: null } }, 12 * hour)).toBeNull();
  });

  test("is never below what is spent, and its moment lies between now and the end", () => {
    const units = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER });
    fc.assert(
      fc.property(units, units, fc.integer({ min: 0, max: 24 * hour }), (spent, amount, now) => {
        const forecast = budgetForecast({ window: day, spent, amount }, now);
        if (forecast === null) return;
        expect(forecast.spent).toBeGreaterThanOrEqual(spent);
        if (forecast.used_up_at === null) return;
        expect(forecast.used_up_at).toBeGreaterThanOrEqual(now);
        expect(forecast.used_up_at).toBeLessThan(day.end);
      }),
    );
  });
});
