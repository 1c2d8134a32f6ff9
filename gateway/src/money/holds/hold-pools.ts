/**
 * Pools of holds: a key with many calls at once holds units for all of them in one reservation, and
 * a short call takes a share of it in memory. The pool's units are set aside in the database before
 * any call uses them, so no call is admitted that the wallet does not cover.
 * docs/decisions/0037-pools-of-holds.md
 */
import type { Database } from "../../storage/database.ts";
import type { HeldBudget, HoldCommand, PoolShare } from "../../storage/money-commands.ts";

/** A key with this many running calls gets a pool. */
const pooledCallsMin = 8;
/**
 * A pool should hold this many times what the running calls of its key hold, so that the next calls
 * find it covered.
 */
const headroom = 4;
/**
 * A pool grows when it holds less than this share of what it should hold, and is trimmed when it
 * holds twice as much.
 */
const growBelow = 0.75;
/** After a refusal or a failure, the key's pool is neither opened nor extended for this long. */
const pauseMs = 3_000;
/**
 * `unstoredMax` counts ended calls that storage has not taken: beyond it, further ones need holds
 * of their own, and so wait for storage.
 */
const unstoredMax = 128;
/**
 * `unsharedUnits` are one unit is shared by no call: a row without units would not tell that the
 * pool holds the token's quota too.
 */
const unsharedUnits = 1;

type KeyIdentity = Pick<
  HoldCommand,
  "walletId" | "userId" | "tokenId" | "tokenIsUnlimited" | "budgets"
>;

interface HoldPool {
  id: number;
  /** Units that the reservation holds once storage has all that was sent to it. */
  amount: number;
  /** Units that cover running calls. */
  used: number;
  renewedAt: number;
}

/**
 * The running calls of one key that count for the same budgets, in the same windows and up to the
 * same amounts.
 */
export interface KeyHolds extends KeyIdentity {
  name: string;
  running: number;
  /** `units` are what these calls asked for when they began. */
  units: number;
  pool: HoldPool | undefined;
  /** The opening or growth of the pool that storage has not answered. */
  changing: Promise<void> | undefined;
  /** `freeing` gives units back for refused calls, and storage has not answered. */
  freeing: Promise<void> | undefined;
  pausedUntil: number;
}

export interface HoldPools {
  /** Counts a call of the key as running. */
  begin(call: KeyIdentity & { amount: number }): KeyHolds;
  /** Covers a call from the key's pool; undefined where it needs a hold of its own. */
  share(key: KeyHolds, amount: number): PoolShare | undefined;
  /** The call of a share ends with this charge: the rest of the share is free. */
  charge(key: KeyHolds, share: PoolShare, charge: number): void;
  /** The share became a reservation of the call's own. */
  left(key: KeyHolds, share: PoolShare): void;
  /** The call has ended, and storage has its end. The pool ends with the last call of its key. */
  end(key: KeyHolds, amount: number, share?: PoolShare): void;
  /**
   * Storage took a command or failed. After a failure no call gets a share, because its charge
   * could not be stored either.
   */
  storageAnswered(hasTaken: boolean): void;
  /** Releases what these pools hold for no call. Returns whether there was any. */
  reclaim(isConcerned: (key: KeyHolds) => boolean): Promise<boolean>;
  isPool(id: number): boolean;
  /** Pools whose lease is older than this. */
  leasedBefore(at: number): HoldPool[];
  /** Releases what pools hold beyond what the running calls of their keys need. */
  trim(): void;
  /** Waits for commands in flight. */
  close(): Promise<void>;
}

const free = ({ amount, used }: HoldPool): number => Math.max(0, amount - used - unsharedUnits);
const computeWanted = ({ units }: KeyHolds): number => headroom * units + unsharedUnits;

/** Calls alike come with the same list. */
const budgetNames = new WeakMap<readonly HeldBudget[], string>();

/** `namePool` covers the facts that a call must have in common with the others of a pool. */
function namePool({ walletId, tokenId, tokenIsUnlimited, budgets }: KeyIdentity): string {
  // A key that moves into a team is paid by another wallet from the next call on.
  const key = `${tokenIsUnlimited ? "" : "limited "}${tokenId} of ${walletId}`;
  if (!budgets || budgets.length === 0) return key;
  let name = budgetNames.get(budgets);
  if (name === undefined) {
    name = JSON.stringify(
      budgets.map(({ id, start, max, target, part }) => [id, start, max, target, part]),
    );
    budgetNames.set(budgets, name);
  }
  return `${key} ${name}`;
}

/**
 * `holdsOn` says whether the pool of a key is held on one of these budgets. A budget without a
 * maximum is held on by none.
 */
export const holdsOn = (
  { budgets = [] }: KeyHolds,
  others: readonly Pick<HeldBudget, "id">[],
): boolean =>
  budgets.some(({ id, max }) => max !== null && others.some((other) => other.id === id));

