/** Usage as OpenAI's APIs count it, and the members that compatible providers add to it. */
import { noUsage, pickUsedExtras, type Usage } from "../../../money/prices/price.ts";
import { isRecord, type JsonRecord, record, records } from "../../wire/json-parts.ts";
import { findTokenCount, type ReportedUsage } from "./reported-usage.ts";

/** Calls of xAI's own tools, as far as it bills them. */
const toolMembers = {
  web_searches: ["web_search_calls", "x_search_calls"],
  file_searches: ["file_search_calls", "document_search_calls"],
  code_runs: ["code_interpreter_calls"],
} as const;

/**
 * Tokens written to a cache, as OpenAI and OpenRouter, Alibaba, LiteLLM and the successors of
 * one-api name them.
 */
const cacheWriteMembers = [
  "cache_write_tokens",
  "cache_creation_input_tokens",
  "cache_creation_tokens",
  "cached_creation_tokens",
] as const;

/** Perplexity's agents count how often each of their tools ran. */
const computeAgentSearches = (tools: JsonRecord): number =>
  ["web_search", "search_web"].reduce(
    (sum, tool) => sum + sumMembers(record(tools[tool]), ["invocation"]),
    0,
  );

function sumMembers(counts: JsonRecord, members: readonly string[]): number {
  let sum = 0;
  for (const member of members) sum += findTokenCount(counts[member]) ?? 0;
  return sum;
}

function computeLargest(counts: JsonRecord, members: readonly string[]): number {
  let largest = 0;
  for (const member of members) largest = Math.max(largest, findTokenCount(counts[member]) ?? 0);
  return largest;
}

/**
 * Chat completions, embeddings, rerankers and Responses: disjoint buckets from a count whose prompt
 * tokens include cached ones. Undefined when every count is 0.
 */
export function parseOpenAiUsage(wire: unknown): ReportedUsage | undefined {
  const reported = record(wire);
  const total = findTokenCount(reported.total_tokens) ?? 0;
  const counted = findTokenCount(reported.completion_tokens ?? reported.output_tokens ?? 0);
  // Voyage and Jina report the total alone.
  const stated = reported.prompt_tokens ?? reported.input_tokens;
  if (counted === undefined) return undefined;
  const prompt =
    stated == null && total > 0 ? Math.max(0, total - counted) : findTokenCount(stated);
  if (prompt === undefined) return undefined;
  // Perplexity reads sources and reasons beside all other counts, its total included, and at prices
  // of their own.
  const sources = findTokenCount(reported.citation_tokens);
  const separateReasoning =
    sources === undefined ? 0 : (findTokenCount(reported.reasoning_tokens) ?? 0);
  // Mistral bills sound by the second; its tokens are in the total alone.
  const seconds = findTokenCount(reported.prompt_audio_seconds) ?? 0;
  // xAI and Google's compatible API count reasoning beside the completion, and in the total.
  const output = Math.max(counted, seconds > 0 ? 0 : total - prompt);
  if (prompt === 0 && output === 0 && separateReasoning === 0) return undefined;
  const promptDetails = record(reported.prompt_tokens_details ?? reported.input_tokens_details);
  const completionDetails = record(
    reported.completion_tokens_details ?? reported.output_tokens_details,
  );
  // Moonshot and DeepSeek have their own members besides, or alone.
  const reportedCached =
    promptDetails.cached_tokens ??
    promptDetails.cache_read_input_tokens ??
    promptDetails.cache_read_tokens ??
    reported.cached_tokens ??
    reported.prompt_cache_hit_tokens ??
    0;
  const cache_read = Math.min(findTokenCount(reportedCached) ?? 0, prompt);
  const cacheWrites = Math.min(
    computeLargest(promptDetails, cacheWriteMembers),
    prompt - cache_read,
  );
  const { ephemeral_1h_input_tokens } = record(
    promptDetails.cache_creation ?? promptDetails.cache_creation_token_details,
  );
  const cache_write_1h = Math.min(findTokenCount(ephemeral_1h_input_tokens) ?? 0, cacheWrites);
  // The count does not say how much of sound and pictures was cached: cached tokens count as text,
  // these as not cached.
  const uncached = prompt - cache_read - cacheWrites;
  const input_audio = Math.min(findTokenCount(promptDetails.audio_tokens) ?? 0, uncached);
  const input_image = Math.min(
    findTokenCount(promptDetails.image_tokens) ?? 0,
    uncached - input_audio,
  );
  const output_audio = Math.min(findTokenCount(completionDetails.audio_tokens) ?? 0, output);
  const output_image = Math.min(
    findTokenCount(completionDetails.image_tokens) ?? 0,
    output - output_audio,
  );
  const reasoning =
    findTokenCount(completionDetails.reasoning_tokens ?? reported.reasoning_tokens) ?? 0;
  const hiddenPrompt = sources ?? 0;
  // Reasoning is not delivered, and neither sound nor a picture has text.
  const unwritten = Math.max(reasoning, output - counted) + output_audio + output_image;
  const hiddenOutput = Math.min(unwritten - separateReasoning, output) + separateReasoning;
  const calls = record(reported.server_side_tool_usage_details);
  const extras = {
    input_audio,
    output_audio,
    input_image,
    output_image,
    reasoning: separateReasoning,
    seconds,
    web_searches:
      sumMembers(calls, toolMembers.web_searches) +
      sumMembers(reported, ["num_search_queries"]) +
      computeAgentSearches(record(reported.tool_calls_details)) +
      sumMembers(record(reported.server_tool_use), ["web_search_requests"]),
    file_searches: sumMembers(calls, toolMembers.file_searches),
    code_runs: sumMembers(calls, toolMembers.code_runs),
  };
  const usage: Usage = {
    ...noUsage,
    input: uncached - input_audio - input_image + hiddenPrompt,
    cache_read,
    cache_write_5m: cacheWrites - cache_write_1h,
    cache_write_1h,
    output: output - output_audio - output_image,
    ...pickUsedExtras(extras),
  };
  return {
    usage,
    hiddenOutput,
    ...(hiddenPrompt > 0 && { hiddenPrompt }),
    // Perplexity takes a fee for each request by how much it is asked to search: it names the size,
    // and no count.
    ...(typeof reported.search_context_size === "string" && { hasUnknownFee: "of_call" as const }),
    isCorrected: cache_read !== reportedCached,
    wire: { family: "openai", members: reported },
  };
}

/** The usage of an event of chat completions; Moonshot puts it into the choice that ends. */
export const parseEventUsage = ({ usage, choices }: JsonRecord): ReportedUsage | undefined =>
  parseOpenAiUsage(usage) ?? parseOpenAiUsage(records(choices).find(hasUsage)?.usage);

const hasUsage = ({ usage }: JsonRecord): boolean => isRecord(usage);
