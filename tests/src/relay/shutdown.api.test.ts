// The gateway ends, by request and by force, with calls under way: nothing is lost, nothing stays open.
import { afterEach, describe, type ExpectStatic, expect, test } from "vitest";
import { eventually } from "../harness/eventually.ts";
import { type DatabaseKind, databaseKinds } from "../harness/gateway-database.ts";
import { startGatewayProcess } from "../harness/gateway-process.ts";
import { chatBody, promptEstimate, readEvents, startTestGateway, type TestGateway } from "../harness/test-gateway.ts";
import { contentEvents, rawConnection, rawHead } from "./raw-clients.ts";

/** Streams that have begun: each has read at least its first word. */
async function openStreams(gateway: TestGateway, key: string, count: number) {
  return await Promise.all(
    Array.from({ length: count }, async () => {
      const response = await gateway.send(key, chatBody({ stream: true }));
      expect(response.status).toBe(200);
      const reader = response.body?.getReader();
      let raw = "";
      const decoder = new TextDecoder();
      const read = async (): Promise<boolean> => {
        const part = await reader?.read();
        if (!part || part.done) return false;
        raw += decoder.decode(part.value, { stream: true });
        return true;
      };
      while (contentEvents(raw) === 0 && (await read()));
      return {
        /** Everything until the end, and whether the connection broke. */
        async rest(): Promise<{ raw: string; broke: boolean }> {
          try {
            while (await read());
            return { raw, broke: false };
          } catch {
            return { raw, broke: true };
          }
        },
      };
    }),
  );
}

