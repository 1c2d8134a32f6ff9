// What an operator states in dollars, against the price that it changes.

import {
  type ModelPrices,
  modelPrices,
  priceNames,
} from "@tollgate/contract/catalogue/model-prices.ts";
import {
  itemBuckets,
  mediaBuckets,
  textBuckets,
} from "@tollgate/contract/figures/usage-buckets.ts";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import * as z from "zod/mini";
import { buildFlatPrice, multiplyPrice, priceAsStated, showPrices } from "./operator-prices.ts";
import {
  buckets,
  charge,
  chooseRate,
  groupRatioOne,
  noUsage,
  type Price,
  type Rates,
} from "./price.ts";
import { defaultPrice, findPrice, parseModelConfigs } from "./price-book.ts";

const text = {
  input: 2_000_000n,
  cache_read: 1_000_000n,
  cache_write_5m: 3_000_000n,
  cache_write_1h: 5_000_000n,
};
const rates: Rates = { ...text, output: 8_000_000n, input_image: 7_000_000n };
const long: Rates = { ...rates, input: 4_000_000n, output: 16_000_000n };
const night: Rates = { ...rates, input: 1_000_000n };
const listed: Price = {
  rates,
  tiers: [{ above: 200_000, aboveOutput: -1, rates: long }],
  hours: [{ from: 60, to: 120, exceptWeekends: false, rates: night }],
  source: "a list",
  source_date: "2026-11-20",
  verified: false,
  max_tokens: 50,
};
const flat: Price = { ...listed, tiers: [], hours: [] };
const of = (stated: ModelPrices, base = listed): Price =>
  priceAsStated(base, stated, "operator", "2026-11-23");

test("an operator can state a price for everything that a call is charged by, and for nothing else", () => {
  expect([...priceNames].sort()).toEqual([...buckets].sort());
});

test.each([...textBuckets, ...mediaBuckets])(
  "a price of %s is charged for each of its tokens",
  (bucket) => {
    const price = of({ [bucket]: 1.5 }, flat);
    expect(chooseRate(price.rates, bucket)).toBe(1_500_000n);
    const [with_, without] = [price, of({ [bucket]: 0 }, flat)].map((one) =>
      charge(one, { ...noUsage, [bucket]: 1_000_000 }, groupRatioOne),
    );
    expect([with_, without]).toEqual([750_000, 0]);
  },
);
test("the fee for a call by what it searches stays until the operator states one for every call", () => {
  const callFees = new Map([["low", 5_000_000_000n]]);
  const searching = { ...flat, callFees };
  expect(of({ output: 9 }, searching).callFees).toBe(callFees);
  expect(of({ calls: 0.01 }, searching)).not.toHaveProperty("callFees");
  expect(of({ output: 9 }, flat)).not.toHaveProperty("callFees");
  expect(multiplyPrice(searching, 1.5).callFees).toEqual(new Map([["low", 7_500_000_000n]]));
});
test.each(itemBuckets)("a price of %s is charged for each of them", (bucket) => {
  const usage = { ...noUsage, [bucket]: 3 };
  expect(charge(of({ [bucket]: 0.02 }, flat), usage, groupRatioOne)).toBe(30_000);
});

describe("what is left out", () => {
  test("has the price that was there before, and the source is the operator's", () => {
    expect(of({ output: 9 }, flat)).toStrictEqual({
      rates: { ...rates, output: 9_000_000n },
      source: "operator",
      source_date: "2026-11-23",
      verified: true,
      max_tokens: 50,
    });
  });
  test("keeps the source where nothing is priced", () => {
    expect(of({ max_tokens: 9 })).toStrictEqual({ ...listed, max_tokens: 9 });
    expect(of({ max_tokens: 0 }).max_tokens).toBe(50);
    expect(of({})).toStrictEqual(listed);
  });
  test("costs what plain input does, for a model without a known price", () => {
    const unknown = (stated: ModelPrices) => of(stated, buildFlatPrice(defaultPrice, stated)).rates;
    expect(unknown({ input: 4 })).toEqual({
      ...{
        input: 4_000_000n,
        cache_read: 4_000_000n,
        cache_write_5m: 4_000_000n,
        cache_write_1h: 4_000_000n,
      },
      output: 4_000_000n,
    });
    expect(unknown({ web_searches: 0.02 })).toEqual({
      ...defaultPrice.rates,
      web_searches: 20_000_000_000n,
    });
  });
});

describe("prices of long prompts", () => {
  const higher = (stated: ModelPrices) => of(stated).tiers?.[0]?.rates;
  test("keep their proportion to the ordinary ones", () => {
    expect(higher({ input: 3 })).toEqual({ ...long, input: 6_000_000n });
    expect(higher({ output: 0.000_001 })).toEqual({ ...long, output: 2n });
    expect(higher({ input_image: 14, web_searches: 0.01 })).toEqual({
      ...long,
      input_image: 14_000_000n,
      web_searches: 10_000_000_000n,
    });
  });
  test("are rounded to the nearest", () => {
    const base = {
      ...listed,
      rates: { ...rates, input: 3n },
      tiers: [{ above: 1, aboveOutput: -1, rates: { ...long, input: 5n } }],
    };
    const roundedFor = (input: number) => of({ input }, base).tiers?.[0]?.rates.input;
    expect([roundedFor(0.000_001), roundedFor(0.000_002), roundedFor(0.000_003)]).toEqual([
      2n,
      3n,
      5n,
    ]);
  });
  test("are what is stated where the ordinary price was 0", () => {
    const free = { ...listed, rates: { ...rates, input: 0n } };
    expect(of({ input: 3 }, free).tiers?.[0]?.rates.input).toBe(3_000_000n);
  });
  test("are replaced by stated ones, in the order of their thresholds", () => {
    const tiers = [
      { above: 500, output: 20 },
      { above: 100, input: 5 },
    ];
    expect(of({ input: 4, tiers }).tiers).toStrictEqual([
      { above: 100, aboveOutput: -1, rates: { ...rates, input: 5_000_000n } },
      { above: 500, aboveOutput: -1, rates: { ...rates, input: 4_000_000n, output: 20_000_000n } },
    ]);
    expect(of({ tiers: [] })).not.toHaveProperty("tiers");
    expect(of({ tiers: [] })).toMatchObject({ source: "operator" });
  });
});

