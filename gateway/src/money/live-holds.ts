/**
 * The holds of calls that run in this process. While a call runs, its lease is renewed, its delivered usage is recorded, and
 * its hold grows with the reply; when the balance does not suffice, the call is stopped.
 */
import { type Database, StorageUnavailable } from "../storage/database.ts";
import type { HoldCommand, HoldRefusal, SettleCommand } from "../storage/money-commands.ts";
import { runEvery } from "../storage/run-every.ts";
import { coveredTokens, growFrom, type HoldReach } from "./hold-reach.ts";
import { charge, type FrozenPrice, isUsed, thawPrice, type Usage, withCallFee } from "./price.ts";

const tickMs = 3_000;
const leaseMs = 60_000;
const renewMs = 20_000;
/** The hold of a growing reply covers this many completion tokens beyond what was delivered. */
const holdAheadTokens = 4_096;
const settleRetryDelayMs = 250;
const rejectedMax = 3;
const closingAttemptsMax = 20;

/** What a running attempt has delivered, and its price: enough for the sweeper to settle it. */
export interface RunningAttempt {
  channelId: number;
  channelName: string;
  model: string;
  /** Of a virtual model, the target that serves. */
  target?: string | undefined;
  price: FrozenPrice;
  usage(): Usage;
  stop(): void;
}

/** The progress column of a reservation, as JSON. */
export interface ProgressRecord {
  channel_id: number;
  channel_name: string;
  model: string;
  target?: string | undefined;
  price: FrozenPrice;
  usage: Usage;
}

interface LiveHold {
  amount: number;
  renewedAt: number;
  running: RunningAttempt | undefined;
  recorded: string | null;
  /** One growth at a time: two would both add to the same amount. */
  growing: Promise<"held" | HoldRefusal | "gone"> | undefined;
  hasBudgets: boolean;
  /** Resolves when the settlement or release that has begun is stored. */
  ended: Promise<void> | undefined;
}

export interface LiveHolds {
  open(hold: Omit<HoldCommand, "verb" | "leaseUntil">): Promise<"held" | number | HoldRefusal>;
  /** Sets the attempt that is replying now. Returns how far its hold reaches; undefined when there is no hold. */
  track(id: number, running: RunningAttempt): HoldReach | undefined;
  /** Ends the hold with its charge, and retries until storage has accepted it. */
  settle(settle: Omit<SettleCommand, "verb">): Promise<void>;
  release(id: number): Promise<void>;
  isLive(id: number): boolean;
  /** Waits for settlements in flight and stops the timer. */
  close(): Promise<void>;
}

