// Members of a request that choose a model or change the price: charged as served, or refused
// before anything is sent.
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { chatBody, question, startTestGateway, type TestGateway } from "../harness/test-gateway.ts";
import {
  type CannedProvider,
  completion,
  event,
  startCannedProvider,
  streamed,
  usageEvent,
  whole,
} from "./canned-provider.ts";

let gateway: TestGateway;
let upstream: CannedProvider;
let key: string;
beforeAll(async () => {
  upstream = await startCannedProvider();
  gateway = await startTestGateway({ upstreams: [upstream.url] });
  const channel = (type: number, models: string, more = {}) =>
    gateway.given.channel({ type, key: "upstream-key", base_url: upstream.url, models, ...more });
  await channel(1, "gpt-5,gpt-4o");
  await channel(14, "claude-opus-5");
  await channel(20, "openai/gpt-5");
  await channel(50, "compatible");
  await channel(50, "passing,dear", { config: '{"pass_cost_members":true}' });
  await channel(50, "regional", { config: '{"region_price_factor":1.1}' });
  await channel(50, "either", { priority: 9 });
  await channel(50, "either", { config: '{"pass_cost_members":true}' });
  key = (await gateway.given.token()).key;
});
afterAll(async () => {
  expect(await gateway.audit()).toBe("The books agree.");
  await gateway.close();
  await upstream.close();
});
beforeEach(() => {
  upstream.requests.length = 0;
});

const usage = { prompt_tokens: 1_000, completion_tokens: 100 };
const answered = (more = {}) => whole(completion("two", usage, more));
const lastRow = async () => {
  await gateway.settled();
  return (await gateway.logs()).at(-1);
};
/** `listed` is at the test channels' price: 1 unit for a prompt token, 4 for one of the answer. */
const listed = 1_000 + 4 * 100;

test.each([
  ["route", { route: "fallback" }],
  ["plugins", { plugins: [{ id: "web" }] }],
  ["provider", { provider: { order: ["dear"] } }],
  ["service_tier", { service_tier: "priority" }],
  ["web_search_options", { web_search_options: {} }],
])(
  "S2-08 OpenRouter is not asked with %s, which it bills by, and the refusal names the member",
  {
    tags: ["S2-08"],
  },
  async (param, member) => {
    const { status, body } = await gateway.chat(key, { model: "openai/gpt-5", ...member });
    expect([status, body.error.code, body.error.param]).toEqual([400, "member_not_priced", param]);
    expect(body.error.message).toContain(`${param} changes the model or the price`);
    expect(upstream.requests).toEqual([]);
  },
);

test("S2-08 an operator may let a channel pass such members on, and routing then chooses it", {
  tags: ["S2-08"],
}, async () => {
  upstream.answer = answered();
  for (const model of ["passing", "either"]) {
    const { status } = await gateway.chat(key, { model, plugins: [{ id: "web" }] });
    expect([status, upstream.bodies.at(-1)?.plugins]).toEqual([200, [{ id: "web" }]]);
  }
  const { status } = await gateway.chat(key, { model: "compatible", plugins: [{ id: "web" }] });
  expect(status).toBe(400);
});

test("S2-08 a model that a tool or a plugin names obeys the key's list of models", {
  tags: ["S2-08"],
}, async () => {
  upstream.answer = answered();
  const limited = (await gateway.given.token({ models: "passing" })).key;
  for (const member of [
    { tools: [{ type: "image_generation", model: "dear" }] },
    { plugins: [{ id: "fusion", model: "dear" }] },
  ]) {
    const refused = await gateway.chat(limited, { model: "passing", ...member });
    expect([refused.status, refused.body.error.message]).toEqual([
      403,
      expect.stringContaining("may not use the model dear"),
    ]);
    expect((await gateway.chat(key, { model: "passing", ...member })).status).toBe(200);
  }
});

test("S2-08 a service tier is charged as the reply says it was served", {
  tags: ["S2-08"],
}, async () => {
  for (const [asked, served, factor] of [
    ["priority", "priority", 2],
    ["priority", "default", 1],
    ["flex", "flex", 0.5],
    ["flex", undefined, 1],
    ["auto", "priority", 2],
  ] as const) {
    upstream.answer = answered(served === undefined ? {} : { service_tier: served });
    const { status } = await gateway.chat(key, { model: "gpt-5", service_tier: asked });
    const row = await lastRow();
    expect([status, row?.quota]).toEqual([200, Math.ceil(listed * factor)]);
    const source = row?.price?.source ?? "";
    expect(source.includes(`service_tier ${served} × ${factor}`)).toBe(factor !== 1);
  }
});

