import { describe, expect, test } from "vitest";
import { noUsage } from "../../../money/prices/price.ts";
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
      {
        input: 40,
        cache_read: 20,
        cache_write_5m: 10,
        input_audio: 30,
        output: 43,
        output_audio: 7,
      },
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
        server_side_tool_usage_details: {
          web_search_calls: 1,
          file_search_calls: 1,
          code_interpreter_calls: 1,
        },
      },
      {
        input: 1,
        input_audio: 1,
        output_audio: 1,
        web_searches: 1,
        file_searches: 1,
        code_runs: 1,
      },
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
      {
        prompt_tokens: 100,
        prompt_tokens_details: { cached_tokens: 20, cache_write_tokens: 10, audio_tokens: 500 },
      },
      { cache_read: 20, cache_write_5m: 10, input_audio: 70 },
      {},
    ],
    [
      "no more pictures than are neither read nor written nor sound",
      {
        prompt_tokens: 100,
        prompt_tokens_details: { cached_tokens: 20, audio_tokens: 30, image_tokens: 500 },
      },
      { cache_read: 20, input_audio: 30, input_image: 50 },
      {},
    ],
    [
      "pictures that were drawn, at their own price",
      {
        prompt_tokens: 10,
        completion_tokens: 1_300,
        completion_tokens_details: { reasoning_tokens: 0, image_tokens: 1_290 },
      },
      { input: 10, output: 10, output_image: 1_290 },
      { hiddenOutput: 1_290 },
    ],
    [
      "no more pictures than output that is no sound",
      {
        prompt_tokens: 1,
        completion_tokens: 50,
        completion_tokens_details: { audio_tokens: 20, image_tokens: 900 },
      },
      { input: 1, output_audio: 20, output_image: 30 },
      { hiddenOutput: 50 },
    ],
    ...[
      "cache_write_tokens",
      "cache_creation_input_tokens",
      "cache_creation_tokens",
      "cached_creation_tokens",
    ].map((name): [string, object, object, object] => [
      `what was written to a cache, where a provider calls it ${name}`,
      { prompt_tokens: 50, prompt_tokens_details: { cached_tokens: 0, [name]: 30 } },
      { input: 20, cache_write_5m: 30 },
      {},
    ]),
    ...["cache_creation", "cache_creation_token_details"].map(
      (name): [string, object, object, object] => [
        `what was written for an hour, by ${name}`,
        {
          prompt_tokens: 50,
          prompt_tokens_details: {
            cache_creation_input_tokens: 30,
            [name]: { ephemeral_5m_input_tokens: 10, ephemeral_1h_input_tokens: 20 },
          },
        },
        { input: 20, cache_write_5m: 10, cache_write_1h: 20 },
        {},
      ],
    ),
    [
      "no more for an hour than was written",
      {
        prompt_tokens: 50,
        prompt_tokens_details: {
          cache_write_tokens: 30,
          cache_creation: { ephemeral_1h_input_tokens: 99 },
        },
      },
      { input: 20, cache_write_1h: 30 },
      {},
    ],
    [
      "sound by the second, whose tokens Mistral has in the total alone",
      { prompt_audio_seconds: 203, prompt_tokens: 4, total_tokens: 3_264, completion_tokens: 635 },
      { input: 4, output: 635, seconds: 203 },
      {},
    ],
    [
      "a second of sound without an answer",
      { prompt_audio_seconds: 1, prompt_tokens: 4, total_tokens: 17 },
      { input: 4, seconds: 1 },
      {},
    ],
    [
      "no sound in no second",
      { prompt_audio_seconds: 0, prompt_tokens: 4, total_tokens: 9 },
      { input: 4, output: 5 },
      { hiddenOutput: 5 },
    ],
    [
      "one search that a tool of OpenRouter made",
      {
        prompt_tokens: 9,
        completion_tokens: 4,
        server_tool_use: {
          web_search_requests: 1,
          tool_calls_requested: 1,
          tool_calls_executed: 1,
        },
      },
      { input: 9, output: 4, web_searches: 1 },
      {},
    ],
    ["a prompt alone", { prompt_tokens: 5 }, { input: 5 }, {}],
    ["an answer alone", { prompt_tokens: 0, completion_tokens: 3 }, { output: 3 }, {}],
    ["a total alone as the prompt", { total_tokens: 1 }, { input: 1 }, {}],
    [
      "the prompt as the rest of a total",
      { total_tokens: 14, completion_tokens: 4 },
      { input: 10, output: 4 },
      {},
    ],
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
      {
        prompt_tokens: 10,
        completion_tokens: 5,
        total_tokens: 15,
        citation_tokens: 3,
        reasoning_tokens: 4,
      },
      { input: 13, output: 5, reasoning: 4 },
      { hiddenOutput: 4, hiddenPrompt: 3 },
    ],
    [
      "reasoning beside an answer that was hidden whole",
      {
        prompt_tokens: 10,
        completion_tokens: 5,
        citation_tokens: 0,
        reasoning_tokens: 4,
        completion_tokens_details: { audio_tokens: 5 },
      },
      { input: 10, output_audio: 5, reasoning: 4 },
      { hiddenOutput: 9 },
    ],
    [
      "reasoning alone",
      { prompt_tokens: 0, completion_tokens: 0, citation_tokens: 0, reasoning_tokens: 4 },
      { reasoning: 4 },
      { hiddenOutput: 4 },
    ],
    [
      "a search whose fee Perplexity does not count",
      { prompt_tokens: 10, completion_tokens: 5, search_context_size: "low" },
      { input: 10, output: 5 },
      { hasUnknownFee: "of_call" },
    ],
    [
      "what agents of Perplexity read of a cache, and how often they searched",
      {
        input_tokens: 10,
        output_tokens: 5,
        input_tokens_details: { cache_read_input_tokens: 4 },
        tool_calls_details: {
          search_web: { invocation: 2 },
          web_search: { invocation: 1 },
          fetch_url: 7,
        },
      },
      { input: 6, cache_read: 4, output: 5, web_searches: 3 },
      {},
    ],
    [
      "no search of a size that is no word",
      { prompt_tokens: 10, completion_tokens: 5, search_context_size: 3 },
      { input: 10, output: 5 },
      {},
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
    expect(parseOpenAiUsage(wire)).toMatchObject({
      usage: { input: 9, cache_read: 0 },
      isCorrected: true,
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
    { prompt_tokens: 0, completion_tokens: 0, citation_tokens: 0 },
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
