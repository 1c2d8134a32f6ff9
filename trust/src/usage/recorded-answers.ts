// Answers as real providers give them: the members and their order are those of recordings, words
// and figures are our own.
import { noUsage, type Usage } from "@tollgate/gateway/money/prices/price.ts";
import type { ApiEndpoint } from "@tollgate/gateway/relay/formats/api-format.ts";

export type WireObject = Readonly<Record<string, unknown>>;
type AnswerFormat = Extract<
  ApiEndpoint,
  "chat_completions" | "response_api" | "claude_messages" | "gemini" | "bedrock_converse"
>;

export interface RecordedAnswer {
  /** The recordings of this answer, whole or streamed. */
  after: readonly string[];
  speaks: AnswerFormat;
  /** `content` is what the model wrote and tools did, in order. */
  content: readonly string[];
  usage: WireObject;
  /** `started` is that of Messages: what the first event of a stream says. */
  started?: WireObject;
  /** Beside `usage`, where the provider counts its tools. */
  toolUsage?: WireObject;
  /** `stream` says how a stream differs from what its provider usually sends. */
  stream?:
    | "counted_with_end"
    | "counted_in_every_event"
    | "counted_before_end"
    | "started_twice"
    | "not_counted";
  billed: Partial<Usage>;
}

const count = (prompt_tokens: number, completion_tokens: number): WireObject => ({
  prompt_tokens,
  completion_tokens,
  total_tokens: prompt_tokens + completion_tokens,
});

