import { expect, test } from "vitest";
import { charge, noUsage } from "./price.ts";
import { readPriceLists } from "./price-lists.ts";
import { priceWithToolFees, toolFees } from "./tool-fees.ts";

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

test("a fee is exact to the picodollar", () => {
  expect(lists.get("google")?.get("gemini-3-flash-preview")?.rates.web_searches).toBe(14_000_000_000n);
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

test("no model has two fees for one use", () => {
  for (const [seller, list] of lists) {
    for (const model of list.keys()) {
      const its = toolFees.filter((fee) => fee.seller === seller && fee.models.test(model)).map(({ bucket }) => bucket);
      expect([model, its]).toEqual([model, [...new Set(its)]]);
    }
  }
});
