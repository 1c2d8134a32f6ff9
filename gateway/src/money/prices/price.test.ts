import { itemBuckets } from "@tollgate/contract/figures/usage-buckets.ts";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { LogRow } from "../../storage/tables/call-tables.ts";
import { explainLog } from "../audit/explain-log.ts";
import { multiply, parseDecimal, requireDecimal, roundHalfUp } from "../decimal.ts";
import {
  addCallFee,
  buckets,
  buildLoggedPrice,
  buildRates,
  charge,
  chooseRate,
  computeCachedTokens,
  computeCompletionTokens,
  computePicodollars,
  explainCharge,
  type FrozenPrice,
  freezePrice,
  groupRatioOne,
  isFreeOfCharge,
  isUsed,
  noUsage,
  type Pricing,
  promptTokens,
  type Rates,
  readDollarsPerMillion,
  readExtraUsage,
  thawPrice,
  type Usage,
  type UsageBucket,
  unitsPerDollar,
} from "./price.ts";
import {
  buildModelConfig,
  defaultPrice,
  findPrice,
  type ModelConfig,
  parseModelConfigs,
  readGroupRatio,
  readPriceBook,
} from "./price-book.ts";

const book = readPriceBook();
const tokens = fc.integer({ min: 0, max: 10_000_000 });
const rate = fc.bigInt({ min: 0n, max: 10n ** 10n });
const usages = fc.record(
  Object.fromEntries(buckets.map((bucket) => [bucket, tokens])),
) as fc.Arbitrary<Required<Usage>>;
const rates = fc.record(
  Object.fromEntries(buckets.map((bucket) => [bucket, rate])),
) as fc.Arbitrary<Required<Rates>>;
const pricings: fc.Arbitrary<Pricing> = fc.record({
  rates,
  tiers: fc.array(fc.record({ above: tokens, aboveOutput: fc.constant(-1), rates }), {
    maxLength: 2,
  }),
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
    expect(roundHalfUp(parseDecimal(text) ?? { digits: -1n, scale: 0 }, factor)).toBe(expected);
  });
  test("are digits and a scale that is never negative", () => {
    expect(parseDecimal(" 2.50 ")).toEqual({ digits: 250n, scale: 2 });
    expect(parseDecimal("12e2")).toEqual({ digits: 1_200n, scale: 0 });
    expect(parseDecimal("1.5E1")).toEqual({ digits: 15n, scale: 0 });
    expect(parseDecimal("1e0")).toEqual({ digits: 1n, scale: 0 });
    expect(multiply({ digits: 3n, scale: 1 }, { digits: 5n, scale: 2 })).toEqual({
      digits: 15n,
      scale: 3,
    });
    expect(requireDecimal(0.5)).toEqual({ digits: 5n, scale: 1 });
    expect(() => requireDecimal("free")).toThrow("free is not a price");
  });
  test.each(["-1", "", "NaN", "Infinity", "1.", ".5", "0x10", "1e400", "1,5"])(
    "%j is not a decimal",
    (text) => {
      expect(parseDecimal(text)).toBeUndefined();
    },
  );
});

