import { DatabaseSync } from "node:sqlite";
import { type TestDatabase, testDatabases } from "@tollgate/tests/support/test-databases.ts";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { HoldCommand } from "./money-commands.ts";
import { readSqliteFile } from "./open-database.ts";
import { type InlineHolds, openInlineHolds } from "./sqlite-inline-holds.ts";

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));
const holdOf = (id: number, amount: number): HoldCommand => ({
  verb: "hold",
  id,
  walletId: 1,
  userId: 1,
  tokenId: 1,
  amount,
  tokenIsUnlimited: true,
  leaseUntil: 1,
  snapshot: "{}",
});

describe("holds on the main thread", () => {
  let storage: TestDatabase;
  let other: DatabaseSync;
  let inlineHolds: InlineHolds;
  let now = 0;
  beforeEach(async () => {
    const sqlite = testDatabases.find(({ name }) => name === "sqlite");
    if (!sqlite) throw new Error("SQLite is always there");
    storage = await sqlite.open();
    const file = readSqliteFile(storage.config.dataDir);
    other = new DatabaseSync(file);
    other.exec("insert into wallets (id, uuid, balance, created_at) values (1, 'one', 100, 1)");
    inlineHolds = openInlineHolds(file, 0, () => now);
  });
  afterEach(async () => {
    inlineHolds.close();
    other.close();
    await storage.close();
  });
  const held = () => other.prepare("select held from wallets where id = 1").get()?.held;
  const reserved = () => other.prepare("select id, amount from reservations order by id").all();

  test("a held amount is in the file", () => {
    expect(inlineHolds.hold(holdOf(7, 60))).toBe("held");
    expect(held()).toBe(60);
    expect(reserved()).toEqual([{ id: 7, amount: 60 }]);
  });

  test("a refusal changes nothing", () => {
    expect(inlineHolds.hold(holdOf(7, 101))).toBe("insufficient_user_quota");
    expect(held()).toBe(0);
    expect(reserved()).toEqual([]);
  });

  test("the second hold of one tick goes to the thread, the first of the next tick does not", async () => {
    expect(inlineHolds.hold(holdOf(1, 10))).toBe("held");
    expect(inlineHolds.hold(holdOf(2, 10))).toBeUndefined();
    expect(held()).toBe(10);
    await nextTurn();
    expect(inlineHolds.hold(holdOf(2, 10))).toBe("held");
    expect(held()).toBe(20);
  });

  test("does not wait for a locked file, and leaves no transaction open", async () => {
    other.exec("begin immediate");
    const askedAt = performance.now();
    expect(inlineHolds.hold(holdOf(1, 10))).toBeUndefined();
    // The writer thread waits for five seconds.
    expect(performance.now() - askedAt).toBeLessThan(4_000);
    other.exec("commit");
    expect(held()).toBe(0);
    await nextTurn();
    expect(inlineHolds.hold(holdOf(1, 10))).toBe("held");
    expect(held()).toBe(10);
  });

  test("a hold that the file rejects is rolled back completely", async () => {
    expect(inlineHolds.hold(holdOf(1, 10))).toBe("held");
    await nextTurn();
    expect(inlineHolds.hold(holdOf(1, 10))).toBeUndefined();
    expect(held()).toBe(10);
    await nextTurn();
    expect(inlineHolds.hold(holdOf(2, 10))).toBe("held");
  });

  test("what is held on a budget is in the file with it, and what was rolled back is not", async () => {
    const budgets = [{ id: 5, start: 1, end: 9, max: 100, target: null }];
    const counter = () =>
      other.prepare("select held from budget_counters where budget_id = 5").get()?.held;
    expect(inlineHolds.hold({ ...holdOf(1, 10), budgets })).toBe("held");
    expect(counter()).toBe(10);
    await nextTurn();
    expect(inlineHolds.hold({ ...holdOf(1, 20), budgets })).toBeUndefined();
    expect(counter()).toBe(10);
    await nextTurn();
    expect(inlineHolds.hold({ ...holdOf(2, 30), budgets })).toBe("held");
    expect(counter()).toBe(40);
  });

  test("twenty milliseconds are not slow yet", async () => {
    const times = [1_000, 1_020, 1_020, 1_020];
    const quick = openInlineHolds(
      readSqliteFile(storage.config.dataDir),
      0,
      () => times.shift() ?? 0,
    );
    expect(quick.hold(holdOf(1, 10))).toBe("held");
    await nextTurn();
    expect(quick.hold(holdOf(2, 10))).toBe("held");
    quick.close();
  });

  test("after a slow hold, the thread takes over for ten seconds", async () => {
    let reads = 0;
    const slow = openInlineHolds(readSqliteFile(storage.config.dataDir), 0, () => {
      reads += 1;
      return reads === 2 ? 21 : now;
    });
    expect(slow.hold(holdOf(1, 10))).toBe("held");
    await nextTurn();
    now = 10_020;
    expect(slow.hold(holdOf(2, 10))).toBeUndefined();
    now = 10_021;
    expect(slow.hold(holdOf(2, 10))).toBe("held");
    slow.close();
  });
});
