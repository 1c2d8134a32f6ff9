import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decimal, roundedHalfUp } from "./decimal.ts";
import {
  buckets,
  charge,
  explain,
  freeze,
  groupRatioOne,
  noUsage,
  type Price,
  picodollars,
  thaw,
  type Usage,
} from "./price.ts";
import { configOf, defaultPrice, groupRatioOf, priceFor, readPriceBook } from "./price-book.ts";

const book = readPriceBook();
const tokens = fc.integer({ min: 0, max: 10_000_000 });
const rate = fc.bigInt({ min: 0n, max: 10n ** 10n });
const usages = fc.record(Object.fromEntries(buckets.map((bucket) => [bucket, tokens]))) as fc.Arbitrary<Usage>;
const rates = fc.record(Object.fromEntries(buckets.map((bucket) => [bucket, rate]))) as fc.Arbitrary<Price["rates"]>;
const ratio = fc.integer({ min: 0, max: 100 * groupRatioOne });

describe("decimals", () => {
  test.each([
    ["2.5", 1_000_000n, 2_500_000n],
    ["0.075", 1_000_000n, 75_000n],
    ["0.0000005", 1_000_000n, 1n],
    ["0.00000049", 1_000_000n, 0n],
    ["1e-7", 10_000_000n, 1n],
    ["1.5e3", 1n, 1_500n],
  ])("%s times %s is %s, halves up", (text, factor, expected) => {
    expect(roundedHalfUp(decimal(text) ?? { digits: -1n, scale: 0 }, factor)).toBe(expected);
  });
  test.each(["-1", "", "NaN", "Infinity", "1.", ".5", "0x10", "1e400", "1,5"])("%j is no decimal", (text) => {
    expect(decimal(text)).toBeUndefined();
  });
});

describe("a charge", () => {
  test("of the wire contract's example is 2000 units", () => {
    const price = priceFor("m", book, { ratio: 1.25, completion_ratio: 4, cached_input_ratio: 0.625 }, "channel 1");
    expect(charge(price.rates, { ...noUsage, input: 600, cache_read: 400, output: 200 }, groupRatioOne)).toBe(2_000);
  });
  test("of gpt-4o-mini, 9 in and 12 out, is 4.275 units rounded up to 5", () => {
    const { rates: mini } = priceFor("gpt-4o-mini", book, undefined, "");
    expect(charge(mini, { ...noUsage, input: 9, output: 12 }, groupRatioOne)).toBe(5);
  });
  test("is rounded up once: one token at one picodollar costs one unit, none costs nothing", () => {
    const tiny = {
      ...thaw({ rates: { input: "1" }, group_ratio: groupRatioOne, source: "", source_date: "", verified: true }),
    };
    expect(charge(tiny, { ...noUsage, input: 1 }, groupRatioOne)).toBe(1);
    expect(charge(tiny, noUsage, groupRatioOne)).toBe(0);
  });
  test("is within one unit above the exact price, and never negative", () => {
    fc.assert(
      fc.property(rates, usages, ratio, (price, usage, group) => {
        const exact = picodollars(price, usage) * BigInt(group);
        const units = BigInt(charge(price, usage, group)) * 2_000_000n * BigInt(groupRatioOne);
        expect(units >= exact && units - exact < 2_000_000n * BigInt(groupRatioOne)).toBe(true);
      }),
    );
  });
  test("of two usages together is at most a unit less than apart, and never more", () => {
    fc.assert(
      fc.property(rates, usages, usages, ratio, (price, a, b, group) => {
        const both = Object.fromEntries(buckets.map((bucket) => [bucket, a[bucket] + b[bucket]])) as Usage;
        const apart = charge(price, a, group) + charge(price, b, group);
        const together = charge(price, both, group);
        expect(together <= apart && apart - together <= 1).toBe(true);
      }),
    );
  });
  test("can be recomputed from what is stored with it", () => {
    fc.assert(
      fc.property(rates, usages, ratio, (price, usage, group) => {
        const frozen = JSON.parse(JSON.stringify(freeze({ ...defaultPrice, rates: price }, group)));
        expect(charge(thaw(frozen), usage, group)).toBe(charge(price, usage, group));
        const { lines, quota } = explain(frozen, usage);
        expect(quota).toBe(charge(price, usage, group));
        const sum = lines.reduce((total, line) => total + BigInt(line.picodollars), 0n);
        expect(sum).toBe(picodollars(price, usage));
      }),
    );
  });
  test("beyond what can be stored is an error, not a wrong number", () => {
    expect(() =>
      charge({ ...defaultPrice.rates, input: 10n ** 18n }, { ...noUsage, input: 2 ** 40 }, groupRatioOne),
    ).toThrow(RangeError);
  });
});

describe("the price of a model", () => {
  test("comes from the book with its source and date", () => {
    const price = priceFor("gpt-4o", book, undefined, "channel 1");
    expect(price.rates).toMatchObject({ input: 2_500_000n, cache_read: 1_250_000n, output: 10_000_000n });
    expect(price.source).toContain("genai-prices");
    expect(price.verified).toBe(true);
  });
  test("that nobody listed is the visible default, unverified", () => {
    expect(priceFor("no-such-model", book, undefined, "channel 1")).toMatchObject({
      source: "default price",
      verified: false,
    });
  });
  test("with a channel's ratio alone keeps the listed relation of output to input", () => {
    const { rates: own, source } = priceFor("gpt-4o", book, { ratio: 2 }, "channel 7");
    expect(own).toMatchObject({ input: 4_000_000n, output: 16_000_000n });
    expect(source).toBe("model_configs of channel 7");
  });
  test("with a completion ratio alone applies it to the listed input", () => {
    expect(priceFor("gpt-4o", book, { completion_ratio: 2 }, "").rates).toMatchObject({
      input: 2_500_000n,
      output: 5_000_000n,
    });
  });
  test("with only max_tokens keeps the listed price", () => {
    expect(priceFor("gpt-4o", book, { max_tokens: 100 }, "")).toMatchObject({ max_tokens: 100, verified: true });
  });
  test("of a ratio of 0 is free, and a negative cache ratio makes cached input free", () => {
    expect(priceFor("x", book, { ratio: 0, completion_ratio: 5 }, "").rates.output).toBe(0n);
    expect(priceFor("x", book, { ratio: 1, cached_input_ratio: -1 }, "").rates.cache_read).toBe(0n);
  });
  test("survives the way to ratios and back", () => {
    for (const [model, price] of book) {
      if (price.rates.input === 0n) continue;
      const again = priceFor("unlisted", new Map(), configOf(price), "");
      expect([model, again.rates]).toEqual([model, price.rates]);
    }
  });
});

test.each([
  ["default", 1_000_000],
  ["vip", 800_000],
  ["unheard of", 1_000_000],
  ["toString", 1_000_000],
])("group %s has the ratio %i", (group, expected) => {
  expect(groupRatioOf(group, { default: 1, vip: 0.8 })).toBe(expected);
});
