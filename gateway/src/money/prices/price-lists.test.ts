import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { textBuckets } from "@tollgate/contract/figures/usage-buckets.ts";
import { describe, expect, test } from "vitest";
import {
  buildPriceBook,
  type PriceData,
  type PriceEntry,
  type PriceList,
  readPriceLists,
} from "./price-lists.ts";

const lists = readPriceLists();
const book = buildPriceBook(lists);

/**
 * Dollars per million tokens, copied by hand from the package: input, cache read, cache write for 5
 * min and 1 h, output.
 */
const known: [seller: string, model: string, dollars: number[], verified: boolean][] = [
  ["anthropic", "claude-haiku-4-5-20251001", [1, 0.1, 1.25, 2, 5], true],
  ["anthropic", "claude-opus-4-8", [5, 0.5, 6.25, 10, 25], true],
  ["anthropic", "claude-opus-5-5", [4, 0.2, 5, 8, 20], true],
  ["anthropic", "claude-sonnet-4-5-20250929", [3, 0.3, 3.75, 6, 15], true],
  ["google", "gemini-2.5-flash", [0.3, 0.03, 0.3, 0.3, 2.5], true],
  ["google", "gemini-2.5-pro", [1.25, 0.125, 1.25, 1.25, 10], true],
  // Changed on 2026-06-16.
  ["mistral", "mistral-medium-latest", [1.5, 0.15, 1.5, 1.5, 7.5], true],
  // Changed on 2026-08-17 and dearer at some hours.
  ["deepseek", "deepseek-v4-pro", [0.66, 0.022, 0.66, 0.66, 1.98], true],
  ["xai", "grok-3-mini", [0.3, 0.075, 0.3, 0.3, 0.5], true],
  ["cohere", "command-r7b-12-2024", [0.0375, 0.0375, 0.0375, 0.0375, 0.15], true],
  ["cohere", "embed-v4.0", [0.12, 0.12, 0.12, 0.12, 0], true],
  ["moonshot", "kimi-k2.6", [0.95, 0.16, 0.95, 0.95, 4], true],
  ["bedrock", "us.anthropic.claude-haiku-4-5-20251001-v1:0", [1.1, 0.11, 1.375, 2.2, 5.5], true],
  ["groq", "llama-3.3-70b-versatile", [0.59, 0.59, 0.59, 0.59, 0.79], true],
  // Converted from yuan.
  ["zhipu", "glm-5.1", [0.828, 0.179, 0.828, 0.828, 3.31], false],
  ["openrouter", "anthropic/claude-fable-5.1", [10, 0.25, 12.5, 20, 50], true],
];

describe("the price of", () => {
  test.each(known)("%s for %s", (seller, model, dollars, verified) => {
    const price = lists.get(seller)?.get(model);
    expect(textBuckets.map((bucket) => Number(price?.rates[bucket]) / 1_000_000)).toEqual(dollars);
    expect(price).toMatchObject({
      verified,
      source_date: expect.stringMatching(/^\d{4}-\d{2}-\d{2}$/),
    });
    expect(price?.source).toContain("genai-prices");
  });
});

test("longer prompts cost the rates of the tier; missing members keep the base rates", () => {
  const price = lists.get("google")?.get("gemini-2.5-pro");
  expect(price?.tiers).toHaveLength(1);
  expect(price?.tiers?.[0]).toMatchObject({
    above: 200_000,
    rates: { input: 2_500_000n, cache_read: 250_000n, output: 15_000_000n },
  });
  expect(lists.get("openai")?.get("gpt-5.6-sol")?.tiers?.[0]?.rates).toMatchObject({
    cache_write_5m: 10_000_000n,
    web_searches: 10_000_000_000n,
  });
});

test("audio, images, seconds and searches have their own prices", () => {
  const openai = lists.get("openai");
  expect(openai?.get("gpt-realtime")?.rates).toMatchObject({
    input_audio: 32_000_000n,
    cache_read_audio: 400_000n,
    output_audio: 64_000_000n,
    input_image: 5_000_000n,
  });
  // 0.36 dollars an hour.
  expect(openai?.get("whisper-1")?.rates).toMatchObject({ input: 0n, seconds: 100_000_000n });
  expect(openai?.get("gpt-5")?.rates).toMatchObject({
    web_searches: 10_000_000_000n,
    file_searches: 2_500_000_000n,
  });
  expect(lists.get("google")?.get("gemini-2.5-flash-image")?.rates.output_image).toBe(30_000_000n);
});

describe("one book", () => {
  test("has the maker's price where a host's differs", () => {
    expect(lists.get("copilot")?.get("grok-4.5")?.rates.cache_read).toBe(500_000n);
    expect(book.get("grok-4.5")?.rates.cache_read).toBe(300_000n);
  });
  test("takes the first seller with a price, not the first that lists the name", () => {
    const price = book.get("gpt-4o");
    if (!price) throw new Error("gpt-4o has no price");
    const dearer = { ...price, rates: { ...price.rates, input: 9n } };
    const named: PriceList = new Map([["m", undefined]]);
    const made = buildPriceBook(
      new Map([
        ["names alone", named],
        ["first", new Map([["m", price]])],
        ["second", new Map([["m", dearer]])],
      ]),
    );
    expect(made.get("m")).toBe(price);
  });
  test("has no duplicates of another seller, and no retired models", () => {
    expect(lists.get("openai")?.has("gpt-oss-120b")).toBe(false);
    expect(book.get("gpt-oss-120b")).toBe(lists.get("cerebras")?.get("gpt-oss-120b"));
    expect(book.has("mistral-tiny")).toBe(false);
  });
});

