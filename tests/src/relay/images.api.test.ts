// Pictures, requested by OpenAI's own library: what comes back, what it costs, and what happens
// when something fails.
import { generatePng } from "@tollgate/simulator/generated-media.ts";
import OpenAI, { toFile } from "openai";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readReply } from "../harness/api-session.ts";
import { eventually } from "../harness/eventually.ts";
import { ruleDatabaseKinds } from "../harness/gateway-database.ts";
import { startTestGateway, type TestGateway } from "../harness/test-gateway.ts";
import { rawConnection } from "./raw-clients.ts";
import { startRecordingProvider } from "./recording-provider.ts";

const prompt = "a red fox";
const drawn = (place: number): string => generatePng(`${prompt} ${place}`).toString("base64");
/** Three words at 1 unit, and 100 tokens of picture at 4 units: see the simulator. */
const usualCharge = 3 + 100 * 4;
const byTokens = { ratio: 1, completion_ratio: 4 };
/** Four cents are 20,000 units. */
const byPicture = { image: { price_per_image_usd: 0.04, quality_multipliers: { hd: 2 } } };
const configs = JSON.stringify({
  "gpt-image-2": byTokens,
  "dall-e-2": byPicture,
  "dall-e-3": byPicture,
});

describe.each(ruleDatabaseKinds)("pictures, on %s", (store) => {
  let gateway: TestGateway;
  let upstream: Awaited<ReturnType<typeof startRecordingProvider>>;
  let client: OpenAI;
  let key: string;
  beforeAll(async () => {
    upstream = await startRecordingProvider();
    gateway = await startTestGateway({ store, upstreams: [upstream.url] });
    await gateway.given.channel({
      key: "sim-ok",
      models: "gpt-image-2,dall-e-2,dall-e-3",
      model_configs: configs,
    });
    key = (await gateway.given.token()).key;
    client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: key, maxRetries: 0 });
  });
  afterAll(async () => {
    expect(await gateway.audit()).toBe("The books agree.");
    await gateway.close();
    await upstream.close();
  });

  const faulty = (name: string, keyText: string, more: object = {}) =>
    gateway.given.channel({
      key: keyText,
      models: name,
      model_configs: JSON.stringify({ [name]: byTokens }),
      ...more,
    });
  const post = async (
    path: string,
    body: string | FormData,
    headers: Record<string, string> = {},
  ) =>
    await readReply(
      await fetch(gateway.url + path, {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, ...headers },
        body,
      }),
    );

  test("are drawn, and cost the tokens that the provider counts", async () => {
    const answer = await client.images.generate({ model: "gpt-image-2", prompt, n: 2 });
    expect(answer.data?.map(({ b64_json }) => b64_json)).toEqual([drawn(0), drawn(1)]);
    expect(answer.usage).toMatchObject({ input_tokens: 3, output_tokens: 200 });
    const log = await gateway.lastLog();
    expect(log).toMatchObject({
      quota: 3 + 200 * 4,
      prompt_tokens: 3,
      completion_tokens: 200,
      content: "",
    });
    expect(log).toMatchObject({ outcome: "success", model_name: "gpt-image-2", is_stream: 0 });
    const trace = await gateway.trace(log.id);
    expect(trace).toMatchObject({
      status: 200,
      url: "/v1/images/generations",
      attempts: [{ outcome: "success" }],
    });
  });

  test.each([
    ["standard", 2, 40_000],
    ["hd", 1, 40_000],
  ] as const)("of quality %s cost by the piece: %i", async (quality, n, quota) => {
    const answer = await client.images.generate({
      model: "dall-e-3",
      prompt,
      n,
      quality,
      response_format: "url",
    });
    expect(answer.data).toHaveLength(n);
    expect(answer.data?.[0]?.url).toMatch(/^https:/);
    expect(await gateway.lastLog()).toMatchObject({ quota, completion_tokens: 0, content: "" });
  });

  test("are drawn by the default model when none is named, and the provider receives its name", async () => {
    const response = await post("/v1/images/generations", JSON.stringify({ prompt }));
    expect(response.status).toBe(200);
    expect(await gateway.lastLog()).toMatchObject({ model_name: "dall-e-2", quota: 20_000 });
  });

  test("come in a stream with their drafts, and cost the same", async () => {
    const stream = await client.images.generate({
      model: "gpt-image-2",
      prompt,
      stream: true,
      partial_images: 2,
    });
    const events: string[] = [];
    for await (const event of stream) {
      events.push(event.type);
      if (event.type === "image_generation.completed") expect(event.b64_json).toBe(drawn(0));
    }
    const partial = "image_generation.partial_image";
    expect(events).toEqual([partial, partial, "image_generation.completed"]);
    expect(await gateway.lastLog()).toMatchObject({
      quota: usualCharge,
      outcome: "success",
      is_stream: 1,
    });
  });

  test("are changed: files of any bytes arrive as they were, with the model under the provider's name", async () => {
    await gateway.given.channel({
      key: "upstream-key",
      base_url: upstream.url,
      models: "painter",
      model_mapping: JSON.stringify({ painter: "gpt-image-2" }),
      model_configs: JSON.stringify({ "gpt-image-2": byTokens }),
    });
    const usage = {
      input_tokens: 90,
      input_tokens_details: { text_tokens: 5, image_tokens: 85 },
      output_tokens: 10,
    };
    upstream.answer = (response) => {
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify({ created: 1, data: [{ b64_json: "AAAA" }], usage }));
    };
    const bytes = Buffer.from(Array.from({ length: 70_000 }, (_, at) => (at * 31) % 256));
    const image = [
      await toFile(bytes, "ä fox.png"),
      await toFile(Buffer.from("\r\n--\r\n\r\n"), "b.png"),
    ];
    const answer = await client.images.edit({ model: "painter", prompt, image });
    expect(answer.data).toEqual([{ b64_json: "AAAA" }]);
    expect(await gateway.lastLog()).toMatchObject({
      quota: 90 + 10 * 4,
      prompt_tokens: 90,
      completion_tokens: 10,
    });

    const call = upstream.calls.at(-1);
    expect(call?.path).toBe("/v1/images/edits");
    expect(call?.headers.authorization).toBe("Bearer upstream-key");
    const headers = { "content-type": String(call?.headers["content-type"]) };
    const form = await new Response(new Uint8Array(call?.body ?? []), { headers }).formData();
    expect([form.get("model"), form.get("prompt")]).toEqual(["gpt-image-2", prompt]);
    const files = form.getAll("image[]") as File[];
    expect(files.map(({ name }) => name)).toEqual(["ä fox.png", "b.png"]);
    expect(
      await Promise.all(files.map(async (file) => Buffer.from(await file.arrayBuffer()))),
    ).toEqual([bytes, Buffer.from("\r\n--\r\n\r\n")]);
  });

  test("are changed by a JSON body, too, and in a stream", async () => {
    const images = [{ image_url: "data:image/png;base64,AAAA" }];
    const body = JSON.stringify({ model: "gpt-image-2", prompt, images });
    const reply = await post("/v1/images/edits", body, { "content-type": "application/json" });
    expect(reply.body.data).toEqual([{ b64_json: drawn(0) }]);
    expect(await gateway.lastLog()).toMatchObject({ quota: usualCharge + 85 });

    const image = await toFile(Buffer.from("png"), "a.png");
    const events: string[] = [];
    for await (const event of await client.images.edit({
      model: "gpt-image-2",
      prompt,
      image,
      stream: true,
    })) {
      events.push(event.type);
    }
    expect(events).toEqual(["image_edit.completed"]);
    expect(await gateway.lastLog()).toMatchObject({ quota: usualCharge + 85, is_stream: 1 });
  });

  const answering = (body: object) => {
    upstream.answer = (response) => {
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify(body));
    };
  };

  test("of a provider that ignores the request for a stream come as its last events", async () => {
    await faulty("forgetful", "upstream-key", { base_url: upstream.url });
    const usage = { input_tokens: 3, output_tokens: 100 };
    answering({ created: 1, data: [{ b64_json: "AAAA" }], usage });
    const events: unknown[] = [];
    const stream = await client.images.generate({ model: "forgetful", prompt, stream: true });
    for await (const event of stream) events.push(event);
    expect(events).toEqual([
      { type: "image_generation.completed", b64_json: "AAAA", created_at: 1, usage },
    ]);
    expect(await gateway.lastLog()).toMatchObject({
      quota: usualCharge,
      outcome: "success",
      is_stream: 1,
    });
  });

  test("of several megabytes come in one event, through a channel that calls the model differently", async () => {
    await faulty("poster", "upstream-key", {
      base_url: upstream.url,
      model_mapping: JSON.stringify({ poster: "gpt-image-large" }),
      model_configs: JSON.stringify({ "gpt-image-large": byTokens }),
    });
    const b64_json = "iVBOR".repeat(1_000_000);
    const data = {
      type: "image_generation.completed",
      b64_json,
      usage: { input_tokens: 3, output_tokens: 100 },
    };
    upstream.answer = (response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end(`event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`);
    };
    const events: unknown[] = [];
    const stream = await client.images.generate({ model: "poster", prompt, stream: true });
    for await (const event of stream) events.push(event);
    expect(events).toEqual([data]);
    expect(await gateway.lastLog()).toMatchObject({ quota: usualCharge, outcome: "success" });
  });

  test("are drawn by Gemini, and cost what Google counts", async () => {
    await faulty("gemini-2.5-flash-image", "google-key", { type: 24, base_url: upstream.url });
    const parts = [{ inlineData: { mimeType: "image/png", data: "AAAA" } }];
    const details = [{ modality: "IMAGE", tokenCount: 1_290 }];
    const usageMetadata = {
      promptTokenCount: 4,
      candidatesTokenCount: 1_290,
      candidatesTokensDetails: details,
    };
    answering({ candidates: [{ content: { parts }, finishReason: "STOP" }], usageMetadata });
    const answer = await client.images
      .generate({ model: "gemini-2.5-flash-image", prompt })
      .withResponse();
    expect(answer.data).toMatchObject({
      data: [{ b64_json: "AAAA" }],
      usage: { output_tokens: 1_290 },
    });
    expect(answer.response.headers.get("x-tollgate-lost")).toBeNull();
    expect(upstream.calls.at(-1)?.path).toBe(
      "/v1beta/models/gemini-2.5-flash-image:generateContent",
    );
    expect(await gateway.lastLog()).toMatchObject({
      quota: 4 + 1_290 * 4,
      completion_tokens: 1_290,
      content: "",
    });

    answering({ candidates: [{ finishReason: "IMAGE_SAFETY" }] });
    const refused = client.images.generate({ model: "gemini-2.5-flash-image", prompt });
    await expect(refused).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining("IMAGE_SAFETY"),
    });
    expect(await gateway.lastLog()).toMatchObject({ quota: 0, outcome: "failed" });
  });

  test("without reported usage are charged by the piece, and the log row records that", async () => {
    await faulty("silent", "sim-no-usage");
    await client.images.generate({ model: "silent", prompt, n: 2 });
    const log = await gateway.lastLog();
    expect(log.content).toContain("estimated");
    // The usual price of a picture, four cents, and a few tokens of prompt.
    expect(log.quota).toBeGreaterThan(40_000);
    expect(log.quota).toBeLessThan(40_100);
  });

  test("that break off half-way come from the next channel", async () => {
    await faulty("halved", "sim-cut-1", { priority: 2 });
    await faulty("halved", "sim-as-second", { priority: 1 });
    const answer = await client.images.generate({ model: "halved", prompt });
    expect(answer.data).toEqual([expect.objectContaining({ url: expect.any(String) })]);
    const { attempts } = await gateway.trace((await gateway.lastLog()).id);
    expect(attempts.map(({ outcome }) => outcome)).toEqual(["failed", "success"]);
  });

  test("of which a draft was seen cost like the whole, though the stream was cut", async () => {
    await faulty("gpt-image-cut", "sim-cut-1", {
      model_configs: JSON.stringify({ "gpt-image-cut": { image: { price_per_image_usd: 0.04 } } }),
    });
    const stream = await client.images.generate({
      model: "gpt-image-cut",
      prompt,
      stream: true,
      partial_images: 2,
    });
    const events: string[] = [];
    const read = async () => {
      for await (const event of stream) events.push(event.type);
    };
    await expect(read()).rejects.toThrow(/cut the stream/);
    expect(events).toEqual(["image_generation.partial_image"]);
    expect(await gateway.lastLog()).toMatchObject({ outcome: "cut", quota: 20_000 });
  });

  test.each([
    ["a wrong key of ours", "sim-401", OpenAI.APIError, 502],
    ["a limit upstream", "sim-fail-429-retry-2", OpenAI.RateLimitError, 429],
    ["trouble upstream", "sim-500", OpenAI.InternalServerError, 500],
  ] as const)(
    "that fail for %s are refused in OpenAI's words and cost nothing",
    async (name, text, kind, status) => {
      await faulty(name, text);
      const failure = await client.images
        .generate({ model: name, prompt })
        .catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(kind);
      expect(failure).toMatchObject({ status, message: expect.stringContaining("request id") });
      if (status === 429)
        expect((failure as InstanceType<typeof kind>).headers?.get("retry-after")).toBe("2");
      const log = await gateway.lastLog();
      expect(log).toMatchObject({ quota: 0, outcome: "failed" });
      expect((await gateway.trace(log.id)).attempts).toMatchObject([{ outcome: "failed" }]);
    },
  );

  test("whose client disconnected are cancelled, and cost nothing", async () => {
    await faulty("slow", "sim-hang");
    const leaving = new AbortController();
    const before = (await simulatorStats()).aborted;
    const answer = client.images.generate({ model: "slow", prompt }, { signal: leaving.signal });
    answer.catch(() => undefined);
    await eventually(async () => expect((await gateway.books()).reservations).toBe(1));
    leaving.abort();
    await expect(answer).rejects.toThrow();
    expect(await gateway.lastLog()).toMatchObject({ outcome: "client_left", quota: 0 });
    await eventually(async () => expect((await simulatorStats()).aborted).toBe(before + 1));
  });
  const simulatorStats = async () =>
    (await (await fetch(`${gateway.simulator.url}/sim/stats`)).json()) as { aborted: number };

  const form = (...fields: [string, string | Blob][]) => {
    const made = new FormData();
    for (const [name, value] of fields) made.append(name, value);
    return made;
  };
  const picture = new Blob(["png"]);
  test.each([
    [
      "two models",
      form(["model", "gpt-image-2"], ["model", "x"], ["prompt", prompt], ["image", picture]),
      "twice",
    ],
    ["no picture", form(["model", "gpt-image-2"], ["prompt", prompt]), "image"],
    ["no prompt", form(["model", "gpt-image-2"], ["image", picture]), "prompt"],
    ["a wrong n", form(["prompt", prompt], ["image", picture], ["n", "two"]), "n:"],
  ])("with %s are refused before a channel is called", async (_, body, said) => {
    const { rows } = await gateway.settled();
    const reply = await post("/v1/images/edits", body);
    expect(reply.status).toBe(400);
    expect(reply.body.error).toMatchObject({
      type: "invalid_request_error",
      message: expect.stringContaining(said),
    });
    expect((await gateway.settled()).rows).toBe(rows);
  });

  test.each([
    ["multipart/form-data; boundary=x", 51, "50 MiB"],
    ["application/json", 33, "32 MiB"],
  ])(
    "in a body of type %s and %i MiB are refused before they are sent",
    async (type, mebibytes, limit) => {
      const connection = await rawConnection(gateway.url);
      const headers = ["host: gateway", `authorization: Bearer ${key}`, `content-type: ${type}`];
      const length = `content-length: ${mebibytes * 1024 * 1024}`;
      connection.socket.write(
        ["POST /v1/images/edits HTTP/1.1", ...headers, length, "", ""].join("\r\n"),
      );
      const answer = await connection.until((text) => text.includes("request id"));
      expect(answer).toMatch(/^HTTP\/1\.1 413 /);
      expect(answer).toContain(limit);
      connection.socket.destroy();
    },
  );
});

test("a picture that the balance does not cover is not drawn", async () => {
  const gateway = await startTestGateway({ balance: 19_999 });
  await gateway.given.channel({ key: "sim-ok", models: "dall-e-2", model_configs: configs });
  const { key } = await gateway.given.token();
  const client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: key, maxRetries: 0 });
  const failure = await client.images.generate({ prompt }).catch((error: unknown) => error);
  expect(failure).toMatchObject({ status: 403, code: "insufficient_user_quota" });
  await gateway.close();
});
