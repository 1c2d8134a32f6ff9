// OpenAI's other interfaces, called by its own library and answered by a channel that speaks them.
import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readReply } from "../harness/api-session.ts";
import { startTestGateway, type TestGateway } from "../harness/test-gateway.ts";
import {
  type CannedProvider,
  event,
  startCannedProvider,
  streamed,
  whole,
} from "./canned-provider.ts";

const model = "upstream-model";
const asked = "asked-model";
let gateway: TestGateway;
let upstream: CannedProvider;
let client: OpenAI;
let key: string;
beforeAll(async () => {
  upstream = await startCannedProvider();
  gateway = await startTestGateway({ upstreams: [upstream.url] });
  await gateway.given.channel({
    key: "upstream-key",
    base_url: upstream.url,
    models: asked,
    model_mapping: JSON.stringify({ [asked]: model }),
  });
  key = (await gateway.given.token()).key;
  client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: key, maxRetries: 0 });
});
afterAll(async () => {
  expect(await gateway.audit()).toBe("The books agree.");
  await gateway.close();
  await upstream.close();
});

const usage = { input_tokens: 10, output_tokens: 3, total_tokens: 13 };
const response = (more: object = {}) => ({
  id: "resp_1",
  object: "response",
  created_at: 1,
  model,
  status: "completed",
  output: [
    {
      id: "m",
      type: "message",
      role: "assistant",
      content: [{ type: "output_text", text: "one two three" }],
    },
  ],
  usage,
  ...more,
});
const named = (data: { type: string; [more: string]: unknown }) =>
  `event: ${data.type}\n${event(data)}`;

test("embeddings cost their prompt", async () => {
  upstream.answer = whole({
    object: "list",
    model,
    data: [0, 1].map((index) => ({ object: "embedding", index, embedding: [0.25, -0.5] })),
    usage: { prompt_tokens: 7, total_tokens: 7 },
  });
  const answer = await client.embeddings.create({
    model: asked,
    input: ["a", "b"],
    encoding_format: "float",
  });
  expect(answer).toMatchObject({ model: asked, data: [{ embedding: [0.25, -0.5] }, { index: 1 }] });
  expect(upstream.bodies.at(-1)).toEqual({ model, input: ["a", "b"], encoding_format: "float" });
  expect(await gateway.lastLog()).toMatchObject({
    quota: 7,
    prompt_tokens: 7,
    completion_tokens: 0,
  });
});

test("Gemini's embeddings cost their prompt, whatever model the texts name", async () => {
  await gateway.given.channel({
    type: 24,
    key: "google-key",
    base_url: upstream.url,
    models: "embedding",
    model_mapping: JSON.stringify({ embedding: model }),
  });
  upstream.answer = whole({
    embeddings: [{ values: [0.25] }],
    usageMetadata: { promptTokenCount: 7 },
  });
  const content = { parts: [{ text: "one two" }] };
  const response = await fetch(`${gateway.url}/v1beta/models/embedding:batchEmbedContents`, {
    method: "POST",
    headers: { "x-goog-api-key": key },
    body: JSON.stringify({ requests: [{ model: "models/dearer", content }] }),
  });
  expect(await response.json()).toMatchObject({ embeddings: [{ values: [0.25] }] });
  expect(upstream.bodies.at(-1)).toEqual({ requests: [{ model: `models/${model}`, content }] });
  expect(await gateway.lastLog()).toMatchObject({
    quota: 7,
    prompt_tokens: 7,
    completion_tokens: 0,
  });
});

test("embeddings of Gemini's models are read by OpenAI's library, which asks for bytes", async () => {
  upstream.answer = whole({ embeddings: [{ values: [0.25, -0.5] }] });
  const answer = await client.embeddings.create({ model: "embedding", input: ["one two"] });
  expect(answer.data[0]?.embedding).toEqual([0.25, -0.5]);
  const { prompt_tokens } = answer.usage;
  expect(await gateway.lastLog()).toMatchObject({
    quota: prompt_tokens,
    prompt_tokens,
    completion_tokens: 0,
  });
});

describe("the length of a prompt for Gemini", () => {
  const contents = [{ role: "user", parts: [{ text: "one two three" }] }];
  const count = async (name: string, body: object) => {
    const response = await fetch(`${gateway.url}/v1beta/models/${name}:countTokens`, {
      method: "POST",
      headers: { "x-goog-api-key": key },
      body: JSON.stringify(body),
    });
    return await readReply(response);
  };

  test("is fetched from a provider that counts it, and costs nothing", async () => {
    upstream.answer = whole({ totalTokens: 42 });
    const before = await gateway.settled();
    expect((await count("embedding", { contents })).body).toEqual({ totalTokens: 42 });
    expect(upstream.bodies.at(-1)).toEqual({ contents });
    const generateContentRequest = { model: "models/dearer", contents };
    expect((await count("embedding", { generateContentRequest })).body).toEqual({
      totalTokens: 42,
    });
    expect(upstream.bodies.at(-1)).toEqual({
      generateContentRequest: { model: `models/${model}`, contents },
    });
    expect(await gateway.settled()).toEqual(before);
  });

  test("is estimated elsewhere, and a request without a prompt is refused in Google's error format", async () => {
    expect((await count(asked, { contents })).body).toEqual({ totalTokens: expect.any(Number) });
    expect(await count(asked, {})).toMatchObject({
      status: 400,
      body: { error: { status: "INVALID_ARGUMENT" } },
    });
  });
});

