/**
 * Counts for several nodes in one Redis. Each node also counts locally: what the local count
 * refuses stays refused even if Redis lost data, and while Redis is unavailable the node continues
 * with the local count.
 */
import type { Logger } from "pino";
import { runEvery } from "../storage/run-every.ts";
import { type Counters, computeSlotMs, createMemoryCounters, type RateWindow } from "./counters.ts";
import { openRedisConnection } from "./redis-connection.ts";
import {
  acquireScript,
  countScript,
  refundScript,
  releaseScript,
  renewScript,
  takeScript,
} from "./redis-scripts.ts";

const scripts = [takeScript, refundScript, acquireScript, countScript, renewScript, releaseScript];

/** The slots of a dead node are free after this long; a living node renews its own in time. */
const leaseMs = 60_000;
const renewEveryMs = 20_000;
/** Slot holders renewed by one command. */
const renewBatchSize = 500;

export const keyPrefix = "tollgate:";

interface RedisCountersDeps {
  url: URL;
  now(): number;
  log: Pick<Logger, "info" | "warn">;
  /** Replaces Redis's own clock in tests. */
  sharedClock?: () => number;
  /** Multiplies how long an answer may take, for tests on machines that are busy. */
  patience?: number;
}

export interface SharedCounters extends Counters {
  /** False while this node counts alone. */
  isShared(): boolean;
  close(): Promise<void>;
}

export async function startRedisCounters({
  url,
  now,
  log,
  sharedClock = () => 0,
  patience = 1,
}: RedisCountersDeps): Promise<SharedCounters> {
  const local = createMemoryCounters(now);
  const redis = await openRedisConnection({
    url,
    scripts,
    log,
    onBack: () => void renew(),
    patience,
  });

  const keyOf = (name: string): string => keyPrefix + name;
  const sizes = (window: RateWindow): number[] => [
    sharedClock(),
    window.windowMs,
    computeSlotMs(window),
  ];

  /** What the shared count answers; undefined while Redis is unavailable. */
  const runTake = (
    window: RateWindow,
    amount: number,
    shouldCount: boolean,
  ): Promise<number[] | undefined> =>
    redis.run(takeScript, keyOf(window.name), [
      ...sizes(window),
      ...[amount, window.limit, shouldCount ? 1 : 0],
    ]);

  async function wait(window: RateWindow, amount = 1): Promise<number> {
    const [sharedWaitMs = 0] = (await runTake(window, amount, false)) ?? [];
    return Math.max(local.waitNow(window, amount), sharedWaitMs);
  }

  const refundShared = (window: RateWindow, amount: number): void =>
    void redis.run(refundScript, keyOf(window.name), [...sizes(window), amount]);

  async function renew(): Promise<void> {
    for (const [name, members] of local.members()) {
      const all = [...members];
      for (let at = 0; at < all.length; at += renewBatchSize) {
        // Filtered again: some slots may have been released while the ones before were renewed.
        const some = all.slice(at, at + renewBatchSize).filter((member) => members.has(member));
        if (some.length > 0)
          await redis.run(renewScript, keyOf(name), [sharedClock(), leaseMs, ...some]);
      }
    }
  }
  const stopRenewing = runEvery(renewEveryMs, renew, () => undefined);

  return {
    async take(window, amount = 1) {
      const isFullLocally = local.waitNow(window, amount) > 0;
      // What other nodes counted may leave the window later than ours, so the shared count decides
      // how long to wait.
      if (isFullLocally)
        return { allowed: false, retryAfterMs: Math.max(1, await wait(window, amount)) };
      const shared = await runTake(window, amount, true);
      if (!shared) return local.takeNow(window, amount);
      const [waitMs = 0, used = 0, resetMs = 0] = shared;
      if (waitMs > 0) return { allowed: false, retryAfterMs: waitMs };
      local.refund(window, -amount);
      return { allowed: true, left: Math.max(0, window.limit - used), resetMs };
    },

    wait,

    refund(window, amount = 1, ageMs = 0) {
      local.refund(window, amount, ageMs);
      if (amount < 0 || ageMs < window.windowMs) refundShared(window, amount);
    },

    async acquire(name, limit, member) {
      if (!local.acquireNow(name, limit, member)) return false;
      const reply = await redis.run(acquireScript, keyOf(name), [
        sharedClock(),
        leaseMs,
        limit,
        member,
      ]);
      if (reply?.[0] !== 0) return true;
      local.release(name, member);
      return false;
    },

    async hasFreeSlot(name, limit) {
      if (!local.hasFreeSlotNow(name, limit)) return false;
      const held = (await redis.run(countScript, keyOf(name), [sharedClock()]))?.[0] ?? 0;
      return held < limit;
    },

    release(name, member) {
      local.release(name, member);
      void redis.run(releaseScript, keyOf(name), [sharedClock(), member]);
    },

    isShared: redis.isUp,

    async close() {
      await stopRenewing();
      await redis.close();
    },
  };
}
