import { priceNames } from "@tollgate/contract/catalogue/model-prices.ts";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { buildDayOfPrices, callCost, computeNanodollars, findBuyingPrice } from "./buying-price.ts";
import { multiplyPrice } from "./operator-prices.ts";
import {
  addCallFee,
  buildLoggedPrice,
  charge,
  computePicodollars,
  extraBuckets,
  freezePrice,
  groupRatioOne,
  isUsed,
  noUsage,
  type Price,
  type Rates,
  type Usage,
} from "./price.ts";
import { findPrice, parseModelConfigs, readPriceBook } from "./price-book.ts";
import { priceWithTerms } from "./price-factors.ts";

const book = readPriceBook();
const models = [...book.keys()];
const count = fc.nat({ max: 200_000 });
const usages = fc.record({
  ...Object.fromEntries(Object.keys(noUsage).map((bucket) => [bucket, count])),
  ...Object.fromEntries(
    extraBuckets.map((bucket) => [bucket, fc.option(fc.nat({ max: 50 }), { nil: undefined })]),
  ),
}) as unknown as fc.Arbitrary<Usage>;
/** Millionths, as an operator types them. */
const factors = fc.integer({ min: 0, max: 3_000_000 }).map((millionths) => millionths / 1_000_000);
const model = fc.constantFrom(...models);

const frozenWith = (name: string, factor: unknown, config = {}) => {
  const entry = parseModelConfigs({ [name]: config }).get(name);
  const selling = findPrice(name, book, entry, "channel 1");
  const buying = findBuyingPrice(name, book, entry, factor);
  const [price = selling] = buildDayOfPrices(selling, buying).ofDay;
  return { price, frozen: freezePrice(price, groupRatioOne) };
};
const used = { ...noUsage, input: 1_000_000, output: 100_000 };

describe("the cost of a call", () => {
  test("is unknown without a buying price, and for a model that no list prices", () => {
    for (const factor of [undefined, null, "0.5", -1, Number.NaN, Number.POSITIVE_INFINITY])
      expect(callCost(frozenWith("gpt-4o-mini", factor).frozen, used)).toBeNull();
    expect(callCost(frozenWith("nobody-prices-this", 0.8).frozen, used)).toBeNull();
    expect(findBuyingPrice("gpt-4o-mini", book, undefined, undefined)).toBeUndefined();
    expect(frozenWith("gpt-4o-mini", undefined).frozen).not.toHaveProperty("buying");
  });

  test("is the list price times the factor, whatever the operator sells for", () => {
    // $0.15 for a million in and $0.60 for a million out.
    expect(callCost(frozenWith("gpt-4o-mini", 1).frozen, used)).toBe(210_000_000);
    expect(callCost(frozenWith("gpt-4o-mini", 0.8).frozen, used)).toBe(168_000_000);
    expect(callCost(frozenWith("gpt-4o-mini", 0.8, { ratio: 50 }).frozen, used)).toBe(168_000_000);
    expect(callCost(frozenWith("gpt-4o-mini", 0).frozen, used)).toBe(0);
  });

  test("follows a price of its own where the channel states one for the model", () => {
    const own = { buying_prices: { input: 0.1 } };
    expect(callCost(frozenWith("gpt-4o-mini", undefined, own).frozen, used)).toBe(160_000_000);
    expect(callCost(frozenWith("gpt-4o-mini", 0.5, own).frozen, used)).toBe(130_000_000);
    // Of a model that no list prices, answers cost what plain input does.
    expect(callCost(frozenWith("nobody-prices-this", undefined, own).frozen, used)).toBe(
      110_000_000,
    );
    // Where plain input is not stated either, only what is stated costs something.
    const answers = { buying_prices: { output: 0.1 } };
    expect(callCost(frozenWith("nobody-prices-this", undefined, answers).frozen, used)).toBe(
      10_000_000,
    );
    expect(
      callCost(frozenWith("gpt-4o-mini", undefined, { buying_prices: { input: -1 } }).frozen, used),
    ).toBeNull();
  });

  test("changes no charge, and no explanation of one", () => {
    fc.assert(
      fc.property(model, factors, usages, (name, factor, usage) => {
        const [without, sold] = [frozenWith(name, undefined), frozenWith(name, factor)];
        expect(charge(sold.price, usage, groupRatioOne)).toBe(
          charge(without.price, usage, groupRatioOne),
        );
        const { buying: _, ...selling } = buildLoggedPrice(sold.frozen, usage);
        expect(selling).toEqual(buildLoggedPrice(without.frozen, usage));
      }),
    );
  });

  test("is within half a nanodollar of the exact sum", () => {
    fc.assert(
      fc.property(model, factors, usages, (name, factor, usage) => {
        const { price, frozen } = frozenWith(name, factor);
        const { buying = price } = price;
        const difference =
          BigInt(callCost(frozen, usage) ?? -1) * 1_000n -
          computePicodollars(buying, addCallFee(usage, buying));
        expect(difference).toBeLessThanOrEqual(500n);
        expect(difference).toBeGreaterThan(-500n);
      }),
    );
  });

  test("never falls when the factor or the usage grows, and is at most the charge while the factor and the ratio allow it", () => {
    fc.assert(
      fc.property(model, factors, factors, usages, (name, one, other, usage) => {
        const [low, high] = [Math.min(one, other), Math.max(one, other)].map((factor) =>
          frozenWith(name, factor),
        );
        const costs = [low, high].map((sold) => callCost(sold?.frozen ?? {}, usage) ?? -1);
        expect(costs[0]).toBeGreaterThanOrEqual(0);
        expect(costs[0]).toBeLessThanOrEqual(costs[1] ?? 0);
        const more = callCost(low?.frozen ?? {}, { ...usage, output: usage.output + 1 }) ?? -1;
        if (low?.price.buying?.tiers === undefined)
          expect(more).toBeGreaterThanOrEqual(costs[0] ?? 0);
        if (Math.min(one, other) <= 1 && low) {
          const charged = charge(low.price, usage, groupRatioOne);
          expect(costs[0]).toBeLessThanOrEqual(charged * 2_000);
        }
      }),
    );
  });

  test("is what was frozen, through JSON, with the factors of tiers and speeds", () => {
    fc.assert(
      fc.property(model, usages, (name, usage) => {
        const { price, frozen } = frozenWith(name, 0.75);
        expect(callCost(JSON.parse(JSON.stringify(frozen)), usage)).toBe(callCost(frozen, usage));
        const doubled = priceWithTerms(price, [
          { member: "service_tier", value: "priority", factor: "2" },
        ]);
        const text = { ...noUsage, input: usage.input, output: usage.output };
        const twice = callCost(freezePrice(doubled, groupRatioOne), text) ?? 0;
        // No tier changes a fee for the call itself.
        const fee = isUsed(text) ? Number((price.buying ?? price).rates.calls ?? 0n) / 1_000 : 0;
        expect(Math.abs(twice + fee - 2 * (callCost(frozen, text) ?? 0))).toBeLessThanOrEqual(1);
      }),
    );
  });

  test("beyond what a log row holds is unknown, and does not throw", () => {
    expect(computeNanodollars(BigInt(Number.MAX_SAFE_INTEGER) * 1_000n)).toBe(
      Number.MAX_SAFE_INTEGER,
    );
    expect(computeNanodollars((BigInt(Number.MAX_SAFE_INTEGER) + 1n) * 1_000n)).toBeNull();
  });

  test("has the fee for a call once, where anything was used", () => {
    const { frozen } = frozenWith("nobody-prices-this", undefined, {
      buying_prices: { input: 0, calls: 0.002 },
    });
    expect(callCost(frozen, { ...noUsage, input: 5 })).toBe(2_000_000);
    expect(callCost(frozen, { ...noUsage, input: 5, calls: 1 })).toBe(2_000_000);
    expect(callCost(frozen, noUsage)).toBe(0);
  });
});

