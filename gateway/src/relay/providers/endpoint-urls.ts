/** The URLs of the endpoints that a provider offers itself. */
import {
  type EndpointName,
  endpointNames,
} from "@tollgate/contract/catalogue/channel-endpoints.ts";
import {
  type ChannelType,
  channelTypeIds as ids,
} from "@tollgate/contract/catalogue/channel-types.ts";
import type { ApiEndpoint } from "../formats/api-format.ts";
import { isRecord, type JsonRecord } from "../wire/json-parts.ts";

export type EndpointUrls = Readonly<Partial<Record<ApiEndpoint, URL>>>;

/** `ProviderAddress` is what a provider's addresses follow from. */
export interface ProviderAddress {
  type: ChannelType;
  /** `base` comes without trailing slashes; empty when it follows from other settings. */
  base: string;
  /** The fields of `config`, and of `other` if that holds JSON. */
  config: JsonRecord;
}

/** Paths of chat completions other than `/v1/chat/completions`, by type. */
const chatPaths: Readonly<Record<number, string>> = {
  [ids.zhipu]: "/api/paas/v4/chat/completions",
  [ids.qianwen]: "/compatible-mode/v1/chat/completions",
  [ids.miniMax]: "/v1/text/chatcompletion_v2",
  [ids.cohere]: "/compatibility/v1/chat/completions",
  [ids.volcano]: "/api/v3/chat/completions",
  [ids.baiduV2]: "/v2/chat/completions",
  [ids.bailian]: "/compatible-mode/v1/chat/completions",
  [ids.copilot]: "/chat/completions",
  [ids.deepInfra]: "/v1/openai/chat/completions",
};
/** Paths that do not follow the others of their type. */
const ownPaths: Readonly<Record<number, Readonly<Partial<Record<EndpointName, string>>>>> = {
  [ids.zhipu]: { ocr: "/api/paas/v4/layout_parsing" },
  [ids.cohere]: { rerank: "/v2/rerank" },
};

/**
 * OpenAI endpoints that a compatible provider has if its type lists them, below the same version.
 */
const openAiPaths: Readonly<Partial<Record<EndpointName, string>>> = {
  completions: "/completions",
  embeddings: "/embeddings",
  moderations: "/moderations",
  images_generations: "/images/generations",
  images_edits: "/images/edits",
  audio_speech: "/audio/speech",
  audio_transcription: "/audio/transcriptions",
  audio_translation: "/audio/translations",
  rerank: "/rerank",
  ocr: "/ocr",
  realtime: "/realtime",
  videos: "/videos",
};
/**
 * Types that offer the Responses API. Others use chat completions unless their channel states
 * otherwise.
 */
const withResponses = new Set<number>([ids.openAi, ids.xAi, ids.copilot]);
/**
 * Models that OpenAI serves only by the Responses API: for coding agents, for research, and its
 * largest.
 */
export const hasResponsesAlone = (model: string): boolean =>
  /^(codex-|computer-use-|o\d(-mini)?-(pro|deep-research)|gpt-[5-9](\.\d+)?-(pro|codex))/.test(
    model,
  );
/**
 * `thinksBesideToolsElsewhere` is for models that think beside functions only in Responses: in chat
 * completions, OpenAI takes functions for them with the effort `none` alone. GPT-5.4 does not think
 * unless it is asked to. Source: OpenAI's deployment checklist; itzcrazykns/vane#1173.
 */
export const thinksBesideToolsElsewhere = (model: string, effort: unknown): boolean =>
  effort !== "none" &&
  (/^gpt-(?:5\.(?:[5-9]|\d\d)|[6-9])(?!.*-chat)/.test(model) ||
    (effort !== undefined && effort !== null && /^gpt-5\.4(?!\d)/.test(model)));
/** Types with Cohere's rerank API, which other vendors have adopted. */
const withRerank = new Set<number>([
  ids.cohere,
  ids.siliconFlow,
  ids.bailian,
  ids.compatible,
  ids.deepInfra,
]);

