/**
 * The holds of calls that run in this process. While a call runs, its lease is renewed, its
 * delivered usage is recorded, and its hold grows with the reply; when the balance does not
 * suffice, the call is stopped.
 */
import { type Database, StorageUnavailable } from "../../storage/database.ts";
import {
  computeBudgetId,
  type EnterChannelCommand,
  type HeldBudget,
  type HoldCommand,
  isBudgetRefusal,
  type MoneyResult,
  type PoolShare,
  type SettleCommand,
} from "../../storage/money-commands.ts";
import { runEvery } from "../../storage/run-every.ts";
import { createHoldPools, holdsOn, type KeyHolds } from "./hold-pools.ts";
import { createHoldGrowth, type GrowingHold, type Grown, type HoldReach } from "./hold-reach.ts";
import { awaitEnds, endsWaitMaxMs, isShort, type OpenedResult } from "./hold-waits.ts";
import { type RunningAttempt, readProgress } from "./running-attempt.ts";

const tickMs = 3_000;
const leaseMs = 60_000;
const renewMs = 20_000;
const settleRetryDelayMs = 250;
const rejectedMax = 3;
const closingAttemptsMax = 20;

/** `snapshot` is for the sweeper: frozen price, names, estimate. */
export type OpenedHold = Omit<HoldCommand, "verb" | "leaseUntil" | "snapshot"> & {
  snapshot: object;
};

interface LiveHold extends GrowingHold {
  /** `opened` is what the call asked for. */
  readonly opened: OpenedHold;
  readonly key: KeyHolds;
  /** The call has no reservation of its own, but a share of its key's pool. */
  share: PoolShare | undefined;
  /** While the share becomes a reservation. */
  leaving: Promise<void> | undefined;
  renewedAt: number;
  running: RunningAttempt | undefined;
  recorded: string | null;
  /** Resolves when the settlement or release that has begun is stored. */
  ended: Promise<void> | undefined;
}

/** `EnteredChannel` is a channel with its budgets, and what the call may come to there. */
export type EnteredChannel = Omit<EnterChannelCommand, "verb" | "id">;

export interface LiveHolds {
  /** `open` answers at once where the pool of the key covers the call. */
  open(hold: OpenedHold): OpenedResult | Promise<OpenedResult>;
  /** Before an attempt on a channel that has budgets, or after one. */
  enter(id: number, entry: EnteredChannel): Promise<MoneyResult<EnterChannelCommand>>;
  /**
   * Sets the attempt that is replying now. Returns how far its hold reaches; undefined when there
   * is no hold.
   */
  track(id: number, running: RunningAttempt): HoldReach | undefined;
  /** Ends the hold with its charge, and retries until storage has accepted it. */
  settle(settle: Omit<SettleCommand, "verb">): Promise<void>;
  release(id: number): Promise<void>;
  isLive(id: number): boolean;
  /** Waits for settlements in flight and stops the timer. */
  close(): Promise<void>;
}

