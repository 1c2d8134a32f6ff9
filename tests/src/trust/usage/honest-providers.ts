// Providers that count honestly: how each family streams what a model wrote, and reports what it counted.
import { noUsage, type Usage } from "@tollgate/gateway/money/price.ts";
import type { ApiEndpoint } from "@tollgate/gateway/relay/formats/api-format.ts";

/** What a model can write, one word an event; `scored` is text with its probabilities, `remote` a call of an MCP server. */
export const outputKinds = [
  "text",
  "reasoning",
  "arguments",
  "custom",
  "legacy",
  "newer",
  "image",
  "audio",
  "file",
  "scored",
  "remote",
] as const;
export type OutputKind = (typeof outputKinds)[number];

export interface WrittenWord {
  kind: OutputKind;
  word: string;
  /** Of several answers (`n`), which one. */
  answer: number;
}

const base64Of = (word: string): string => Buffer.from(word).toString("base64");
const scores = (token: string) => [{ token, logprob: -0.1, bytes: [...Buffer.from(token)], top_logprobs: [] }];

/** Counts of one call. `reasoning` is never streamed, and part of the output. */
export interface HonestCounts {
  input: number;
  cached: number;
  cacheWrites: number;
  reasoning: number;
  searches: number;
}

export interface HonestStream {
  events: string[];
  /** From this many events on, the client has the end of the output. */
  finishedAt: number;
  /** From this many events on, the provider has reported its final count. */
  countedAt: number;
  /** Words in the events before each index. */
  wordsBefore: number[];
  /** Output tokens that the provider had counted in the events before each index. */
  countedBefore: number[];
  /** What the provider bills for the whole. */
  billed: Usage;
}

export interface HonestProvider {
  name: string;
  speaks: ApiEndpoint;
  stream(words: readonly WrittenWord[], counts: HonestCounts): HonestStream;
}

type WireJson = Record<string, unknown>;
interface StreamedEvent {
  data: WireJson | "[DONE]";
  words?: number;
  counted?: number;
  isFinished?: boolean;
  isCounted?: boolean;
}

const sse = (data: WireJson | "[DONE]"): string => `data: ${data === "[DONE]" ? data : JSON.stringify(data)}\n\n`;

function streamOf(events: readonly StreamedEvent[], billed: Usage): HonestStream {
  const wordsBefore = [0];
  const countedBefore = [0];
  for (const { words = 0, counted } of events) {
    wordsBefore.push((wordsBefore.at(-1) ?? 0) + words);
    countedBefore.push(counted ?? countedBefore.at(-1) ?? 0);
  }
  return {
    events: events.map(({ data }) => sse(data)),
    finishedAt: events.findIndex(({ isFinished }) => isFinished) + 1,
    countedAt: events.findIndex(({ isCounted }) => isCounted) + 1,
    wordsBefore,
    countedBefore,
    billed,
  };
}

const withSearches = (searches: number): Partial<Usage> => (searches > 0 ? { web_searches: searches } : {});

/** What a model wrote, and what it thought unseen. */
const outputOf = (words: readonly WrittenWord[], { reasoning }: HonestCounts): number => words.length + reasoning;

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
      return { images: [{ type: "image_url", image_url: { url: `data:image/png;base64,${base64Of(word)}` } }] };
    case "audio":
      return { audio: { id: "audio_1", data: base64Of(word), transcript: word } };
    case "file":
      return { content: [{ type: "file", file: { filename: "a.txt", file_data: word } }] };
    case "scored":
      return { content: word };
    case "remote":
      return { tool_calls: [{ index: 0, type: "mcp", mcp: { server_label: "tools", arguments: word } }] };
  }
}

const chunk = (delta: WireJson, finish_reason: string | null = null, more: WireJson = {}): WireJson => ({
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

const chatBill = (counts: HonestCounts, output: number): Usage => ({
  ...noUsage,
  input: counts.input,
  cache_read: counts.cached,
  output,
});

const openAi: HonestProvider = {
  name: "OpenAI's chat",
  speaks: "chat_completions",
  stream(words, counts) {
    const output = outputOf(words, counts);
    return streamOf(
      [
        { data: chunk({ role: "assistant", content: "" }) },
        ...words.map((word) => ({ data: wordChunk(word), words: 1 })),
        { data: chunk({}, "stop"), isFinished: true },
        { data: { id: "c", choices: [], usage: chatUsage(counts, output) }, counted: output, isCounted: true },
        { data: "[DONE]" as const },
      ],
      chatBill(counts, output),
    );
  },
};

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
      chatBill(counts, output),
    );
  },
};

