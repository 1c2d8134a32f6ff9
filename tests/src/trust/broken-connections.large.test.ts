// Connections that end, stall or flood at every point of a call, from either side: the process goes
// on and retains nothing.
import { readFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readReply } from "../harness/api-session.ts";
import { eventually } from "../harness/eventually.ts";
import { databaseKinds } from "../harness/gateway-database.ts";
import { type ReverseProxy, startReverseProxy } from "../harness/reverse-proxy.ts";
import { chatBody, question, startTestGateway, type TestGateway } from "../harness/test-gateway.ts";
import {
  type CannedProvider,
  chunk,
  completion,
  done,
  startCannedProvider,
  usageEvent,
} from "../relay/canned-provider.ts";
import { type RawConnection, rawConnection, rawHead, writeAll } from "../relay/raw-clients.ts";

let world: TestGateway;
let canned: CannedProvider;
let key: string;
let pid: number;
let slow: RawConnection[];
let slowBodies: RawConnection[];
let drip: NodeJS.Timeout;
beforeAll(async () => {
  canned = await startCannedProvider();
  world = await startTestGateway({ upstreams: [canned.url], env: { SHUTDOWN_GRACE_SECONDS: "3" } });
  await world.given.channel({ key: "sim-ok" });
  key = (await world.given.token()).key;
  pid = world.process.pid;
  // They write all the while that the other tests run.
  slow = await Promise.all(Array.from({ length: 300 }, () => rawConnection(world.url)));
  for (const { socket } of slow)
    socket.write("POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nx-slow: ");
  slowBodies = await Promise.all(Array.from({ length: 100 }, () => rawConnection(world.url)));
  for (const { socket } of slowBodies)
    socket.write(`${rawHead(key, { "content-length": 1_000_000 })}{"model": "`);
  drip = setInterval(() => {
    for (const { socket } of [...slow, ...slowBodies]) if (!socket.destroyed) socket.write("a");
  }, 1_000);
});
afterAll(async () => {
  clearInterval(drip);
  expect(world.process.pid).toBe(pid);
  expect(world.process.output()).not.toMatch(/unhandledRejection|uncaughtException|"level":60/);
  expect(await world.settled()).toMatchObject({ held: 0, reservations: 0 });
  expect(await world.audit()).toBe("The books agree.");
  await world.close();
  await canned.close();
});

const alive = async () => expect((await world.chat(key, { max_tokens: 12 })).status).toBe(200);
/** In MiB, as the kernel counts it. */
const memoryOf = (process: number) =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${process}/status`, "utf8"))?.[1]) / 1024;

describe("F-113 an upstream that ends", { tags: ["F-113", "FT-10"] }, () => {
  const head = { "content-type": "text/event-stream" };
  const json = { "content-type": "application/json" };
  const text = JSON.stringify(completion("one", { prompt_tokens: 6, completion_tokens: 1 }));
  /** Writes and then breaks, or resets, the connection. */
  const ends: [point: string, act: (response: ServerResponse) => void][] = [
    ["before its head", () => undefined],
    ["after its head", (response) => void response.writeHead(200, head).flushHeaders()],
    ["in its first event", (response) => void response.writeHead(200, head).write("data: {")],
    ["after a comment", (response) => void response.writeHead(200, head).write(":\n\n")],
    ["after a word", (response) => void response.writeHead(200, head).write(chunk("one"))],
    [
      "in its second event",
      (response) => void response.writeHead(200, head).write(`${chunk("one")}data: {"id`),
    ],
    [
      "after its usage",
      (response) =>
        void response
          .writeHead(200, head)
          .write(chunk("one") + usageEvent({ prompt_tokens: 6, completion_tokens: 1 })),
    ],
    ["after [DONE]", (response) => void response.writeHead(200, head).write(chunk("one") + done)],
    ["in its JSON", (response) => void response.writeHead(200, json).write(text.slice(0, 40))],
    [
      "with less than it announced",
      (response) => void response.writeHead(200, { ...json, "content-length": 999 }).write(text),
    ],
    ["in its error", (response) => void response.writeHead(500, json).write('{"error":')],
    [
      "in a piece",
      (response) =>
        void response
          .writeHead(200, { ...head, "transfer-encoding": "chunked" })
          .write(chunk("one")),
    ],
  ];
  test.each(ends)(
    "%s affects no other call, whether the client waits or has disconnected",
    async (_point, run) => {
      const models = `m-113-${_point.replaceAll(/\W/g, "-")}`;
      await world.given.channel({ key: "k", base_url: canned.url, models });
      for (const how of ["destroy", "resetAndDestroy"] as const) {
        canned.answer = async (response) => {
          run(response);
          // The written bytes must be sent before the reset discards them.
          await pause(30);
          response.socket?.[how]();
        };
        for (const stream of [false, true]) {
          const stays = world
            .send(key, chatBody({ model: models, stream }))
            .then((response) => response.text());
          const disconnect = new AbortController();
          const disconnects = world
            .send(key, chatBody({ model: models, stream }), { signal: disconnect.signal })
            .then((response) => response.text());
          // Just when the upstream breaks off as well.
          setTimeout(() => disconnect.abort(), 30);
          await Promise.allSettled([stays, disconnects]);
        }
      }
      await world.settled();
      await alive();
    },
  );
});

