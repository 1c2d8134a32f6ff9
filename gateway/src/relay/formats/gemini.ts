/** Gemini's own API. The address holds the model and the operation, not the body. */
import * as z from "zod/mini";
import { eventText } from "../wire/event-text.ts";
import { type JsonRecord, record, records } from "../wire/json-parts.ts";
import { topLevelSpans, withMembers } from "../wire/json-spans.ts";
import type { ClientFormat, ParsedRequest, RelayCall, ReplyFacts, StreamEventFacts } from "./api-format.ts";
import { geminiErrors, geminiListErrors } from "./gemini-errors.ts";
import { parseGeminiUsage } from "./gemini-usage.ts";
import { streamOrJson, writtenFacts, writtenReply } from "./reply-facts.ts";
import { parseBody } from "./request-fields.ts";
import { estimatePromptTokens } from "./token-estimate.ts";
import { joinedOutput, type WrittenOutput, writtenIn } from "./written-output.ts";

const contentsMax = 100_000;
const tokensMax = 10_000_000;
const choicesMax = 128;

const contentEntry = z.looseObject({ parts: z.optional(z.nullable(z.array(z.unknown()))) });
const geminiRequest = z.looseObject({
  contents: z.array(contentEntry).check(z.minLength(1), z.maxLength(contentsMax)),
});

function parseRequest(json: unknown, isEstimateRough: boolean): ParsedRequest {
  const { contents, ...body } = parseBody(geminiRequest, json, "invalid_gemini_request");
  const system = record(body.systemInstruction ?? body.system_instruction);
  const messages = [...contents, system].map(({ parts }) => ({ content: records(parts).map(weighPart) }));
  return {
    model: "",
    isStream: false,
    wantsUsage: true,
    streamOptions: {},
    maxOutputTokens: limitIn(body, "maxOutputTokens", "max_output_tokens", tokensMax),
    choiceCount: limitIn(body, "candidateCount", "candidate_count", choicesMax) ?? 1,
    promptEstimate: estimatePromptTokens(messages, body.tools, isEstimateRough),
  };
}

/** Google accepts both spellings. Where both are given, the hold covers the larger. */
function limitIn(body: JsonRecord, camel: string, snake: string, max: number): number | undefined {
  const limits = [record(body.generationConfig), record(body.generation_config)]
    .flatMap((config) => [config[camel], config[snake]])
    .filter((value): value is number => typeof value === "number" && value >= 1);
  return limits.length === 0 ? undefined : Math.min(Math.ceil(Math.max(...limits)), max);
}

/** Audio and documents cost roughly one token per this many base64 characters; all images cost about the same. */
const base64LettersPerToken = 500;

function weighPart(part: JsonRecord): unknown {
  const inline = record(part.inlineData ?? part.inline_data);
  if (typeof inline.data !== "string") return part;
  const isImage = String(inline.mimeType ?? inline.mime_type).startsWith("image/");
  // Text of the same estimate: four characters per token.
  return ["data:", isImage ? "" : "x".repeat((4 * inline.data.length) / base64LettersPerToken)];
}

function writeBody(call: RelayCall, _model: string, systemPrompt: string | null): Buffer {
  if (systemPrompt === null) return call.body;
  const isSnake = topLevelSpans(call.body).some(({ key }) => key === "system_instruction");
  const limits = JSON.stringify({ parts: [{ text: systemPrompt }] });
  return withMembers(call.body, { [isSnake ? "system_instruction" : "systemInstruction"]: limits });
}

function urlFor(modelsUrl: URL, { isStream }: RelayCall, model: string): URL {
  return operationUrl(modelsUrl, model, isStream ? "streamGenerateContent?alt=sse" : "generateContent");
}

export const operationUrl = (modelsUrl: URL, model: string, operation: string): URL =>
  new URL(`${modelsUrl.href}/${encodeURIComponent(model)}:${operation}`);

/** What the model wrote in one part: text, reasoning, code, tool arguments, sound, pictures, or anything newer. */
function writtenPart(part: JsonRecord): WrittenOutput {
  const { functionCall, codeExecutionResult, functionResponse: _, ...rest } = part;
  const { output } = record(codeExecutionResult);
  const call = functionCall === undefined ? undefined : JSON.stringify(record(functionCall).args ?? {});
  return writtenIn([rest, call, output]);
}

const partsOf = (candidates: readonly JsonRecord[]): JsonRecord[] =>
  candidates.flatMap(({ content }) => records(record(content).parts));

/** A prompt that Google blocks has a reason and no candidates. */
const isBlocked = ({ promptFeedback }: JsonRecord): boolean => record(promptFeedback).blockReason !== undefined;

function readReply(json: JsonRecord): ReplyFacts | undefined {
  if (!Array.isArray(json.candidates) && !isBlocked(json)) return undefined;
  const written = joinedOutput(partsOf(records(json.candidates)).map(writtenPart));
  return { usage: parseGeminiUsage(json.usageMetadata), ...writtenReply(written) };
}

const ignoredEvent: StreamEventFacts = { kind: "other", textBytes: 0 };
const malformedEvent: StreamEventFacts = { kind: "malformed", textBytes: 0 };

/** Gemini sends few, large events, each with the usage so far: they are parsed. */
function readEvent(event: string): StreamEventFacts {
  const eventData = eventText(event);
  if (!eventData) return ignoredEvent;
  const json = parseEventJson(eventData.text.slice(eventData.from));
  if (!json) return malformedEvent;
  if (json.error !== undefined) return { kind: "error", textBytes: 0, error: json.error };
  const candidates = records(json.candidates);
  const facts = writtenFacts(joinedOutput(partsOf(candidates).map(writtenPart)));
  const isLast = isBlocked(json) || candidates.some(({ finishReason }) => typeof finishReason === "string");
  const usage = parseGeminiUsage(json.usageMetadata);
  return { ...facts, isLast, ...(usage && { usage }) };
}

function parseEventJson(text: string): JsonRecord | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonRecord) : undefined;
  } catch {
    return undefined;
  }
}

export const gemini: ClientFormat = {
  endpoint: "gemini",
  parseRequest,
  passedHeaders: [],
  errorFormat: geminiErrors,
  upstream: {
    endpoint: "gemini",
    writeBody,
    urlFor,
    modelField: "modelVersion",
    replies: streamOrJson,
    readReply,
    createEventReader: () => readEvent,
    terminator: "",
  },
};

/** A stream without `alt=sse`: Google sends a JSON list, and so does the gateway, with the whole reply in it. */
export const geminiList: ClientFormat = { ...gemini, endpoint: "gemini_list", errorFormat: geminiListErrors };