describe("buying prices that depend on the hour", () => {
  const rates = (input: bigint): Rates => ({
    input,
    cache_read: input,
    cache_write_5m: input,
    cache_write_1h: input,
    output: input,
  });
  const night = { from: 22 * 60, to: 6 * 60, exceptWeekends: false };
  const flat: Price = {
    rates: rates(8n),
    source: "",
    source_date: "",
    verified: true,
    max_tokens: 0,
  };
  const hourly: Price = { ...flat, hours: [{ ...night, rates: rates(4n) }] };
  const noon = Date.UTC(2026, 10, 23, 12);
  const midnight = Date.UTC(2026, 10, 23, 0);

  test("apply at their hours, whether the selling price has hours or not", () => {
    for (const selling of [
      flat,
      { ...hourly, hours: [{ ...night, from: 11 * 60, to: 13 * 60, rates: rates(6n) }] },
    ]) {
      const { ofDay, indexAt } = buildDayOfPrices(selling, multiplyPrice(hourly, 0.5));
      expect(ofDay[indexAt(noon)]?.buying?.rates.input).toBe(4n);
      expect(ofDay[indexAt(midnight)]?.buying?.rates.input).toBe(2n);
      expect(ofDay[indexAt(noon)]?.rates.input).toBe(selling === flat ? 8n : 6n);
      expect(ofDay[indexAt(midnight)]?.rates.input).toBe(8n);
    }
  });
});

test("each name of a price can be stated for buying", () => {
  const stated = Object.fromEntries(priceNames.map((name) => [name, 1]));
  const [first = ""] = models;
  const price = findBuyingPrice(
    first,
    book,
    parseModelConfigs({ [first]: { buying_prices: stated } }).get(first),
    undefined,
  );
  expect(Object.keys(price?.rates ?? {}).sort()).toEqual([...priceNames].sort());
});