test("F-114 an interrupted response never looks complete", {
  tags: ["F-114", "FT-10"],
}, async () => {
  const models = "m-114";
  await world.given.channel({ key: "k", base_url: canned.url, models });
  const text = JSON.stringify(completion("word ".repeat(200)));
  for (const cut of [1, 100, text.length - 1])
    for (const length of [{}, { "content-length": text.length }]) {
      canned.answer = async (response) => {
        response.writeHead(200, { "content-type": "application/json", ...length });
        response.write(text.slice(0, cut));
        await pause(30);
        response.destroy();
      };
      const reply = await world.chat(key, { model: models });
      expect(reply.status).toBeGreaterThanOrEqual(500);
      expect(reply.body.error.message).toContain("request id");
    }
});

test("F-110 two dozen long responses at once leave nothing in memory", {
  tags: ["F-110"],
  timeout: 60_000,
}, async () => {
  const models = "m-110";
  await world.given.channel({ key: "sim-as-long+tokens-20000", models });
  await alive();
  const before = memoryOf(pid);
  let peak = before;
  const watch = setInterval(() => {
    peak = Math.max(peak, memoryOf(pid));
  }, 50);
  const prompt = "word ".repeat(40_000);
  const long = Array.from({ length: 24 }, async (_, n) => {
    const messages = [{ role: "user", content: n % 2 ? prompt : question }];
    const response = await world.send(
      key,
      chatBody({ model: models, stream: true, messages, max_tokens: 20_000 }),
    );
    let bytes = 0;
    for await (const piece of response.body ?? []) bytes += piece.length;
    return bytes;
  });
  const lengths = await Promise.all(long);
  clearInterval(watch);
  // Together these 24 responses are far larger than the growth of the gateway.
  const total = lengths.reduce((sum, bytes) => sum + bytes, 0) / 1024 / 1024;
  expect(total).toBeGreaterThan(60);
  expect(peak - before).toBeLessThan(150);
  await world.settled();
});

describe("bodies that cost a careless reader its time", () => {
  const slowestMs = 3_000;
  const timed = async (run: () => Promise<unknown>) => {
    const startedAt = performance.now();
    await run();
    expect(performance.now() - startedAt).toBeLessThan(slowestMs);
  };
  const form = async (boundary: string, body: string) =>
    readReply(
      await fetch(`${world.url}/v1/audio/transcriptions`, {
        method: "POST",
        headers: {
          authorization: `Bearer ${key}`,
          "content-type": `multipart/form-data; boundary=${boundary}`,
        },
        body,
      }),
    );

  test.each<[string, string, () => string]>([
    ["a body of dashes", "-", () => "-".repeat(10_000_000)],
    ["dashes that nearly are a boundary", "x", () => "--".repeat(4_000_000)],
    ["line ends alone", "x", () => "\r\n".repeat(4_000_000)],
    ["a boundary that never ends", "x", () => "\r\n--x".repeat(1_500_000)],
    [
      "a hundred thousand fields",
      "x",
      () =>
        `${Array.from({ length: 100_000 }, (_, n) => `--x\r\ncontent-disposition: form-data; name="f${n}"\r\n\r\n1\r\n`).join("")}--x--`,
    ],
    ["a head without end", "x", () => `--x\r\n${"a: b\r\n".repeat(500_000)}`],
    [
      "a name of quotes",
      "x",
      () => `--x\r\ncontent-disposition: form-data; name="${'\\"'.repeat(1_000_000)}\r\n\r\n`,
    ],
  ])(
    "F-64 a form with %s is refused soon, and others are served meanwhile",
    { tags: ["F-64"] },
    async (_what, boundary, body) => {
      const text = body();
      await timed(async () => {
        const [refused] = await Promise.all([form(boundary, text), alive()]);
        expect(refused.status).toBeGreaterThanOrEqual(400);
        expect(refused.status).toBeLessThan(500);
      });
    },
  );

  test.each<[string, () => string]>([
    ["ten million times one letter", () => "a".repeat(10_000_000)],
    ["ten million blanks", () => " ".repeat(10_000_000)],
    ["half characters", () => "\ud83d".repeat(300_000)],
    ["joined emoji", () => "👨‍👩‍👧‍👦".repeat(100_000)],
    ["marks on one letter", () => `a${"\u0301".repeat(1_000_000)}`],
    ["NULs", () => "\0".repeat(300_000)],
    ["right to left and back", () => "\u202e\u202d".repeat(300_000)],
  ])(
    "F-118 a prompt of %s is counted soon and breaks nothing",
    { tags: ["F-118"] },
    async (_what, content) => {
      const messages = [{ role: "user", content: content() }];
      await timed(async () => {
        const [reply] = await Promise.all([world.chat(key, { messages, max_tokens: 12 }), alive()]);
        expect([200, 400, 403]).toContain(reply.status);
      });
    },
  );
});

