import fc from "fast-check";
import { expect, test } from "vitest";
import { charge, noUsage, type Pricing } from "../prices/price.ts";
import { computeCoveredTokens, findLargestThatFits, growFrom } from "./hold-reach.ts";

test("the largest number that fits is found wherever the border is", () => {
  fc.assert(
    fc.property(fc.nat(100_000), fc.nat(100_000), (max, border) => {
      expect(findLargestThatFits(max, (tokens) => tokens <= border)).toBe(Math.min(max, border));
    }),
  );
});

test("a hold reaches as far as its units pay, and not a token further", { tags: ["S2-04"] }, () => {
  const rate = fc.bigInt({ min: 1n, max: 600_000_000n });
  fc.assert(
    fc.property(
      rate,
      rate,
      fc.nat(10_000),
      fc.nat(1_000_000),
      fc.nat(3_000_000),
      (input, output, prompt, amount, ratio) => {
        const flat: Pricing = { rates: { ...free.rates, input, output } };
        const tiered: Pricing = {
          ...flat,
          tiers: [{ above: 0, aboveOutput: 0, rates: flat.rates }],
        };
        const usage = { ...noUsage, input: prompt };
        for (const pricing of [flat, tiered]) {
          const units = (tokens: number) => charge(pricing, { ...usage, output: tokens }, ratio);
          const tokens = computeCoveredTokens(pricing, ratio, usage, amount);
          if (units(0) <= amount) expect(units(tokens)).toBeLessThanOrEqual(amount);
          else expect(tokens).toBe(0);
          if (tokens < 10_000_000) expect(units(tokens + 1)).toBeGreaterThan(amount);
        }
      },
    ),
  );
});

test("a hold reaches to where a longer answer would cost more as a whole", {
  tags: ["S2-04"],
}, () => {
  const dear = { ...free.rates, output: 4_000_000n };
  const pricing: Pricing = {
    rates: { ...free.rates, output: 2_000_000n },
    tiers: [{ above: -1, aboveOutput: 100, rates: dear }],
  };
  expect(
    [99, 150, 201, 202].map((amount) => computeCoveredTokens(pricing, 1_000_000, noUsage, amount)),
  ).toEqual([99, 100, 100, 101]);
});

test("a free answer is covered, however long", () => {
  expect(computeCoveredTokens(free, 1_000_000, noUsage, 0)).toBe(10_000_000);
});

test("the prompt is paid before the answer, and nothing is covered by a hold below it", () => {
  const pricing: Pricing = { rates: { ...free.rates, input: 2_000_000n } };
  const prompt = { ...noUsage, input: 5, output: 9 };
  expect([4, 5].map((amount) => computeCoveredTokens(pricing, 1_000_000, prompt, amount))).toEqual([
    0, 10_000_000,
  ]);
  const both: Pricing = { rates: { ...pricing.rates, output: 4_000_000n } };
  expect(
    [5, 6, 7, 9].map((amount) => computeCoveredTokens(both, 1_000_000, prompt, amount)),
  ).toEqual([0, 0, 1, 2]);
});

test("a hold grows from three quarters on", () => {
  expect([growFrom(4_096), growFrom(1), growFrom(0)]).toEqual([3_072, 0, 0]);
});

const free: Pricing = {
  rates: { input: 0n, cache_read: 0n, cache_write_5m: 0n, cache_write_1h: 0n, output: 0n },
};
