// Clients of other interfaces, with their usual libraries, over channels that speak Gemini's own.
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readReply } from "../harness/api-session.ts";
import {
  defaultCharge,
  question,
  readEvents,
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

const geminiType = 24;
const anthropicType = 14;

let gateway: TestGateway;
let key: string;
let openai: OpenAI;
let anthropic: Anthropic;
beforeAll(async () => {
  gateway = await startTestGateway();
  const gemini = (key: string, models: string, more: object = {}) =>
    gateway.given.channel({ type: geminiType, key, models, ...more });
  await gemini("sim-ok", "gemini");
  await gemini("sim-cached-4+reasoning-30", "thinking");
  await gemini("sim-cut-3+pace-60", "cut");
  await gemini("sim-fail-400", "refuses");
  // The same model at two kinds of provider: the first of them is down.
  await gemini("sim-as-down+fail-503", "either", { priority: 5 });
  await gateway.given.channel({ key: "sim-as-up", models: "either" });
  await gateway.given.channel({ key: "sim-as-gpt+cached-4", models: "gpt" });
  await gateway.given.channel({ key: "sim-as-gpt-cut+cut-3+pace-60", models: "gpt-cut" });
  await gateway.given.channel({ type: anthropicType, key: "sim-as-claude", models: "claude" });
  await gateway.given.channel({ key: "sim-as-down-too+fail-503", models: "or", priority: 5 });
  await gemini("sim-as-up-too", "or");
  key = (await gateway.given.token()).key;
  openai = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: key, maxRetries: 0 });
  anthropic = new Anthropic({ baseURL: gateway.url, apiKey: key, maxRetries: 0 });
});
afterAll(async () => {
  expect(await gateway.audit()).toBe("The books agree.");
  await gateway.close();
});

describe("chat completions from Gemini's models", () => {
  const chat = () => ({ gateway, openai, model: "gemini" });
  test("are answered", () => expectAnswer(chat()));
  test("stream, with usage for those who ask for it alone", () => expectStream(chat()));

  test("call tools, streamed and not, and take their results with the signature", () =>
    expectToolCalls(chat(), {
      callExtras: { extra_content: { google: { thought_signature: "c2lt" } } },
      async checkResultSent() {
        const { body } = (await gateway.simulator.calls()).at(-1) ?? {};
        expect(body).toMatchObject({
          contents: [
            { role: "user" },
            {
              parts: [
                {
                  functionCall: { name: "weather", args: { city: "amber" } },
                  thoughtSignature: "c2lt",
                },
              ],
            },
            { parts: [{ functionResponse: { name: "weather", response: { result: "sunny" } } }] },
          ],
        });
      },
    }));

  test("count what came from the cache, and thoughts", async () => {
    const answer = await openai.chat.completions.create({ model: "thinking", messages });
    expect(answer.usage).toMatchObject({
      prompt_tokens: 6,
      prompt_tokens_details: { cached_tokens: 4 },
      completion_tokens: 42,
      completion_tokens_details: { reasoning_tokens: 30 },
    });
    expect(await gateway.lastLog()).toMatchObject({
      prompt_tokens: 6,
      cached_prompt_tokens: 4,
      completion_tokens: 42,
    });
  });

  test("that break off end with OpenAI's error event, and what was relayed is charged", async () => {
    const stream = await openai.chat.completions.create({ model: "cut", messages, stream: true });
    const read = async () => {
      for await (const _ of stream);
    };
    await expect(read()).rejects.toThrow(/cut the stream/);
    expect(await gateway.lastLog()).toMatchObject({ outcome: "cut", quota: 6 + 4 * 3 });
    await expect(
      openai.chat.completions.create({ model: "refuses", messages }),
    ).rejects.toMatchObject({ status: 400 });
  });
});

describe("messages from Gemini's models", () => {
  test("are answered, streamed and not, at the same price", async () => {
    const asked = { model: "gemini", max_tokens: 100, messages };
    const whole = await anthropic.messages.create(asked);
    const streamed = await anthropic.messages.stream(asked).finalMessage();
    for (const answer of [whole, streamed]) {
      expect(answer).toMatchObject({
        model: "gemini",
        content: [{ type: "text", text: words }],
        stop_reason: "end_turn",
      });
      expect(answer.usage).toMatchObject({ input_tokens: 6, output_tokens: 12 });
    }
    expect(await gateway.lastLog()).toMatchObject({ quota: defaultCharge, outcome: "success" });
  });

  test("call tools, streamed and not, and take their results", async () => {
    const asked = {
      model: "gemini",
      max_tokens: 100,
      messages: useTool,
      tools: [{ name: "weather", input_schema: toolSchema }],
    };
    const whole = await anthropic.messages.create(asked);
    const streamed = await anthropic.messages.stream(asked).finalMessage();
    for (const { content, stop_reason } of [whole, streamed]) {
      expect(stop_reason).toBe("tool_use");
      const signed = {
        type: "thinking",
        thinking: "",
        signature: expect.stringMatching(/^gemini:/),
      };
      expect(content).toMatchObject([
        signed,
        { type: "tool_use", name: "weather", input: { city: "amber" } },
      ]);
      const [, call] = content;
      const tool_use_id = call?.type === "tool_use" ? call.id : "";
      const after = await anthropic.messages.create({
        ...asked,
        messages: [
          ...useTool,
          { role: "assistant", content },
          { role: "user", content: [{ type: "tool_result", tool_use_id, content: "sunny" }] },
        ],
      });
      expect(after.stop_reason).toBe("end_turn");
    }
  });

  test("that break off end with Anthropic's error event", async () => {
    const stream = anthropic.messages.stream({ model: "cut", max_tokens: 100, messages });
    await expect(stream.finalMessage()).rejects.toThrow(/cut the stream/);
    expect(await gateway.lastLog()).toMatchObject({ outcome: "cut", quota: 6 + 4 * 3 });
  });
});

