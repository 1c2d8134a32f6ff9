import * as fc from "fast-check";
import { expect, test } from "vitest";
import { formatStatusRangesText, hasStatus, parseStatusRanges } from "./status-ranges.ts";

const status = fc.integer({ min: 400, max: 599 });
const range = fc
  .tuple(status, status)
  .map(([a, b]) => ({ from: Math.min(a, b), to: Math.max(a, b) }));

test("a list holds exactly the statuses between the ends of its ranges, and survives being written and read", () => {
  fc.assert(
    fc.property(
      fc.array(range, { maxLength: 50 }),
      fc.integer({ min: 0, max: 700 }),
      (ranges, asked) => {
        const read = parseStatusRanges(formatStatusRangesText(ranges));
        expect(read).toEqual(ranges);
        expect(hasStatus(read ?? [], asked)).toBe(
          ranges.some(({ from, to }) => asked >= from && asked <= to),
        );
      },
    ),
  );
});

test.each(["", " ", ","])("%j is an empty list", (text) =>
  expect(parseStatusRanges(text)).toEqual([]),
);

test.each([
  "200",
  "399",
  "600",
  "5xx",
  "500-",
  "504-500",
  "400;401",
  "4000",
  "-500",
  "400-600",
  "١٢٣",
])("%j is no list of error statuses", (text) => expect(parseStatusRanges(text)).toBeUndefined());

test("a list has a bound", () => {
  expect(parseStatusRanges(Array.from({ length: 50 }, () => "500").join())).toHaveLength(50);
  expect(parseStatusRanges(Array.from({ length: 51 }, () => "500").join())).toBeUndefined();
});
