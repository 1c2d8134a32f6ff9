// Answers without usage: streams and whole answers of the same text cost the same, counted by the
// tokenizer.
import { sampleText } from "@tollgate/gateway/relay/counting/text-sample.ts";
import { countTokens } from "@tollgate/gateway/relay/counting/tokenizer.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readReply } from "../harness/api-session.ts";
import { question, startTestGateway, type TestGateway } from "../harness/test-gateway.ts";
import {
  type CannedProvider,
  event,
  startCannedProvider,
  streamed,
  whole,
} from "./canned-provider.ts";
import { disconnectWhen } from "./raw-clients.ts";

let gateway: TestGateway;
let upstream: CannedProvider;
let key: string;
beforeAll(async () => {
  upstream = await startCannedProvider();
  gateway = await startTestGateway({ upstreams: [upstream.url] });
  const channel = (type: number, models: string) =>
    gateway.given.channel({ type, key: "upstream-key", base_url: upstream.url, models });
  await channel(1, "gpt-4o,gpt-4");
  await channel(14, "claude-opus-4-5");
  await channel(24, "gemini-2.5-pro");
  key = (await gateway.given.token()).key;
});
afterAll(async () => {
  expect(await gateway.audit()).toBe("The books agree.");
  await gateway.close();
  await upstream.close();
});

const post = (path: string, body: object): Promise<Response> =>
  fetch(gateway.url + path, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
const named = (data: { type: string; [more: string]: unknown }): string =>
  `event: ${data.type}\n${event(data)}`;

const thought = "Let me see: Ĝi estas bela.";
const pieces = ['He said "ja', 'wohl"', ",\n", "schön 雪", "🌊 and 4", "2 more."];
const answerText = pieces.join("");
const messages = [{ role: "user", content: question }];

interface EstimatedFormat {
  path: string;
  streamPath?: string;
  model: string;
  body: object;
  whole: object;
  stream: string[];
}

const interfaces: Record<string, EstimatedFormat> = {
  "chat completions": {
    path: "/v1/chat/completions",
    model: "gpt-4o",
    body: { messages },
    whole: {
      choices: [
        {
          index: 0,
          message: { role: "assistant", reasoning_content: thought, content: answerText },
          finish_reason: "stop",
        },
      ],
    },
    stream: [
      ...[{ reasoning_content: thought }, ...pieces.map((content) => ({ content }))].map((delta) =>
        event({ choices: [{ index: 0, delta }] }),
      ),
      event({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] }),
      event("[DONE]"),
    ],
  },
  Responses: {
    path: "/v1/responses",
    model: "gpt-4o",
    body: { input: question },
    whole: {
      object: "response",
      status: "completed",
      output: [
        { type: "reasoning", summary: [{ type: "summary_text", text: thought }] },
        {
          type: "message",
          role: "assistant",
          content: [{ type: "output_text", text: answerText }],
        },
      ],
    },
    stream: [
      named({ type: "response.reasoning_summary_text.delta", delta: thought }),
      ...pieces.map((delta) => named({ type: "response.output_text.delta", delta })),
      named({
        type: "response.completed",
        response: { object: "response", status: "completed", output: [] },
      }),
    ],
  },
  Messages: {
    path: "/v1/messages",
    model: "claude-opus-4-5",
    body: { messages, max_tokens: 100 },
    whole: {
      type: "message",
      role: "assistant",
      content: [
        { type: "thinking", thinking: thought, signature: "c2ln" },
        { type: "text", text: answerText },
      ],
    },
    stream: [
      named({
        type: "message_start",
        message: { type: "message", role: "assistant", content: [] },
      }),
      named({
        type: "content_block_delta",
        index: 0,
        delta: { type: "thinking_delta", thinking: thought },
      }),
      ...pieces.map((text) =>
        named({ type: "content_block_delta", index: 1, delta: { type: "text_delta", text } }),
      ),
      named({ type: "message_delta", delta: { stop_reason: "end_turn" } }),
      named({ type: "message_stop" }),
    ],
  },
  Gemini: {
    path: "/v1beta/models/gemini-2.5-pro:generateContent",
    streamPath: "/v1beta/models/gemini-2.5-pro:streamGenerateContent?alt=sse",
    model: "gemini-2.5-pro",
    body: { contents: [{ role: "user", parts: [{ text: question }] }] },
    whole: {
      candidates: [
        {
          content: { parts: [{ text: thought, thought: true }, { text: answerText }] },
          finishReason: "STOP",
        },
      ],
    },
    stream: [
      event({ candidates: [{ content: { parts: [{ text: thought, thought: true }] } }] }),
      ...pieces.map((text) => event({ candidates: [{ content: { parts: [{ text }] } }] })),
      event({ candidates: [{ content: { parts: [{ text: "" }] }, finishReason: "STOP" }] }),
    ],
  },
};

