// Usage as real providers write it: every member in its place, with figures of our own, and the tokens that their price lists bill.
import { noUsage, type Usage } from "@tollgate/gateway/money/price.ts";
import type { ConversationEndpoint } from "../../conformance/conversation-scenario.ts";

type WireObject = Readonly<Record<string, unknown>>;

export interface ProviderUsageCase {
  provider: string;
  speaks: ConversationEndpoint;
  usage: WireObject;
  /** Of Messages: what the first event of a stream says. */
  started?: WireObject;
  /** Of Responses: what the answer holds beside its text. */
  items?: readonly WireObject[];
  /** Of chat: the chunk that ends the answer carries the usage, where others send one more. */
  isCountedWithEnd?: true;
  billed: Partial<Usage>;
}

const noCacheWrites = {
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
  cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 },
};

const chat: readonly Omit<ProviderUsageCase, "speaks">[] = [
  {
    provider: "Alibaba, with reasoning",
    usage: {
      prompt_tokens: 31,
      completion_tokens: 1_207,
      total_tokens: 1_238,
      completion_tokens_details: { reasoning_tokens: 950 },
      prompt_tokens_details: { cached_tokens: 0 },
    },
    billed: { input: 31, output: 1_207 },
  },
  {
    provider: "DeepSeek at Azure",
    usage: {
      prompt_tokens: 27,
      total_tokens: 1_527,
      completion_tokens: 1_500,
      prompt_tokens_details: null,
      reasoning_tokens: 0,
      audio_prompt_tokens: 0,
    },
    billed: { input: 27, output: 1_500 },
  },
  {
    provider: "DeepSeek, from its cache",
    usage: {
      prompt_tokens: 512,
      completion_tokens: 140,
      total_tokens: 652,
      prompt_tokens_details: { cached_tokens: 384 },
      completion_tokens_details: { reasoning_tokens: 101 },
      prompt_cache_hit_tokens: 384,
      prompt_cache_miss_tokens: 128,
    },
    billed: { input: 128, cache_read: 384, output: 140 },
  },
  {
    provider: "Groq, with its times",
    usage: {
      queue_time: 0.041,
      prompt_tokens: 52,
      prompt_time: 0.002,
      completion_tokens: 610,
      completion_time: 2.24,
      total_tokens: 662,
      total_time: 2.242,
    },
    billed: { input: 52, output: 610 },
  },
  {
    provider: "Mistral",
    usage: { prompt_tokens: 12, total_tokens: 60, completion_tokens: 48 },
    isCountedWithEnd: true,
    billed: { input: 12, output: 48 },
  },
  {
    provider: "Moonshot, from its cache",
    usage: {
      prompt_tokens: 40,
      completion_tokens: 33,
      total_tokens: 73,
      cached_tokens: 24,
      completion_tokens_details: { reasoning_tokens: 20 },
    },
    billed: { input: 16, cache_read: 24, output: 33 },
  },
  {
    provider: "Perplexity",
    usage: { prompt_tokens: 11, completion_tokens: 251, total_tokens: 262 },
    isCountedWithEnd: true,
    billed: { input: 11, output: 251 },
  },
  {
    provider: "xAI, which counts reasoning beside the answer",
    usage: {
      prompt_tokens: 14,
      completion_tokens: 3,
      total_tokens: 317,
      prompt_tokens_details: { text_tokens: 14, audio_tokens: 0, image_tokens: 0, cached_tokens: 9 },
      completion_tokens_details: {
        reasoning_tokens: 300,
        audio_tokens: 0,
        accepted_prediction_tokens: 0,
        rejected_prediction_tokens: 0,
      },
      num_sources_used: 0,
      cost_in_usd_ticks: 1_500_000,
    },
    billed: { input: 5, cache_read: 9, output: 303 },
  },
];