describe("a list of prices", () => {
  /** The list that a price file with these entries yields. */
  const listOf = (...entries: PriceEntry[]): PriceList => {
    const dir = mkdtempSync(join(tmpdir(), "tollgate-prices-"));
    try {
      const file = join(dir, "prices.json");
      const data: PriceData = {
        source: "a source",
        read_on: "2026-11-20",
        unit: "",
        sellers: { seller: entries },
      };
      writeFileSync(file, JSON.stringify(data));
      return readPriceLists(pathToFileURL(file)).get("seller") ?? new Map();
    } finally {
      rmSync(dir, { recursive: true });
    }
  };
  const text = { input: 2n, cache_read: 2n, cache_write_5m: 2n, cache_write_1h: 2n, output: 0n };
  const read = { source: "a source", source_date: "2026-11-20", verified: true, max_tokens: 0 };

  test("has a price for every name of an entry, and names without a price", () => {
    const list = listOf({ models: ["a", "b"], input: "0.000002" }, { models: ["c"] });
    expect([...list.keys()]).toEqual(["a", "b", "c"]);
    expect(list.get("b")).toStrictEqual({ rates: text, ...read });
    expect(list.get("c")).toBeUndefined();
  });
  test("has the fees of tools, and the longest answers where they are known", () => {
    const google = readPriceLists().get("google");
    expect(google?.get("gemini-3-flash-preview")).toMatchObject({
      rates: { web_searches: 14_000_000_000n },
      max_tokens: 65_536,
    });
    expect(readPriceLists().get("anthropic")?.get("claude-haiku-4-5-20251001")?.max_tokens).toBe(
      64_000,
    );
    expect(listOf({ models: ["a"], input: "1" }).get("a")?.max_tokens).toBe(0);
  });
  test("marks approximate prices", () => {
    expect(listOf({ models: ["a"], input: "1", unverified: true }).get("a")).toMatchObject({
      verified: false,
    });
  });
  test("prices a million tokens, and each counted item", () => {
    const entry = {
      cached_input: "1",
      cache_write_5m: "3",
      output: "4",
      input_audio: "5",
      images: "1",
      seconds: "0.5",
    };
    expect(listOf({ models: ["a"], input: "2", ...entry }).get("a")?.rates).toStrictEqual({
      input: 2_000_000n,
      cache_read: 1_000_000n,
      cache_write_5m: 3_000_000n,
      cache_write_1h: 3_000_000n,
      output: 4_000_000n,
      input_audio: 5_000_000n,
      images: 1_000_000_000_000n,
      seconds: 500_000_000_000n,
    });
    expect(
      listOf({ models: ["a"], output: "1", cache_write_1h: "7" }).get("a")?.rates,
    ).toStrictEqual({
      ...{
        input: 0n,
        cache_read: 0n,
        cache_write_5m: 0n,
        cache_write_1h: 7_000_000n,
        output: 1_000_000n,
      },
    });
  });
  test("overrides members in tiers and hours", () => {
    const tiers = [{ above: 9, output: "0.000005" }];
    const hours = [
      { from: "00:59", to: "23:01", input: "0.000003" },
      { from: "10:00", to: "19:00", except_weekends: true as const, output: "0.000001" },
    ];
    expect(listOf({ models: ["a"], input: "0.000002", tiers, hours }).get("a")).toStrictEqual({
      rates: text,
      tiers: [{ above: 9, aboveOutput: -1, rates: { ...text, output: 5n } }],
      hours: [
        {
          ...{ from: 59, to: 23 * 60 + 1, exceptWeekends: false },
          rates: { input: 3n, cache_read: 3n, cache_write_5m: 3n, cache_write_1h: 3n, output: 0n },
        },
        { from: 600, to: 1_140, exceptWeekends: true, rates: { ...text, output: 1n } },
      ],
      ...read,
    });
  });
  test.each(["24:00", "1:00", "10:60", ""])("with %j for a time of day is refused", (from) => {
    expect(() => listOf({ models: ["a"], input: "1", hours: [{ from, to: "01:00" }] })).toThrow(
      "is not a time of day",
    );
  });
});

test("sound has prices of its own in both directions, except for models that are known to lack them", () => {
  const lacking = [...book]
    .filter(([name]) => /audio/i.test(name))
    .filter(([, { rates }]) => rates.input_audio === undefined || rates.output_audio === undefined)
    .map(([name]) => name);
  // Charged as text (docs/decisions/0097). A name that joins them needs a price in model_configs
  // before it is sold.
  expect(lacking.sort()).toEqual([
    "gpt-4o-audio-preview",
    "gpt-4o-mini-audio-preview",
    "openai/gpt-4o-audio-preview",
    "openai/gpt-audio",
    "openai/gpt-audio-mini",
  ]);
});
