import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseDecimal } from "../decimal.ts";
import { charge, groupRatioOne, noUsage, type Price } from "./price.ts";
import {
  applyRegionalFactor,
  findFactor,
  hasOwnPrice,
  regionalFactors,
} from "./regional-prices.ts";

const price: Price = {
  rates: {
    input: 2_000_000n,
    cache_read: 200_000n,
    cache_write_5m: 2_500_000n,
    cache_write_1h: 4_000_000n,
    output: 10_000_000n,
    web_searches: 10n,
  },
  source: "a list",
  source_date: "2026-11-23",
  verified: true,
  max_tokens: 0,
};
const european = { type: 1, base: "https://eu.api.openai.com/v1", config: {} };

test("every factor is an exact decimal from a page that is named with the day on which it was read", () => {
  for (const { factor, source, read_on, what } of regionalFactors) {
    expect(parseDecimal(factor)).toBeDefined();
    expect(source).toMatch(/^https:\/\//);
    expect(read_on).toMatch(/^\d{4}-\d\d-\d\d$/);
    expect(what).not.toBe("");
  }
});

test.each([
  ["eu.api.openai.com", "gpt-5.4", "1.1"],
  ["us.api.openai.com", "gpt-5.4-mini-2026-03-17", "1.1"],
  ["jp.api.openai.com", "gpt-5-5", "1.1"],
  ["eu.api.openai.com", "gpt-5.10", "1.1"],
  ["eu.api.openai.com", "gpt-6-sol", "1.1"],
  ["eu.api.openai.com", "gpt-6.1-terra", "1.1"],
  ["eu.api.openai.com", "gpt-12", "1.1"],
  ["eu.api.openai.com", "gpt-5.3-codex", undefined],
  ["eu.api.openai.com", "gpt-5", undefined],
  ["eu.api.openai.com", "gpt-5-2025-08-07", undefined],
  ["eu.api.openai.com", "gpt-4.1", undefined],
  ["eu.api.openai.com", "o3", undefined],
  ["api.openai.com", "gpt-5.4", undefined],
  ["eu.api.openai.com.example.org", "gpt-5.4", undefined],
  ["proxy.eu.api.openai.com", "gpt-5.4", undefined],
  ["us.api.x.ai", "grok-4.6", "1.1"],
  ["api.x.ai", "grok-4.6", undefined],
  ["us-api-x-ai.example.org", "grok-4.6", undefined],
  ["vertex europe-west1", "claude-sonnet-4-5", "1.1"],
  ["vertex eu", "claude-haiku-4-5@20251001", "1.1"],
  ["vertex global-west1", "claude-opus-4-10", "1.1"],
  ["vertex us-east5", "claude-opus-5-5", "1.1"],
  ["vertex us-east5", "claude-fable-5", "1.1"],
  ["vertex us-east5", "claude-opus-10", "1.1"],
  ["vertex us-east5", "claude-opus-4-1@20250805", undefined],
  ["vertex us-east5", "claude-sonnet-4@20250514", undefined],
  ["vertex us-east5", "claude-sonnet-4-20250514", undefined],
  ["vertex us-east5", "claude-3-5-haiku-20241022", undefined],
  ["vertex global", "claude-sonnet-4-5", undefined],
  ["vertex us-east5", "gemini-3-pro-preview", undefined],
])("at %s, the price of %s is multiplied by %s", (place, model, factor) => {
  expect(findFactor(place, model)).toBe(factor);
});

describe("the price of a channel", () => {
  const at = (channel: Partial<typeof european>, model = "gpt-5.4", entry?: object) =>
    applyRegionalFactor(price, model, { ...european, ...channel }, hasOwnPrice(entry));

  test("is that of its place for tokens, and the listed one for searches", () => {
    const regional = at({});
    expect(regional.rates).toMatchObject({
      input: 2_200_000n,
      cache_read: 220_000n,
      output: 11_000_000n,
    });
    expect(regional.rates.web_searches).toBe(10n);
    expect(regional.source).toBe("a list, region eu.api.openai.com × 1.1");
  });

  test("is the same object where its place adds nothing", () => {
    expect(at({ base: "https://api.openai.com" })).toBe(price);
    expect(at({ base: "" })).toBe(price);
    expect(at({ base: "no address" })).toBe(price);
    expect(at({ config: { region_price_factor: 1 } })).toBe(price);
  });

  test("of Vertex depends on its region, and not on its host", () => {
    const vertex = { type: 42, base: "https://aiplatform.eu.rep.googleapis.com" };
    expect(at({ ...vertex, config: { region: "eu" } }, "claude-sonnet-4-6").rates.input).toBe(
      2_200_000n,
    );
    expect(at({ ...vertex, config: { region: "global" } }, "claude-sonnet-4-6")).toBe(price);
    expect(at({ base: vertex.base, config: { region: "eu" } }, "claude-sonnet-4-6")).toBe(price);
    expect(at({ ...vertex, config: {} }, "claude-sonnet-4-6")).toBe(price);
  });

  test("has the factor that the operator states, above that of the page, also on a price of its own", () => {
    const config = { region_price_factor: 1.25 };
    expect(at({ config }).rates.input).toBe(2_500_000n);
    expect(at({ config, base: "https://swedencentral.example.org" }, "any").rates.input).toBe(
      2_500_000n,
    );
    expect(at({ config }, "gpt-5.4", { ratio: 1 }).rates.input).toBe(2_500_000n);
  });

  test("that the operator entered for the channel is that of its place", () => {
    for (const entry of [{ ratio: 1 }, { completion_ratio: 2 }, { prices: { input: 1 } }])
      expect(at({}, "gpt-5.4", entry)).toBe(price);
    expect(at({}, "gpt-5.4", { max_tokens: 9 }).rates.input).toBe(2_200_000n);
  });

  test("ignores a factor that no form accepts", () => {
    for (const region_price_factor of ["2", -2, 0, 11, Number.NaN, null])
      expect(at({ config: { region_price_factor } as object }).rates.input).toBe(2_200_000n);
  });

  test("is never below the listed one for a factor above 1, and never above it for one below", () => {
    const tokens = fc.nat(100_000);
    const stated = fc
      .integer({ min: 100_000, max: 10_000_000 })
      .map((millionths) => millionths / 1_000_000);
    fc.assert(
      fc.property(tokens, tokens, stated, (input, output, region_price_factor) => {
        const used = { ...noUsage, input, output };
        const regional = charge(at({ config: { region_price_factor } }), used, groupRatioOne);
        const listed = charge(price, used, groupRatioOne);
        expect(region_price_factor >= 1 ? regional >= listed : regional <= listed).toBe(true);
      }),
    );
  });
});