test("hours of the day stay with the built-in price of text alone", () => {
  expect(of({ web_searches: 1 }).hours?.[0]?.rates).toEqual({
    ...night,
    web_searches: 1_000_000_000_000n,
  });
  for (const stated of [{ input: 1 }, { cache_write_1h: 1 }, { tiers: [] }])
    expect(of(stated)).not.toHaveProperty("hours");
});

const dollars = fc.integer({ min: 1, max: 10 ** 9 }).map((millionths) => millionths / 1_000_000);
const rateSets = fc.record(Object.fromEntries(priceNames.map((name) => [name, dollars])), {
  requiredKeys: [],
});
const statements = fc.record(
  {
    rates: rateSets,
    tiers: fc.uniqueArray(fc.tuple(fc.integer({ min: 0, max: 1_000_000 }), rateSets), {
      maxLength: 3,
      selector: ([above]) => above,
    }),
  },
  { requiredKeys: ["rates"] },
);
const statedOf = ({
  rates: stated,
  tiers,
}: {
  rates: object;
  tiers?: [number, object][];
}): ModelPrices =>
  z.parse(modelPrices, {
    ...stated,
    ...(tiers && { tiers: tiers.map(([above, higher]) => ({ above, ...higher })) }),
  });

test("a price that is shown and stated again is the same price", () => {
  fc.assert(
    fc.property(statements, (statement) => {
      const { hours: _, ...price } = of(statedOf(statement));
      const again = priceAsStated(
        defaultPrice,
        z.parse(modelPrices, showPrices(price)),
        "operator",
        "2026-11-23",
      );
      expect(again).toEqual({
        ...price,
        source: "operator",
        source_date: "2026-11-23",
        verified: true,
      });
    }),
  );
});

test("a stated rate that the price or its long prompts did not have is the same for both", () => {
  const { input_image: _, ...longWithout } = long;
  const tier = (higher: Rates) => ({
    ...listed,
    tiers: [{ above: 200_000, aboveOutput: -1, rates: higher }],
  });
  expect(of({ input_image: 9 }, tier(longWithout)).tiers?.[0]?.rates.input_image).toBe(9_000_000n);
  const withAudio = tier({ ...long, input_audio: 4_000_000n });
  expect(of({ input_audio: 3 }, withAudio).tiers?.[0]?.rates.input_audio).toBe(3_000_000n);
});

test("what a price does not have is not shown", () => {
  expect(showPrices({ ...flat, max_tokens: 0 })).not.toHaveProperty("max_tokens");
  expect(showPrices({ ...flat, max_tokens: 1 })).toMatchObject({ max_tokens: 1 });
  expect(showPrices(flat)).not.toHaveProperty("tiers");
  expect(showPrices(listed).tiers).toMatchObject([{ above: 200_000, input: 4, output: 16 }]);
});

test("a multiple of a price multiplies every charge, to a rounding of each rate", () => {
  fc.assert(
    fc.property(
      statements,
      fc.integer({ min: 0, max: 5 }),
      fc.constantFrom(...buckets),
      (statement, factor, bucket) => {
        const { hours: _, ...price } = of(statedOf(statement));
        const usage = { ...noUsage, [bucket]: 400_000 };
        const rate = (one: Price) => one.rates[bucket] ?? 0n;
        const times = multiplyPrice(price, factor);
        expect(rate(times)).toBe(rate(price) * BigInt(factor));
        if (price.rates[bucket] !== undefined)
          expect(charge(times, usage, groupRatioOne)).toBeLessThanOrEqual(
            factor * charge(price, usage, groupRatioOne),
          );
      },
    ),
  );
  expect(multiplyPrice(flat, 1.5).rates.output).toBe(12_000_000n);
  expect(multiplyPrice(listed, 1.5).tiers?.[0]?.rates.output).toBe(24_000_000n);
});

describe("an entry of a channel", () => {
  const book = new Map([["m", flat]]);
  const priced = (entry: object, model = "m") =>
    findPrice(model, book, parseModelConfigs({ [model]: entry }).get(model), "channel 1");
  test("may state dollars, which go before its ratios", () => {
    expect(
      priced({ ratio: 2, completion_ratio: 3, prices: { output: 1, max_tokens: 7 } }),
    ).toMatchObject({
      rates: { input: 4_000_000n, output: 1_000_000n },
      source: "model_configs of channel 1",
      max_tokens: 7,
    });
    expect(priced({ prices: { cache_read: 0.1 } }).rates).toEqual({
      ...rates,
      cache_read: 100_000n,
    });
  });
  test("without a known price asks for its own input everywhere", () => {
    expect(priced({ prices: { input: 3 } }, "unknown").rates.output).toBe(3_000_000n);
    expect(priced({ ratio: 2, prices: { calls: 0.01 } }, "unknown").rates).toMatchObject({
      output: 4_000_000n,
    });
  });
  test("whose dollars are no prices has none, so that one wrong member does not disable the channel", () => {
    for (const prices of [
      { input: -1 },
      { cache_read: -1 },
      { input: "1" },
      { cached: 1 },
      [],
      3,
      null,
    ])
      expect(priced({ prices })).toEqual(flat);
  });
});