/** Counts reasoning beside the completion, and in the total. */
const xAi: HonestProvider = {
  name: "xAI's chat",
  speaks: "chat_completions",
  stream(words, counts) {
    const output = outputOf(words, counts);
    const usage = {
      prompt_tokens: counts.input + counts.cached,
      completion_tokens: words.length,
      total_tokens: counts.input + counts.cached + output,
      prompt_tokens_details: { cached_tokens: counts.cached, text_tokens: counts.input + counts.cached },
      completion_tokens_details: { reasoning_tokens: counts.reasoning },
      server_side_tool_usage_details: { web_search_calls: counts.searches },
    };
    return streamOf(
      [
        ...words.map((word) => ({ data: wordChunk(word), words: 1 })),
        { data: chunk({}, "stop"), isFinished: true },
        { data: { id: "c", choices: [], usage }, counted: output, isCounted: true },
        { data: "[DONE]" as const },
      ],
      { ...chatBill(counts, output), ...withSearches(counts.searches) },
    );
  },
};

/** A piece of a block, or a block that is whole when it begins. */
function messagesEvent({ kind, word }: WrittenWord): WireJson {
  const delta = (content: WireJson): WireJson => ({ type: "content_block_delta", index: 0, delta: content });
  const block = (content: WireJson): WireJson => ({ type: "content_block_start", index: 0, content_block: content });
  const source = (media_type: string): WireJson => ({ type: "base64", media_type, data: base64Of(word) });
  switch (kind) {
    case "text":
    case "scored":
      return delta({ type: "text_delta", text: word });
    case "reasoning":
      return delta({ type: "thinking_delta", thinking: word });
    case "newer":
      return delta({ type: "hologram_delta", glyphs: word });
    case "image":
      return block({ type: "image", source: source("image/png") });
    case "audio":
      return block({ type: "audio", source: source("audio/wav") });
    case "file":
      return block({ type: "container_upload", file_id: word });
    case "remote":
      return block({ type: "mcp_tool_use", id: "mcp_1", name: "look", server_name: "tools", input: { query: word } });
    default:
      return delta({ type: "input_json_delta", partial_json: word });
  }
}

const anthropic: HonestProvider = {
  name: "Anthropic's messages",
  speaks: "claude_messages",
  stream(words, counts) {
    const output = outputOf(words, counts);
    const prompt = {
      input_tokens: counts.input,
      cache_read_input_tokens: counts.cached,
      cache_creation_input_tokens: counts.cacheWrites * 2,
      cache_creation: { ephemeral_5m_input_tokens: counts.cacheWrites, ephemeral_1h_input_tokens: counts.cacheWrites },
    };
    const message = { id: "m", type: "message", model: "m", content: [], usage: { ...prompt, output_tokens: 69 } };
    const usage = { output_tokens: output, server_tool_use: { web_search_requests: counts.searches } };
    return streamOf(
      [
        { data: { type: "message_start", message } },
        { data: { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } } },
        ...words.map((word) => ({ data: messagesEvent(word), words: 1 })),
        { data: { type: "content_block_stop", index: 0 } },
        {
          data: { type: "message_delta", delta: { stop_reason: "end_turn" }, usage },
          counted: output,
          isFinished: true,
          isCounted: true,
        },
        { data: { type: "message_stop" } },
      ],
      {
        ...chatBill(counts, output),
        cache_write_5m: counts.cacheWrites,
        cache_write_1h: counts.cacheWrites,
        ...withSearches(counts.searches),
      },
    );
  },
};

function responseEvent({ kind, word }: WrittenWord, output_index: number): WireJson {
  const delta = (name: string, written: unknown = word, more: WireJson = {}): WireJson => ({
    type: `response.${name}.delta`,
    output_index,
    delta: written,
    ...more,
  });
  const item = (content: WireJson): WireJson => ({ type: "response.output_item.done", output_index, item: content });
  switch (kind) {
    case "text":
      return delta("output_text");
    case "scored":
      return delta("output_text", word, { logprobs: scores(word) });
    case "reasoning":
      return delta("reasoning_summary_text");
    case "arguments":
      return delta("function_call_arguments");
    case "custom":
      return delta("custom_tool_call_input");
    case "legacy":
      return delta("code_interpreter_call_code");
    case "newer":
      return delta("hologram", { layers: [word] });
    case "audio":
      return delta("output_audio", base64Of(word));
    case "image":
      return item({ type: "image_generation_call", status: "completed", result: base64Of(word) });
    case "file":
      return item({
        type: "code_interpreter_call",
        code: word,
        outputs: [{ type: "image", url: "https://e.org/a.png" }],
      });
    case "remote":
      return delta("mcp_call_arguments");
  }
}

