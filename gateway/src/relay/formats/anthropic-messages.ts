/** Messages: Anthropic's API, which coding agents speak. */
import * as z from "zod/mini";
import { noUsage, type Usage } from "../../money/price.ts";
import type { ServedTerms } from "../../money/price-factors.ts";
import { eventText, isObject, textIn, valueStart } from "../wire/event-text.ts";
import type { RelayRefusal } from "../wire/relay-refusal.ts";
import type {
  ClientFormat,
  ErrorFormat,
  ParsedRequest,
  RelayCall,
  ReplyFacts,
  StreamEventFacts,
  StreamEventReader,
  TokenCounter,
} from "./api-format.ts";
import { streamOrJson, textFacts } from "./reply-facts.ts";
import { type ReportedUsage, tokenCount } from "./reported-usage.ts";
import { messageList, modelName, parseBody, patchBody, tokenLimit } from "./request-fields.ts";
import { servedTermsOf } from "./served-terms.ts";
import { estimatePromptTokens } from "./token-estimate.ts";

const messagesRequest = z.object({
  model: modelName,
  messages: messageList,
  stream: z.optional(z.nullable(z.boolean())),
  max_tokens: tokenLimit,
});

function parseRequest(json: unknown, isEstimateRough: boolean): ParsedRequest {
  const { model, messages, stream, max_tokens } = parseBody(messagesRequest, json, "invalid_claude_messages_request");
  const { system, tools } = json as { system?: unknown; tools?: unknown };
  return {
    model,
    isStream: stream === true,
    wantsUsage: true,
    streamOptions: {},
    maxOutputTokens: max_tokens ?? undefined,
    choiceCount: 1,
    promptEstimate: estimatePromptTokens([...messages, { content: system }], tools, isEstimateRough),
  };
}

function writeBody(call: RelayCall, model: string, systemPrompt: string | null): Buffer {
  return patchBody(call, model, systemPrompt === null ? {} : { system: JSON.stringify(systemPrompt) });
}

interface MessagesUsageWire {
  input_tokens?: unknown;
  output_tokens?: unknown;
  cache_read_input_tokens?: unknown;
  cache_creation_input_tokens?: unknown;
  cache_creation?: { ephemeral_5m_input_tokens?: unknown; ephemeral_1h_input_tokens?: unknown } | null;
  server_tool_use?: { web_search_requests?: unknown } | null;
}

/** Unlike OpenAI's count, the input excludes cached tokens. A count that a later event omits keeps its value. */
export function parseMessagesUsage(wire: unknown, previous: Usage = noUsage): ReportedUsage | undefined {
  if (typeof wire !== "object" || wire === null) return undefined;
  const reported = wire as MessagesUsageWire;
  const cacheWrites = tokenCount(reported.cache_creation_input_tokens);
  const hour = tokenCount(reported.cache_creation?.ephemeral_1h_input_tokens);
  const fiveMinutes = tokenCount(reported.cache_creation?.ephemeral_5m_input_tokens);
  const cache_write_1h = hour ?? previous.cache_write_1h;
  const web_searches = tokenCount(reported.server_tool_use?.web_search_requests) ?? previous.web_searches ?? 0;
  const usage: Usage = {
    input: tokenCount(reported.input_tokens) ?? previous.input,
    cache_read: tokenCount(reported.cache_read_input_tokens) ?? previous.cache_read,
    cache_write_5m:
      fiveMinutes ??
      (cacheWrites === undefined ? previous.cache_write_5m : cacheWrites - Math.min(cacheWrites, cache_write_1h)),
    cache_write_1h,
    output: tokenCount(reported.output_tokens) ?? previous.output,
    ...(web_searches > 0 && { web_searches }),
  };
  const isNothing = Object.values(usage).every((tokens) => tokens === 0);
  return isNothing ? undefined : { usage, hiddenOutput: 0, isCorrected: false };
}

interface MessageContentBlock {
  text?: unknown;
  thinking?: unknown;
  input?: unknown;
}

