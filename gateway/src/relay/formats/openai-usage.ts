/** Usage as OpenAI's APIs count it, and the members that compatible providers add to it. */
import { noUsage } from "../../money/price.ts";
import { type JsonRecord, record } from "../wire/json-parts.ts";
import { type ReportedUsage, tokenCount } from "./reported-usage.ts";

/** Calls of xAI's own tools, as far as it bills them. */
const toolMembers = {
  web_searches: ["web_search_calls", "x_search_calls"],
  file_searches: ["file_search_calls", "document_search_calls"],
  code_runs: ["code_interpreter_calls"],
} as const;

const sumOf = (counts: JsonRecord, members: readonly string[]): number =>
  members.reduce((sum, member) => sum + (tokenCount(counts[member]) ?? 0), 0);

/**
 * Chat completions, embeddings, rerankers and Responses: disjoint buckets from a count whose prompt tokens include cached
 * ones. Undefined when every count is 0.
 */
export function parseOpenAiUsage(wire: unknown): ReportedUsage | undefined {
  const reported = record(wire);
  const total = tokenCount(reported.total_tokens) ?? 0;
  const counted = tokenCount(reported.completion_tokens ?? reported.output_tokens ?? 0);
  // Voyage and Jina report the total alone.
  const stated = reported.prompt_tokens ?? reported.input_tokens;
  if (counted === undefined) return undefined;
  const prompt = stated == null && total > 0 ? Math.max(0, total - counted) : tokenCount(stated);
  if (prompt === undefined) return undefined;
  // Perplexity reads sources and reasons beside all other counts, its total included.
  const sources = tokenCount(reported.citation_tokens);
  const separateReasoning = sources === undefined ? 0 : (tokenCount(reported.reasoning_tokens) ?? 0);
  // xAI and Google's compatible API count reasoning beside the completion, and in the total.
  const output = Math.max(counted, total - prompt) + separateReasoning;
  if (prompt === 0 && output === 0) return undefined;
  const promptDetails = record(reported.prompt_tokens_details ?? reported.input_tokens_details);
  const completionDetails = record(reported.completion_tokens_details ?? reported.output_tokens_details);
  // Moonshot and DeepSeek have their own members besides, or alone.
  const reportedCached = promptDetails.cached_tokens ?? reported.cached_tokens ?? reported.prompt_cache_hit_tokens ?? 0;
  const cache_read = Math.min(tokenCount(reportedCached) ?? 0, prompt);
  const cache_write_5m = Math.min(tokenCount(promptDetails.cache_write_tokens) ?? 0, prompt - cache_read);
  // The count does not say how much audio was cached: cached tokens count as text, audio as not cached.
  const input_audio = Math.min(tokenCount(promptDetails.audio_tokens) ?? 0, prompt - cache_read - cache_write_5m);
  const output_audio = Math.min(tokenCount(completionDetails.audio_tokens) ?? 0, output);
  const reasoning = tokenCount(completionDetails.reasoning_tokens ?? reported.reasoning_tokens) ?? 0;
  const hiddenPrompt = sources ?? 0;
  // Reasoning is not delivered, and audio has no text.
  const hiddenOutput = Math.min(Math.max(reasoning, output - counted) + output_audio, output);
  const calls = record(reported.server_side_tool_usage_details);
  const web_searches = sumOf(calls, toolMembers.web_searches) + (tokenCount(reported.num_search_queries) ?? 0);
  const file_searches = sumOf(calls, toolMembers.file_searches);
  const code_runs = sumOf(calls, toolMembers.code_runs);
  const usage = {
    ...noUsage,
    input: prompt - cache_read - cache_write_5m - input_audio + hiddenPrompt,
    cache_read,
    cache_write_5m,
    output: output - output_audio,
    ...(input_audio > 0 && { input_audio }),
    ...(output_audio > 0 && { output_audio }),
    ...(web_searches > 0 && { web_searches }),
    ...(file_searches > 0 && { file_searches }),
    ...(code_runs > 0 && { code_runs }),
  };
  return {
    usage,
    hiddenOutput,
    ...(hiddenPrompt > 0 && { hiddenPrompt }),
    isCorrected: cache_read !== reportedCached,
    wire: { family: "openai", members: reported },
  };
}
