// What most clients use: the official library, unchanged but for its address.
import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ruleDatabaseKinds } from "../harness/gateway-database.ts";
import {
  defaultCharge,
  model,
  question,
  startTestGateway,
  type TestGateway,
} from "../harness/test-gateway.ts";

describe.each(ruleDatabaseKinds)("the official library, on %s", (store) => {
  let gateway: TestGateway;
  let client: OpenAI;
  beforeAll(async () => {
    gateway = await startTestGateway({ store });
    await gateway.given.channel({ key: "sim-ok" });
    await gateway.given.channel({ key: "sim-cut-3", models: "cut-model" });
    const { key } = await gateway.given.token();
    client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: key, maxRetries: 0 });
  });
  afterAll(async () => {
    expect(await gateway.audit()).toBe("The books agree.");
    await gateway.close();
  });
  const messages = [{ role: "user" as const, content: question }];
  const lastQuota = async () => {
    await gateway.settled();
    return (await gateway.lastLog()).quota;
  };

  test("asks and is answered", async () => {
    const answer = await client.chat.completions.create({ model, messages });
    expect(answer.model).toBe(model);
    expect(answer.choices[0]?.message.content?.split(" ")).toHaveLength(12);
    expect(answer.usage).toMatchObject({
      prompt_tokens: 6,
      completion_tokens: 12,
      total_tokens: 18,
    });
    expect(await lastQuota()).toBe(defaultCharge);
  });

  test("streams, with the same text", async () => {
    const whole = await client.chat.completions.create({ model, messages });
    const stream = await client.chat.completions.create({ model, messages, stream: true });
    let text = "";
    let finish: string | null | undefined;
    for await (const part of stream) {
      text += part.choices[0]?.delta.content ?? "";
      finish = part.choices[0]?.finish_reason ?? finish;
    }
    expect([text, finish]).toEqual([whole.choices[0]?.message.content, "stop"]);
    expect(await lastQuota()).toBe(defaultCharge);
  });

  test("collects a stream with its helper, usage included", async () => {
    const runner = client.chat.completions.stream({
      model,
      messages,
      stream_options: { include_usage: true },
    });
    const final = await runner.finalChatCompletion();
    expect(final.choices[0]?.message.content?.split(" ")).toHaveLength(12);
    expect(final.usage).toMatchObject({ prompt_tokens: 6, completion_tokens: 12 });
  });

  test("asks for several answers, and each is charged", async () => {
    const answer = await client.chat.completions.create({ model, messages, n: 3 });
    expect(answer.choices).toHaveLength(3);
    expect(await lastQuota()).toBe(6 + 3 * 12 * 4);
  });

  test("limits the answer", async () => {
    const answer = await client.chat.completions.create({
      model,
      messages,
      max_completion_tokens: 4,
    });
    expect(answer.choices[0]).toMatchObject({ finish_reason: "length" });
    expect(await lastQuota()).toBe(6 + 4 * 4);
  });

  const tools = [
    {
      type: "function" as const,
      function: {
        name: "look_up",
        description: "Looks something up",
        parameters: {
          type: "object",
          properties: { word: { type: "string" }, times: { type: "integer" } },
        },
      },
    },
  ];
  const request = [{ role: "user" as const, content: "please use tool now" }];

  test("calls a tool, and its result is answered with text", async () => {
    const asked = await client.chat.completions.create({ model, messages: request, tools });
    const [call] = asked.choices[0]?.message.tool_calls ?? [];
    if (call?.type !== "function") throw new Error("no function was called");
    expect(call.function.name).toBe("look_up");
    expect(JSON.parse(call.function.arguments)).toEqual({ word: "amber", times: 7 });
    // 3 + 4 words, and ten tokens for the call.
    expect(await lastQuota()).toBe(7 + 10 * 4);
    const completion = await client.chat.completions.create({
      model,
      tools,
      messages: [
        ...request,
        { role: "assistant", content: null, tool_calls: [call] },
        { role: "tool", tool_call_id: call.id, content: "found it" },
      ],
    });
    expect(completion.choices[0]?.message.content?.split(" ")).toHaveLength(12);
  });

  test("calls a tool in a stream", async () => {
    const runner = client.chat.completions.stream({ model, messages: request, tools });
    const final = await runner.finalChatCompletion();
    const [call] = final.choices[0]?.message.tool_calls ?? [];
    expect(call?.type === "function" && JSON.parse(call.function.arguments)).toEqual({
      word: "amber",
      times: 7,
    });
    expect(await lastQuota()).toBe(7 + 10 * 4);
  });

  test("sends an image", async () => {
    const url = `data:image/png;base64,${"A".repeat(20_000)}`;
    const content = [
      { type: "text" as const, text: question },
      { type: "image_url" as const, image_url: { url } },
    ];
    await client.chat.completions.create({ model, messages: [{ role: "user", content }] });
    expect(await lastQuota()).toBe(6 + 85 + 12 * 4);
  });

  test("meets refusals as its own errors", async () => {
    await expect(client.chat.completions.create({ model, messages: [] })).rejects.toThrow(
      OpenAI.BadRequestError,
    );
    const stranger = new OpenAI({
      baseURL: `${gateway.url}/v1`,
      apiKey: "sk-nobody",
      maxRetries: 0,
    });
    await expect(stranger.chat.completions.create({ model, messages })).rejects.toThrow(
      OpenAI.AuthenticationError,
    );
    const failure = await client.chat.completions
      .create({ model: "none", messages })
      .catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(OpenAI.NotFoundError);
    expect(failure).toMatchObject({
      status: 404,
      code: "model_not_found",
      param: "model",
      message: expect.stringContaining("request id"),
    });
  });

  test("gets an error for a stream that was cut, after the text that came", async () => {
    const stream = await client.chat.completions.create({
      model: "cut-model",
      messages,
      stream: true,
    });
    let words = 0;
    const read = async () => {
      for await (const part of stream) if (part.choices[0]?.delta.content) words += 1;
    };
    await expect(read()).rejects.toThrow(OpenAI.APIError);
    expect(words).toBe(3);
  });

  test("disconnects in the middle, and the call ends with the outcome client_left", async () => {
    await gateway.given.channel({ key: "sim-stall-2", models: "stalling" });
    const stream = await client.chat.completions.create({
      model: "stalling",
      messages,
      stream: true,
    });
    let words = 0;
    for await (const part of stream) {
      if (part.choices[0]?.delta.content) words += 1;
      if (words === 2) break;
    }
    await gateway.settled();
    expect(await gateway.lastLog()).toMatchObject({ outcome: "client_left", completion_tokens: 2 });
  });
});