test("a whole answer states what it costs in dollars; one that must be counted first, and a stream, cannot", async () => {
  const stated = async (answer: typeof upstream.answer, more = {}) => {
    upstream.answer = answer;
    const response = await gateway.send(key, chatBody({ model: "gpt-5", ...more }));
    await response.text();
    const cost = response.headers.get("x-litellm-response-cost");
    return [cost, ((await lastRow())?.quota ?? 0) / 500_000];
  };
  for (const more of [{}, { service_tier: "priority" }]) {
    const [cost, charged] = await stated(answered(more), more);
    expect([Number(cost), cost]).toEqual([charged, charged === 0.0028 ? "0.0028" : "0.0056"]);
  }
  const counted = await stated(whole(completion("two", undefined)));
  const streams = streamed(
    event({ id: "c", choices: [{ index: 0, delta: { content: "two" } }] }),
    usageEvent(usage),
  );
  for (const [cost, charged] of [counted, await stated(streams, { stream: true })])
    expect([cost, Number(charged) > 0]).toEqual([null, true]);
});

test("a channel whose place costs more charges that, whole and streamed, and lists it", async () => {
  const dearer = {
    quota: 1_540,
    price: { source: expect.stringContaining("region 127.0.0.1 × 1.1") },
  };
  upstream.answer = answered();
  await gateway.chat(key, { model: "regional" });
  expect(await lastRow()).toMatchObject(dearer);
  upstream.answer = streamed(
    event({ id: "c", choices: [{ index: 0, delta: { content: "two" } }] }),
    usageEvent(usage),
  );
  await gateway.stream(key, { model: "regional" });
  expect(await lastRow()).toMatchObject(dearer);
  // A unit for a token is two dollars for a million.
  const [provider] = Object.values(
    await gateway.api<Record<string, { models: Record<string, { input_price: number }> }>>(
      "GET",
      "/api/models/display",
    ),
  ).filter(({ models }) => "regional" in models);
  expect(provider?.models.regional?.input_price).toBeCloseTo(2.2);
});

test("S2-08 a streamed tier is charged as its events say", { tags: ["S2-08"] }, async () => {
  const first = event({
    id: "c",
    service_tier: "priority",
    choices: [{ index: 0, delta: { content: "two" } }],
  });
  const stop = event({
    id: "c",
    service_tier: "priority",
    choices: [{ index: 0, delta: {}, finish_reason: "stop" }],
  });
  const last = event({ id: "c", service_tier: "priority", choices: [], usage });
  upstream.answer = streamed(first, stop, last, event("[DONE]"));
  await gateway.stream(key, { model: "gpt-5", service_tier: "priority" });
  expect((await lastRow())?.quota).toBe(2 * listed);
  upstream.answer = streamed(
    stop.replaceAll("priority", "default"),
    usageEvent(usage),
    event("[DONE]"),
  );
  await gateway.stream(key, { model: "gpt-5", service_tier: "priority" });
  // The last event with usage says nothing: the tier is charged as asked.
  expect((await lastRow())?.quota).toBe(2 * listed);
});

test("S2-08 a tier without a known price is refused, and one that was served unasked is named in the row", {
  tags: ["S2-08"],
}, async () => {
  const { status, body } = await gateway.chat(key, { model: "gpt-4o", service_tier: "priority" });
  expect([status, body.error.param]).toEqual([400, "service_tier"]);
  upstream.answer = answered({ service_tier: "priority" });
  await gateway.chat(key, { model: "gpt-4o" });
  const row = await lastRow();
  expect([row?.quota, row?.content]).toEqual([
    listed,
    "served with service_tier priority, which has no price",
  ]);
});

test("S2-08 Claude's fast mode and region multiply the charge as served", {
  tags: ["S2-08"],
}, async () => {
  const reply = (served: object) =>
    whole({
      type: "message",
      role: "assistant",
      model: "claude-opus-5",
      content: [{ type: "text", text: "two" }],
      stop_reason: "end_turn",
      usage: { input_tokens: 1_000, output_tokens: 100, ...served },
    });
  const ask = async (member: object): Promise<number> => {
    const response = await fetch(`${gateway.url}/v1/messages`, {
      method: "POST",
      headers: { "x-api-key": key, "content-type": "application/json" },
      body: JSON.stringify({
        model: "claude-opus-5",
        max_tokens: 200,
        messages: [{ role: "user", content: question }],
        ...member,
      }),
    });
    await response.text();
    return response.status;
  };
  upstream.answer = reply({ speed: "fast", inference_geo: "us" });
  expect(await ask({ speed: "fast", inference_geo: "us" })).toBe(200);
  expect((await lastRow())?.quota).toBe(3_080);
  upstream.answer = reply({ speed: "standard", inference_geo: "global" });
  expect(await ask({ speed: "fast", inference_geo: "us" })).toBe(200);
  expect((await lastRow())?.quota).toBe(listed);
  expect(await ask({ inference_geo: "eu" })).toBe(400);
});

test("S2-08 a wallet that covers the listed price but not the tier is refused", {
  tags: ["S2-08"],
}, async () => {
  const { key: poorKey } = await gateway.given.token({
    unlimited_quota: false,
    remain_quota: 5_000,
  });
  upstream.answer = answered({ service_tier: "default" });
  const ask = (service_tier: string) =>
    gateway.chat(poorKey, { model: "gpt-5", max_tokens: 800, service_tier });
  const refused = await ask("priority");
  expect([refused.status, refused.body.error.code]).toEqual([
    403,
    "pre_consume_token_quota_failed",
  ]);
  expect((await ask("default")).status).toBe(200);
});