describe("F-81 bytes that two servers could parse as different calls are refused, and no second response follows:", {
  tags: ["F-81"],
}, () => {
  const body = JSON.stringify(chatBody());
  const inner = () => `${rawHead(key, { "content-length": body.length })}${body}`;
  const post = (lines: string[], remaining: string) =>
    [
      "POST /v1/chat/completions HTTP/1.1",
      "host: gateway",
      `authorization: Bearer ${key}`,
      ...lines,
      "",
      remaining,
    ].join("\r\n");
  const hex = (text: string) => text.length.toString(16);
  const chunked = (text: string) => `${hex(text)}\r\n${text}\r\n0\r\n\r\n`;
  const cases: [name: string, bytes: () => string][] = [
    [
      "length and chunks",
      () => post(["content-length: 6", "transfer-encoding: chunked"], `0\r\n\r\n${inner()}`),
    ],
    [
      "chunks and length",
      () => post(["transfer-encoding: chunked", "content-length: 6"], `0\r\n\r\n${inner()}`),
    ],
    [
      "two lengths",
      () => post(["content-length: 0", `content-length: ${inner().length}`], inner()),
    ],
    ["a list of lengths", () => post([`content-length: 0, ${inner().length}`], inner())],
    ["a length with a sign", () => post(["content-length: +0"], inner())],
    ["a negative length", () => post(["content-length: -1"], inner())],
    ["a length in hex", () => post(["content-length: 0x0"], inner())],
    ["a length with a blank inside", () => post(["content-length: 0 0"], inner())],
    [
      "chunked twice",
      () =>
        post(["transfer-encoding: chunked", "transfer-encoding: chunked"], `0\r\n\r\n${inner()}`),
    ],
    [
      "chunked not last",
      () => post(["transfer-encoding: chunked, identity"], `0\r\n\r\n${inner()}`),
    ],
    ["another coding", () => post(["transfer-encoding: xchunked"], `0\r\n\r\n${inner()}`)],
    [
      "a blank before the colon",
      () => post(["transfer-encoding : chunked", "content-length: 0"], `0\r\n\r\n${inner()}`),
    ],
    [
      "a vertical tab in it",
      () => post(["transfer-encoding:\u000bchunked"], `0\r\n\r\n${inner()}`),
    ],
    ["a folded header", () => post(["x: a", " transfer-encoding: chunked"], `0\r\n\r\n${inner()}`)],
    ["a header without a colon", () => post(["transfer-encoding chunked"], inner())],
    ["a NUL in a header", () => post(["x: a\0b"], inner())],
    [
      "a carriage return alone",
      () => post(["x: a\rtransfer-encoding: chunked"], `0\r\n\r\n${inner()}`),
    ],
    ["line feeds alone", () => `POST / HTTP/1.1\nhost: x\ncontent-length: 0\n\n${inner()}`],
    ["a size that is none", () => post(["transfer-encoding: chunked"], `zz\r\n${inner()}`)],
    ["a negative size", () => post(["transfer-encoding: chunked"], `-1\r\n${inner()}`)],
    ["a size in 0x", () => post(["transfer-encoding: chunked"], `0x0\r\n\r\n${inner()}`)],
    [
      "a size beyond numbers",
      () => post(["transfer-encoding: chunked"], `ffffffffffffffffff\r\n${inner()}`),
    ],
    [
      "a piece longer than its size",
      () => post(["transfer-encoding: chunked"], `1\r\nab\r\n0\r\n\r\n${inner()}`),
    ],
    ["a line feed after the size", () => post(["transfer-encoding: chunked"], `0\n\n${inner()}`)],
    ["a version that is none", () => `GET /v1/models HTTP/1.10\r\nhost: x\r\n\r\n${inner()}`],
    ["no version", () => `GET /v1/models\r\n\r\n${inner()}`],
    ["HTTP/2 from the start", () => `PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n${inner()}`],
  ];
  test.each(cases)("%s", async (_name, bytes) => {
    const before = (await world.settled()).rows;
    const connection = await rawConnection(world.url);
    connection.socket.write(bytes(), "latin1");
    const answer = await connection.closed;
    expect(answer).toMatch(/^HTTP\/1\.1 4\d\d /);
    expect(answer.match(/HTTP\/1\.1 \d\d\d /g)).toHaveLength(1);
    expect((await world.settled()).rows).toBe(before);
  });

  describe.each([
    ["strict", false],
    ["lenient", true],
  ] as const)("behind a %s reverse proxy", (_kind, isLenient) => {
    let proxy: ReverseProxy;
    beforeAll(async () => {
      proxy = await startReverseProxy(world.url, { isLenient });
    });
    afterAll(() => proxy.close());

    test.each(cases)("%s", async (_name, bytes) => {
      const before = (await world.settled()).rows;
      const passed = proxy.passed;
      const connection = await rawConnection(proxy.url);
      connection.socket.write(bytes(), "latin1");
      // A proxy that waits for the rest of a body as it has parsed it gets no response and
      // disconnects.
      connection.socket.setTimeout(300, () => connection.socket.destroy());
      const answer = await connection.closed;
      // As many calls as the proxy saw, and not one that it did not see.
      const calls = proxy.passed - passed;
      expect(answer.match(/HTTP\/1\.1 200 /g)?.length ?? 0).toBeLessThanOrEqual(calls);
      expect((await world.settled()).rows - before).toBeLessThanOrEqual(calls);
      // Nothing is left on the connection that the proxy shares among its clients.
      const other = await fetch(`${proxy.url}/v1/models/none`, {
        headers: { authorization: "Bearer wrong" },
      });
      expect(other.status).toBe(401);
    });
  });

  test("unambiguous requests still work: chunks, their extensions and trailers, and pipelined calls", async () => {
    const connection = await rawConnection(world.url);
    const pieces = `${hex(body)};name=value\r\n${body}\r\n0\r\nx-trailer: 1\r\n\r\n`;
    connection.socket.write(
      post(["transfer-encoding: chunked"], pieces) +
        post(["transfer-encoding: chunked", "connection: close"], chunked(body)),
    );
    expect((await connection.closed).match(/HTTP\/1\.1 200 /g)).toHaveLength(2);
  });
});

