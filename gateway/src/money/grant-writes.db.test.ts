// The verb `grant` as statements of a batch: a change that the balance allows is made with its
// ledger entry, any other is not.
import { quotaMax } from "@tollgate/contract/api/scalars.ts";
import {
  createTestAccount,
  holdOf,
  type TestAccount,
  walletOf,
} from "@tollgate/tests/support/money-fixtures.ts";
import { type TestDatabase, testDatabases } from "@tollgate/tests/support/test-databases.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { StaleWrite } from "../storage/database.ts";
import { auditBooks } from "./audit/audit.ts";
import { type GrantInput, grantWrites } from "./grant-writes.ts";

describe.each(testDatabases)("granting in a batch on $name", (database) => {
  let storage: TestDatabase;
  beforeAll(async () => {
    storage = await database.open();
  });
  afterAll(() => storage.close());

  const grant = (account: TestAccount, amount: number, changes: Partial<GrantInput> = {}) => {
    const { db } = storage;
    const granting = {
      id: db.mintId(),
      wallet: { id: account.walletId },
      amount,
      at: 5,
      ...changes,
    };
    return db.write(grantWrites(db, granting as GrantInput));
  };
  const balanceOf = async (account: TestAccount) => (await walletOf(storage.db, account)).balance;
  const entries = async ({ walletId }: TestAccount) =>
    (await storage.db.read(storage.db.sql.selectFrom("ledger").selectAll().orderBy("billing_id")))
      .filter(({ debit, credit }) => [debit, credit].includes(`wallet:${walletId}`))
      .map(({ kind, debit, credit, amount, created_at }) => [
        kind,
        debit,
        credit,
        amount,
        created_at,
      ]);

  test("moves units in both directions, each with its entry, and touches no other wallet", async () => {
    const [account, other] = [
      await createTestAccount(storage.db, 0, [null]),
      await createTestAccount(storage.db, 50, [null]),
    ];
    const wallet = `wallet:${account.walletId}`;
    await grant(account, 10);
    await grant(account, -4);
    await grant(account, 1);
    expect(await balanceOf(account)).toBe(7);
    expect(await entries(account)).toEqual([
      ["grant", "issuance", wallet, 10, 5],
      ["grant", wallet, "issuance", 4, 5],
      ["grant", "issuance", wallet, 1, 5],
    ]);
    expect(await balanceOf(other)).toBe(50);
    expect(await auditBooks(storage.db)).toEqual([]);
  });

  test("of nothing writes nothing", async () => {
    const account = await createTestAccount(storage.db, 3, [null]);
    expect(
      grantWrites(storage.db, { id: 1, wallet: { id: account.walletId }, amount: 0, at: 5 }),
    ).toEqual([]);
  });

  test("finds the wallet by its uuid too", async () => {
    const account = await createTestAccount(storage.db, 3, [null]);
    const { uuid } = await walletOf(storage.db, account);
    await grant(account, 4, { wallet: { id: undefined, uuid } });
    expect(await balanceOf(account)).toBe(7);
    expect(await entries(account)).toHaveLength(2);
  });

  test("never takes back what running calls hold", async () => {
    const account = await createTestAccount(storage.db, 100, [null]);
    await storage.db.money(holdOf(account, storage.db.mintId(), 60));
    await expect(grant(account, -41)).rejects.toThrow(StaleWrite);
    await grant(account, -40);
    expect(await walletOf(storage.db, account)).toMatchObject({ balance: 60, held: 60 });
    await expect(grant(account, -1)).rejects.toThrow(StaleWrite);
    expect(await auditBooks(storage.db)).toEqual([]);
  });

  test("fills a wallet up to its maximum and not beyond", async () => {
    const account = await createTestAccount(storage.db, quotaMax - 1, [null]);
    await expect(grant(account, 2)).rejects.toThrow(StaleWrite);
    await grant(account, 1);
    expect(await balanceOf(account)).toBe(quotaMax);
  });

  test("misses when the balance differs from the expected one", async () => {
    const account = await createTestAccount(storage.db, 30, [null]);
    await expect(grant(account, 5, { expectedBalance: 29 })).rejects.toThrow(StaleWrite);
    await expect(grant(account, 5, { expectedBalance: 0 })).rejects.toThrow(StaleWrite);
    await grant(account, 5, { expectedBalance: 30 });
    expect(await balanceOf(account)).toBe(35);
    // What gives back an empty balance must not miss what came in meanwhile.
    await expect(grant(account, 0, { expectedBalance: 0 })).rejects.toThrow(StaleWrite);
    await grant(account, 0, { expectedBalance: 35 });
    expect(await auditBooks(storage.db)).toEqual([]);
  });

  test("to a missing wallet misses", async () => {
    await expect(grant({ walletId: 999_999 } as TestAccount, 5)).rejects.toThrow(StaleWrite);
  });
});
