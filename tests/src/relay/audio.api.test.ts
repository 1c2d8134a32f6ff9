// Speech and recordings, by OpenAI's own library: the bytes, the texts, what they cost, and what
// happens when something fails or the client disconnects.
import { generateWav } from "@tollgate/simulator/generated-media.ts";
import OpenAI, { toFile } from "openai";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readReply } from "../harness/api-session.ts";
import { eventually } from "../harness/eventually.ts";
import { ruleDatabaseKinds } from "../harness/gateway-database.ts";
import { startTestGateway, type TestGateway } from "../harness/test-gateway.ts";
import { rawConnection } from "./raw-clients.ts";
import { startRecordingProvider } from "./recording-provider.ts";

const input = "one two three four";
const voice = "alloy";
const spoken = (text: string, words: number): Buffer =>
  Buffer.concat([...generateWav(text, words)]);
/** Three seconds. */
const recording = spoken("something", 60);
const seconds = 3;
const byTokens = { ratio: 1, completion_ratio: 4 };
/** Two units a character, and 500 a second. */
const configs = {
  "tts-1": { ratio: 2 },
  "gpt-4o-mini-tts": byTokens,
  "whisper-1": { audio: { usd_per_second: 0.001 } },
  "gpt-4o-transcribe": byTokens,
};

