import fc from "fast-check";
import { expect, test } from "vitest";
import { findNextDigest, findNextTry } from "./notice-queue.ts";

const hour = 3_600_000;

test("a notice is tried seven times within eighteen hours, with a tenth more or less between the tries", () => {
  const tries = Array.from({ length: 8 }, (_, tried) => findNextTry(tried, 0, 0, 0.5));
  expect(tries).toEqual([0, 5_000, 300_000, 1_800_000, 2 * hour, 5 * hour, 10 * hour, undefined]);
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 6 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (tried, random) => {
        const spread =
          (findNextTry(tried, 0, 0, random) ?? 0) / (findNextTry(tried, 0, 0, 0.5) ?? 1);
        expect(spread).toBeGreaterThan(0.89);
        expect(spread).toBeLessThan(1.11);
      },
    ),
  );
});

test("a receiver that asks for time gets it, up to a day", () => {
  expect(findNextTry(1, 0, 60_000, 0.5)).toBe(60_000);
  expect(findNextTry(1, 0, 1e15, 0.5)).toBe(24 * hour);
});

const waiting = (count: number, rule: string, tries = 0) =>
  Array.from({ length: count }, (_, index) => ({ id: index, rule, tries, transition: "firing" }));

test("five notices of one rule become one, and tried ones stay alone", () => {
  expect(findNextDigest([...waiting(4, "a"), ...waiting(4, "b")], false)).toBeUndefined();
  expect(findNextDigest([...waiting(4, "a"), ...waiting(5, "b")], false)).toHaveLength(5);
  expect(findNextDigest(waiting(9, "a", 1), false)).toBeUndefined();
});

test("a destination that has got as many as it takes gets the rest as one, whatever their rules", () => {
  expect(findNextDigest([...waiting(4, "a"), ...waiting(4, "b")], true)).toHaveLength(8);
});