/** A base URL may already end in a version, as in `…/v1` or `…/v1beta/openai`. */
const versioned = /\/v\d+[a-z]*(\/openai)?$/;

export const joinUrl = (base: string, path: string): URL | null => URL.parse(base + path);

export function buildEndpointUrls(
  { type, base, config }: ProviderAddress,
  model = "",
): EndpointUrls {
  const urls: Partial<Record<ApiEndpoint, URL>> = {};
  const add = (endpoint: ApiEndpoint, path: string): void => {
    const url = joinUrl(base, path);
    if (url) urls[endpoint] = url;
  };
  if (type.format === "anthropic")
    add("claude_messages", base.endsWith("/v1") ? "/messages" : "/v1/messages");
  if (type.format === "gemini") {
    // Model and operation follow the path; `v1` lacks much of what clients request.
    const models = versioned.test(base) ? "/models" : "/v1beta/models";
    add("gemini", models);
    add("gemini_embeddings", models);
  }
  if (type.format !== "openai") return urls;
  const chat =
    chatPaths[type.id] ?? (versioned.test(base) ? "/chat/completions" : "/v1/chat/completions");
  const version = /^(.*)\/(?:text\/chatcompletion_v2|chat\/completions)$/.exec(chat)?.[1] ?? "";
  return {
    ...openAiUrls(type.id, findServedEndpoints(type, config, model), base, version, chat),
    ...readStatedUrls(config, base),
  };
}

/** OpenAI's endpoints below one version. */
export function openAiUrls(
  type: number,
  endpoints: ReadonlySet<EndpointName>,
  base: string,
  version: string,
  chat = `${version}/chat/completions`,
): EndpointUrls {
  const urls: Partial<Record<ApiEndpoint, URL>> = {};
  const paths: Partial<Record<EndpointName, string>> = {
    chat_completions: chat,
    response_api: `${version}/responses`,
    claude_messages: `${version}/messages`,
    ...Object.fromEntries(
      Object.entries(openAiPaths).map(([endpoint, path]) => [endpoint, version + path]),
    ),
    ...ownPaths[type],
  };
  for (const endpoint of endpoints) {
    const url = paths[endpoint] === undefined ? null : joinUrl(base, paths[endpoint]);
    if (url) urls[endpoint] = url;
  }
  return urls;
}

/** The endpoints that the provider offers itself, by its type or by the channel's settings. */
function findServedEndpoints(
  { id, endpoints }: ChannelType,
  config: JsonRecord,
  model: string,
): ReadonlySet<EndpointName> {
  const stated = Array.isArray(config.supported_endpoints) ? config.supported_endpoints : [];
  if (stated.length > 0) return new Set(endpointNames.filter((name) => stated.includes(name)));
  const own = new Set(endpoints);
  own.delete("claude_messages");
  if (!withResponses.has(id)) own.delete("response_api");
  // xAI makes videos by an API of its own.
  if (id === ids.xAi) own.delete("videos");
  own.delete("rerank");
  if (withRerank.has(id)) own.add("rerank");
  if (config.api_format === "response" || (withResponses.has(id) && hasResponsesAlone(model))) {
    own.delete("chat_completions");
    own.add("response_api");
  }
  return own;
}

/**
 * URLs that the operator gave for single endpoints. The key is only sent to the origin that it was
 * entered for.
 */
function readStatedUrls(config: JsonRecord, base: string): EndpointUrls {
  if (!isRecord(config.endpoint_urls)) return {};
  const origin = URL.parse(base)?.origin;
  const urls: Partial<Record<ApiEndpoint, URL>> = {};
  for (const name of endpointNames) {
    const stated = config.endpoint_urls[name];
    const url = typeof stated === "string" ? URL.parse(stated) : null;
    if (url && url.origin === origin) urls[name] = url;
  }
  return urls;
}
