import { describe, expect, test } from "vitest";
import { parseOpenAiUsage } from "./openai-usage.ts";

describe("usage", () => {
  test("is split into disjoint buckets", () => {
    const read = parseOpenAiUsage({
      prompt_tokens: 10,
      completion_tokens: 4,
      prompt_tokens_details: { cached_tokens: 6 },
    });
    expect(read).toMatchObject({
      usage: { input: 4, cache_read: 6, cache_write_5m: 0, cache_write_1h: 0, output: 4 },
      hiddenOutput: 0,
      isCorrected: false,
    });
  });
  test("with more cached than prompt tokens is clamped and flagged", () => {
    const read = parseOpenAiUsage({
      prompt_tokens: 3,
      completion_tokens: 1,
      prompt_tokens_details: { cached_tokens: 9 },
    });
    expect(read).toMatchObject({ usage: { input: 0, cache_read: 3 }, isCorrected: true });
  });
  test.each([
    null,
    undefined,
    "12",
    {},
    { prompt_tokens: -1, completion_tokens: 1 },
    { prompt_tokens: 1, completion_tokens: -5 },
    { prompt_tokens: 1.5, completion_tokens: 1 },
    { prompt_tokens: "7", completion_tokens: 1 },
    { prompt_tokens: 2 ** 63, completion_tokens: 1 },
    { prompt_tokens: Number.NaN, completion_tokens: 1 },
    { prompt_tokens: 0, completion_tokens: 0 },
  ])("%j counts nothing that could be charged", { tags: ["F-57"] }, (wire) => {
    expect(parseOpenAiUsage(wire)).toBeUndefined();
  });
});
