import { describe, expect, test } from "vitest";
import { buckets } from "./price.ts";
import { bookOf, type PriceList, readPriceLists } from "./price-lists.ts";

const lists = readPriceLists();
const book = bookOf(lists);

/** Dollars per million tokens, copied by hand from the package's own data: input, read, written for 5 min, 1 h, output. */
const known: [seller: string, model: string, dollars: number[], verified: boolean][] = [
  ["anthropic", "claude-haiku-4-5-20251001", [1, 0.1, 1.25, 2, 5], true],
  ["anthropic", "claude-opus-4-8", [5, 0.5, 6.25, 10, 25], true],
  ["anthropic", "claude-opus-5-5", [4, 0.2, 5, 8, 20], true],
  // Tiered by prompt size: the lowest.
  ["anthropic", "claude-sonnet-4-5-20250929", [3, 0.3, 3.75, 6, 15], false],
  ["google", "gemini-2.5-flash", [0.3, 0.03, 0.3, 0.3, 2.5], true],
  ["google", "gemini-2.5-pro", [1.25, 0.125, 1.25, 1.25, 10], false],
  // Changed on 2026-06-16.
  ["mistral", "mistral-medium-latest", [1.5, 0.15, 1.5, 1.5, 7.5], true],
  // Changed on 2026-08-17 and dearer at some hours.
  ["deepseek", "deepseek-v4-pro", [0.66, 0.022, 0.66, 0.66, 1.98], false],
  ["xai", "grok-3-mini", [0.3, 0.075, 0.3, 0.3, 0.5], true],
  ["cohere", "command-r7b-12-2024", [0.0375, 0.0375, 0.0375, 0.0375, 0.15], true],
  ["cohere", "embed-v4.0", [0.12, 0.12, 0.12, 0.12, 0], true],
  ["moonshot", "kimi-k2.6", [0.95, 0.16, 0.95, 0.95, 4], true],
  ["bedrock", "us.anthropic.claude-haiku-4-5-20251001-v1:0", [1.1, 0.11, 1.375, 1.375, 5.5], true],
  ["groq", "llama-3.3-70b-versatile", [0.59, 0.59, 0.59, 0.59, 0.79], true],
  // Converted from yuan.
  ["zhipu", "glm-5.1", [0.828, 0.179, 0.828, 0.828, 3.31], false],
  ["openrouter", "anthropic/claude-fable-5.1", [10, 0.25, 12.5, 12.5, 50], true],
];

describe("the price of", () => {
  test.each(known)("%s for %s", (seller, model, dollars, verified) => {
    const price = lists.get(seller)?.get(model);
    expect(buckets.map((bucket) => Number(price?.rates[bucket]) / 1_000_000)).toEqual(dollars);
    expect(price).toMatchObject({ verified, source_date: expect.stringMatching(/^\d{4}-\d{2}-\d{2}$/) });
    expect(price?.source).toContain("genai-prices");
  });
});

describe("one book", () => {
  test("has the maker's own price where a host asks another", () => {
    expect(lists.get("copilot")?.get("grok-4.5")?.rates.cache_read).toBe(500_000n);
    expect(book.get("grok-4.5")?.rates.cache_read).toBe(300_000n);
  });
  test("takes the first seller that states a price, not the first that knows the name", () => {
    const price = book.get("gpt-4o");
    if (!price) throw new Error("gpt-4o has no price");
    const dearer = { ...price, rates: { ...price.rates, input: 9n } };
    const named: PriceList = new Map([["m", undefined]]);
    const made = bookOf(
      new Map([
        ["names alone", named],
        ["first", new Map([["m", price]])],
        ["second", new Map([["m", dearer]])],
      ]),
    );
    expect(made.get("m")).toBe(price);
  });
  test("has no price for what is not sold by tokens", () => {
    expect(lists.get("openai")?.has("whisper-1")).toBe(true);
    expect(book.has("whisper-1")).toBe(false);
  });
  test("has no price that one seller repeats from another, and none of what is gone", () => {
    expect(lists.get("openai")?.has("gpt-oss-120b")).toBe(false);
    expect(book.get("gpt-oss-120b")).toBe(lists.get("cerebras")?.get("gpt-oss-120b"));
    expect(book.has("mistral-tiny")).toBe(false);
  });
});
