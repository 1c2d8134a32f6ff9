import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { LogRow } from "../storage/schema.ts";
import { decimal, roundedHalfUp } from "./decimal.ts";
import { explainLog } from "./explain-log.ts";
import {
  type Bucket,
  buckets,
  cachedTokens,
  charge,
  charged,
  completionTokens,
  explain,
  extrasOf,
  freeze,
  groupRatioOne,
  noUsage,
  type Pricing,
  picodollars,
  promptTokens,
  type Rates,
  rateOf,
  thaw,
  type Usage,
} from "./price.ts";
import {
  configOf,
  defaultPrice,
  groupRatioOf,
  type ModelConfig,
  modelConfigs,
  priceFor,
  readPriceBook,
} from "./price-book.ts";

const book = readPriceBook();
const tokens = fc.integer({ min: 0, max: 10_000_000 });
const rate = fc.bigInt({ min: 0n, max: 10n ** 10n });
const usages = fc.record(Object.fromEntries(buckets.map((bucket) => [bucket, tokens]))) as fc.Arbitrary<
  Required<Usage>
>;
const rates = fc.record(Object.fromEntries(buckets.map((bucket) => [bucket, rate]))) as fc.Arbitrary<Required<Rates>>;
const pricings: fc.Arbitrary<Pricing> = fc.record({
  rates,
  tiers: fc.array(fc.record({ above: tokens, aboveOutput: fc.constant(-1), rates }), { maxLength: 2 }),
});
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
    expect(charge(price, { ...noUsage, input: 600, cache_read: 400, output: 200 }, groupRatioOne)).toBe(2_000);
  });
  test("of gpt-4o-mini, 9 in and 12 out, is 4.275 units rounded up to 5", () => {
    const mini = priceFor("gpt-4o-mini", book, undefined, "");
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
      fc.property(pricings, usages, ratio, (price, usage, group) => {
        const exact = picodollars(price, usage) * BigInt(group);
        const units = BigInt(charge(price, usage, group)) * 2_000_000n * BigInt(groupRatioOne);
        expect(units >= exact && units - exact < 2_000_000n * BigInt(groupRatioOne)).toBe(true);
      }),
    );
  });
  test("of two usages together is at most a unit less than apart, and never more", () => {
    fc.assert(
      fc.property(rates, usages, usages, ratio, (flat, a, b, group) => {
        const price = { rates: flat };
        const both = Object.fromEntries(buckets.map((bucket) => [bucket, a[bucket] + b[bucket]])) as Usage;
        const apart = charge(price, a, group) + charge(price, b, group);
        const together = charge(price, both, group);
        expect(together <= apart && apart - together <= 1).toBe(true);
      }),
    );
  });
  test("can be recomputed from what is stored with it", () => {
    fc.assert(
      fc.property(pricings, usages, ratio, (price, usage, group) => {
        const frozen = JSON.parse(JSON.stringify(freeze({ ...defaultPrice, ...price }, group)));
        expect(charge(thaw(frozen), usage, group)).toBe(charge(price, usage, group));
        const kept = JSON.parse(JSON.stringify(charged(frozen, usage)));
        expect(kept.usage).toEqual(extrasOf(usage));
        expect(explain(kept, usage)).toEqual(explain(frozen, usage));
        const { lines, quota } = explain(frozen, usage);
        expect(quota).toBe(charge(price, usage, group));
        const sum = lines.reduce((total, line) => total + BigInt(line.picodollars), 0n);
        expect(sum).toBe(picodollars(price, usage));
      }),
    );
  });
  test("of a longer call is by the rates of its tier, all of it", () => {
    const higher = { ...defaultPrice.rates, input: 4_000_000n, output: 8_000_000n };
    const price = { rates: defaultPrice.rates, tiers: [{ above: 200_000, aboveOutput: -1, rates: higher }] };
    const usage = { ...noUsage, input: 100_000, cache_read: 100_000, output: 1_000 };
    expect(charge(price, usage, groupRatioOne)).toBe(251_250);
    expect(charge(price, { ...usage, input: 100_001 }, groupRatioOne)).toBe(200_002 + 125_000 + 4_000);
  });
  test.each([
    ["images", 2, 40_000],
    ["seconds", 60, 750],
    ["characters", 100, 125],
    ["input_audio", 8, 10],
    ["output_audio", 8, 10],
    ["web_searches", 1, 5_000],
    ["calls", 5, 0],
  ] as const)("of %s without a price of their own follows from the others", (bucket, used, expected) => {
    expect(charge(defaultPrice, { ...noUsage, [bucket]: used }, groupRatioOne)).toBe(expected);
    const free = { rates: thaw({ ...freeze(defaultPrice, groupRatioOne), rates: {} }).rates };
    expect(charge(free, { ...noUsage, [bucket]: used }, groupRatioOne)).toBe(0);
  });
  test("of sound and pictures survives the columns of a log row", () => {
    fc.assert(
      fc.property(pricings, usages, ratio, (price, usage, group) => {
        const frozen = freeze({ ...defaultPrice, ...price }, group);
        const row = {
          prompt_tokens: promptTokens(usage),
          completion_tokens: completionTokens(usage),
          cached_prompt_tokens: cachedTokens(usage),
          cache_write_5m_tokens: usage.cache_write_5m,
          cache_write_1h_tokens: usage.cache_write_1h,
          price: JSON.stringify(charged(frozen, usage)),
        } as LogRow;
        expect(explainLog(row)).toEqual(explain(frozen, usage));
      }),
    );
  });
  test("beyond what can be stored is an error, not a wrong number", () => {
    expect(() =>
      charge({ rates: { ...defaultPrice.rates, input: 10n ** 18n } }, { ...noUsage, input: 2 ** 40 }, groupRatioOne),
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
      const said = ({
        rates: { web_searches, file_searches, cache_read_audio, cache_read_image, output_image, ...rest },
      }: Pricing) => rest;
      expect([model, said(again)]).toEqual([model, said(price)]);
      expect([model, again.tiers?.map(({ above }) => above)]).toEqual([model, price.tiers?.map(({ above }) => above)]);
    }
  });
});

