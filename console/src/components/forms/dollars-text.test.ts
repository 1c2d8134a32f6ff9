import fc from "fast-check";
import { expect, test } from "vitest";
import { findUnits, formatDollars } from "./dollars-text.ts";

const perUnit = 500_000;

test.each([
  ["500000", "1"],
  ["750000", "1.5"],
  ["1", "0.000002"],
  ["0", "0"],
  ["5000000", "10"],
  ["", ""],
  ["many", ""],
])("%j units are %j dollars", (units, dollars) => {
  expect(formatDollars(units, perUnit)).toBe(dollars);
});

test.each([
  ["1", "500000"],
  ["$1.10", "550000"],
  [" .5 ", "250000"],
  ["2.", "1000000"],
  ["0.0000031", "2"],
  ["", undefined],
  ["-1", undefined],
  ["1,5", undefined],
  ["1e3", undefined],
  ["99999999999999999999", undefined],
])("%j dollars are %j units", (dollars, units) => {
  expect(findUnits(dollars, perUnit)).toBe(units);
});

test("units survive the way through dollars", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 9_000_000_000_000_000 }), (units) => {
      expect(findUnits(formatDollars(String(units), perUnit), perUnit)).toBe(String(units));
    }),
  );
});