type ChatRow = Omit<RecordedAnswer, "speaks">;
const chat: readonly ChatRow[] = [
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

interface ResponseCounts {
  input: number;
  output: number;
  cached?: number;
  reasoning?: number;
}
/** Searches and containers that are charged beside the tokens. */
type ToolFees = Pick<Usage, "web_searches" | "file_searches" | "container_sessions">;

function response(
  after: readonly string[],
  content: readonly string[],
  { input, output, cached = 0, reasoning = 0 }: ResponseCounts,
  {
    fees = {},
    more = {},
    toolUsage,
  }: { fees?: ToolFees; more?: WireObject; toolUsage?: WireObject } = {},
): Omit<RecordedAnswer, "speaks"> {
  return {
    after,
    content,
    usage: {
      input_tokens: input,
      input_tokens_details: { cached_tokens: cached },
      output_tokens: output,
      output_tokens_details: { reasoning_tokens: reasoning },
      total_tokens: input + output,
      ...more,
    },
    ...(toolUsage && { toolUsage }),
    billed: { input: input - cached, cache_read: cached, output, ...fees },
  };
}

const nothingDrawn = {
  input_tokens: 0,
  input_tokens_details: { image_tokens: 0, text_tokens: 0 },
  output_tokens: 0,
  output_tokens_details: { image_tokens: 0, text_tokens: 0 },
  total_tokens: 0,
};
const noTools = { toolUsage: { image_gen: nothingDrawn, web_search: { num_requests: 0 } } };
const ofXAi = (tools: number, details?: WireObject): WireObject => ({
  num_sources_used: 0,
  num_server_side_tools_used: tools,
  ...(details && { server_side_tool_usage_details: details }),
});

const responses: readonly Omit<RecordedAnswer, "speaks">[] = [
  response(["azure-reasoning-encrypted-content.1"], ["reasoning", "message"], {
    input: 580,
    output: 96,
    reasoning: 64,
  }),
  response(["azure-tool-call.1"], ["function_call"], { input: 49, output: 27 }),
  response(
    ["openai-file-search-tool.1", "openai-file-search-tool.2"],
    ["reasoning", "file_search_call", "reasoning", "message"],
    { input: 3_600, cached: 2_300, output: 540, reasoning: 440 },
    { fees: { file_searches: 1 } },
  ),
  response(["lmstudio-basic.1"], ["reasoning", "message"], {
    input: 33,
    cached: 32,
    output: 280,
    reasoning: 90,
  }),
  response(["openai-pdf-input-file.1"], ["message"], { input: 51, output: 5 }),
  response(
    ["github-copilot-id-rotation.1"],
    ["reasoning", "message"],
    { input: 23, output: 98, reasoning: 40 },
    { ...noTools, more: { input_tokens_details: { cache_write_tokens: 0, cached_tokens: 0 } } },
  ),
  response(["openai-apply-patch-tool.1"], ["apply_patch_call"], { input: 650, output: 72 }),
  response(["openai-client-tool-search.1"], ["tool_search_call"], { input: 68, output: 33 }),
  response(["openai-client-tool-search.2"], ["function_call"], { input: 470, output: 29 }),
  response(["openai-custom-tool.1"], ["custom_tool_call"], { input: 55, output: 22 }),
  response(
    ["openai-image-generation-tool.1"],
    ["reasoning", "image_generation_call", "reasoning", "message"],
    {
      input: 3_000,
      cached: 1_900,
      output: 1_300,
      reasoning: 1_100,
    },
  ),
  response(
    ["openai-mcp-tool.1"],
    ["mcp_list_tools", "reasoning", "mcp_call", "reasoning", "mcp_call", "reasoning", "message"],
    { input: 6_800, output: 1_100, reasoning: 700 },
  ),
  response(["openai-phase.1"], ["message", "message"], {
    input: 7_300,
    cached: 3_000,
    output: 430,
    reasoning: 60,
  }),
  response(["openai-reasoning-encrypted-content.1"], ["reasoning", "function_call"], {
    input: 870,
    output: 160,
    reasoning: 128,
  }),
  response(["openai-shell-container-multiturn.1"], ["message"], { input: 810, output: 21 }),
  response(
    ["openai-shell-skills.1"],
    ["shell_call", "shell_call_output", "shell_call", "shell_call_output", "message"],
    { input: 1_510, cached: 1_020, output: 320, reasoning: 104 },
    { fees: { container_sessions: 1 } },
  ),
  response(["openai-tool-search.1"], ["tool_search_call", "tool_search_output", "function_call"], {
    input: 630,
    output: 48,
    reasoning: 22,
  }),
  // A page that is opened, and what is looked for in it, is no search.
  response(
    ["openai-web-search-tool.1"],
    [
      "reasoning",
      "web_search_call",
      "reasoning",
      "open_page",
      "reasoning",
      "find_in_page",
      "message",
    ],
    { input: 19_700, cached: 3_700, output: 3_800, reasoning: 3_100 },
    { fees: { web_searches: 1 } },
  ),
  response(
    ["programmatic-tool-calling.1"],
    ["reasoning", "program", "call_of_program"],
    { input: 640, output: 90, reasoning: 41 },
    noTools,
  ),
  // A program that runs on asks no model, and its provider counts nothing.
  response(["programmatic-tool-calling.2"], ["call_of_program"], { input: 0, output: 0 }, noTools),
  response(
    ["programmatic-tool-calling.3"],
    ["program_output", "message"],
    { input: 790, output: 44 },
    noTools,
  ),
  response(
    ["xai-file-search-tool.1"],
    ["file_search_call", "message"],
    { input: 510, output: 160 },
    { more: ofXAi(1), fees: { file_searches: 1 } },
  ),
  response(
    ["xai-text-with-reasoning-streaming.1"],
    ["reasoning", "message"],
    { input: 220, cached: 190, output: 900, reasoning: 310 },
    { more: ofXAi(0) },
  ),
  response(
    ["xai-x-search-tool.1"],
    ["x_search_call", "message"],
    { input: 8_400, cached: 600, output: 1_800, reasoning: 580 },
    { more: ofXAi(1), fees: { web_searches: 1 } },
  ),
  // Searches that the provider does not count among those it bills are no fee.
  response(
    ["xai-x-search-tool"],
    ["search_of_xai", "web_search_call", "web_search_call", "search_of_xai", "message"],
    { input: 27_000, cached: 4_500, output: 3_000, reasoning: 1_000 },
    {
      more: ofXAi(4, {
        web_search_calls: 0,
        x_search_calls: 1,
        file_search_calls: 0,
        document_search_calls: 0,
      }),
      fees: { web_searches: 1 },
    },
  ),
];

interface MessageCounts {
  input: number;
  output: number;
  thinking?: number;
  searches?: number;
  fetches?: number;
  /** `startedAt` is what the first event of a stream says of the prompt, where it grows later. */
  startedAt?: number;
}

const noCache = { cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };
const noWrites = { cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 } };

function message(
  after: readonly string[],
  content: readonly string[],
  { input, output, thinking, searches, fetches, startedAt = input }: MessageCounts,
): Omit<RecordedAnswer, "speaks"> {
  const hasTools = searches !== undefined || fetches !== undefined;
  const server_tool_use = {
    web_search_requests: searches ?? 0,
    ...(fetches && { web_fetch_requests: fetches }),
  };
  return {
    after,
    content,
    started: {
      input_tokens: startedAt,
      ...noCache,
      ...noWrites,
      output_tokens: 5,
      service_tier: "standard",
    },
    usage: {
      input_tokens: input,
      ...noCache,
      output_tokens: output,
      ...(thinking && { output_tokens_details: { thinking_tokens: thinking } }),
      ...(hasTools && { server_tool_use }),
    },
    billed: { input, output, ...(searches && { web_searches: searches }) },
  };
}

