/** Gemini's own API. The address holds the model and the operation, not the body. */
import { findEventText } from "../wire/event-text.ts";
import { type JsonRecord, record, records } from "../wire/json-parts.ts";
import { addMembers, listTopLevelSpans } from "../wire/json-spans.ts";
import type {
  CallFormats,
  ClientFormat,
  ErrorInBody,
  ParsedRequest,
  ReplyFacts,
  StreamEventFacts,
  StreamEventReader,
} from "./api-format.ts";
import type { AskedReply, SentBody } from "./call-parts.ts";
import { geminiErrors, geminiListErrors } from "./gemini-errors.ts";
import { parseAnswers, parseOutputLimit, writeGeminiLimit } from "./hold-size/output-limit.ts";
import { estimatePromptTokens } from "./hold-size/token-estimate.ts";
import { buildWrittenFacts, buildWrittenReply, streamOrJson } from "./reply-facts.ts";
import { field, listField, listOrOne, objectField, optional, parseBody } from "./request-fields.ts";
import { foldGeminiEvents } from "./stream-as-whole.ts";
import {
  buildGrounding,
  buildLookupsAsked,
  noGrounding,
  parseGeminiUsage,
} from "./usage/gemini-usage.ts";
import { joinOutput, parseWritten, type WrittenOutput } from "./usage/written-output.ts";
import { streamGeminiReply } from "./whole-as-stream.ts";

const contentsMax = 100_000;

/** Google reads one entry as a list of one. */
const contentEntry = objectField({
  parts: optional(
    field((value) => typeof value === "object" && value !== null, "must be a list or an object"),
  ),
});
const geminiRequest = objectField({
  contents: listOrOne(listField(contentEntry, 1, contentsMax), contentEntry),
});

function parseRequest(json: unknown, isEstimateRough: boolean): ParsedRequest {
  const { contents } = parseBody(geminiRequest, json, "invalid_gemini_request");
  const { contents: _, systemInstruction, system_instruction, ...others } = json as JsonRecord;
  const messages = [
    ...(Array.isArray(contents) ? contents : [contents]),
    systemInstruction ?? system_instruction,
  ];
  return {
    model: "",
    isStream: false,
    wantsUsage: true,
    streamOptions: {},
    maxOutputTokens: parseOutputLimit(json),
    choiceCount: parseAnswers(json),
    promptEstimate: estimatePromptTokens(messages, others, isEstimateRough),
    ...buildLookupsAsked(others),
  };
}

function writeBody(call: SentBody, _model: string, systemPrompt: string | null): Buffer {
  if (systemPrompt === null) return call.body;
  const isSnake = listTopLevelSpans(call.body).some(({ key }) => key === "system_instruction");
  const limits = JSON.stringify({ parts: [{ text: systemPrompt }] });
  return addMembers(call.body, { [isSnake ? "system_instruction" : "systemInstruction"]: limits });
}

function buildUrl(modelsUrl: URL, { isStream }: AskedReply, model: string): URL {
  return composeOperationUrl(
    modelsUrl,
    model,
    isStream ? "streamGenerateContent?alt=sse" : "generateContent",
  );
}

export const composeOperationUrl = (modelsUrl: URL, model: string, operation: string): URL =>
  new URL(`${modelsUrl.href}/${encodeURIComponent(model)}:${operation}`);

/**
 * `buildWrittenPart` gives what the model wrote in one part: text, reasoning, code, tool arguments,
 * sound, pictures, or anything newer.
 */
function buildWrittenPart(part: JsonRecord): WrittenOutput {
  const { functionCall, codeExecutionResult, functionResponse: _, ...rest } = part;
  const { output } = record(codeExecutionResult);
  const call =
    functionCall === undefined ? undefined : JSON.stringify(record(functionCall).args ?? {});
  return parseWritten([rest, call, output]);
}

const listParts = (candidates: readonly JsonRecord[]): JsonRecord[] =>
  candidates.flatMap(({ content }) => records(record(content).parts));

