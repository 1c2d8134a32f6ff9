// One account never takes from all others what all share: memory for bodies and for the messages of
// WebSockets. One that can pay for nothing takes none of it, and reaches neither the operator's
// guard nor a provider.
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { updateOption } from "@tollgate/contract/site/options.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { readReply } from "../harness/api-session.ts";
import { eventually } from "../harness/eventually.ts";
import {
  chatBody,
  startTestGateway,
  type TestGateway,
  type TestUser,
} from "../harness/test-gateway.ts";
import {
  type CannedRealtimeProvider,
  startCannedRealtimeProvider,
} from "./canned-realtime-provider.ts";
import { type RawConnection, rawConnection, rawHead, writeAll } from "./raw-clients.ts";
import { startRecordingProvider } from "./recording-provider.ts";

const mebi = 1024 * 1024;
/** With this heap all share 64 MiB, and the share of each is the largest body: 50 MiB. */
const smallHeap = { NODE_OPTIONS: "--max-old-space-size=100" };

const chat = (content: string, more: object = {}) =>
  JSON.stringify(chatBody({ ...more, messages: [{ role: "user", content }] }));

/** A body of which all but the end has been sent. */
async function unfinished(
  url: string,
  key: string,
  bytes: number,
  head?: string,
): Promise<RawConnection> {
  const connection = await rawConnection(url);
  await writeAll(connection, head ?? rawHead(key, { "content-length": bytes + 10 }));
  await writeAll(connection, Buffer.alloc(bytes, " "));
  return connection;
}

/** A WebSocket whose client sends a part of one message, as no library does. */
async function socketTo(
  url: string,
  path: string,
  key: string,
): Promise<{ raw: Socket; received(): string }> {
  const { hostname, port } = new URL(url);
  const raw = connect(Number(port), hostname);
  let received = "";
  raw
    .on("error", () => undefined)
    .on("data", (data) => {
      received += data.toString("latin1");
    });
  raw.write(
    [
      `GET ${path} HTTP/1.1`,
      "host: gateway",
      "connection: upgrade",
      "upgrade: websocket",
      "sec-websocket-version: 13",
      "sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==",
      `authorization: Bearer ${key}`,
      "",
      "",
    ].join("\r\n"),
  );
  await eventually(() => expect(received).toMatch(/^HTTP\/1\.1 101/));
  return { raw, received: () => received };
}

/** The beginning of a text frame of 15 MiB: blanks, masked with zeros. */
function beginningOfMessage(sent: number): Buffer {
  const header = Buffer.alloc(14);
  header[0] = 0x81;
  header[1] = 0x80 | 127;
  header.writeBigUInt64BE(BigInt(15 * mebi), 2);
  return Buffer.concat([header, Buffer.alloc(sent, " ")]);
}