const messages: readonly Omit<RecordedAnswer, "speaks">[] = [
  {
    after: ["anthropic-advisor-20260301.1"],
    content: ["server_tool_use", "advisor_tool_result", "text"],
    started: { input_tokens: 1_100, ...noCache, output_tokens: 2 },
    // The advisor's own pass is counted beside the call.
    usage: {
      input_tokens: 2_500,
      ...noCache,
      output_tokens: 240,
      iterations: [
        { type: "message", input_tokens: 1_100, output_tokens: 40, ...noCache },
        { type: "advisor_message", input_tokens: 2_700, output_tokens: 900, ...noCache },
        { type: "message", input_tokens: 1_400, output_tokens: 200, ...noCache },
      ],
    },
    billed: { input: 5_200, output: 1_140 },
  },
  message(["anthropic-claude-opus-5-reasoning-high.1"], ["thinking", "text"], {
    input: 54,
    output: 1_690,
    thinking: 140,
  }),
  message(["anthropic-clear-tool-uses.1", "anthropic-json-output-format.1"], ["text"], {
    input: 860,
    output: 130,
  }),
  {
    after: ["anthropic-code-execution-20260120-prompt-cache.1"],
    content: ["server_tool_use", "code_tool_result", "server_tool_use", "code_tool_result", "text"],
    started: {
      input_tokens: 2,
      cache_creation_input_tokens: 3_000,
      cache_read_input_tokens: 0,
      cache_creation: { ephemeral_5m_input_tokens: 3_000, ephemeral_1h_input_tokens: 0 },
      output_tokens: 70,
    },
    usage: {
      input_tokens: 6,
      cache_creation_input_tokens: 3_300,
      cache_read_input_tokens: 6_300,
      output_tokens: 200,
      output_tokens_details: { thinking_tokens: 0 },
      server_tool_use: { web_search_requests: 0, web_fetch_requests: 0 },
    },
    billed: { input: 6, cache_read: 6_300, cache_write_5m: 3_300, output: 200 },
  },
  message(["anthropic-combined-context-editing.1"], ["thinking", "text"], {
    input: 52,
    output: 440,
  }),
  {
    after: ["anthropic-fallback"],
    content: ["fallback", "text"],
    started: { input_tokens: 408, ...noCache, output_tokens: 1 },
    usage: {
      input_tokens: 415,
      output_tokens: 260,
      ...noCache,
      iterations: [
        { type: "message", model: "first", input_tokens: 408, output_tokens: 0 },
        { type: "fallback_message", model: "second", input_tokens: 415, output_tokens: 260 },
      ],
    },
    billed: { input: 415, output: 260 },
  },
  message(["anthropic-mcp.1"], ["mcp_tool_use", "mcp_tool_result", "text"], {
    input: 1_300,
    startedAt: 600,
    output: 91,
    searches: 0,
  }),
  {
    after: ["anthropic-message-delta-input-tokens"],
    content: ["text"],
    started: { input_tokens: 45, output_tokens: 1 },
    usage: { input_tokens: 63, output_tokens: 3 },
    billed: { input: 63, output: 3 },
  },
  message(["anthropic-refusal"], [], { input: 19, output: 4 }),
  message(["anthropic-text"], ["text"], { input: 13, output: 31 }),
  message(
    [
      "anthropic-tool-search-bm25.1",
      "anthropic-tool-search-deferred-regex",
      "anthropic-tool-search-deferred-regex.2",
    ],
    ["text", "server_tool_use", "tool_search_tool_result", "text", "tool_use"],
    { input: 1_600, startedAt: 700, output: 160, searches: 0 },
  ),
  message(
    ["anthropic-web-fetch-tool.1", "anthropic-web-fetch-tool.2", "anthropic-web-fetch-tool.error"],
    ["text", "server_tool_use", "web_fetch_tool_result", "text"],
    { input: 4_200, startedAt: 870, output: 450, fetches: 1 },
  ),
  message(
    ["anthropic-web-search-tool.1"],
    [
      "server_tool_use",
      "web_search_tool_result",
      "text",
      "server_tool_use",
      "web_search_tool_result",
      "text",
    ],
    { input: 27_100, startedAt: 2_000, output: 600, searches: 2 },
  ),
  {
    // The provider began anew in the middle of a stream, and counted once.
    after: ["spliced-message-start"],
    content: ["thinking", "tool_use"],
    started: { input_tokens: 18, output_tokens: 1 },
    usage: { input_tokens: 18, output_tokens: 66 },
    stream: "started_twice",
    billed: { input: 18, output: 66 },
  },
];

