// Counters of two nodes on one Redis: the same cases as in memory (gateway/src/limits), and what
// only several can show.
import { setImmediate as breath } from "node:timers/promises";
import {
  type SharedCounters,
  startRedisCounters,
} from "@tollgate/gateway/limits/redis-counters.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type RedisServer, redisAvailable, startRedisServer } from "../harness/redis-server.ts";
import { startTestGateway } from "../harness/test-gateway.ts";
import { runCounterSuite } from "../support/counter-suite.ts";

const possible = redisAvailable();
const reason = possible.available ? "" : ` (${possible.reason})`;

describe.skipIf(!possible.available)(`counters of two nodes on one Redis${reason}`, () => {
  const clock = { now: 1_700_000_000_000 };
  let redis: RedisServer;
  let nodes: [SharedCounters, SharedCounters];

  const log = { info: () => undefined, warn: () => undefined };
  const open = (): Promise<SharedCounters> =>
    startRedisCounters({
      url: new URL(redis.url),
      now: () => clock.now,
      sharedClock: () => clock.now,
      log,
      patience: 100,
    });

  beforeAll(async () => {
    redis = await startRedisServer();
    nodes = [await open(), await open()];
  });
  afterAll(async () => {
    for (const node of nodes) await node.close();
    await redis.stop();
  });

  /** Each node has one connection, on which commands keep their order. */
  const settled = async (): Promise<void> => {
    await breath();
    for (const node of nodes) await node.wait({ name: "arrived", limit: 1, windowMs: 1_000 });
  };
  runCounterSuite(() => ({ clock, nodes, settled }), 60);

  test("a window costs Redis no more than its slots, and nothing when it is over", async () => {
    const window = { name: "small 1", limit: 1_000_000, windowMs: 60_000 };
    for (let n = 0; n < 200; n += 1) {
      clock.now += 500;
      await nodes[n % 2]?.take(window);
    }
    expect(Number(redis.command("HLEN", "tollgate:small 1"))).toBeLessThanOrEqual(22);
    expect(Number(redis.command("PTTL", "tollgate:small 1"))).toBeGreaterThan(0);
  });

  test("the places of a node that died are free when their lease is over, those of a living one are kept", async () => {
    const dead = await open();
    expect(await dead.acquire("leases 1", 1, "call of the dead")).toBe(true);
    await dead.close();
    expect(await nodes[0].acquire("leases 1", 1, "mine")).toBe(false);
    clock.now += 60_001;
    expect(await nodes[0].acquire("leases 1", 1, "mine")).toBe(true);
    expect(await nodes[1].acquire("leases 1", 1, "theirs")).toBe(false);
  });

  test("a client is told what its key has left, whichever node answers", async () => {
    const other = await startRedisCounters({
      url: new URL(redis.url),
      now: Date.now,
      log,
      patience: 100,
    });
    const world = await startTestGateway({ env: { REDIS_URL: redis.url } });
    try {
      await world.given.channel({ key: "sim-ok" });
      const { id, key } = await world.given.token({ rpm_limit: 5 });
      // Two calls of the key went to another node.
      await other.take({ name: `token-calls ${id}`, limit: 5, windowMs: 60_000 }, 2);
      const { headers } = await world.chat(key);
      const told = ["limit", "remaining"].map((what) =>
        headers.get(`x-ratelimit-${what}-requests`),
      );
      expect(told).toEqual(["5", "2"]);
      expect(headers.get("x-ratelimit-reset-requests")).toMatch(/^\d+s$/);
    } finally {
      await world.close();
      await other.close();
    }
  });
});
