// Streams through the relay: however the upstream writes them, however slowly the client reads.
import { readFileSync } from "node:fs";
import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { eventually } from "../harness/eventually.ts";
import { databaseKinds } from "../harness/gateway-database.ts";
import {
  chatBody,
  defaultCharge,
  promptEstimate,
  question,
  startTestGateway,
  type TestGateway,
} from "../harness/test-gateway.ts";
import { describeLarge } from "../support/large-tests.ts";
import {
  type CannedProvider,
  chunk,
  done,
  startCannedProvider,
  streamed,
  usageEvent,
} from "./canned-provider.ts";
import { rawConnection, rawHead } from "./raw-clients.ts";

let gateway: TestGateway;
let canned: CannedProvider;
let key: string;
let plainText: string;
beforeAll(async () => {
  canned = await startCannedProvider();
  gateway = await startTestGateway({ upstreams: [canned.url] });
  key = (await gateway.given.token()).key;
  await gateway.given.channel({ key: "sim-as-plain", models: "plain" });
  plainText = (await gateway.stream(key, { model: "plain" })).text;
});
afterAll(async () => {
  await gateway.close();
  await canned.close();
});

let count = 0;
async function given(upstreamKey: string): Promise<string> {
  count += 1;
  const models = `stream-${count}`;
  await gateway.given.channel({
    key: `${upstreamKey}+as-${count}`,
    models,
    base_url: upstreamKey === "canned" ? canned.url : gateway.simulator.url,
  });
  return models;
}
const rowOf = async (name: string) => {
  await gateway.settled();
  const row = (await gateway.logs()).findLast(
    ({ origin_model_name }) => origin_model_name === name,
  );
  if (!row) throw new Error(`no call of ${name} is logged`);
  return row;
};
const memoryMiB = (): number => {
  const status = readFileSync(`/proc/${gateway.process.pid}/status`, "utf8");
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
};

test("a plain stream has the headers that proxies and browsers want, and ends with [DONE]", async () => {
  const answer = await gateway.stream(key, { model: "plain" });
  expect(answer.headers.get("content-type")).toMatch(/^text\/event-stream/);
  expect(answer.headers.get("cache-control")).toBe("no-cache, no-transform");
  expect(answer.headers.get("x-accel-buffering")).toBe("no");
  expect(answer.text.split(" ")).toHaveLength(12);
  expect(answer.events.at(-1)).toBe("[DONE]");
});

