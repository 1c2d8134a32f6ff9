// More than a process can carry: descriptors and memory that run out, many streams at once, and
// people on the other side who read or write slowly. What runs comes to its end; what is new is
// refused early, and only while it has to be.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, test } from "vitest";
import { readReply } from "../harness/api-session.ts";
import { drainedOrClosed } from "../harness/drained-or-closed.ts";
import { eventually } from "../harness/eventually.ts";
import {
  chatBody,
  readEvents,
  startTestGateway,
  type TestGateway,
  type TestGatewayOptions,
} from "../harness/test-gateway.ts";
import {
  type CannedProvider,
  chunk,
  done,
  event,
  startCannedProvider,
  usageEvent,
} from "../relay/canned-provider.ts";
import { rawConnection, rawHead, writeAll } from "../relay/raw-clients.ts";

const isLinux = process.platform === "linux";
const limited = { max_tokens: 12 };
const broken = /EMFILE|heap out of memory|unhandledRejection|uncaughtException|"level":60/;

async function inWorld(
  options: TestGatewayOptions,
  run: (world: TestGateway, key: string) => Promise<void>,
): Promise<void> {
  const world = await startTestGateway({
    ...options,
    env: { SHUTDOWN_GRACE_SECONDS: "5", ...options.env },
  });
  const { pid } = world.process;
  try {
    await world.given.channel({ key: "sim-ok" });
    const { key } = await world.given.token();
    await run(world, key);
    if (world.process.pid !== pid) throw new Error("the gateway has started again");
    const problems = broken.exec(world.process.output());
    if (problems) throw new Error(`the gateway said ${problems[0]}`);
    const { held } = await world.settled({ timeoutMs: 20_000 });
    const audit = await world.audit();
    if (held > 0 || audit !== "The books agree.")
      throw new Error(`${held} units are held; ${audit}`);
  } finally {
    await world.close();
  }
}

/** Samples repeatedly until it is stopped; returns the highest sample. */
function highest(look: () => number) {
  let limit = 0;
  const timer = setInterval(() => {
    limit = Math.max(limit, look());
  }, 20);
  timer.unref();
  return () => {
    clearInterval(timer);
    return limit;
  };
}

/** None, once the process has ended. */
const descriptorsOf = (pid: number): number =>
  existsSync(`/proc/${pid}/fd`) ? readdirSync(`/proc/${pid}/fd`).length : 0;

/** As the kernel counts it; none, once the process has ended. */
const residentMiB = (pid: number): number =>
  existsSync(`/proc/${pid}/status`)
    ? Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024
    : 0;

