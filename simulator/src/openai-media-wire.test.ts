import { inflateSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { audioSeconds, generatePng, generateWav } from "./generated-media.ts";
import { type Simulator, startSimulator } from "./simulator.ts";

let simulator: Simulator;
beforeAll(async () => {
  simulator = await startSimulator();
});
afterAll(() => simulator.close());

const send = (path: string, key: string, body: object | FormData) =>
  fetch(`${simulator.url}/v1/${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}` },
    body: body instanceof FormData ? body : JSON.stringify(body),
  });
const jsonOf = async (response: Response) => (await response.json()) as Record<string, unknown>;
const formOf = (fields: Record<string, string | Blob>) => {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  return form;
};
const eventsOf = (text: string) =>
  text
    .split("\n")
    .flatMap((line) => (line.startsWith("data: ") ? [JSON.parse(line.slice(6))] : []));

test("an image is a valid PNG, identical for the same words", () => {
  const png = generatePng("a fox");
  expect(png).toEqual(generatePng("a fox"));
  expect(png).not.toEqual(generatePng("an owl"));
  expect([png.toString("latin1", 12, 16), png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([
    "IHDR",
    4,
    4,
  ]);
  const at = png.indexOf("IDAT");
  // Four rows, each a filter byte and four RGB pixels.
  expect(inflateSync(png.subarray(at + 4, at + 4 + png.readUInt32BE(at - 4)))).toHaveLength(4 * 13);
});

test("audio is a valid WAV file with 50 ms per word", () => {
  const wav = Buffer.concat([...generateWav("a fox", 60)]);
  expect([wav.toString("latin1", 0, 4), wav.readUInt32LE(4), wav.readUInt32LE(40)]).toEqual([
    "RIFF",
    wav.length - 8,
    60 * 2_400,
  ]);
  expect([audioSeconds(wav), audioSeconds(Buffer.alloc(8_001))]).toEqual([3, 2]);
});

test("newer models return image bytes and usage, older ones URLs", async () => {
  const drawn = await jsonOf(
    await send("images/generations", "sim-ok", { model: "gpt-image-2", prompt: "a fox", n: 2 }),
  );
  expect(drawn).toMatchObject({
    data: [{ b64_json: expect.any(String) }, {}],
    usage: { input_tokens: 2, output_tokens: 200 },
  });
  const old = await jsonOf(
    await send("images/generations", "sim-ok", { model: "dall-e-3", prompt: "a fox" }),
  );
  expect(old).toEqual({
    created: expect.any(Number),
    data: [{ url: expect.stringMatching(/^https:/) }],
  });
});

test("an image stream has the requested number of partial images, and breaks between them", async () => {
  const body = { model: "gpt-image-2", prompt: "a fox", stream: true, partial_images: 2 };
  const whole = eventsOf(await (await send("images/generations", "sim-ok", body)).text());
  expect(whole.map(({ type }) => type.split(".")[1])).toEqual([
    "partial_image",
    "partial_image",
    "completed",
  ]);
  const failed = eventsOf(await (await send("images/generations", "sim-error-1", body)).text());
  expect(failed).toMatchObject([{ partial_image_index: 0 }, { error: { type: "server_error" } }]);
});

test("images are edited by forms and by JSON", async () => {
  const form = formOf({ model: "gpt-image-2", prompt: "a fox", image: new Blob(["png"]) });
  const body = { model: "gpt-image-2", prompt: "a fox", images: [{ image_url: "data:" }] };
  for (const sent of [form, body]) {
    expect(await jsonOf(await send("images/edits", "sim-ok", sent))).toMatchObject({
      usage: { input_tokens: 87 },
    });
  }
  const missing = await send("images/edits", "sim-ok", { model: "gpt-image-2", prompt: "a fox" });
  expect([missing.status, await jsonOf(missing)]).toMatchObject([
    400,
    { error: { message: expect.stringContaining("image") } },
  ]);
});

test("speech has the media type of its format, or comes as events", async () => {
  const body = { model: "tts-1", input: "one two", voice: "alloy" };
  const answer = await send("audio/speech", "sim-ok", { ...body, response_format: "flac" });
  expect(answer.headers.get("content-type")).toBe("audio/flac");
  const sound = Buffer.concat([...generateWav("one two", 2)]);
  expect(Buffer.from(await answer.arrayBuffer())).toEqual(sound);
  const events = eventsOf(
    await (await send("audio/speech", "sim-ok", { ...body, stream_format: "sse" })).text(),
  );
  expect(Buffer.concat(events.map(({ audio = "" }) => Buffer.from(audio, "base64")))).toEqual(
    sound,
  );
  expect(events.at(-1)).toMatchObject({
    type: "speech.audio.done",
    usage: { input_tokens: 2, output_tokens: 20 },
  });
});

test("speech breaks off after the given number of chunks", async () => {
  const answer = await send("audio/speech", "sim-cut-2", {
    model: "tts-1",
    input: "one two",
    voice: "alloy",
  });
  expect(answer.status).toBe(200);
  await expect(answer.arrayBuffer()).rejects.toThrow();
  expect(simulator.calls().at(-1)).toMatchObject({ contentEvents: 2, abortedAt: null });
});

test("audio is transcribed in every format, and only older models count its seconds", async () => {
  const file = new Blob([new Uint8Array(16_000)]);
  simulator.script("writer", { text: "one two" });
  const write = (fields: Record<string, string>, path = "transcriptions") =>
    send(`audio/${path}`, "writer", formOf({ model: "whisper-1", file, ...fields }));
  expect(await jsonOf(await write({}))).toEqual({
    text: "one two",
    usage: { type: "duration", seconds: 2 },
  });
  expect(await jsonOf(await write({ model: "new", prompt: "a b c" }))).toMatchObject({
    usage: {
      type: "tokens",
      input_tokens: 23,
      input_token_details: { text_tokens: 3, audio_tokens: 20 },
      output_tokens: 2,
    },
  });
  expect(
    await jsonOf(await write({ response_format: "verbose_json" }, "translations")),
  ).toMatchObject({
    task: "translate",
    duration: 2,
  });
  expect(await (await write({ response_format: "srt" })).text()).toBe(
    "1\n00:00:00,000 --> 00:00:02,000\none two\n\n",
  );
  const events = eventsOf(await (await write({ model: "new", stream: "true" })).text());
  expect(events.map(({ type, delta }) => delta ?? type)).toEqual([
    "one",
    " two",
    "transcript.text.done",
  ]);
  const ignored = await write({ stream: "true" });
  expect(ignored.headers.get("content-type")).toBe("application/json");
  expect((await send("audio/transcriptions", "sim-ok", formOf({ model: "m" }))).status).toBe(400);
});
