/** Chat completions: OpenAI's older API, which nearly every provider speaks. */
import * as z from "zod/mini";
import { type EventText, eventText, isObject, stringAt, textIn, valueStart } from "../wire/event-text.ts";
import type { ClientFormat, ParsedRequest, RelayCall, ReplyFacts, StreamEventFacts } from "./api-format.ts";
import { doneEvent, openAiErrors } from "./openai-errors.ts";
import { parseOpenAiUsage } from "./openai-usage.ts";
import { streamOrJson, textFacts } from "./reply-facts.ts";
import { messageList, modelName, parseBody, patchBody, tokenLimit } from "./request-fields.ts";
import { servedTermsOf } from "./served-terms.ts";
import { estimatePromptTokens } from "./token-estimate.ts";

const chatRequest = z.object({
  model: modelName,
  messages: messageList,
  stream: z.optional(z.nullable(z.boolean())),
  stream_options: z.optional(z.nullable(z.looseObject({ include_usage: z.optional(z.nullable(z.boolean())) }))),
  max_tokens: tokenLimit,
  max_completion_tokens: tokenLimit,
  n: z.optional(z.nullable(z.int().check(z.minimum(1), z.maximum(128)))),
});

function parseChatRequest(json: unknown, isEstimateRough: boolean): ParsedRequest {
  const request = parseBody(chatRequest, json, "invalid_text_request");
  const { model, messages, stream, stream_options, max_tokens, max_completion_tokens, n } = request;
  return {
    model,
    isStream: stream === true,
    wantsUsage: stream_options?.include_usage === true,
    streamOptions: stream_options ?? {},
    maxOutputTokens: max_completion_tokens ?? max_tokens ?? undefined,
    choiceCount: n ?? 1,
    promptEstimate: estimatePromptTokens(messages, (json as { tools?: unknown }).tools, isEstimateRough),
  };
}

function writeBody(call: RelayCall, model: string, systemPrompt: string | null): Buffer {
  const replaced: Record<string, string> = {};
  // Without this option a stream reports no usage, and the charge would be an estimate.
  if (call.isStream && !call.wantsUsage) {
    replaced.stream_options = JSON.stringify({ ...call.streamOptions, include_usage: true });
  }
  if (systemPrompt !== null) replaced.messages = withSystemPrompt(call.body, systemPrompt);
  return patchBody(call, model, replaced);
}

/** The channel's prompt replaces a leading system message, or is put in front. */
function withSystemPrompt(body: Buffer, prompt: string): string {
  const { messages } = JSON.parse(body.toString("utf8")) as { messages: { role?: unknown }[] };
  const otherMessages = messages[0]?.role === "system" ? messages.slice(1) : messages;
  return JSON.stringify([{ role: "system", content: prompt }, ...otherMessages]);
}

interface ChatReplyMessage {
  content?: unknown;
  reasoning_content?: unknown;
  reasoning?: unknown;
  refusal?: unknown;
  tool_calls?: readonly { function?: { arguments?: unknown } }[];
}

function readReply(json: Readonly<Record<string, unknown>>): ReplyFacts | undefined {
  const { choices, usage } = json;
  if (!Array.isArray(choices)) return undefined;
  let text = "";
  for (const choice of choices) {
    const { message } = (choice ?? {}) as { message?: ChatReplyMessage };
    for (const part of [message?.reasoning_content, message?.reasoning, message?.content, message?.refusal]) {
      if (typeof part === "string") text += part;
    }
    for (const call of Array.isArray(message?.tool_calls) ? message.tool_calls : []) {
      if (typeof call?.function?.arguments === "string") text += call.function.arguments;
    }
  }
  return { usage: parseOpenAiUsage(usage), text, served: servedTermsOf(json) };
}

const ignoredEvent: StreamEventFacts = { kind: "other", textBytes: 0 };
const lastEvent: StreamEventFacts = { kind: "other", textBytes: 0, isLast: true };
const malformedEvent: StreamEventFacts = { kind: "malformed", textBytes: 0 };
const doneFacts: StreamEventFacts = { kind: "done", textBytes: 0 };
const doneData = "[DONE]";
const textMembers = ["content", "reasoning_content", "reasoning", "refusal", "arguments"];

/** Reads one event. Only events with usage or an error are parsed; all others are searched as text. */
export function readChatEvent(event: string, wantsUsage: boolean): StreamEventFacts {
  const eventData = eventText(event);
  if (!eventData) return ignoredEvent;
  const { text, from, end } = eventData;
  if (end - from === doneData.length && text.startsWith(doneData, from)) return doneFacts;
  if (!isObject(eventData)) return malformedEvent;
  const hasUsage = text[valueStart(text, "usage")] === "{";
  // Nearly every delta begins with its text, which one search and a few characters find.
  const delta = valueStart(text, "delta");
  const leading = delta >= 0 ? leadingText(text, delta) : "";
  const modelText = leading !== "" ? leading : textIn(text, textMembers);
  if (hasUsage || (leading === "" && hasError(text))) return readParsedEvent(eventData, modelText, wantsUsage);
  const isLast = hasFinishReason(text);
  if (modelText === "") return isLast ? lastEvent : ignoredEvent;
  return isLast ? { ...textFacts(modelText), isLast } : textFacts(modelText);
}

function readParsedEvent({ text, from }: EventText, modelText: string, wantsUsage: boolean): StreamEventFacts {
  try {
    const data = JSON.parse(text.slice(from)) as { usage?: unknown; error?: unknown; choices?: unknown };
    const { error, choices } = data;
    if (error !== undefined && error !== null) return { kind: "error", textBytes: 0, error };
    const usage = parseOpenAiUsage(data.usage);
    const served = servedTermsOf(data);
    const isUsageOnly = isRecord(data.usage) && (!Array.isArray(choices) || choices.length === 0);
    return {
      ...(modelText !== "" && !isUsageOnly ? textFacts(modelText) : ignoredEvent),
      ...(usage && { usage }),
      ...(served && { served }),
      isHidden: isUsageOnly && !wantsUsage,
      isLast: isRecord(data.usage) || hasFinishReason(text),
    };
  } catch {
    return malformedEvent;
  }
}

const isRecord = (value: unknown): boolean => typeof value === "object" && value !== null;

const contentPrefix = '{"content":';

/** The text when the object at `delta` begins with a content string, else nothing. */
function leadingText(data: string, delta: number): string {
  if (!data.startsWith(contentPrefix, delta)) return "";
  const at =
    data[delta + contentPrefix.length] === " " ? delta + contentPrefix.length + 1 : delta + contentPrefix.length;
  return data[at] === '"' ? stringAt(data, at) : "";
}

/** A finish reason marks the end of the output. */
const hasFinishReason = (data: string): boolean => data[valueStart(data, "finish_reason")] === '"';

const hasError = (data: string): boolean => {
  const at = valueStart(data, "error");
  return at >= 0 && data[at] !== "n";
};

export const chatCompletions: ClientFormat = {
  endpoint: "chat_completions",
  parseRequest: parseChatRequest,
  passedHeaders: [],
  errorFormat: openAiErrors,
  upstream: {
    endpoint: "chat_completions",
    writeBody,
    replies: streamOrJson,
    readReply,
    createEventReader:
      ({ wantsUsage }) =>
      (event) =>
        readChatEvent(event, wantsUsage),
    terminator: doneEvent,
  },
};
