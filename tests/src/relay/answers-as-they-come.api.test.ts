// Providers answer otherwise than they were asked: whole where a stream was wanted, compressed,
// with nothing in it, or broken off.
import { deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ScriptedProvider, startScriptedProvider } from "../conformance/scripted-provider.ts";
import type { FixtureReply } from "../conformance/wire-fixtures.ts";
import { startTestGateway, type TestGateway } from "../harness/test-gateway.ts";

let provider: ScriptedProvider;
let gateway: TestGateway;
let key: string;

beforeAll(async () => {
  provider = await startScriptedProvider();
  gateway = await startTestGateway({ upstreams: [provider.url] });
  for (const priority of [2, 1])
    await gateway.given.channel({
      type: 50,
      key: "k",
      base_url: provider.url,
      models: "m,n,o",
      priority,
    });
  await gateway.given.channel({ type: 24, key: "k", base_url: provider.url, models: "gemini-m" });
  ({ key } = await gateway.given.token());
});
afterAll(async () => {
  await gateway.close();
  await provider.close();
});

const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
const whole = {
  id: "c",
  object: "chat.completion",
  choices: [{ index: 0, message: { role: "assistant", content: "hello" }, finish_reason: "stop" }],
  usage,
};
const chunk = (delta: object, finish_reason: string | null = null): string =>
  `data: ${JSON.stringify({ id: "c", choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
const events = `${chunk({ content: "hello" })}${chunk({}, "stop")}data: ${JSON.stringify({ choices: [], usage })}\n\ndata: [DONE]\n\n`;
const reply = (body: string | Buffer, headers: Record<string, string> = {}): FixtureReply => ({
  status: 200,
  headers: { "content-type": "application/json", ...headers },
  bytes: Buffer.from(body),
});
const answered = reply(JSON.stringify(whole));
const ask = async (path: string, body: object): Promise<{ status: number; text: string }> => {
  const response = await fetch(`${gateway.url}${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  return { status: response.status, text: await response.text() };
};
const messages = [{ role: "user", content: "hi" }];
const chat = (more: object = {}) => ask("/v1/chat/completions", { model: "m", messages, ...more });
const claude = (more: object = {}) =>
  ask("/v1/messages", { model: "m", max_tokens: 9, messages, ...more });

describe("in another form than was asked for", () => {
  test("a whole answer becomes the stream that the client wants, and is charged as counted", async () => {
    provider.play(answered, answered);
    const own = await chat({ stream: true });
    expect(own.text).toContain('"content":"hello"');
    expect(own.text.trimEnd().endsWith("data: [DONE]")).toBe(true);
    const translated = await claude({ stream: true });
    expect(translated.text).toContain("event: message_stop");
    expect(translated.text).toContain("hello");
    await gateway.settled();
    expect(await gateway.lastLog()).toMatchObject({
      prompt_tokens: 10,
      completion_tokens: 5,
      outcome: "success",
    });
  });

  test("a whole answer that is called a stream becomes one, too, and its error is an error", async () => {
    const asStream = { "content-type": "text/event-stream" };
    provider.play(reply(JSON.stringify(whole), asStream), reply(JSON.stringify(whole), asStream));
    const own = await chat({ stream: true });
    expect(own.text).toContain('"content":"hello"');
    expect(own.text.trimEnd().endsWith("data: [DONE]")).toBe(true);
    expect((await claude({ stream: true })).text).toContain("event: message_stop");
    await gateway.settled();
    expect(await gateway.lastLog()).toMatchObject({ completion_tokens: 5, outcome: "success" });
    const error = { message: "bad words", type: "invalid_request_error" };
    provider.play(reply(JSON.stringify({ error }), asStream));
    const failed = await chat({ stream: true });
    expect([failed.status, failed.text]).toEqual([
      expect.toSatisfy((status) => status >= 400),
      expect.stringContaining("error"),
    ]);
  });

  test.each(["text/plain; charset=utf-8", "application/json", ""])(
    "a stream that is called %j is a stream",
    async (type) => {
      provider.play(reply(events, { "content-type": type }));
      expect(await chat({ stream: true })).toMatchObject({
        status: 200,
        text: expect.stringContaining('"hello"'),
      });
    },
  );

  test("a stream that was not asked for becomes a whole answer", async () => {
    provider.play(reply(events, { "content-type": "text/event-stream" }));
    const { status, text } = await chat();
    expect(status).toBe(200);
    expect(JSON.parse(text)).toMatchObject({
      choices: [{ message: { content: "hello" }, finish_reason: "stop" }],
      usage,
    });
    provider.play(reply(events, { "content-type": "text/event-stream" }));
    expect(JSON.parse((await claude()).text)).toMatchObject({
      content: [{ type: "text", text: "hello" }],
    });
  });

  test("a JSON list of events is a stream to those who want one, and one answer to the others", async () => {
    const part = (text: string, more: object = {}) => ({
      candidates: [{ index: 0, content: { role: "model", parts: [{ text }] }, ...more }],
      usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 },
    });
    const list = reply(JSON.stringify([part("hel"), part("lo", { finishReason: "STOP" })]));
    const asked = { model: "gemini-m", messages };
    provider.play(list, list, list);
    const streamed = await ask("/v1beta/models/gemini-m:streamGenerateContent?alt=sse", {
      contents: [{ role: "user", parts: [{ text: "hi" }] }],
    });
    expect(streamed).toMatchObject({ status: 200, text: expect.stringContaining('"hel"') });
    expect((await ask("/v1/chat/completions", { ...asked, stream: true })).text).toContain(
      "[DONE]",
    );
    expect(JSON.parse((await ask("/v1/chat/completions", asked)).text)).toMatchObject({
      choices: [{ message: { content: "hello" }, finish_reason: "stop" }],
    });
    await gateway.settled();
    expect(await gateway.lastLog()).toMatchObject({
      prompt_tokens: 10,
      completion_tokens: 5,
      outcome: "success",
    });
    const failed = reply(
      JSON.stringify([
        { error: { code: 429, message: "slow down", status: "RESOURCE_EXHAUSTED" } },
      ]),
    );
    provider.play(failed);
    expect((await ask("/v1/chat/completions", asked)).status).toBeGreaterThanOrEqual(429);
  });
});