test("many clients that write slowly are disconnected in time, and other clients notice nothing", {
  tags: ["FT-22"],
  timeout: 60_000,
}, async () => {
  const cut = await Promise.all(slow.map(({ closed }) => closed));
  for (const answer of cut) expect(answer).toMatch(/^(HTTP\/1\.1 408 |$)/);
  await alive();
});

test("bodies that come a byte a second are refused within the time of a head, and cost nothing", {
  tags: ["FT-22"],
  timeout: 60_000,
}, async () => {
  const reported = await Promise.all(slowBodies.map(({ closed }) => closed));
  for (const answer of reported) {
    expect(answer).toMatch(/^HTTP\/1\.1 408 /);
    expect(answer).toContain('"code":"request_too_slow"');
  }
  await alive();
});

test("pieces without end are cut off at their bound, and cost no memory", {
  tags: ["FT-23"],
}, async () => {
  const before = memoryOf(pid);
  const connection = await rawConnection(world.url);
  connection.socket.write(rawHead(key, { "transfer-encoding": "chunked" }));
  const piece = `10000\r\n${" ".repeat(0x10000)}\r\n`;
  let sent = 0;
  while (sent < 200 && (await writeAll(connection, piece.repeat(16)))) sent += 1;
  expect(await connection.closed).toMatch(/^HTTP\/1\.1 413 /);
  expect(memoryOf(pid) - before).toBeLessThan(150);
  await eventually(alive);
});

test("F-113 a client that disconnects during the key look-up leaves nothing that a stop would wait for", {
  tags: ["F-113"],
  timeout: 90_000,
}, async () => {
  // On PostgreSQL a look-up is long enough to disconnect in it; a stop would wait longer than the
  // harness.
  const [store = "sqlite"] = databaseKinds.toReversed();
  const own = await startTestGateway({ store, env: { SHUTDOWN_GRACE_SECONDS: "300" } });
  await own.given.channel({ key: "sim-slow-40+pace-5+tokens-400" });
  const { key: ownKey } = await own.given.token();
  await Promise.all(
    Array.from({ length: 150 }, async (_, n) => {
      const disconnect = new AbortController();
      const call = own.send(ownKey, chatBody({ stream: true, max_tokens: 400 }), {
        signal: disconnect.signal,
      });
      const left = call.then((response) => response.text()).catch(() => "left");
      await pause((n * 7) % 700);
      disconnect.abort();
      await left;
    }),
  );
  await own.settled();
  expect(await own.process.stop()).toEqual({ code: 0, signal: null });
  await own.close();
});