describe("one account that sends as much as it can", () => {
  let gateway: TestGateway;
  let provider: CannedRealtimeProvider;
  let greedy: { key: string };
  let other: string;
  beforeAll(async () => {
    provider = await startCannedRealtimeProvider();
    gateway = await startTestGateway({
      env: { ...smallHeap, API_RATE_LIMIT: "0" },
      upstreams: [provider.url],
    });
    // Files go to it: the other one reads none.
    await gateway.given.channel({ key: "sim-ok", priority: 1 });
    await gateway.given.channel({ key: "k", base_url: provider.url, models: "gpt-realtime" });
    other = (await gateway.given.token()).key;
    greedy = await (await gateway.given.user("greedy", { quota: 1_000_000_000 })).token({
      unlimited_quota: true,
    });
  });
  afterAll(async () => {
    await gateway.close();
    await provider.close();
  });

  const othersAreServed = async () => {
    const reply = await readReply(await gateway.send(other, chat("x".repeat(2 * mebi))));
    expect([reply.status, reply.body.error]).toEqual([200, undefined]);
  };
  const ownAnswer = async () =>
    (await readReply(await gateway.send(greedy.key, chat("x".repeat(4 * mebi))))).body.error;
  const inTheEnd = async (open: readonly { destroy(): void }[]) => {
    for (const socket of open) socket.destroy();
    await eventually(async () => expect(await ownAnswer()).toBeUndefined());
  };
  const tooMuch = { type: "rate_limit_error", code: "too_much_at_once" };

  test("by HTTP gets 429 for what is above its share, and others are served", {
    tags: ["FT-34"],
  }, async () => {
    const open = await Promise.all(
      [24, 24].map((size) => unfinished(gateway.url, greedy.key, size * mebi)),
    );
    await eventually(async () => expect(await ownAnswer()).toMatchObject(tooMuch));
    // What fits into its share is read; small bodies are always.
    expect((await readReply(await gateway.send(greedy.key, chat("hello")))).status).toBe(200);
    await othersAreServed();
    await inTheEnd(open.map(({ socket }) => socket));
  });

  test("takes nothing by announcing much", { tags: ["FT-34"] }, async () => {
    // Each fits into what the ones before leave: together they announce all that there is.
    const announced = [
      30_000_000,
      30_000_000,
      6_000_000,
      ...Array<number>(30).fill(500_000),
      ...Array<number>(30).fill(70_000),
    ];
    const open: RawConnection[] = [];
    for (const length of announced) {
      const connection = await rawConnection(gateway.url);
      await writeAll(
        connection,
        rawHead(greedy.key, { "content-length": length }) + " ".repeat(1_000),
      );
      open.push(connection);
    }
    expect(await ownAnswer()).toBeUndefined();
    await othersAreServed();
    for (const { socket } of open) socket.destroy();
  });

  test("by messages at /mcp has no more", { tags: ["FT-34"] }, async () => {
    const head = rawHead(greedy.key, { "content-length": 4 * mebi }).replace(
      "/v1/chat/completions",
      "/mcp",
    );
    const open = await Promise.all(
      Array.from({ length: 16 }, () => unfinished(gateway.url, "", 3.8 * mebi, head)),
    );
    await eventually(() => {
      const refused = open.filter((connection) =>
        connection.received().includes("too_much_at_once"),
      );
      expect(refused.length).toBeGreaterThan(2);
    });
    await othersAreServed();
    await inTheEnd(open.map(({ socket }) => socket));
  });

  test.each(["/v1/responses", "/v1/realtime?model=gpt-realtime"])(
    "by unfinished messages at %s is told so, and the socket is closed",
    { tags: ["FT-34"] },
    async (path) => {
      const sockets = await Promise.all(
        Array.from({ length: 6 }, () => socketTo(gateway.url, path, greedy.key)),
      );
      for (const { raw } of sockets) raw.write(beginningOfMessage(12 * mebi));
      await eventually(() => {
        const refused = sockets.filter(({ raw }) => raw.closed);
        expect(refused.length).toBeGreaterThan(1);
        for (const { received } of refused) expect(received()).toContain("too_much_at_once");
      });
      expect(sockets.filter(({ raw }) => !raw.closed).length).toBeGreaterThan(2);
      await othersAreServed();
      await inTheEnd(sockets.map(({ raw }) => raw));
    },
  );

  test("by an upload that passes through takes no share", { tags: ["FT-34"] }, async () => {
    const form = `--x\r\ncontent-disposition: form-data; name="purpose"\r\n\r\nbatch\r\n--x\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\n`;
    const headers = { "content-length": 70 * mebi };
    const head = rawHead(greedy.key, headers)
      .replace("/v1/chat/completions", "/v1/files")
      .replace("application/json", "multipart/form-data; boundary=x");
    const upload = await rawConnection(gateway.url);
    await writeAll(upload, head + form);
    for (let sent = 0; sent < 60; sent += 1) await writeAll(upload, Buffer.alloc(mebi, "x"));
    expect(await ownAnswer()).toBeUndefined();
    await othersAreServed();
    expect([upload.received(), upload.socket.destroyed]).toEqual(["", false]);
    upload.socket.destroy();
  });
});

