// Anthropic's own interface, called by Anthropic's own library and answered by a channel that
// speaks it.
import Anthropic from "@anthropic-ai/sdk";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ruleDatabaseKinds } from "../harness/gateway-database.ts";
import {
  defaultCharge,
  question,
  startTestGateway,
  type TestGateway,
} from "../harness/test-gateway.ts";

const model = "claude-sim";
const anthropic = 14;
const messages = [{ role: "user" as const, content: question }];
const tools = [
  {
    name: "weather",
    description: "",
    input_schema: { type: "object" as const, properties: { city: { type: "string" } } },
  },
];

describe.each(ruleDatabaseKinds)("messages on %s", (store) => {
  let gateway: TestGateway;
  let client: Anthropic;
  let key: string;
  beforeAll(async () => {
    gateway = await startTestGateway({ store });
    const channel = (fields: { key: string; models: string; [more: string]: unknown }) =>
      gateway.given.channel({ type: anthropic, ...fields });
    await channel({ key: "sim-ok", models: model });
    await channel({ key: "sim-cached-4", models: "cached" });
    await channel({
      key: "sim-as-mapped",
      models: "alias",
      model_mapping: '{"alias":"claude-sim"}',
    });
    await channel({ key: "sim-fail-529", models: "busy", priority: 5 });
    await channel({ key: "sim-as-second", models: "busy" });
    await channel({ key: "sim-cut-3+pace-60", models: "cut" });
    await channel({ key: "sim-error-2+pace-60", models: "broken" });
    key = (await gateway.given.token()).key;
    client = new Anthropic({ baseURL: gateway.url, apiKey: key, maxRetries: 0 });
  });
  afterAll(async () => {
    expect(await gateway.audit()).toBe("The books agree.");
    await gateway.close();
  });
  const ask = (name: string) => client.messages.create({ model: name, max_tokens: 100, messages });

  test("are sent and answered", async () => {
    const answer = await ask(model);
    expect(answer).toMatchObject({ model, role: "assistant", stop_reason: "end_turn" });
    expect(answer.content).toMatchObject([
      { type: "text", text: expect.stringMatching(/^(\S+ ){11}\S+$/) },
    ]);
    expect(answer.usage).toMatchObject({ input_tokens: 6, output_tokens: 12 });
    expect(await gateway.lastLog()).toMatchObject({
      quota: defaultCharge,
      prompt_tokens: 6,
      completion_tokens: 12,
    });
  });

  test("stream with the same text at the same price", async () => {
    const [answer] = (await ask(model)).content;
    const stream = client.messages.stream({ model, max_tokens: 100, messages });
    const final = await stream.finalMessage();
    expect(final.content).toMatchObject([
      { type: "text", text: answer?.type === "text" ? answer.text : "" },
    ]);
    expect(final.usage).toMatchObject({ input_tokens: 6, output_tokens: 12 });
    expect(await gateway.lastLog()).toMatchObject({
      quota: defaultCharge,
      is_stream: 1,
      outcome: "success",
    });
  });

  test("call tools, streamed and not", async () => {
    const asked = {
      model,
      max_tokens: 100,
      messages: [{ role: "user" as const, content: "Please use tool" }],
      tools,
    };
    const whole = await client.messages.create(asked);
    const streamed = await client.messages.stream(asked).finalMessage();
    for (const { content, stop_reason } of [whole, streamed]) {
      expect(stop_reason).toBe("tool_use");
      expect(content).toMatchObject([
        { type: "tool_use", name: "weather", input: { city: expect.anything() } },
      ]);
    }
  });

  test("charge what came from the cache as that, and no prompt token twice", async () => {
    await client.messages.stream({ model: "cached", max_tokens: 100, messages }).finalMessage();
    expect(await gateway.lastLog()).toMatchObject({
      prompt_tokens: 6,
      cached_prompt_tokens: 4,
      completion_tokens: 12,
    });
  });

  test("keep the client's name of the model where the channel has another", async () => {
    expect((await ask("alias")).model).toBe("alias");
    const final = await client.messages
      .stream({ model: "alias", max_tokens: 100, messages })
      .finalMessage();
    expect(final.model).toBe("alias");
    const calls = await gateway.simulator.calls();
    expect(calls.at(-1)?.body).toMatchObject({ model: "claude-sim" });
  });

  test("go to another channel when one is overloaded, and are billed once", async () => {
    const before = await gateway.settled();
    expect(await ask("busy")).toMatchObject({ stop_reason: "end_turn" });
    const after = await gateway.settled();
    expect(before.balance - after.balance).toBe(defaultCharge);
  });

  test("report errors in Anthropic's format", async () => {
    const refused = (promise: Promise<unknown>) =>
      promise.then(
        () => undefined,
        (error: unknown) => error,
      );
    const stranger = new Anthropic({ baseURL: gateway.url, apiKey: "sk-nobody", maxRetries: 0 });
    expect(
      await refused(stranger.messages.create({ model, max_tokens: 1, messages })),
    ).toMatchObject({
      status: 401,
      error: {
        type: "error",
        error: { type: "authentication_error", message: expect.stringContaining("request id") },
      },
    });
    expect(
      await refused(client.messages.create({ model, max_tokens: 1, messages: [] })),
    ).toMatchObject({
      status: 400,
      error: {
        error: { type: "invalid_request_error", message: expect.stringContaining("messages") },
      },
    });
    expect(await refused(ask("nobody-has-it"))).toMatchObject({
      status: 404,
      error: { error: { type: "not_found_error" } },
    });
  });

  test("that break off in the middle end with an error that the library sees, and cost what came", async () => {
    for (const name of ["cut", "broken"]) {
      const stream = client.messages.stream({ model: name, max_tokens: 100, messages });
      await expect(stream.finalMessage(), name).rejects.toThrow();
      const log = await gateway.lastLog();
      expect(log, name).toMatchObject({ outcome: "cut" });
      expect(log.quota, name).toBeGreaterThan(0);
    }
  });

  test("forward the client's version headers, and never the client's key", async () => {
    await client.messages.create(
      { model, max_tokens: 10, messages },
      { headers: { "anthropic-beta": "context-1m-2025-08-07", "x-private": "no" } },
    );
    const headers = (await gateway.simulator.calls()).at(-1)?.headers ?? {};
    expect(headers).toMatchObject({
      "anthropic-version": expect.stringMatching(/^20\d\d-\d\d-\d\d$/),
      "anthropic-beta": "context-1m-2025-08-07",
      "x-api-key": "sim-ok",
    });
    expect(headers).not.toHaveProperty("x-private");
    expect(JSON.stringify(headers)).not.toContain(key);
  });

  test("show whether a channel works", async () => {
    const [channel] = await gateway.rows<{ id: number }>(
      "select id from channels where models = 'claude-sim'",
    );
    // The model's own text; a failure would throw.
    await gateway.api("POST", `/api/channel/test/${channel?.id}`);
  });
});