describe("an upstream that writes strangely", () => {
  test.each(["crlf", "cr", "bom", "no-space", "comments", "split"])(
    "but legally (%s) loses nothing, for any reader and for the official library",
    async (quirk) => {
      const name = await given(`sim-wire-${quirk}`);
      const answer = await gateway.stream(key, { model: name });
      expect(answer).toMatchObject({ status: 200, text: plainText, errors: [] });
      expect(answer.events.at(-1)).toBe("[DONE]");
      expect(answer.events.filter((event) => event.includes('"usage":{'))).toEqual([]);
      expect(await officialText(name)).toBe(plainText);
      expect(await rowOf(name)).toMatchObject({ outcome: "success", quota: defaultCharge });
    },
  );

  test.each(["no-blank", "no-done", "double-done"])(
    "with a broken end (%s) still ends properly",
    async (quirk) => {
      const name = await given(`sim-wire-${quirk}`);
      const answer = await gateway.stream(key, { model: name });
      expect(answer).toMatchObject({ status: 200, text: plainText, errors: [] });
      // The terminator is ours to give: clients wait for it.
      expect(answer.raw.trimEnd().endsWith("data: [DONE]")).toBe(true);
      expect(await officialText(name)).toBe(plainText);
      expect(await rowOf(name)).toMatchObject({ outcome: "success", quota: defaultCharge });
    },
  );

  test.each(["sim-wire-nul", "sim-malformed"])(
    "with a damaged event (%s): the client gets events that can be read, or an error, and never garbage",
    async (upstreamKey) => {
      const name = await given(upstreamKey);
      const response = await gateway.send(key, chatBody({ model: name, stream: true }));
      const raw = await response.text();
      const data = raw
        .split("\n")
        .flatMap((line) => (line.startsWith("data: ") ? [line.slice(6)] : []));
      const unreadable = data.filter((one) => {
        if (one === "[DONE]") return false;
        try {
          JSON.parse(one);
          return false;
        } catch {
          return true;
        }
      });
      expect(unreadable).toEqual([]);
      const text = data.flatMap((one) =>
        one === "[DONE]" ? [] : [JSON.parse(one).choices?.[0]?.delta?.content ?? ""],
      );
      expect(plainText.startsWith(text.join(""))).toBe(true);
      expect(text.join("").length).toBeGreaterThan(0);
      const row = await rowOf(name);
      if (text.join("") === plainText)
        expect(row).toMatchObject({ outcome: "success", quota: defaultCharge });
      else expect(row.outcome).toBe("cut");
    },
  );

  test("with a line of 10 MB: the stream ends with an error, what came before is there, and the memory stays small", {
    tags: ["FT-09", "large"],
  }, async () => {
    const name = await given("sim-wire-huge-line");
    const before = memoryMiB();
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => gateway.stream(key, { model: name })),
    );
    for (const answer of answers) {
      expect(answer.errors).toHaveLength(1);
      expect(plainText.startsWith(answer.text)).toBe(true);
      expect(answer.text.split(" ")).toHaveLength(2);
      expect(answer.raw.length).toBeLessThan(100_000);
    }
    expect(memoryMiB() - before).toBeLessThan(150);
    await gateway.settled();
    const rows = (await gateway.logs()).filter(
      ({ origin_model_name }) => origin_model_name === name,
    );
    expect(rows.map(({ outcome, completion_tokens }) => [outcome, completion_tokens])).toEqual(
      Array.from({ length: 10 }, () => ["cut", 2]),
    );
  });

  test("cut at every byte: the same text arrives and the same is charged", {
    tags: ["FT-09"],
    timeout: 60_000,
  }, async () => {
    const name = await given("canned");
    const usage = usageEvent({ prompt_tokens: 6, completion_tokens: 3 });
    const bytes = Buffer.from(
      `: hello\r\n\r\n${chunk("naïve ")}${chunk("雪 🌊").replaceAll("\n", "\r\n")}${usage}${done}`,
    );
    canned.answer = async (response, _, body) => {
      const at = Number(JSON.parse(body).user);
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(bytes.subarray(0, at));
      await new Promise((resolve) => setTimeout(resolve, 20));
      response.end(bytes.subarray(at));
    };
    const places = Array.from({ length: bytes.length - 1 }, (_, at) => at + 1);
    const answers = [];
    // Not all at once: pieces that wait for a processor would be joined again.
    while (places.length > 0) {
      const some = places.splice(0, 20);
      answers.push(
        ...(await Promise.all(
          some.map((at) => gateway.stream(key, { model: name, user: String(at) })),
        )),
      );
    }
    expect(new Set(answers.map(({ text }) => text))).toEqual(new Set(["naïve 雪 🌊"]));
    expect(new Set(answers.map(({ events }) => events.at(-1)))).toEqual(new Set(["[DONE]"]));
    await gateway.settled();
    const rows = (await gateway.logs()).filter(
      ({ origin_model_name }) => origin_model_name === name,
    );
    expect(new Set(rows.map(({ quota, outcome }) => `${outcome} ${quota}`))).toEqual(
      new Set(["success 18"]),
    );
    expect(rows).toHaveLength(bytes.length - 1);
  });

  test("each event reaches the client when it comes, not when there is enough of it", {
    tags: ["F-116"],
  }, async () => {
    const name = await given("sim-stall-3");
    const response = await gateway.send(key, chatBody({ model: name, stream: true }));
    const reader = response.body?.getReader();
    let read = "";
    // The upstream has sent three words and sends no more: they must be here nevertheless.
    while (reader && read.split('"content":"').length < 5) {
      const { value, done: ended } = await reader.read();
      if (ended) break;
      read += Buffer.from(value).toString();
    }
    expect(read.split('"content":"').length).toBe(5);
    await reader?.cancel();
    await gateway.settled();
  });

  test("a stream without content that ends regularly reaches the client", async () => {
    const name = await given("canned");
    canned.answer = streamed(
      'data: {"id":"c","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}\n\n',
      'data: {"id":"c","choices":[{"index":0,"delta":{},"finish_reason":"content_filter"}]}\n\n',
      usageEvent({ prompt_tokens: 6, completion_tokens: 0 }),
      done,
    );
    const answer = await gateway.stream(key, { model: name });
    expect(answer).toMatchObject({ status: 200, errors: [] });
    expect(answer.raw).toContain("content_filter");
    expect(await rowOf(name)).toMatchObject({ outcome: "success", quota: 6 });
  });

  test("an error event under 200 with nothing before it becomes an error response", async () => {
    const name = await given("canned");
    canned.answer = streamed(
      'data: {"error":{"message":"overloaded","type":"server_error","code":"busy"}}\n\n',
      done,
    );
    const response = await gateway.send(key, chatBody({ model: name, stream: true }));
    expect(response.status).toBeGreaterThanOrEqual(500);
    const { error } = JSON.parse(await response.text());
    expect(error).toMatchObject({
      message: expect.stringContaining("The provider failed"),
      type: "server_error",
    });
    expect(await rowOf(name)).toMatchObject({ quota: 0, outcome: "failed" });
  });
});

