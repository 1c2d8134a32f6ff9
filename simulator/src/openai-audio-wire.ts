/** Speech and transcriptions as OpenAI answers them. */
import { type ReplyDelivery, sendBytes, sendJson, sendStream, sendText } from "./delivery.ts";
import { audioSeconds, generateWav } from "./generated-media.ts";
import {
  badRequest,
  type MediaRequest,
  requestAbout,
  textOf,
  usageUnless,
  wordsIn,
} from "./openai-media-request.ts";
import { openAiWire } from "./openai-wire.ts";
import { generateAnswer, wholeText } from "./simulated-answer.ts";
import type { SimulatedEvent } from "./wire-format.ts";

const audioTypes: Readonly<Record<string, string>> = {
  mp3: "audio/mpeg",
  opus: "audio/ogg",
  aac: "audio/aac",
  flac: "audio/flac",
  wav: "audio/wav",
  pcm: "audio/pcm",
};

/** WAV bytes for every requested format. A word is 1 input token and 10 output tokens. */
export async function answerSpeech(
  delivery: ReplyDelivery,
  { fields }: MediaRequest,
  isStream: boolean,
): Promise<void> {
  const input = textOf(fields, "input");
  if (input === "" || fields.voice === undefined)
    throw badRequest("Missing required parameter: 'voice'.");
  const words = delivery.behaviour.tokens ?? wordsIn(input);
  const chunks = generateWav(input, words);
  if (!isStream) {
    const type = audioTypes[textOf(fields, "response_format") || "mp3"];
    return await sendBytes(delivery, type ?? "application/octet-stream", chunks);
  }
  const usage = { input_tokens: words, output_tokens: 10 * words, total_tokens: 11 * words };
  await sendStream(
    delivery,
    audioEvents(chunks, usageUnless(delivery.behaviour.noUsage, usage)),
    openAiWire.streamFailure,
  );
}

function* audioEvents(chunks: Iterable<Buffer>, usageMember: object): Generator<SimulatedEvent> {
  for (const chunk of chunks) {
    yield plainEvent({ type: "speech.audio.delta", audio: chunk.toString("base64") }, "content");
  }
  yield plainEvent({ type: "speech.audio.done", ...usageMember }, "frame");
}

const plainEvent = (data: object, kind: SimulatedEvent["kind"]): SimulatedEvent => ({
  kind,
  text: `data: ${JSON.stringify(data)}\n\n`,
});

export async function answerTranscription(
  delivery: ReplyDelivery,
  operation: "transcriptions" | "translations",
  { fields, model }: MediaRequest,
  isStream: boolean,
): Promise<void> {
  const { behaviour } = delivery;
  const { file } = fields;
  if (!Buffer.isBuffer(file)) throw badRequest("Missing required parameter: 'file'.");
  const { tokens } = generateAnswer(requestAbout(model, file), behaviour);
  const text = wholeText(tokens);
  const seconds = audioSeconds(file);
  const isOld = model === "whisper-1";
  const usage = isOld
    ? { type: "duration", seconds }
    : transcriptionUsage(seconds, textOf(fields, "prompt"), tokens.length);
  const usageMember = usageUnless(behaviour.noUsage, usage);
  // The older model accepts `stream` and ignores it.
  if (isStream && !isOld) {
    const deltas = Array.from({ length: tokens.length }, (_, index) =>
      plainEvent({ type: "transcript.text.delta", delta: tokens.at(index) }, "content"),
    );
    const end = plainEvent({ type: "transcript.text.done", text, ...usageMember }, "frame");
    return await sendStream(delivery, [...deltas, end], openAiWire.streamFailure);
  }
  const format = textOf(fields, "response_format") || "json";
  const cue = (point: string): string =>
    `00:00:00${point}000 --> ${clock(seconds)}${point}000\n${text}\n`;
  if (format === "text") return await sendText(delivery, `${text}\n`);
  if (format === "srt") return await sendText(delivery, `1\n${cue(",")}\n`);
  if (format === "vtt") return await sendText(delivery, `WEBVTT\n\n${cue(".")}\n`);
  if (format !== "verbose_json") return await sendJson(delivery, { text, ...usageMember });
  const confidence = {
    tokens: [],
    temperature: 0,
    avg_logprob: 0,
    compression_ratio: 1,
    no_speech_prob: 0,
  };
  const segment = { id: 0, seek: 0, start: 0, end: seconds, text, ...confidence };
  const task = operation === "translations" ? "translate" : "transcribe";
  const transcript = { task, language: "english", duration: seconds, text, segments: [segment] };
  await sendJson(delivery, { ...transcript, ...(operation === "transcriptions" && usageMember) });
}

const clock = (seconds: number): string =>
  [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60]
    .map((part) => String(part).padStart(2, "0"))
    .join(":");

/** A second of audio is 10 tokens, a word 1. */
function transcriptionUsage(seconds: number, prompt: string, written: number) {
  const audio_tokens = 10 * seconds;
  const text_tokens = wordsIn(prompt);
  return {
    type: "tokens",
    input_tokens: audio_tokens + text_tokens,
    input_token_details: { text_tokens, audio_tokens },
    output_tokens: written,
    total_tokens: audio_tokens + text_tokens + written,
  };
}
