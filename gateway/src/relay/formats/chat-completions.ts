/** Chat completions: OpenAI's older API, which nearly every provider speaks. */
import {
  computeValueStart,
  type EventText,
  findEventText,
  isObject,
  readString,
} from "../wire/event-text.ts";
import { isRecord, type JsonRecord, record, records } from "../wire/json-parts.ts";
import type { ClientFormat, ReplyFacts, StreamEventFacts } from "./api-format.ts";
import type { AskedModel, AskedReply, PlainRequest, SentBody, StatedNeeds } from "./call-parts.ts";
import { findFailedEnd, isEndReason, isFailedEnd } from "./chat-end-reasons.ts";
import { parseAnswers, parseOutputLimit, writeChatLimit } from "./hold-size/output-limit.ts";
import { readSearchVariant } from "./hold-size/search-variant.ts";
import { estimatePromptTokens } from "./hold-size/token-estimate.ts";
import { doneEvent, openAiErrors } from "./openai-errors.ts";
import {
  buildTextFacts,
  buildWrittenFacts,
  buildWrittenReply,
  streamOrJson,
} from "./reply-facts.ts";
import {
  field,
  integerField,
  messageList,
  modelName,
  objectField,
  optional,
  parseBody,
  patchBody,
  streamOptions,
  switchField,
  tokenLimit,
} from "./request-fields.ts";
import { foldChatEvents } from "./stream-as-whole.ts";
import { parseEventUsage, parseOpenAiUsage } from "./usage/openai-usage.ts";
import { findServedTerms } from "./usage/served-terms.ts";
import { joinOutput, parseWritten, type WrittenOutput } from "./usage/written-output.ts";
import { streamChatReply } from "./whole-as-stream.ts";

export const answersMax = 128;
const messageMembers = ["messages"];

const chatRequest = objectField({
  model: modelName,
  messages: messageList,
  stream: switchField,
  stream_options: streamOptions,
  max_tokens: tokenLimit,
  max_completion_tokens: tokenLimit,
  n: optional(integerField(1, answersMax)),
  /** xAI's: the answer is an id. */
  deferred: optional(
    field(
      (value) => value === false,
      "is not offered: the gateway cannot bill an answer that comes later",
    ),
  ),
});

function parseChatRequest(
  json: unknown,
  isEstimateRough: boolean,
): PlainRequest & Pick<StatedNeeds, "variant"> {
  const request = parseBody(chatRequest, json, "invalid_text_request");
  const { model, messages, stream, stream_options } = request;
  const asked = findAskedCost(json as JsonRecord);
  const { include_cost: _, ...streamOptions } = { include_cost: false, ...stream_options };
  return {
    model,
    isStream: stream === true,
    wantsUsage: stream_options?.include_usage === true || asked.wantsCost === true,
    streamOptions,
    ...asked,
    maxOutputTokens: parseOutputLimit(json),
    choiceCount: parseAnswers(json),
    promptEstimate: estimatePromptTokens(
      messages,
      json as JsonRecord,
      isEstimateRough,
      messageMembers,
    ),
    ...readSearchVariant(json as JsonRecord, stream === true),
  };
}

/**
 * `findAskedCost` reads the client's question for the cost of its call, in OpenRouter's words
 * (`usage: {"include": true}`) or LiteLLM's (`stream_options: {"include_cost": true}`). Both ask the
 * gateway: no provider is sent them, and OpenAI would refuse the call.
 */
function findAskedCost({
  usage,
  stream_options,
}: JsonRecord): Pick<PlainRequest, "wantsCost" | "ownMembers"> {
  const isUsageAsked = isRecord(usage) && "include" in usage;
  const isCostAsked = isRecord(stream_options) && "include_cost" in stream_options;
  if (!isUsageAsked && !isCostAsked) return {};
  return {
    wantsCost: record(usage).include === true || record(stream_options).include_cost === true,
    ownMembers: [
      ...(isUsageAsked ? [["usage"]] : []),
      ...(isCostAsked ? [["stream_options", "include_cost"]] : []),
    ],
  };
}