async function officialText(name: string): Promise<string> {
  const client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: key, maxRetries: 0 });
  const stream = await client.chat.completions.create({
    model: name,
    messages: [{ role: "user", content: question }],
    stream: true,
  });
  let text = "";
  for await (const part of stream) text += part.choices[0]?.delta.content ?? "";
  return text;
}

test("while an upstream that has answered keeps silent, comments reach the client every few seconds", {
  tags: ["FT-05"],
  timeout: 60_000,
}, async () => {
  const name = await given("sim-pace-13000+tokens-1");
  const asked = Date.now();
  const response = await gateway.send(key, chatBody({ model: name, stream: true }));
  const reader = response.body?.getReader();
  const first = await reader?.read();
  // A comment every 5 s while the upstream is silent, by the wire contract: long before the word
  // after 13 s.
  expect(Buffer.from(first?.value ?? []).toString()).toBe(":\n\n");
  expect(Date.now() - asked).toBeLessThan(11_000);
  let rest = "";
  for (let part = await reader?.read(); part && !part.done; part = await reader?.read())
    rest += Buffer.from(part.value);
  expect(rest).toContain("[DONE]");
  expect(await rowOf(name)).toMatchObject({ outcome: "success", quota: 6 + 4 });
});

test("an upstream that has not answered at all: comments come as well, and its failure ends the stream with an error", {
  tags: ["large"],
  timeout: 60_000,
}, async () => {
  const name = await given("sim-slow-20000+fail-503");
  const response = await gateway.send(key, chatBody({ model: name, stream: true }));
  expect(response.status).toBe(200);
  const raw = await response.text();
  expect(raw).toMatch(/^(:\n\n)+data: \{"error":/);
  expect(raw.trimEnd().endsWith("data: [DONE]")).toBe(true);
  expect(await rowOf(name)).toMatchObject({ quota: 0, outcome: "failed" });
});

test("a stream closes its connection where the client requests that, and announces it", async () => {
  const body = JSON.stringify(chatBody({ model: "plain", stream: true }));
  const { socket, closed } = await rawConnection(gateway.url);
  socket.write(rawHead(key, { connection: "close", "content-length": body.length }) + body);
  const received = await closed;
  expect(received).toMatch(/\r\nconnection: close\r\n/i);
  expect(received).toContain("data: [DONE]");
});

test("readers who take nothing hold the upstream back, and cost the gateway no memory", {
  tags: ["F-110", "FT-21"],
  timeout: 180_000,
}, async () => {
  const name = await given("sim-tokens-2000000");
  const body = JSON.stringify(chatBody({ model: name, stream: true }));
  const before = memoryMiB();
  const connections = await Promise.all(
    Array.from({ length: 20 }, () => rawConnection(gateway.url)),
  );
  for (const { socket } of connections) {
    socket.pause();
    socket.write(rawHead(key, { "content-length": body.length }) + body);
  }
  const sent = async () => {
    const calls = (await gateway.simulator.calls()).filter(
      (call) => call.key === `sim-tokens-2000000+as-${count}`,
    );
    expect(calls).toHaveLength(20);
    return calls.map(({ contentEvents }) => contentEvents).reduce((sum, one) => sum + one, 0);
  };
  // Until nothing moves any more.
  let last = -1;
  await eventually(
    async () => {
      const now = await sent();
      const stands = now === last && now > 0;
      last = now;
      if (!stands) throw new Error(`${now} events and counting`);
    },
    { timeoutMs: 120_000, everyMs: 500 },
  );
  // 200 bytes an event and 20 streams: what the sockets on both sides hold, far from the 400 MB of
  // each answer.
  expect(last).toBeLessThan(20 * 2_000_000 * 0.05);
  expect(memoryMiB() - before).toBeLessThan(150);
  for (const { socket } of connections) socket.destroy();
  await gateway.settled();
  const rows = (await gateway.logs()).filter(({ origin_model_name }) => origin_model_name === name);
  expect(new Set(rows.map(({ outcome }) => outcome))).toEqual(new Set(["client_left"]));
  expect(rows).toHaveLength(20);
});

test("a slow reader gets everything", { tags: ["large"], timeout: 60_000 }, async () => {
  const name = await given("sim-tokens-20000");
  const response = await gateway.send(key, chatBody({ model: name, stream: true }));
  const reader = response.body?.getReader();
  let raw = "";
  let pieces = 0;
  for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) {
    raw += Buffer.from(part.value).toString("latin1");
    pieces += 1;
    if (pieces % 5 === 0) await new Promise((resolve) => setTimeout(resolve, 10));
  }
  expect(raw.match(/"delta":\{"content"/g)).toHaveLength(20_000);
  expect(raw.trimEnd().endsWith("data: [DONE]")).toBe(true);
  expect(await rowOf(name)).toMatchObject({ outcome: "success", completion_tokens: 20_000 });
});

describeLarge(databaseKinds)("a balance that runs out under a stream, on %s", (store) => {
  test("ends it with an error, and nothing is delivered unbilled", async () => {
    // Enough for the hold of one call without max_tokens (at least 4,096 answer tokens) and a
    // little more.
    const balance = 17_000;
    const poor = await startTestGateway({ store, balance });
    try {
      await poor.given.channel({ key: "sim-pace-1+tokens-30000+no-limit" });
      const token = await poor.given.token();
      const answer = await poor.stream(token.key);
      expect(answer.errors).toEqual([
        expect.objectContaining({ code: "streaming_billing_failed" }),
      ]);
      const books = await poor.settled();
      const words = answer.text.split(" ").length;
      const log = await poor.lastLog();
      expect(log).toMatchObject({
        outcome: "quota_ran_out",
        content: expect.stringContaining("by a sample"),
      });
      const exact = promptEstimate + 4 * words;
      expect(Math.abs(log.quota - exact) / exact).toBeLessThan(0.03);
      expect(books).toMatchObject({
        balance: Math.max(0, balance - log.quota),
        held: 0,
        charged: log.quota,
      });
      expect(books.debt + books.shortfall).toBe(Math.max(0, log.quota - balance));
      expect(await poor.audit()).toBe("The books agree.");
    } finally {
      await poor.close();
    }
  }, 90_000);
});
