import fc from "fast-check";
import { expect, test } from "vitest";
import { computeUnitsOfAmount, readDollarAmount } from "./configured-budget.ts";

test.each([
  ["$300", 150_000_000],
  ["$0.5", 250_000],
  ["$0.000002", 1],
  ["$10.00", 5_000_000],
  [7, 7],
])("%s is %i units", (amount, units) => {
  expect(computeUnitsOfAmount(amount)).toBe(units);
});

test("an amount that is written in dollars is read back to the unit", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 4_000_000_000_000_000 }), (units) => {
      const text = readDollarAmount(units);
      expect(text).toMatch(/^\$\d+(\.\d*[1-9])?$/);
      expect(computeUnitsOfAmount(text)).toBe(units);
    }),
  );
});