export function createHoldPools(
  db: Pick<Database, "money" | "mintId" | "dialect">,
  leaseMs: number,
  now: () => number,
  onError: (error: Error) => void,
): HoldPools {
  // On PostgreSQL holds travel together, and several nodes share a wallet.
  const hasPools = db.dialect === "sqlite";
  const keys = new Map<string, KeyHolds>();
  const pools = new Map<number, HoldPool>();
  const sent = new Set<Promise<void>>();
  let unstored = 0;
  let isStorageFailing = false;

  function send(work: () => Promise<void>): Promise<void> {
    const done = work()
      .catch((error: unknown) => onError(error as Error))
      .finally(() => sent.delete(done));
    sent.add(done);
    return done;
  }

  async function open(key: KeyHolds, amount: number): Promise<void> {
    const { walletId, userId, tokenId, tokenIsUnlimited, budgets } = key;
    const id = db.mintId();
    const pool = { id, amount, used: 0, renewedAt: now() };
    pools.set(id, pool);
    const command = {
      id,
      walletId,
      userId,
      tokenId,
      tokenIsUnlimited,
      amount,
      snapshot: "{}",
      budgets,
    };
    const result = await db
      .money({ verb: "hold", ...command, leaseUntil: now() + leaseMs })
      .catch((error: unknown) => {
        pools.delete(id);
        throw error;
      });
    if (result !== "held") return void pools.delete(id);
    key.pausedUntil = 0;
    if (key.running === 0) release(pool);
    else key.pool = pool;
  }

  async function grow(key: KeyHolds, pool: HoldPool, amount: number): Promise<void> {
    if ((await db.money({ verb: "top_up_hold", id: pool.id, amount })) !== "held") return;
    pool.amount += amount;
    key.pausedUntil = 0;
  }

  function refill(key: KeyHolds): void {
    if (key.changing || key.pausedUntil > now()) return;
    const { pool } = key;
    const wanted = computeWanted(key);
    if (wanted === unsharedUnits || (pool && pool.amount >= growBelow * wanted)) return;
    key.pausedUntil = now() + pauseMs;
    key.changing = send(() =>
      pool ? grow(key, pool, wanted - pool.amount) : open(key, wanted),
    ).then(() => {
      key.changing = undefined;
    });
  }

  function shrink(pool: HoldPool, amount: number): Promise<void> {
    pool.amount -= amount;
    const paymentId = db.mintId();
    return send(
      async () => void (await db.money({ verb: "shrink_pool", id: pool.id, amount, paymentId })),
    );
  }

  /**
   * Gives back what the pool holds for no call. Of several calls that ask at once, each waits for
   * what the first one gives back.
   */
  function giveBack(key: KeyHolds): Promise<void> | undefined {
    if (!key.pool) return key.freeing;
    key.pausedUntil = now() + pauseMs;
    const amount = free(key.pool);
    if (amount > 0) {
      const freeing = Promise.all([key.freeing, shrink(key.pool, amount)]).then(() => {
        if (key.freeing === freeing) key.freeing = undefined;
      });
      key.freeing = freeing;
    }
    return key.freeing;
  }

  /**
   * `release` leaves the units that storage does not take: they are released when the lease has
   * expired.
   */
  function release({ id }: HoldPool): void {
    pools.delete(id);
    void send(async () => void (await db.money({ verb: "release", id })));
  }

  /**
   * `isPooled` is false for budgets of runs: the units that a pool holds in advance would be most
   * of those that the run may spend.
   */
  const isPooled = ({ budgets = [] }: KeyIdentity): boolean =>
    hasPools && budgets.every(({ part }) => part === undefined);

  return {
    begin(call) {
      const { walletId, userId, tokenId, tokenIsUnlimited, budgets, amount } = call;
      const name = namePool(call);
      let key = keys.get(name);
      if (key?.walletId !== walletId) {
        const identity = { name, walletId, userId, tokenId, tokenIsUnlimited, budgets };
        const none = { pool: undefined, changing: undefined, freeing: undefined };
        key = { ...identity, ...none, running: 0, units: 0, pausedUntil: 0 };
        keys.set(name, key);
      }
      key.running += 1;
      key.units += amount;
      return key;
    },
    share(key, amount) {
      const { pool } = key;
      const isCovered =
        pool !== undefined && free(pool) >= amount && unstored < unstoredMax && !isStorageFailing;
      if (isCovered) pool.used += amount;
      if (key.running >= pooledCallsMin && isPooled(key)) refill(key);
      return isCovered ? { id: pool.id, amount } : undefined;
    },
    charge({ pool }, { amount }, charge) {
      unstored += 1;
      if (!pool) return;
      pool.used -= amount;
      pool.amount -= Math.min(charge, amount);
    },
    left({ pool }, { amount }) {
      if (!pool) return;
      pool.used -= amount;
      pool.amount -= amount;
    },
    end(key, amount, share) {
      if (share) unstored -= 1;
      key.running -= 1;
      key.units -= amount;
      if (key.running > 0) return;
      if (keys.get(key.name) === key) keys.delete(key.name);
      if (key.pool) release(key.pool);
    },
    storageAnswered(hasTaken) {
      isStorageFailing = !hasTaken;
    },
    async reclaim(isConcerned) {
      const concerned = [...keys.values()].filter(isConcerned);
      // What a pool has just been given may be what the call was refused for.
      await Promise.all(concerned.flatMap(({ changing }) => changing ?? []));
      const freed = concerned.flatMap((key) => giveBack(key) ?? []);
      await Promise.all(freed);
      return freed.length > 0;
    },
    isPool: (id) => pools.has(id),
    leasedBefore: (at) => [...pools.values()].filter(({ renewedAt }) => renewedAt < at),
    trim() {
      for (const key of keys.values()) {
        if (!key.pool) continue;
        const wanted = computeWanted(key);
        if (key.pool.amount <= 2 * wanted) continue;
        const amount = Math.min(free(key.pool), key.pool.amount - wanted);
        if (amount > 0) void shrink(key.pool, amount);
      }
    },
    async close() {
      while (sent.size > 0) await Promise.all(sent);
    },
  };
}
