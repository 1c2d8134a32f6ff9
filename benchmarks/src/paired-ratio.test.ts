import * as fc from "fast-check";
import { expect, test } from "vitest";
import { computePairedRatio } from "./paired-ratio.ts";

test("the bound of fifteen rounds is the twelfth ratio, and of four the largest", () => {
  const rounds = Array.from({ length: 15 }, (_, round) => round + 1);
  expect(
    computePairedRatio(
      rounds,
      rounds.map(() => 1),
    ),
  ).toEqual({ median: 8, upper: 12 });
  expect(computePairedRatio([3, 1, 4, 2], [1, 1, 1, 1]).upper).toBe(4);
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
