// Holds that are asked for at one moment are set aside together; they leave what they would leave
// one after the other.
import {
  createTestAccount,
  holdOf,
  settleOf,
  type TestAccount,
  tokensOf,
  walletOf,
} from "@tollgate/tests/support/money-fixtures.ts";
import { type TestDatabase, testDatabases } from "@tollgate/tests/support/test-databases.ts";
import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { auditBooks } from "../money/audit/audit.ts";
import type { HoldCommand } from "./money-commands.ts";

/** `limits` are what the keys of an account may spend; null is without a limit. */
const limits = [60, 400, null];

interface AskedHold {
  account: number;
  token: number;
  amount: number;
  /** Units below `amount` that suffice; undefined for nothing less than all. */
  least: number | undefined;
}

const askedHold = fc.record({
  account: fc.nat({ max: 1 }),
  token: fc.nat({ max: limits.length - 1 }),
  amount: fc.nat({ max: 50 }),
  least: fc.option(fc.nat({ max: 20 }), { nil: undefined }),
});

/**
 * `balance` comes from what covers no two holds to what covers all of them; 0 leaves a wallet that
 * is in debt.
 */
const balance = fc.constantFrom(0, 40, 300, 2_000);

describe.each(testDatabases)("holds on $name", (database) => {
  let storage: TestDatabase;
  beforeAll(async () => {
    storage = await database.open();
  });
  afterAll(() => storage.close());

  async function accountWith(units: number): Promise<TestAccount> {
    const { db } = storage;
    if (units > 0) return createTestAccount(db, units, limits);
    const account = await createTestAccount(db, 10, limits);
    const id = db.mintId();
    await db.money(holdOf(account, id, 10, { tokenId: account.tokenIds[2] ?? 0 }));
    await db.money(settleOf(account, id, 15, { token_id: account.tokenIds[2] ?? 0 }));
    return account;
  }

  async function held(
    balances: readonly number[],
    wanted: readonly AskedHold[],
    hold: (commands: HoldCommand[]) => Promise<unknown[]>,
  ) {
    const { db } = storage;
    const accounts: TestAccount[] = [];
    for (const units of balances) accounts.push(await accountWith(units));
    // A batch is sorted by wallet and token: where not all are covered, those that come first are.
    const sorted = wanted.toSorted(
      (one, other) => one.account - other.account || one.token - other.token,
    );
    const commands = sorted.map(({ account: place, token, amount: asked, least }) => {
      // In debt a wallet has nothing left: only calls that ask for nothing could pass it.
      const amount = balances[place] === 0 ? 0 : asked;
      const account = accounts[place] as TestAccount;
      const tokenId = account.tokenIds[token] ?? 0;
      const changes = { tokenId, tokenIsUnlimited: limits[token] === null };
      return holdOf(
        account,
        db.mintId(),
        amount,
        least === undefined ? changes : { ...changes, least: Math.min(least, amount) },
      );
    });
    const results = await hold(commands);
    return { results, books: await Promise.all(accounts.map(booksOf)) };
  }

  async function booksOf(account: TestAccount) {
    const { db } = storage;
    const { balance: left, held: aside, debt } = await walletOf(db, account);
    const reservations = db.sql
      .selectFrom("reservations")
      .where("wallet_id", "=", account.walletId);
    return {
      wallet: { left, aside, debt },
      tokens: (await tokensOf(db, account)).map(({ remain_quota, held_quota }) => ({
        remain_quota,
        held_quota,
      })),
      reservations: await db.read(
        reservations
          .select(["amount", "token_amount", "snapshot", "progress", "budgets"])
          .orderBy("id"),
      ),
    };
  }

  test("together they leave what they leave one after the other", async () => {
    const { db } = storage;
    await fc.assert(
      fc.asyncProperty(
        fc.tuple(balance, balance),
        fc.array(askedHold, { minLength: 2, maxLength: 24 }),
        async (balances, wanted) => {
          const alone = await held(balances, wanted, async (commands) => {
            const results = [];
            for (const command of commands) results.push(await db.money(command));
            return results;
          });
          const together = await held(balances, wanted, (commands) =>
            Promise.all(commands.map((command) => db.money(command))),
          );
          expect(together).toEqual(alone);
        },
      ),
      { numRuns: 20 },
    );
    expect(await auditBooks(db)).toEqual([]);
  });

  test("no two that are asked for at once take the same units", async () => {
    const { db } = storage;
    const account = await createTestAccount(db, 100, [null]);
    const results = await Promise.all(
      Array.from({ length: 30 }, () => db.money(holdOf(account, db.mintId(), 10))),
    );
    expect(results.filter((result) => result === "held")).toHaveLength(10);
    expect(await walletOf(db, account)).toMatchObject({ balance: 100, held: 100 });
  });
});
