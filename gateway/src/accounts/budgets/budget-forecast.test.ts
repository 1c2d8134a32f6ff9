import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { buildBudgetForecast, hoursPerWeek, type PacedBudget } from "./budget-forecast.ts";

const hour = 3_600_000;
const day = { start: 0, end: 24 * hour };
const budget = (changes: Partial<PacedBudget>): PacedBudget => ({
  ...{ window: day, spent: 300, amount: 400, calls: 20 },
  ...changes,
});
/** Each hour of the week costs what `unitsAt` says. */
const usualOf = (unitsAt: (hour: number) => number) =>
  Array.from({ length: hoursPerWeek }, (_, slot) => unitsAt(slot));

describe("the forecast of a budget", () => {
  test("without four weeks of spending, carries on the pace of the window so far", () => {
    expect(buildBudgetForecast(budget({}), undefined, 12 * hour)).toEqual({
      spent: 600,
      used_up_at: 16 * hour,
    });
    expect(buildBudgetForecast(budget({ amount: 601 }), undefined, 12 * hour)).toEqual({
      spent: 600,
      used_up_at: null,
    });
  });

  test("adds what the hours that are left usually cost, by weekday and hour", () => {
    // Nothing after 18 o'clock, and only the half of an hour that has begun.
    const usual = usualOf((slot) => (slot < 18 ? 40 : 0));
    expect(buildBudgetForecast(budget({}), usual, 12.5 * hour)).toEqual({
      spent: 520,
      used_up_at: 15 * hour,
    });
    expect(buildBudgetForecast(budget({ amount: 521 }), usual, 12.5 * hour)).toEqual({
      spent: 520,
      used_up_at: null,
    });
    const weekdays = usualOf((slot) => Math.floor(slot / 24));
    const week = { start: 0, end: 7 * 24 * hour };
    expect(
      buildBudgetForecast(budget({ window: week, amount: 1_000 }), weekdays, 5 * 24 * hour)?.spent,
    ).toBe(300 + 24 * (5 + 6));
    const nextWeek = { start: week.end, end: 2 * week.end };
    expect(
      buildBudgetForecast(budget({ window: nextWeek }), weekdays, week.end + 6 * 24 * hour)?.spent,
    ).toBe(300 + 24 * 6);
  });

  test("of a budget that is used up already names no moment", () => {
    expect(buildBudgetForecast(budget({ spent: 400 }), undefined, 12 * hour)).toEqual({
      spent: 800,
      used_up_at: null,
    });
  });

  test("is not made before a tenth of the window or 20 calls, without an end or spending, or after the end", () => {
    expect(buildBudgetForecast(budget({}), undefined, 2.4 * hour)).not.toBeNull();
    expect(buildBudgetForecast(budget({}), undefined, 2.4 * hour - 1)).toBeNull();
    expect(buildBudgetForecast(budget({ calls: 19 }), undefined, 12 * hour)).toBeNull();
    expect(buildBudgetForecast(budget({}), undefined, 24 * hour)).toBeNull();
    expect(buildBudgetForecast(budget({ spent: 0 }), undefined, 12 * hour)).toBeNull();
    expect(
      buildBudgetForecast(budget({ window: { start: 0, end: null } }), undefined, 12 * hour),
    ).toBeNull();
  });

  const units = fc.integer({ min: 1, max: 1_000_000_000 });
  const now = fc.integer({ min: 0, max: 24 * hour });
  const usual = fc.option(
    fc.array(fc.integer({ min: 0, max: 1_000_000 }), {
      minLength: hoursPerWeek,
      maxLength: hoursPerWeek,
    }),
    { nil: undefined },
  );

  test("is never below what is spent, and names a moment before the end exactly where the amount is reached", () => {
    fc.assert(
      fc.property(units, units, now, usual, (spent, amount, at, hours) => {
        const forecast = buildBudgetForecast(budget({ spent, amount }), hours, at);
        if (forecast === null) return;
        expect(forecast.spent).toBeGreaterThanOrEqual(spent);
        if (forecast.used_up_at === null) {
          expect(spent >= amount || forecast.spent <= amount).toBe(true);
          return;
        }
        expect(spent).toBeLessThan(amount);
        expect(forecast.spent).toBeGreaterThanOrEqual(amount);
        expect(forecast.used_up_at).toBeGreaterThanOrEqual(at);
        expect(forecast.used_up_at).toBeLessThanOrEqual(day.end);
      }),
    );
  });

  test("is the same whether the rest costs as the window so far or usually costs that, and more where hours cost more", () => {
    fc.assert(
      fc.property(
        units,
        now,
        usual,
        fc.integer({ min: 1, max: 1_000 }),
        (spent, at, hours, more) => {
          const given = budget({ spent, amount: Number.MAX_SAFE_INTEGER });
          const carriedOn = buildBudgetForecast(given, undefined, at);
          if (carriedOn === null) return;
          const even = usualOf(() => (spent / at) * hour);
          expect(
            Math.abs((buildBudgetForecast(given, even, at)?.spent ?? 0) - carriedOn.spent),
          ).toBeLessThanOrEqual(1 + carriedOn.spent * 1e-9);
          if (!hours) return;
          const dearer = hours.map((one) => one + more);
          expect(buildBudgetForecast(given, dearer, at)?.spent).toBeGreaterThanOrEqual(
            buildBudgetForecast(given, hours, at)?.spent ?? 0,
          );
        },
      ),
    );
  });
});
