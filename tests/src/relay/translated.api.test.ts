// One library, another provider: the client cannot tell the difference.
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  defaultCharge,
  question,
  startTestGateway,
  type TestGateway,
} from "../harness/test-gateway.ts";
import {
  expectAnswer,
  expectStream,
  expectToolCalls,
  messages,
  toolSchema,
  useTool,
  words,
} from "./translated-chat.ts";

const anthropicType = 14;

let gateway: TestGateway;
let openai: OpenAI;
let anthropic: Anthropic;
beforeAll(async () => {
  gateway = await startTestGateway();
  const claude = (key: string, models: string) =>
    gateway.given.channel({ type: anthropicType, key, models });
  await claude("sim-ok", "claude");
  await claude("sim-cached-4", "claude-cached");
  await claude("sim-cut-3+pace-60", "claude-cut");
  await claude("sim-fail-400", "claude-refuses");
  await gateway.given.channel({ key: "sim-as-gpt", models: "gpt" });
  await gateway.given.channel({ key: "sim-as-cached+cached-4", models: "gpt-cached" });
  await gateway.given.channel({ key: "sim-as-cut+cut-3+pace-60", models: "gpt-cut" });
  await gateway.given.channel({ key: "sim-as-refuses+fail-400", models: "gpt-refuses" });
  // The same model at two kinds of provider: the first of them is down.
  await gateway.given.channel({
    type: anthropicType,
    key: "sim-as-down+fail-503",
    models: "either",
    priority: 5,
  });
  await gateway.given.channel({ key: "sim-as-up", models: "either" });
  const { key } = await gateway.given.token();
  openai = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: key, maxRetries: 0 });
  anthropic = new Anthropic({ baseURL: gateway.url, apiKey: key, maxRetries: 0 });
});
afterAll(async () => {
  expect(await gateway.audit()).toBe("The books agree.");
  await gateway.close();
});
const refused = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  );

describe("chat completions from Anthropic's models", () => {
  const chat = () => ({ gateway, openai, model: "claude" });
  test("are answered", () => expectAnswer(chat()));
  test("stream, with usage for those who ask for it alone", () => expectStream(chat()));
  test("call tools, streamed and not, and take their results", () => expectToolCalls(chat()));

  test("count what came from the cache", async () => {
    const answer = await openai.chat.completions.create({ model: "claude-cached", messages });
    expect(answer.usage).toMatchObject({
      prompt_tokens: 6,
      prompt_tokens_details: { cached_tokens: 4 },
    });
    expect(await gateway.lastLog()).toMatchObject({ prompt_tokens: 6, cached_prompt_tokens: 4 });
  });

  test("that break off end with OpenAI's error event", async () => {
    const stream = await openai.chat.completions.create({
      model: "claude-cut",
      messages,
      stream: true,
    });
    const read = async () => {
      for await (const _ of stream);
    };
    await expect(read()).rejects.toThrow(/cut the stream/);
    expect(await gateway.lastLog()).toMatchObject({ outcome: "cut" });
    expect(
      await refused(openai.chat.completions.create({ model: "claude-refuses", messages })),
    ).toMatchObject({
      status: 400,
      type: "invalid_request_error",
    });
  });
});

