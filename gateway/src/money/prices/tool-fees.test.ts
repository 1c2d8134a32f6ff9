import { describe, expect, test } from "vitest";
import { multiplyPrice, priceAsStated } from "./operator-prices.ts";
import { charge, noUsage } from "./price.ts";
import { findPrice } from "./price-book.ts";
import { buildPriceBook, readPriceLists } from "./price-lists.ts";
import { priceWithToolFees, requestFees, toolFees } from "./tool-fees.ts";

const lists = readPriceLists();

/** Units for a call without a token, of which 500,000 are a dollar. */
function feeOf(seller: string, model: string, usage: object): number {
  const price = lists.get(seller)?.get(model);
  if (!price) throw new Error(`${model} has no price`);
  return charge(price, { ...noUsage, ...usage }, 1_000_000);
}

test("Google bills a call with searches once before Gemini 3, and each search from then on", () => {
  const searched = { web_searches: 3, grounded_requests: 1 };
  expect(feeOf("google", "gemini-2.5-flash", searched)).toBe(17_500);
  expect(feeOf("google", "gemini-2.5-pro", searched)).toBe(17_500);
  expect(feeOf("google", "gemini-3-flash-preview", searched)).toBe(21_000);
});

test("Google bills a call with places of its maps once before Gemini 3, and its searches from then on", () => {
  const placed = { web_searches: 2, map_requests: 1 };
  expect(feeOf("google", "gemini-2.5-flash", placed)).toBe(12_500);
  expect(feeOf("google", "gemini-3-flash-preview", placed)).toBe(14_000);
});

test("Perplexity bills the reasoning of its deep research apart, and each hold covers its own searches", () => {
  const price = lists.get("perplexity")?.get("sonar-deep-research");
  expect(feeOf("perplexity", "sonar-deep-research", { reasoning: 1_000_000 })).toBe(1_500_000);
  expect(feeOf("perplexity", "sonar-deep-research", { output: 1_000_000 })).toBe(4_000_000);
  expect(feeOf("perplexity", "sonar-deep-research", { web_searches: 30 })).toBe(75_000);
  expect(price?.heldBeside).toEqual({ web_searches: 30, reasoning: 200_000 });
  expect(lists.get("perplexity")?.get("sonar-pro")).not.toHaveProperty("heldBeside");
});

test("a fee is exact to the picodollar", () => {
  expect(lists.get("google")?.get("gemini-3-flash-preview")?.rates.web_searches).toBe(
    14_000_000_000n,
  );
});

test("xAI bills searches, programs and searches of collections", () => {
  expect(feeOf("xai", "grok-3-mini", { web_searches: 2 })).toBe(5_000);
  expect(feeOf("xai", "grok-3-mini", { code_runs: 2 })).toBe(5_000);
  expect(feeOf("xai", "grok-3-mini", { file_searches: 2 })).toBe(2_500);
});

test("a fee that a list states stays, also in tiers and at some hours, and other sellers have none", () => {
  const listed = lists.get("google")?.get("gemini-2.5-pro");
  const [tier] = listed?.tiers ?? [];
  expect(tier?.rates).toMatchObject({ web_searches: 0n, grounded_requests: 35_000_000_000n });
  if (!listed || !tier) throw new Error("there is a tier for long prompts");
  const stated = { ...tier.rates, web_searches: 7n };
  const price = {
    ...listed,
    rates: stated,
    tiers: [{ ...tier, rates: stated }],
    hours: [{ from: 0, to: 60, exceptWeekends: false, rates: stated }],
  };
  expect(priceWithToolFees(price, "google", "gemini-2.5-pro")).toEqual(price);
  expect(priceWithToolFees(listed, "openai", "gemini-2.5-pro")).toBe(listed);
});

test("only Perplexity's deep research holds for searches and reasoning of its own", () => {
  const holding = [...lists].flatMap(([seller, list]) =>
    [...list].flatMap(([model, price]) => (price?.heldBeside ? [`${seller} ${model}`] : [])),
  );
  expect(holding).toEqual(["perplexity sonar-deep-research"]);
});

test("no model has two fees for one use", () => {
  for (const [seller, list] of lists) {
    for (const model of list.keys()) {
      const its = toolFees
        .filter((fee) => fee.seller === seller && fee.models.test(model))
        .map(({ bucket }) => bucket);
      expect([model, its]).toEqual([model, [...new Set(its)]]);
    }
  }
});

const book = buildPriceBook(lists);
/** Units for one call without a token. */
const callAs = (
  model: string,
  variant = "",
  config?: Parameters<typeof findPrice>[2],
  listed = book,
): number =>
  charge(
    findPrice(model, listed, config, "channel 1", variant),
    { ...noUsage, calls: 1 },
    1_000_000,
  );

describe("the fee of a request at Perplexity", { tags: ["S2-08"] }, () => {
  test("is that of the size that is asked for, and of the least without one", () => {
    const variants = ["", "low", "medium", "high", "low/steps", "high/steps", "moon"];
    expect(variants.map((one) => callAs("sonar", one))).toEqual([
      2_500, 2_500, 4_000, 6_000, 2_500, 6_000, 2_500,
    ]);
    expect(variants.map((one) => callAs("sonar-pro", one))).toEqual([
      3_000, 3_000, 5_000, 7_000, 7_000, 11_000, 3_000,
    ]);
    expect(callAs("sonar-reasoning-pro", "high/steps")).toBe(7_000);
    // Its searches are counted.
    expect(callAs("sonar-deep-research", "high")).toBe(0);
    expect(callAs("gpt-4o", "high")).toBe(0);
    const sonar = lists.get("perplexity")?.get("sonar");
    if (!sonar) throw new Error("sonar has a price");
    const { callFees: _, ...unpriced } = sonar;
    expect(priceWithToolFees(unpriced, "openrouter", "sonar")).toBe(unpriced);
  });

  test("stays where an operator states other prices, and is the operator's where one states it", () => {
    expect(callAs("sonar", "high", { prices: { input: 2 } })).toBe(6_000);
    expect(callAs("sonar", "high", { prices: { calls: 0.001 } })).toBe(500);
    const sonar = book.get("sonar");
    if (!sonar) throw new Error("sonar has a price");
    const owned = (stated: object) =>
      new Map([["sonar", priceAsStated(sonar, stated, "operator")]]);
    expect(callAs("sonar", "high", undefined, owned({ output: 3 }))).toBe(6_000);
    expect(callAs("sonar", "high", undefined, owned({ calls: 0.002 }))).toBe(1_000);
    expect(
      callAs("sonar", "high", undefined, new Map([["sonar", multiplyPrice(sonar, 0.5)]])),
    ).toBe(3_000);
    // Ratios replace the whole price of the list.
    expect(callAs("sonar", "high", { ratio: 1 })).toBe(0);
  });

  test("is one for each model", () => {
    for (const model of lists.get("perplexity")?.keys() ?? [])
      expect(requestFees.filter(({ models }) => models.test(model)).length).toBeLessThanOrEqual(1);
  });
});