const openAiResponses: HonestProvider = {
  name: "OpenAI's responses",
  speaks: "response_api",
  stream(words, counts) {
    const output = outputOf(words, counts);
    const usage = {
      input_tokens: counts.input + counts.cached,
      input_tokens_details: { cached_tokens: counts.cached },
      output_tokens: output,
      output_tokens_details: { reasoning_tokens: counts.reasoning },
      total_tokens: counts.input + counts.cached + output,
    };
    const searches = Array.from({ length: counts.searches }, () => ({ type: "web_search_call", status: "completed" }));
    const response = { id: "r", object: "response", status: "completed", model: "m", output: searches, usage };
    return streamOf(
      [
        { data: { type: "response.created", response: { id: "r", object: "response", model: "m", output: [] } } },
        ...words.map((word, index) => ({ data: responseEvent(word, index), words: 1 })),
        { data: { type: "response.completed", response }, counted: output, isFinished: true, isCounted: true },
      ],
      { ...chatBill(counts, output), ...withSearches(counts.searches) },
    );
  },
};

function geminiPart({ kind, word }: WrittenWord): WireJson {
  switch (kind) {
    case "reasoning":
      return { text: word, thought: true };
    case "arguments":
      return { functionCall: { name: "f", args: { a: word } } };
    case "custom":
      return { executableCode: { language: "PYTHON", code: word } };
    case "newer":
      return { hologram: { glyphs: word } };
    case "image":
      return { inlineData: { mimeType: "image/png", data: base64Of(word) } };
    case "audio":
      return { inlineData: { mimeType: "audio/wav", data: base64Of(word) } };
    case "file":
      return { inlineData: { mimeType: "text/plain", data: base64Of(word) } };
    case "remote":
      return { functionCall: { name: "mcp_look", args: { query: word } } };
    default:
      return { text: word };
  }
}

const google: HonestProvider = {
  name: "Google's Gemini",
  speaks: "gemini",
  stream(words, counts) {
    const output = outputOf(words, counts);
    const usageMetadata = {
      promptTokenCount: counts.input + counts.cached,
      cachedContentTokenCount: counts.cached,
      candidatesTokenCount: words.length,
      thoughtsTokenCount: counts.reasoning,
      toolUsePromptTokenCount: counts.searches,
      totalTokenCount: counts.input + counts.cached + counts.searches + output,
    };
    const early = { promptTokenCount: counts.input + counts.cached, cachedContentTokenCount: counts.cached };
    return streamOf(
      [
        ...words.map((word) => ({
          data: {
            candidates: [
              {
                index: word.answer,
                content: { parts: [geminiPart(word)] },
                ...(word.kind === "scored" && { logprobsResult: { chosenCandidates: scores(word.word) } }),
              },
            ],
            usageMetadata: early,
          },
          words: 1,
        })),
        {
          data: { candidates: [{ content: { parts: [{ text: "" }] }, finishReason: "STOP" }], usageMetadata },
          counted: output,
          isFinished: true,
          isCounted: true,
        },
      ],
      { ...chatBill(counts, output), input: counts.input + counts.searches },
    );
  },
};

function converseDelta({ kind, word }: WrittenWord): WireJson {
  switch (kind) {
    case "reasoning":
      return { reasoningContent: { text: word } };
    case "arguments":
    case "custom":
      return { toolUse: { input: word } };
    case "newer":
      return { hologram: { glyphs: word } };
    case "image":
      return { image: { format: "png", source: { bytes: base64Of(word) } } };
    case "audio":
      return { audio: { format: "wav", source: { bytes: base64Of(word) } } };
    case "file":
      return { document: { format: "txt", source: { text: word } } };
    case "remote":
      return { toolUse: { input: word } };
    default:
      return { text: word };
  }
}

const bedrock: HonestProvider = {
  name: "Bedrock's Converse",
  speaks: "bedrock_converse",
  stream(words, counts) {
    const output = outputOf(words, counts);
    const usage = {
      inputTokens: counts.input,
      outputTokens: output,
      totalTokens: counts.input + output,
      cacheReadInputTokens: counts.cached,
      cacheWriteInputTokens: counts.cacheWrites * 2,
      cacheDetails: [
        { ttl: "5m", inputTokens: counts.cacheWrites },
        { ttl: "1h", inputTokens: counts.cacheWrites },
      ],
    };
    return streamOf(
      [
        { data: { messageStart: { role: "assistant" } } },
        ...words.map((word) => ({
          data: { contentBlockDelta: { contentBlockIndex: 0, delta: converseDelta(word) } },
          words: 1,
        })),
        { data: { messageStop: { stopReason: "end_turn" } }, isFinished: true },
        { data: { metadata: { usage, metrics: { latencyMs: 5 } } }, counted: output, isCounted: true },
      ],
      { ...chatBill(counts, output), cache_write_5m: counts.cacheWrites, cache_write_1h: counts.cacheWrites },
    );
  },
};

export const honestProviders: readonly HonestProvider[] = [
  openAi,
  counting,
  xAi,
  anthropic,
  openAiResponses,
  google,
  bedrock,
];