describe("an entry of model_configs", () => {
  const rate = (config: ModelConfig, bucket: Bucket, variant = ""): number =>
    Number(rateOf(priceFor("gpt-4o", book, config, "", variant).rates, bucket)) / 1_000_000;

  test("prices sound as multiples of text, or by the second", () => {
    expect(rate({ ratio: 1, audio: { prompt_ratio: 16, completion_ratio: 2 } }, "input_audio")).toBe(32);
    expect(rate({ ratio: 1, audio: { prompt_ratio: 16, completion_ratio: 2 } }, "output_audio")).toBe(64);
    expect(rate({ ratio: 1, audio: { usd_per_second: 0.0001 } }, "seconds")).toBe(100);
    expect(rate({ ratio: 1, audio: { prompt_tokens_per_second: 20 } }, "seconds")).toBe(40);
    expect(rate({ audio: { prompt_ratio: 2 } }, "input_audio")).toBe(5);
  });
  test("prices pictures by size and quality", () => {
    const image = {
      price_per_image_usd: 0.04,
      default_size: "small",
      default_quality: "plain",
      size_multipliers: { small: 1, large: 2 },
      quality_multipliers: { plain: 1, hd: 1.5 },
      quality_size_multipliers: { hd: { large: 5 } },
    };
    const prices = ["", "large", "large/hd", "small/hd", "/hd", "toString/__proto__"].map((variant) =>
      rate({ image }, "images", variant),
    );
    expect(prices).toEqual([40_000, 80_000, 200_000, 60_000, 60_000, 40_000]);
    expect(rate({ ratio: 2, image: { prompt_ratio: 3 } }, "input_image")).toBe(12);
  });
  test("has tiers that say only what is different", () => {
    const tiers = [{ ratio: 2, input_token_threshold: 1_000 }];
    const price = priceFor("gpt-4o", book, { ratio: 1, completion_ratio: 4, tiers }, "");
    const charged = (input: number): number => charge(price, { ...noUsage, input, output: 1 }, groupRatioOne);
    expect([charged(999), charged(1_000)]).toEqual([999 + 4, 2_000 + 8]);
  });
  test("is read without what is no price", () => {
    const read = modelConfigs({
      a: { ratio: 1, completion_ratio: -1, image: { price_per_image_usd: "4", size_multipliers: { x: 2, y: null } } },
      b: { tiers: [{ ratio: 2, input_token_threshold: 5 }, "x", { ratio: Number.NaN }], cached_input_ratio: -1 },
      c: 7,
    });
    expect(Object.fromEntries(read)).toEqual({
      a: { ratio: 1, image: { size_multipliers: { x: 2 } } },
      b: { tiers: [{ ratio: 2, input_token_threshold: 5 }, {}], cached_input_ratio: -1 },
    });
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