describe("a charge", () => {
  test("of the wire contract's example is 2000 units", () => {
    const price = findPrice(
      "m",
      book,
      { ratio: 1.25, completion_ratio: 4, cached_input_ratio: 0.625 },
      "channel 1",
    );
    expect(
      charge(price, { ...noUsage, input: 600, cache_read: 400, output: 200 }, groupRatioOne),
    ).toBe(2_000);
  });
  test("of gpt-4o-mini, 9 in and 12 out, is 4.275 units rounded up to 5", () => {
    const mini = findPrice("gpt-4o-mini", book, undefined, "");
    expect(charge(mini, { ...noUsage, input: 9, output: 12 }, groupRatioOne)).toBe(5);
  });
  test("of a dollar is half a million units", () => {
    const dollar = { rates: { ...defaultPrice.rates, input: 1_000_000_000_000n } };
    expect([charge(dollar, { ...noUsage, input: 1 }, groupRatioOne), unitsPerDollar]).toEqual([
      500_000, 500_000,
    ]);
  });
  test("is rounded up once: one token at one picodollar costs one unit, none costs nothing", () => {
    const tiny = thawPrice({ rates: { input: "1" } });
    expect(charge(tiny, { ...noUsage, input: 1 }, groupRatioOne)).toBe(1);
    expect(charge(tiny, noUsage, groupRatioOne)).toBe(0);
  });
  test("is within one unit above the exact price, and never negative", { tags: ["I-14"] }, () => {
    fc.assert(
      fc.property(pricings, usages, ratio, (price, usage, group) => {
        const exact = computePicodollars(price, usage) * BigInt(group);
        const units = BigInt(charge(price, usage, group)) * 2_000_000n * BigInt(groupRatioOne);
        expect(units >= exact && units - exact < 2_000_000n * BigInt(groupRatioOne)).toBe(true);
      }),
    );
  });
  test("of two usages together is at most one unit less than separately, and never more", {
    tags: ["I-14"],
  }, () => {
    fc.assert(
      fc.property(rates, usages, usages, ratio, (flat, a, b, group) => {
        const price = { rates: flat };
        const both = Object.fromEntries(
          buckets.map((bucket) => [bucket, a[bucket] + b[bucket]]),
        ) as Usage;
        const apart = charge(price, a, group) + charge(price, b, group);
        const together = charge(price, both, group);
        expect(together <= apart && apart - together <= 1).toBe(true);
      }),
    );
  });
  test("can be recomputed from what is stored with it", { tags: ["I-13"] }, () => {
    fc.assert(
      fc.property(pricings, usages, ratio, (price, usage, group) => {
        const frozen = JSON.parse(
          JSON.stringify(freezePrice({ ...defaultPrice, ...price }, group)),
        );
        expect(charge(thawPrice(frozen), usage, group)).toBe(charge(price, usage, group));
        const stored = JSON.parse(JSON.stringify(buildLoggedPrice(frozen, usage)));
        expect(stored.usage).toEqual(readExtraUsage(usage));
        expect(explainCharge(stored, usage)).toEqual(explainCharge(frozen, usage));
        const { lines, quota } = explainCharge(frozen, usage);
        expect(quota).toBe(charge(price, usage, group));
        const sum = lines.reduce((total, line) => total + BigInt(line.picodollars), 0n);
        expect(sum).toBe(computePicodollars(price, usage));
      }),
    );
  });
  test("of a longer call uses the rates of its tier for the whole call", () => {
    const higher = { ...defaultPrice.rates, input: 4_000_000n, output: 8_000_000n };
    const price = {
      rates: defaultPrice.rates,
      tiers: [{ above: 200_000, aboveOutput: -1, rates: higher }],
    };
    const usage = { ...noUsage, input: 100_000, cache_read: 100_000, output: 1_000 };
    expect(charge(price, usage, groupRatioOne)).toBe(251_250);
    expect(charge(price, { ...usage, input: 100_001 }, groupRatioOne)).toBe(
      200_002 + 125_000 + 4_000,
    );
  });
  test.each([
    ["images", 2, 40_000],
    ["seconds", 60, 750],
    ["characters", 100, 125],
    ["input_audio", 8, 10],
    ["output_audio", 8, 10],
    ["web_searches", 1, 5_000],
    ["calls", 5, 0],
  ] as const)(
    "of %s without a price of their own follows from the others",
    (bucket, used, expected) => {
      expect(charge(defaultPrice, { ...noUsage, [bucket]: used }, groupRatioOne)).toBe(expected);
      const free = {
        rates: thawPrice({ ...freezePrice(defaultPrice, groupRatioOne), rates: {} }).rates,
      };
      expect(charge(free, { ...noUsage, [bucket]: used }, groupRatioOne)).toBe(0);
    },
  );
  test("of audio and images survives the columns of a log row", () => {
    fc.assert(
      fc.property(pricings, usages, ratio, (price, usage, group) => {
        const frozen = freezePrice({ ...defaultPrice, ...price }, group);
        const row = {
          prompt_tokens: promptTokens(usage),
          completion_tokens: computeCompletionTokens(usage),
          cached_prompt_tokens: computeCachedTokens(usage),
          cache_write_5m_tokens: usage.cache_write_5m,
          cache_write_1h_tokens: usage.cache_write_1h,
          price: JSON.stringify(buildLoggedPrice(frozen, usage)),
        } as LogRow;
        expect(explainLog(row)).toEqual(explainCharge(frozen, usage));
      }),
    );
  });
  test("of the smallest fraction is one unit, and of a negative amount nothing", () => {
    const tiny = { rates: { ...defaultPrice.rates, input: 1n } };
    expect(charge(tiny, { ...noUsage, input: 1 }, 1)).toBe(1);
    expect(charge(tiny, { ...noUsage, input: 1, output: -1_000 }, 1)).toBe(1);
  });
  test("may be as large as a safe integer, and one unit more is an error", () => {
    const unit = { rates: { ...defaultPrice.rates, input: 2_000_000n } };
    const largest = { ...noUsage, input: Number.MAX_SAFE_INTEGER };
    expect(charge(unit, largest, groupRatioOne)).toBe(Number.MAX_SAFE_INTEGER);
    expect(() => charge(unit, largest, groupRatioOne + 1)).toThrow("out of range");
  });
  test("beyond what can be stored is an error, not a wrong number", { tags: ["F-58"] }, () => {
    expect(() =>
      charge(
        { rates: { ...defaultPrice.rates, input: 10n ** 18n } },
        { ...noUsage, input: 2 ** 40 },
        groupRatioOne,
      ),
    ).toThrow(RangeError);
  });
});

