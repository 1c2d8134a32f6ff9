/**
 * Counts for several nodes in one Redis. Each node keeps its own count besides: what that refuses stays refused, whatever
 * Redis has forgotten, and when Redis does not answer the node goes on with it alone.
 */
import type { Logger } from "pino";
import { every } from "../storage/every.ts";
import { type Counters, memoryCounters, slotMs, type Window } from "./counters.ts";
import { openRedisLink } from "./redis-link.ts";
import { enterScript, giveScript, leaveScript, stayScript, takeScript } from "./redis-scripts.ts";

const scripts = [takeScript, giveScript, enterScript, stayScript, leaveScript];

/** The places of a node that died are free after this long; a living one renews its own in time. */
const leaseMs = 60_000;
const renewEveryMs = 20_000;
/** Members renewed by one command. */
const renewedAtOnce = 500;

export const keyPrefix = "tollgate:";

interface Parts {
  url: URL;
  now(): number;
  log: Pick<Logger, "info" | "warn">;
  /** Instead of Redis's own clock, for tests. */
  sharedClock?: () => number;
}

export interface SharedCounters extends Counters {
  close(): Promise<void>;
}

export async function redisCounters({ url, now, log, sharedClock = () => 0 }: Parts): Promise<SharedCounters> {
  const own = memoryCounters(now);
  const link = await openRedisLink({ url, scripts, log, onBack: () => void renew() });

  const keyOf = (name: string): string => keyPrefix + name;
  const sizes = (window: Window): number[] => [sharedClock(), window.windowMs, slotMs(window)];

  /** Milliseconds to wait by what all nodes have counted; undefined while Redis is away. */
  async function ask(window: Window, amount: number, counts: boolean): Promise<number | undefined> {
    const args = [...sizes(window), amount, window.most, counts ? 1 : 0];
    return (await link.run(takeScript, keyOf(window.name), args))?.[0];
  }

  async function wait(window: Window, amount = 1): Promise<number> {
    const everywhereMs = (await ask(window, amount, false)) ?? 0;
    return Math.max(own.waitNow(window, amount), everywhereMs);
  }

  const giveShared = (window: Window, amount: number): void =>
    void link.run(giveScript, keyOf(window.name), [...sizes(window), amount]);

  async function renew(): Promise<void> {
    for (const [name, members] of own.inside()) {
      const all = [...members];
      for (let at = 0; at < all.length; at += renewedAtOnce) {
        // Looked up again: some may have left while the ones before were renewed.
        const some = all.slice(at, at + renewedAtOnce).filter((member) => members.has(member));
        if (some.length > 0) await link.run(stayScript, keyOf(name), [sharedClock(), leaseMs, ...some]);
      }
    }
  }
  const stopRenewing = every(renewEveryMs, renew, () => undefined);

  return {
    async take(window, amount = 1) {
      const isFullHere = own.waitNow(window, amount) > 0;
      // Others may have counted what leaves the window later than ours: asked only how long to wait.
      if (isFullHere) return { allowed: false, retryAfterMs: Math.max(1, await wait(window, amount)) };
      const waitMs = await ask(window, amount, true);
      if (waitMs === undefined) return own.takeNow(window, amount);
      if (waitMs > 0) return { allowed: false, retryAfterMs: waitMs };
      own.give(window, -amount);
      return { allowed: true };
    },

    wait,

    give(window, amount = 1, ageMs = 0) {
      own.give(window, amount, ageMs);
      if (amount < 0 || ageMs < window.windowMs) giveShared(window, amount);
    },

    async enter(name, most, member) {
      if (!own.enterNow(name, most, member)) return false;
      const answer = await link.run(enterScript, keyOf(name), [sharedClock(), leaseMs, most, member]);
      if (answer?.[0] !== 0) return true;
      own.leave(name, member);
      return false;
    },

    leave(name, member) {
      own.leave(name, member);
      void link.run(leaveScript, keyOf(name), [sharedClock(), member]);
    },

    async close() {
      await stopRenewing();
      await link.close();
    },
  };
}
