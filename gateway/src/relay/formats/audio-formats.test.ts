// Bodies, answers and events follow OpenAI's API reference (audio: speech, transcriptions,
// streaming); modelled, not captured.
import { describe, expect, test } from "vitest";
import { readForm } from "../wire/multipart.ts";
import type { RelayCall } from "./api-format.ts";
import { speech } from "./speech.ts";
import { transcriptions, translations } from "./transcriptions.ts";

const event = (data: object) => `data: ${JSON.stringify(data)}\n\n`;

describe("a speech request", () => {
  test("is counted in characters, not in bytes", () => {
    expect(
      speech.parseRequest({ model: "tts-1", input: "é🌊a", voice: "alloy" }, false),
    ).toMatchObject({
      model: "tts-1",
      isStream: false,
      extras: { characters: 3 },
    });
  });
  test("is a stream when the client asks for events, not when it asks for audio", () => {
    const isStream = (stream_format: string) =>
      speech.parseRequest({ model: "m", input: "x", stream_format }, false).isStream;
    expect([isStream("sse"), isStream("audio")]).toEqual([true, false]);
  });
  test.each([
    [{ input: "x" }, "model"],
    [{ model: "m" }, "input"],
    [{ model: "m", input: "" }, "input"],
  ])("%j is refused for its %s", (json, member) => {
    expect(() => speech.parseRequest(json, false)).toThrow(
      expect.objectContaining({ refusal: expect.objectContaining({ param: member }) }),
    );
  });
  test.each([
    ["audio/mpeg", "bytes"],
    ["audio/wav; codecs=1", "bytes"],
    ["application/octet-stream", "bytes"],
    ["", "bytes"],
    ["text/html; charset=utf-8", undefined],
    ["application/json", undefined],
    ["text/event-stream", undefined],
  ])("comes as %j: %s", (contentType, kind) => {
    expect(speech.upstream.replies.nonJsonReply?.({} as RelayCall, contentType)).toBe(kind);
  });
  test.each([
    [event({ type: "speech.audio.delta", audio: "UklGRg==" }), { kind: "content", textBytes: 6 }],
    [
      event({
        type: "speech.audio.done",
        usage: { input_tokens: 4, output_tokens: 40, total_tokens: 44 },
      }),
      {
        kind: "other",
        isLast: true,
        usage: { hiddenOutput: 40, usage: { input: 4, output_audio: 40, output: 0 } },
      },
    ],
    [event({ type: "speech.audio.done" }), { kind: "other", isLast: true }],
    ['data: {"type":"speech.audio.done","usage":]}\n\n', { kind: "malformed" }],
  ])("has the event %j", (text, facts) => {
    expect(speech.upstream.createEventReader({} as RelayCall)(text)).toMatchObject(facts);
  });
});

async function formOf(fields: Record<string, string | Blob>) {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  const response = new Response(form);
  return readForm(
    response.headers.get("content-type") ?? "",
    Buffer.from(await response.arrayBuffer()),
  );
}
const file = new Blob([new Uint8Array(16_000)]);

