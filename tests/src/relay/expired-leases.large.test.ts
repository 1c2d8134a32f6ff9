/**
 * What takes the gateway a minute: leases of a killed process run out after that time on
 * PostgreSQL, so its three kills share one wait, and the other tests run meanwhile.
 */
import { describe, type ExpectStatic, test } from "vitest";
import { eventually } from "../harness/eventually.ts";
import { type DatabaseKind, databaseKinds } from "../harness/gateway-database.ts";
import {
  chatBody,
  promptEstimate,
  startTestGateway,
  type TestGateway,
} from "../harness/test-gateway.ts";
import { openStreams, rawConnection, rawHead } from "./raw-clients.ts";

describe.concurrent("within a minute or two", () => {
  const withGateway = async (store: DatabaseKind, act: (own: TestGateway) => Promise<void>) => {
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
    if (isRecorded)
      await eventually(async () => expect(await recorded(own)).toBeGreaterThanOrEqual(15));
    // On SQLite calls of a busy key share a hold until their delivery is recorded.
    else expect((await own.books()).reservations).toBeGreaterThan(before.reservations);
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
      withGateway("sqlite", async (own) => {
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
      withGateway("postgres", async (own) => {
        await own.given.channel({ key: "sim-pace-50+tokens-400" });
        const { key } = await own.given.token();
        for (const round of [1, 2, 3]) await killWithStreams(own, key, expect, round === 3);
        // A killed node's holds stay held, so they cannot be spent twice; and new calls are served
        // meanwhile.
        expect((await own.chat(key, { max_tokens: 12 })).status).toBe(200);
        const open = await own.books();
        expect(open.reservations).toBeGreaterThanOrEqual(15);
        expect(open.held).toBeGreaterThan(0);
        const books = await own.settled({ timeoutMs: 110_000 });
        expect(books).toMatchObject({ held: 0, shortfall: 0 });
        const logs = await own.logs();
        expect(
          logs.filter(({ outcome }) => outcome === "interrupted").length,
        ).toBeGreaterThanOrEqual(15);
        expect(logs.reduce((sum, { quota }) => sum + quota, 0)).toBe(books.charged);
        expect(await own.audit()).toBe("The books agree.");
      }),
  );

  test(
    "a client that reads nothing for a minute is disconnected, the upstream call is cancelled, and what was sent is settled",
    { tags: ["FT-21"], timeout: 170_000 },
    ({ expect }) =>
      withGateway("sqlite", async (own) => {
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
