/**
 * Baidu's Wenxin by its first API: a two-part key is exchanged for an access token, which goes into
 * the URL of every call.
 */
import type { JsonRecord } from "../wire/json-parts.ts";
import { type EndpointUrls, joinUrl } from "./endpoint-urls.ts";
import {
  InvalidChannelKey,
  type ProviderAdapter,
  type ProviderSettings,
  type TokenExchange,
  type UpstreamRequest,
} from "./provider.ts";

/**
 * Models whose path is not their name in lower case, as Baidu's own Python library lists them
 * (`qianfan/resources/llm/chat_completion.py`). Channels still use names that the library calls
 * outdated.
 */
const chatEndpoints: Readonly<Record<string, string>> = {
  "ernie-4.0-8k": "completions_pro",
  "ernie-bot-4": "completions_pro",
  "ernie-4.0-preemptible": "completions_pro_preemptible",
  "ernie-4.0-preview": "ernie-4.0-8k-preview",
  "ernie-3.5-8k": "completions",
  "ernie-bot": "completions",
  "ernie-3.5-8k-preemptible": "completions_preemptible",
  "ernie-3.5-preview": "ernie-3.5-8k-preview",
  "ernie-bot-8k": "ernie_bot_8k",
  "ernie-lite-8k-0922": "eb-instant",
  "ernie-bot-turbo": "eb-instant",
  "ernie-lite-8k-0308": "ernie-lite-8k",
  "ernie-speed": "ernie_speed",
  "ernie-speed-8k": "ernie_speed",
  "ernie-bot-turbo-ai": "ai_apaas",
  "ernie-functions-8k": "ernie-func-8k",
  "ernie-character-8k": "ernie-char-8k",
  "bloomz-7b": "bloomz_7b1",
  "llama-2-7b-chat": "llama_2_7b",
  "llama-2-13b-chat": "llama_2_13b",
  "llama-2-70b-chat": "llama_2_70b",
  "meta-llama-3-8b": "llama_3_8b",
  "meta-llama-3-70b": "llama_3_70b",
  "qianfan-bloomz-7b-compressed": "qianfan_bloomz_7b_compressed",
  "qianfan-chinese-llama-2-7b": "qianfan_chinese_llama_2_7b",
  "qianfan-chinese-llama-2-13b": "qianfan_chinese_llama_2_13b",
  "chatglm2-6b-32k": "chatglm2_6b_32k",
  "aquilachat-7b": "aquilachat_7b",
  "xuanyuan-70b-chat-4bit": "xuanyuan_70b_chat",
  "yi-34b-chat": "yi_34b_chat",
  "mixtral-8x7b-instruct": "mixtral_8x7b_instruct",
  "gemma-7b-it": "gemma_7b_it",
};
const embeddingEndpoints: Readonly<Record<string, string>> = {
  "embedding-v1": "embedding-v1",
  "bge-large-en": "bge_large_en",
  "bge-large-zh": "bge_large_zh",
  "tao-8k": "tao_8k",
};

const workshop = "/rpc/2.0/ai_custom/v1/wenxinworkshop";

function buildEntries({ base }: ProviderSettings, model: string): EndpointUrls {
  const name = model.toLowerCase();
  const at = (task: string, endpoint: string): URL | null =>
    joinUrl(base, `${workshop}/${task}/${encodeURIComponent(endpoint)}`);
  const embedding = embeddingEndpoints[name];
  const chat = embedding ? null : at("chat", chatEndpoints[name] ?? name);
  // A model that the operator deployed there has a name of its own and may serve either.
  const embeddings = embedding || !chatEndpoints[name] ? at("embeddings", embedding ?? name) : null;
  return { ...(chat && { baidu_chat: chat }), ...(embeddings && { baidu_embeddings: embeddings }) };
}

const tokenExchange: TokenExchange = {
  request(key, { base }): UpstreamRequest {
    const [id, secret, ...more] = key.split("|");
    const url = joinUrl(base, "/oauth/2.0/token");
    if (!id || !secret || more.length > 0)
      throw new InvalidChannelKey("the key of this channel must be APIKey|SecretKey");
    if (!url) throw new InvalidChannelKey("the address of this channel is none");
    url.search = String(
      new URLSearchParams({
        grant_type: "client_credentials",
        client_id: id,
        client_secret: secret,
      }),
    );
    const headers = ["content-type", "application/json", "accept", "application/json"];
    return { url, headers, body: Buffer.alloc(0) };
  },
  read: ({ access_token, expires_in }: JsonRecord) =>
    typeof access_token === "string" && typeof expires_in === "number"
      ? { secret: access_token, livesMs: expires_in * 1000 }
      : undefined,
};

export const baidu: ProviderAdapter = {
  endpoints: buildEntries,
  credentials: () => [],
  tokenExchange,
  finish(request, _call, _model, { secret }) {
    const url = new URL(request.url);
    url.searchParams.set("access_token", secret);
    return { ...request, url };
  },
};
