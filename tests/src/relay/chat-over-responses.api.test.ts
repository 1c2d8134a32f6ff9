// Clients of other interfaces, served by a provider that speaks Responses alone. Its answers are
// modelled on OpenAI's
// reference (https://platform.openai.com/docs/api-reference/responses-streaming), not captured.
import type { ServerResponse } from "node:http";
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startTestGateway, type TestGateway } from "../harness/test-gateway.ts";
import { type CannedProvider, startCannedProvider } from "./canned-provider.ts";

const usage = {
  input_tokens: 10,
  input_tokens_details: { cached_tokens: 4 },
  output_tokens: 8,
  output_tokens_details: { reasoning_tokens: 3 },
  total_tokens: 18,
};
const reasoning = {
  type: "reasoning",
  id: "rs_1",
  summary: [{ type: "summary_text", text: "hm" }],
};
const part = { type: "output_text", text: "so it is", annotations: [], logprobs: [] };
const message = {
  type: "message",
  id: "msg_1",
  status: "completed",
  role: "assistant",
  content: [part],
};
const call = (id: string, name: string, written: string) => ({
  type: "function_call",
  id: `fc_${id}`,
  status: "completed",
  call_id: `call_${id}`,
  name,
  arguments: written,
});
const weather = call("1", "weather", '{"city":"Oslo"}');
const time = call("2", "time", "{}");

const response = (output: readonly object[], more: object = {}) => ({
  id: "resp_1",
  object: "response",
  created_at: 1_741_476_542,
  status: "completed",
  error: null,
  incomplete_details: null,
  model: "m",
  output,
  usage,
  ...more,
});

type ResponseOutputItem =
  | (typeof reasoning & { encrypted_content?: string })
  | typeof message
  | typeof weather;

/** The events in which OpenAI sends the items, one after the other. */
function eventsOf(
  items: readonly ResponseOutputItem[],
  ending = "response.completed",
  more: object = {},
): string {
  const begun = response([], { status: "in_progress", usage: null });
  const events = items.flatMap((item, output_index) => {
    const at = { output_index, item_id: item.id };
    const added = { type: "response.output_item.added", output_index, item: emptied(item) };
    const done = { type: "response.output_item.done", output_index, item };
    return [added, ...within(item, at), done];
  });
  return [
    { type: "response.created", response: begun },
    { type: "response.in_progress", response: begun },
    ...events,
    { type: ending, response: response(items, more) },
  ]
    .map(
      (event, sequence_number) =>
        `event: ${event.type}\ndata: ${JSON.stringify({ ...event, sequence_number })}\n\n`,
    )
    .join("");
}

const emptied = (item: ResponseOutputItem): object =>
  item.type === "function_call"
    ? { ...item, arguments: "" }
    : { ...item, content: [], summary: [] };

function within(item: ResponseOutputItem, at: object): { type: string }[] {
  if ("arguments" in item) {
    const letters = [...item.arguments].map((delta) => ({
      type: "response.function_call_arguments.delta",
      ...at,
      delta,
    }));
    return [
      ...letters,
      { type: "response.function_call_arguments.done", ...at, ...{ arguments: item.arguments } },
    ];
  }
  if ("summary" in item) {
    const where = { ...at, summary_index: 0 };
    return [
      { type: "response.reasoning_summary_part.added", ...where },
      { type: "response.reasoning_summary_text.delta", ...where, ...{ delta: "hm" } },
      { type: "response.reasoning_summary_text.done", ...where, ...{ text: "hm" } },
    ];
  }
  const where = { ...at, content_index: 0 };
  const words = part.text
    .split(/(?<= )/)
    .map((delta) => ({ type: "response.output_text.delta", ...where, delta }));
  return [...words, { type: "response.output_text.done", ...where, ...{ text: part.text } }];
}

let gateway: TestGateway;
let upstream: CannedProvider;
let openai: OpenAI;
let anthropic: Anthropic;
let items: ResponseOutputItem[];
beforeAll(async () => {
  upstream = await startCannedProvider();
  gateway = await startTestGateway({ upstreams: [upstream.url] });
  const config = JSON.stringify({ api_format: "response" });
  await gateway.given.channel({ key: "k", base_url: upstream.url, models: "m", config });
  for (const models of ["failing", "failing-in-stream"]) {
    await gateway.given.channel({ key: "k", base_url: upstream.url, models, config, priority: 5 });
    await gateway.given.channel({ key: "sim-ok", models });
  }
  // No configuration: OpenAI has this model there alone.
  await gateway.given.channel({ key: "k", base_url: upstream.url, models: "gpt-5-codex" });
  const { key } = await gateway.given.token();
  openai = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: key, maxRetries: 0 });
  anthropic = new Anthropic({ baseURL: gateway.url, apiKey: key, maxRetries: 0 });
  upstream.answer = (reply, _request, body) => says(reply, body, items);
});
afterAll(async () => {
  expect(await gateway.audit()).toBe("The books agree.");
  await gateway.close();
  await upstream.close();
});

