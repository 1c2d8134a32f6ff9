import { describe, expect, test } from "vitest";
import { noUsage } from "../../money/price.ts";
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
  test.each([
    [
      "everything at once, each token in one bucket",
      {
        prompt_tokens: 100,
        completion_tokens: 50,
        prompt_tokens_details: { cached_tokens: 20, cache_write_tokens: 10, audio_tokens: 30 },
        completion_tokens_details: { reasoning_tokens: 5, audio_tokens: 7 },
      },
      { input: 40, cache_read: 20, cache_write_5m: 10, input_audio: 30, output: 43, output_audio: 7 },
      { hiddenOutput: 12 },
    ],
    [
      "one of each",
      {
        prompt_tokens: 1,
        completion_tokens: 1,
        citation_tokens: 1,
        prompt_tokens_details: { audio_tokens: 1 },
        completion_tokens_details: { audio_tokens: 1 },
        server_side_tool_usage_details: { web_search_calls: 1, file_search_calls: 1, code_interpreter_calls: 1 },
      },
      { input: 1, input_audio: 1, output_audio: 1, web_searches: 1, file_searches: 1, code_runs: 1 },
      { hiddenOutput: 1, hiddenPrompt: 1 },
    ],
    [
      "no more writes than are not read",
      { prompt_tokens: 100, prompt_tokens_details: { cached_tokens: 20, cache_write_tokens: 500 } },
      { cache_read: 20, cache_write_5m: 80 },
      {},
    ],
    [
      "no more sound than is neither read nor written",
      { prompt_tokens: 100, prompt_tokens_details: { cached_tokens: 20, cache_write_tokens: 10, audio_tokens: 500 } },
      { cache_read: 20, cache_write_5m: 10, input_audio: 70 },
      {},
    ],
    ["a prompt alone", { prompt_tokens: 5 }, { input: 5 }, {}],
    ["an answer alone", { prompt_tokens: 0, completion_tokens: 3 }, { output: 3 }, {}],
    ["a total alone as the prompt", { total_tokens: 1 }, { input: 1 }, {}],
    ["the prompt as the rest of a total", { total_tokens: 14, completion_tokens: 4 }, { input: 10, output: 4 }, {}],
    ["a total that is all answer", { total_tokens: 4, completion_tokens: 4 }, { output: 4 }, {}],
    [
      "what was cached, where Moonshot says it",
      { prompt_tokens: 9, cached_tokens: 6 },
      { input: 3, cache_read: 6 },
      {},
    ],
    [
      "what was cached, where DeepSeek says it",
      { prompt_tokens: 9, prompt_cache_hit_tokens: 6 },
      { input: 3, cache_read: 6 },
      {},
    ],
    [
      "sources and reasoning beside all other counts, as Perplexity reports them",
      { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15, citation_tokens: 3, reasoning_tokens: 4 },
      { input: 13, output: 9 },
      { hiddenOutput: 4, hiddenPrompt: 3 },
    ],
    [
      "sources without reasoning",
      { prompt_tokens: 10, completion_tokens: 5, citation_tokens: 3 },
      { input: 13, output: 5 },
      { hiddenPrompt: 3 },
    ],
    [
      "reasoning in the answer, where there are no sources",
      { prompt_tokens: 10, completion_tokens: 5, reasoning_tokens: 4 },
      { input: 10, output: 5 },
      { hiddenOutput: 4 },
    ],
  ])("is charged as %s", (_, wire, usage, hidden) => {
    expect(parseOpenAiUsage(wire)).toStrictEqual({
      usage: { ...noUsage, ...usage },
      hiddenOutput: 0,
      ...hidden,
      isCorrected: false,
      wire: { family: "openai", members: wire },
    });
  });
  test("is corrected where what was cached is no number", () => {
    const wire = { prompt_tokens: 9, completion_tokens: 1, cached_tokens: "6" };
    expect(parseOpenAiUsage(wire)).toMatchObject({ usage: { input: 9, cache_read: 0 }, isCorrected: true });
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
    { completion_tokens: 4 },
  ])("%j counts nothing that could be charged", { tags: ["F-57"] }, (wire) => {
    expect(parseOpenAiUsage(wire)).toBeUndefined();
  });
});
