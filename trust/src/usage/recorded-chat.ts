// Answers of chat completions as real providers give them: the members and their order are those of recordings, words
// and figures are our own.
import type { RecordedAnswer, WireObject } from "./recorded-answer.ts";

const count = (prompt_tokens: number, completion_tokens: number): WireObject => ({
  prompt_tokens,
  completion_tokens,
  total_tokens: prompt_tokens + completion_tokens,
});

type ChatRow = Omit<RecordedAnswer, "speaks">;
export const chat: readonly ChatRow[] = [
  {
    after: ["alibaba-reasoning"],
    content: ["reasoning", "text"],
    usage: {
      ...count(31, 1_207),
      completion_tokens_details: { reasoning_tokens: 950 },
      prompt_tokens_details: { cached_tokens: 0 },
    },
    billed: { input: 31, output: 1_207 },
  },
  {
    after: ["alibaba-tool-call"],
    content: ["call"],
    usage: { ...count(310, 27), prompt_tokens_details: { cached_tokens: 0 } },
    billed: { input: 310, output: 27 },
  },
  {
    after: ["azure-deepseek-reasoning.1"],
    content: ["reasoning", "text"],
    usage: {
      ...count(27, 1_500),
      prompt_tokens_details: null,
      reasoning_tokens: 0,
      audio_prompt_tokens: 0,
    },
    billed: { input: 27, output: 1_500 },
  },
  {
    after: ["deepseek-json"],
    content: ["reasoning", "text"],
    usage: {
      ...count(512, 140),
      prompt_tokens_details: { cached_tokens: 384 },
      completion_tokens_details: { reasoning_tokens: 101 },
      prompt_cache_hit_tokens: 384,
      prompt_cache_miss_tokens: 128,
    },
    billed: { input: 128, cache_read: 384, output: 140 },
  },
  {
    after: ["deepseek-text"],
    content: ["text"],
    usage: {
      ...count(17, 350),
      prompt_tokens_details: { cached_tokens: 0 },
      prompt_cache_hit_tokens: 0,
      prompt_cache_miss_tokens: 17,
    },
    stream: "counted_with_end",
    billed: { input: 17, output: 350 },
  },
  {
    after: ["groq-text"],
    content: ["text"],
    usage: {
      queue_time: 0.05,
      ...count(52, 610),
      prompt_time: 0.003,
      completion_time: 2.4,
      total_time: 2.403,
    },
    stream: "counted_with_end",
    billed: { input: 52, output: 610 },
  },
  {
    after: ["mistral-reasoning"],
    content: ["parts"],
    usage: count(12, 48),
    stream: "counted_with_end",
    billed: { input: 12, output: 48 },
  },
  {
    after: ["mistral-tool-call"],
    content: ["call"],
    usage: count(131, 26),
    stream: "counted_with_end",
    billed: { input: 131, output: 26 },
  },
  {
    after: ["moonshotai-reasoning"],
    content: ["reasoning", "text"],
    usage: {
      ...count(40, 33),
      cached_tokens: 24,
      completion_tokens_details: { reasoning_tokens: 20 },
    },
    billed: { input: 16, cache_read: 24, output: 33 },
  },
  {
    after: ["moonshotai-text"],
    content: ["text"],
    usage: count(8, 6),
    billed: { input: 8, output: 6 },
  },
  {
    after: ["perplexity-citations"],
    content: ["text", "text"],
    usage: count(11, 251),
    stream: "counted_in_every_event",
    billed: { input: 11, output: 251 },
  },
  ...(
    [
      [["xai-text"], ["reasoning", "text"], 14, 9, 3, 300],
      [["xai-tool-call"], ["reasoning", "call"], 305, 280, 24, 170],
    ] as const
  ).map(([after, content, prompt, cached, answer, reasoning]) => ({
    after,
    content,
    // Reasoning is counted beside the answer.
    usage: {
      ...count(prompt, answer),
      total_tokens: prompt + answer + reasoning,
      prompt_tokens_details: {
        text_tokens: prompt,
        audio_tokens: 0,
        image_tokens: 0,
        cached_tokens: cached,
      },
      completion_tokens_details: {
        reasoning_tokens: reasoning,
        audio_tokens: 0,
        accepted_prediction_tokens: 0,
        rejected_prediction_tokens: 0,
      },
      num_sources_used: 0,
      cost_in_usd_ticks: 1_500_000,
    },
    billed: { input: prompt - cached, cache_read: cached, output: answer + reasoning },
  })),
];
