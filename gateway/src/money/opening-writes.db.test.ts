// What an import carries, for many rows in one statement: each row gets its own amount and entry,
// or none of them gets any.
import { quotaMax } from "@tollgate/contract/api/scalars.ts";
import {
  createTestAccount,
  type TestAccount,
  walletOf,
} from "@tollgate/tests/support/money-fixtures.ts";
import { type TestDatabase, testDatabases } from "@tollgate/tests/support/test-databases.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { StaleWrite } from "../storage/database.ts";
import { auditBooks } from "./audit/audit.ts";
import {
  planCarriedRedemption,
  planOpeningBalanceWrites,
  planOpeningDebtWrites,
} from "./opening-writes.ts";

describe.each(testDatabases)("what an import carries to $name", (database) => {
  let storage: TestDatabase;
  beforeAll(async () => {
    storage = await database.open();
  });
  afterAll(() => storage.close());

  const accounts = () =>
    Promise.all([0, 0, 0].map((balance) => createTestAccount(storage.db, balance, [null])));
  const amountsOf = (owners: readonly TestAccount[], amounts: readonly number[]) =>
    Promise.all(
      owners.map(async (owner, place) => {
        const { uuid } = await walletOf(storage.db, owner);
        return { id: storage.db.mintId(), uuid, amount: amounts[place] ?? 0 };
      }),
    );
  const walletsOf = (owners: readonly TestAccount[]) =>
    Promise.all(
      owners.map(async (owner) => {
        const { balance, debt } = await walletOf(storage.db, owner);
        return { balance, debt };
      }),
    );

  test("balances and debts reach their own wallets, with an entry each", async () => {
    const { db } = storage;
    const owners = await accounts();
    await db.write([
      ...planOpeningBalanceWrites(db, await amountsOf(owners, [quotaMax, 0, 7]), 5),
      ...planOpeningDebtWrites(db, await amountsOf(owners, [0, 9, 0]), 5),
    ]);
    expect(await walletsOf(owners)).toEqual([
      { balance: quotaMax, debt: 0 },
      { balance: 0, debt: 9 },
      { balance: 7, debt: 0 },
    ]);
    expect(await auditBooks(db)).toEqual([]);
  });

  test("one balance above the maximum of a wallet carries none", async () => {
    const { db } = storage;
    const owners = await accounts();
    const writes = planOpeningBalanceWrites(db, await amountsOf(owners, [1, quotaMax + 1, 1]), 5);
    await expect(db.write(writes)).rejects.toThrow(StaleWrite);
    expect(await walletsOf(owners)).toEqual(owners.map(() => ({ balance: 0, debt: 0 })));
    expect(await auditBooks(db)).toEqual([]);
  });

  test("a row that is not here carries none of the others", async () => {
    const { db } = storage;
    const owners = await accounts();
    const amounts = [
      ...(await amountsOf(owners, [1, 2, 3])),
      { id: db.mintId(), uuid: "unknown", amount: 4 },
    ];
    await expect(db.write(planOpeningDebtWrites(db, amounts, 5))).rejects.toThrow(StaleWrite);
    expect(await walletsOf(owners)).toEqual(owners.map(() => ({ balance: 0, debt: 0 })));
  });

  test("nothing to carry writes nothing", () => {
    expect(planOpeningBalanceWrites(storage.db, [{ id: 1, uuid: "one", amount: 0 }], 5)).toEqual(
      [],
    );
    expect(planCarriedRedemption(storage.db, { id: 1, amount: 0, at: 5 })).toEqual([]);
    expect(planCarriedRedemption(storage.db, { id: 1, amount: 1, at: 5 })).toHaveLength(1);
  });
});