const responses: readonly Omit<ProviderUsageCase, "speaks">[] = [
  {
    provider: "OpenAI, with reasoning",
    usage: {
      input_tokens: 870,
      input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
      output_tokens: 160,
      output_tokens_details: { reasoning_tokens: 128 },
      total_tokens: 1_030,
    },
    billed: { input: 870, output: 160 },
  },
  {
    provider: "OpenAI, with searches of the web",
    usage: {
      input_tokens: 19_700,
      input_tokens_details: { cached_tokens: 3_700 },
      output_tokens: 3_800,
      output_tokens_details: { reasoning_tokens: 3_100 },
      total_tokens: 23_500,
    },
    items: [1, 2, 3].map((n) => ({ id: `ws_${n}`, type: "web_search_call", status: "completed" })),
    billed: { input: 16_000, cache_read: 3_700, output: 3_800, web_searches: 3 },
  },
  {
    provider: "OpenAI at Azure, with a search of files",
    usage: {
      input_tokens: 3_600,
      input_tokens_details: { cached_tokens: 2_300 },
      output_tokens: 540,
      output_tokens_details: { reasoning_tokens: 440 },
      total_tokens: 4_140,
    },
    items: [{ id: "fs_1", type: "file_search_call", status: "completed", queries: ["a"] }],
    billed: { input: 1_300, cache_read: 2_300, output: 540, file_searches: 1 },
  },
  {
    provider: "OpenAI, with a server of tools",
    usage: {
      input_tokens: 6_800,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: 1_100,
      output_tokens_details: { reasoning_tokens: 700 },
      total_tokens: 7_900,
    },
    items: [{ id: "mcp_1", type: "mcp_call", name: "look", arguments: "{}", output: "found" }],
    billed: { input: 6_800, output: 1_100 },
  },
  {
    provider: "xAI, with a search of X",
    usage: {
      input_tokens: 8_400,
      input_tokens_details: { cached_tokens: 600 },
      output_tokens: 1_800,
      output_tokens_details: { reasoning_tokens: 580 },
      total_tokens: 10_200,
      num_sources_used: 0,
      num_server_side_tools_used: 1,
    },
    items: [{ id: "x_1", type: "x_search_call", name: "x_semantic_search", arguments: "{}", status: "completed" }],
    billed: { input: 7_800, cache_read: 600, output: 1_800, web_searches: 1 },
  },
  {
    provider: "LM Studio, from its cache",
    usage: {
      input_tokens: 33,
      output_tokens: 280,
      total_tokens: 313,
      input_tokens_details: { cached_tokens: 32 },
      output_tokens_details: { reasoning_tokens: 0 },
    },
    billed: { input: 1, cache_read: 32, output: 280 },
  },
];

