// The statements of pools alone. What calls do with them on both databases is in
// gateway/src/money/holds/hold-pools.db.test.ts.
import { DatabaseSync } from "node:sqlite";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { createSqliteHoldPools, type SqliteHoldPools } from "./sqlite-hold-pools.ts";

const tables = `
  create table wallets (id integer primary key, balance integer, held integer);
  create table tokens (id integer primary key, held integer, spent integer, used integer, accessed_at integer, checked integer);
  create table reservations (id integer primary key, wallet_id integer, user_id integer, token_id integer, amount integer,
    token_amount integer, node integer, lease_until integer, snapshot text, progress text, budgets text);
  insert into wallets values (1, 1000, 150), (2, 70, 70);
  insert into tokens values (3, 150, 0, 0, 0, 0), (4, 0, 0, 0, 0, 0);
  insert into reservations values (7, 1, 2, 3, 100, 100, 5, 60, '{}', 'p', 'b'), (8, 1, 2, 4, 50, 0, 5, 60, '{}', null, null)`;

describe("pools of holds", () => {
  let db: DatabaseSync;
  let pools: SqliteHoldPools;
  beforeEach(() => {
    db = new DatabaseSync(":memory:");
    db.exec(tables);
    const settleToken = db.prepare(
      "update tokens set held = held - ?, spent = spent + ?, used = used + ?, accessed_at = ?, checked = ? where id = ?",
    );
    pools = createSqliteHoldPools(db, settleToken);
  });
  const wallet = () => db.prepare("select balance, held from wallets where id = 1").get();
  const token = (id: number) =>
    db.prepare("select held, spent, used, checked from tokens where id = ?").get(id);
  const pool = (id: number) =>
    db.prepare("select amount, token_amount from reservations where id = ?").get(id);
  const untouched = { balance: 1_000, held: 150 };

  test("charge by sums, which are written once, with the time", () => {
    vi.setSystemTime(9_000);
    const owner = { wallet_id: 1, user_id: 2, token_id: 3, token_amount: 100, budgets: "b" };
    expect([pools.charge(7, 30), pools.charge(7, 12)]).toEqual([owner, owner]);
    expect([wallet(), pool(7)]).toEqual([untouched, { amount: 100, token_amount: 100 }]);
    pools.flush();
    expect([wallet(), pool(7)]).toEqual([
      { balance: 958, held: 108 },
      { amount: 58, token_amount: 58 },
    ]);
    expect(token(3)).toEqual({ held: 108, spent: 42, used: 42, checked: 42 });
    expect(db.prepare("select accessed_at from tokens where id = 3").get()).toEqual({
      accessed_at: 9_000,
    });
    pools.flush();
    expect(wallet()).toEqual({ balance: 958, held: 108 });
    vi.useRealTimers();
  });

  test("hold nothing of a key that the wallet alone bounds", () => {
    pools.charge(8, 20);
    pools.flush();
    expect([wallet(), pool(8)]).toEqual([
      { balance: 980, held: 130 },
      { amount: 30, token_amount: 0 },
    ]);
    expect(token(4)).toEqual({ held: 0, spent: 20, used: 20, checked: 20 });
  });

  test("write nothing for what costs nothing, and write the others after it", () => {
    pools.charge(8, 0);
    pools.charge(7, 1);
    pools.flush();
    expect([wallet(), pool(8)]).toEqual([
      { balance: 999, held: 149 },
      { amount: 50, token_amount: 0 },
    ]);
    expect(db.prepare("select accessed_at from tokens where id = 4").get()).toEqual({
      accessed_at: 0,
    });
  });

  test("are charged to their last unit, and not beyond", () => {
    for (const units of [99, 1]) {
      pools.charge(7, units);
      pools.flush();
    }
    expect([wallet(), pool(7)]).toEqual([
      { balance: 900, held: 50 },
      { amount: 0, token_amount: 0 },
    ]);
    expect(token(3)).toMatchObject({ held: 50, spent: 100 });
    expect(db.prepare("select balance, held from wallets where id = 2").get()).toEqual({
      balance: 70,
      held: 70,
    });
    pools.charge(8, 51);
    expect(() => pools.flush()).toThrow("pool 8 does not cover 51 units");
    expect(wallet()).toEqual({ balance: 900, held: 50 });
  });

  test("that do not exist charge no wallet", () => {
    expect(() => pools.charge(9, 1)).toThrow("there is no pool 9");
    expect(() => pools.take({ id: 9, amount: 1 })).toThrow("pool 9 does not hold 1 units");
    expect(pools.shrink({ id: 9, amount: 1 })).toBeUndefined();
    pools.flush();
    expect(wallet()).toEqual(untouched);
  });

  test("forget the sums of a batch that failed", () => {
    pools.charge(7, 30);
    pools.discard();
    pools.flush();
    expect([wallet(), pool(7)]).toEqual([untouched, { amount: 100, token_amount: 100 }]);
  });

  test("give up units that are held nowhere else until the caller does something with them, after what was charged", () => {
    pools.charge(7, 30);
    expect(pools.take({ id: 7, amount: 60 })).toEqual({
      wallet_id: 1,
      user_id: 2,
      token_id: 3,
      token_amount: 10,
      budgets: "b",
    });
    expect([wallet(), pool(7)]).toEqual([
      { balance: 970, held: 120 },
      { amount: 10, token_amount: 10 },
    ]);
    expect(() => pools.take({ id: 7, amount: 11 })).toThrow("pool 7 does not hold 11 units");
    expect(pools.shrink({ id: 7, amount: 10 })).toMatchObject({ token_id: 3, token_amount: 0 });
    expect(pool(7)).toEqual({ amount: 0, token_amount: 0 });
  });

  test.each([
    [7, 40, 40],
    [8, 40, 0],
  ])(
    "give a call of pool %i that leaves a hold of its own, with as much of its key as the pool held",
    (id, amount, ofToken) => {
      const share = { id, amount };
      expect(
        pools.leave({ verb: "leave_pool", id: 20, pool: share, leaseUntil: 99, snapshot: "s" }),
      ).toBe("left");
      expect(db.prepare("select * from reservations where id = 20").get()).toEqual({
        id: 20,
        wallet_id: 1,
        user_id: 2,
        token_id: id === 7 ? 3 : 4,
        amount,
        token_amount: ofToken,
        node: 5,
        lease_until: 99,
        snapshot: "s",
        progress: null,
        budgets: id === 7 ? "b" : null,
      });
      expect(pool(id)).toEqual(
        id === 7 ? { amount: 60, token_amount: 60 } : { amount: 10, token_amount: 0 },
      );
      expect(wallet()).toEqual(untouched);
    },
  );
});
