/** Text that is spoken: OpenAI's interface, whose answer is a recording or a stream of events with pieces of one. */
import * as z from "zod/mini";
import { noUsage } from "../../money/price.ts";
import { estimatePromptTokens } from "../estimate.ts";
import { textIn } from "../event-text.ts";
import { parsedObject, record, text } from "../json-parts.ts";
import { speechUsed, spokenTokens } from "../media-usage.ts";
import { type ReadUsage, tokenCount } from "../usage.ts";
import { bodyWith } from "./body-with.ts";
import { modelName } from "./fields.ts";
import { openAiWording } from "./open-ai-wording.ts";
import { readAsked } from "./read-asked.ts";
import type { Asked, EventFacts, Shape } from "./shape.ts";
import { damaged, nothing, type TypedEvent, typedEvents } from "./typed-events.ts";

const request = z.object({
  model: modelName,
  input: z.string().check(z.minLength(1)),
  instructions: z.optional(z.nullable(z.string())),
  stream_format: z.optional(z.nullable(z.string())),
});

function read(json: unknown, isEstimateRough: boolean): Asked {
  const { model, input, instructions, stream_format } = readAsked(request, json, "invalid_audio_request");
  const characters = [...input].length;
  return {
    model,
    isStream: stream_format === "sse",
    wantsUsage: true,
    streamOptions: {},
    maxTokens: 0,
    answers: 1,
    promptEstimate: estimatePromptTokens([{ content: [input, instructions] }], undefined, isEstimateRough),
    extras: { characters, output_audio: spokenTokens(characters) },
  };
}

const sound = /^(audio|video)\/|^application\/(octet-stream|ogg)\b|^$/;

function usageOfSpeech(wire: unknown): ReadUsage | undefined {
  const said = record(wire);
  const input = tokenCount(said.input_tokens);
  const output_audio = tokenCount(said.output_tokens);
  if (input === undefined || output_audio === undefined || input + output_audio === 0) return undefined;
  return { usage: { ...noUsage, input, output_audio }, hidden: output_audio, isFlagged: false };
}

function readEvent(event: TypedEvent): EventFacts {
  if (event.type === "speech.audio.delta") {
    // Base64 has four letters for three bytes of sound.
    const textBytes = Math.floor(textIn(event.text, ["audio"]).length * 0.75);
    return textBytes > 0 ? { kind: "content", textBytes } : nothing;
  }
  if (event.type !== "speech.audio.done") return nothing;
  const data = event.json();
  if (!data) return damaged;
  const usage = usageOfSpeech(data.usage);
  return { kind: "other", textBytes: 0, isLast: true, ...(usage && { usage }) };
}

export const speech: Shape = {
  entry: "audio_speech",
  read,
  passedHeaders: [],
  bodyFor: (call, model) => bodyWith(call, model),
  answer: () => undefined,
  plain: (_, contentType) => (sound.test(contentType) ? "bytes" : undefined),
  used(call, told, { textBytes }, rates) {
    const format = text(parsedObject(call.body.toString("utf8")).response_format);
    return speechUsed(call, format, told, textBytes, rates);
  },
  isStreamOptional: true,
  events: () => typedEvents(readEvent),
  terminator: "",
  wording: openAiWording,
  probe: (model, input) => ({ model, input, voice: "alloy" }),
};