function readReply({ type, content, usage }: Readonly<Record<string, unknown>>): ReplyFacts | undefined {
  if (type !== "message" || !Array.isArray(content)) return undefined;
  const cacheWrites = content.map((block: MessageContentBlock | null) => {
    if (typeof block?.text === "string") return block.text;
    if (typeof block?.thinking === "string") return block.thinking;
    return block?.input === undefined ? "" : JSON.stringify(block.input);
  });
  return { usage: parseMessagesUsage(usage), text: cacheWrites.join(""), served: servedTermsOf(usage) };
}

const ignoredEvent: StreamEventFacts = { kind: "other", textBytes: 0 };
const malformedEvent: StreamEventFacts = { kind: "malformed", textBytes: 0 };
const doneEvent: StreamEventFacts = { kind: "done", textBytes: 0, isLast: true };
const textMembers = ["text", "thinking", "partial_json"];

interface MessagesEventWire {
  type?: unknown;
  message?: { usage?: unknown };
  delta?: { stop_reason?: unknown };
  usage?: unknown;
  error?: unknown;
}

/** The first event reports prompt tokens, the last but one output tokens; the reader combines them. */
function createEventReader(): StreamEventReader {
  let usageSoFar: ReportedUsage | undefined;
  let served: ServedTerms | undefined;
  return (event) => {
    const eventData = eventText(event);
    if (!eventData) return ignoredEvent;
    if (!isObject(eventData)) return malformedEvent;
    const { text, from } = eventData;
    const type = valueStart(text, "type", from);
    if (text.startsWith('"content_block_', type)) {
      return textFacts(textIn(text, textMembers));
    }
    if (text.startsWith('"ping"', type)) return ignoredEvent;
    const parsed = parseEventJson(text.slice(from));
    if (!parsed) return malformedEvent;
    if (parsed.type === "error") return { kind: "error", textBytes: 0, error: parsed.error };
    if (parsed.type === "message_stop") return doneEvent;
    const usage = parsed.usage ?? parsed.message?.usage;
    usageSoFar = parseMessagesUsage(usage, usageSoFar?.usage) ?? usageSoFar;
    served = servedTermsOf(usage) ?? served;
    const isLast = typeof parsed.delta?.stop_reason === "string";
    return { ...ignoredEvent, ...(usageSoFar && { usage: usageSoFar }), ...(served && { served }), isLast };
  };
}

function parseEventJson(text: string): MessagesEventWire | undefined {
  try {
    return JSON.parse(text) as MessagesEventWire;
  } catch {
    return undefined;
  }
}

/** Anthropic's error types by HTTP status. */
const errorTypes: Readonly<Record<number, string>> = {
  400: "invalid_request_error",
  401: "authentication_error",
  403: "permission_error",
  404: "not_found_error",
  413: "request_too_large",
  422: "invalid_request_error",
  429: "rate_limit_error",
  503: "overloaded_error",
  529: "overloaded_error",
};
const knownTypes = new Set([...Object.values(errorTypes), "api_error", "billing_error", "timeout_error"]);

function errorBody({ status, type, message, code }: RelayRefusal, request_id: string): string {
  const reported = knownTypes.has(type) ? type : (errorTypes[status] ?? "api_error");
  const error = { type: reported, message: `${message} (request id: ${request_id})`, ...(code != null && { code }) };
  return JSON.stringify({ type: "error", error, request_id });
}

const errorFormat: ErrorFormat = {
  errorBody,
  streamError: (refusal, requestId) => `event: error\ndata: ${errorBody(refusal, requestId)}\n\n`,
};

export const anthropicMessages: ClientFormat = {
  endpoint: "claude_messages",
  parseRequest,
  passedHeaders: ["anthropic-version", "anthropic-beta"],
  errorFormat,
  upstream: {
    endpoint: "claude_messages",
    writeBody,
    replies: streamOrJson,
    readReply,
    createEventReader,
    terminator: 'event: message_stop\ndata: {"type":"message_stop"}\n\n',
  },
};

export const messagesCounter: TokenCounter = {
  format: {
    ...anthropicMessages,
    upstream: { ...anthropicMessages.upstream, urlFor: (endpointUrl) => new URL(`${endpointUrl.href}/count_tokens`) },
  },
  totalField: "input_tokens",
};
