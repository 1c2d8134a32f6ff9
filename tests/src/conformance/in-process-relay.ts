// The relay without its sockets: calls of each interface, and what becomes of a provider's stream.

import { anthropicMessages } from "@tollgate/gateway/relay/formats/anthropic-messages.ts";
import type {
  ApiEndpoint,
  ClientFormat,
  RelayCall,
} from "@tollgate/gateway/relay/formats/api-format.ts";
import { chatCompletions } from "@tollgate/gateway/relay/formats/chat-completions.ts";
import { findGeminiFormat } from "@tollgate/gateway/relay/formats/gemini-endpoints.ts";
import { responses } from "@tollgate/gateway/relay/formats/responses.ts";
import type { EndpointUrls } from "@tollgate/gateway/relay/providers/endpoint-urls.ts";
import {
  planUpstreamCall,
  type UpstreamPlan,
} from "@tollgate/gateway/relay/routing/translation-registry.ts";
import { type ConversationEndpoint, prompt } from "./conversation-scenario.ts";

export const model = "m";
const streamPath = `/v1beta/models/${model}:streamGenerateContent`;
const streamTarget = `${streamPath}?alt=sse`;

/** A call with a JSON body. */
export function parseCall(format: ClientFormat | undefined, json: object): RelayCall {
  if (!format) throw new Error("there is no such format");
  return {
    ...format.parseRequest(json, false),
    client: format,
    upstream: format.upstream,
    headers: [],
    body: Buffer.from(JSON.stringify(json)),
  };
}

const messages = [{ role: "user", content: prompt }];
const stream_options = { include_usage: true };
const calls: Readonly<Record<ConversationEndpoint, RelayCall>> = {
  "Chat Completions": parseCall(chatCompletions, { model, messages, stream: true, stream_options }),
  Responses: parseCall(responses, { model, input: prompt, stream: true }),
  Messages: parseCall(anthropicMessages, { model, messages, max_tokens: 9, stream: true }),
  Gemini: parseCall(findGeminiFormat(streamPath, streamTarget), {
    contents: [{ parts: [{ text: prompt }] }],
  }),
};
/** A call for a stream. */
export const callOf = (endpoint: ConversationEndpoint): RelayCall => calls[endpoint];

const entries: Readonly<Record<ConversationEndpoint, ApiEndpoint>> = {
  "Chat Completions": "chat_completions",
  Responses: "response_api",
  Messages: "claude_messages",
  Gemini: "gemini",
};
/** The gateway's own name of an interface. */
export const entryOf = (endpoint: ConversationEndpoint): ApiEndpoint => entries[endpoint];

/** To a channel that speaks this alone. */
export const planOver = (call: RelayCall, spoken: ApiEndpoint): UpstreamPlan =>
  planUpstreamCall(
    call,
    { [spoken]: new URL("http://provider.example/v1") } as EndpointUrls,
    model,
  );

/** What the client gets for the events of a provider of another kind. */
export function translated(
  call: RelayCall,
  spoken: ApiEndpoint,
  events: readonly string[],
): string {
  const { translator } = planOver(call, spoken);
  if (!translator) throw new Error("there is nothing to translate");
  return events.map((event) => translator.translateEvent(event)).join("") + translator.finish();
}