interface GeminiCounts {
  prompt: number;
  answer: number;
  thoughts: number;
  traffic?: string;
}

function googles(
  after: readonly string[],
  content: readonly string[],
  { prompt, answer, thoughts, traffic }: GeminiCounts,
): Omit<RecordedAnswer, "speaks"> {
  return {
    after,
    content,
    usage: {
      promptTokenCount: prompt,
      candidatesTokenCount: answer,
      totalTokenCount: prompt + answer + thoughts,
      promptTokensDetails: [{ modality: "TEXT", tokenCount: prompt }],
      ...(traffic && {
        trafficType: traffic,
        candidatesTokensDetails: [{ modality: "TEXT", tokenCount: answer }],
      }),
      thoughtsTokenCount: thoughts,
    },
    billed: { input: prompt, output: answer + thoughts },
  };
}

/** Arguments that stream in parts: the last event of a call is empty, where there is one. */
const callInParts = ["begun call", "partial call", "last part of a call", "end of a call"];

const gemini: readonly Omit<RecordedAnswer, "speaks">[] = [
  googles(["google-reasoning-gemini3"], ["text", "signed text"], {
    prompt: 10,
    answer: 30,
    thoughts: 260,
  }),
  googles(["google-tool-call"], ["call", "text"], { prompt: 31, answer: 17, thoughts: 90 }),
  googles(["google-stream-no-args-tool-call"], ["thought", "empty call", ...callInParts, "text"], {
    prompt: 250,
    answer: 60,
    thoughts: 190,
    traffic: "PROVISIONED_THROUGHPUT",
  }),
  googles(
    ["google-stream-tool-call-array-arguments-missing-terminal-function-call"],
    [...callInParts.slice(0, -1), "text"],
    {
      prompt: 57,
      answer: 71,
      thoughts: 125,
      traffic: "PROVISIONED_THROUGHPUT",
    },
  ),
  googles(["google-vertex-stream-tool-call-arguments-nested.1"], callInParts, {
    prompt: 33,
    answer: 690,
    thoughts: 1_000,
    traffic: "ON_DEMAND",
  }),
];

function converse(
  after: readonly string[],
  content: readonly string[],
  inputTokens: number,
  outputTokens: number,
  { more = {}, stream }: { more?: WireObject; stream?: "counted_before_end" | "not_counted" } = {},
): Omit<RecordedAnswer, "speaks"> {
  return {
    after,
    content,
    usage: { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens, ...more },
    ...(stream && { stream }),
    billed: { input: inputTokens, output: outputTokens },
  };
}

const noCacheAtBedrock = {
  cacheReadInputTokenCount: 0,
  cacheReadInputTokens: 0,
  cacheWriteInputTokenCount: 0,
  cacheWriteInputTokens: 0,
  serverToolUsage: {},
};

const bedrock: readonly Omit<RecordedAnswer, "speaks">[] = [
  converse(["amazon-bedrock-text"], ["text"], 24, 57, { more: noCacheAtBedrock }),
  converse(["amazon-bedrock-reasoning"], ["reasoning", "text"], 55, 90, { more: noCacheAtBedrock }),
  converse(["amazon-bedrock-json-other-tool.1"], ["tool"], 850, 31, {
    stream: "counted_before_end",
  }),
  converse(
    ["amazon-bedrock-json-tool-text-then-weather-then-json.1"],
    ["text", "tool", "text", "tool", "text"],
    510,
    104,
    { stream: "counted_before_end" },
  ),
  converse(["amazon-bedrock-json-with-tool.1"], ["text", "tool", "text", "tool"], 26, 45, {
    stream: "not_counted",
  }),
  converse(["amazon-bedrock-tool-no-args"], ["text", "empty tool"], 110, 27, {
    stream: "counted_before_end",
  }),
];

const of = (
  speaks: AnswerFormat,
  answers: readonly Omit<RecordedAnswer, "speaks">[],
): RecordedAnswer[] => answers.map((answer) => ({ ...answer, speaks }));

export const recordedAnswers: readonly RecordedAnswer[] = [
  ...of("chat_completions", chat),
  ...of("response_api", responses),
  ...of("claude_messages", messages),
  ...of("gemini", gemini),
  ...of("bedrock_converse", bedrock),
];

export const billedOf = ({ billed }: RecordedAnswer): Usage => ({ ...noUsage, ...billed });