test("every token of a prompt and of a reply counts once", () => {
  const text = {
    input: 1,
    cache_read: 20,
    cache_write_5m: 300,
    cache_write_1h: 4_000,
    output: 50_000,
  };
  expect([promptTokens(text), computeCachedTokens(text), computeCompletionTokens(text)]).toEqual([
    4_321, 20, 50_000,
  ]);
  const media = {
    cache_read_audio: 5,
    input_audio: 600,
    cache_read_image: 7_000,
    input_image: 80_000,
  };
  const usage = { ...text, ...media, output_audio: 6, output_image: 700, seconds: 9, images: 9 };
  expect([promptTokens(usage), computeCachedTokens(usage), computeCompletionTokens(usage)]).toEqual(
    [91_926, 7_025, 50_706],
  );
});

test("a bucket without a rate has a derived one", () => {
  const text = { input: 5n, cache_read: 1n, cache_write_5m: 2n, cache_write_1h: 3n, output: 7n };
  const rateIn = (some: Partial<Rates>) => (bucket: UsageBucket) =>
    chooseRate({ ...text, ...some }, bucket);
  const derived = [
    "cache_read_audio",
    "cache_read_image",
    "output_audio",
    "output_image",
    "input_audio",
  ] as const;
  expect(derived.map(rateIn({}))).toEqual([1n, 1n, 7n, 7n, 5n]);
  expect(derived.map(rateIn({ input_audio: 11n, input_image: 13n }))).toEqual([
    11n,
    13n,
    7n,
    7n,
    11n,
  ]);
  expect(derived.map(rateIn({ input_audio: 0n, cache_read_image: 0n }))).toEqual([
    0n,
    0n,
    7n,
    7n,
    0n,
  ]);
  const pieces = [
    "images",
    "web_searches",
    "file_searches",
    "search_units",
    "code_runs",
    "container_sessions",
    "pages",
    "annotated_pages",
    "map_requests",
    "grounded_requests",
    "calls",
    "seconds",
    "characters",
  ] as const;
  const perUse = [10_000_000_000n, 2_500_000_000n, 2_000_000_000n, 5_000_000_000n, 30_000_000_000n];
  const usual = [
    40_000_000_000n,
    ...perUse,
    4_000_000_000n,
    5_000_000_000n,
    25_000_000_000n,
    0n,
    0n,
  ];
  expect(pieces.map(rateIn({}))).toEqual([...usual, 50n, 5n]);
  expect(pieces.map(rateIn({ input: 1n }))).toEqual([...usual, 10n, 1n]);
  expect(pieces.map(rateIn({ input: 0n }))).toEqual(pieces.map(() => 0n));
});

