// The verb `grant` as statements of a batch: what the balance allows is done with its ledger entry, anything else not at all.
import { quotaMax } from "@tollgate/contract/scalars.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { StatementMissed } from "../storage/database.ts";
import { databases, type TestDatabase } from "../storage/testing.ts";
import { audit } from "./audit.ts";
import { type Granting, grantWrites } from "./grant-writes.ts";
import { type Account, holdOf, openAccount, walletOf } from "./testing.ts";

describe.each(databases)("granting in a batch on $name", (database) => {
  let storage: TestDatabase;
  beforeAll(async () => {
    storage = await database.open();
  });
  afterAll(() => storage.close());

  const grant = (account: Account, amount: number, changes: Partial<Granting> = {}) => {
    const { db } = storage;
    const granting = { id: db.mintId(), wallet: { id: account.walletId }, amount, at: 5, ...changes };
    return db.write(grantWrites(db, granting as Granting));
  };
  const balanceOf = async (account: Account) => (await walletOf(storage.db, account)).balance;
  const entries = async ({ walletId }: Account) =>
    (await storage.db.read(storage.db.sql.selectFrom("ledger").selectAll().orderBy("billing_id")))
      .filter(({ debit, credit }) => [debit, credit].includes(`wallet:${walletId}`))
      .map(({ kind, debit, credit, amount, created_at }) => [kind, debit, credit, amount, created_at]);

  test("moves units either way, each with its entry, and touches no other wallet", async () => {
    const [account, other] = [await openAccount(storage.db, 0, [null]), await openAccount(storage.db, 50, [null])];
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
    expect(await audit(storage.db)).toEqual([]);
  });

  test("of nothing writes nothing", async () => {
    const account = await openAccount(storage.db, 3, [null]);
    expect(grantWrites(storage.db, { id: 1, wallet: { id: account.walletId }, amount: 0, at: 5 })).toEqual([]);
  });

  test("finds the wallet by its uuid too", async () => {
    const account = await openAccount(storage.db, 3, [null]);
    const { uuid } = await walletOf(storage.db, account);
    await grant(account, 4, { wallet: { id: undefined, uuid } });
    expect(await balanceOf(account)).toBe(7);
    expect(await entries(account)).toHaveLength(2);
  });

  test("never takes back what running calls have set aside", async () => {
    const account = await openAccount(storage.db, 100, [null]);
    await storage.db.money(holdOf(account, storage.db.mintId(), 60));
    await expect(grant(account, -41)).rejects.toThrow(StatementMissed);
    await grant(account, -40);
    expect(await walletOf(storage.db, account)).toMatchObject({ balance: 60, held: 60 });
    await expect(grant(account, -1)).rejects.toThrow(StatementMissed);
    expect(await audit(storage.db)).toEqual([]);
  });

  test("fills a wallet up to its brim and no further", async () => {
    const account = await openAccount(storage.db, quotaMax - 1, [null]);
    await expect(grant(account, 2)).rejects.toThrow(StatementMissed);
    await grant(account, 1);
    expect(await balanceOf(account)).toBe(quotaMax);
  });

  test("misses when the balance is not the one that it was computed from", async () => {
    const account = await openAccount(storage.db, 30, [null]);
    await expect(grant(account, 5, { balanceRead: 29 })).rejects.toThrow(StatementMissed);
    await expect(grant(account, 5, { balanceRead: 0 })).rejects.toThrow(StatementMissed);
    await grant(account, 5, { balanceRead: 30 });
    expect(await balanceOf(account)).toBe(35);
  });

  test("to a wallet that is not there misses", async () => {
    await expect(grant({ walletId: 999_999 } as Account, 5)).rejects.toThrow(StatementMissed);
  });
});
