import * as fc from "fast-check";
import { expect, test } from "vitest";
import { boundRatios, computePairedRatio, meanOfMiddle } from "./paired-ratio.ts";

test("the bound of fifteen rounds is the twelfth ratio, and of four the largest", () => {
  const rounds = Array.from({ length: 15 }, (_, round) => round + 1);
  expect(
    computePairedRatio(
      rounds,
      rounds.map(() => 1),
    ),
  ).toEqual({ median: 8, lower: 4, upper: 12 });
  expect(computePairedRatio([3, 1, 4, 2], [1, 1, 1, 1]).upper).toBe(4);
});

test("too few rounds for a bound give the smallest and the largest", () => {
  expect(boundRatios([1.02, 0.98, 1])).toEqual({ median: 1, lower: 0.98, upper: 1.02 });
});

test("a burst in a quarter of the turns changes nothing, neither upwards nor downwards", () => {
  expect(meanOfMiddle([2, 9, 1, 3])).toBe(2.5);
  expect(meanOfMiddle([2, 90, 1, 3])).toBe(2.5);
  expect(meanOfMiddle([2, 90, -50, 3])).toBe(2.5);
});

test("what slows both down in a round changes nothing", () => {
  const noise = fc.array(fc.double({ min: 0.5, max: 3, noNaN: true }), {
    minLength: 5,
    maxLength: 30,
  });
  fc.assert(
    fc.property(noise, (slow) => {
      const { median, upper } = computePairedRatio(
        slow.map((by) => 2 * by),
        slow,
      );
      expect(median).toBeCloseTo(2, 9);
      expect(upper).toBeCloseTo(2, 9);
    }),
  );
});