test("a price is free of charge only where nothing of it costs, at any length, hour and variant", () => {
  const rates = { input: 0n, cache_read: 0n, cache_write_5m: 0n, cache_write_1h: 0n, output: 0n };
  const free = { ...defaultPrice, rates };
  expect(isFreeOfCharge(free)).toBe(true);
  expect(isFreeOfCharge(defaultPrice)).toBe(false);
  const dear = { ...rates, images: 1n };
  const hour = { from: 0, to: 60, exceptWeekends: false };
  expect(isFreeOfCharge({ ...free, rates: dear })).toBe(false);
  expect(isFreeOfCharge({ ...free, tiers: [{ above: 1_000, aboveOutput: 0, rates: dear }] })).toBe(
    false,
  );
  expect(isFreeOfCharge({ ...free, hours: [{ ...hour, rates: dear }] })).toBe(false);
  expect(isFreeOfCharge({ ...free, callFees: new Map([["low", 0n]]) })).toBe(true);
  expect(isFreeOfCharge({ ...free, callFees: new Map([["low", 1n]]) })).toBe(false);
});

test("anything that is charged makes a call a used one", () => {
  expect(isUsed(noUsage)).toBe(false);
  expect(buckets.filter((bucket) => !isUsed({ ...noUsage, [bucket]: 1 }))).toEqual([]);
});

test("a fee for the call itself is charged once, whether the price or only its later tier states it", () => {
  const usage = { ...noUsage, input: 10 };
  const free = thawPrice({ rates: {} }).rates;
  const withFee = (calls: bigint): Rates => ({ ...free, calls });
  const tierOf = (above: number, rates: Rates) => ({ above, aboveOutput: -1, rates });
  expect([free, withFee(0n)].map((rates) => addCallFee(usage, { rates }))).toEqual([usage, usage]);
  expect(addCallFee(usage, { rates: withFee(1n) })).toEqual({ ...usage, calls: 1 });
  const pricing = { rates: free, tiers: [tierOf(0, free), tierOf(9, withFee(2_000_000_000n))] };
  const charged = (input: number): number =>
    charge(pricing, addCallFee({ ...usage, input }, pricing), groupRatioOne);
  expect([charged(9), charged(10)]).toEqual([0, 1_000]);
});

test("of several matching tiers the last applies, and each begins above its bounds", () => {
  const at = (input: bigint): Rates => ({ ...defaultPrice.rates, input });
  const pricing = {
    rates: at(1n),
    tiers: [
      { above: 10, aboveOutput: -1, rates: at(2n) },
      { above: 20, aboveOutput: 5, rates: at(3n) },
    ],
  };
  const inputRate = (input: number, output: number) =>
    buildRates(pricing, { ...noUsage, input, output }).input;
  expect([
    inputRate(10, 9),
    inputRate(11, 0),
    inputRate(20, 6),
    inputRate(21, 5),
    inputRate(21, 6),
  ]).toEqual([1n, 2n, 2n, 2n, 3n]);
});

describe("a frozen price", () => {
  const price = {
    ...defaultPrice,
    rates: { ...thawPrice({ rates: { input: "3" } } as FrozenPrice).rates, images: 0n },
  };
  const rest = { group_ratio: 5, source: "default price", source_date: "", verified: false };
  test("contains only rates above zero and explicit ones", () => {
    expect(freezePrice(price, 5)).toStrictEqual({ rates: { input: "3", images: "0" }, ...rest });
    const tiers = [{ above: 1, aboveOutput: 2, rates: { ...price.rates, output: 4n } }];
    expect(freezePrice({ ...price, tiers }, 5)).toStrictEqual({
      rates: { input: "3", images: "0" },
      tiers: [{ above: 1, above_output: 2, rates: { input: "3", output: "4", images: "0" } }],
      ...rest,
    });
  });
  test("names the group whose ratio it is, and what the operator pays, which no explanation shows", () => {
    const buying = { rates: { ...price.rates, input: 2n } };
    const frozen = freezePrice({ ...price, buying }, 5, "vip");
    const rates = { input: "3", images: "0" };
    expect(frozen).toStrictEqual({
      rates,
      buying: { rates: { ...rates, input: "2" } },
      ...rest,
      group: "vip",
    });
    const explanation = explainCharge(frozen, noUsage);
    expect(explanation.group).toBe("vip");
    expect(explanation).not.toHaveProperty("buying");
  });
  test("stays unchanged for a call with text only", () => {
    const frozen = freezePrice(price, 5);
    expect(buildLoggedPrice(frozen, { ...noUsage, input: 7, images: 0 })).toBe(frozen);
    expect([readExtraUsage(noUsage), readExtraUsage({ ...noUsage, images: 0 })]).toEqual([
      undefined,
      undefined,
    ]);
  });
  test("is stored with the rates of the extra usage, and no others", () => {
    const tiers = [{ above: 1, aboveOutput: -1, rates: { ...price.rates, input: 2n } }];
    const frozen = freezePrice({ ...price, tiers }, 5);
    expect(buildLoggedPrice(frozen, { ...noUsage, input: 2, seconds: 1, images: 0 })).toStrictEqual(
      {
        rates: { input: "2", images: "0", seconds: "20" },
        ...rest,
        usage: { seconds: 1 },
      },
    );
  });
});