function writeBody(
  call: AskedModel & AskedReply & SentBody,
  model: string,
  systemPrompt: string | null,
): Buffer {
  const replaced: Record<string, string> = {};
  // Without this option a stream reports no usage, and the charge would be an estimate.
  const asksUsage = call.wantsCost ? call.streamOptions.include_usage === true : call.wantsUsage;
  if (call.isStream && !asksUsage) {
    replaced.stream_options = JSON.stringify({ ...call.streamOptions, include_usage: true });
  }
  if (systemPrompt !== null) replaced.messages = addSystemPrompt(call.body, systemPrompt);
  return patchBody(call, model, replaced);
}

/** The channel's prompt replaces a leading system message, or is put in front. */
function addSystemPrompt(body: Buffer, prompt: string): string {
  const { messages } = JSON.parse(body.toString("utf8")) as { messages: { role?: unknown }[] };
  const otherMessages = messages[0]?.role === "system" ? messages.slice(1) : messages;
  return JSON.stringify([{ role: "system", content: prompt }, ...otherMessages]);
}

/**
 * `buildWrittenMessage` counts any member of a message or delta as output; `audio` and `images` of
 * it are not text.
 */
const buildWrittenMessage = (choice: JsonRecord): WrittenOutput =>
  parseWritten(choice.delta ?? choice.message);

const saysNothing = (value: unknown): boolean =>
  value === null || value === "" || (Array.isArray(value) && value.length === 0);

/** A call without a name cannot be run, and one of a custom tool has its name elsewhere. */
const isNameless = (call: JsonRecord): boolean =>
  saysNothing(record(call.function).name ?? null) && !isRecord(call.custom);

/** A choice that says nothing is an answer where it has room for words and says why it ended. */
function isAnswer({ message, delta, text, finish_reason }: JsonRecord): boolean {
  const { role: _, tool_calls, ...said } = record(message ?? delta);
  const calls = records(tool_calls);
  if (![...Object.values(said), text ?? ""].every(saysNothing)) return true;
  if (calls.length > 0) return !calls.every(isNameless);
  return isEndReason(finish_reason) && (message ?? delta ?? text ?? null) !== null;
}

function readReply(json: JsonRecord): ReplyFacts | undefined {
  const { choices, usage } = json;
  // A reply without any choice that says something, or why it ended, is no answer, and another
  // channel may give one.
  if (!Array.isArray(choices) || !records(choices).some(isAnswer)) return undefined;
  const written = joinOutput(records(choices).map(buildWrittenMessage));
  return {
    usage: parseOpenAiUsage(usage),
    ...buildWrittenReply(written),
    served: findServedTerms(json),
  };
}

const ignoredEvent: StreamEventFacts = { kind: "other", textBytes: 0 };
const malformedEvent: StreamEventFacts = { kind: "malformed", textBytes: 0 };
const doneFacts: StreamEventFacts = { kind: "done", textBytes: 0 };
const doneData = "[DONE]";
/**
 * An event of one leading text is hardly longer than its text and this: a longer one carries
 * something else as well.
 */
const plainEnvelopeMax = 640;
/** Characters that JSON needs at most for one of the text. */
const escapedLengthMax = 6;

/**
 * Reads one event. Nearly every event is a short text, which is searched as text; all others are
 * parsed.
 */
