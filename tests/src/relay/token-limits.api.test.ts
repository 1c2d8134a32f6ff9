// How much an API key may request per minute and at once, from the numbers of the form to the
// refusal.
import { once } from "node:events";
import { afterAll, beforeAll, expect, test } from "vitest";
import { WebSocket } from "ws";
import { readReply, type TestReply } from "../harness/api-session.ts";
import { eventually } from "../harness/eventually.ts";
import { databaseKinds } from "../harness/gateway-database.ts";
import {
  chatBody,
  defaultCharge,
  model,
  promptEstimate,
  question,
  startTestGateway,
  type TestGateway,
} from "../harness/test-gateway.ts";
import { describeLarge } from "../support/large-tests.ts";
import {
  type CannedProvider,
  chunk,
  completion,
  startCannedProvider,
  done as streamDone,
  whole,
} from "./canned-provider.ts";
import {
  type CannedRealtimeProvider,
  responseDone,
  startCannedRealtimeProvider,
  usage,
} from "./canned-realtime-provider.ts";
import { disconnectWhen } from "./raw-clients.ts";

/** `usualTokens` are what the usual call uses: 6 prompt tokens and 12 of the answer. */
const usualTokens = 18;
const messages = [{ role: "user", content: question }];
const contents = [{ role: "user", parts: [{ text: question }] }];
const whatever = expect.any(String);