test("an explanation has a line per used bucket, the ratio, and the sum rounded up", () => {
  const frozen = (group_ratio: number): FrozenPrice => ({
    rates: { input: "3", output: "1000000" },
    ...{ group_ratio, source: "channel 7", source_date: "2026-11-20", verified: true },
  });
  const usage = { ...noUsage, input: 1 };
  expect(explainCharge(frozen(1_500_000), usage)).toStrictEqual({
    lines: [{ bucket: "input", tokens: 1, price_per_million: "0.000003", picodollars: "3" }],
    group_ratio: "1.5",
    total_picodollars: "5",
    ...{ quota: 1, source: "channel 7", source_date: "2026-11-20", verified: true },
  });
  const totals = [1, 1_000_000, 333_334].map(
    (ratio) => explainCharge(frozen(ratio), usage).total_picodollars,
  );
  expect(totals).toEqual(["1", "3", "2"]);
  expect(explainCharge({ ...frozen(1), rates: { input: "1" } }, usage).total_picodollars).toBe("1");
});

test.each([
  [0n, "0"],
  [1n, "0.000001"],
  [1_234_567n, "1.234567"],
  [2_500_000n, "2.5"],
  [100_000n, "0.1"],
  [10_000_000n, "10"],
])("%s picodollars a token are %s dollars a million", (rate, text) => {
  expect(readDollarsPerMillion(rate)).toBe(text);
});

describe("the price of a model", () => {
  test("comes from the book with its source and date", () => {
    const price = findPrice("gpt-4o", book, undefined, "channel 1");
    expect(price.rates).toMatchObject({
      input: 2_500_000n,
      cache_read: 1_250_000n,
      output: 10_000_000n,
    });
    expect(price.source).toContain("genai-prices");
    expect(price.verified).toBe(true);
  });
  test("of an unlisted model is the visible default, unverified", () => {
    expect(findPrice("no-such-model", book, undefined, "channel 1")).toMatchObject({
      source: "default price",
      verified: false,
    });
  });
  test("with only a channel's ratio keeps the listed ratio of output to input", () => {
    const { rates: own, source } = findPrice("gpt-4o", book, { ratio: 2 }, "channel 7");
    expect(own).toMatchObject({ input: 4_000_000n, output: 16_000_000n });
    expect(source).toBe("model_configs of channel 7");
  });
  test("with only a completion ratio applies it to the listed input", () => {
    expect(findPrice("gpt-4o", book, { completion_ratio: 2 }, "").rates).toMatchObject({
      input: 2_500_000n,
      output: 5_000_000n,
    });
  });
  test("with only max_tokens keeps the listed price", () => {
    expect(findPrice("gpt-4o", book, { max_tokens: 100 }, "")).toMatchObject({
      max_tokens: 100,
      verified: true,
    });
  });
  test("of a ratio of 0 is free, and a negative cache ratio makes cached input free", () => {
    expect(findPrice("x", book, { ratio: 0, completion_ratio: 5 }, "").rates.output).toBe(0n);
    expect(findPrice("x", book, { ratio: 1, cached_input_ratio: -1 }, "").rates.cache_read).toBe(
      0n,
    );
  });
  test("survives the conversion to ratios and back", () => {
    for (const [model, price] of book) {
      if (price.rates.input === 0n) continue;
      const again = findPrice("unlisted", new Map(), buildModelConfig(price), "");
      const described = ({
        rates: { cache_read_audio, cache_read_image, output_image, reasoning, ...rest },
      }: Pricing) => {
        const ofTools = new Set<string>(
          itemBuckets.filter((bucket) => bucket !== "images" && bucket !== "seconds"),
        );
        return Object.fromEntries(Object.entries(rest).filter(([bucket]) => !ofTools.has(bucket)));
      };
      expect([model, described(again)]).toEqual([model, described(price)]);
      expect([model, again.tiers?.map(({ above }) => above)]).toEqual([
        model,
        price.tiers?.map(({ above }) => above),
      ]);
    }
  });
});

