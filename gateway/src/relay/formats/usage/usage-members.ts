/**
 * Every member of the usage objects that providers send, where it is charged, and where the
 * provider documents it. A count that is missing here is unknown: it marks the log row.
 * `docs/usage.md` is made of this table, and a test reads each member.
 */
import type { UsageBucket } from "../../../money/prices/price.ts";
import type { UsageFamily } from "./reported-usage.ts";

export interface UsageMember {
  /** Elements of lists are `*`. */
  path: string;
  /**
   * The buckets that it is charged in. Without any, it repeats, splits or explains another member.
   */
  buckets: readonly UsageBucket[];
  note?: string;
}

interface UsageFamilyDescription {
  title: string;
  /** The pages on which the providers describe the object. */
  sources: readonly string[];
  members: readonly UsageMember[];
}

const charged = (path: string, ...buckets: UsageBucket[]): UsageMember => ({ path, buckets });
const part = (path: string, note: string): UsageMember => ({ path, buckets: [], note });
/** Inside the prompt, by the names that different providers and gateways use. */
const planCacheWrites = (details: string): readonly UsageMember[] => [
  charged(`${details}.cache_write_tokens`, "cache_write_5m"),
  charged(`${details}.cache_creation_input_tokens`, "cache_write_5m"),
  charged(`${details}.cache_creation_tokens`, "cache_write_5m"),
  charged(`${details}.cached_creation_tokens`, "cache_write_5m"),
  part(`${details}.cache_creation.ephemeral_5m_input_tokens`, "part of the tokens written"),
  part(
    `${details}.cache_creation_token_details.ephemeral_5m_input_tokens`,
    "part of the tokens written",
  ),
  charged(`${details}.cache_creation.ephemeral_1h_input_tokens`, "cache_write_1h"),
  charged(`${details}.cache_creation_token_details.ephemeral_1h_input_tokens`, "cache_write_1h"),
];
const total = "what it has beyond prompt and completion is output";