test("responses from Gemini's models are answered", async () => {
  const answer = await openai.responses.create({ model: "gemini", input: question });
  expect(answer.output_text).toEqual(words);
  expect(await gateway.lastLog()).toMatchObject({ quota: defaultCharge });
});

test.each(["either", "or"])(
  "a model at two kinds of provider is answered by the one that is up: %s",
  async (model) => {
    const before = await gateway.settled();
    const answer = await openai.chat.completions.create({ model, messages });
    expect(answer.choices[0]?.message.content).toEqual(words);
    const after = await gateway.settled();
    expect(before.balance - after.balance).toBe(defaultCharge);
  },
);

describe("Gemini's interface before other providers", () => {
  const contents = [{ role: "user", parts: [{ text: question }] }];
  interface GeminiAnswer {
    candidates?: {
      content: { role: string; parts: { text?: string; functionCall?: object }[] };
      finishReason?: string;
    }[];
    error?: object;
  }
  const post = (operation: string, body: object) =>
    fetch(`${gateway.url}/v1beta/models/${operation}`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-goog-api-key": key },
      body: JSON.stringify(body),
    });
  const ask = async (model: string, body: object = { contents }) =>
    (await readReply(await post(`${model}:generateContent`, body))).body as GeminiAnswer;
  const stream = async (model: string, body: object = { contents }) => {
    const response = await post(`${model}:streamGenerateContent?alt=sse`, body);
    return readEvents(await response.text()).events.map(
      (event) => JSON.parse(event) as GeminiAnswer,
    );
  };
  const wordsOf = (answers: GeminiAnswer[]) =>
    answers
      .flatMap(
        ({ candidates }) => candidates?.[0]?.content.parts.map(({ text }) => text ?? "") ?? [],
      )
      .join("");

  test.each([
    ["gpt", 4],
    ["claude", 0],
  ])("is answered by %s, streamed and not, at the usual price", async (model, cached) => {
    const counted = { promptTokenCount: 6, candidatesTokenCount: 12, totalTokenCount: 18 };
    const usageMetadata = cached > 0 ? { ...counted, cachedContentTokenCount: cached } : counted;
    const whole = await ask(model);
    expect(whole).toMatchObject({
      candidates: [{ finishReason: "STOP" }],
      usageMetadata,
      modelVersion: model,
    });
    expect(wordsOf([whole])).toEqual(words);
    const events = await stream(model);
    expect(wordsOf(events)).toBe(wordsOf([whole]));
    expect(events.at(-1)).toMatchObject({ candidates: [{ finishReason: "STOP" }], usageMetadata });
    const list = (await (
      await post(`${model}:streamGenerateContent`, { contents })
    ).json()) as GeminiAnswer[];
    expect(wordsOf(list)).toBe(wordsOf([whole]));
    await gateway.settled();
    expect((await gateway.logs()).slice(-3)).toMatchObject(
      Array.from({ length: 3 }, () => ({
        prompt_tokens: 6,
        cached_prompt_tokens: cached,
        completion_tokens: 12,
      })),
    );
  });

  test.each(["gpt", "claude"])(
    "calls tools of %s, streamed and not, and takes their results",
    async (model) => {
      const parameters = { type: "OBJECT", properties: { city: { type: "STRING" } } };
      const asked = {
        contents: [{ role: "user", parts: [{ text: "Please use tool" }] }],
        tools: [{ functionDeclarations: [{ name: "weather", parameters }] }],
      };
      const whole = await ask(model, asked);
      const last = (await stream(model, asked)).at(-1);
      for (const answer of [whole, last]) {
        const message = answer?.candidates?.[0]?.content;
        expect(message?.parts).toMatchObject([
          { functionCall: { name: "weather", args: { city: "amber" } } },
        ]);
        const result = {
          role: "user",
          parts: [{ functionResponse: { name: "weather", response: { sky: "blue" } } }],
        };
        const after = await ask(model, {
          ...asked,
          contents: [...asked.contents, message, result],
        });
        expect(after.candidates).toMatchObject([{ finishReason: "STOP" }]);
      }
    },
  );

  test("ends a stream that broke off with Google's error event", async () => {
    const last = (await stream("gpt-cut")).at(-1);
    expect(last?.error).toMatchObject({
      code: 502,
      message: expect.stringContaining("cut the stream"),
    });
    expect(await gateway.lastLog()).toMatchObject({ outcome: "cut" });
  });

  test("does not reach embeddings without a channel for them", async () => {
    const reply = await readReply(
      await post("gpt:embedContent", { content: { parts: [{ text: "hi" }] } }),
    );
    expect(reply).toMatchObject({ status: 400, body: { error: { status: "INVALID_ARGUMENT" } } });
  });
});