describe.each(ruleDatabaseKinds)("sound, on %s", (store) => {
  let gateway: TestGateway;
  let upstream: Awaited<ReturnType<typeof startRecordingProvider>>;
  let client: OpenAI;
  let key: string;
  beforeAll(async () => {
    upstream = await startRecordingProvider();
    gateway = await startTestGateway({ store, upstreams: [upstream.url] });
    const models = Object.keys(configs).join(",");
    await gateway.given.channel({ key: "sim-ok", models, model_configs: JSON.stringify(configs) });
    key = (await gateway.given.token()).key;
    client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: key, maxRetries: 0 });
  });
  afterAll(async () => {
    expect(await gateway.audit()).toBe("The books agree.");
    await gateway.close();
    await upstream.close();
  });

  const channelFor = (
    model: string,
    keyText: string,
    config: object = { ratio: 2 },
    more: object = {},
  ) =>
    gateway.given.channel({
      key: keyText,
      models: model,
      model_configs: JSON.stringify({ [model]: config }),
      ...more,
    });
  const bytesOf = async (response: Response): Promise<Buffer> =>
    Buffer.from(await response.arrayBuffer());
  const simulatorStats = async () =>
    (await (await fetch(`${gateway.simulator.url}/sim/stats`)).json()) as { aborted: number };

  test("a form that says twice how its answer is written is refused before a provider hears it", {
    tags: ["S2-07"],
  }, async () => {
    await channelFor("whisper-twice", "key-of-whisper", { ratio: 2 }, { base_url: upstream.url });
    upstream.answer = (response) =>
      response.writeHead(200, { "content-type": "text/plain" }).end("so it is");
    const before = upstream.calls.length;
    const form = new FormData();
    form.append("file", new Blob([new Uint8Array(recording)]), "a.wav");
    form.append("model", "whisper-twice");
    form.append("response_format", "json");
    form.append("response_format", "text");
    const response = await fetch(`${gateway.url}/v1/audio/transcriptions`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}` },
      body: form,
    });
    expect([response.status, upstream.calls.length - before]).toEqual([400, 0]);
  });

  test.each(["file_id", "file_url", "url"])(
    "a form that names another file by %s is refused before a provider hears it",
    {
      tags: ["S2-12"],
    },
    async (name) => {
      const before = upstream.calls.length;
      const form = new FormData();
      form.append("file", new Blob([new Uint8Array(recording)]), "a.wav");
      form.append("model", "whisper-twice");
      form.append(name, "of-another-user");
      const response = await fetch(`${gateway.url}/v1/audio/transcriptions`, {
        method: "POST",
        headers: { authorization: `Bearer ${key}` },
        body: form,
      });
      const { error } = (await response.json()) as { error: { param: string } };
      expect([response.status, error.param, upstream.calls.length - before]).toEqual([
        400,
        name,
        0,
      ]);
    },
  );

  describe("a text", () => {
    test.each([
      [undefined, "audio/mpeg"],
      ["wav", "audio/wav"],
      ["opus", "audio/ogg"],
    ] as const)(
      "is spoken as %s, byte by byte, at the price of its characters",
      async (response_format, type) => {
        const answer = await client.audio.speech.create({
          model: "tts-1",
          voice,
          input: `${input} é🌊`,
          ...(response_format && { response_format }),
        });
        expect(answer.headers.get("content-type")).toBe(type);
        expect(await bytesOf(answer)).toEqual(spoken(`${input} é🌊`, 5));
        const log = await gateway.lastLog();
        expect(log).toMatchObject({
          quota: 2 * (input.length + 3),
          outcome: "success",
          is_stream: 0,
          content: "",
        });
        const { status, timestamps } = await gateway.trace(log.id);
        expect(status).toBe(200);
        expect(timestamps.upstream_completed).toBeGreaterThan(0);
      },
    );

    test("arrives while it is still being spoken", async () => {
      await channelFor("paced", "sim-pace-100");
      const answer = await client.audio.speech.create({ model: "paced", voice, input });
      const reader = answer.body?.getReader();
      const first = await reader?.read();
      expect(first?.value?.length).toBeGreaterThan(0);
      // The row is written when the last byte has gone.
      expect((await gateway.books()).reservations).toBe(1);
      await reader?.cancel();
      await gateway.settled();
    });

    test("comes in events, and costs what the provider counts", async () => {
      const model = "gpt-4o-mini-tts";
      const answer = await client.audio.speech.create({
        model,
        voice,
        input,
        stream_format: "sse",
      });
      expect(answer.headers.get("content-type")).toContain("text/event-stream");
      const data = (await answer.text())
        .split("\n")
        .filter((line) => line.startsWith("data: "))
        .map(
          (line) => JSON.parse(line.slice(6)) as { type: string; audio?: string; usage?: object },
        );
      const sound = data.map(({ audio = "" }) => Buffer.from(audio, "base64"));
      expect(Buffer.concat(sound)).toEqual(spoken(input, 4));
      expect(data.at(-1)).toMatchObject({
        type: "speech.audio.done",
        usage: { output_tokens: 40 },
      });
      expect(await gateway.lastLog()).toMatchObject({
        quota: 4 + 40 * 4,
        prompt_tokens: 4,
        completion_tokens: 40,
        is_stream: 1,
        outcome: "success",
      });
    });

    test("that is priced by tokens without reported usage is estimated from its transcript", async () => {
      const request = { model: "gpt-4o-mini-tts", voice, input, response_format: "wav" } as const;
      await bytesOf(await client.audio.speech.create(request));
      const log = await gateway.lastLog();
      // A fifth of a second at 1,250 tokens a minute.
      expect(log).toMatchObject({
        completion_tokens: 5,
        content: expect.stringContaining("estimated"),
      });
    });

    test("goes to the next channel when the first gives nothing, and to no other after its first byte", async () => {
      await channelFor("failing", "sim-drop", undefined, { priority: 2 });
      await channelFor("failing", "sim-as-second", undefined, { priority: 1 });
      const answer = await client.audio.speech.create({ model: "failing", voice, input });
      expect(await bytesOf(answer)).toEqual(spoken(input, 4));
      const { attempts } = await gateway.trace((await gateway.lastLog()).id);
      expect(attempts.map(({ outcome }) => outcome)).toEqual(["failed", "success"]);

      await channelFor("breaking", "sim-cut-3", undefined, { priority: 2 });
      await channelFor("breaking", "sim-as-third", undefined, { priority: 1 });
      const broken = await client.audio.speech.create({ model: "breaking", voice, input });
      await expect(broken.arrayBuffer()).rejects.toThrow();
      const log = await gateway.lastLog();
      expect(log).toMatchObject({ outcome: "cut", quota: 2 * input.length });
      expect((await gateway.trace(log.id)).attempts).toHaveLength(1);
    });

    test("that breaks off ends without a word of ours in it", async () => {
      await channelFor("cut", "sim-cut-3");
      const connection = await rawConnection(gateway.url);
      const body = JSON.stringify({ model: "cut", voice, input });
      const headers = ["host: x", `authorization: Bearer ${key}`, `content-length: ${body.length}`];
      connection.socket.write(
        `POST /v1/audio/speech HTTP/1.1\r\n${headers.join("\r\n")}\r\n\r\n${body}`,
      );
      const answer = Buffer.from(await connection.closed, "latin1");
      const heard = spoken(input, 4).subarray(0, 44 + 2 * 2_400);
      expect(answer.includes(heard.subarray(0, 44))).toBe(true);
      expect(answer.includes("error")).toBe(false);
      // Chunked, and without the chunk that ends it.
      expect(answer.subarray(-5).toString("latin1")).not.toBe("0\r\n\r\n");
      expect(await gateway.lastLog()).toMatchObject({ outcome: "cut" });
    });

    test("that the client stops reading is cancelled upstream, and costs its characters", async () => {
      await channelFor("long", "sim-pace-20+tokens-1000");
      const { aborted } = await simulatorStats();
      const leaving = new AbortController();
      const answer = await client.audio.speech.create(
        { model: "long", voice, input },
        { signal: leaving.signal },
      );
      await answer.body?.getReader().read();
      leaving.abort();
      expect(await gateway.lastLog()).toMatchObject({
        outcome: "client_left",
        quota: 2 * input.length,
      });
      await eventually(async () => expect((await simulatorStats()).aborted).toBe(aborted + 1));
    });

    test("waits for a slow client, in the provider's place", async () => {
      const words = 12_000;
      await channelFor("endless", `sim-tokens-${words}`);
      const answer = await client.audio.speech.create({ model: "endless", voice, input });
      const reader = answer.body?.getReader();
      let heard = (await reader?.read())?.value?.length ?? 0;
      const sentBy = async (): Promise<number> => {
        const calls = (await (await fetch(`${gateway.simulator.url}/sim/calls`)).json()) as {
          contentEvents: number;
        }[];
        return calls.at(-1)?.contentEvents ?? 0;
      };
      let before = -1;
      const stalled = await eventually(async () => {
        const sent = await sentBy();
        const stands = sent === before;
        before = sent;
        if (!stands) throw new Error("it still speaks");
        return sent;
      });
      // The rest, some 20 MB, would have been buffered in memory.
      expect(stalled).toBeLessThan(words - 1_000);
      for (let part = await reader?.read(); part && !part.done; part = await reader?.read())
        heard += part.value.length;
      expect(heard).toBe(44 + words * 2_400);
      expect(await gateway.lastLog()).toMatchObject({ outcome: "success" });
    });

    test.each([
      ["a page instead of sound", "sim-html", 502],
      ["a wrong key of ours", "sim-401", 502],
      ["a limit upstream", "sim-fail-429-retry-2", 429],
      ["nothing at all", "sim-cut-0", 502],
    ])(
      "met with %s is refused in OpenAI's error format and costs nothing",
      async (name, keyText, status) => {
        await channelFor(name, keyText);
        const failure = await client.audio.speech
          .create({ model: name, voice, input })
          .catch((error: unknown) => error);
        expect(failure).toBeInstanceOf(OpenAI.APIError);
        expect(failure).toMatchObject({ status });
        expect(await gateway.lastLog()).toMatchObject({ outcome: "failed", quota: 0 });
      },
    );
  });

  describe("a recording", () => {
    const file = () => toFile(recording, "talk ä.wav");
    const usual = { model: "gpt-4o-transcribe" };

    test("is written down, and costs the tokens that the provider counts", async () => {
      const answer = await client.audio.transcriptions.create({
        ...usual,
        file: await file(),
        prompt: "a talk",
      });
      expect(answer.text.split(" ")).toHaveLength(12);
      const prompt = 10 * seconds + 2;
      expect(answer.usage).toMatchObject({ type: "tokens", input_tokens: prompt });
      const log = await gateway.lastLog();
      expect(log).toMatchObject({
        quota: prompt + 12 * 4,
        prompt_tokens: prompt,
        completion_tokens: 12,
        content: "",
      });
      expect(await gateway.trace(log.id)).toMatchObject({
        url: "/v1/audio/transcriptions",
        status: 200,
      });
    });

    test("is transcribed in a stream, with the same text at the same price", async () => {
      const whole = await client.audio.transcriptions.create({ ...usual, file: await file() });
      const { quota } = await gateway.lastLog();
      const stream = await client.audio.transcriptions.create({
        ...usual,
        file: await file(),
        stream: true,
      });
      let text = "";
      const types = new Set<string>();
      for await (const event of stream) {
        types.add(event.type);
        if (event.type === "transcript.text.delta") text += event.delta;
      }
      expect([text, [...types]]).toEqual([
        whole.text,
        ["transcript.text.delta", "transcript.text.done"],
      ]);
      expect(await gateway.lastLog()).toMatchObject({ quota, outcome: "success", is_stream: 1 });
    });

    test("costs its seconds where the provider reports them", async () => {
      const answer = await client.audio.transcriptions.create({
        model: "whisper-1",
        file: await file(),
        response_format: "verbose_json",
      });
      expect(answer).toMatchObject({ duration: seconds, segments: [{ end: seconds }] });
      expect(await gateway.lastLog()).toMatchObject({ quota: 500 * seconds, content: "" });
    });

    test.each([
      ["text", /^\S+( \S+){11}\n$/],
      ["srt", /^1\n00:00:00,000 --> 00:00:03,000\n/],
      ["vtt", /^WEBVTT\n\n00:00:00\.000 --> 00:00:03\.000\n/],
    ] as const)(
      "comes as %s, and its length is taken from the file",
      async (response_format, form) => {
        const text = await client.audio.transcriptions.create({
          model: "whisper-1",
          file: await file(),
          response_format,
        });
        expect(text).toMatch(form);
        const log = await gateway.lastLog();
        expect(log).toMatchObject({
          quota: 500 * seconds,
          content: expect.stringContaining("estimated"),
        });
      },
    );

    test("is translated, by the usual model and with nothing but what was sent", async () => {
      const answer = await client.audio.translations.create({
        model: "whisper-1",
        file: await file(),
      });
      expect(answer.text.split(" ")).toHaveLength(12);
      expect(await gateway.lastLog()).toMatchObject({
        model_name: "whisper-1",
        quota: 500 * seconds,
      });
      const form = new FormData();
      form.append("file", new Blob([new Uint8Array(recording)]), "talk.wav");
      const headers = { authorization: `Bearer ${key}` };
      for (const path of ["/v1/audio/translations", "/v1/audio/transcriptions"]) {
        const reply = await readReply(
          await fetch(gateway.url + path, { method: "POST", headers, body: form }),
        );
        expect([reply.status, reply.body.text]).toEqual([200, answer.text]);
        expect(await gateway.lastLog()).toMatchObject({ origin_model_name: "whisper-1" });
      }
    });

    test("is answered whole by a model that ignores the request for a stream", async () => {
      const form = new FormData();
      form.append("model", "whisper-1");
      form.append("stream", "true");
      form.append("file", new Blob([new Uint8Array(recording)]), "talk.wav");
      const headers = { authorization: `Bearer ${key}` };
      const init = { method: "POST", headers, body: form };
      const reply = await readReply(await fetch(`${gateway.url}/v1/audio/transcriptions`, init));
      expect(reply.headers.get("content-type")).toContain("application/json");
      expect(reply.body.text.split(" ")).toHaveLength(12);
    });

    test("of 40 MiB arrives as it was, and so does everything beside it", async () => {
      await channelFor("large", "upstream-key", byTokens, {
        base_url: upstream.url,
        model_mapping: JSON.stringify({ large: "provider-model" }),
        model_configs: JSON.stringify({ "provider-model": byTokens }),
      });
      upstream.answer = (response) => {
        response.writeHead(200, { "content-type": "application/json" });
        response.end(
          JSON.stringify({ text: "one two three", usage: { type: "duration", seconds: 7 } }),
        );
      };
      const boundary = "x-edge";
      const part = (name: string, more = "") =>
        `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${more}\r\n`;
      const sound = Buffer.alloc(40 * 1024 * 1024, "sound\r\n-");
      const before = Buffer.from(
        `${part("odd_field")}X-Own: yes\r\n\r\n\0\xff\r\n${part("model")}\r\n`,
        "latin1",
      );
      const after = Buffer.concat([
        Buffer.from(`\r\n${part("file", '; filename="a.mp3"')}Content-Type: audio/mpeg\r\n\r\n`),
        sound,
        Buffer.from(`\r\n--${boundary}--\r\n`),
      ]);
      const reply = await readReply(
        await fetch(`${gateway.url}/v1/audio/transcriptions`, {
          method: "POST",
          headers: {
            authorization: `Bearer ${key}`,
            "content-type": `multipart/form-data; boundary=${boundary}`,
          },
          body: new Uint8Array(Buffer.concat([before, Buffer.from("large"), after])),
        }),
      );
      expect(reply.body).toEqual({
        text: "one two three",
        usage: { type: "duration", seconds: 7 },
      });
      const call = upstream.calls.at(-1);
      expect(call?.headers["content-type"]).toBe(`multipart/form-data; boundary=${boundary}`);
      const expected = Buffer.concat([before, Buffer.from("provider-model"), after]);
      expect(call?.body.equals(expected)).toBe(true);
      // Ten tokens a second, and the words as the tokenizer counts them.
      expect(await gateway.lastLog()).toMatchObject({
        quota: 70 + 3 * 4,
        model_name: "provider-model",
      });
    });

    test("whose transcript breaks off costs what was written", async () => {
      await channelFor("stopping", "sim-cut-3", byTokens);
      const stream = await client.audio.transcriptions.create({
        model: "stopping",
        file: await file(),
        stream: true,
      });
      let words = 0;
      const read = async () => {
        for await (const event of stream) if (event.type === "transcript.text.delta") words += 1;
      };
      await expect(read()).rejects.toThrow(/cut the stream/);
      expect(words).toBe(3);
      const log = await gateway.lastLog();
      expect(log).toMatchObject({ outcome: "cut" });
      expect(log.quota).toBeGreaterThanOrEqual(10 * seconds);
    });

    test("without a file, or as JSON, is refused", async () => {
      const headers = { authorization: `Bearer ${key}` };
      const form = new FormData();
      form.append("model", "whisper-1");
      const url = `${gateway.url}/v1/audio/transcriptions`;
      const missing = await readReply(await fetch(url, { method: "POST", headers, body: form }));
      expect([missing.status, missing.body.error.param]).toEqual([400, "file"]);
      const json = await readReply(
        await fetch(url, { method: "POST", headers, body: JSON.stringify({ file: "x" }) }),
      );
      expect([json.status, json.body.error.message]).toEqual([
        400,
        expect.stringContaining("multipart/form-data"),
      ]);
    });

    test("met with a wrong key of ours is refused and costs nothing", async () => {
      await channelFor("locked", "sim-401", byTokens);
      const request = { model: "locked", file: await file() };
      const failure = await client.audio.transcriptions
        .create(request)
        .catch((error: unknown) => error);
      expect(failure).toMatchObject({ status: 502, code: "upstream_credentials" });
      expect(await gateway.lastLog()).toMatchObject({ outcome: "failed", quota: 0 });
    });
  });
});
