// Many calls of one account end at the same moment and contend for its rows.
// benchmarks/src/settle-benchmark.ts measures how long that takes; this test checks that nothing is
// lost, counted twice or refused because of the contention.

import {
  createTestAccount,
  holdOf,
  settleOf,
  tokensOf,
  walletOf,
} from "@tollgate/tests/support/money-fixtures.ts";
import { type TestDatabase, testDatabases } from "@tollgate/tests/support/test-databases.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { auditBooks } from "../audit/audit.ts";

describe.each(testDatabases)("a busy account on $name", (database) => {
  let storage: TestDatabase;
  beforeAll(async () => {
    storage = await database.open();
  });
  afterAll(() => storage.close());

  test("F-121 two hundred calls that end together, grants and new holds between them: each counts once, to the unit", {
    tags: ["F-121"],
  }, async () => {
    const { db } = storage;
    const at = Date.now();
    const [hot, other] = [
      await createTestAccount(db, 1_000_000, [null]),
      await createTestAccount(db, 1_000, [null]),
    ];
    const ending = Array.from({ length: 200 }, (_, n) => ({ id: db.mintId(), charge: n }));
    const held = await Promise.all(ending.map(({ id }) => db.money(holdOf(hot, id, 200))));
    expect(new Set(held)).toEqual(new Set(["held"]));
    expect(await walletOf(db, hot)).toMatchObject({ balance: 1_000_000, held: 200 * 200 });

    const grants = Array.from({ length: 20 }, () => db.mintId());
    const opened = Array.from({ length: 20 }, () => db.mintId());
    const outcomes = await Promise.all([
      // Every end is sent twice, as after a lost reply of the database.
      ...ending.flatMap(({ id, charge }) => [0, 1].map(() => db.money(settleOf(hot, id, charge)))),
      ...grants.map((id) =>
        db.money({ verb: "grant", id, walletId: hot.walletId, amount: 1_000, at }),
      ),
      ...opened.map((id) => db.money(holdOf(hot, id, 50))),
      db.money(holdOf(other, db.mintId(), 1_000)),
    ]);
    const counts = Map.groupBy(outcomes, (outcome) => outcome);
    expect(Object.fromEntries([...counts].map(([outcome, all]) => [outcome, all.length]))).toEqual({
      settled: 200,
      already: 200,
      granted: 20,
      held: 21,
    });

    const charged = (199 * 200) / 2;
    expect(await walletOf(db, hot)).toMatchObject({
      balance: 1_000_000 + 20_000 - charged,
      held: 20 * 50,
    });
    expect(await tokensOf(db, hot)).toMatchObject([{ used_quota: charged }]);
    expect(await walletOf(db, other)).toMatchObject({ balance: 1_000, held: 1_000 });
    for (const id of opened) await db.money(settleOf(hot, id, 50));
    expect(await auditBooks(db)).toEqual([]);
  });

  test("holds that arrive together get what there is, and a refused one takes nothing from the others", {
    tags: ["F-121"],
  }, async () => {
    const { db } = storage;
    const [poor, rich] = [
      await createTestAccount(db, 1_000, [null]),
      await createTestAccount(db, 1_000_000, [null]),
    ];
    const results = await Promise.all(
      Array.from({ length: 60 }, (_, n) =>
        db.money(holdOf(n % 2 === 0 ? poor : rich, db.mintId(), 100)),
      ),
    );
    expect(
      results.filter((_, n) => n % 2 === 0).filter((result) => result === "held"),
    ).toHaveLength(10);
    expect(new Set(results.filter((_, n) => n % 2 === 0))).toEqual(
      new Set(["held", "insufficient_user_quota"]),
    );
    expect(new Set(results.filter((_, n) => n % 2 === 1))).toEqual(new Set(["held"]));
    expect(await walletOf(db, poor)).toMatchObject({ balance: 1_000, held: 1_000 });
    expect(await walletOf(db, rich)).toMatchObject({ balance: 1_000_000, held: 3_000 });
  });

  test("a settlement that the database rejects fails alone: all others that end with it are charged once", {
    tags: ["F-121"],
  }, async () => {
    const { db } = storage;
    const account = await createTestAccount(db, 10_000, [null]);
    const ids = Array.from({ length: 30 }, () => db.mintId());
    await Promise.all(ids.map((id) => db.money(holdOf(account, id, 100))));
    const ended = await Promise.allSettled(
      ids.map((id, n) => {
        const settle = settleOf(account, id, 60);
        const username = n === 7 ? (null as unknown as string) : settle.log.username;
        return db.money({ ...settle, log: { ...settle.log, username } });
      }),
    );
    expect(ended.flatMap((end, n) => (end.status === "rejected" ? [n] : []))).toEqual([7]);
    expect(await walletOf(db, account)).toMatchObject({ balance: 10_000 - 29 * 60, held: 100 });
    expect(await db.money(settleOf(account, ids[7] ?? 0, 60))).toBe("settled");
    expect(await auditBooks(db)).toEqual([]);
  });
});