describe.skipIf(!isLinux).concurrent("a gateway that nears what the machine gives it:", () => {
  test(
    "512 descriptors and a flood: open streams end well, new calls get 503 early, and it is over with the flood",
    { tags: ["FT-19", "FT-20"], timeout: 120_000 },
    ({ expect }) =>
      inWorld({ openFiles: 512 }, async (world, key) => {
        const { pid } = world.process;
        // Long enough that a busy machine brings all of the flood while its first calls still run.
        await world.given.channel({ key: "sim-as-old+pace-200+tokens-60", models: "old" });
        await world.given.channel({ key: "sim-as-new+pace-400+tokens-20", models: "new" });
        const old = Array.from({ length: 40 }, () => world.stream(key, { model: "old" }));
        await eventually(async () => expect((await world.simulator.stats()).openStreams).toBe(40));
        const limit = highest(() => descriptorsOf(pid));
        const flood = Promise.all(
          Array.from({ length: 200 }, () =>
            world.send(key, chatBody({ model: "new", stream: true })),
          ),
        );
        // The operator's pages still answer.
        const seen = await Promise.all(
          Array.from({ length: 5 }, () => fetch(`${world.url}/api/status`)),
        );
        expect(seen.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
        expect((await fetch(`${world.url}/readyz`)).status).toBe(200);
        const answered = await Promise.all((await flood).map(readReply));
        const refused = answered.filter(({ status }) => status !== 200);
        expect(refused.length).toBeGreaterThan(10);
        for (const { status, headers, body } of refused) {
          expect([status, body.error.code, headers.get("retry-after")]).toEqual([
            503,
            "overloaded",
            "5",
          ]);
        }
        for (const { text } of answered.filter(({ status }) => status === 200)) {
          expect(readEvents(text)).toMatchObject({ errors: [] });
          expect(readEvents(text).events.at(-1)).toBe("[DONE]");
        }
        for (const stream of await Promise.all(old)) {
          expect(stream.errors).toEqual([]);
          expect(stream.text.split(" ")).toHaveLength(60);
        }
        expect(limit()).toBeLessThan(512 * 0.95);
        await eventually(async () => expect((await world.chat(key, limited)).status).toBe(200));
        // A refused call reaches no upstream and counts against no channel.
        expect((await world.simulator.stats()).calls).toBe((await world.settled()).rows);
      }),
  );

  test(
    "a refusal has the error body of each API format",
    { tags: ["FT-20"], timeout: 120_000 },
    ({ expect }) =>
      inWorld({ openFiles: 160 }, async (world, key) => {
        // A connection with a started request stays open.
        const busy = await Promise.all(Array.from({ length: 90 }, () => rawConnection(world.url)));
        for (const { socket } of busy) socket.write("POST /v1/chat/completions HTTP/1.1\r\n");
        const ask = async (path: string, headers: Record<string, string>) => {
          const response = await fetch(world.url + path, {
            method: "POST",
            headers: { "content-type": "application/json", ...headers },
            body: "{}",
          });
          return [response.status, await response.json()];
        };
        await eventually(async () =>
          expect(
            await ask("/v1/chat/completions", { authorization: `Bearer ${key}` }),
          ).toMatchObject([503, { error: { code: "overloaded", type: "server_error" } }]),
        );
        expect(await ask("/v1/messages", { "x-api-key": key })).toMatchObject([
          503,
          {
            type: "error",
            error: { type: expect.any(String), message: expect.stringContaining("too much to do") },
          },
        ]);
        expect(
          await ask("/v1beta/models/m:generateContent", { "x-goog-api-key": key }),
        ).toMatchObject([503, { error: { code: 503, status: "UNAVAILABLE" } }]);
        // Without a key as well: nothing was looked up.
        expect(await ask("/v1/responses", {})).toMatchObject([
          503,
          { error: { code: "overloaded" } },
        ]);
        for (const { socket } of busy) socket.destroy();
        await eventually(async () => expect((await world.chat(key, limited)).status).toBe(200));
      }),
  );

  test(
    "a small heap and a flood: no crash, open streams finish, and refused clients get an error",
    { tags: ["FT-20"], timeout: 120_000 },
    ({ expect }) =>
      inWorld({ env: { NODE_OPTIONS: "--max-old-space-size=256" } }, async (world, key) => {
        await world.given.channel({ key: "sim-as-old+pace-100+tokens-60", models: "old" });
        await world.given.channel({ key: "sim-as-new+slow-1500", models: "new" });
        const old = Array.from({ length: 10 }, () => world.stream(key, { model: "old" }));
        await eventually(async () => expect((await world.simulator.stats()).openStreams).toBe(10));
        const bodies = Array.from({ length: 400 }, (_, n) => {
          const content = n % 20 === 0 ? "word ".repeat(200_000) : "word ".repeat(100);
          return { ...limited, model: "new", messages: [{ role: "user", content }] };
        });
        const statuses = await Promise.all(
          bodies.map((body) => world.chat(key, body).then(({ status }) => status)),
        );
        // Some large ones are above the share of their user.
        expect(statuses.filter((status) => ![200, 429, 503].includes(status))).toEqual([]);
        for (const stream of await Promise.all(old)) {
          expect(stream.errors).toEqual([]);
          expect(stream.text.split(" ")).toHaveLength(60);
        }
        await eventually(async () => expect((await world.chat(key, limited)).status).toBe(200));
      }),
  );
});

// Not concurrent: it uses so much of the machine that the others would wait.
test.skipIf(!isLinux)(
  "a small heap and more large bodies than it has room for: the rest is refused, small calls and 400 streams go on",
  { tags: ["FT-20", "FT-34"], timeout: 120_000 },
  ({ expect }) =>
    inWorld({ env: { NODE_OPTIONS: "--max-old-space-size=256" } }, async (world, key) => {
      const { pid } = world.process;
      await world.given.channel({ key: "sim-as-old+pace-300+tokens-25", models: "old" });
      await world.given.channel({ key: "sim-as-new+slow-3000", models: "new" });
      const old = Array.from({ length: 400 }, () => world.stream(key, { model: "old" }));
      await eventually(async () => expect((await world.simulator.stats()).openStreams).toBe(400), {
        timeoutMs: 30_000,
      });
      const before = residentMiB(pid);
      const limit = highest(() => residentMiB(pid));
      const messages = [{ role: "user", content: "x".repeat(20 * 1024 * 1024) }];
      const body = Buffer.from(JSON.stringify({ ...limited, model: "new", messages }));
      const users = await Promise.all(
        Array.from({ length: 6 }, async (_, n) =>
          (await world.given.user(`user${n}`, { quota: 1_000_000_000 })).token({
            unlimited_quota: true,
          }),
        ),
      );
      const flood = Promise.all(
        Array.from({ length: 60 }, async (_, n) => {
          const connection = await rawConnection(world.url);
          const head = rawHead(users[n % users.length]?.key ?? "", {
            "content-length": body.length,
            connection: "close",
          });
          if (await writeAll(connection, head)) await writeAll(connection, body);
          return connection.closed;
        }),
      );
      const small = await Promise.all(Array.from({ length: 5 }, () => world.chat(key, limited)));
      expect(small.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
      const answers = await flood;
      const refused = answers.filter((answer) => /^HTTP\/1\.1 (429|503) /.test(answer));
      expect(refused.length).toBeGreaterThan(30);
      for (const answer of refused) {
        expect(answer).toMatch(/"code":"(overloaded|too_much_at_once)"/);
        expect(answer).toMatch(/\r\nretry-after: 5\r\n/i);
      }
      const served = answers.filter((answer) => answer.startsWith("HTTP/1.1 200 "));
      expect(served.length).toBeGreaterThan(1);
      expect(served.length + refused.length).toBe(60);
      // All of them together are 1200 MiB.
      expect(limit() - before).toBeLessThan(700);
      for (const stream of await Promise.all(old)) {
        expect(stream.errors).toEqual([]);
        expect(stream.text.split(" ")).toHaveLength(25);
      }
      // The reserved memory is released: a large body is accepted.
      const content = "x".repeat(1024 * 1024);
      const repeated = await world.chat(key, { ...limited, messages: [{ role: "user", content }] });
      expect(repeated.status).toBe(200);
    }),
);

describe("many at once, and slow ones:", () => {
  let world: TestGateway;
  let canned: CannedProvider;
  let key: string;
  beforeAll(async () => {
    canned = await startCannedProvider();
    world = await startTestGateway({
      upstreams: [canned.url],
      env: { CALLER_TIMEOUT_SECONDS: "2", SHUTDOWN_GRACE_SECONDS: "5" },
    });
    await world.given.channel({ key: "k", base_url: canned.url });
    key = (await world.given.token()).key;
  });
  afterAll(async () => {
    const audit = await world.audit();
    await world.close();
    await canned.close();
    if (audit !== "The books agree.") throw new Error(audit);
  });

  test("five hundred streams at once: each client gets its own words and no other client's", {
    tags: ["FT-19"],
    timeout: 60_000,
  }, async ({ expect }) => {
    const streams = 500;
    const words = 8;
    canned.answer = async (response, _request, body) => {
      const [{ content }] = JSON.parse(body).messages as [{ content: string }];
      response.writeHead(200, { "content-type": "text/event-stream" });
      for (let n = 0; n < words; n += 1) {
        response.write(chunk(`${content}.${n} `));
        await pause(100);
      }
      response.end(usageEvent({ prompt_tokens: 6, completion_tokens: words }) + done);
    };
    const before = (await world.settled()).rows;
    const own = (id: number) =>
      Array.from({ length: words }, (_, n) => `caller-${id}.${n} `).join("");
    const texts = await Promise.all(
      Array.from({ length: streams }, (_, id) =>
        world
          .stream(key, { messages: [{ role: "user", content: `caller-${id}` }] })
          .then(({ text }) => text),
      ),
    );
    expect(texts).toEqual(Array.from({ length: streams }, (_, id) => own(id)));
    expect((await world.settled({ timeoutMs: 30_000 })).rows - before).toBe(streams);
  });

  /** An event larger than any socket buffer, and its end. */
  const bigBytes = 16 * 1024 * 1024;
  const partBytes = 512 * 1024;
  const big = async (response: Parameters<CannedProvider["answer"]>[0], isStream: boolean) => {
    const content = "x".repeat(1024);
    if (!isStream) {
      response.writeHead(200, { "content-type": "application/json" });
      response.end(
        JSON.stringify({ choices: [{ message: { content: "x".repeat(bigBytes) } }], usage: {} }),
      );
      return;
    }
    response.writeHead(200, { "content-type": "text/event-stream" });
    const one = event({ choices: [{ index: 0, delta: { content } }] });
    const block = one.repeat(100);
    for (let sent = 0; sent < bigBytes && !response.destroyed; sent += block.length) {
      if (!response.write(block)) await drainedOrClosed(response);
    }
    response.end(done);
  };
  const reader = async (stream: boolean) => {
    // The hold covers the whole answer: waiting for growths, it would come slowly enough for the
    // kernel to buffer all of it.
    const body = JSON.stringify(chatBody({ stream, ...(stream && { max_tokens: 10_000_000 }) }));
    const connection = await rawConnection(world.url);
    connection.socket.pause();
    await writeAll(
      connection,
      rawHead(key, { "content-length": body.length, connection: "close" }) + body,
    );
    return connection;
  };

  test.each([true, false])(
    "a client that reads slowly but steadily stays connected, however much data waits (stream: %s)",
    { tags: ["FT-21"], timeout: 60_000 },
    async (isStream) => {
      canned.answer = (response) => big(response, isStream);
      const { socket, closed } = await reader(isStream);
      const startedAt = performance.now();
      let bytes = 0;
      let left = 0;
      socket.removeAllListeners("data").setEncoding();
      socket.on("data", (piece) => {
        bytes += piece.length;
        left -= piece.length;
        if (left <= 0) socket.pause();
      });
      // A part of it now and then, for much longer than the patience. The part is larger than the
      // step in which the kernel, whose buffer holds megabytes, tells the gateway that there is
      // room again.
      const taking = setInterval(() => {
        left = partBytes;
        socket.resume();
      }, 150);
      socket.on("end", () => socket.destroy());
      await closed;
      clearInterval(taking);
      if (bytes < bigBytes) throw new Error(`only ${bytes} bytes came`);
      if (performance.now() - startedAt < 3_000)
        throw new Error("the client read too fast to show anything");
      const { outcome } = await world.lastLog();
      if (outcome !== "success") throw new Error(outcome);
    },
  );

  test.each([true, false])(
    "a client that reads nothing is disconnected (stream: %s)",
    { tags: ["FT-21"], timeout: 60_000 },
    async (isStream) => {
      canned.answer = (response) => big(response, isStream);
      const before = (await world.settled()).rows;
      const { socket } = await reader(isStream);
      // The client never reads, so it does not see the end: the gateway's side counts.
      await eventually(
        () => {
          const open = connectionsOf(socket.localPort ?? 0);
          if (open > 0) throw new Error("the gateway still has the client's connection");
        },
        { timeoutMs: 20_000 },
      );
      const { rows } = await world.settled();
      if (rows !== before + 1) throw new Error(`${rows - before} rows`);
      const { outcome } = await world.lastLog();
      if (isStream && outcome !== "client_left") throw new Error(outcome);
      socket.destroy();
    },
  );
});

/** Open connections from any program to this port. */
function connectionsOf(remotePort: number): number {
  const port = remotePort.toString(16).toUpperCase().padStart(4, "0");
  return readFileSync("/proc/net/tcp", "utf8")
    .split("\n")
    .map((line) => line.trim().split(/\s+/))
    .filter(([, , remote, state]) => remote?.endsWith(`:${port}`) && state === "01").length;
}
