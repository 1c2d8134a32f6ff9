import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { priceAsStated, showPrices } from "../../money/prices/operator-prices.ts";
import { defaultPrice } from "../../money/prices/price-book.ts";
import { buildPriceBook, readPriceLists } from "../../money/prices/price-lists.ts";
import { readPriceListText, UnreadablePriceList } from "./price-list-formats.ts";

const read = (list: object) => readPriceListText(JSON.stringify(list)).models;

describe("LiteLLM's list", () => {
  test("is read as exact dollars for a million tokens, with long prompts and items", () => {
    const models = read({
      sample_spec: { input_cost_per_token: 1e-6 },
      "gpt-9": {
        input_cost_per_token: 1.25e-6,
        output_cost_per_token: 1e-5,
        cache_read_input_token_cost: 1.25e-7,
        cache_creation_input_token_cost: 1.5625e-6,
        input_cost_per_token_above_200k_tokens: 2.5e-6,
        output_cost_per_token_above_200k_tokens: 1.5e-5,
        litellm_provider: "openai",
      },
      "paint-1": { output_cost_per_image: 0.04 },
    });
    expect(models).toEqual({
      "gpt-9": {
        input: 1.25,
        output: 10,
        cache_read: 0.125,
        cache_write_5m: 1.5625,
        tiers: [{ above: 200_000, input: 2.5, output: 15 }],
      },
      "paint-1": { images: 0.04 },
    });
  });

  test("gives a name the maker's price before a host's, and Google's own before that of Vertex AI", () => {
    const price = (dollars: number) => ({
      input_cost_per_token: dollars / 1e6,
      output_cost_per_token: 0,
    });
    const models = read({
      "groq/open-1": price(9),
      "mistral/open-1": price(1),
      "gemini-9": price(8),
      "gemini/gemini-9": price(2),
      "azure/eu/gpt-9": price(7),
    });
    expect(Object.entries(models).map(([model, { input }]) => [model, input])).toEqual([
      ["gemini-9", 2],
      ["open-1", 1],
    ]);
  });

  test("has no price of 0 for a model, nor one that is negative, absurd or no number", () => {
    const cost = (input: unknown) => ({ input_cost_per_token: input, output_cost_per_token: 0 });
    const wrong = {
      free: cost(0),
      debt: cost(-1),
      much: cost(1),
      word: cost("x"),
      bare: {},
      text: "x",
    };
    expect(Object.keys(read({ ...wrong, right: cost(2e-6) }))).toEqual(["right"]);
  });
});

test("the list of this program is read as its price book is, but for prices by the hour and approximate ones", () => {
  const text = readFileSync(new URL("../../money/prices/price-data.json", import.meta.url), "utf8");
  const { source, models } = readPriceListText(text);
  expect(source).toContain("genai-prices");
  const book = buildPriceBook(readPriceLists());
  const compared = Object.entries(models).filter(
    ([model]) => book.get(model)?.verified && !book.get(model)?.hours,
  );
  expect(compared.length).toBeGreaterThan(500);
  for (const [model, prices] of compared) {
    const listed = book.get(model) ?? defaultPrice;
    expect([model, showPrices(priceAsStated(listed, prices, ""))]).toEqual([
      model,
      showPrices(listed),
    ]);
  }
});