export const usageMembers: Readonly<Record<UsageFamily, UsageFamilyDescription>> = {
  openai: {
    title:
      "OpenAI's chat completions, completions, embeddings and Responses, and compatible providers",
    sources: [
      "https://platform.openai.com/docs/api-reference/chat/object",
      "https://platform.openai.com/docs/api-reference/responses/object",
      "https://docs.x.ai/docs/guides/reasoning",
      "https://docs.perplexity.ai/api-reference/chat-completions-post",
      "https://docs.perplexity.ai/api-reference/responses-post",
      "https://api-docs.deepseek.com/api/create-chat-completion",
      "https://docs.voyageai.com/reference/reranker-api",
      "https://docs.cohere.com/reference/rerank",
      "https://docs.x.ai/developers/tools/tool-usage-details",
      "https://openrouter.ai/docs/client-sdks/python/components/bodyservertooluse",
      "https://www.alibabacloud.com/help/en/model-studio/context-cache",
      "https://docs.mistral.ai/studio/audio/overview",
      "https://docs.mistral.ai/api/endpoint/ocr",
    ],
    members: [
      charged("prompt_tokens", "input"),
      charged("input_tokens", "input"),
      charged("completion_tokens", "output"),
      charged("output_tokens", "output"),
      {
        path: "total_tokens",
        buckets: ["output", "input"],
        note: `${total}; alone (rerankers), it is input`,
      },
      charged("prompt_tokens_details.cached_tokens", "cache_read"),
      charged("prompt_tokens_details.cache_read_input_tokens", "cache_read"),
      charged("prompt_tokens_details.cache_read_tokens", "cache_read"),
      ...planCacheWrites("prompt_tokens_details"),
      charged("prompt_tokens_details.audio_tokens", "input_audio"),
      charged("prompt_tokens_details.image_tokens", "input_image"),
      charged("input_tokens_details.cached_tokens", "cache_read"),
      charged("input_tokens_details.cache_read_input_tokens", "cache_read"),
      charged("input_tokens_details.cache_read_tokens", "cache_read"),
      ...planCacheWrites("input_tokens_details"),
      charged("input_tokens_details.audio_tokens", "input_audio"),
      charged("input_tokens_details.image_tokens", "input_image"),
      part("prompt_tokens_details.text_tokens", "part of the prompt tokens"),
      part("input_tokens_details.text_tokens", "part of the input tokens"),
      charged("completion_tokens_details.audio_tokens", "output_audio"),
      charged("output_tokens_details.audio_tokens", "output_audio"),
      charged("completion_tokens_details.image_tokens", "output_image"),
      charged("output_tokens_details.image_tokens", "output_image"),
      part("completion_tokens_details.reasoning_tokens", "part of the output"),
      part("output_tokens_details.reasoning_tokens", "part of the output"),
      part("completion_tokens_details.text_tokens", "part of the output"),
      part("completion_tokens_details.accepted_prediction_tokens", "part of the output"),
      part("completion_tokens_details.rejected_prediction_tokens", "part of the output"),
      charged("cached_tokens", "cache_read"),
      charged("prompt_cache_hit_tokens", "cache_read"),
      part("prompt_cache_miss_tokens", "part of the prompt tokens"),
      charged("citation_tokens", "input"),
      {
        path: "reasoning_tokens",
        buckets: ["reasoning"],
        note: "beside the output where citation_tokens is present, else part of it",
      },
      {
        path: "prompt_audio_seconds",
        buckets: ["seconds"],
        note: "then the tokens of the sound are in the total alone",
      },
      charged("num_search_queries", "web_searches"),
      charged("tool_calls_details.web_search.invocation", "web_searches"),
      charged("tool_calls_details.search_web.invocation", "web_searches"),
      charged("server_tool_use.web_search_requests", "web_searches"),
      part("server_tool_use.tool_calls_requested", "searches among them"),
      part("server_tool_use.tool_calls_executed", "searches among them"),
      charged("server_side_tool_usage_details.web_search_calls", "web_searches"),
      charged("server_side_tool_usage_details.x_search_calls", "web_searches"),
      charged("server_side_tool_usage_details.file_search_calls", "file_searches"),
      charged("server_side_tool_usage_details.document_search_calls", "file_searches"),
      charged("server_side_tool_usage_details.code_interpreter_calls", "code_runs"),
      part(
        "server_side_tool_usage_details.mcp_calls",
        "free: what the server answered is in the prompt",
      ),
      charged("meta.billed_units.search_units", "search_units"),
      {
        path: "usage_info.pages_processed",
        buckets: ["pages"],
        note: "as `annotated_pages` where annotations were asked for",
      },
      part("usage_info.doc_size_bytes", "the size of the document"),
      part("num_server_side_tools_used", "the sum of the tools' calls"),
      part("num_sources_used", "sources that a search read: their tokens are in the prompt"),
      charged("tool_usage.web_search.num_requests", "web_searches"),
      charged("tool_usage.image_gen.input_tokens", "input"),
      charged("tool_usage.image_gen.input_tokens_details.image_tokens", "input_image"),
      part("tool_usage.image_gen.input_tokens_details.text_tokens", "part of its input tokens"),
      charged("tool_usage.image_gen.cached_tokens", "cache_read"),
      charged("tool_usage.image_gen.cached_tokens_details.cached_image_tokens", "cache_read_image"),
      part(
        "tool_usage.image_gen.cached_tokens_details.cached_text_tokens",
        "part of its cached tokens",
      ),
      charged("tool_usage.image_gen.output_tokens", "output_image"),
      part("tool_usage.image_gen.output_tokens_details.image_tokens", "part of its output tokens"),
      part("tool_usage.image_gen.output_tokens_details.text_tokens", "part of its output tokens"),
      part("tool_usage.image_gen.total_tokens", "their sum"),
      part("cost_in_usd_ticks", "the provider's own sum of money"),
      part("cost", "the provider's own sum of money"),
      part("estimated_cost", "the provider's own sum of money"),
      part("cost.*", "the provider's own sum of money"),
      part("cost_details.*", "the provider's own sum of money"),
      part("queue_time", "seconds"),
      part("prompt_time", "seconds"),
      part("completion_time", "seconds"),
      part("total_time", "seconds"),
    ],
  },
  anthropic: {
    title: "Anthropic's Messages, also on Bedrock and Vertex",
    sources: [
      "https://docs.claude.com/en/api/messages",
      "https://docs.claude.com/en/docs/build-with-claude/prompt-caching",
      "https://docs.claude.com/en/docs/build-with-claude/compaction",
    ],
    members: [
      charged("input_tokens", "input"),
      charged("output_tokens", "output"),
      part("output_tokens_details.thinking_tokens", "part of the output"),
      charged("cache_read_input_tokens", "cache_read"),
      charged("cache_creation_input_tokens", "cache_write_5m"),
      charged("cache_creation.ephemeral_5m_input_tokens", "cache_write_5m"),
      charged("cache_creation.ephemeral_1h_input_tokens", "cache_write_1h"),
      charged("server_tool_use.web_search_requests", "web_searches"),
      part("server_tool_use.web_fetch_requests", "free: what was fetched is in the input"),
      part("server_tool_use.tool_search_requests", "free: what was found is in the input"),
      part(
        "server_tool_use.code_execution_requests",
        "billed by the hour of a container, not in this object",
      ),
      {
        path: "iterations.*.input_tokens",
        buckets: ["input"],
        note: "of the advisor and of compaction; others are in the counts above",
      },
      { path: "iterations.*.output_tokens", buckets: ["output"], note: "as above" },
      { path: "iterations.*.cache_read_input_tokens", buckets: ["cache_read"], note: "as above" },
      {
        path: "iterations.*.cache_creation_input_tokens",
        buckets: ["cache_write_5m"],
        note: "as above",
      },
      {
        path: "iterations.*.cache_creation.ephemeral_5m_input_tokens",
        buckets: ["cache_write_5m"],
        note: "as above",
      },
      {
        path: "iterations.*.cache_creation.ephemeral_1h_input_tokens",
        buckets: ["cache_write_1h"],
        note: "as above",
      },
    ],
  },
  gemini: {
    title: "Google's Gemini, also on Vertex",
    sources: [
      "https://ai.google.dev/api/generate-content#UsageMetadata",
      "https://ai.google.dev/gemini-api/docs/google-search",
    ],
    members: [
      charged("promptTokenCount", "input"),
      charged("candidatesTokenCount", "output"),
      charged("thoughtsTokenCount", "output"),
      charged("toolUsePromptTokenCount", "input"),
      charged("cachedContentTokenCount", "cache_read"),
      { path: "totalTokenCount", buckets: ["output"], note: "what it has beyond the other counts" },
      {
        path: "promptTokensDetails.*.tokenCount",
        buckets: ["input_audio"],
        note: "of the modality AUDIO",
      },
      {
        path: "cacheTokensDetails.*.tokenCount",
        buckets: ["cache_read_audio"],
        note: "of the modality AUDIO",
      },
      {
        path: "candidatesTokensDetails.*.tokenCount",
        buckets: ["output_image", "output_audio"],
        note: "of the modalities IMAGE and AUDIO",
      },
      part("toolUsePromptTokensDetails.*.tokenCount", "part of toolUsePromptTokenCount"),
      {
        path: "groundingMetadata.webSearchQueries",
        buckets: ["web_searches"],
        note: "beside the object: each different search that is not empty; one where there are places and no search",
      },
      {
        path: "groundingMetadata.imageSearchQueries",
        buckets: ["web_searches"],
        note: "beside the object: searches of pictures, each different one",
      },
      {
        path: "groundingMetadata.groundingChunks",
        buckets: ["map_requests"],
        note: "beside the object: once, where one of them is a place of Google Maps",
      },
      part("initialPromptTokenCount", "part of promptTokenCount"),
    ],
  },
  converse: {
    title: "Amazon Bedrock's Converse",
    sources: [
      "https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_TokenUsage.html",
    ],
    members: [
      charged("inputTokens", "input"),
      charged("outputTokens", "output"),
      part("totalTokens", "their sum"),
      charged("cacheReadInputTokens", "cache_read"),
      {
        path: "cacheReadInputTokenCount",
        buckets: ["cache_read"],
        note: "an older name, read where the newer one is missing",
      },
      charged("cacheWriteInputTokens", "cache_write_5m"),
      { path: "cacheWriteInputTokenCount", buckets: ["cache_write_5m"], note: "as above" },
      {
        path: "cacheDetails.*.inputTokens",
        buckets: ["cache_write_1h"],
        note: "of the lifetime 1h",
      },
    ],
  },
  openai_media: {
    title: "OpenAI's images and speech",
    sources: ["https://platform.openai.com/docs/api-reference/images/object"],
    members: [
      charged("input_tokens", "input"),
      charged("output_tokens", "output_image", "output_audio"),
      charged("input_tokens_details.image_tokens", "input_image"),
      part("input_tokens_details.text_tokens", "part of the input tokens"),
      charged("input_tokens_details.cached_tokens", "cache_read"),
      part("output_tokens_details.image_tokens", "part of the output tokens"),
      charged("output_tokens_details.text_tokens", "output"),
      part("total_tokens", "their sum"),
    ],
  },
};

const knownPaths = new Map(
  Object.entries(usageMembers).map(([family, { members }]) => [
    family,
    new Set(members.map(({ path }) => path)),
  ]),
);

/** `path` may hold indices of lists. */
export function isKnownUsageMember(family: UsageFamily, path: string): boolean {
  const known = knownPaths.get(family);
  // Nearly every path is listed as it is.
  if (known?.has(path)) return true;
  const general = path.replaceAll(/(^|\.)\d+(?=\.|$)/g, "$1*");
  return known !== undefined && (known.has(general) || known.has(`${general.split(".")[0]}.*`));
}
