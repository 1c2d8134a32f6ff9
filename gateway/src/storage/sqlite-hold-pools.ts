/**
 * Pools of holds on SQLite. What the calls of a pool are charged leaves balance, hold and pool
 * alike, so that what is available stays as it was. It is therefore summed, and written once for
 * each batch of the writer thread.
 */
import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { LeavePoolCommand, PoolShare, ShrinkPoolCommand } from "./money-commands.ts";

/** `PoolOwner` says whose units a pool holds. */
export interface PoolOwner {
  wallet_id: number;
  user_id: number;
  token_id: number;
  /** Zero where the token is bounded by the wallet alone. */
  token_amount: number;
  /** `budgets` hold those that its units are held on: JSON list of `HeldBudget`. */
  budgets: string | null;
}

interface PendingPool {
  owner: PoolOwner;
  charged: number;
}

export interface SqliteHoldPools {
  /**
   * Charges a call, at most its share. Throws where there is no such pool: the units of the call
   * are held nowhere.
   */
  charge(id: number, units: number): PoolOwner;
  /** The share becomes a hold of the call's own, which the caller ends or stores. */
  take({ id, amount }: PoolShare): PoolOwner;
  leave(command: LeavePoolCommand): "left";
  /**
   * Takes the units out of the pool; the caller releases them. Undefined where there is no such
   * pool.
   */
  shrink({ id, amount }: Pick<ShrinkPoolCommand, "id" | "amount">): PoolOwner | undefined;
  /**
   * Writes the sums: before a command that reads or changes the row of a pool, and before COMMIT.
   */
  flush(): void;
  discard(): void;
}

export function createSqliteHoldPools(
  db: DatabaseSync,
  settleToken: StatementSync,
): SqliteHoldPools {
  const select = db.prepare(
    "select wallet_id, user_id, token_id, token_amount, budgets from reservations where id = ?",
  );
  const reduce = db.prepare(
    `update reservations set amount = amount - ?1, token_amount = max(0, token_amount - ?1) where id = ?2 and amount >= ?1
     returning wallet_id, user_id, token_id, token_amount, budgets`,
  );
  const settleWallet = db.prepare(
    "update wallets set balance = balance - ?1, held = held - ?1 where id = ?2",
  );
  const insert = db.prepare(
    `insert into reservations (id, wallet_id, user_id, token_id, amount, token_amount, node, lease_until, snapshot, progress, budgets)
     select ?1, wallet_id, user_id, token_id, ?2, case when token_amount > 0 then ?2 else 0 end, node, ?3, ?4, null, budgets
     from reservations where id = ?5`,
  );
  const pending = new Map<number, PendingPool>();

  function pendingOf(id: number): PendingPool {
    const known = pending.get(id);
    if (known) return known;
    const owner = select.get(id) as PoolOwner | undefined;
    if (!owner) throw new Error(`there is no pool ${id}`);
    const added = { owner, charged: 0 };
    pending.set(id, added);
    return added;
  }

  function flush(): void {
    if (pending.size === 0) return;
    const now = Date.now();
    for (const [id, { owner, charged }] of pending) {
      if (charged === 0) continue;
      const { wallet_id, token_id, token_amount } = owner;
      if (reduce.run(charged, id).changes !== 1)
        throw new Error(`pool ${id} does not cover ${charged} units`);
      settleWallet.run(charged, wallet_id);
      settleToken.run(token_amount > 0 ? charged : 0, charged, charged, now, charged, token_id);
    }
    pending.clear();
  }

  function takeOut({ id, amount }: PoolShare): PoolOwner | undefined {
    flush();
    return reduce.get(amount, id) as PoolOwner | undefined;
  }

  function take(share: PoolShare): PoolOwner {
    const owner = takeOut(share);
    if (!owner) throw new Error(`pool ${share.id} does not hold ${share.amount} units`);
    return owner;
  }

  return {
    charge(id, units) {
      const pool = pendingOf(id);
      pool.charged += units;
      return pool.owner;
    },
    take,
    leave({ id, pool, leaseUntil, snapshot }) {
      take(pool);
      insert.run(id, pool.amount, leaseUntil, snapshot, pool.id);
      return "left";
    },
    shrink: takeOut,
    flush,
    discard: () => pending.clear(),
  };
}
