// The gateway ends, by request and by force, with calls in flight: nothing is lost, nothing stays
// open.
import { afterEach, expect, test } from "vitest";
import { eventually } from "../harness/eventually.ts";
import { databaseKinds } from "../harness/gateway-database.ts";
import { startGatewayProcess } from "../harness/gateway-process.ts";
import {
  chatBody,
  promptEstimate,
  readEvents,
  startTestGateway,
  type TestGateway,
} from "../harness/test-gateway.ts";
import { describeVariants } from "../support/variants.ts";
import { openStreams, rawConnection, rawHead } from "./raw-clients.ts";

describeVariants(databaseKinds)("on %s", (store) => {
  let gateway: TestGateway;
  afterEach(() => gateway.close());

  /**
   * A call that arrives while the gateway stops, on a connection that was open before; a stream
   * runs meanwhile.
   */
  const stopBeforeLateCall = async (script: string, headers = "") => {
    gateway = await startTestGateway({ store });
    await gateway.given.channel({ key: script });
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
    late.socket.write(`els HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\n${headers}\r\n`);
    return { stream, late };
  };

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
    // A process that has ended has written all of its lines; calls have none unless LOG_CALLS asks
    // for them.
    expect(gateway.process.output()).not.toContain('"event":"call"');
    idle.socket.destroy();
  });

  test("SIGTERM: a call on a connection that is still open is refused with 503 and Retry-After", {
    tags: ["large"],
    timeout: 60_000,
  }, async () => {
    const { stream, late } = await stopBeforeLateCall("sim-pace-200+tokens-20");
    const answer = await late.until((text) => text.includes("\r\n\r\n"));
    expect(answer).toMatch(/^HTTP\/1\.1 503 /);
    expect(answer).toMatch(/\r\nretry-after: \d+\r\n/i);
    await expect(rawConnection(gateway.url)).rejects.toThrow(/ECONNREFUSED/);
    // The stream above still runs: what refuses the call is the stop, not the end.
    expect((await gateway.books()).reservations).toBe(1);
    expect((await stream?.rest())?.broke).toBe(false);
    expect(await gateway.process.exited).toEqual({ code: 0, signal: null });
  });

  test("SIGTERM: an answer that a slow client has not read yet still arrives whole", {
    tags: ["FT-03", "large"],
    timeout: 60_000,
  }, async () => {
    gateway = await startTestGateway({ store });
    await gateway.given.channel({ key: "sim-tokens-1000000" });
    const { key } = await gateway.given.token();
    const body = JSON.stringify(chatBody());
    const connection = await rawConnection(gateway.url);
    connection.socket.write(
      rawHead(key, { "content-length": body.length, connection: "close" }) + body,
    );
    await connection.until((text) => text.includes("200 OK"));
    connection.socket.pause();
    await gateway.settled();
    gateway.process.kill("SIGTERM");
    // The whole answer waits for the client: give the gateway time to do the wrong thing.
    await Promise.race([
      gateway.process.exited,
      new Promise((resolve) => setTimeout(resolve, 2_000)),
    ]);
    connection.socket.resume();
    const answer = await connection.closed;
    const length = Number(/content-length: (\d+)/i.exec(answer)?.[1]);
    expect(length).toBeGreaterThan(5_000_000);
    expect(answer.length - answer.indexOf("\r\n\r\n") - 4).toBe(length);
    expect(await gateway.process.exited).toEqual({ code: 0, signal: null });
  });

  test("SIGTERM: the refusal of a late call has the format of every refusal of the relay", {
    tags: ["large"],
    timeout: 60_000,
  }, async () => {
    const { stream, late } = await stopBeforeLateCall(
      "sim-pace-200+tokens-10",
      "connection: close\r\n",
    );
    const answer = await late.closed;
    await stream?.rest();
    expect(answer).toMatch(/^HTTP\/1\.1 503 /);
    expect(answer).toMatch(/\r\nx-oneapi-request-id: \d{21}\r\n/i);
    expect(answer).toMatch(/\{"error":\{"message":".*\(request id: \d{21}\)","type":"/);
  });

  test("a second SIGTERM ends at once, notifies the clients, settles what was delivered, and sets the exit code", {
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
    expect(books).toMatchObject({
      reservations: 0,
      held: 0,
      charged: 5 * (promptEstimate + 5 * 4),
    });
    expect(await gateway.audit()).toBe("The books agree.");
  });

  test("a second gateway on the same data", async () => {
    gateway = await startTestGateway({ store });
    const { dataDir, databaseUrl } = gateway;
    const second = startGatewayProcess({ dataDir, ...(databaseUrl && { databaseUrl }) });
    if (store === "sqlite") {
      // One process owns the file: the other must not touch it, and its error states the remedy.
      await expect(second).rejects.toThrow(/another Tollgate is running.*DATA_DIR/s);
    } else {
      const other = await second;
      expect((await fetch(`${other.url}/readyz`)).status).toBe(200);
      await other.stop();
    }
    expect((await fetch(`${gateway.url}/readyz`)).status).toBe(200);
  });
});
