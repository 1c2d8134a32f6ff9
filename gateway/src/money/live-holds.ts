/**
 * The holds of calls that run in this process. While a call runs its lease is renewed, what it delivered is recorded,
 * and its hold grows with its answer; when the balance cannot follow, the call is told to stop.
 */
import { type Database, StorageUnavailable } from "../storage/database.ts";
import { every } from "../storage/every.ts";
import type { Hold, HoldRefusal, Settle } from "../storage/money-commands.ts";
import { charge, type FrozenPrice, thaw, type Usage } from "./price.ts";

const tickMs = 3_000;
const leaseMs = 60_000;
const renewMs = 20_000;
/** A growing answer is held for this many completion tokens ahead of what was delivered. */
const tokensAhead = 4_096;
const settleRetryMs = 250;
const refusedMax = 3;
const closingTriesMax = 20;

/** What a running attempt delivered, at which price: enough for the sweeper to settle it. */
export interface Running {
  channelId: number;
  channelName: string;
  model: string;
  price: FrozenPrice;
  usage(): Usage;
  stop(): void;
}

/** The progress column of a reservation, as JSON. */
export interface ProgressRecord {
  channel_id: number;
  channel_name: string;
  model: string;
  price: FrozenPrice;
  usage: Usage;
}

interface LiveHold {
  amount: number;
  renewedAt: number;
  running: Running | undefined;
  recorded: string | null;
}

export interface LiveHolds {
  open(hold: Omit<Hold, "verb" | "leaseUntil">): Promise<"held" | HoldRefusal>;
  /** The attempt that is answering now. */
  run(id: number, running: Running): void;
  /** Ends the hold with its charge, for certain: a storage that fails is asked again until it answers. */
  settle(settle: Omit<Settle, "verb">): Promise<void>;
  release(id: number): Promise<void>;
  isLive(id: number): boolean;
  /** Waits for settles under way and stops the clock. */
  close(): Promise<void>;
}

export function openLiveHolds(
  db: Pick<Database, "money">,
  now: () => number,
  onTrouble: (error: Error) => void,
): LiveHolds {
  const live = new Map<number, LiveHold>();
  const ending = new Set<Promise<void>>();

  async function tick(): Promise<void> {
    const calls: [number, string | null][] = [];
    const growing: Promise<void>[] = [];
    const at = now();
    for (const [id, hold] of live) {
      const progress = hold.running ? JSON.stringify(recordOf(hold.running)) : null;
      const isNew = progress !== null && progress !== hold.recorded;
      if (isNew || at - hold.renewedAt >= renewMs) calls.push([id, progress]);
      if (hold.running && isNew) growing.push(grow(id, hold, hold.running));
    }
    if (calls.length > 0) await db.money({ verb: "progress", leaseUntil: at + leaseMs, calls });
    // Only what storage has taken counts as recorded; the rest goes again with the next tick.
    for (const [id, progress] of calls) {
      const hold = live.get(id);
      if (hold) Object.assign(hold, { renewedAt: at, recorded: progress });
    }
    await Promise.all(growing);
  }

  async function grow(id: number, hold: LiveHold, running: Running): Promise<void> {
    const usage = running.usage();
    const ahead = { ...usage, output: usage.output + tokensAhead / 2 };
    const pricing = thaw(running.price);
    if (charge(pricing, ahead, running.price.group_ratio) <= hold.amount) return;
    const wanted = charge(pricing, { ...usage, output: usage.output + tokensAhead }, running.price.group_ratio);
    const answer = await db.money({ verb: "top_up_hold", id, amount: wanted - hold.amount });
    if (answer === "held") hold.amount = wanted;
    // What is held may still cover what comes; only an answer that outgrew it must end.
    else if (answer !== "gone" && charge(pricing, usage, running.price.group_ratio) >= hold.amount) running.stop();
  }

  /**
   * Asks storage again while it is not available. An answer that it can never accept is our bug: it is reported, and the
   * sweeper ends the hold from what was recorded.
   */
  async function surely(work: () => Promise<unknown>): Promise<void> {
    let refused = 0;
    for (let tries = 1; ; tries += 1) {
      try {
        await work();
        return;
      } catch (error) {
        onTrouble(error as Error);
        if (!(error instanceof StorageUnavailable)) refused += 1;
        if (refused > refusedMax || (closing && tries > closingTriesMax)) return;
        await new Promise((resolve) => setTimeout(resolve, Math.min(tries, 20) * settleRetryMs));
      }
    }
  }

  function end(id: number, work: () => Promise<unknown>): Promise<void> {
    const done = surely(work).finally(() => {
      live.delete(id);
      ending.delete(done);
    });
    ending.add(done);
    return done;
  }

  let closing = false;
  const stop = every(tickMs, tick, onTrouble);
  return {
    async open(hold) {
      live.set(hold.id, { amount: hold.amount, renewedAt: now(), running: undefined, recorded: null });
      try {
        const answer = await db.money({ verb: "hold", ...hold, leaseUntil: now() + leaseMs });
        if (answer !== "held") live.delete(hold.id);
        return answer;
      } catch (error) {
        live.delete(hold.id);
        throw error;
      }
    },
    run(id, running) {
      const hold = live.get(id);
      if (hold) hold.running = running;
    },
    settle: (settle) => end(settle.id, () => db.money({ verb: "settle", ...settle })),
    release: (id) => end(id, () => db.money({ verb: "release", id })),
    isLive: (id) => live.has(id),
    async close() {
      closing = true;
      await stop();
      await Promise.all(ending);
    },
  };
}

const recordOf = (running: Running): ProgressRecord => ({
  channel_id: running.channelId,
  channel_name: running.channelName,
  model: running.model,
  price: running.price,
  usage: running.usage(),
});