test("moderations go through, and what they leave unsaid is estimated", async () => {
  upstream.answer = whole({ id: "modr", model, results: [{ flagged: false }] });
  const answer = await client.moderations.create({ model: asked, input: "a kind word" });
  expect(answer.results).toMatchObject([{ flagged: false }]);
  expect(await gateway.lastLog()).toMatchObject({
    outcome: "success",
    content: expect.stringContaining("estimated"),
  });
});

test("text completions are answered and streamed", async () => {
  upstream.answer = whole({
    id: "c",
    object: "text_completion",
    model,
    choices: [{ index: 0, text: "one two" }],
    usage: { prompt_tokens: 4, completion_tokens: 2 },
  });
  const answer = await client.completions.create({ model: asked, prompt: "count" });
  expect(answer).toMatchObject({ model: asked, choices: [{ text: "one two" }] });
  expect(await gateway.lastLog()).toMatchObject({ quota: 4 + 2 * 4 });

  const part = (text: string) =>
    event({ id: "c", object: "text_completion", model, choices: [{ index: 0, text }] });
  const end = event({
    id: "c",
    model,
    choices: [],
    usage: { prompt_tokens: 4, completion_tokens: 2 },
  });
  upstream.answer = streamed(part("one "), part("two"), end, "data: [DONE]\n\n");
  let text = "";
  for await (const chunk of await client.completions.create({
    model: asked,
    prompt: "count",
    stream: true,
  })) {
    text += chunk.choices[0]?.text ?? "";
    expect(chunk.model).toBe(asked);
  }
  expect(text).toBe("one two");
  expect(await gateway.lastLog()).toMatchObject({
    quota: 4 + 2 * 4,
    outcome: "success",
    is_stream: 1,
  });
});

test("responses are answered, with the model under its requested name", async () => {
  upstream.answer = whole(response());
  const answer = await client.responses.create({ model: asked, input: "count to three" });
  expect(answer).toMatchObject({ model: asked, output_text: "one two three" });
  expect(await gateway.lastLog()).toMatchObject({
    quota: 10 + 3 * 4,
    prompt_tokens: 10,
    completion_tokens: 3,
  });
});

test("responses stream, and their last event carries the usage", async () => {
  const delta = (text: string) =>
    named({
      type: "response.output_text.delta",
      item_id: "m",
      output_index: 0,
      content_index: 0,
      delta: text,
    });
  upstream.answer = streamed(
    named({
      type: "response.created",
      response: response({ status: "in_progress", output: [], usage: null }),
    }),
    delta("one "),
    delta("two three"),
    named({ type: "response.completed", response: response() }),
  );
  const texts: string[] = [];
  const models: string[] = [];
  for await (const part of await client.responses.create({
    model: asked,
    input: "count",
    stream: true,
  })) {
    if (part.type === "response.output_text.delta") texts.push(part.delta);
    if (part.type === "response.created" || part.type === "response.completed")
      models.push(part.response.model);
  }
  expect(texts).toEqual(["one ", "two three"]);
  expect(models).toEqual([asked, asked]);
  expect(await gateway.lastLog()).toMatchObject({
    quota: 10 + 3 * 4,
    outcome: "success",
    is_stream: 1,
  });
});

test("a response that breaks off ends with an error event of its format, and what was relayed is charged", async () => {
  upstream.answer = streamed(named({ type: "response.output_text.delta", delta: "one two three" }));
  const stream = await client.responses.create({ model: asked, input: "count", stream: true });
  const read = async () => {
    for await (const part of stream) expect(part.type).toBe("response.output_text.delta");
  };
  await expect(read()).rejects.toThrow(/cut the stream/);
  const log = await gateway.lastLog();
  expect(log).toMatchObject({ outcome: "cut" });
  expect(log.quota).toBeGreaterThan(0);
});

test.each([
  ["/v1/embeddings", { model: asked }, "input"],
  ["/v1/responses", { model: asked, input: "x", background: true }, "background"],
  ["/v1/rerank", { model: asked, query: "x" }, "documents"],
  ["/v1/completions", { model: asked, prompt: 7 }, "prompt"],
])("the error of %s names the wrong member", async (path, body, member) => {
  const calls = upstream.bodies.length;
  const reply = await readReply(
    await fetch(gateway.url + path, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    }),
  );
  expect(reply.status).toBe(400);
  expect(reply.body).toMatchObject({
    error: { param: member, message: expect.stringContaining(member) },
  });
  expect(upstream.bodies).toHaveLength(calls);
});
