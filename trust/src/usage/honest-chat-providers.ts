// Families that answer as OpenAI's chat completions do, and how each of them counts.
import type { Usage } from "@tollgate/gateway/money/prices/price.ts";
import {
  base64Of,
  type HonestCounts,
  type HonestProvider,
  outputOf,
  scores,
  streamOf,
  usualBill,
  type WireJson,
  type WrittenWord,
  withSearches,
} from "./honest-provider.ts";

function chatDelta({ kind, word }: WrittenWord): WireJson {
  switch (kind) {
    case "text":
      return { content: word };
    case "reasoning":
      return { reasoning_content: word };
    case "arguments":
      return { tool_calls: [{ index: 0, function: { arguments: word } }] };
    case "custom":
      return { tool_calls: [{ index: 0, type: "custom", custom: { input: word } }] };
    case "legacy":
      return { function_call: { arguments: word } };
    case "newer":
      return { hologram: { layers: [{ glyphs: word }] } };
    case "image":
      return {
        images: [
          { type: "image_url", image_url: { url: `data:image/png;base64,${base64Of(word)}` } },
        ],
      };
    case "audio":
      return { audio: { id: "audio_1", data: base64Of(word), transcript: word } };
    case "file":
      return { content: [{ type: "file", file: { filename: "a.txt", file_data: word } }] };
    case "scored":
      return { content: word };
    case "sealed":
      return { reasoning_details: [{ type: "reasoning.encrypted", data: base64Of(word) }] };
    case "program":
      return { executed_tools: [{ index: 0, type: "python", arguments: word }] };
    case "remote":
      return {
        tool_calls: [{ index: 0, type: "mcp", mcp: { server_label: "tools", arguments: word } }],
      };
  }
}

const chunk = (
  delta: WireJson,
  finish_reason: string | null = null,
  more: WireJson = {},
): WireJson => ({
  id: "c",
  object: "chat.completion.chunk",
  model: "m",
  choices: [{ index: 0, delta, finish_reason, ...more }],
});
const wordChunk = (written: WrittenWord): WireJson =>
  chunk(chatDelta(written), null, {
    index: written.answer,
    ...(written.kind === "scored" && { logprobs: { content: scores(written.word) } }),
  });

const chatUsage = (counts: HonestCounts, output: number): WireJson => ({
  prompt_tokens: counts.input + counts.cached,
  completion_tokens: output,
  total_tokens: counts.input + counts.cached + output,
  prompt_tokens_details: { cached_tokens: counts.cached },
  completion_tokens_details: { reasoning_tokens: counts.reasoning },
});

interface ChatFamily {
  name: string;
  /** As the provider reports it at the end. */
  usage(counts: HonestCounts, words: number): WireJson;
  billed(counts: HonestCounts, words: number): Usage;
}

/** Counts once, after the end of the output. */
const countingAtTheEnd = ({ name, usage, billed }: ChatFamily): HonestProvider => ({
  name,
  speaks: "chat_completions",
  stream(words, counts) {
    const { output: counted } = billed(counts, words.length);
    return streamOf(
      [
        { data: chunk({ role: "assistant", content: "" }) },
        ...words.map((word) => ({ data: wordChunk(word), words: 1 })),
        { data: chunk({}, "stop"), isFinished: true },
        {
          data: { id: "c", choices: [], usage: usage(counts, words.length) },
          counted,
          isCounted: true,
        },
        { data: "[DONE]" as const },
      ],
      billed(counts, words.length),
    );
  },
});

const openAi = countingAtTheEnd({
  name: "OpenAI's chat",
  usage: (counts, words) => chatUsage(counts, words + counts.reasoning),
  billed: (counts, words) => usualBill(counts, words + counts.reasoning),
});

const xAi = countingAtTheEnd({
  name: "xAI's chat",
  // Reasoning stands beside the completion, and in the total.
  usage: (counts, words) => ({
    prompt_tokens: counts.input + counts.cached,
    completion_tokens: words,
    total_tokens: counts.input + counts.cached + words + counts.reasoning,
    prompt_tokens_details: {
      cached_tokens: counts.cached,
      text_tokens: counts.input + counts.cached,
    },
    completion_tokens_details: { reasoning_tokens: counts.reasoning },
    server_side_tool_usage_details: { web_search_calls: counts.searches },
  }),
  billed: (counts, words) => ({
    ...usualBill(counts, words + counts.reasoning),
    ...withSearches(counts.searches),
  }),
});

const deepSeek = countingAtTheEnd({
  name: "DeepSeek's chat",
  usage: (counts, words) => ({
    prompt_tokens: counts.input + counts.cached,
    completion_tokens: words + counts.reasoning,
    total_tokens: counts.input + counts.cached + words + counts.reasoning,
    prompt_cache_hit_tokens: counts.cached,
    prompt_cache_miss_tokens: counts.input,
    completion_tokens_details: { reasoning_tokens: counts.reasoning },
  }),
  billed: (counts, words) => usualBill(counts, words + counts.reasoning),
});

const moonshot = countingAtTheEnd({
  name: "Moonshot's chat",
  usage: (counts, words) => ({
    prompt_tokens: counts.input + counts.cached,
    completion_tokens: words + counts.reasoning,
    total_tokens: counts.input + counts.cached + words + counts.reasoning,
    cached_tokens: counts.cached,
  }),
  billed: (counts, words) => usualBill(counts, words + counts.reasoning),
});

const perplexity = countingAtTheEnd({
  name: "Perplexity's chat",
  // Sources that it reads and what it thinks stand beside all other counts, the total included.
  usage: (counts, words) => ({
    prompt_tokens: counts.input,
    completion_tokens: words,
    total_tokens: counts.input + words,
    citation_tokens: counts.cached,
    reasoning_tokens: counts.reasoning,
    num_search_queries: counts.searches,
  }),
  billed: (counts, words) => ({
    ...usualBill({ ...counts, input: counts.input + counts.cached, cached: 0 }, words),
    ...(counts.reasoning > 0 && { reasoning: counts.reasoning }),
    ...withSearches(counts.searches),
  }),
});

/** Counts in every event, as vLLM and Perplexity do. */
const counting: HonestProvider = {
  name: "a provider that counts in every event",
  speaks: "chat_completions",
  stream(words, counts) {
    const output = outputOf(words, counts);
    const running = (before: number): WireJson => chatUsage({ ...counts, reasoning: 0 }, before);
    return streamOf(
      [
        { data: { ...chunk({ role: "assistant", content: "" }), usage: running(0) } },
        ...words.map((word, index) => ({
          data: { ...wordChunk(word), usage: running(index + 1) },
          words: 1,
          counted: index + 1,
        })),
        {
          data: { ...chunk({}, "stop"), usage: chatUsage(counts, output) },
          counted: output,
          isFinished: true,
          isCounted: true,
        },
        { data: "[DONE]" as const },
      ],
      usualBill(counts, output),
    );
  },
};

export const honestChatProviders: readonly HonestProvider[] = [
  openAi,
  counting,
  xAi,
  deepSeek,
  moonshot,
  perplexity,
];