function says(
  reply: ServerResponse,
  body: string,
  answer: readonly ResponseOutputItem[],
  ending?: string,
  more?: object,
): void {
  const isStream = (JSON.parse(body) as { stream?: boolean }).stream === true;
  reply.writeHead(200, { "content-type": isStream ? "text/event-stream" : "application/json" });
  reply.end(isStream ? eventsOf(answer, ending, more) : JSON.stringify(response(answer, more)));
}

const messages = [{ role: "user" as const, content: "one two three" }];
const parameters = { type: "object" as const, properties: { city: { type: "string" } } };
const chatTools = ["weather", "time"].map((name) => ({
  type: "function" as const,
  function: { name, parameters },
}));
const chatCall = ({ call_id, name, arguments: written }: typeof weather) => ({
  id: call_id,
  type: "function",
  function: { name, arguments: written },
});

describe("OpenAI's library, asking for chat completions,", () => {
  test.each(["m", "gpt-5-codex"])(
    "gets reasoning, text and usage of %s, streamed and not, for the same price",
    async (model) => {
      items = [reasoning, message];
      const asked = { model, messages, reasoning_effort: "low" as const };
      const whole = await openai.chat.completions.create(asked);
      const bills = [(await gateway.lastLog()).quota];
      const streamed = await openai.chat.completions
        .stream({ ...asked, stream_options: { include_usage: true } })
        .finalChatCompletion();
      bills.push((await gateway.lastLog()).quota);
      expect(bills[0]).toBeGreaterThan(0);
      expect(bills[1]).toBe(bills[0]);
      for (const answer of [whole, streamed]) {
        expect(answer).toMatchObject({
          id: "chatcmpl-1",
          model,
          choices: [{ finish_reason: "stop", message: { role: "assistant", content: "so it is" } }],
          usage: {
            prompt_tokens: 10,
            completion_tokens: 8,
            prompt_tokens_details: { cached_tokens: 4 },
            completion_tokens_details: { reasoning_tokens: 3 },
          },
        });
      }
      expect(whole.choices[0]?.message).toMatchObject({ reasoning_content: "hm" });
      expect(upstream.bodies.at(-1)).toEqual({
        model,
        input: messages,
        stream: true,
        store: false,
        reasoning: { effort: "low" },
        include: ["reasoning.encrypted_content"],
      });
      expect(await gateway.lastLog()).toMatchObject({
        prompt_tokens: 10,
        cached_prompt_tokens: 4,
        completion_tokens: 8,
      });
    },
  );

  test("calls two tools at once and brings their results back", async () => {
    items = [reasoning, weather, time];
    const asked = { model: "m", messages, tools: chatTools };
    const whole = await openai.chat.completions.create(asked);
    const streamed = await openai.chat.completions.stream(asked).finalChatCompletion();
    for (const { choices } of [whole, streamed]) {
      expect(choices[0]?.message.content || null).toBeNull();
      expect(choices[0]).toMatchObject({
        finish_reason: "tool_calls",
        message: { tool_calls: [chatCall(weather), chatCall(time)] },
      });
    }
    items = [message];
    const answer = whole.choices[0]?.message;
    if (!answer?.tool_calls) throw new Error("no tool was called");
    const results = answer.tool_calls.map(({ id }) => ({
      role: "tool" as const,
      tool_call_id: id,
      content: `of ${id}`,
    }));
    await openai.chat.completions.create({ ...asked, messages: [...messages, answer, ...results] });
    expect(upstream.bodies.at(-1)?.input).toEqual([
      ...messages,
      ...[weather, time].map(({ type, call_id, name, arguments: written }) => ({
        type,
        call_id,
        name,
        arguments: written,
      })),
      { type: "function_call_output", call_id: "call_1", output: "of call_1" },
      { type: "function_call_output", call_id: "call_2", output: "of call_2" },
    ]);
  });

  test("learns that an answer is incomplete", async () => {
    const more = { status: "incomplete", incomplete_details: { reason: "max_output_tokens" } };
    upstream.answer = (reply, _request, body) =>
      says(reply, body, [message], "response.incomplete", more);
    const asked = { model: "m", messages, max_tokens: 20 };
    const whole = await openai.chat.completions.create(asked);
    const streamed = await openai.chat.completions
      .stream(asked)
      .finalChatCompletion()
      .catch((error: unknown) => error);
    expect(whole.choices[0]?.finish_reason).toBe("length");
    expect(streamed).toMatchObject({ choices: [{ finish_reason: "length" }] });
    upstream.answer = (reply, _request, body) => says(reply, body, items);
  });

  test("gets the provider's error for a call", async () => {
    upstream.answer = (reply) => {
      const error = {
        message: "Not this",
        type: "invalid_request_error",
        param: "input",
        code: "invalid_value",
      };
      reply.writeHead(400, { "content-type": "application/json" }).end(JSON.stringify({ error }));
    };
    const failed = await openai.chat.completions
      .create({ model: "m", messages })
      .catch((error: unknown) => error);
    expect(failed).toMatchObject({ status: 400, code: "invalid_value" });
    upstream.answer = (reply, _request, body) => says(reply, body, items);
  });

  test("gets another channel's answer where this one failed, whole or in its stream", async () => {
    const failure = {
      status: "failed",
      error: { code: "server_error", message: "The model failed" },
      usage: null,
    };
    upstream.answer = (reply, _request, body) => says(reply, body, [], "response.failed", failure);
    const before = upstream.bodies.length;
    const answers = [
      await openai.chat.completions.create({ model: "failing", messages }),
      await openai.chat.completions
        .stream({ model: "failing-in-stream", messages })
        .finalChatCompletion(),
    ];
    for (const { choices } of answers)
      expect(choices[0]?.message.content?.split(" ")).toHaveLength(12);
    expect(upstream.bodies.length).toBe(before + 2);
    upstream.answer = (reply, _request, body) => says(reply, body, items);
  });
});