describe("an account that can pay for nothing", () => {
  let gateway: TestGateway;
  let hook: Awaited<ReturnType<typeof startRecordingProvider>>;
  let provider: Awaited<ReturnType<typeof startRecordingProvider>>;
  let poor: TestUser;
  let key: string;
  beforeAll(async () => {
    [hook, provider] = await Promise.all([startRecordingProvider(), startRecordingProvider()]);
    provider.answer = (response) => {
      response.writeHead(200, { "content-type": "application/json" });
      const message = { role: "assistant", content: "fine" };
      response.end(
        JSON.stringify({
          choices: [{ index: 0, message }],
          usage: { prompt_tokens: 5, completion_tokens: 1 },
          input_tokens: 9,
        }),
      );
    };
    gateway = await startTestGateway({
      env: { API_RATE_LIMIT: "0", GUARD_PRIVATE_HOSTS: new URL(hook.url).host },
      upstreams: [provider.url],
    });
    const free = JSON.stringify({ free: { ratio: 0 } });
    await gateway.given.channel({
      key: "k",
      base_url: provider.url,
      models: "dear",
      group: "default,vip",
    });
    await gateway.given.channel({
      key: "k",
      base_url: provider.url,
      models: "free",
      model_configs: free,
    });
    await gateway.given.channel({ type: 14, key: "k", base_url: provider.url, models: "claude" });
    poor = await gateway.given.user("poor");
    ({ key } = await poor.token({ unlimited_quota: true }));
  });
  afterAll(async () => {
    await gateway.close();
    await Promise.all([hook.close(), provider.close()]);
  });

  const large = "x".repeat(300_000);
  const ask = async (
    body: string,
    path = "/v1/chat/completions",
    headers: Record<string, string> = {},
  ) =>
    await readReply(
      await fetch(gateway.url + path, {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers },
        body,
      }),
    );
  const noFunds = { type: "insufficient_quota", code: "insufficient_user_quota" };

  test("is refused after 64 KiB of a body, and reads why", { tags: ["FT-35"] }, async () => {
    const connection = await unfinished(
      gateway.url,
      key,
      70_000,
      rawHead(key, { "content-length": 20 * mebi }),
    );
    const answer = await connection.until((received) =>
      received.includes("insufficient_user_quota"),
    );
    expect(answer).toMatch(/^HTTP\/1\.1 403 /);
    expect(answer).toMatch(/\r\nconnection: close\r\n/i);
    expect(await connection.closed).toContain("named at the beginning of the body");
    // A library has sent the whole before it reads.
    expect((await ask(chat("x".repeat(100_000), { model: "dear" }))).body.error).toMatchObject(
      noFunds,
    );
    expect(provider.calls).toHaveLength(0);
  });

  test("is served by a model that costs nothing, if the body begins with it", {
    tags: ["FT-35"],
  }, async () => {
    expect((await ask(chat(large, { model: "free" }))).status).toBe(200);
    const late = JSON.stringify({ messages: [{ role: "user", content: large }], model: "free" });
    expect((await ask(late)).body.error).toMatchObject(noFunds);
    const early = JSON.stringify({
      tools: [],
      model: "free",
      messages: [{ role: "user", content: large }],
    });
    expect((await ask(early)).status).toBe(200);
    expect(
      (await ask(JSON.stringify({ messages: [{ role: "user", content: "hello" }], model: "free" })))
        .status,
    ).toBe(200);
  });

  test("is refused on the WebSocket of Responses before a large message is whole", {
    tags: ["FT-35"],
  }, async () => {
    // A free model lets the message pass; the turn is refused before it is parsed.
    const socket = new WebSocket(`${gateway.url.replace(/^http/, "ws")}/v1/responses`, {
      headers: { authorization: `Bearer ${key}` },
    });
    await once(socket, "open");
    const turn = (model: string) => {
      const answered = once(socket, "message");
      socket.send(JSON.stringify({ type: "response.create", model, store: false, input: large }));
      return answered.then(
        ([data]) => JSON.parse(String(data)) as { type: string; error?: { code: string } },
      );
    };
    expect(await turn("dear")).toMatchObject({ type: "error", error: noFunds });
    socket.close();
    const { key: withoutFree } = await (
      await gateway.given.user("unlucky", { group: "vip" })
    ).token({
      unlimited_quota: true,
    });
    const { raw, received } = await socketTo(gateway.url, "/v1/responses", withoutFree);
    raw.write(beginningOfMessage(70_000));
    await eventually(() => expect(raw.closed).toBe(true));
    expect(received()).toContain("insufficient_user_quota");
  });

  test("costs the operator's guard nothing, and no provider counts its tokens", {
    tags: ["FT-35"],
  }, async () => {
    const root = await gateway.root();
    const set = (name: string, value: string) =>
      root.call(updateOption, { body: { key: name, value } });
    await set("GuardHookAddress", `${hook.url}/guard`);
    await set("GuardHookSecret", `whsec_${Buffer.alloc(32, 7).toString("base64")}`);
    await set("GuardHookEnabled", "true");
    provider.calls.length = 0;
    for (let n = 0; n < 3; n += 1)
      expect((await ask(chat("hello", { model: "dear" }))).body.error).toMatchObject(noFunds);
    expect(hook.calls).toHaveLength(0);
    await set("GuardHookEnabled", "false");
    const counted = await ask(
      JSON.stringify({ model: "claude", messages: [{ role: "user", content: "x" }] }),
      "/v1/messages/count_tokens",
    );
    expect([counted.status, counted.body.type]).toEqual([429, "error"]);
    expect(provider.calls).toHaveLength(0);
  });

  test("is served as soon as it has a balance", { tags: ["FT-35"] }, async () => {
    const rich = await gateway.given.user("rich", { quota: 100_000_000 });
    const { key: richKey } = await rich.token({ unlimited_quota: true });
    expect(
      (await readReply(await gateway.send(richKey, chat(large, { model: "dear" })))).status,
    ).toBe(200);
  });
});
