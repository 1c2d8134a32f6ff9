import fc from "fast-check";
import { expect, test } from "vitest";
import { parseDecimal } from "../decimal.ts";
import { charge, groupRatioOne, noUsage, type Price } from "./price.ts";
import {
  applyBatchFactor,
  findTerm,
  isDiscount,
  priceFactors,
  priceWithTerms,
} from "./price-factors.ts";

const price: Price = {
  rates: {
    input: 2_000_000n,
    cache_read: 200_000n,
    cache_write_5m: 2_500_000n,
    cache_write_1h: 4_000_000n,
    output: 10_000_000n,
  },
  source: "a list",
  source_date: "2026-11-22",
  verified: true,
  max_tokens: 0,
};
const usage = { ...noUsage, input: 1_000, cache_read: 500, output: 200 };

test("every factor is an exact decimal from a page that is named with the day on which it was read", () => {
  for (const { factor, source, read_on, values } of priceFactors) {
    expect(parseDecimal(factor)).toBeDefined();
    expect(source).toMatch(/^https:\/\//);
    expect(read_on).toMatch(/^\d{4}-\d\d-\d\d$/);
    expect(values.length).toBeGreaterThan(0);
  }
});

test.each([
  ["openai", "service_tier", "flex", "gpt-5-mini", "0.5"],
  ["openai", "service_tier", "priority", "gpt-5", "2"],
  ["openai", "service_tier", "fast", "gpt-5.1-2025-11-13", "2"],
  ["openai", "service_tier", "priority", "gpt-5-codex", "2"],
  ["openai", "service_tier", "priority", "gpt-5.6-luna", "2"],
  ["openai", "service_tier", "priority", "gpt-5.5", "2.5"],
  ["openai", "service_tier", "priority", "gpt-5-mini", "1.8"],
  ["openai", "service_tier", "priority", "gpt-4.1", "1.75"],
  ["openai", "service_tier", "priority", "gpt-5-pro", undefined],
  ["openai", "service_tier", "flex", "gpt-4o", undefined],
  ["openai", "service_tier", "ultrafast", "gpt-5", undefined],
  ["openai", "speed", "fast", "gpt-5", undefined],
  ["anthropic", "speed", "fast", "claude-opus-4-6", "1"],
  ["anthropic", "speed", "fast", "claude-opus-4-7", undefined],
  ["anthropic", "speed", "fast", "claude-opus-4-8", "2"],
  ["anthropic", "speed", "fast", "claude-opus-5", "2"],
  ["anthropic", "speed", "fast", "claude-opus-5-5", "2"],
  ["anthropic", "speed", "fast", "claude-sonnet-4-6", undefined],
  ["anthropic", "inference_geo", "us", "claude-sonnet-4-6", "1.1"],
  ["anthropic", "inference_geo", "us", "claude-opus-5-5", "1.1"],
  ["anthropic", "inference_geo", "us", "claude-sonnet-4-5", undefined],
  ["anthropic", "inference_geo", "eu", "claude-opus-5", undefined],
  ["google", "service_tier", "flex", "gemini-3-flash-preview", "0.5"],
  ["google", "service_tier", "priority", "gemini-3-flash-preview", undefined],
  ["groq", "service_tier", "flex", "llama-3.3-70b-versatile", "1"],
] as const)(
  "at %s, %s %s of %s multiplies the price by %s",
  (seller, member, value, model, factor) => {
    expect(findTerm(seller, member, value, model)?.factor).toBe(factor);
  },
);

test("a fast mode at twice the price costs twice the charge, and the source of the price says so", () => {
  const fast = priceWithTerms(price, [{ member: "speed", value: "fast", factor: "2" }]);
  expect(charge(fast, usage, groupRatioOne)).toBe(2 * charge(price, usage, groupRatioOne));
  expect(fast.source).toBe("a list, speed fast × 2");
});

test("factors multiply each other, and every length and hour of a price", () => {
  const rates = { ...price.rates, input: 4_000_000n };
  const terms = [
    { member: "speed", value: "fast", factor: "6" },
    { member: "inference_geo", value: "us", factor: "1.1" },
  ] as const;
  const scaled = priceWithTerms(
    {
      ...price,
      tiers: [{ above: 200_000, aboveOutput: -1, rates }],
      hours: [{ from: 0, to: 60, exceptWeekends: false, rates }],
    },
    terms,
  );
  expect(scaled.rates.output).toBe(66_000_000n);
  expect(scaled.tiers?.[0]?.rates.input).toBe(26_400_000n);
  expect(scaled.hours?.[0]?.rates.input).toBe(26_400_000n);
});

test("factors multiply what the operator pays as they do what users pay", () => {
  const buying = { rates: { ...price.rates, output: 5_000_000n } };
  const fast = priceWithTerms({ ...price, buying }, [
    { member: "speed", value: "fast", factor: "2" },
  ]);
  expect(fast.buying?.rates).toMatchObject({ input: 4_000_000n, output: 10_000_000n });
});

test("prices per picture and search stay, prices per audio token are multiplied", () => {
  const rates = { ...price.rates, images: 40n, web_searches: 10n, input_audio: 7_000_000n };
  const scaled = priceWithTerms({ ...price, rates }, [
    { member: "service_tier", value: "flex", factor: "0.5" },
  ]);
  expect(scaled.rates).toMatchObject({
    images: 40n,
    web_searches: 10n,
    input_audio: 3_500_000n,
    input: 1_000_000n,
  });
});

test("a factor of 1 is no discount", () => {
  expect(["0.99", "1", "1.01"].map(isDiscount)).toEqual([true, false, false]);
});

test("without terms the price is the same object", () => {
  expect(priceWithTerms(price, [])).toBe(price);
});

test("a factor above 1 never makes a charge smaller, one below never larger", () => {
  const rate = fc.bigInt(0n, 10n ** 12n);
  const rates = fc.record({
    input: rate,
    cache_read: rate,
    cache_write_5m: rate,
    cache_write_1h: rate,
    output: rate,
  });
  const tokens = fc.nat(100_000);
  fc.assert(
    fc.property(
      rates,
      tokens,
      tokens,
      fc.constantFrom(...priceFactors),
      (listed, input, output, { member, values, factor }) => {
        const base = { ...price, rates: listed };
        const used = { ...noUsage, input, output };
        const [value = ""] = values;
        const scaled = charge(
          priceWithTerms(base, [{ member, value, factor }]),
          used,
          groupRatioOne,
        );
        const plain = charge(base, used, groupRatioOne);
        expect(isDiscount(factor) ? scaled <= plain + 1 : scaled >= plain).toBe(true);
      },
    ),
  );
});

test("a batch costs half of the listed price where its provider's page says so, and the listed price elsewhere", () => {
  const listed = {
    rates: {
      input: 2_000_000n,
      cache_read: 1_000_000n,
      cache_write_5m: 0n,
      cache_write_1h: 0n,
      output: 9_000_001n,
    },
    source: "test",
    source_date: "",
    verified: true,
    max_tokens: 0,
  };
  const half = applyBatchFactor(listed, "openai");
  expect(half.rates).toMatchObject({ input: 1_000_000n, cache_read: 500_000n, output: 4_500_001n });
  expect(half.source).toContain("batch × 0.5");
  expect(applyBatchFactor(listed, "groq")).toBe(listed);
  expect(applyBatchFactor(listed, undefined)).toBe(listed);
});
