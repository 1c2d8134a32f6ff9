// Which channel answers, what it is sent, and what the client sees of it.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { eventually } from "../harness/eventually.ts";
import { ruleDatabaseKinds } from "../harness/gateway-database.ts";
import {
  chatBody,
  defaultCharge,
  model,
  question,
  startTestGateway,
  type TestGateway,
} from "../harness/test-gateway.ts";
import {
  type CannedProvider,
  completion,
  done,
  event,
  startCannedProvider,
  streamed,
  usageEvent,
  whole,
} from "./canned-provider.ts";

describe.each(ruleDatabaseKinds)("on %s", (store) => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startTestGateway({ store });
  });
  afterAll(() => gateway.close());

  test("a channel can be used as soon as it was created, and no more once it was disabled or deleted", async () => {
    const { key } = await gateway.given.token();
    for (let round = 0; round < 25; round += 1) {
      const name = `fresh-${round}`;
      const { id } = await gateway.given.channel({ key: "sim-ok", models: name });
      expect([round, "created", (await gateway.chat(key, { model: name })).status]).toEqual([
        round,
        "created",
        200,
      ]);
      if (round % 2) await gateway.api("PUT", "/api/channel/?status_only=1", { id, status: 2 });
      else await gateway.api("DELETE", `/api/channel/${id}`);
      expect([round, "gone", (await gateway.chat(key, { model: name })).status]).toEqual([
        round,
        "gone",
        404,
      ]);
    }
  });
});

