// Answers of Messages as real providers give them: the members and their order are those of recordings, words
// and figures are our own.
import type { RecordedAnswer } from "./recorded-answer.ts";

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

export const messages: readonly Omit<RecordedAnswer, "speaks">[] = [
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