describe.each(databaseKinds)("on %s", (store) => {
  let gateway: TestGateway;
  afterEach(() => gateway.close());

  test("SIGTERM: running streams finish and are settled, new calls are refused, the exit code is 0", {
    tags: ["FT-03"],
    timeout: 60_000,
  }, async () => {
    gateway = await startTestGateway({ store });
    await gateway.given.channel({ key: "sim-pace-100+tokens-30" });
    const { key } = await gateway.given.token();
    const idle = await rawConnection(gateway.url);
    const stored = await rawConnection(gateway.url);
    const streams = await openStreams(gateway, key, 20);
    // A call of its own, so that this connection is not idle when the stop begins.
    const body = JSON.stringify(chatBody({ stream: true }));
    stored.socket.write(rawHead(key, { "content-length": body.length }) + body);
    await stored.until((text) => text.includes('"content":'));

    gateway.process.kill("SIGTERM");
    const answers = await Promise.all(streams.map((stream) => stream.rest()));
    await stored.until((text) => text.includes("[DONE]"));

    for (const { raw, broke } of answers) {
      expect(broke).toBe(false);
      const { text, errors, events } = readEvents(raw);
      expect([text.split(" ").length, errors, events.at(-1)]).toEqual([30, [], "[DONE]"]);
    }
    expect(await gateway.process.exited).toEqual({ code: 0, signal: null });
    expect(await gateway.books()).toMatchObject({
      reservations: 0,
      held: 0,
      charged: 21 * (6 + 30 * 4),
      succeeded: 21,
    });
    expect(await gateway.audit()).toBe("The books agree.");
    idle.socket.destroy();
  });

  test("SIGTERM: a call on a connection that is still open is refused with 503 and Retry-After", async () => {
    gateway = await startTestGateway({ store });
    await gateway.given.channel({ key: "sim-pace-200+tokens-20" });
    const { key } = await gateway.given.token();
    const [stream] = await openStreams(gateway, key, 1);
    const late = await rawConnection(gateway.url);
    // Half a request line keeps the connection from being idle.
    late.socket.write("GET /v1/mod");
    // What was sent before a call that was answered has been read.
    await fetch(`${gateway.url}/healthz`);
    await eventually(async () => expect((await gateway.books()).reservations).toBe(1));
    gateway.process.kill("SIGTERM");
    await eventually(() => expect(gateway.process.output()).toContain('"stopping"'));
    late.socket.write(`els HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\n\r\n`);
    const answer = await late.until((text) => text.includes("\r\n\r\n"));
    expect(answer).toMatch(/^HTTP\/1\.1 503 /);
    expect(answer).toMatch(/\r\nretry-after: \d+\r\n/i);
    await expect(rawConnection(gateway.url)).rejects.toThrow(/ECONNREFUSED/);
    // The stream above still runs: what refuses the call is the stop, not the end.
    expect((await gateway.books()).reservations).toBe(1);
    expect((await stream?.rest())?.broke).toBe(false);
    expect(await gateway.process.exited).toEqual({ code: 0, signal: null });
  }, 60_000);

  test("SIGTERM: an answer that a slow reader has not taken yet still reaches him whole", {
    tags: ["FT-03"],
    timeout: 60_000,
  }, async () => {
    gateway = await startTestGateway({ store });
    await gateway.given.channel({ key: "sim-tokens-1000000" });
    const { key } = await gateway.given.token();
    const body = JSON.stringify(chatBody());
    const connection = await rawConnection(gateway.url);
    connection.socket.write(rawHead(key, { "content-length": body.length, connection: "close" }) + body);
    await connection.until((text) => text.includes("200 OK"));
    connection.socket.pause();
    await gateway.settled();
    gateway.process.kill("SIGTERM");
    // The gateway has everything to say and nobody to take it: give it time to do the wrong thing.
    await Promise.race([gateway.process.exited, new Promise((resolve) => setTimeout(resolve, 2_000))]);
    connection.socket.resume();
    const answer = await connection.closed;
    const length = Number(/content-length: (\d+)/i.exec(answer)?.[1]);
    expect(length).toBeGreaterThan(5_000_000);
    expect(answer.length - answer.indexOf("\r\n\r\n") - 4).toBe(length);
    expect(await gateway.process.exited).toEqual({ code: 0, signal: null });
  });

  test("SIGTERM: the refusal of a late call has the shape of every refusal of the relay", async () => {
    gateway = await startTestGateway({ store });
    await gateway.given.channel({ key: "sim-pace-200+tokens-10" });
    const { key } = await gateway.given.token();
    const [stream] = await openStreams(gateway, key, 1);
    const late = await rawConnection(gateway.url);
    late.socket.write("GET /v1/mod");
    // What was sent before a call that was answered has been read.
    await fetch(`${gateway.url}/healthz`);
    await eventually(async () => expect((await gateway.books()).reservations).toBe(1));
    gateway.process.kill("SIGTERM");
    await eventually(() => expect(gateway.process.output()).toContain('"stopping"'));
    late.socket.write(`els HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\nconnection: close\r\n\r\n`);
    const answer = await late.closed;
    await stream?.rest();
    expect(answer).toMatch(/^HTTP\/1\.1 503 /);
    expect(answer).toMatch(/\r\nx-oneapi-request-id: \d{21}\r\n/i);
    expect(answer).toMatch(/\{"error":\{"message":".*\(request id: \d{21}\)","type":"/);
  }, 60_000);

  test("a second SIGTERM ends at once, tells the callers, settles what was delivered, and says so in the exit code", {
    tags: ["FT-04"],
    timeout: 60_000,
  }, async () => {
    gateway = await startTestGateway({ store });
    await gateway.given.channel({ key: "sim-stall-5" });
    const { key } = await gateway.given.token();
    const streams = await openStreams(gateway, key, 5);
    await eventually(async () => expect((await gateway.books()).reservations).toBe(5));
    gateway.process.kill("SIGTERM");
    await eventually(() => expect(gateway.process.output()).toContain('"stopping"'));
    gateway.process.kill("SIGTERM");
    const exit = await gateway.process.exited;
    expect(exit.code).not.toBe(0);
    expect(exit.signal).toBeNull();
    await Promise.all(streams.map((stream) => stream.rest()));
    const books = await gateway.books();
    expect(books).toMatchObject({ reservations: 0, held: 0, charged: 5 * (promptEstimate + 5 * 4) });
    expect(await gateway.audit()).toBe("The books agree.");
  });

  test("a second gateway on the same data", async () => {
    gateway = await startTestGateway({ store });
    const { dataDir, databaseUrl } = gateway;
    const second = startGatewayProcess({ dataDir, ...(databaseUrl && { databaseUrl }) });
    if (store === "sqlite") {
      // One process owns the file: the other must not touch it, and says what to do.
      await expect(second).rejects.toThrow(/another Tollgate is running.*DATA_DIR/s);
    } else {
      const other = await second;
      expect((await fetch(`${other.url}/readyz`)).status).toBe(200);
      await other.stop();
    }
    expect((await fetch(`${gateway.url}/readyz`)).status).toBe(200);
  });
});

// Leases of a killed process run out after a minute on PostgreSQL, so its three kills share one wait at the end, and
// what takes a minute besides is tried at the same time.
describe.concurrent("for a minute", () => {
  const inWorldOn = async (store: DatabaseKind, act: (own: TestGateway) => Promise<void>) => {
    const own = await startTestGateway({ store });
    try {
      await act(own);
    } finally {
      await own.close();
    }
  };
  const recorded = async (own: TestGateway): Promise<number> => {
    const [found] = await own.rows<{ count: number }>(
      "select count(*) as count from reservations where progress is not null",
    );
    return found?.count ?? 0;
  };
  /** Kills it while 15 streams run, and starts it again. */
  async function killWithStreams(
    own: TestGateway,
    key: string,
    expect: ExpectStatic,
    isRecorded: boolean,
  ): Promise<void> {
    const before = await own.books();
    const streams = await openStreams(own, key, 15);
    if (isRecorded) await eventually(async () => expect(await recorded(own)).toBeGreaterThanOrEqual(15));
    else expect((await own.books()).reservations).toBe(before.reservations + 15);
    const started = Date.now();
    const killed = own.restart("SIGKILL");
    const cut = await Promise.all(streams.map((stream) => stream.rest()));
    expect(await killed).toEqual({ code: null, signal: "SIGKILL" });
    // Usually two seconds; what it must not do is wait for the leases of the dead.
    expect(Date.now() - started).toBeLessThan(30_000);
    expect(cut.filter(({ raw }) => raw.includes("[DONE]"))).toEqual([]);
  }

  test(
    "three kills with open streams on SQLite: each start leaves nothing open",
    { tags: ["F-55", "I-5", "FT-01"], timeout: 120_000 },
    ({ expect }) =>
      inWorldOn("sqlite", async (own) => {
        const { id: channel } = await own.given.channel({ key: "sim-pace-50+tokens-400" });
        const { key } = await own.given.token();
        for (const round of [1, 2, 3]) {
          // In the last round long enough for what was delivered to be recorded.
          await killWithStreams(own, key, expect, round === 3);
          expect(await own.books()).toMatchObject({ reservations: 0, held: 0 });
        }
        const interrupted = (await own.logs()).filter(({ outcome }) => outcome === "interrupted");
        expect(interrupted.length).toBeGreaterThanOrEqual(15);
        for (const { quota, completion_tokens, channel_id } of interrupted) {
          expect(completion_tokens).toBeGreaterThan(0);
          expect([quota, channel_id]).toEqual([promptEstimate + 4 * completion_tokens, channel]);
        }
        expect((await own.chat(key, { max_tokens: 12 })).status).toBe(200);
        await own.settled();
        expect(await own.audit()).toBe("The books agree.");
      }),
  );

  test.skipIf(!databaseKinds.includes("postgres"))(
    "three kills with open streams on PostgreSQL: when the leases have run out nothing is open",
    { tags: ["F-55", "I-5", "FT-01"], timeout: 170_000 },
    ({ expect }) =>
      inWorldOn("postgres", async (own) => {
        await own.given.channel({ key: "sim-pace-50+tokens-400" });
        const { key } = await own.given.token();
        for (const round of [1, 2, 3]) await killWithStreams(own, key, expect, round === 3);
        // A killed node's holds are still held, so nobody can spend them twice; and new calls are served meanwhile.
        expect((await own.chat(key, { max_tokens: 12 })).status).toBe(200);
        const open = await own.books();
        expect(open.reservations).toBeGreaterThanOrEqual(15);
        expect(open.held).toBeGreaterThan(0);
        const books = await own.settled({ timeoutMs: 110_000 });
        expect(books).toMatchObject({ held: 0, shortfall: 0 });
        const logs = await own.logs();
        expect(logs.filter(({ outcome }) => outcome === "interrupted").length).toBeGreaterThanOrEqual(15);
        expect(logs.reduce((sum, { quota }) => sum + quota, 0)).toBe(books.charged);
        expect(await own.audit()).toBe("The books agree.");
      }),
  );

  test(
    "a reader who takes nothing for a minute is dropped, the upstream is told, and what was sent is settled",
    { tags: ["FT-21"], timeout: 170_000 },
    ({ expect }) =>
      inWorldOn("sqlite", async (own) => {
        await own.given.channel({ key: "sim-tokens-2000000" });
        const { key } = await own.given.token();
        const body = JSON.stringify(chatBody({ stream: true }));
        const connection = await rawConnection(own.url);
        connection.socket.pause();
        connection.socket.write(rawHead(key, { "content-length": body.length }) + body);
        await eventually(async () => expect((await own.books()).reservations).toBe(1));
        await own.settled({ timeoutMs: 110_000 });
        const log = await own.lastLog();
        expect(log.outcome).toBe("client_left");
        expect(log.completion_tokens).toBeGreaterThan(0);
        await eventually(async () => expect((await own.simulator.stats()).aborted).toBe(1));
        connection.socket.destroy();
      }),
  );
});
