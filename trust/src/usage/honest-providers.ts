// Providers that count honestly: how each family streams what a model wrote, and reports what it
// counted.
import { honestChatProviders } from "./honest-chat-providers.ts";
import {
  base64Of,
  type HonestProvider,
  outputOf,
  scores,
  streamOf,
  usualBill,
  type WireJson,
  type WrittenWord,
  withSearches,
} from "./honest-provider.ts";

/** A piece of a block, or a block that is whole when it begins. */
function messagesEvent({ kind, word }: WrittenWord): WireJson {
  const delta = (content: WireJson): WireJson => ({
    type: "content_block_delta",
    index: 0,
    delta: content,
  });
  const block = (content: WireJson): WireJson => ({
    type: "content_block_start",
    index: 0,
    content_block: content,
  });
  const source = (media_type: string): WireJson => ({
    type: "base64",
    media_type,
    data: base64Of(word),
  });
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
    case "sealed":
      return block({ type: "redacted_thinking", data: base64Of(word) });
    case "program":
      return block({
        type: "server_tool_use",
        id: "srvtoolu_1",
        name: "code_execution",
        input: { code: word },
      });
    case "remote":
      return block({
        type: "mcp_tool_use",
        id: "mcp_1",
        name: "look",
        server_name: "tools",
        input: { query: word },
      });
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
      cache_creation: {
        ephemeral_5m_input_tokens: counts.cacheWrites,
        ephemeral_1h_input_tokens: counts.cacheWrites,
      },
    };
    const message = {
      id: "m",
      type: "message",
      model: "m",
      content: [],
      usage: { ...prompt, output_tokens: 69 },
    };
    const usage = {
      output_tokens: output,
      server_tool_use: { web_search_requests: counts.searches },
    };
    return streamOf(
      [
        { data: { type: "message_start", message } },
        {
          data: {
            type: "content_block_start",
            index: 0,
            content_block: { type: "text", text: "" },
          },
        },
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
        ...usualBill(counts, output),
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
  const item = (content: WireJson): WireJson => ({
    type: "response.output_item.done",
    output_index,
    item: content,
  });
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
    case "sealed":
      return item({
        type: "reasoning",
        id: "rs_1",
        summary: [],
        encrypted_content: base64Of(word),
      });
    case "program":
      return item({
        type: "code_interpreter_call",
        id: "ci_1",
        container_id: "cntr_1",
        code: word,
        outputs: null,
      });
    case "remote":
      return delta("mcp_call_arguments");
  }
}

interface ResponsesFamily {
  name: string;
  /** `usageOf` gives what its usage says of searches, beside tokens. */
  usageOf(searches: number): WireJson;
  /** The searches that its final answer shows. */
  shown(searches: number): WireJson[];
  /** Bills the container in which its programs ran. */
  billsContainers: boolean;
}

const responsesProvider = ({
  name,
  usageOf,
  shown,
  billsContainers,
}: ResponsesFamily): HonestProvider => ({
  name,
  speaks: "response_api",
  stream(words, counts) {
    const output = outputOf(words, counts);
    const usage = {
      input_tokens: counts.input + counts.cached,
      input_tokens_details: { cached_tokens: counts.cached },
      output_tokens: output,
      output_tokens_details: { reasoning_tokens: counts.reasoning },
      total_tokens: counts.input + counts.cached + output,
      ...usageOf(counts.searches),
    };
    const begun = { id: "r", object: "response", model: "m" };
    const ran = words.some(({ kind }) => kind === "program")
      ? [{ type: "code_interpreter_call", id: "ci_1", container_id: "cntr_1", status: "completed" }]
      : [];
    const response = {
      ...begun,
      status: "completed",
      output: [...shown(counts.searches), ...ran],
      usage,
    };
    const containers = billsContainers && ran.length > 0 ? { container_sessions: 1 } : {};
    return streamOf(
      [
        { data: { type: "response.created", response: { ...begun, output: [] } } },
        ...words.map((word, index) => ({ data: responseEvent(word, index), words: 1 })),
        {
          data: { type: "response.completed", response },
          counted: output,
          isFinished: true,
          isCounted: true,
        },
      ],
      { ...usualBill(counts, output), ...withSearches(counts.searches), ...containers },
    );
  },
});

const openAiResponses = responsesProvider({
  name: "OpenAI's responses",
  billsContainers: true,
  usageOf: () => ({}),
  shown: (length) =>
    Array.from({ length }, () => ({ type: "web_search_call", status: "completed" })),
});

/** Bills the calls of its tools that succeeded, and shows all of them. */
const xAiResponses = responsesProvider({
  name: "xAI's responses",
  billsContainers: false,
  usageOf: (web_search_calls) => ({ server_side_tool_usage_details: { web_search_calls } }),
  shown: () => [{ type: "web_search_call", status: "failed" }],
});

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
    case "sealed":
      return { text: word, thought: true, thoughtSignature: base64Of(word) };
    case "program":
      return { executableCode: { language: "PYTHON", code: word } };
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
    const early = {
      promptTokenCount: counts.input + counts.cached,
      cachedContentTokenCount: counts.cached,
    };
    return streamOf(
      [
        ...words.map((word) => ({
          data: {
            candidates: [
              {
                index: word.answer,
                content: { parts: [geminiPart(word)] },
                ...(word.kind === "scored" && {
                  logprobsResult: { chosenCandidates: scores(word.word) },
                }),
              },
            ],
            usageMetadata: early,
          },
          words: 1,
        })),
        {
          data: {
            candidates: [{ content: { parts: [{ text: "" }] }, finishReason: "STOP" }],
            usageMetadata,
          },
          counted: output,
          isFinished: true,
          isCounted: true,
        },
      ],
      { ...usualBill(counts, output), input: counts.input + counts.searches },
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
    case "sealed":
      return { reasoningContent: { redactedContent: base64Of(word) } };
    case "remote":
    case "program":
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
        {
          data: { metadata: { usage, metrics: { latencyMs: 5 } } },
          counted: output,
          isCounted: true,
        },
      ],
      {
        ...usualBill(counts, output),
        cache_write_5m: counts.cacheWrites,
        cache_write_1h: counts.cacheWrites,
      },
    );
  },
};

export const honestProviders: readonly HonestProvider[] = [
  ...honestChatProviders,
  anthropic,
  openAiResponses,
  xAiResponses,
  google,
  bedrock,
];