describe("an audio file", () => {
  test("reports its model, whether it streams, and its duration", async () => {
    const form = await formOf({
      model: "gpt-4o-transcribe",
      stream: "true",
      prompt: "a hint",
      file,
    });
    expect(transcriptions.parseForm?.(form, false)).toMatchObject({
      model: "gpt-4o-transcribe",
      isStream: true,
      maxOutputTokens: 12,
      extras: { seconds: 2 },
    });
  });
  test("goes to the oldest model when none is named, and the provider receives its name", async () => {
    const form = await formOf({ file });
    const asked = translations.parseForm?.(form, false);
    if (!asked) throw new Error("translations take forms");
    expect(asked).toMatchObject({ model: "whisper-1", isStream: false });
    const call: RelayCall = {
      ...asked,
      client: translations,
      upstream: translations.upstream,
      headers: [],
      body: form.body,
      form,
    };
    const sent = translations.upstream.writeBody(call, "whisper-1", null);
    expect(sent.toString("latin1")).toContain('name="model"\r\n\r\nwhisper-1\r\n');
    expect(sent.subarray(sent.length - form.body.length)).toEqual(form.body);
  });
  test("passes unchanged where the model has the same name", async () => {
    const form = await formOf({ model: "whisper-1", file });
    const call = { form, body: form.body, model: "whisper-1" } as unknown as RelayCall;
    expect(transcriptions.upstream.writeBody(call, "whisper-1", null)).toBe(form.body);
  });
  test.each([
    [{ model: "whisper-1" }, "file"],
    [{ model: "", file }, "model"],
  ])("is refused when something is missing", async (fields, member) => {
    const form = await formOf(fields as Record<string, string | Blob>);
    expect(() => transcriptions.parseForm?.(form, false)).toThrow(
      expect.objectContaining({ refusal: expect.objectContaining({ param: member }) }),
    );
  });
  test.each([
    ["srt", "text/plain; charset=utf-8", "text"],
    ["vtt", "text/vtt", "text"],
    ["text", "application/json", undefined],
    ["text", "text/html", undefined],
    ["json", "text/plain", undefined],
  ])("requested as %s and answered as %s is %s", async (response_format, contentType, kind) => {
    const form = await formOf({ response_format, file });
    expect(
      transcriptions.upstream.replies.nonJsonReply?.({ form } as unknown as RelayCall, contentType),
    ).toBe(kind);
  });

  const tokens = {
    type: "tokens",
    input_tokens: 32,
    input_token_details: { text_tokens: 2, audio_tokens: 30 },
    output_tokens: 5,
    total_tokens: 37,
  };
  test.each([
    [
      { text: "hi", usage: tokens },
      { input: 2, input_audio: 30, output: 5 },
    ],
    [{ text: "hi", usage: { type: "duration", seconds: 7 } }, { seconds: 7 }],
    [
      { text: "hi", duration: 6.2, usage: tokens },
      { input: 2, input_audio: 30, output: 5, seconds: 7 },
    ],
    [
      { text: "hi", usage: { prompt_audio_seconds: 7, prompt_tokens: 4, total_tokens: 106 } },
      { seconds: 7 },
    ],
    [{ text: "hi", duration: 6.2, language: "english", segments: [] }, { seconds: 7 }],
  ])("is answered by %j, which counts %j", (json, usage) => {
    expect(transcriptions.upstream.readReply(json)).toMatchObject({ text: "hi", usage: { usage } });
  });
  test.each([{ text: "hi" }, { text: "hi", usage: { type: "duration", seconds: -1 } }])(
    "may be answered by %j, which counts nothing",
    (json) => {
      expect(transcriptions.upstream.readReply(json)).toEqual({ text: "hi", usage: undefined });
    },
  );
  test.each([
    ["one two\n", "one two"],
    [
      "1\n00:00:00,000 --> 00:00:03,000\none\ntwo\n\n2\r\n00:00:03,000 --> 00:00:04,000\r\nthree\r\n\r\n",
      "one\ntwo\nthree",
    ],
    ["WEBVTT\n\n00:00.000 --> 00:03.000\none 2\n", "one 2"],
  ])("that comes as %j says %j", (text, words) => {
    expect(transcriptions.upstream.replies.modelTextIn?.(text)).toBe(words);
  });
  test("is not answered by a reply without text", () => {
    expect(transcriptions.upstream.readReply({ usage: tokens })).toBeUndefined();
  });

  test("streams its text under the names of other providers", { tags: ["S2-03"] }, () => {
    const reader = transcriptions.upstream.createEventReader({} as RelayCall);
    const read = (data: { type: string; [more: string]: unknown }) => reader(event(data));
    expect(read({ type: "transcription.text.delta", text: "one " })).toMatchObject({
      kind: "content",
      textBytes: 4,
    });
    expect(read({ type: "transcription.segment", text: "one ", start: 0 }).kind).toBe("other");
    const usage = { prompt_tokens: 8, completion_tokens: 4, prompt_audio_seconds: 3 };
    expect(read({ type: "transcription.done", text: "one ", usage })).toMatchObject({
      textBytes: 0,
      isLast: true,
      usage: { usage: { seconds: 3 } },
    });
  });
  test("streams what each speaker said", { tags: ["S2-03"] }, () => {
    const reader = transcriptions.upstream.createEventReader({} as RelayCall);
    const segment = { type: "transcript.text.segment", id: "s", text: "one ", speaker: "A" };
    expect(reader(event(segment))).toMatchObject({ kind: "content", textBytes: 4 });
    expect(reader(event({ type: "transcript.text.done", text: "one " }))).toMatchObject({
      textBytes: 0,
      isLast: true,
    });
  });
  test("streams its text, and its end reports the usage", () => {
    const reader = transcriptions.upstream.createEventReader({} as RelayCall);
    expect(reader(event({ type: "transcript.text.delta", delta: "one " }))).toMatchObject({
      kind: "content",
      text: "one ",
    });
    expect(
      reader(event({ type: "transcript.text.done", text: "one ", usage: tokens })),
    ).toMatchObject({
      kind: "other",
      textBytes: 0,
      isLast: true,
      usage: { usage: { input_audio: 30 } },
    });
  });
  test("may arrive in its last event only", () => {
    const reader = transcriptions.upstream.createEventReader({} as RelayCall);
    const end = reader(event({ type: "transcript.text.done", text: "one two" }));
    expect(end).toEqual({ kind: "content", textBytes: 7, text: "one two", isLast: true });
  });
});