describe.each(Object.entries(interfaces))("%s without usage", (_, asked) => {
  test("costs the same whole and streamed", async () => {
    const { path, streamPath = path, model, body } = asked;
    upstream.answer = whole(asked.whole);
    expect((await post(path, { model, ...body })).status).toBe(200);
    const log = await gateway.lastLog();
    expect(log).toMatchObject({
      outcome: "success",
      prompt_tokens: 4 + (await countTokens(sampleText(question), "o200k_base")),
      completion_tokens: await countTokens(sampleText(thought + answerText), "o200k_base"),
      content: "usage estimated: the provider gave none that can be used; counted with o200k_base",
    });

    upstream.answer = streamed(asked.stream.join(""));
    await (await post(streamPath, { model, ...body, stream: true })).text();
    const { prompt_tokens, completion_tokens, content, quota } = log;
    expect(await gateway.lastLog()).toMatchObject({
      outcome: "success",
      is_stream: 1,
      prompt_tokens,
      completion_tokens,
      content,
      quota,
    });
  });
});

const chunk = (content: string): string => event({ choices: [{ index: 0, delta: { content } }] });

test("an older model is counted as OpenAI counts for it", async () => {
  const japanese = "お誕生日おめでとう";
  upstream.answer = whole({
    choices: [{ index: 0, message: { role: "assistant", content: japanese } }],
  });
  for (const [model, completion_tokens] of [
    ["gpt-4", 9],
    ["gpt-4o", 8],
  ] as const) {
    await (await post("/v1/chat/completions", { model, messages })).text();
    expect(await gateway.lastLog()).toMatchObject({ completion_tokens });
  }
});

test("of an answer whose client disconnected, what was delivered is counted", async () => {
  upstream.answer = async (response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(chunk(answerText));
    await new Promise((resolve) => response.once("close", resolve));
  };
  await disconnectWhen(gateway, key, (read) => read.includes("more."), { model: "gpt-4o" });
  expect(await gateway.lastLog()).toMatchObject({
    outcome: "client_left",
    completion_tokens: await countTokens(sampleText(answerText), "o200k_base"),
    content: expect.stringContaining("counted with o200k_base"),
  });
});

test("of a long answer a sample is counted, the same whole and streamed", async () => {
  const long = Array.from({ length: 20_000 }, (_, place) => `${pieces[place % pieces.length]}`);
  upstream.answer = whole({
    choices: [{ index: 0, message: { role: "assistant", content: long.join("") } }],
  });
  await (await post("/v1/chat/completions", { model: "gpt-4o", messages })).text();
  const { completion_tokens, content } = await gateway.lastLog();
  expect(content).toContain("counted with o200k_base, by a sample");
  const exact = await countTokens(
    { parts: [long.join("")], length: long.join("").length },
    "o200k_base",
  );
  expect(Math.abs(completion_tokens - exact) / exact).toBeLessThan(0.03);
  upstream.answer = streamed(`${long.map(chunk).join("")}${event("[DONE]")}`);
  await (await post("/v1/chat/completions", { model: "gpt-4o", messages, stream: true })).text();
  expect(await gateway.lastLog()).toMatchObject({ completion_tokens, content });
});

test("the length of a prompt is counted where the provider does not say it", async () => {
  const { body } = await readReply(
    await post("/v1/messages/count_tokens", { model: "gpt-4o", messages }),
  );
  expect(body).toEqual({
    input_tokens: 4 + (await countTokens(sampleText(question), "o200k_base")),
  });
});

test("the operator may have it roughly: nothing is counted then", async () => {
  const set = (value: string) =>
    gateway.api("PUT", "/api/option/", { key: "ApproximateTokenEnabled", value });
  await set("true");
  try {
    upstream.answer = whole({
      choices: [{ index: 0, message: { role: "assistant", content: answerText } }],
    });
    await (await post("/v1/chat/completions", { model: "gpt-4o", messages })).text();
    expect(await gateway.lastLog()).toMatchObject({
      completion_tokens: Math.ceil(Buffer.byteLength(answerText) / 4),
      content: "usage estimated: the provider gave none that can be used",
    });
  } finally {
    await set("false");
  }
});