describe("messages from models that speak chat completions", () => {
  test("are answered", async () => {
    const answer = await anthropic.messages.create({
      model: "gpt",
      max_tokens: 100,
      messages,
      system: [],
    });
    expect(answer).toMatchObject({
      model: "gpt",
      type: "message",
      content: [{ type: "text", text: words }],
      stop_reason: "end_turn",
      usage: { input_tokens: 6, output_tokens: 12 },
    });
    expect(await gateway.lastLog()).toMatchObject({ quota: defaultCharge, model_name: "gpt" });
  });

  test("stream in Anthropic's grammar", async () => {
    const kinds: string[] = [];
    const stream = anthropic.messages.stream({ model: "gpt", max_tokens: 100, messages });
    stream.on("streamEvent", ({ type }) => kinds.push(type));
    const final = await stream.finalMessage();
    expect(final).toMatchObject({
      content: [{ type: "text", text: words }],
      stop_reason: "end_turn",
    });
    expect(final.usage).toMatchObject({ input_tokens: 6, output_tokens: 12 });
    const deltas = Array.from({ length: 12 }, () => "content_block_delta");
    const [first, second, ...rest] = kinds;
    expect([first, second]).toEqual(["message_start", "content_block_start"]);
    expect(rest).toEqual([...deltas, "content_block_stop", "message_delta", "message_stop"]);
    expect(await gateway.lastLog()).toMatchObject({ quota: defaultCharge, outcome: "success" });
  });

  test("call tools, streamed and not, and take their results", async () => {
    const tools = [{ name: "weather", input_schema: toolSchema }];
    const asked = { model: "gpt", max_tokens: 100, messages: useTool, tools };
    const whole = await anthropic.messages.create(asked);
    const streamed = await anthropic.messages.stream(asked).finalMessage();
    for (const { content, stop_reason } of [whole, streamed]) {
      expect(stop_reason).toBe("tool_use");
      expect(content).toMatchObject([
        { type: "tool_use", name: "weather", input: { city: "amber" } },
      ]);
      const [call] = content;
      const id = call?.type === "tool_use" ? call.id : "";
      const after = await anthropic.messages.create({
        ...asked,
        messages: [
          ...useTool,
          { role: "assistant", content },
          { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: "sunny" }] },
        ],
      });
      expect(after.stop_reason).toBe("end_turn");
    }
  });

  test("count what came from the cache apart", async () => {
    const answer = await anthropic.messages.create({
      model: "gpt-cached",
      max_tokens: 100,
      messages,
    });
    expect(answer.usage).toMatchObject({
      input_tokens: 2,
      cache_read_input_tokens: 4,
      output_tokens: 12,
    });
  });

  test("that break off end with Anthropic's error event", async () => {
    const stream = anthropic.messages.stream({ model: "gpt-cut", max_tokens: 100, messages });
    await expect(stream.finalMessage()).rejects.toThrow(/cut the stream/);
    expect(await gateway.lastLog()).toMatchObject({ outcome: "cut" });
    expect(
      await refused(anthropic.messages.create({ model: "gpt-refuses", max_tokens: 1, messages })),
    ).toMatchObject({
      status: 400,
      error: { type: "error", error: { type: "invalid_request_error" } },
    });
  });
});

describe("a body at the wrong endpoint is served and answered in its own format:", () => {
  const send = async (path: string, body: object): Promise<unknown> => {
    const headers = {
      authorization: `Bearer ${openai.apiKey}`,
      "content-type": "application/json",
    };
    const reply = await fetch(gateway.url + path, {
      method: "POST",
      headers,
      body: JSON.stringify(body),
    });
    return await reply.json();
  };
  const asked = { model: "gpt", messages, max_tokens: 100 };

  test.each([
    [
      "messages as a chat",
      "/v1/chat/completions",
      { ...asked, system: "Be kind." },
      { type: "message" },
    ],
    [
      "a response as a chat",
      "/v1/chat/completions",
      { model: "claude", input: question },
      { object: "response" },
    ],
    [
      "a chat as messages",
      "/v1/messages",
      { ...asked, stream_options: {} },
      { object: "chat.completion" },
    ],
    ["a chat as a response", "/v1/responses", asked, { object: "chat.completion" }],
  ])("%s", async (_name, path, body, answer) => {
    expect(await send(path, body)).toMatchObject(answer);
    expect(await gateway.lastLog()).toMatchObject({ outcome: "success", completion_tokens: 12 });
  });

  test("its errors too", async () => {
    const body = { model: "nobody-has-it", messages, system: "Be kind." };
    expect(await send("/v1/chat/completions", body)).toMatchObject({
      type: "error",
      error: { type: "not_found_error" },
    });
  });
});

test("a failover crosses the kinds of provider, and is billed once", async () => {
  for (const ask of [
    () => openai.chat.completions.create({ model: "either", messages }),
    () => anthropic.messages.create({ model: "either", max_tokens: 100, messages }),
  ]) {
    const before = await gateway.settled();
    expect(await ask()).toMatchObject({ model: "either" });
    const after = await gateway.settled();
    expect(before.balance - after.balance).toBe(defaultCharge);
  }
});
