// Answers of Responses as real providers give them: the members and their order are those of recordings, words
// and figures are our own.
import type { Usage } from "@tollgate/gateway/money/prices/price.ts";
import type { RecordedAnswer, WireObject } from "./recorded-answer.ts";

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

export const responses: readonly Omit<RecordedAnswer, "speaks">[] = [
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