describe("compressed, although nothing of the kind was asked for", () => {
  test("an answer and a stream reach the client readable", async () => {
    const packed = { "content-encoding": "gzip" };
    provider.play(
      reply(gzipSync(JSON.stringify(whole)), packed),
      reply(gzipSync(events), { ...packed, "content-type": "text/event-stream" }),
    );
    expect(JSON.parse((await chat()).text)).toMatchObject({
      choices: [{ message: { content: "hello" } }],
    });
    expect((await chat({ stream: true })).text).toContain('"hello"');
    expect(provider.requests.at(-1)?.headers["accept-encoding"]).toBe("identity");
  });

  test("deflate with zlib's header and without it", async () => {
    const packed = { "content-encoding": "deflate" };
    for (const pack of [deflateSync, deflateRawSync]) {
      provider.play(reply(pack(JSON.stringify(whole)), packed));
      expect(JSON.parse((await chat()).text)).toMatchObject({
        choices: [{ message: { content: "hello" } }],
      });
    }
  });

  test("without a word about it", async () => {
    provider.play(
      reply(gzipSync(JSON.stringify(whole)), { "content-type": "application/json" }),
      reply(gzipSync(events), { "content-type": "text/event-stream" }),
    );
    expect(JSON.parse((await chat()).text)).toMatchObject({
      choices: [{ message: { content: "hello" } }],
    });
    expect((await chat({ stream: true })).text).toContain('"hello"');
  });

  test("an encoding that the gateway does not read goes to the next channel", async () => {
    provider.play(reply("xx", { "content-encoding": "compress" }), answered);
    expect(await chat()).toMatchObject({ status: 200 });
    expect(provider.requests).toHaveLength(2);
  });
});