describe("Anthropic's library", () => {
  test("thinks over two turns: sealed thoughts come with a signature and go back where they came from", async () => {
    const sealed = { ...reasoning, encrypted_content: "gAAAA" };
    items = [sealed, weather];
    const thinking = { type: "enabled" as const, budget_tokens: 1_024 };
    const tools = [{ name: "weather", input_schema: parameters }];
    const asked = { model: "gpt-5-codex", max_tokens: 2_048, messages, tools, thinking };
    for (const ask of [
      () => anthropic.messages.create(asked),
      () => anthropic.messages.stream(asked).finalMessage(),
    ]) {
      const { content } = await ask();
      expect(content).toMatchObject([
        { type: "thinking", thinking: "hm", signature: "responses:gAAAA" },
        { type: "tool_use", id: "call_1" },
      ]);
      const result = { type: "tool_result" as const, tool_use_id: "call_1", content: "rain" };
      const answered = [
        { role: "assistant" as const, content },
        { role: "user" as const, content: [result] },
      ];
      await anthropic.messages.create({ ...asked, messages: [...messages, ...answered] });
      expect(upstream.bodies.at(-1)).toMatchObject({
        include: ["reasoning.encrypted_content"],
        input: [
          { role: "user" },
          { type: "reasoning", summary: reasoning.summary, encrypted_content: "gAAAA" },
          { type: "function_call", call_id: "call_1" },
          { type: "function_call_output", call_id: "call_1", output: "rain" },
        ],
      });
    }
  });

  test("is served through chat completions, thoughts and tools included", async () => {
    items = [reasoning, message, weather];
    const asked = {
      model: "m",
      max_tokens: 100,
      messages,
      tools: [{ name: "weather", input_schema: parameters }],
    };
    const whole = await anthropic.messages.create(asked);
    const streamed = await anthropic.messages.stream(asked).finalMessage();
    for (const answer of [whole, streamed]) {
      expect(answer).toMatchObject({
        content: [
          { type: "thinking", thinking: "hm" },
          { type: "text", text: "so it is" },
          { type: "tool_use", id: "call_1", name: "weather", input: { city: "Oslo" } },
        ],
        stop_reason: "tool_use",
        usage: { input_tokens: 6, cache_read_input_tokens: 4, output_tokens: 8 },
      });
    }
  });
});