describe("the list of this program", () => {
  const own = (...entries: unknown[]) => ({
    source: "package 1.0",
    sellers: { openai: entries, odd: "x", none: 7 },
  });
  test("has its name, and leaves out prices by the hour, approximate ones, and entries of another form", () => {
    const list = own(
      { models: ["by-hour"], input: "1", hours: [{ from: "01:00", to: "02:00", input: "0.5" }] },
      { models: ["rough"], input: "1", unverified: true },
      { models: "text", input: "1" },
      "text",
      null,
      { models: ["free"], input: "0" },
      { models: ["hexadecimal"], input: "0x10" },
      { models: ["listed"], input: [3] },
      {
        models: ["right", 7, ["nested"], "", "n".repeat(201), "n".repeat(200)],
        input: "2",
        output: "6",
      },
      { models: ["right"], input: "9" },
    );
    expect(readPriceListText(JSON.stringify(list))).toStrictEqual({
      source: "package 1.0",
      models: { right: { input: 2, output: 6 }, ["n".repeat(200)]: { input: 2, output: 6 } },
    });
    expect(readPriceListText(JSON.stringify({ ...list, source: 7 })).source).toBe("");
    expect(readPriceListText(JSON.stringify({ ...list, source: "s".repeat(300) })).source).toBe(
      "s".repeat(200),
    );
  });

  test("has tiers in which caches without a price of their own cost what input does", () => {
    const tiers = [{ above: 1000, input: "4", output: "9" }];
    const models = read(
      own(
        { models: ["a"], input: "2", cache_write_1h: "3", tiers },
        { models: ["b"], input: "2", tiers: [] },
      ),
    );
    const higher = { input: 4, output: 9, cache_read: 4, cache_write_5m: 4, cache_write_1h: 3 };
    expect(models).toEqual({
      a: { input: 2, cache_write_1h: 3, tiers: [{ above: 1000, ...higher }] },
      b: { input: 2 },
    });
  });
});

test("each size of LiteLLM's tiers is read, prices may be texts, and an item of 0 or of another form is none", () => {
  const tiers = Object.fromEntries(
    [128, 200, 256, 272].map((size) => [`input_cost_per_token_above_${size}k_tokens`, 4e-6]),
  );
  const models = read({
    long: { input_cost_per_token: "2e-6", ...tiers },
    drawn: { input_cost_per_token: 1e-6, output_cost_per_image: 0, input_cost_per_second: "0.1" },
  });
  expect(models).toEqual({
    long: {
      input: 2,
      tiers: [128_000, 200_000, 256_000, 272_000].map((above) => ({ above, input: 4 })),
    },
    drawn: { input: 1 },
  });
});

test("a list of more models than any list has is refused", () => {
  const list = (count: number) =>
    Object.fromEntries(
      Array.from({ length: count }, (_, place) => [`m${place}`, { input_cost_per_token: 1e-6 }]),
    );
  expect(Object.keys(read(list(20_000)))).toHaveLength(20_000);
  expect(() => read(list(20_001))).toThrow("the list has more than 20000 models");
});

test("the list of another program has no name, and a text that is no JSON is refused as such", () => {
  const text = JSON.stringify({ source: "a page", "gpt-9": { input_cost_per_token: 1e-6 } });
  expect(readPriceListText(text)).toStrictEqual({ source: "", models: { "gpt-9": { input: 1 } } });
  expect(() => readPriceListText("prices")).toThrow("the list is not JSON");
});

test.each([
  "",
  "[]",
  "null",
  "{}",
  '{"a":{"input_cost_per_token":0}}',
  '{"sellers":{"openai":"x"}}',
])("%j is no price list", (text) =>
  expect(() => readPriceListText(text)).toThrow(UnreadablePriceList),
);

test("any text is read as a list with prices of the contract, or refused", () => {
  const member = fc.oneof(fc.double(), fc.string(), fc.constant(null), fc.jsonValue());
  const model = fc.dictionary(
    fc.constantFrom("input_cost_per_token", "output_cost_per_token", "x"),
    member,
  );
  fc.assert(
    fc.property(
      fc.oneof(
        fc.json(),
        fc.dictionary(fc.string(), model).map((list) => JSON.stringify(list)),
      ),
      (text) => {
        try {
          const { models } = readPriceListText(text);
          for (const { input = 0 } of Object.values(models))
            expect(input).toBeGreaterThanOrEqual(0);
        } catch (error) {
          expect(error).toBeInstanceOf(UnreadablePriceList);
        }
      },
    ),
  );
});
