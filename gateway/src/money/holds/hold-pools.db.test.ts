// Pools of holds on a real database: many short calls of a key at once. What the verbs do is in
// money-model.db.test.ts.

import {
  createTestAccount,
  holdOf,
  settleOf,
  type TestAccount,
  walletOf,
} from "@tollgate/tests/support/money-fixtures.ts";
import { type TestDatabase, testDatabases } from "@tollgate/tests/support/test-databases.ts";
import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createBudgetStore } from "../../accounts/budgets/budget-store.ts";
import type { Database } from "../../storage/database.ts";
import type { HeldBudget } from "../../storage/money-commands.ts";
import { auditBooks } from "../audit/audit.ts";
import { type LiveHolds, type OpenedHold, startLiveHolds } from "./live-holds.ts";

let lastBudget = 0;
const budgetOf = (max: number | null): HeldBudget => {
  lastBudget += 1;
  return { id: lastBudget, start: 1_000, end: 2_000, max, target: null };
};

describe.each(testDatabases)("many calls of a key on $name", (database) => {
  let storage: TestDatabase;
  let db: Database;
  let holds: LiveHolds;
  const errors: Error[] = [];
  beforeAll(async () => {
    storage = await database.open();
    db = storage.db;
    holds = startLiveHolds(db, Date.now, (error) => errors.push(error));
  });
  afterAll(async () => {
    await holds.close();
    await storage.close();
    expect(errors).toEqual([]);
  });

  const wanted = (
    account: TestAccount,
    token: number,
    amount: number,
    limits: readonly (number | null)[],
    budgets?: readonly HeldBudget[],
  ): OpenedHold => {
    const tokenId = account.tokenIds[token] ?? 0;
    const hold = holdOf(account, db.mintId(), amount, {
      tokenId,
      tokenIsUnlimited: limits[token] === null,
      budgets,
    });
    const { verb: _, leaseUntil: __, ...opened } = hold;
    return { ...opened, snapshot: {} };
  };
  /** The last call of a key releases its pool after its own end. */
  const released = async (account: TestAccount) => {
    await holds.close();
    holds = startLiveHolds(db, Date.now, (error) => errors.push(error));
    return walletOf(db, account);
  };
  const reservations = async () =>
    await db.read(db.sql.selectFrom("reservations").select(["id", "amount"]));
  const until = async (claim: () => Promise<boolean>) => {
    while (!(await claim())) await new Promise((resolve) => setTimeout(resolve, 5));
  };

  const call = fc.record({
    token: fc.nat({ max: 1 }),
    amount: fc.integer({ min: 0, max: 50 }),
    /** Settled with this charge, or released. */
    charge: fc.option(fc.integer({ min: 0, max: 70 }), { nil: undefined }),
    /** Turns of the event loop before the next call of the same client. */
    turns: fc.nat({ max: 3 }),
    isBudgeted: fc.boolean(),
  });
  const client = fc.array(call, { minLength: 1, maxLength: 8 });

  test("is charged once each, and nothing stays held, whatever the calls cost", {
    timeout: 120_000,
  }, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 6_000 }),
        fc.array(client, { minLength: 1, maxLength: 24 }),
        async (balance, clients) => {
          const limits = [null, 2_000];
          const budgets = [budgetOf(800), budgetOf(null)];
          let budgeted = 0;
          let budgetHeld = 0;
          const account = await createTestAccount(db, balance, limits);
          let charged = 0;
          let calls = 0;
          let held = 0;
          const runClient = async (own: readonly (typeof clients)[number][number][]) => {
            for (const { token, amount, charge, turns, isBudgeted } of own) {
              const hold = wanted(account, token, amount, limits, isBudgeted ? budgets : undefined);
              if ((await holds.open(hold)) !== "held") continue;
              held += amount;
              if (isBudgeted) budgetHeld += amount;
              expect(held).toBeLessThanOrEqual(balance);
              expect(budgetHeld).toBeLessThanOrEqual(800);
              for (let turn = 0; turn < turns; turn += 1)
                await new Promise((resolve) => setImmediate(resolve));
              held -= amount;
              if (isBudgeted) budgetHeld -= amount;
              if (charge === undefined) await holds.release(hold.id);
              else {
                const { verb: _, ...settle } = settleOf(account, hold.id, charge, {
                  token_id: hold.tokenId,
                });
                await holds.settle(settle);
                if (isBudgeted) budgeted += charge;
                charged += charge;
                calls += 1;
              }
            }
          };
          await Promise.all(clients.map(runClient));
          const wallet = await released(account);
          const rows = await db.read(
            db.sql
              .selectFrom("logs")
              .select("quota")
              .where("user_id", "=", account.userId)
              .where("type", "=", 2),
          );
          expect([rows.length, rows.reduce((sum, { quota }) => sum + quota, 0)]).toEqual([
            calls,
            charged,
          ]);
          expect(wallet.held).toBe(0);
          const counters = await createBudgetStore(db).counters(budgets);
          for (const { spent, held: left } of counters)
            expect([spent, left]).toEqual([budgeted, 0]);
          expect(await reservations()).toEqual([]);
          expect(await auditBooks(db)).toEqual([]);
        },
      ),
      { numRuns: database.name === "sqlite" ? 60 : 15 },
    );
  });

  test("that are 500 on a balance for 10 are 10", async () => {
    const account = await createTestAccount(db, 76, [null]);
    const calls = Array.from({ length: 500 }, () => wanted(account, 0, 7, [null]));
    const results = await Promise.all(calls.map(async (hold) => await holds.open(hold)));
    const opened = calls.filter((_, index) => results[index] === "held");
    expect(opened).toHaveLength(10);
    await Promise.all(opened.map(({ id }) => holds.release(id)));
    expect((await released(account)).held).toBe(0);
  });

  test("that are 300 on a balance for 200, as they come, are 200", async () => {
    for (let round = 0; round < 5; round += 1) {
      const account = await createTestAccount(db, 200 * 7 + 6, [null]);
      const calls = Array.from({ length: 300 }, () => wanted(account, 0, 7, [null]));
      const results = await Promise.all(
        calls.map(async (hold, n) => {
          for (let turn = 0; turn < n / 20; turn += 1)
            await new Promise((resolve) => setImmediate(resolve));
          return holds.open(hold);
        }),
      );
      const opened = calls.filter((_, index) => results[index] === "held");
      expect(opened).toHaveLength(200);
      await Promise.all(opened.map(({ id }) => holds.release(id)));
      expect((await released(account)).held).toBe(0);
    }
  });

  test("that are 500 on a budget for 10, of keys with and without room for more, are 10", {
    tags: ["BU-01"],
  }, async () => {
    const account = await createTestAccount(db, 100_000, [null, null]);
    const budgets = [budgetOf(76)];
    const calls = Array.from({ length: 500 }, (_, n) =>
      wanted(account, n % 2, 7, [null, null], budgets),
    );
    const results = await Promise.all(calls.map(async (hold) => await holds.open(hold)));
    const opened = calls.filter((_, index) => results[index] === "held");
    expect(opened).toHaveLength(10);
    expect(new Set(results)).toEqual(new Set(["held", `budget:${budgets[0]?.id}`]));
    await Promise.all(opened.map(({ id }) => holds.release(id)));
    await released(account);
    expect(await createBudgetStore(db).counters(budgets)).toMatchObject([{ spent: 0, held: 0 }]);
  });

  // On PostgreSQL each call has a reservation of its own.
  if (database.name === "sqlite")
    test("of a budget have one reservation, which keeps nothing of the budget from another key", async () => {
      const account = await createTestAccount(db, 100_000, [null, null]);
      const budgets = [budgetOf(1_000), budgetOf(5_000)];
      const open = async (token: number, amount: number) => {
        const hold = wanted(account, token, amount, [null, null], budgets);
        expect(await holds.open(hold)).toBe("held");
        return hold.id;
      };
      const first = await Promise.all(Array.from({ length: 8 }, () => open(0, 20)));
      await until(async () => (await reservations()).some(({ amount }) => amount > 500));
      const shared = await open(0, 20);
      expect((await reservations()).map(({ id }) => id)).not.toContain(shared);
      const other = await open(1, 819);
      expect(await holds.open(wanted(account, 1, 1, [null, null], budgets))).toBe(
        `budget:${budgets[0]?.id}`,
      );
      const { verb: _, ...settle } = settleOf(account, shared, 15);
      await holds.settle(settle);
      const usedOf = async () =>
        (await createBudgetStore(db).counters(budgets)).map(({ spent, held }) => [spent, held]);
      await until(async () => (await usedOf())[0]?.[0] === 15);
      await Promise.all([...first, other].map((id) => holds.release(id)));
      await released(account);
      expect(await usedOf()).toEqual([
        [15, 0],
        [15, 0],
      ]);
      expect(await auditBooks(db)).toEqual([]);
    });

  if (database.name === "sqlite")
    test("have one reservation, which keeps nothing from another key of the wallet", async () => {
      const account = await createTestAccount(db, 1_000, [null, null]);
      const limits = [null, null];
      const open = async (token: number, amount: number) => {
        const hold = wanted(account, token, amount, limits);
        expect(await holds.open(hold)).toBe("held");
        return hold.id;
      };
      const first = await Promise.all(Array.from({ length: 8 }, () => open(0, 20)));
      const isPooled = async () => (await reservations()).some(({ amount }) => amount > 500);
      await until(isPooled);
      const shared = await open(0, 20);
      expect((await reservations()).map(({ id }) => id)).not.toContain(shared);
      // 160 units in holds of their own, 20 of the pool and its unshared unit: the rest of the
      // wallet is there for another key.
      const other = await open(1, 819);
      expect(await holds.open(wanted(account, 1, 1, limits))).toBe("insufficient_user_quota");
      await Promise.all([...first, shared, other].map((id) => holds.release(id)));
      expect((await released(account)).held).toBe(0);
      expect(await reservations()).toEqual([]);
    });
});
