import { randomFrom } from "@tollgate/tests/support/seeded-random.ts";
import { expect, test } from "vitest";
import { median, percentile, robustSlope } from "./statistics.ts";

test("a slope does not follow a few wild values", () => {
  const points = Array.from({ length: 21 }, (_, x) => ({ x, y: x % 7 === 3 ? 1_000 : 5 + 2 * x }));
  expect(robustSlope(points)).toBeCloseTo(2);
  expect(robustSlope([{ x: 1, y: 1 }])).toBe(0);
});

test.each([
  [[], 0],
  [[3], 3],
  [[9, 1, 5], 5],
])("the median of %j is %i", (values, expected) => expect(median(values)).toBe(expected));

test("the largest share is the largest value", () => expect(percentile([1, 9, 5], 1)).toBe(9));

test("numbers from a seed are the same each time, and spread between 0 and 1", () => {
  const [one, again, other] = [randomFrom(7), randomFrom(7), randomFrom(8)];
  const numbers = Array.from({ length: 1_000 }, () => one());
  expect(numbers).toEqual(Array.from({ length: 1_000 }, () => again()));
  expect(numbers[0]).not.toBe(other());
  for (const number of numbers) expect(number >= 0 && number < 1).toBe(true);
  expect(median(numbers)).toBeCloseTo(0.5, 1);
});