/** A prompt that Google blocks has a reason and no candidates. */
const isBlocked = ({ promptFeedback }: JsonRecord): boolean =>
  record(promptFeedback).blockReason !== undefined;

function readReply(json: JsonRecord): ReplyFacts | undefined {
  // A reply without any candidate is no answer, and another channel may give one.
  if (records(json.candidates).length === 0 && !isBlocked(json)) return undefined;
  const candidates = records(json.candidates);
  const written = joinOutput(listParts(candidates).map(buildWrittenPart));
  return {
    usage: parseGeminiUsage(json.usageMetadata, buildGrounding(candidates)),
    ...buildWrittenReply(written),
  };
}

const ignoredEvent: StreamEventFacts = { kind: "other", textBytes: 0 };
const malformedEvent: StreamEventFacts = { kind: "malformed", textBytes: 0 };

/**
 * Reasons for an answer that broke off: an agent of another dialect would take it for a finished
 * one without calls.
 */
const failedReasons = new Set<unknown>([
  ...["MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "TOO_MANY_TOOL_CALLS"],
  ...["MISSING_THOUGHT_SIGNATURE", "MALFORMED_RESPONSE", "OTHER"],
]);

/** Undefined for clients of Gemini's own API, which know these reasons themselves. */
function findFailedEnd(
  { candidates }: JsonRecord,
  call: CallFormats | undefined,
): ErrorInBody | undefined {
  if (call === undefined || call.client.upstream === gemini.upstream) return undefined;
  const failed = records(candidates).find(({ finishReason }) => failedReasons.has(finishReason));
  if (!failed) return undefined;
  const said = typeof failed.finishMessage === "string" ? `: ${failed.finishMessage}` : "";
  return {
    status: 502,
    message: `The provider broke the answer off (${String(failed.finishReason)})${said}`,
    code: null,
  };
}

/** Gemini sends few, large events, each with the usage so far: they are parsed. */
function createEventReader(call: CallFormats): StreamEventReader {
  let grounding = noGrounding;
  return (event): StreamEventFacts => {
    const eventData = findEventText(event);
    if (!eventData) return ignoredEvent;
    const json = parseEventJson(eventData.text.slice(eventData.from));
    if (!json) return malformedEvent;
    if (json.error != null) return { kind: "error", textBytes: 0, error: json.error };
    const failed = findFailedEnd(json, call);
    if (failed) return { kind: "error", textBytes: 0, error: failed, badEnd: "broken" };
    const candidates = records(json.candidates);
    grounding = buildGrounding(candidates, grounding);
    const facts = buildWrittenFacts(joinOutput(listParts(candidates).map(buildWrittenPart)));
    const isLast =
      isBlocked(json) || candidates.some(({ finishReason }) => typeof finishReason === "string");
    const usage = parseGeminiUsage(json.usageMetadata, grounding);
    return { ...facts, isLast, ...(usage && { usage }) };
  };
}

function parseEventJson(text: string): JsonRecord | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as JsonRecord)
      : undefined;
  } catch {
    return undefined;
  }
}

export const gemini: ClientFormat = {
  endpoint: "gemini",
  parseRequest,
  writeOutputLimit: writeGeminiLimit,
  passedHeaders: [],
  errorFormat: geminiErrors,
  upstream: {
    endpoint: "gemini",
    writeBody,
    urlFor: buildUrl,
    modelField: "modelVersion",
    replies: {
      ...streamOrJson,
      streamFromReply: streamGeminiReply,
      replyFromStream: foldGeminiEvents,
    },
    errorIn: findFailedEnd,
    readReply,
    createEventReader,
    terminator: "",
  },
};

/**
 * A stream without `alt=sse`: Google sends a JSON list, and so does the gateway, with the whole
 * reply in it.
 */
export const geminiList: ClientFormat = {
  ...gemini,
  endpoint: "gemini_list",
  errorFormat: geminiListErrors,
};