export function startLiveHolds(
  db: Pick<Database, "money">,
  now: () => number,
  onError: (error: Error) => void,
  /** A charge of this channel exceeded hold and balance by more than the wallet may owe: the rest is the operator's loss. */
  onShortfall: (channelId: number) => void = () => undefined,
  /** Storage did not take the end of a hold, which is sent again or left to the sweeper. */
  onRetry: () => void = () => undefined,
): LiveHolds {
  const live = new Map<number, LiveHold>();

  async function tick(): Promise<void> {
    const calls: [number, string | null][] = [];
    const growing: Promise<void>[] = [];
    const at = now();
    for (const [id, hold] of live) {
      const progress = hold.running ? JSON.stringify(progressOf(hold.running)) : null;
      const isNew = progress !== null && progress !== hold.recorded;
      if (isNew || at - hold.renewedAt >= renewMs) calls.push([id, progress]);
      if (hold.running && isNew) growing.push(growHold(id, hold, hold.running));
    }
    if (calls.length > 0) await db.money({ verb: "progress", leaseUntil: at + leaseMs, calls });
    // Only what storage accepted counts as recorded; the rest is sent again with the next tick.
    for (const [id, progress] of calls) {
      const hold = live.get(id);
      if (hold) Object.assign(hold, { renewedAt: at, recorded: progress });
    }
    await Promise.all(growing);
  }

  async function growHold(id: number, hold: LiveHold, running: RunningAttempt): Promise<void> {
    const pricing = thawPrice(running.price);
    const usage = withCallFee(running.usage(), pricing);
    const ahead = { ...usage, output: usage.output + holdAheadTokens / 2 };
    if (charge(pricing, ahead, running.price.group_ratio) <= hold.amount) return;
    const wantedAmount = charge(
      pricing,
      { ...usage, output: usage.output + holdAheadTokens },
      running.price.group_ratio,
    );
    const result = await growTo(id, hold, wantedAmount);
    // What is held may still cover what comes; only an answer that outgrew it must end.
    if (result !== "held" && result !== "gone" && charge(pricing, usage, running.price.group_ratio) >= hold.amount)
      running.stop();
  }

  function growTo(id: number, hold: LiveHold, wantedAmount: number): NonNullable<LiveHold["growing"]> {
    hold.growing ??= db
      .money({ verb: "top_up_hold", id, amount: wantedAmount - hold.amount })
      .then((result) => {
        if (result === "held") hold.amount = wantedAmount;
        return result;
      })
      .finally(() => {
        hold.growing = undefined;
      });
    return hold.growing;
  }

  function reachOf(id: number, hold: LiveHold, running: RunningAttempt): HoldReach {
    const pricing = thawPrice(running.price);
    const ratio = running.price.group_ratio;
    const usageNow = (): Usage => withCallFee(running.usage(), pricing);
    const covered = (): number => coveredTokens(pricing, ratio, usageNow(), hold.amount);
    const tokens = covered();
    const reach: HoldReach = {
      tokens,
      growFrom: growFrom(tokens),
      async grow() {
        const before = reach.tokens;
        // Until this growth has ended, no event asks for another one.
        reach.growFrom = before;
        try {
          const usage = usageNow();
          const output = Math.max(before, usage.output) + holdAheadTokens;
          const wantedAmount = charge(pricing, { ...usage, output }, ratio);
          // A growth that is shared may be for less: it began before the newest events.
          let result: Awaited<ReturnType<typeof growTo>> = "held";
          while (result === "held" && wantedAmount > hold.amount) result = await growTo(id, hold, wantedAmount);
        } catch (error) {
          onError(error as Error);
        }
        reach.tokens = covered();
        if (reach.tokens > before) reach.growFrom = growFrom(reach.tokens);
      },
    };
    return reach;
  }

  /**
   * Retries while storage is unavailable. A command that storage rejects is a bug: it is reported, and the sweeper ends the
   * hold from what was recorded.
   */
  async function retryUntilDone(work: () => Promise<unknown>): Promise<void> {
    let rejected = 0;
    for (let attempt = 1; ; attempt += 1) {
      try {
        await work();
        return;
      } catch (error) {
        onError(error as Error);
        onRetry();
        if (!(error instanceof StorageUnavailable)) rejected += 1;
        if (rejected > rejectedMax || (isClosing && attempt > closingAttemptsMax)) return;
        await new Promise((resolve) => setTimeout(resolve, Math.min(attempt, 20) * settleRetryDelayMs));
      }
    }
  }

  function endHold(id: number, work: () => Promise<unknown>): Promise<void> {
    const hold = live.get(id);
    const ended = retryUntilDone(work).finally(() => {
      // A map that grows anew leaves its old tables to the next full garbage collection, with the entries that they had: without
      // this, each of them kept all of its call.
      if (hold) hold.running = undefined;
      live.delete(id);
    });
    if (hold) hold.ended = ended;
    return ended;
  }

  let isClosing = false;
  const stop = runEvery(tickMs, tick, onError);
  return {
    async open(hold) {
      const { id, amount, budgets } = hold;
      const opening = { renewedAt: now(), running: undefined, recorded: null, growing: undefined, ended: undefined };
      live.set(id, { amount, ...opening, hasBudgets: budgets !== undefined });
      try {
        const result = await db.money({ verb: "hold", ...hold, leaseUntil: now() + leaseMs });
        const opened = live.get(hold.id);
        if (typeof result === "number" && opened) opened.amount = result;
        else if (result !== "held") live.delete(hold.id);
        return result;
      } catch (error) {
        live.delete(hold.id);
        throw error;
      }
    },
    track(id, running) {
      const hold = live.get(id);
      if (!hold) return undefined;
      hold.running = running;
      return reachOf(id, hold, running);
    },
    settle(settle) {
      const counted = live.get(settle.id)?.hasBudgets ? { hasBudgets: true } : {};
      return endHold(settle.id, async () => {
        const result = await db.money({ verb: "settle", ...settle, ...counted });
        if (result === "short") onShortfall(settle.log.channel_id);
      });
    },
    release: (id) => endHold(id, () => db.money({ verb: "release", id })),
    isLive: (id) => live.has(id),
    async close() {
      isClosing = true;
      await stop();
      await Promise.all([...live.values()].flatMap(({ ended }) => ended ?? []));
    },
  };
}

/** What the sweeper charges if the process ends now: nothing as long as nothing was delivered. */
function deliveredUsage({ price, usage }: RunningAttempt): Usage {
  const delivered = usage();
  return isUsed(delivered) ? withCallFee(delivered, thawPrice(price)) : delivered;
}

const progressOf = (running: RunningAttempt): ProgressRecord => ({
  channel_id: running.channelId,
  channel_name: running.channelName,
  model: running.model,
  ...(running.target !== undefined && { target: running.target }),
  price: running.price,
  usage: deliveredUsage(running),
});
