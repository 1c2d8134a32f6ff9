// What budgets add to the forecast of a hold. Wallet and key are compared with the hold itself in
// hold-forecast.db.test.ts.
import fc from "fast-check";
import { expect, test } from "vitest";
import { type AvailableFunds, holdForecast, readUnspent } from "./hold-forecast.ts";

const rich: AvailableFunds = { available: 1_000, debt: 0, tokenAvailable: null };
const ask = (amount: number, least = amount) => ({ amount, least });

test("the first budget that does not cover the least refuses, and the smallest of the others limits", () => {
  const of = (...left: number[]) => left.map((unspent, index) => ({ id: index + 1, unspent }));
  expect(holdForecast(rich, ask(100), of(100, 200))).toBe("held");
  expect(holdForecast(rich, ask(100), of(99))).toBe("budget:1");
  expect(holdForecast(rich, ask(100, 50), of(200, 60, 70))).toBe(60);
  expect(holdForecast(rich, ask(100, 50), of(50, 49))).toBe("budget:2");
  expect(holdForecast(rich, ask(100, 50), of(50))).toBe(50);
  // What costs nothing needs nothing of a budget that is overdrawn.
  expect(holdForecast(rich, ask(0), of(-5))).toBe("held");
  expect(holdForecast({ ...rich, available: 80 }, ask(100, 50), of(90))).toBe(80);
});

test("a forecast is what wallet, key and budgets all cover, or the refusal of one that does not cover the least", () => {
  const units = fc.nat(20);
  fc.assert(
    fc.property(
      units,
      units,
      fc.array(units, { maxLength: 3 }),
      units,
      units,
      (available, ofKey, left, a, b) => {
        const [least = 0, amount = 0] = [a, b].toSorted((one, other) => one - other);
        const budgets = left.map((unspent, id) => ({ id, unspent }));
        const forecast = holdForecast(
          { available, debt: 0, tokenAvailable: ofKey },
          { amount, least },
          budgets,
        );
        const covered = amount === 0 ? 0 : Math.min(amount, available, ofKey, ...left);
        if (covered < least) expect(forecast).toMatch(/^(insufficient|pre_consume|budget:)/);
        else expect(forecast).toBe(covered < amount ? covered : "held");
      },
    ),
  );
});

test("what is left of hard budgets is read at once, in their order", async () => {
  const budget = (id: number, max: number | null) => ({
    id,
    start: id * 10,
    end: id * 10 + 9,
    max,
    target: null,
  });
  const asked: unknown[] = [];
  const read = await readUnspent([budget(1, 100), budget(2, null), budget(3, 50)], (windows) => {
    asked.push(windows.map(({ id, start }) => [id, start]));
    return Promise.resolve([
      { budget_id: 3, spent: 14, held: 6, granted: 10 },
      { budget_id: 2, spent: 7, held: 7, granted: 0 },
    ]);
  });
  expect(read).toEqual([
    { id: 1, unspent: 100 },
    { id: 3, unspent: 40 },
  ]);
  expect(asked).toEqual([
    [
      [1, 10],
      [2, 20],
      [3, 30],
    ],
  ]);
});
