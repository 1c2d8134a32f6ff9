/** Transcriptions, in the language of the audio or in English: OpenAI's APIs, which take a file. */
import type { EndpointName } from "@tollgate/contract/catalogue/channel-endpoints.ts";
import { noUsage, type Usage } from "../../money/prices/price.ts";
import { computeAudioSeconds } from "../counting/audio-duration.ts";
import { readText } from "../wire/event-text.ts";
import { type JsonRecord, record, text } from "../wire/json-parts.ts";
import { findField, findFile, type MultipartForm } from "../wire/multipart.ts";
import { type RelayRefused, refuseBadRequest } from "../wire/relay-refusal.ts";
import type {
  ClientFormat,
  NonJsonReply,
  ReplyFacts,
  StreamEventFacts,
  StreamEventReader,
} from "./api-format.ts";
import type { PlainRequest, SentBody } from "./call-parts.ts";
import { refuseReferences } from "./form-references.ts";
import { estimatePromptTokens } from "./hold-size/token-estimate.ts";
import { openAiErrors } from "./openai-errors.ts";
import { buildTextFacts, streamOrAnyMedia } from "./reply-facts.ts";
import { modelName, objectField, parseBody, patchModel } from "./request-fields.ts";
import {
  createTypedEventReader,
  ignoredEvent,
  malformedEvent,
  type TypedEvent,
} from "./typed-events.ts";
import { buildTranscriptionUsage } from "./usage/media-usage.ts";
import { findTokenCount, type ReportedUsage } from "./usage/reported-usage.ts";

const defaultModel = "whisper-1";
/** Tokens per second of fast speech. */
const outputTokensPerSecond = 6;
const transcriptionRequest = objectField({ model: modelName });

const formRequired = (): RelayRefused =>
  refuseBadRequest(
    "invalid_audio_request",
    "A recording is sent as multipart/form-data, in the field file",
    "file",
  );

function parseForm(form: MultipartForm, isEstimateRough: boolean): PlainRequest {
  const { model } = parseBody(
    transcriptionRequest,
    { model: findField(form, "model") ?? defaultModel },
    "invalid_audio_request",
  );
  const file = findFile(form, "file");
  if (!file) throw refuseBadRequest("invalid_audio_request", "file: is required", "file");
  refuseReferences(form, "invalid_audio_request");
  // Read again when the answer comes, too late for a refusal of what cannot be read.
  findField(form, "response_format");
  const seconds = computeAudioSeconds(file);
  return {
    model,
    isStream: findField(form, "stream")?.toLowerCase() === "true",
    wantsUsage: true,
    streamOptions: {},
    maxOutputTokens: seconds * outputTokensPerSecond,
    choiceCount: 1,
    promptEstimate: estimatePromptTokens(
      [{ content: findField(form, "prompt") }],
      {},
      isEstimateRough,
    ),
    extras: { seconds },
  };
}

const textFormats = new Set<unknown>(["text", "srt", "vtt"]);

/** A provider may reply with JSON even so. */
function findNonJsonReply({ form }: SentBody, contentType: string): NonJsonReply | undefined {
  const isTextRequested = form !== undefined && textFormats.has(findField(form, "response_format"));
  return isTextRequested && !/json|html|event-stream/i.test(contentType) ? "text" : undefined;
}

/** Subtitles contain the times of each line, and often its number. */
const formatModelText = (subtitles: string): string => {
  const lines = subtitles.split(/\r?\n/);
  return lines.filter((line) => !/^(\d*|WEBVTT.*|.* --> .*)$/.test(line)).join("\n");
};

/**
 * `parseTranscriptionUsage` reads tokens or time, or both; verbose replies of older models report
 * the time alone.
 */
function parseTranscriptionUsage(wire: unknown, duration?: unknown): ReportedUsage | undefined {
  const reported = record(wire);
  const seconds = readSeconds(reported.seconds ?? reported.prompt_audio_seconds ?? duration);
  const prompt = findTokenCount(reported.input_tokens) ?? 0;
  const output = findTokenCount(reported.output_tokens);
  if (output === undefined || prompt + output === 0) return seconds && readUsage(seconds);
  const heard = Math.min(
    findTokenCount(record(reported.input_token_details).audio_tokens) ?? 0,
    prompt,
  );
  return readUsage({ input: prompt - heard, input_audio: heard, output, ...seconds });
}

const readSeconds = (value: unknown): Pick<Usage, "seconds"> | undefined =>
  typeof value === "number" && value > 0 && value < 1e7 ? { seconds: Math.ceil(value) } : undefined;

const readUsage = (usage: Partial<Usage>): ReportedUsage => ({
  usage: { ...noUsage, ...usage },
  hiddenOutput: 0,
  isCorrected: false,
});

function readReply({ text: transcript, usage, duration }: JsonRecord): ReplyFacts | undefined {
  return typeof transcript === "string"
    ? { usage: parseTranscriptionUsage(usage, duration), text: transcript }
    : undefined;
}

/** OpenAI's names, and Mistral's. */
const deltaMembers = ["delta", "text"];
const doneEvents = new Set(["transcript.text.done", "transcription.done"]);

function createEventReader(): StreamEventReader {
  let hasDeltas = false;
  let hasSegments = false;
  return createTypedEventReader((event: TypedEvent): StreamEventFacts => {
    if (event.type.endsWith(".text.delta")) {
      hasDeltas = true;
      return buildTextFacts(readText(event.text, deltaMembers));
    }
    // Speakers and their words, which servers send beside deltas or in place of them.
    if (event.type.endsWith(".segment")) {
      const isNew = !hasDeltas;
      hasSegments = true;
      return isNew ? buildTextFacts(readText(event.text, ["text"])) : ignoredEvent;
    }
    if (!doneEvents.has(event.type)) return ignoredEvent;
    const data = event.json();
    if (!data) return malformedEvent;
    const usage = parseTranscriptionUsage(data.usage);
    return {
      ...buildTextFacts(hasDeltas || hasSegments ? "" : text(data.text)),
      isLast: true,
      ...(usage && { usage }),
    };
  });
}

const buildTranscriptionFormat = (endpoint: EndpointName): ClientFormat => ({
  endpoint,
  parseRequest: () => {
    throw formRequired();
  },
  parseForm,
  passedHeaders: [],
  errorFormat: openAiErrors,
  upstream: {
    endpoint,
    writeBody: patchModel,
    replies: { ...streamOrAnyMedia, nonJsonReply: findNonJsonReply, modelTextIn: formatModelText },
    readReply,
    usageFor: buildTranscriptionUsage,
    firstByteTimeoutMs: 10 * 60_000,
    createEventReader,
    terminator: "",
  },
});

export const transcriptions: ClientFormat = buildTranscriptionFormat("audio_transcription");
export const translations: ClientFormat = buildTranscriptionFormat("audio_translation");
