// Many calls of one account end at the same moment and contend for its rows. benchmarks/src/settle-benchmark.ts measures how
// long that takes; this test checks that nothing is lost, counted twice or refused because of the contention.

import { createTestAccount, holdOf, settleOf, tokensOf, walletOf } from "@tollgate/tests/support/money-fixtures.ts";
import { type TestDatabase, testDatabases } from "@tollgate/tests/support/test-databases.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { auditBooks } from "./audit.ts";

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
    const [hot, other] = [await createTestAccount(db, 1_000_000, [null]), await createTestAccount(db, 1_000, [null])];
    const ending = Array.from({ length: 200 }, (_, n) => ({ id: db.mintId(), charge: n }));
    const held = await Promise.all(ending.map(({ id }) => db.money(holdOf(hot, id, 200))));
    expect(new Set(held)).toEqual(new Set(["held"]));
    expect(await walletOf(db, hot)).toMatchObject({ balance: 1_000_000, held: 200 * 200 });

    const grants = Array.from({ length: 20 }, () => db.mintId());
    const opened = Array.from({ length: 20 }, () => db.mintId());
    const outcomes = await Promise.all([
      // Every end is sent twice, as after a lost reply of the database.
      ...ending.flatMap(({ id, charge }) => [0, 1].map(() => db.money(settleOf(hot, id, charge)))),
      ...grants.map((id) => db.money({ verb: "grant", id, walletId: hot.walletId, amount: 1_000, at })),
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
    expect(await walletOf(db, hot)).toMatchObject({ balance: 1_000_000 + 20_000 - charged, held: 20 * 50 });
    expect(await tokensOf(db, hot)).toMatchObject([{ used_quota: charged }]);
    expect(await walletOf(db, other)).toMatchObject({ balance: 1_000, held: 1_000 });
    for (const id of opened) await db.money(settleOf(hot, id, 50));
    expect(await auditBooks(db)).toEqual([]);
  });
});