const messages: readonly Omit<ProviderUsageCase, "speaks">[] = [
  {
    provider: "Anthropic, with thinking",
    usage: {
      input_tokens: 54,
      ...noCacheWrites,
      output_tokens: 1_690,
      output_tokens_details: { thinking_tokens: 140 },
      service_tier: "standard",
      inference_geo: "global",
    },
    billed: { input: 54, output: 1_690 },
  },
  {
    provider: "Anthropic, with a search of the web, whose pages are counted at the end",
    started: { input_tokens: 2_000, ...noCacheWrites, output_tokens: 1, service_tier: "standard" },
    usage: {
      input_tokens: 27_100,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
      output_tokens: 600,
      server_tool_use: { web_search_requests: 2, web_fetch_requests: 0 },
    },
    billed: { input: 27_100, output: 600, web_searches: 2 },
  },
  {
    provider: "Anthropic, with a page that was fetched",
    started: { input_tokens: 870, ...noCacheWrites, output_tokens: 5, service_tier: "standard" },
    usage: {
      input_tokens: 4_200,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
      output_tokens: 450,
      server_tool_use: { web_search_requests: 0, web_fetch_requests: 1 },
    },
    billed: { input: 4_200, output: 450 },
  },
  {
    provider: "Anthropic, with code that reads and writes its cache",
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
  {
    provider: "Anthropic, answered by another model of its own",
    started: { input_tokens: 408, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 1 },
    usage: {
      input_tokens: 415,
      output_tokens: 260,
      cache_read_input_tokens: 0,
      cache_creation_input_tokens: 0,
      iterations: [
        { type: "message", model: "first", input_tokens: 408, output_tokens: 0 },
        { type: "fallback_message", model: "second", input_tokens: 415, output_tokens: 260 },
      ],
    },
    billed: { input: 415, output: 260 },
  },
  {
    provider: "a server that counts the answer alone at the end",
    started: { input_tokens: 18, output_tokens: 1 },
    usage: { input_tokens: 18, output_tokens: 66 },
    billed: { input: 18, output: 66 },
  },
];

const gemini: readonly Omit<ProviderUsageCase, "speaks">[] = [
  {
    provider: "Google, with thoughts",
    usage: {
      promptTokenCount: 10,
      candidatesTokenCount: 30,
      totalTokenCount: 300,
      promptTokensDetails: [{ modality: "TEXT", tokenCount: 10 }],
      thoughtsTokenCount: 260,
    },
    billed: { input: 10, output: 290 },
  },
  {
    provider: "Vertex, with its kind of traffic",
    usage: {
      promptTokenCount: 250,
      candidatesTokenCount: 60,
      totalTokenCount: 500,
      trafficType: "PROVISIONED_THROUGHPUT",
      promptTokensDetails: [{ modality: "TEXT", tokenCount: 250 }],
      candidatesTokensDetails: [{ modality: "TEXT", tokenCount: 60 }],
      thoughtsTokenCount: 190,
    },
    billed: { input: 250, output: 250 },
  },
];

const of = (speaks: ConversationEndpoint, cases: readonly Omit<ProviderUsageCase, "speaks">[]): ProviderUsageCase[] =>
  cases.map((one) => ({ ...one, speaks }));

export const providerUsageCases: readonly ProviderUsageCase[] = [
  ...of("Chat Completions", chat),
  ...of("Responses", responses),
  ...of("Messages", messages),
  ...of("Gemini", gemini),
];

export const billedOf = ({ billed }: ProviderUsageCase): Usage => ({ ...noUsage, ...billed });

const text = "a word";
const chunk = (more: WireObject): WireObject => ({ id: "c", object: "chat.completion.chunk", model: "m", ...more });

/** The whole answer of a case. */
export function replyOf({ speaks, usage, items = [] }: ProviderUsageCase): WireObject {
  const message = { role: "assistant", content: text };
  const item = { id: "msg_1", type: "message", role: "assistant", content: [{ type: "output_text", text }] };
  const content = { role: "model", parts: [{ text }] };
  switch (speaks) {
    case "Chat Completions":
      return { id: "c", object: "chat.completion", choices: [{ index: 0, message, finish_reason: "stop" }], usage };
    case "Responses":
      return { id: "r", object: "response", status: "completed", output: [...items, item], usage };
    case "Messages":
      return { id: "m", type: "message", role: "assistant", content: [{ type: "text", text }], usage };
    case "Gemini":
      return { candidates: [{ content, finishReason: "STOP" }], usageMetadata: usage };
  }
}

/** The same answer as a stream: the data of each event. */
export function eventsOf(one: ProviderUsageCase): WireObject[] {
  const { speaks, usage, started = { ...usage, output_tokens: 1 }, items = [], isCountedWithEnd = false } = one;
  const delta = (content: string, finish_reason: string | null) => [{ index: 0, delta: { content }, finish_reason }];
  const parts = [{ content: { role: "model", parts: [{ text }] } }];
  switch (speaks) {
    case "Chat Completions":
      return [
        chunk({ choices: delta(text, null) }),
        chunk({ choices: delta("", "stop"), ...(isCountedWithEnd && { usage }) }),
        ...(isCountedWithEnd ? [] : [chunk({ choices: [], usage })]),
      ];
    case "Responses":
      return [
        { type: "response.created", response: { id: "r", object: "response", output: [], usage: null } },
        ...items.map((item, output_index) => ({ type: "response.output_item.done", output_index, item })),
        { type: "response.output_text.delta", output_index: items.length, delta: text },
        { type: "response.completed", response: replyOf(one) },
      ];
    case "Messages":
      return [
        { type: "message_start", message: { id: "m", type: "message", content: [], usage: started } },
        { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
        { type: "content_block_delta", index: 0, delta: { type: "text_delta", text } },
        { type: "content_block_stop", index: 0 },
        { type: "message_delta", delta: { stop_reason: "end_turn" }, usage },
        { type: "message_stop" },
      ];
    case "Gemini":
      return [
        { candidates: parts, usageMetadata: { ...usage, candidatesTokenCount: 1 } },
        { candidates: [{ ...parts[0], finishReason: "STOP" }], usageMetadata: usage },
      ];
  }
}