describeLarge(databaseKinds)("limits of an API key on %s", (store) => {
  let gateway: TestGateway;
  let canned: CannedProvider;
  let realtime: CannedRealtimeProvider;
  beforeAll(async () => {
    canned = await startCannedProvider();
    realtime = await startCannedRealtimeProvider();
    gateway = await startTestGateway({ store, upstreams: [canned.url, realtime.url] });
    await gateway.given.channel({ key: "sim-ok" });
    await gateway.given.channel({ key: "sim-stall-3", models: "stalling" });
    await gateway.given.channel({ key: "sim-fail-500", models: "failing" });
    await gateway.given.channel({ key: "sim-no-usage", models: "uncounted" });
    await gateway.given.channel({ key: "canned", models: "canned", base_url: canned.url });
    // Sent as chat completions, whatever the client speaks.
    await gateway.given.channel({ key: "sim-ok", models: "translated", type: 50 });
    await gateway.given.channel({ key: "sim-ok", models: "claude-sim", type: 14 });
    await gateway.given.channel({ key: "sim-ok", models: "gemini-sim", type: 24 });
    await gateway.given.channel({
      key: "realtime",
      models: "gpt-realtime",
      base_url: realtime.url,
    });
  });
  afterAll(async () => {
    expect(await gateway.settled()).toMatchObject({ held: 0, reservations: 0 });
    expect(await gateway.audit()).toBe("The books agree.");
    await gateway.close();
    await canned.close();
    await realtime.close();
  });

  const statuses = (replies: TestReply[]) => replies.map(({ status }) => status).sort();
  const inTurn = async (count: number, key: string, body: Record<string, unknown> = {}) => {
    const replies: TestReply[] = [];
    for (let call = 0; call < count; call += 1) replies.push(await gateway.chat(key, body));
    return replies;
  };
  const post = async (path: string, key: string, body: object) =>
    readReply(
      await fetch(gateway.url + path, {
        method: "POST",
        headers: { "content-type": "application/json", authorization: `Bearer ${key}` },
        body: JSON.stringify(body),
      }),
    );

  test("of many calls at once exactly as many get through as a minute may have, and only those are paid", async () => {
    const { id, key } = await gateway.given.token({
      rpm_limit: 5,
      remain_quota: 1_000_000,
      unlimited_quota: false,
    });
    const before = await gateway.settled();
    const replies = await Promise.all(Array.from({ length: 40 }, () => gateway.chat(key)));
    expect(statuses(replies)).toEqual([...Array(5).fill(200), ...Array(35).fill(429)]);
    for (const { headers, body } of replies.filter(({ status }) => status === 429)) {
      const retryAfter = Number(headers.get("retry-after"));
      expect(retryAfter).toBeGreaterThan(0);
      expect(retryAfter).toBeLessThanOrEqual(60);
      expect(headers.get("x-ratelimit-limit-requests")).toBe("5");
      expect(headers.get("x-ratelimit-remaining-requests")).toBe("0");
      expect(headers.get("x-ratelimit-reset-requests")).toBe(`${retryAfter}s`);
      expect(body.error).toMatchObject({ type: "requests", code: "rate_limit_exceeded" });
      expect(body.error.message).toContain("The API key may make 5 calls per minute");
    }
    const after = await gateway.settled();
    expect(after.charged - before.charged).toBe(5 * defaultCharge);
    expect(after.rows - before.rows).toBe(5);
    const token = await gateway.api<object>("GET", `/api/token/${id}`);
    expect(token).toMatchObject({
      used_quota: 5 * defaultCharge,
      remain_quota: 1_000_000 - 5 * defaultCharge,
    });
  });

  test.each([
    [
      "has room for one more call by the estimate alone",
      usualTokens + promptEstimate,
      [200, 200, 429],
    ],
    ["lacks a single token", usualTokens + promptEstimate - 1, [200, 429, 429]],
  ])(
    "the tokens of a minute are those that were really used: it %s",
    async (_, tpm_limit, expected) => {
      const { key } = await gateway.given.token({ tpm_limit });
      const replies = await inTurn(3, key);
      expect(replies.map(({ status }) => status)).toEqual(expected);
      const { headers, body } = replies.at(-1) as TestReply;
      expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
      expect(headers.get("x-ratelimit-limit-tokens")).toBe(String(tpm_limit));
      expect(body.error).toMatchObject({ type: "tokens", code: "rate_limit_exceeded" });
    },
  );

  test("a stream counts what it used, too; a call that failed counts no tokens, but counts as a call", async () => {
    const streaming = await gateway.given.token({ tpm_limit: usualTokens });
    expect((await gateway.stream(streaming.key)).status).toBe(200);
    expect((await gateway.chat(streaming.key)).status).toBe(429);
    const failing = await gateway.given.token({ tpm_limit: promptEstimate, rpm_limit: 3 });
    expect(statuses(await inTurn(4, failing.key, { model: "failing" }))).toEqual([
      429, 500, 500, 500,
    ]);
  });

  test("a prompt that is longer than a minute allows is refused without a time to come back", async () => {
    const { key } = await gateway.given.token({ tpm_limit: promptEstimate - 1 });
    const { status, headers, body } = await gateway.chat(key);
    expect([status, headers.get("retry-after")]).toEqual([429, null]);
    expect(body.error.message).toContain(
      `about ${promptEstimate} tokens; the API key may use ${promptEstimate - 1}`,
    );
  });

  test("a stream holds its place until it has ended", async () => {
    const { key } = await gateway.given.token({ max_parallel_requests: 1 });
    let end = () => {};
    canned.answer = (response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(chunk("one"));
      end = () => response.end(streamDone);
    };
    const stream = await gateway.send(key, chatBody({ model: "canned", stream: true }));
    expect(stream.status).toBe(200);
    const refused = await gateway.chat(key);
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "1"]);
    expect(refused.body.error.message).toContain("The API key may make 1 call at once");
    end();
    expect(await stream.text()).toContain("[DONE]");
    expect((await gateway.chat(key)).status).toBe(200);
  });

  test("a client that repeats after its answer arrived is never refused", async () => {
    const { key } = await gateway.given.token({ max_parallel_requests: 1 });
    expect(statuses(await inTurn(25, key))).toEqual(Array(25).fill(200));
    for (let call = 0; call < 10; call += 1) {
      expect((await gateway.stream(key)).status).toBe(200);
      // What was used is only counted when the answer is out.
      expect((await gateway.stream(key, { model: "uncounted" })).status).toBe(200);
    }
  });

  test("of many calls at once only as many run as the limit allows", async () => {
    const { key } = await gateway.given.token({ max_parallel_requests: 3 });
    const waiting: (() => void)[] = [];
    canned.answer = (response) => {
      waiting.push(() =>
        whole(completion("so it is", { prompt_tokens: 6, completion_tokens: 12 }))(response),
      );
    };
    const running = Array.from({ length: 20 }, () => gateway.chat(key, { model: "canned" }));
    const refused: TestReply[] = [];
    for (const call of running) {
      void call.then((reply) => {
        if (reply.status === 429) refused.push(reply);
      });
    }
    await eventually(() => expect([refused.length, waiting.length]).toEqual([17, 3]));
    for (const answer of waiting) answer();
    expect(statuses(await Promise.all(running))).toEqual([
      ...Array(3).fill(200),
      ...Array(17).fill(429),
    ]);
  });

  test("a slot is free again after a client that left, a channel that failed, and a call without enough quota", async () => {
    const { id, key } = await gateway.given.token({ max_parallel_requests: 1 });
    await disconnectWhen(gateway, key, (read) => read.includes("content"), { model: "stalling" });
    await eventually(async () => expect((await gateway.chat(key)).status).toBe(200));
    expect((await gateway.chat(key, { model: "failing" })).status).toBe(500);
    expect((await gateway.chat(key, { model: "nowhere" })).status).toBe(404);
    await gateway.api("PUT", "/api/token/", { id, unlimited_quota: false, remain_quota: 1 });
    expect((await gateway.chat(key)).status).toBe(403);
    await gateway.api("PUT", "/api/token/", { id, unlimited_quota: true });
    expect((await gateway.chat(key)).status).toBe(200);
  });

  test.each([
    [
      "chat completions",
      "/v1/chat/completions",
      { model, messages },
      { error: { type: "requests", code: "rate_limit_exceeded", message: whatever, param: null } },
    ],
    [
      "responses",
      "/v1/responses",
      { model: "translated", input: question },
      { error: { type: "requests", code: "rate_limit_exceeded", message: whatever, param: null } },
    ],
    [
      "messages",
      "/v1/messages",
      { model: "claude-sim", messages, max_tokens: 12 },
      {
        type: "error",
        request_id: whatever,
        error: { type: "rate_limit_error", code: "rate_limit_exceeded", message: whatever },
      },
    ],
    [
      "Gemini's interface",
      "/v1beta/models/gemini-sim:generateContent",
      { contents },
      {
        error: {
          code: 429,
          status: "RESOURCE_EXHAUSTED",
          message: whatever,
          details: expect.any(Array),
        },
      },
    ],
    [
      "streams of Gemini that are lists",
      "/v1beta/models/gemini-sim:streamGenerateContent",
      { contents },
      [
        {
          error: {
            code: 429,
            status: "RESOURCE_EXHAUSTED",
            message: whatever,
            details: expect.any(Array),
          },
        },
      ],
    ],
  ])(
    "the refusal has the error format of the client's interface: %s",
    async (_, path, body, expected) => {
      const { key } = await gateway.given.token({ rpm_limit: 1 });
      expect((await post(path, key, body)).status).toBe(200);
      const refused = await post(path, key, body);
      expect(refused.status).toBe(429);
      expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
      expect(refused.body).toEqual(expected);
    },
  );

  test("a key without limits and one of the same owner with them do not know of each other", async () => {
    const limited = await gateway.given.token({
      rpm_limit: 1,
      tpm_limit: 100,
      max_parallel_requests: 1,
    });
    const free = await gateway.given.token();
    expect(statuses(await inTurn(2, limited.key))).toEqual([200, 429]);
    const replies = await Promise.all(Array.from({ length: 20 }, () => gateway.chat(free.key)));
    expect(statuses(replies)).toEqual(Array(20).fill(200));
    for (const { headers } of replies)
      expect([...headers.keys()].join()).not.toContain("ratelimit");
  });

  test("a limit that is changed counts from the next call on", async () => {
    const { id, key } = await gateway.given.token({ rpm_limit: 1 });
    const change = (limits: object) => gateway.api("PUT", "/api/token/", { id, ...limits });
    expect(statuses(await inTurn(2, key))).toEqual([200, 429]);
    await change({ rpm_limit: 3 });
    expect(statuses(await inTurn(3, key))).toEqual([200, 200, 429]);
    await change({ rpm_limit: 2 });
    expect(statuses(await inTurn(1, key))).toEqual([429]);
    await change({ rpm_limit: 0 });
    expect(statuses(await inTurn(5, key))).toEqual(Array(5).fill(200));
    await change({ tpm_limit: 1 });
    expect(statuses(await inTurn(1, key))).toEqual([429]);
    await change({ tpm_limit: null });
    expect(statuses(await inTurn(1, key))).toEqual([200]);
  });

  test("counting the tokens of a prompt uses none of the calls, and has the same limit", async () => {
    const { key } = await gateway.given.token({ rpm_limit: 2 });
    const count = () => post("/v1/messages/count_tokens", key, { model: "claude-sim", messages });
    expect(statuses([await count(), await count(), await count()])).toEqual([200, 200, 429]);
    expect(statuses(await inTurn(3, key))).toEqual([200, 200, 429]);
  });

  test("a realtime session is a call: it holds its place until it ends, and its tokens count then", async () => {
    realtime.onEvent = (session, { type }) => {
      if (type === "response.create") session.send(responseDone);
    };
    const { id, key } = await gateway.given.token({ max_parallel_requests: 1 });
    const address = `${gateway.url.replace("http", "ws")}/v1/realtime?model=gpt-realtime`;
    const connect = () => new WebSocket(address, { headers: { authorization: `Bearer ${key}` } });
    const refusal = async (): Promise<number> => {
      const socket = connect();
      socket.on("error", () => undefined);
      const [, response] = (await once(socket, "unexpected-response")) as [
        unknown,
        { statusCode: number },
      ];
      socket.terminate();
      return response.statusCode;
    };
    const first = connect();
    await once(first, "message");
    expect(await refusal()).toBe(429);
    expect((await gateway.chat(key)).status).toBe(429);
    first.send(JSON.stringify({ type: "response.create" }));
    await once(first, "message");
    first.close();
    await once(first, "close");
    await eventually(async () => expect((await gateway.chat(key)).status).toBe(200));

    await gateway.api("PUT", "/api/token/", { id, max_parallel_requests: 0, tpm_limit: 1_000_000 });
    const second = connect();
    await once(second, "message");
    second.send(JSON.stringify({ type: "response.create" }));
    await once(second, "message");
    second.close();
    await once(second, "close");
    await gateway.settled();
    await gateway.api("PUT", "/api/token/", {
      id,
      tpm_limit: usage.total_tokens + promptEstimate - 1,
    });
    expect((await gateway.chat(key)).status).toBe(429);
  });
});
