/** Gemini's own interface. The model and what it is to do stand in the address, not in the body. */
import * as z from "zod/mini";
import { estimatePromptTokens } from "../estimate.ts";
import { eventText } from "../event-text.ts";
import { type Json, record, records } from "../json-parts.ts";
import { topLevelSpans, withMembers } from "../json-spans.ts";
import { geminiUsage } from "./gemini-usage.ts";
import { geminiListWording, geminiWording } from "./gemini-wording.ts";
import { readAsked } from "./read-asked.ts";
import type { AnswerFacts, Asked, Call, EventFacts, Shape } from "./shape.ts";

const contentsMax = 100_000;
const tokensMax = 10_000_000;
const answersMax = 128;

const turn = z.looseObject({ parts: z.optional(z.nullable(z.array(z.unknown()))) });
const request = z.looseObject({ contents: z.array(turn).check(z.minLength(1), z.maxLength(contentsMax)) });

function read(json: unknown, isEstimateRough: boolean): Asked {
  const { contents, ...body } = readAsked(request, json, "invalid_gemini_request");
  const system = record(body.systemInstruction ?? body.system_instruction);
  const messages = [...contents, system].map(({ parts }) => ({ content: records(parts).map(weighed) }));
  return {
    model: "",
    isStream: false,
    wantsUsage: true,
    streamOptions: {},
    maxTokens: limit(body, "maxOutputTokens", "max_output_tokens", tokensMax),
    answers: limit(body, "candidateCount", "candidate_count", answersMax) ?? 1,
    promptEstimate: estimatePromptTokens(messages, body.tools, isEstimateRough),
  };
}

/** Google takes both spellings; of two that differ the larger is held for. */
function limit(body: Json, camel: string, snake: string, most: number): number | undefined {
  const said = [record(body.generationConfig), record(body.generation_config)]
    .flatMap((config) => [config[camel], config[snake]])
    .filter((value): value is number => typeof value === "number" && value >= 1);
  return said.length === 0 ? undefined : Math.min(Math.ceil(Math.max(...said)), most);
}

/** Recordings and documents cost roughly a token for so many letters of base64, pictures all about the same. */
const lettersPerToken = 500;

function weighed(part: Json): unknown {
  const inline = record(part.inlineData ?? part.inline_data);
  if (typeof inline.data !== "string") return part;
  const isPicture = String(inline.mimeType ?? inline.mime_type).startsWith("image/");
  // Text of about the same weight: four letters to a token.
  return ["data:", isPicture ? "" : "x".repeat((4 * inline.data.length) / lettersPerToken)];
}

function bodyFor(call: Call, _model: string, systemPrompt: string | null): Buffer {
  if (systemPrompt === null) return call.body;
  const isSnake = topLevelSpans(call.body).some(({ key }) => key === "system_instruction");
  const said = JSON.stringify({ parts: [{ text: systemPrompt }] });
  return withMembers(call.body, { [isSnake ? "system_instruction" : "systemInstruction"]: said });
}

function address(models: URL, { isStream }: Call, model: string): URL {
  return operationAt(models, model, isStream ? "streamGenerateContent?alt=sse" : "generateContent");
}

export const operationAt = (models: URL, model: string, operation: string): URL =>
  new URL(`${models.href}/${encodeURIComponent(model)}:${operation}`);

/** What a model wrote in one part: words, thoughts, code, or what it wants from a tool. */
function writtenIn({ text, functionCall, executableCode, codeExecutionResult }: Json): string {
  if (typeof text === "string") return text;
  const { code } = record(executableCode);
  const { output } = record(codeExecutionResult);
  const { args } = record(functionCall);
  if (functionCall !== undefined) return JSON.stringify(args ?? {});
  return [code, output].filter((said) => typeof said === "string").join("");
}

const partsOf = (candidates: readonly Json[]): Json[] =>
  candidates.flatMap(({ content }) => records(record(content).parts));

/** A prompt that Google refuses to answer has no candidates, but the reason why. */
const isBlocked = ({ promptFeedback }: Json): boolean => record(promptFeedback).blockReason !== undefined;

function answer(json: Json): AnswerFacts | undefined {
  if (!Array.isArray(json.candidates) && !isBlocked(json)) return undefined;
  const text = partsOf(records(json.candidates)).map(writtenIn).join("");
  return { usage: geminiUsage(json.usageMetadata), text };
}

const nothing: EventFacts = { kind: "other", textBytes: 0 };
const damaged: EventFacts = { kind: "damaged", textBytes: 0 };

/** Events are few and large here, and every one tells the usage so far: they are parsed. */
function readEvent(event: string): EventFacts {
  const seen = eventText(event);
  if (!seen) return nothing;
  const json = parsed(seen.text.slice(seen.from));
  if (!json) return damaged;
  if (json.error !== undefined) return { kind: "error", textBytes: 0, error: json.error };
  const candidates = records(json.candidates);
  const parts = partsOf(candidates);
  // A picture has no letters, but something came.
  const drawn = parts.filter(({ inlineData }) => inlineData).length;
  const text = parts.map(writtenIn).join("");
  const textBytes = text.length + drawn;
  const isLast = isBlocked(json) || candidates.some(({ finishReason }) => typeof finishReason === "string");
  // Early events may not count the answer yet: whoever believed them would give it away.
  const isCounted = isLast || record(json.usageMetadata).candidatesTokenCount !== undefined;
  const usage = isCounted ? geminiUsage(json.usageMetadata) : undefined;
  return { kind: textBytes > 0 ? "content" : "other", textBytes, text, isLast, ...(usage && { usage }) };
}

function parsed(text: string): Json | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Json) : undefined;
  } catch {
    return undefined;
  }
}

export const gemini: Shape = {
  entry: "gemini",
  read,
  passedHeaders: [],
  bodyFor,
  address,
  modelMember: "modelVersion",
  answer,
  events: () => readEvent,
  terminator: "",
  wording: geminiWording,
  probe: (_model, text, maxOutputTokens) => ({
    contents: [{ role: "user", parts: [{ text }] }],
    generationConfig: { maxOutputTokens },
  }),
};

/** A stream for those who did not ask for events: Google sends a JSON list, and so do we, with the whole answer in it. */
export const geminiList: Shape = { ...gemini, entry: "gemini_list", wording: geminiListWording };
