/** Speech from text: OpenAI's API, whose reply is audio or a stream of events with pieces of it. */
import { noUsage } from "../../money/prices/price.ts";
import { readText } from "../wire/event-text.ts";
import { parseObject, record, text } from "../wire/json-parts.ts";
import type { ClientFormat, StreamEventFacts } from "./api-format.ts";
import type { PlainRequest } from "./call-parts.ts";
import { estimatePromptTokens } from "./hold-size/token-estimate.ts";
import { openAiErrors } from "./openai-errors.ts";
import { streamOrAnyMedia } from "./reply-facts.ts";
import {
  anyText,
  modelName,
  objectField,
  optional,
  parseBody,
  patchBody,
  requiredText,
} from "./request-fields.ts";
import {
  createTypedEventReader,
  ignoredEvent,
  malformedEvent,
  type TypedEvent,
} from "./typed-events.ts";
import { buildSpeechUsage, computeSpeechTokens } from "./usage/media-usage.ts";
import { findTokenCount, type ReportedUsage } from "./usage/reported-usage.ts";

const speechRequest = objectField({
  model: modelName,
  input: requiredText,
  instructions: optional(anyText),
  stream_format: optional(anyText),
});

function parseRequest(json: unknown, isEstimateRough: boolean): PlainRequest {
  const { model, input, instructions, stream_format } = parseBody(
    speechRequest,
    json,
    "invalid_audio_request",
  );
  const characters = [...input].length;
  return {
    model,
    isStream: stream_format === "sse",
    wantsUsage: true,
    streamOptions: {},
    maxOutputTokens: 0,
    choiceCount: 1,
    promptEstimate: estimatePromptTokens([{ content: [input, instructions] }], {}, isEstimateRough),
    extras: { characters, output_audio: computeSpeechTokens(characters) },
  };
}

const audioContentType = /^(audio|video)\/|^application\/(octet-stream|ogg)\b|^$/;

function parseSpeechUsage(wire: unknown): ReportedUsage | undefined {
  const reported = record(wire);
  const input = findTokenCount(reported.input_tokens);
  const output_audio = findTokenCount(reported.output_tokens);
  if (input === undefined || output_audio === undefined || input + output_audio === 0)
    return undefined;
  return {
    usage: { ...noUsage, input, output_audio },
    hiddenOutput: output_audio,
    isCorrected: false,
    wire: { family: "openai_media", members: reported },
  };
}

function readEvent(event: TypedEvent): StreamEventFacts {
  if (event.type === "speech.audio.delta") {
    // Base64 has four characters for three bytes of audio.
    const textBytes = Math.floor(readText(event.text, ["audio"]).length * 0.75);
    return textBytes > 0 ? { kind: "content", textBytes } : ignoredEvent;
  }
  if (event.type !== "speech.audio.done") return ignoredEvent;
  const data = event.json();
  if (!data) return malformedEvent;
  const usage = parseSpeechUsage(data.usage);
  return { kind: "other", textBytes: 0, isLast: true, ...(usage && { usage }) };
}

export const speech: ClientFormat = {
  endpoint: "audio_speech",
  parseRequest,
  passedHeaders: [],
  errorFormat: openAiErrors,
  upstream: {
    endpoint: "audio_speech",
    writeBody: (call, model) => patchBody(call, model),
    replies: {
      ...streamOrAnyMedia,
      nonJsonReply: (_, contentType) => (audioContentType.test(contentType) ? "bytes" : undefined),
    },
    readReply: () => undefined,
    usageFor(call, reportedUsage, { textBytes }, rates, limits) {
      const format = text(parseObject(call.body.toString("utf8")).response_format);
      return buildSpeechUsage(call, format, reportedUsage, textBytes, rates, limits);
    },
    createEventReader: () => createTypedEventReader(readEvent),
    terminator: "",
  },
};
