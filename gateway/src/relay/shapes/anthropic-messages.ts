/** Messages: Anthropic's interface, which coding agents speak. */
import * as z from "zod/mini";
import { noUsage, type Usage } from "../../money/price.ts";
import { estimatePromptTokens } from "../estimate.ts";
import { eventText, isObject, textIn, valueStart } from "../event-text.ts";
import type { Refusal } from "../relay-refusal.ts";
import { type ReadUsage, tokenCount } from "../usage.ts";
import { bodyWith } from "./body-with.ts";
import { conversation, modelName, tokenLimit } from "./fields.ts";
import { readAsked } from "./read-asked.ts";
import { saying } from "./saying.ts";
import type { AnswerFacts, Asked, Call, EventFacts, ReadEvent, Shape, TokenCounter, Wording } from "./shape.ts";

const request = z.object({
  model: modelName,
  messages: conversation,
  stream: z.optional(z.nullable(z.boolean())),
  max_tokens: tokenLimit,
});

function read(json: unknown, isEstimateRough: boolean): Asked {
  const { model, messages, stream, max_tokens } = readAsked(request, json, "invalid_claude_messages_request");
  const { system, tools } = json as { system?: unknown; tools?: unknown };
  return {
    model,
    isStream: stream === true,
    wantsUsage: true,
    streamOptions: {},
    maxTokens: max_tokens ?? undefined,
    answers: 1,
    promptEstimate: estimatePromptTokens([...messages, { content: system }], tools, isEstimateRough),
  };
}

function bodyFor(call: Call, model: string, systemPrompt: string | null): Buffer {
  return bodyWith(call, model, systemPrompt === null ? {} : { system: JSON.stringify(systemPrompt) });
}

interface WireUsage {
  input_tokens?: unknown;
  output_tokens?: unknown;
  cache_read_input_tokens?: unknown;
  cache_creation_input_tokens?: unknown;
  cache_creation?: { ephemeral_5m_input_tokens?: unknown; ephemeral_1h_input_tokens?: unknown } | null;
  server_tool_use?: { web_search_requests?: unknown } | null;
}

/** Unlike OpenAI's, the input is plain input alone; what a later event leaves out keeps its number. */
export function messagesUsage(wire: unknown, before: Usage = noUsage): ReadUsage | undefined {
  if (typeof wire !== "object" || wire === null) return undefined;
  const said = wire as WireUsage;
  const written = tokenCount(said.cache_creation_input_tokens);
  const hour = tokenCount(said.cache_creation?.ephemeral_1h_input_tokens);
  const fiveMinutes = tokenCount(said.cache_creation?.ephemeral_5m_input_tokens);
  const cache_write_1h = hour ?? before.cache_write_1h;
  const web_searches = tokenCount(said.server_tool_use?.web_search_requests) ?? before.web_searches ?? 0;
  const usage: Usage = {
    input: tokenCount(said.input_tokens) ?? before.input,
    cache_read: tokenCount(said.cache_read_input_tokens) ?? before.cache_read,
    cache_write_5m:
      fiveMinutes ?? (written === undefined ? before.cache_write_5m : written - Math.min(written, cache_write_1h)),
    cache_write_1h,
    output: tokenCount(said.output_tokens) ?? before.output,
    ...(web_searches > 0 && { web_searches }),
  };
  const isNothing = Object.values(usage).every((tokens) => tokens === 0);
  return isNothing ? undefined : { usage, hidden: 0, isFlagged: false };
}

interface Block {
  text?: unknown;
  thinking?: unknown;
  input?: unknown;
}

function answer({ type, content, usage }: Readonly<Record<string, unknown>>): AnswerFacts | undefined {
  if (type !== "message" || !Array.isArray(content)) return undefined;
  const written = content.map((block: Block | null) => {
    if (typeof block?.text === "string") return block.text;
    if (typeof block?.thinking === "string") return block.thinking;
    return block?.input === undefined ? "" : JSON.stringify(block.input);
  });
  return { usage: messagesUsage(usage), text: written.join("") };
}

const nothing: EventFacts = { kind: "other", textBytes: 0 };
const damaged: EventFacts = { kind: "damaged", textBytes: 0 };
const done: EventFacts = { kind: "done", textBytes: 0, isLast: true };
const textMembers = ["text", "thinking", "partial_json"];

interface WireEvent {
  type?: unknown;
  message?: { usage?: unknown };
  delta?: { stop_reason?: unknown };
  usage?: unknown;
  error?: unknown;
}

/** Prompt tokens come with the first event and output tokens with the last but one: the reader puts them together. */
function events(): ReadEvent {
  let known: ReadUsage | undefined;
  return (event) => {
    const seen = eventText(event);
    if (!seen) return nothing;
    if (!isObject(seen)) return damaged;
    const { text, from } = seen;
    const type = valueStart(text, "type", from);
    if (text.startsWith('"content_block_', type)) {
      return saying(textIn(text, textMembers));
    }
    if (text.startsWith('"ping"', type)) return nothing;
    const parsed = parse(text.slice(from));
    if (!parsed) return damaged;
    if (parsed.type === "error") return { kind: "error", textBytes: 0, error: parsed.error };
    if (parsed.type === "message_stop") return done;
    known = messagesUsage(parsed.usage ?? parsed.message?.usage, known?.usage) ?? known;
    const isLast = typeof parsed.delta?.stop_reason === "string";
    return { ...nothing, ...(known && { usage: known }), isLast };
  };
}

function parse(text: string): WireEvent | undefined {
  try {
    return JSON.parse(text) as WireEvent;
  } catch {
    return undefined;
  }
}

/** Anthropic's own names for what a status means. */
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

function body({ status, type, message, code }: Refusal, request_id: string): string {
  const said = knownTypes.has(type) ? type : (errorTypes[status] ?? "api_error");
  const error = { type: said, message: `${message} (request id: ${request_id})`, ...(code != null && { code }) };
  return JSON.stringify({ type: "error", error, request_id });
}

const wording: Wording = {
  body,
  streamEnd: (refusal, requestId) => `event: error\ndata: ${body(refusal, requestId)}\n\n`,
};

export const anthropicMessages: Shape = {
  entry: "claude_messages",
  read,
  passedHeaders: ["anthropic-version", "anthropic-beta"],
  bodyFor,
  answer,
  events,
  terminator: 'event: message_stop\ndata: {"type":"message_stop"}\n\n',
  wording,
  probe: (model, question, max_tokens) => ({ model, messages: [{ role: "user", content: question }], max_tokens }),
};

export const messagesCounter: TokenCounter = {
  shape: { ...anthropicMessages, address: (entry) => new URL(`${entry.href}/count_tokens`) },
  total: "input_tokens",
};