export function readChatEvent(event: string, wantsUsage: boolean): StreamEventFacts {
  const eventData = findEventText(event);
  if (!eventData) return ignoredEvent;
  const { text, from, end } = eventData;
  if (end - from === doneData.length && text.startsWith(doneData, from)) return doneFacts;
  if (!isObject(eventData)) return malformedEvent;
  const hasUsage = text[computeValueStart(text, "usage")] === "{";
  // Nearly every delta begins with its text, which one search and a few characters find.
  const delta = computeValueStart(text, "delta");
  const leading = delta >= 0 ? formatLeadingText(text, delta) : "";
  const isPlain =
    leading !== "" && end - from <= plainEnvelopeMax + escapedLengthMax * leading.length;
  if (hasUsage || !isPlain) return readParsedEvent(eventData, wantsUsage);
  const reason = readFinishReason(text);
  if (reason === "") return buildTextFacts(leading);
  return isFailedEnd(reason)
    ? readParsedEvent(eventData, wantsUsage)
    : { ...buildTextFacts(leading), isLast: true };
}

function readParsedEvent({ text, from, end }: EventText, wantsUsage: boolean): StreamEventFacts {
  const data = parseEvent(text.slice(from, end));
  if (!data) return malformedEvent;
  const { error } = data;
  const usage = parseEventUsage(data);
  if (error !== undefined && error !== null)
    return { kind: "error", textBytes: 0, error, ...(usage && { usage }) };
  const choices = records(data.choices);
  const failed = choices.map(findFailedEnd).find(Boolean);
  if (failed)
    return {
      kind: "error",
      textBytes: 0,
      error: failed,
      badEnd: "broken",
      ...(usage && { usage }),
    };
  const facts = buildWrittenFacts(joinOutput(choices.map(buildWrittenMessage)));
  const hasFinished = choices.some(({ finish_reason }) => isEndReason(finish_reason));
  if (!isRecord(data.usage))
    return { ...facts, ...(usage && { usage }), ...(hasFinished && { isLast: true }) };
  const served = findServedTerms(data);
  const isUsageOnly = choices.length === 0;
  // Some providers count in every event. Without content, a count of the output is the last one.
  const isCounted = facts.kind !== "content" && (usage?.usage.output ?? 0) > 0;
  return {
    ...facts,
    ...(usage && { usage }),
    ...(served && { served }),
    isHidden: isUsageOnly && !wantsUsage,
    isLast: isUsageOnly || hasFinished || isCounted,
    badEnd: isUsageOnly ? "empty" : undefined,
  };
}

function parseEvent(data: string): JsonRecord | undefined {
  try {
    const value: unknown = JSON.parse(data);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const contentPrefix = '{"content":';

/** The text when the object at `delta` begins with a content string, else nothing. */
function formatLeadingText(data: string, delta: number): string {
  if (!data.startsWith(contentPrefix, delta)) return "";
  const at =
    data[delta + contentPrefix.length] === " "
      ? delta + contentPrefix.length + 1
      : delta + contentPrefix.length;
  return data[at] === '"' ? readString(data, at) : "";
}

/** A finish reason marks the end of the output; nothing where it goes on. */
function readFinishReason(data: string): string {
  const at = computeValueStart(data, "finish_reason");
  const reason = data[at] === '"' ? readString(data, at) : "";
  return isEndReason(reason) ? reason : "";
}

/** An empty error beside an answer says that there is none. */
const isTold = (error: unknown): boolean => {
  const { message, code } = record(error);
  return (typeof message === "string" && message !== "") || (isRecord(error) && isCode(code));
};
const isCode = (code: unknown): boolean => typeof code === "number" && code >= 400;

export const chatCompletions: ClientFormat = {
  endpoint: "chat_completions",
  parseRequest: parseChatRequest,
  writeOutputLimit: writeChatLimit,
  passedHeaders: [],
  errorFormat: openAiErrors,
  upstream: {
    endpoint: "chat_completions",
    writeBody,
    replies: { ...streamOrJson, streamFromReply: streamChatReply, replyFromStream: foldChatEvents },
    errorIn: ({ choices, error }) =>
      [{ error: isTold(error) ? error : undefined }, ...records(choices)]
        .map(findFailedEnd)
        .find(Boolean),
    readReply,
    createEventReader:
      ({ wantsUsage }) =>
      (event) =>
        readChatEvent(event, wantsUsage),
    terminator: doneEvent,
  },
};
