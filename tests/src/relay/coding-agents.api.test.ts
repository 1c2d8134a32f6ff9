// What coding agents ask besides conversations: compaction, token counts, lists of models, and the
// ids of their requests.
import type { ServerResponse } from "node:http";
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readReply } from "../harness/api-session.ts";
import { startTestGateway, type TestGateway } from "../harness/test-gateway.ts";
import { type CannedProvider, startCannedProvider, whole } from "./canned-provider.ts";

const anthropicType = 14;
let gateway: TestGateway;
let upstream: CannedProvider;
let openai: OpenAI;
let anthropic: Anthropic;
let key: string;
beforeAll(async () => {
  upstream = await startCannedProvider();
  gateway = await startTestGateway({ upstreams: [upstream.url] });
  const base_url = upstream.url;
  await gateway.given.channel({ key: "k1", base_url, models: "gpt-native" });
  await gateway.given.channel({
    type: anthropicType,
    key: "k2",
    base_url,
    models: "claude-translated",
  });
  key = (await gateway.given.token()).key;
  openai = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: key, maxRetries: 0 });
  anthropic = new Anthropic({ baseURL: gateway.url, apiKey: key, maxRetries: 0 });
});
afterAll(async () => {
  expect(await gateway.audit()).toBe("The books agree.");
  await gateway.close();
  await upstream.close();
});

const post = async (path: string, body: object) =>
  readReply(
    await fetch(gateway.url + path, {
      method: "POST",
      headers: { authorization: `Bearer ${key}` },
      body: JSON.stringify(body),
    }),
  );
const get = async (path: string, headers: object = {}) =>
  readReply(
    await fetch(gateway.url + path, { headers: { authorization: `Bearer ${key}`, ...headers } }),
  );

const input = [{ role: "user", content: "a long conversation" }];
const summary = { id: "cmp_1", type: "compaction", encrypted_content: "gAAAAAB" };
const usage = { input_tokens: 100, output_tokens: 20, total_tokens: 120 };

describe("a long conversation", () => {
  test("is compacted by a provider that can, and charged by its usage", async () => {
    const reply = {
      id: "resp_1",
      object: "response.compaction",
      created_at: 1,
      output: [...input, summary],
      usage,
    };
    upstream.answer = whole(reply);
    const answer = await post("/v1/responses/compact", { model: "gpt-native", input });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual(reply);
    expect(upstream.requests.at(-1)).toMatchObject({ url: "/v1/responses/compact" });
    expect(upstream.bodies.at(-1)).toEqual({ model: "gpt-native", input });
    expect(await gateway.lastLog()).toMatchObject({
      prompt_tokens: 100,
      completion_tokens: 20,
      quota: 100 + 20 * 4,
    });
  });

  test.each([
    ["/v1/responses/compact", { input }],
    ["/v1/responses", { input: [...input, { type: "compaction_trigger" }] }],
    ["/v1/responses", { input: [summary, ...input] }],
  ])("is refused with the reason where a translation would lose it: %s", async (path, body) => {
    const before = upstream.requests.length;
    const { status, body: refused } = await post(path, { model: "claude-translated", ...body });
    expect(status).toBe(501);
    expect(refused.error).toMatchObject({
      code: "api_not_implemented",
      message: expect.stringContaining("conversation"),
    });
    expect(upstream.requests.length).toBe(before);
  });

  test("passes its trigger on to a provider that knows it", async () => {
    const output = [summary];
    upstream.answer = whole({
      id: "resp_2",
      object: "response",
      status: "completed",
      model: "gpt-native",
      output,
      usage,
    });
    const trigger = { type: "compaction_trigger" };
    const { status, body } = await post("/v1/responses", {
      model: "gpt-native",
      input: [...input, trigger],
    });
    expect([status, body.output]).toEqual([200, output]);
    expect(upstream.bodies.at(-1)?.input).toEqual([...input, trigger]);
  });
});

describe("the tokens of a request of Responses", () => {
  test("are counted by a provider that can", async () => {
    upstream.answer = whole({ object: "response.input_tokens", input_tokens: 11 });
    const { body } = await post("/v1/responses/input_tokens", { model: "gpt-native", input });
    expect(body).toEqual({ object: "response.input_tokens", input_tokens: 11 });
    expect(upstream.requests.at(-1)).toMatchObject({ url: "/v1/responses/input_tokens" });
  });

  test("are counted by the gateway for any other", async () => {
    const { body } = await post("/v1/responses/input_tokens", {
      model: "claude-translated",
      input,
    });
    expect(body.object).toBe("response.input_tokens");
    expect(body.input_tokens).toBeGreaterThan(2);
  });
});