describe("choosing", () => {
  let gateway: TestGateway;
  let key: string;
  let count = 0;
  beforeAll(async () => {
    gateway = await startTestGateway();
    key = (await gateway.given.token()).key;
  });
  afterAll(() => gateway.close());

  const fresh = () => {
    count += 1;
    return `model-${count}`;
  };
  const servedBy = async () => {
    await gateway.settled();
    return (await gateway.lastLog()).channel_id;
  };

  test("Retry-After is honoured: the next call goes to another channel at once; when all are limited the client learns when to retry", {
    tags: ["FT-07"],
  }, async () => {
    const name = fresh();
    const limited = await gateway.given.channel({
      key: "sim-fail-429-retry-30",
      models: name,
      priority: 5,
    });
    const second = await gateway.given.channel({ key: "sim-as-other", models: name });
    expect((await gateway.chat(key, { model: name })).status).toBe(200);
    expect(await servedBy()).toBe(second.id);
    const trace = await gateway.trace((await gateway.lastLog()).id);
    expect(trace.attempts.map(({ channel_id, status }) => [channel_id, status])).toEqual([
      [limited.id, 429],
      [second.id, 200],
    ]);

    expect((await gateway.chat(key, { model: name })).status).toBe(200);
    await gateway.settled();
    const next = await gateway.trace((await gateway.lastLog()).id);
    expect(next.attempts.map(({ channel_id }) => channel_id)).toEqual([second.id]);
    expect(next.candidates.find(({ channel_id }) => channel_id === limited.id)).toMatchObject({
      taken: false,
      reason: expect.stringMatching(/suspended after status 429, \d+ s left/),
    });

    await gateway.simulator.script("sim-as-other", "fail-429-retry-20");
    const asked = (await gateway.simulator.stats()).calls;
    const last = await gateway.chat(key, { model: name });
    expect(last.status).toBe(429);
    const all = await gateway.chat(key, { model: name });
    expect(all.status).toBe(429);
    expect(Number(all.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
    expect(Number(all.headers.get("retry-after"))).toBeLessThanOrEqual(20);
    expect(all.body.error.type).toBe("one_api_error");
    // During the pause that the upstream requested, the gateway calls no channel.
    expect((await gateway.simulator.stats()).calls).toBe(asked + 1);
  });

  test.each([
    ["fail-429-retry-2", true],
    ["fail-429-retry-date-5", true],
    ["fail-429-retry-ms-1204", true],
    ["fail-429-retry--5", false],
    ["fail-429-retry-soon", false],
  ])(
    "a single limited channel (%s) answers 429, with Retry-After when it named one",
    async (behaviour, named) => {
      const name = fresh();
      await gateway.given.channel({ key: `sim-${behaviour}+as-${name}`, models: name });
      const reply = await gateway.chat(key, { model: name });
      expect(reply.status).toBe(429);
      if (named) expect(Number(reply.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
      else expect(reply.headers.get("retry-after")).toBeNull();
    },
  );

  test("an absurd Retry-After rests the channel for a minute at most", {
    tags: ["FT-07"],
  }, async () => {
    const name = fresh();
    await gateway.given.channel({ key: `sim-fail-429-retry-999999999+as-${name}`, models: name });
    await gateway.chat(key, { model: name });
    const reply = await gateway.chat(key, { model: name });
    expect(Number(reply.headers.get("retry-after"))).toBeLessThanOrEqual(60);
  });

  test("a short pause ends: the channel is used again", { tags: ["large"] }, async () => {
    const name = fresh();
    await gateway.given.channel({ key: `short-${name}`, models: name });
    await gateway.simulator.script(`short-${name}`, [
      { fail: { status: 429, retryAfter: "1" }, first: 1 },
    ]);
    expect((await gateway.chat(key, { model: name })).status).toBe(429);
    await eventually(async () =>
      expect((await gateway.chat(key, { model: name })).status).toBe(200),
    );
  });

  test("the client gets the last refusal of four failing channels, and a fifth is left for the next call", async () => {
    const name = fresh();
    for (const priority of [5, 4, 3, 2, 1])
      await gateway.given.channel({
        key: `sim-fail-503+as-${name}-${priority}`,
        models: name,
        priority,
      });
    expect((await gateway.chat(key, { model: name })).status).toBe(503);
    await gateway.settled();
    const { attempts, candidates } = await gateway.trace((await gateway.lastLog()).id);
    expect(attempts).toHaveLength(4);
    expect(candidates.filter(({ reason }) => reason === "beyond the number of tries")).toHaveLength(
      1,
    );
  });

  test("weights share the calls of one priority", async () => {
    const name = fresh();
    const heavy = await gateway.given.channel({ key: "sim-as-heavy", models: name, weight: 9 });
    await gateway.given.channel({ key: "sim-as-light", models: name, weight: 1 });
    await Promise.all(Array.from({ length: 100 }, () => gateway.chat(key, { model: name })));
    await gateway.settled();
    const rows = (await gateway.logs()).filter(
      ({ origin_model_name }) => origin_model_name === name,
    );
    const share = rows.filter(({ channel_id }) => channel_id === heavy.id).length;
    // 90 expected; outside of 70..99 less than once in a hundred million runs.
    expect(share).toBeGreaterThan(69);
    expect(share).toBeLessThan(101);
  });

  test("the client's group decides the channels", async () => {
    const name = fresh();
    await gateway.given.channel({ key: "sim-ok", models: name, group: "vip" });
    expect((await gateway.chat(key, { model: name })).status).toBe(404);
    await gateway.given.channel({ key: "sim-ok", models: name, group: "vip,default" });
    expect((await gateway.chat(key, { model: name })).status).toBe(200);
  });

  test("every candidate is in the trace with the reason, and the moments are in order", async () => {
    const name = fresh();
    const taken = await gateway.given.channel({ key: "sim-ok", models: name, priority: 5 });
    const spare = await gateway.given.channel({ key: "sim-ok", models: name });
    const off = await gateway.given.channel({ key: "sim-ok", models: name, status: 2 });
    await gateway.stream(key, { model: name });
    await gateway.settled();
    const { candidates, timestamps, status, method, url, body_size } = await gateway.trace(
      (await gateway.lastLog()).id,
    );
    expect(candidates.map(({ channel_id, taken, reason }) => [channel_id, taken, reason])).toEqual([
      [taken.id, true, "priority 5"],
      [spare.id, false, "not needed: an earlier one answered"],
      [off.id, false, "disabled"],
    ]);
    const moments = [
      timestamps.request_received,
      timestamps.request_forwarded,
      timestamps.first_upstream_response,
      timestamps.first_client_response,
      timestamps.upstream_completed,
      timestamps.request_completed,
    ].map(Number);
    expect(moments).toEqual([...moments].sort((a, b) => a - b));
    expect(moments.every((at) => at > Date.now() - 600_000)).toBe(true);
    expect([status, method, url]).toEqual([200, "POST", "/v1/chat/completions"]);
    expect(body_size).toBe(JSON.stringify(chatBody({ model: name, stream: true })).length);
  });
});

describe("what goes through", () => {
  let gateway: TestGateway;
  let canned: CannedProvider;
  let key: string;
  beforeAll(async () => {
    canned = await startCannedProvider();
    gateway = await startTestGateway({ upstreams: [canned.url] });
    key = (await gateway.given.token()).key;
  });
  afterAll(async () => {
    await gateway.close();
    await canned.close();
  });

  test("model mapping: the upstream gets its own name, the client sees the requested name, the mapped name is priced", async () => {
    const model_configs = JSON.stringify({
      "public-name": { ratio: 100, completion_ratio: 100 },
      "upstream-name": { ratio: 1, completion_ratio: 4 },
    });
    const model_mapping = JSON.stringify({ "public-name": "upstream-name" });
    await gateway.given.channel({
      key: "sim-as-mapped",
      models: "public-name",
      model_mapping,
      model_configs,
    });

    const reply = await gateway.chat(key, { model: "public-name" });
    const stream = await gateway.stream(key, { model: "public-name" });

    expect(reply.body.model).toBe("public-name");
    expect(stream.text).toBe(reply.body.choices[0].message.content);
    const named = stream.events
      .filter((one) => one !== "[DONE]")
      .map((one) => JSON.parse(one).model);
    expect(new Set(named)).toEqual(new Set(["public-name"]));
    const calls = (await gateway.simulator.calls()).filter((call) => call.key === "sim-as-mapped");
    expect(calls.map(({ body }) => (body as { model: string }).model)).toEqual([
      "upstream-name",
      "upstream-name",
    ]);
    await gateway.settled();
    for (const row of (await gateway.logs()).slice(-2))
      expect(row).toMatchObject({
        model_name: "upstream-name",
        origin_model_name: "public-name",
        quota: defaultCharge,
      });
  });

  test("a price that the operator sets is charged from the next call on, until it is forgotten", async () => {
    await gateway.given.channel({ key: "sim-ok", models: "set-by-operator", model_configs: "" });
    const priceOf = async (body: object) => {
      const models = ["set-by-operator"];
      await gateway.api("POST", "/api/price/bulk", { models, ...body });
      await gateway.chat(key, { model: "set-by-operator" });
      await gateway.settled();
      const row = (await gateway.logs()).at(-1);
      return [row?.quota, row?.price?.source];
    };
    // A unit is two millionths of a dollar: 6 prompt tokens at 3 units, 12 of the answer at 5, and
    // 500 for the call.
    const set = { input: 6, output: 10, calls: 0.001 };
    expect(await priceOf({ set })).toEqual([6 * 3 + 12 * 5 + 500, "operator"]);
    expect(await priceOf({ reset: true })).toEqual([Math.ceil(18 * 1.25), "default price"]);
  });

  test("the client sees the requested name even when the upstream answers with a third one", async () => {
    const model_mapping = JSON.stringify({ alias: "gpt-4o-mini" });
    await gateway.given.channel({ key: "k", base_url: canned.url, models: "alias", model_mapping });
    const dated = { model: "gpt-4o-mini-2024-07-18" };
    const usage = { prompt_tokens: 6, completion_tokens: 1 };
    canned.answer = whole(completion("one", usage, dated));
    expect((await gateway.chat(key, { model: "alias" })).body.model).toBe("alias");
    canned.answer = streamed(
      event({ id: "c", ...dated, choices: [{ index: 0, delta: { content: "one" } }] }),
      event({ id: "c", choices: [{ index: 0, delta: {}, finish_reason: "stop" }], ...dated }),
      done,
    );
    const { events } = await gateway.stream(key, { model: "alias" });
    expect(events.filter((one) => one !== "[DONE]").map((one) => JSON.parse(one).model)).toEqual([
      "alias",
      "alias",
    ]);
  });

  test("a word of the answer that looks like a model member is not touched", async () => {
    const model_mapping = JSON.stringify({ alias2: "inner" });
    await gateway.given.channel({
      key: "k",
      base_url: canned.url,
      models: "alias2",
      model_mapping,
    });
    const text = 'say "model":"inner" and {"model": "inner"}';
    canned.answer = streamed(
      event({ id: "c", model: "inner", choices: [{ index: 0, delta: { content: text } }] }),
      done,
    );
    const answer = await gateway.stream(key, { model: "alias2" });
    expect(answer.text).toBe(text);
  });

  test("system_prompt takes the place of a leading system message, or goes in front", async () => {
    await gateway.given.channel({
      key: "k",
      base_url: canned.url,
      models: "prompted",
      system_prompt: 'Be "kind".\n雪',
    });
    canned.answer = whole(completion("one", { prompt_tokens: 6, completion_tokens: 1 }));
    const user = { role: "user", content: question };
    const system = { role: "system", content: 'Be "kind".\n雪' };
    await gateway.chat(key, { model: "prompted" });
    expect(canned.bodies.at(-1)?.messages).toEqual([system, user]);
    await gateway.chat(key, {
      model: "prompted",
      messages: [{ role: "system", content: "be rude" }, user],
    });
    expect(canned.bodies.at(-1)?.messages).toEqual([system, user]);
    await gateway.chat(key, {
      model: "prompted",
      messages: [user, { role: "system", content: "later" }],
    });
    expect(canned.bodies.at(-1)?.messages).toEqual([
      system,
      user,
      { role: "system", content: "later" },
    ]);
  });

  test("a body passes untouched but for what must change", async () => {
    await gateway.given.channel({ key: "k", base_url: canned.url, models: "plain" });
    canned.answer = whole(completion("one", { prompt_tokens: 6, completion_tokens: 1 }));
    const extra = {
      temperature: 0.1,
      seed: 12345678901234567890n.toString(),
      metadata: { a: [1, { b: null }] },
      "odd key \u2028": "é雪🌊",
      stop: ["\n", "\u0000"],
    };
    await gateway.chat(key, { model: "plain", ...extra });
    expect(canned.bodies.at(-1)).toEqual(chatBody({ model: "plain", ...extra }));
  });

  test("usage is requested in every stream, and shown to clients that requested it", async () => {
    await gateway.given.channel({ key: "sim-as-usage", models: "usage" });
    const asked = await gateway.stream(key, {
      model: "usage",
      stream_options: { include_usage: true },
    });
    const silent = await gateway.stream(key, { model: "usage" });
    const declined = await gateway.stream(key, {
      model: "usage",
      stream_options: { include_usage: false },
    });
    const usages = ({ events }: { events: string[] }) =>
      events
        .flatMap((one) => (one === "[DONE]" ? [] : [JSON.parse(one).usage]))
        .filter((usage) => usage);
    expect(usages(asked)).toEqual([
      expect.objectContaining({ prompt_tokens: 6, completion_tokens: 12 }),
    ]);
    expect([usages(silent), usages(declined)]).toEqual([[], []]);
    for (const answer of [asked, silent, declined]) {
      expect(answer.text).toBe(asked.text);
      expect(answer.events.at(-1)).toBe("[DONE]");
    }
    await gateway.settled();
    expect((await gateway.logs()).slice(-3).map(({ quota }) => quota)).toEqual([
      defaultCharge,
      defaultCharge,
      defaultCharge,
    ]);
  });

  test("other stream options stay when usage is added", async () => {
    await gateway.given.channel({ key: "k", base_url: canned.url, models: "options" });
    canned.answer = streamed(usageEvent({ prompt_tokens: 6, completion_tokens: 1 }), done);
    await gateway.stream(key, { model: "options", stream_options: { include_obfuscation: false } });
    expect(canned.bodies.at(-1)?.stream_options).toEqual({
      include_obfuscation: false,
      include_usage: true,
    });
  });

  test("the upstream gets the operator's key and nothing of the client's headers", {
    tags: ["F-80"],
  }, async () => {
    await gateway.given.channel({ key: "sim-as-headers", models: "headers" });
    const response = await gateway.send(key, chatBody({ model: "headers" }), {
      headers: {
        cookie: "session=1",
        "x-api-key": "mine",
        "x-forwarded-for": "1.2.3.4",
        "proxy-authorization": "secret",
        "openai-organization": "org",
        "x-secret": "s",
        "user-agent": "caller",
      },
    });
    expect(response.status).toBe(200);
    await response.text();
    const call = (await gateway.simulator.calls()).findLast((one) => one.key === "sim-as-headers");
    expect(Object.keys(call?.headers ?? {}).sort()).toEqual(
      [
        "accept",
        "accept-encoding",
        "authorization",
        "connection",
        "content-length",
        "content-type",
        "host",
        "user-agent",
      ].filter((name) => name in (call?.headers ?? {})),
    );
    expect(call?.headers.authorization).toBe("Bearer sim-as-headers");
    expect(call?.headers["user-agent"]).not.toBe("caller");
    // And the client gets the gateway's id of the call, not the upstream's.
    expect(response.headers.get("x-request-id")).toBe(response.headers.get("x-oneapi-request-id"));
  });

  test("every field of the answer that the gateway does not know reaches the client", async () => {
    await gateway.given.channel({ key: "k", base_url: canned.url, models: "unknown-fields" });
    const more = { service_tier: "flex", vendor: { nested: [1, 2, { three: null }] } };
    canned.answer = whole(
      completion("one", { prompt_tokens: 6, completion_tokens: 1, vendor_tokens: 9 }, more),
    );
    const { body } = await gateway.chat(key, { model: "unknown-fields" });
    expect(body).toMatchObject(more);
    expect(body.usage.vendor_tokens).toBe(9);
    expect(model).toBe("sim-model");
  });
});
