/** Recordings that are written down, in their own language or in English: OpenAI's interfaces, which take a file. */
import type { EndpointName } from "@tollgate/contract/channel-endpoints.ts";
import * as z from "zod/mini";
import { noUsage, type Usage } from "../../money/price.ts";
import { estimatePromptTokens } from "../estimate.ts";
import { textIn } from "../event-text.ts";
import { type Json, record, text } from "../json-parts.ts";
import { heardUsed } from "../media-usage.ts";
import { type Form, fieldOf, fileOf } from "../multipart.ts";
import { recordingSeconds } from "../recording-length.ts";
import { badRequest, type Refused } from "../relay-refusal.ts";
import { type ReadUsage, tokenCount } from "../usage.ts";
import { bodyWithModel } from "./body-with-model.ts";
import { modelName } from "./fields.ts";
import { openAiWording } from "./open-ai-wording.ts";
import { readAsked } from "./read-asked.ts";
import { saying } from "./saying.ts";
import type { AnswerFacts, Asked, Call, EventFacts, PlainAnswer, ReadEvent, Shape } from "./shape.ts";
import { damaged, nothing, type TypedEvent, typedEvents } from "./typed-events.ts";

const usualModel = "whisper-1";
/** Whoever speaks fast says this many tokens a second. */
const writtenTokensPerSecond = 6;
const request = z.object({ model: modelName });

const noForm = (): Refused =>
  badRequest("invalid_audio_request", "A recording is sent as multipart/form-data, in the field file", "file");

function readForm(form: Form, isEstimateRough: boolean): Asked {
  const { model } = readAsked(request, { model: fieldOf(form, "model") ?? usualModel }, "invalid_audio_request");
  const file = fileOf(form, "file");
  if (!file) throw badRequest("invalid_audio_request", "file: is required", "file");
  const seconds = recordingSeconds(file);
  return {
    model,
    isStream: fieldOf(form, "stream")?.toLowerCase() === "true",
    wantsUsage: true,
    streamOptions: {},
    maxTokens: seconds * writtenTokensPerSecond,
    answers: 1,
    promptEstimate: estimatePromptTokens([{ content: fieldOf(form, "prompt") }], undefined, isEstimateRough),
    extras: { seconds },
  };
}

const plainFormats = new Set<unknown>(["text", "srt", "vtt"]);

/** A provider that answers with JSON all the same is understood, too. */
function plain({ form }: Call, contentType: string): PlainAnswer | undefined {
  const isAsked = form !== undefined && plainFormats.has(fieldOf(form, "response_format"));
  return isAsked && !/json|html|event-stream/i.test(contentType) ? "text" : undefined;
}

/** Subtitles have the times of each line in them, and often its number. */
const writtenIn = (subtitles: string): string => {
  const lines = subtitles.split(/\r?\n/);
  return lines.filter((line) => !/^(\d*|WEBVTT.*|.* --> .*)$/.test(line)).join("\n");
};

/** By tokens or by time; verbose answers of older models tell the time alone. */
function usageOfHearing(wire: unknown, duration?: unknown): ReadUsage | undefined {
  const { seconds, input_tokens, output_tokens, input_token_details } = record(wire);
  const lasts = seconds ?? duration;
  if (typeof lasts === "number" && lasts > 0 && lasts < 1e7) return told({ seconds: Math.ceil(lasts) });
  const prompt = tokenCount(input_tokens);
  const output = tokenCount(output_tokens);
  if (prompt === undefined || output === undefined || prompt + output === 0) return undefined;
  const heard = Math.min(tokenCount(record(input_token_details).audio_tokens) ?? 0, prompt);
  return told({ input: prompt - heard, input_audio: heard, output });
}

const told = (usage: Partial<Usage>): ReadUsage => ({ usage: { ...noUsage, ...usage }, hidden: 0, isFlagged: false });

function answer({ text: written, usage, duration }: Json): AnswerFacts | undefined {
  return typeof written === "string" ? { usage: usageOfHearing(usage, duration), text: written } : undefined;
}

function events(): ReadEvent {
  let hasDeltas = false;
  return typedEvents((event: TypedEvent): EventFacts => {
    if (event.type === "transcript.text.delta") {
      hasDeltas = true;
      return saying(textIn(event.text, ["delta"]));
    }
    if (event.type !== "transcript.text.done") return nothing;
    const data = event.json();
    if (!data) return damaged;
    const usage = usageOfHearing(data.usage);
    return { ...saying(hasDeltas ? "" : text(data.text)), isLast: true, ...(usage && { usage }) };
  });
}

const heard = (entry: EndpointName): Shape => ({
  entry,
  read: () => {
    throw noForm();
  },
  readForm,
  passedHeaders: [],
  bodyFor: bodyWithModel,
  answer,
  plain,
  writtenIn,
  used: heardUsed,
  isStreamOptional: true,
  firstByteWithinMs: 10 * 60_000,
  events,
  terminator: "",
  wording: openAiWording,
  probe: () => undefined,
});

export const transcriptions: Shape = heard("audio_transcription");
export const translations: Shape = heard("audio_translation");