export function startLiveHolds(
  db: Pick<Database, "money" | "mintId" | "dialect">,
  now: () => number,
  onError: (error: Error) => void,
  /**
   * A charge of this channel exceeded hold and balance by more than the wallet may owe: the rest is
   * the operator's loss.
   */
  onShortfall: (channelId: number) => void = () => undefined,
  /** Storage did not take the end of a hold, which is sent again or left to the sweeper. */
  onRetry: () => void = () => undefined,
): LiveHolds {
  const live = new Map<number, LiveHold>();
  const pools = createHoldPools(db, leaseMs, now, onError);
  const growth = createHoldGrowth(topUp, onError);

  async function tick(): Promise<void> {
    const calls: [number, string | null][] = [];
    const growing: Promise<void>[] = [];
    const at = now();
    const leaving: Promise<void>[] = [];
    for (const [id, hold] of live) {
      const delivering = hold.running?.hasDelivered?.() === false ? undefined : hold.running;
      const progress = delivering ? JSON.stringify(readProgress(delivering)) : null;
      const isNew = progress !== null && progress !== hold.recorded;
      if (hold.share && !hold.ended && progress !== null)
        leaving.push(leavePool(id, hold, hold.share));
      if (isNew || at - hold.renewedAt >= renewMs) calls.push([id, progress]);
      if (hold.running && isNew)
        growing.push(growth.growAhead(id, hold, hold.running).catch(onError));
    }
    const due = pools.leasedBefore(at - renewMs + 1);
    for (const { id } of due) calls.push([id, null]);
    await Promise.all(leaving);
    if (calls.length > 0) await db.money({ verb: "progress", leaseUntil: at + leaseMs, calls });
    for (const pool of due) pool.renewedAt = at;
    pools.trim();
    // Only what storage accepted counts as recorded; the rest is sent again with the next tick.
    for (const [id, progress] of calls) {
      const hold = live.get(id);
      if (hold) Object.assign(hold, { renewedAt: at, recorded: progress });
    }
    await Promise.all(growing);
  }

  async function topUp(
    id: number,
    hold: LiveHold,
    amount: number,
    onChannel: number,
  ): Promise<Grown> {
    if (hold.ended) return "gone";
    if (hold.share) await leavePool(id, hold, hold.share);
    const command = {
      verb: "top_up_hold",
      id,
      amount,
      ...(onChannel > 0 && { onChannel }),
    } as const;
    const result = await db.money(command);
    if (result === "gone" || result === "held") return result;
    return (await freeUnneeded(hold.opened, result)) ? await db.money(command) : result;
  }

  async function enterChannel(
    id: number,
    hold: LiveHold | undefined,
    entry: EnteredChannel,
  ): Promise<MoneyResult<EnterChannelCommand>> {
    if (hold?.share) await leavePool(id, hold, hold.share);
    const command = { verb: "enter_channel", id, ...entry } as const;
    let result = await db.money(command);
    if (hold && isBudgetRefusal(result) && (await freeUnneeded(hold.opened, result)))
      result = await db.money(command);
    if (hold && result === "held") hold.entered = entry.budgets.length > 0 ? entry : undefined;
    return result;
  }

  function leavePool(id: number, hold: LiveHold, share: PoolShare): Promise<void> {
    hold.leaving ??= db
      .money({
        verb: "leave_pool",
        id,
        pool: share,
        leaseUntil: now() + leaseMs,
        snapshot: JSON.stringify(hold.opened.snapshot),
      })
      .then(() => {
        pools.left(hold.key, share);
        hold.share = undefined;
      })
      .finally(() => {
        hold.leaving = undefined;
      });
    return hold.leaving;
  }

  /**
   * Frees units that stand against a hold and are held for no running call: those of calls that
   * have ended, which storage may not know yet, and those of the pools of the same wallet or
   * budgets. Returns whether there were any.
   */
  async function freeUnneeded(
    { walletId, budgets = [] }: OpenedHold,
    refusal: OpenedResult,
  ): Promise<boolean> {
    const full = isBudgetRefusal(refusal) ? computeBudgetId(refusal) : undefined;
    const isFull = ({ id }: HeldBudget): boolean => id === full;
    const concerns = ({ opened, entered }: LiveHold): boolean =>
      full === undefined
        ? opened.walletId === walletId
        : (opened.budgets?.some(isFull) ?? false) || (entered?.budgets.some(isFull) ?? false);
    const ends = [...live.values()].flatMap((hold) =>
      hold.ended && concerns(hold) ? [hold.ended] : [],
    );
    if (ends.length > 0) await awaitEnds(ends, endsWaitMaxMs);
    // A call may get less because of its budgets as well, and after one of them the next one may
    // refuse it.
    const stands = (key: KeyHolds): boolean =>
      (full === undefined && key.walletId === walletId) || holdsOn(key, budgets);
    const isReclaimed = (full !== undefined || isShort(refusal)) && (await pools.reclaim(stands));
    return ends.length > 0 || isReclaimed;
  }

  /**
   * Opens a reservation of the call's own. What is held for no running call must not refuse or
   * limit it.
   */
  async function openOwn(hold: OpenedHold): Promise<OpenedResult> {
    const snapshot = JSON.stringify(hold.snapshot);
    const command = { verb: "hold", ...hold, snapshot, leaseUntil: now() + leaseMs } as const;
    const result = await db.money(command);
    if (result === "held" || !(await freeUnneeded(hold, result))) return result;
    if (typeof result === "number") await db.money({ verb: "release", id: hold.id });
    return db.money(command);
  }

  /**
   * Retries while storage is unavailable. A command that storage rejects is a bug: it is reported,
   * and the sweeper ends the hold from what was recorded.
   */
  async function retryUntilDone(work: () => Promise<unknown>): Promise<void> {
    let rejected = 0;
    for (let attempt = 1; ; attempt += 1) {
      try {
        await work();
        pools.storageAnswered(true);
        return;
      } catch (error) {
        pools.storageAnswered(false);
        onError(error as Error);
        onRetry();
        if (!(error instanceof StorageUnavailable)) rejected += 1;
        if (rejected > rejectedMax || (isClosing && attempt > closingAttemptsMax)) return;
        await new Promise((resolve) =>
          setTimeout(resolve, Math.min(attempt, 20) * settleRetryDelayMs),
        );
      }
    }
  }

  /**
   * Ends the hold with a charge. `work` gets the share of a pool where the call has no reservation
   * of its own.
   */
  function endHold(
    id: number,
    charged: number,
    work: (share: PoolShare | undefined) => Promise<unknown>,
  ): Promise<void> {
    const hold = live.get(id);
    const ended = hold ? endLive(id, hold, charged, work) : retryUntilDone(() => work(undefined));
    if (hold) hold.ended = ended;
    return ended;
  }

  async function endLive(
    id: number,
    hold: LiveHold,
    charged: number,
    work: (share: PoolShare | undefined) => Promise<unknown>,
  ): Promise<void> {
    // Where this fails, the share stays one.
    if (hold.leaving) await hold.leaving.catch(() => undefined);
    const { share, key } = hold;
    if (share) pools.charge(key, share, charged);
    try {
      await retryUntilDone(() => work(share));
    } finally {
      // A map that grows anew leaves its old tables to the next full garbage collection, with the
      // entries that they had: without this, each of them kept all of its call.
      hold.running = undefined;
      live.delete(id);
      pools.end(key, hold.opened.amount, share);
    }
    // The wallet may be in debt: what its pools hold for no call pays it.
    if (charged > hold.amount)
      await pools.reclaim(({ walletId }) => walletId === hold.opened.walletId);
  }

  let isClosing = false;
  const stop = runEvery(tickMs, tick, onError);
  return {
    open(hold) {
      const { id, amount } = hold;
      const key = pools.begin(hold);
      const share = pools.share(key, amount);
      const opening = {
        renewedAt: now(),
        running: undefined,
        recorded: null,
        growing: undefined,
        ended: undefined,
      };
      const opened: LiveHold = {
        amount,
        opened: hold,
        entered: undefined,
        key,
        share,
        leaving: undefined,
        ...opening,
      };
      live.set(id, opened);
      if (share) return "held";
      const forget = (): void => {
        live.delete(id);
        pools.end(key, amount);
      };
      return openOwn(hold).then(
        (result) => {
          if (typeof result === "number") opened.amount = result;
          else if (result !== "held") forget();
          return result;
        },
        (error: unknown) => {
          forget();
          throw error;
        },
      );
    },
    enter: (id, entry) => enterChannel(id, live.get(id), entry),
    track(id, running) {
      const hold = live.get(id);
      if (!hold) return undefined;
      hold.running = running;
      return growth.computeReach(id, hold, running);
    },
    settle(settle) {
      const hold = live.get(settle.id);
      const hasBudgets = hold?.opened.budgets || hold?.entered ? { hasBudgets: true } : {};
      return endHold(settle.id, settle.charge, async (pool) => {
        const result = await db.money({
          verb: "settle",
          ...settle,
          ...hasBudgets,
          ...(pool && { pool }),
        });
        if (result === "short") onShortfall(settle.log.channel_id);
      });
    },
    release: (id) =>
      endHold(id, 0, async (pool) => (pool ? undefined : await db.money({ verb: "release", id }))),
    isLive: (id) => live.has(id) || pools.isPool(id),
    async close() {
      isClosing = true;
      await stop();
      await Promise.all([...live.values()].flatMap(({ ended }) => ended ?? []));
      await pools.close();
    },
  };
}
