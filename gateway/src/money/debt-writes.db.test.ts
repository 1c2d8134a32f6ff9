import {
  createTestAccount,
  holdOf,
  settleOf,
  type TestAccount,
  walletOf,
} from "@tollgate/tests/support/money-fixtures.ts";
import { type TestDatabase, testDatabases } from "@tollgate/tests/support/test-databases.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { StaleWrite } from "../storage/database.ts";
import { auditBooks } from "./audit/audit.ts";
import { planWaiverWrites } from "./debt-writes.ts";

describe.each(testDatabases)("a waiver on $name", { tags: ["S2-04"] }, (database) => {
  let storage: TestDatabase;
  beforeAll(async () => {
    storage = await database.open();
  });
  afterAll(() => storage.close());

  /** A wallet that owes 10. */
  async function debtor(): Promise<TestAccount> {
    const { db } = storage;
    const account = await createTestAccount(db, 10, [null]);
    const id = db.mintId();
    await db.money(holdOf(account, id, 10));
    await db.money(settleOf(account, id, 20));
    return account;
  }
  const waive = async ({ walletId }: TestAccount, amount: number) => {
    const { db } = storage;
    const id = db.mintId();
    await db.write(
      planWaiverWrites(db, { id, walletId, amount, at: 7, missed: "changed_meanwhile" }),
    );
    return await db.read(db.sql.selectFrom("ledger").selectAll().where("billing_id", "=", id));
  };

  test("ends the debt of one wallet at the operator's expense", async () => {
    const [account, other] = [await debtor(), await debtor()];
    expect(await waive(account, 10)).toEqual([
      {
        billing_id: expect.any(Number),
        kind: "debt_waiver",
        debit: "shortfall",
        credit: `debt:${account.walletId}`,
        amount: 10,
        user_id: null,
        token_id: null,
        channel_id: null,
        created_at: 7,
      },
    ]);
    expect(await walletOf(storage.db, account)).toMatchObject({ balance: 0, debt: 0 });
    expect(await walletOf(storage.db, other)).toMatchObject({ balance: 0, debt: 10 });
    expect(await auditBooks(storage.db)).toEqual([]);
  });

  test("of more than is owed by now is rejected and changes nothing", async () => {
    const account = await debtor();
    await expect(waive(account, 11)).rejects.toThrow(StaleWrite);
    await expect(waive(account, 11)).rejects.toMatchObject({ code: "changed_meanwhile" });
    expect(await walletOf(storage.db, account)).toMatchObject({ debt: 10 });
    expect(await auditBooks(storage.db)).toEqual([]);
  });

  test("of nothing writes nothing", async () => {
    expect(await waive(await debtor(), 0)).toEqual([]);
  });
});
