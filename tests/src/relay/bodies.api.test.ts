// What comes in: too much, too deep, compressed, never ending, lying about its length. None of it
// may cost memory or keep anything open.
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readReply } from "../harness/api-session.ts";
import { eventually } from "../harness/eventually.ts";
import {
  chatBody,
  defaultCharge,
  startTestGateway,
  type TestGateway,
} from "../harness/test-gateway.ts";
import { rawConnection, rawHead, writeAll } from "./raw-clients.ts";

const mebi = 1024 * 1024;
let gateway: TestGateway;
let key: string;
beforeAll(async () => {
  gateway = await startTestGateway();
  await gateway.given.channel({ key: "sim-ok" });
  await gateway.given.channel({
    key: "sim-as-prompted",
    models: "prompted",
    system_prompt: "be kind",
  });
  key = (await gateway.given.token()).key;
  expect((await gateway.chat(key)).status).toBe(200);
});
afterAll(async () => {
  expect(await gateway.settled()).toMatchObject({ held: 0 });
  await gateway.close();
});

const memoryMiB = (): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${gateway.process.pid}/status`, "utf8"))?.[1]) /
  1024;
const closes = (connection: { closed: Promise<string> }) =>
  Promise.race([
    connection.closed.then(() => "closed"),
    new Promise((resolve) => setTimeout(() => resolve("open"), 15_000)),
  ]);

describe("a body of more than 32 MiB", () => {
  test("that declares its length is refused before any of it is sent, and the connection ends", {
    tags: ["FT-23"],
  }, async () => {
    const connection = await rawConnection(gateway.url);
    connection.socket.write(rawHead(key, { "content-length": 33 * mebi }));
    const answer = await connection.until((text) => text.includes("request id"));
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
    // Otherwise the client would go on sending 33 MiB in vain.
    expect(answer).toMatch(/\r\nconnection: close\r\n/i);
    expect(await closes(connection)).toBe("closed");
  });

  test("that is sent is not kept in memory", { tags: ["F-110"] }, async () => {
    const before = memoryMiB();
    const replies = await Promise.all(
      Array.from({ length: 5 }, async () => {
        const connection = await rawConnection(gateway.url);
        connection.socket.write(rawHead(key, { "content-length": 100 * mebi }));
        const piece = Buffer.alloc(mebi, "x");
        for (let sent = 0; sent < 100 && (await writeAll(connection, piece)); ) sent += 1;
        const answer = connection.received();
        connection.socket.destroy();
        return answer;
      }),
    );
    for (const answer of replies) expect(answer).toMatch(/^HTTP\/1\.1 413 /);
    // 500 MiB were offered; what passes through and is thrown away leaves some garbage.
    expect(memoryMiB() - before).toBeLessThan(250);
  });

  test("that never ends is cut off, and the connection ends", async () => {
    const connection = await rawConnection(gateway.url);
    connection.socket.write(rawHead(key, { "transfer-encoding": "chunked" }));
    const piece = Buffer.concat([
      Buffer.from(`${mebi.toString(16)}\r\n`),
      Buffer.alloc(mebi, "x"),
      Buffer.from("\r\n"),
    ]);
    let sent = 0;
    while (sent < 200 && (await writeAll(connection, piece))) sent += 1;
    expect(connection.received()).toMatch(/^HTTP\/1\.1 413 /);
    // 200 MiB are far more than the sockets buffer: the gateway read them, or the connection has
    // ended.
    expect(sent).toBeLessThan(200);
    connection.socket.destroy();
  });

  test("of exactly 32 MiB is none", async () => {
    const body = JSON.stringify(chatBody({ padding: "" }));
    const padding = "x".repeat(32 * mebi - body.length);
    const reply = await readReply(await gateway.send(key, JSON.stringify(chatBody({ padding }))));
    // The simulator takes it or not: the gateway does.
    expect(reply.body?.error?.code).not.toBe("request_too_large");
    expect(reply.status).toBe(200);
  });
});

describe("a wrong content length", () => {
  test("too small: the rest is no second call", { tags: ["FT-23"] }, async () => {
    const body = JSON.stringify(chatBody());
    const connection = await rawConnection(gateway.url);
    connection.socket.write(rawHead(key, { "content-length": body.length - 10 }) + body);
    const answer = await connection.closed;
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer).not.toContain("200 OK");
  });

  test("too large: a client that leaves before the end leaves no trace", async () => {
    const before = await gateway.settled();
    const body = JSON.stringify(chatBody());
    const connection = await rawConnection(gateway.url);
    connection.socket.write(rawHead(key, { "content-length": body.length + 10 }) + body);
    connection.socket.end();
    await connection.closed;
    expect(await gateway.settled()).toEqual(before);
  });

  test("twice, and differently: refused", { tags: ["F-81"] }, async () => {
    const body = JSON.stringify(chatBody());
    const connection = await rawConnection(gateway.url);
    const head = rawHead(key, { "content-length": body.length }).replace(
      "content-type",
      `content-length: 5\r\ncontent-type`,
    );
    connection.socket.write(head + body);
    expect(await connection.closed).toMatch(/^HTTP\/1\.1 400 /);
  });

  test("together with chunks: refused", { tags: ["F-81"] }, async () => {
    const connection = await rawConnection(gateway.url);
    connection.socket.write(
      `${rawHead(key, { "content-length": 5, "transfer-encoding": "chunked" })}0\r\n\r\n`,
    );
    expect(await connection.closed).toMatch(/^HTTP\/1\.1 400 /);
  });
});

describe("nesting 100,000 levels deep", () => {
  const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
  const places: [string, string][] = [
    ["in a message's content", `{"model":"MODEL","messages":[{"role":"user","content":${deep}}]}`],
    [
      "in a message's tool calls",
      `{"model":"MODEL","messages":[{"role":"user","content":"x","tool_calls":${deep}}]}`,
    ],
    [
      "in an unknown member of a message",
      `{"model":"MODEL","messages":[{"role":"user","content":"x","y":${deep}}]}`,
    ],
    [
      "in the tools",
      `{"model":"MODEL","messages":[{"role":"user","content":"x"}],"tools":${deep}}`,
    ],
    [
      "in an unknown member",
      `{"model":"MODEL","messages":[{"role":"user","content":"x"}],"metadata":${deep}}`,
    ],
    ["in place of everything", deep],
    ["that is never closed", "[".repeat(100_000)],
    ["of objects", `${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`],
  ];
  test.each(
    places.flatMap(([place, body]) =>
      ["sim-model", "prompted"].map((name) => ({ place, body, name })),
    ),
  )("$place ($name) is 400", { tags: ["FT-25"] }, async ({ body, name }) => {
    const before = await gateway.settled();
    const reply = await readReply(await gateway.send(key, body.replace("MODEL", name)));
    expect(reply.status).toBe(400);
    expect(reply.body.error).toMatchObject({
      type: "invalid_request_error",
      code: "invalid_text_request",
    });
    expect(await gateway.settled()).toEqual(before);
  });
});

describe("odd text", () => {
  test("that is no UTF-8 does no harm", { tags: ["FT-24"] }, async () => {
    const [start = "", end = ""] = JSON.stringify(chatBody({ user: "HERE" })).split("HERE");
    const body = Buffer.concat([
      Buffer.from(start),
      Buffer.from([0xff, 0xfe, 0xc0, 0x80, 0xed, 0xa0, 0x80]),
      Buffer.from(end),
    ]);
    const connection = await rawConnection(gateway.url);
    connection.socket.write(rawHead(key, { "content-length": body.length, connection: "close" }));
    connection.socket.write(body);
    expect(await connection.closed).toMatch(/^HTTP\/1\.1 (200|400) /);
  });

  test("such as NUL and lone surrogates in texts and in names", { tags: ["FT-24"] }, async () => {
    const messages = [{ role: "user", content: "NUL \u0000 half \ud83d pair" }];
    expect((await gateway.chat(key, { messages })).status).toBe(200);
    expect((await gateway.chat(key, { model: "sim-model\u0000" })).status).toBe(404);
    expect((await gateway.chat(key, { model: "\ud83d" })).status).toBe(404);
  });

  test("such as members that a language gives a meaning", { tags: ["F-66"] }, async () => {
    const text = JSON.stringify(chatBody()).replace(
      "{",
      '{"__proto__":{"stream":true},"constructor":{"prototype":{"n":128}},',
    );
    const reply = await readReply(await gateway.send(key, text));
    expect(reply.status).toBe(200);
    expect(reply.headers.get("content-type")).toMatch(/^application\/json/);
    expect(await gateway.lastLog()).toMatchObject({ quota: defaultCharge, is_stream: 0 });
  });

  test("twenty thousand messages, which are all that is read", { tags: ["FT-25"] }, async () => {
    const messages = Array.from({ length: 19_990 }, () => ({ role: "user", content: "a" }));
    expect((await gateway.chat(key, { messages })).status).toBe(200);
    const { status, body } = await gateway.chat(key, { messages: [...messages, ...messages] });
    expect([status, body.error]).toMatchObject([413, { code: "too_many_members" }]);
    expect(body.error.message).toMatch(/more than 100000 members.*send them in several requests/);
  });
});

describe("headers", () => {
  test("of more than 16 kB are refused with 431", { tags: ["FT-26"] }, async () => {
    const connection = await rawConnection(gateway.url);
    connection.socket.write(rawHead(key, { "x-padding": "x".repeat(20_000), "content-length": 0 }));
    expect(await connection.closed).toMatch(/^HTTP\/1\.1 431 /);
  });

  test("that never end are refused as well", { tags: ["F-64", "FT-26"] }, async () => {
    const connection = await rawConnection(gateway.url);
    connection.socket.write("POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\n");
    const lines = Array.from({ length: 1_500 }, (_, n) => `x-${n}: ${n}\r\n`);
    connection.socket.write(lines.join(""));
    expect(await connection.closed).toMatch(/^HTTP\/1\.1 431 /);
  });

  test.each([
    ["a method that is none", "FETCH / HTTP/1.1\r\nhost: x\r\n\r\n"],
    ["a version that is none", "GET /v1/models HTTP/9.9\r\nhost: x\r\n\r\n"],
    ["a line feed in a header", "GET /v1/models HTTP/1.1\r\nhost: x\r\nx: a\nb\r\n\r\n"],
    ["a space before the colon", "GET /v1/models HTTP/1.1\r\nhost : x\r\n\r\n"],
    ["no host", "GET /v1/models HTTP/1.1\r\n\r\n"],
    ["nothing that is HTTP", "\u0016\u0003\u0001\u0002\u0000"],
  ])("%s is 400 and the end", { tags: ["FT-26"] }, async (_, text) => {
    const connection = await rawConnection(gateway.url);
    connection.socket.write(text);
    expect(await connection.closed).toMatch(/^HTTP\/1\.1 400 /);
  });

  test("an absolute target is answered and leads nowhere else", async () => {
    const connection = await rawConnection(gateway.url);
    connection.socket.write(
      "GET http://169.254.169.254/latest HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n",
    );
    expect(await connection.closed).toMatch(/^HTTP\/1\.1 400 /);
  });
});

test("clients that disconnect while sending leave nothing running: the gateway still stops at once", async () => {
  const own = await startTestGateway({ env: { SHUTDOWN_GRACE_SECONDS: "5" } });
  try {
    await own.given.channel({ key: "sim-ok" });
    for (let n = 0; n < 25; n += 1) {
      // A key that the gateway has not seen yet, so that it has to look it up while the client
      // leaves.
      const token = await own.given.token();
      const connection = await rawConnection(own.url);
      connection.socket.write(`${rawHead(token.key, { "content-length": 1_000 })}{"model":`);
      setImmediate(() => connection.socket.resetAndDestroy());
      await connection.closed;
    }
    expect((await own.chat((await own.given.token()).key)).status).toBe(200);
    await eventually(() => own.settled());
    own.process.kill("SIGTERM");
    expect(await own.process.exited).toEqual({ code: 0, signal: null });
  } finally {
    await own.close();
  }
}, 60_000);

test("after all of this the same process answers", async () => {
  const pid = gateway.process.pid;
  expect((await gateway.chat(key)).status).toBe(200);
  expect(() => process.kill(pid, 0)).not.toThrow();
  expect(gateway.process.output()).not.toMatch(/uncaughtException|unhandledRejection/);
});
