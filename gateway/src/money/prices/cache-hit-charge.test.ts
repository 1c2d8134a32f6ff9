import fc from "fast-check";
import { expect, test } from "vitest";
import { computeCacheHitCharge } from "./cache-hit-charge.ts";

const charges = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER });
const millionths = fc.integer({ min: 0, max: 1_000_000 });

test("a hit costs exactly its share of the first charge, rounded up once", () => {
  fc.assert(
    fc.property(charges, millionths, (first, share) => {
      const charged = BigInt(computeCacheHitCharge(first, share / 1_000_000)) * 1_000_000n;
      const exact = BigInt(first) * BigInt(share);
      expect(charged - exact).toBeGreaterThanOrEqual(0n);
      expect(charged - exact).toBeLessThan(1_000_000n);
    }),
  );
});

test("a ratio of 0 is free, and one of 1 costs what the answer first cost", () => {
  fc.assert(
    fc.property(charges, (first) => {
      expect([computeCacheHitCharge(first, 0), computeCacheHitCharge(first, 1)]).toEqual([
        0,
        first,
      ]);
    }),
  );
  expect(computeCacheHitCharge(3, 0.5)).toBe(2);
  expect(computeCacheHitCharge(1, 0.000_001)).toBe(1);
});

test("a ratio that no binary fraction is exactly costs what it says", () => {
  expect([0.000_123, 0.000_249].map((ratio) => computeCacheHitCharge(1_000_000, ratio))).toEqual([
    123, 249,
  ]);
});
