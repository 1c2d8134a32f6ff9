/** Where a provider keeps each interface that it speaks itself. */
import type { EndpointName } from "@tollgate/contract/channel-endpoints.ts";
import type { ChannelType } from "@tollgate/contract/channel-types.ts";
import type { Entry } from "../shapes/shape.ts";

export type EntryUrls = Readonly<Partial<Record<Entry, URL>>>;

/** Where a type keeps chat completions, when it is not at `/v1/chat/completions`. */
const chatPaths: Readonly<Record<number, string>> = {
  27: "/v1/text/chatcompletion_v2",
  40: "/api/v3/chat/completions",
  47: "/v2/chat/completions",
  49: "/compatible-mode/v1/chat/completions",
};

/** Interfaces of OpenAI that a provider of its family has when its type lists them, below the same version. */
const openAiPaths: Readonly<Partial<Record<EndpointName, string>>> = {
  completions: "/completions",
  embeddings: "/embeddings",
  moderations: "/moderations",
};
/** Types that are known to have the newer interface; others are asked by the older one. */
const withResponses = new Set([1, 45]);
/** Cohere's interface for reranking, which others have taken over. */
const withRerank = new Set([44, 49, 50, 57]);

/** A base address may end in its own version segment already, as in `…/v1` or `…/v1beta/openai`. */
const versioned = /\/v\d+[a-z]*(\/openai)?$/;

export function entryUrls(type: ChannelType, base: string): EntryUrls {
  const trimmed = base.replace(/\/+$/, "");
  const urls: Partial<Record<Entry, URL>> = {};
  const add = (entry: Entry, path: string): void => {
    if (URL.canParse(trimmed + path)) urls[entry] = new URL(trimmed + path);
  };
  if (type.format === "anthropic") add("claude_messages", trimmed.endsWith("/v1") ? "/messages" : "/v1/messages");
  if (type.format === "gemini") {
    // Model and operation follow; the older version lacks much of what callers ask for.
    const models = versioned.test(trimmed) ? "/models" : "/v1beta/models";
    add("gemini", models);
    add("gemini_embeddings", models);
  }
  if (type.format !== "openai") return urls;
  const chat = chatPaths[type.id] ?? (versioned.test(trimmed) ? "/chat/completions" : "/v1/chat/completions");
  add("chat_completions", chat);
  const version = /^(.*)\/(?:text\/chatcompletion_v2|chat\/completions)$/.exec(chat)?.[1] ?? "";
  for (const [entry, path] of Object.entries(openAiPaths) as [EndpointName, string][]) {
    if (type.endpoints.includes(entry)) add(entry, version + path);
  }
  if (withResponses.has(type.id)) add("response_api", `${version}/responses`);
  if (withRerank.has(type.id)) add("rerank", `${version}/rerank`);
  return urls;
}