describe("an entry of model_configs", () => {
  const rate = (config: ModelConfig, bucket: UsageBucket, variant = ""): number =>
    Number(chooseRate(findPrice("gpt-4o", book, config, "", variant).rates, bucket)) / 1_000_000;

  test("prices audio as multiples of text, or by the second", () => {
    expect(
      rate({ ratio: 1, audio: { prompt_ratio: 16, completion_ratio: 2 } }, "input_audio"),
    ).toBe(32);
    expect(
      rate({ ratio: 1, audio: { prompt_ratio: 16, completion_ratio: 2 } }, "output_audio"),
    ).toBe(64);
    expect(rate({ ratio: 1, audio: { usd_per_second: 0.0001 } }, "seconds")).toBe(100);
    expect(rate({ ratio: 1, audio: { prompt_tokens_per_second: 20 } }, "seconds")).toBe(40);
    expect(rate({ audio: { prompt_ratio: 2 } }, "input_audio")).toBe(5);
  });
  test("prices images by size and quality", () => {
    const image = {
      price_per_image_usd: 0.04,
      default_size: "small",
      default_quality: "plain",
      size_multipliers: { small: 1, large: 2 },
      quality_multipliers: { plain: 1, hd: 1.5 },
      quality_size_multipliers: { hd: { large: 5 } },
    };
    const prices = ["", "large", "large/hd", "small/hd", "/hd", "toString/__proto__"].map(
      (variant) => rate({ image }, "images", variant),
    );
    expect(prices).toEqual([40_000, 80_000, 200_000, 60_000, 60_000, 40_000]);
    expect(rate({ ratio: 2, image: { prompt_ratio: 3 } }, "input_image")).toBe(12);
  });
  test("has tiers with overrides only", () => {
    const tiers = [{ ratio: 2, input_token_threshold: 1_000 }];
    const price = findPrice("gpt-4o", book, { ratio: 1, completion_ratio: 4, tiers }, "");
    const charged = (input: number): number =>
      charge(price, { ...noUsage, input, output: 1 }, groupRatioOne);
    expect([charged(999), charged(1_000)]).toEqual([999 + 4, 2_000 + 8]);
  });
  test("is read without invalid prices", () => {
    const read = parseModelConfigs({
      a: {
        ratio: 1,
        completion_ratio: -1,
        image: { price_per_image_usd: "4", size_multipliers: { x: 2, y: null } },
      },
      b: {
        tiers: [{ ratio: 2, input_token_threshold: 5 }, "x", { ratio: Number.NaN }],
        cached_input_ratio: -1,
      },
      c: 7,
    });
    expect(Object.fromEntries(read)).toStrictEqual({
      a: { ratio: 1, image: { size_multipliers: { x: 2 } } },
      b: { tiers: [{ ratio: 2, input_token_threshold: 5 }, {}], cached_input_ratio: -1 },
    });
  });
});

test("an entry keeps zero, small values, and the names of defaults", () => {
  const config = {
    ratio: 0,
    completion_ratio: 0.5,
    image: { default_size: "large", default_quality: "hd" },
  };
  const read = parseModelConfigs({
    a: { ...config, name: "x", flag: true },
    b: null,
    c: [1, { ratio: 2 }],
  });
  expect(Object.fromEntries(read)).toStrictEqual({ a: config, c: [{ ratio: 2 }] });
});

test("the default price is a dollar and a quarter for half a million tokens of any kind, and unverified", () => {
  const [input, rest] = [2_500_000n, 2_500_000n];
  expect(defaultPrice).toEqual({
    rates: { input, cache_read: rest, cache_write_5m: rest, cache_write_1h: rest, output: rest },
    ...{ source: "default price", source_date: "", verified: false, max_tokens: 0 },
  });
});

test.each([
  ["default", 1_000_000],
  ["vip", 800_000],
  ["unheard of", 1_000_000],
  ["toString", 1_000_000],
])("group %s has the ratio %i", (group, expected) => {
  expect(readGroupRatio(group, { default: 1, vip: 0.8 })).toBe(expected);
});