describe("a list of models", () => {
  test("has a catalogue for Codex, without the models that Codex knows and those of which nothing is known", async () => {
    const models = "claude-sonnet-5,gpt-5.5,text-embedding-3-small,no-such-model";
    const { id } = await gateway.given.channel({ key: "k3", base_url: upstream.url, models });
    const { body } = await get("/v1/models?client_version=0.171.0");
    expect(body.data.length).toBe(6);
    expect(body.models).toEqual([
      expect.objectContaining({
        slug: "claude-sonnet-5",
        context_window: expect.any(Number),
        supported_reasoning_levels: ["low", "medium", "high", "xhigh"].map((effort) =>
          expect.objectContaining({ effort }),
        ),
        default_reasoning_level: "medium",
        apply_patch_tool_type: "freeform",
      }),
    ]);
    expect((await get("/v1/models")).body).not.toHaveProperty("models");
    await gateway.api("DELETE", `/api/channel/${id}`);
  });

  test("names every model so that Claude Code shows it, and the name can be called", async () => {
    const { body } = await get("/v1/models?limit=1000", { "anthropic-version": "2023-06-01" });
    const names = body.data.map(({ id, display_name }: Record<string, string>) => [
      id,
      display_name,
    ]);
    expect(names.toSorted()).toEqual([
      ["anthropic/gpt-native", "gpt-native"],
      ["claude-translated", "claude-translated"],
    ]);
    upstream.answer = whole({
      id: "c",
      object: "chat.completion",
      model: "gpt-native",
      choices: [{ index: 0, message: { role: "assistant", content: "so" }, finish_reason: "stop" }],
      usage: { prompt_tokens: 5, completion_tokens: 1, total_tokens: 6 },
    });
    const messages = [{ role: "user" as const, content: "hi" }];
    const answer = await anthropic.messages.create({
      model: "anthropic/gpt-native",
      max_tokens: 9,
      messages,
    });
    expect(answer.content).toEqual([{ type: "text", text: "so" }]);
    expect(upstream.bodies.at(-1)).toMatchObject({ model: "gpt-native" });
    expect(await gateway.lastLog()).toMatchObject({ model_name: "gpt-native" });
    expect((await anthropic.models.retrieve("anthropic/gpt-native")).display_name).toBe(
      "gpt-native",
    );
  });

  test("lets no alias reach a model that the key may not use", async () => {
    const limited = await gateway.given.token({ models: "claude-translated" });
    const client = new Anthropic({ baseURL: gateway.url, apiKey: limited.key, maxRetries: 0 });
    const messages = [{ role: "user" as const, content: "hi" }];
    const asked = client.messages.create({
      model: "anthropic/gpt-native",
      max_tokens: 9,
      messages,
    });
    await expect(asked).rejects.toMatchObject({ status: 403 });
  });
});

describe("reasoning that another account signed", () => {
  const signed = { type: "thinking", thinking: "hm", signature: "c2ln" };
  const messages = [
    { role: "user", content: "hi" },
    { role: "assistant", content: [signed, { type: "text", text: "so" }] },
    { role: "user", content: "on" },
  ];
  const rejection = {
    type: "error",
    error: {
      type: "invalid_request_error",
      message: "messages.1.content.0: Invalid `signature` in `thinking` block",
    },
  };
  const answer = {
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "claude-translated",
    content: [{ type: "text", text: "well" }],
    stop_reason: "end_turn",
    usage: { input_tokens: 5, output_tokens: 1 },
  };
  const refuse = (response: ServerResponse): void => {
    response.writeHead(400, { "content-type": "application/json" }).end(JSON.stringify(rejection));
  };

  test("is left out in a second attempt, and the conversation goes on", async () => {
    const before = upstream.requests.length;
    upstream.answer = (response, _request, body) =>
      body.includes("c2ln") ? refuse(response) : whole(answer)(response);
    const { status, body } = await post("/v1/messages", {
      model: "claude-translated",
      max_tokens: 9,
      messages,
    });
    expect([status, body.content]).toEqual([200, answer.content]);
    expect(upstream.requests.length).toBe(before + 2);
    expect(upstream.bodies.at(-1)).toMatchObject({
      messages: [{}, { role: "assistant", content: [{ type: "text", text: "so" }] }, {}],
    });
    expect(await gateway.lastLog()).toMatchObject({
      outcome: "success",
      prompt_tokens: 5,
      completion_tokens: 1,
    });
  });

  test("is left out once: a second refusal reaches the client", async () => {
    const before = upstream.requests.length;
    upstream.answer = refuse;
    const { status, body } = await post("/v1/messages", {
      model: "claude-translated",
      max_tokens: 9,
      messages,
    });
    expect(status).toBe(400);
    expect(body.error.message).toContain("Invalid `signature`");
    expect(upstream.requests.length).toBe(before + 2);
    expect(await gateway.lastLog()).toMatchObject({ quota: 0 });
  });
});

test("libraries read the id of a call, and the provider's stands beside it", async () => {
  upstream.answer = (response) => {
    response.writeHead(200, {
      "content-type": "application/json",
      "x-request-id": "req_provider1",
    });
    const choices = [
      { index: 0, message: { role: "assistant", content: "so" }, finish_reason: "stop" },
    ];
    response.end(
      JSON.stringify({ id: "c", object: "chat.completion", model: "gpt-native", choices }),
    );
  };
  const messages = [{ role: "user" as const, content: "hi" }];
  const { request_id, response } = await openai.chat.completions
    .create({ model: "gpt-native", messages })
    .withResponse();
  const id = response.headers.get("x-oneapi-request-id");
  expect(id).toMatch(/^\d{21}$/);
  expect(request_id).toBe(id);
  expect(response.headers.get("x-tollgate-upstream-request-id")).toBe("req_provider1");
  const answer = await anthropic.messages.create({ model: "gpt-native", max_tokens: 9, messages });
  expect(answer._request_id).toMatch(/^\d{21}$/);
});
