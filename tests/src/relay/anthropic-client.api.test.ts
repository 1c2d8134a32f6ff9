// What Anthropic's library asks besides messages: how long a prompt is, and which models there are.
import Anthropic from "@anthropic-ai/sdk";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  promptEstimate,
  question,
  startTestGateway,
  type TestGateway,
} from "../harness/test-gateway.ts";
import { type CannedProvider, startCannedProvider } from "./canned-provider.ts";

const anthropicType = 14;
const messages = [{ role: "user" as const, content: question }];
let gateway: TestGateway;
let upstream: CannedProvider;
let client: Anthropic;
let limited: Anthropic;
let paths: (string | undefined)[] = [];
beforeAll(async () => {
  upstream = await startCannedProvider();
  gateway = await startTestGateway({ upstreams: [upstream.url] });
  const claude = { type: anthropicType, key: "upstream-key", base_url: upstream.url };
  await gateway.given.channel({
    ...claude,
    models: "claude",
    model_mapping: '{"claude":"claude-upstream"}',
  });
  await gateway.given.channel({ key: "sim-as-gpt", models: "gpt" });
  const connect = async (models?: string) => {
    const { key } = await gateway.given.token(models === undefined ? {} : { models });
    return new Anthropic({ baseURL: gateway.url, apiKey: key, maxRetries: 0 });
  };
  client = await connect();
  limited = await connect("gpt");
});
afterAll(async () => {
  expect(await gateway.audit()).toBe("The books agree.");
  await gateway.close();
  await upstream.close();
});
const answers = (status: number, body: object) => {
  paths = [];
  upstream.answer = (response, request) => {
    paths.push(request.url);
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  };
};
const refused = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  );

describe("the length of a prompt", () => {
  test("is fetched from a provider that counts it, and costs nothing", async () => {
    answers(200, { input_tokens: 42 });
    const before = await gateway.settled();
    expect(await client.messages.countTokens({ model: "claude", messages })).toEqual({
      input_tokens: 42,
    });
    expect(paths).toEqual(["/v1/messages/count_tokens"]);
    expect(upstream.bodies.at(-1)).toEqual({ model: "claude-upstream", messages });
    expect(await gateway.settled()).toEqual(before);
  });

  test.each([
    ["by channels of another kind", "gpt", 200, {}],
    ["while the provider is down", "claude", 503, {}],
    ["by providers without this entry", "claude", 404, {}],
    ["by answers that count nothing", "claude", 200, { input_tokens: "many" }],
  ])("is estimated %s", async (_why, model, status, body) => {
    answers(status, body);
    expect(await client.messages.countTokens({ model, messages })).toEqual({
      input_tokens: promptEstimate,
    });
  });

  test("is refused where the provider rejects it, with Anthropic's error format", async () => {
    answers(400, {
      type: "error",
      error: { type: "invalid_request_error", message: "messages: too strange" },
    });
    expect(await refused(client.messages.countTokens({ model: "claude", messages }))).toMatchObject(
      {
        status: 400,
        error: {
          error: { type: "invalid_request_error", message: expect.stringContaining("too strange") },
        },
      },
    );
    expect(
      await refused(client.messages.countTokens({ model: "claude", messages: [] })),
    ).toMatchObject({
      status: 400,
    });
  });

  test("is given to keys that may use the model", async () => {
    expect(
      await refused(limited.messages.countTokens({ model: "claude", messages })),
    ).toMatchObject({ status: 403 });
    const stranger = new Anthropic({ baseURL: gateway.url, apiKey: "sk-nobody", maxRetries: 0 });
    expect(await refused(stranger.messages.countTokens({ model: "gpt", messages }))).toMatchObject({
      status: 401,
    });
  });
});

describe("models", () => {
  const entry = (id: string) => ({
    type: "model",
    id,
    display_name: id,
    created_at: expect.stringContaining("T"),
  });

  test("are listed in Anthropic's format, as far as the key may use them", async () => {
    const all = await client.models.list();
    expect(all).toMatchObject({ data: [entry("claude"), entry("gpt")], has_more: false });
    expect(all).toMatchObject({ first_id: "claude", last_id: "gpt" });
    expect((await limited.models.list()).data).toEqual([entry("gpt")]);
  });

  test("are shown one by one, and those that do not exist are missing", async () => {
    expect(await client.models.retrieve("claude")).toEqual(entry("claude"));
    expect(await refused(client.models.retrieve("nobody-has-it"))).toMatchObject({
      status: 404,
      error: { error: { type: "not_found_error" } },
    });
  });

  test("keep OpenAI's format for all other clients", async () => {
    const { key } = await gateway.given.token();
    const reply = await fetch(`${gateway.url}/v1/models`, {
      headers: { authorization: `Bearer ${key}` },
    });
    expect(await reply.json()).toMatchObject({
      object: "list",
      data: [{ object: "model" }, { object: "model" }],
    });
  });
});