describe("without an answer", () => {
  test.each([
    ["no choice", {}, reply(JSON.stringify({ ...whole, choices: [] }))],
    [
      "the end of a stream alone",
      { stream: true },
      reply("data: [DONE]\n\n", { "content-type": "text/event-stream" }),
    ],
    [
      "a stream of a count alone",
      { stream: true },
      reply(`data: ${JSON.stringify({ choices: [], usage })}\n\ndata: [DONE]\n\n`, {
        "content-type": "text/event-stream",
      }),
    ],
    [
      "a choice that broke off",
      {},
      reply(
        JSON.stringify({
          ...whole,
          choices: [{ index: 0, message: { content: "" }, finish_reason: "network_error" }],
        }),
      ),
    ],
    [
      "an error with a good status",
      {},
      reply(JSON.stringify({ base_resp: { status_code: 1002, status_msg: "rate limit" } })),
    ],
  ])("%s goes to the next channel and costs nothing", async (_, more, odd) => {
    provider.play(odd, answered);
    expect(await chat(more)).toMatchObject({ status: 200, text: expect.stringContaining("hello") });
    expect(provider.requests).toHaveLength(2);
    const before = await gateway.settled();
    provider.play(odd, odd);
    const { status } = await chat(more);
    expect(status).toBeGreaterThanOrEqual(429);
    expect((await gateway.settled()).balance).toBe(before.balance);
  });

  test("an answer that breaks off after its first words ends with the client's own error", async () => {
    const begun = chunk({ content: "half an" });
    const answer = reply(begun + chunk({}, "insufficient_system_resource"), {
      "content-type": "text/event-stream",
    });
    const { promise: resume, resolve: goOn } = Promise.withResolvers<void>();
    provider.play({ answer, pauseAfter: Buffer.byteLength(begun), resume });
    // A model whose channels have not failed yet.
    const response = await fetch(`${gateway.url}/v1/messages`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "o", max_tokens: 9, messages, stream: true }),
    });
    let text = "";
    for await (const part of response.body ?? []) {
      text += Buffer.from(part).toString();
      if (text.includes("half an")) goOn();
    }
    expect(text).toContain("event: error");
    expect(text).not.toContain('"stop_reason":"end_turn"');
  });

  test("a call of Gemini that broke off is no finished answer for clients of another API", async () => {
    const candidates = [{ content: {}, finishReason: "MALFORMED_FUNCTION_CALL", index: 0 }];
    provider.play(reply(JSON.stringify({ candidates })));
    expect((await ask("/v1/chat/completions", { model: "gemini-m", messages })).status).toBe(502);
    provider.play(reply(JSON.stringify({ candidates: [] })));
    expect((await ask("/v1/chat/completions", { model: "gemini-m", messages })).status).toBe(502);
    provider.play(reply(JSON.stringify({ candidates })));
    const own = await ask("/v1beta/models/gemini-m:generateContent", {
      contents: [{ parts: [{ text: "hi" }] }],
    });
    expect(own).toMatchObject({
      status: 200,
      text: expect.stringContaining("MALFORMED_FUNCTION_CALL"),
    });
  });
});

describe("what a call costs, in its usage", () => {
  const gemini = reply(
    JSON.stringify({
      candidates: [
        { index: 0, content: { role: "model", parts: [{ text: "hello" }] }, finishReason: "STOP" },
      ],
      usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 },
    }),
  );
  const streamed = reply(events, { "content-type": "text/event-stream" });
  const spaced = reply(events.replace('"usage":', '"usage": '), {
    "content-type": "text/event-stream",
  });
  const asksUsage = { usage: { include: true } };
  const asksCost = { stream: true, stream_options: { include_cost: true } };

  test.each([
    ["whole", "m", asksUsage, answered],
    ["streamed", "m", { ...asksUsage, stream: true }, streamed],
    ["streamed, in LiteLLM's words", "m", asksCost, streamed],
    ["whole, from Gemini", "gemini-m", asksUsage, gemini],
    ["streamed, from Gemini", "gemini-m", asksCost, gemini],
    ["streamed of a whole answer", "m", asksCost, answered],
    ["streamed, with spaces in its JSON", "m", asksCost, spaced],
  ])("is told %s, and no provider is asked", async (_, model, asked, answer) => {
    provider.play(answer);
    const { text } = await chat({ model, ...asked });
    const usages = text
      .split("\n\n")
      .map((event) => event.replace(/^data: /, ""))
      .filter((data) => data.startsWith("{"))
      .flatMap((data) => (JSON.parse(data) as { usage?: { cost?: number } }).usage ?? []);
    await gateway.settled();
    const { quota } = await gateway.lastLog();
    expect(quota).toBeGreaterThan(0);
    expect(usages).toEqual([
      expect.objectContaining({ prompt_tokens: 10, cost: (quota * 2) / 1_000_000 }),
    ]);
    const sent = provider.requests.at(-1)?.body as { usage?: object; stream_options?: object };
    expect([sent.usage, sent.stream_options]).not.toContainEqual(
      expect.objectContaining({ include_cost: true }),
    );
    expect(sent.usage).toBeUndefined();
  });

  test("is told nobody who does not ask", async () => {
    provider.play(streamed);
    const { text } = await chat({
      stream: true,
      stream_options: { include_usage: true },
      usage: { include: false },
    });
    expect(text).toContain('"prompt_tokens":10');
    expect(text).not.toContain('"cost"');
  });
});
