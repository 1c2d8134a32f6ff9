// The verb `redeem` alone: under any race a code pays once, and a refusal changes nothing.

import {
  createTestAccount,
  logRow,
  type TestAccount,
  walletOf,
} from "@tollgate/tests/support/money-fixtures.ts";
import { type TestDatabase, testDatabases } from "@tollgate/tests/support/test-databases.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { RedeemCommand } from "../storage/money-commands.ts";
import { auditBooks } from "./audit/audit.ts";

describe.each(testDatabases)("redeeming on $name", (database) => {
  let storage: TestDatabase;
  let made = 0;
  beforeAll(async () => {
    storage = await database.open();
  });
  afterAll(() => storage.close());

  async function addCode(quota: number, status = 1): Promise<number> {
    made += 1;
    const { db } = storage;
    const text = `code ${made}`;
    const row = {
      uuid: text,
      user_id: 1,
      name: text,
      key_hash: text,
      key_sealed: "",
      created_at: 1,
      updated_at: 1,
    };
    const insert = db.sql.insertInto("redemptions").values({ ...row, status, quota });
    const [result] = await db.write([{ query: insert.returning("id") }]);
    return ((result?.rows ?? []) as { id: number }[])[0]?.id ?? 0;
  }
  const redeemOf = (account: TestAccount, codeId: number, quota: number): RedeemCommand => {
    const id = storage.db.mintId();
    const { userId, walletId } = account;
    const log = logRow(account, id, { type: 1, quota });
    return {
      verb: "redeem",
      id,
      codeId,
      quota,
      walletId,
      userId,
      at: 5,
      idempotencyHash: null,
      log,
    };
  };
  const code = async (id: number) => {
    const [row] = await storage.db.read(
      storage.db.sql.selectFrom("redemptions").selectAll().where("id", "=", id),
    );
    return row;
  };

  test("100 concurrent redemptions of each of 20 codes: each code pays once", async () => {
    const { db } = storage;
    const accounts = await Promise.all(
      Array.from({ length: 100 }, () => createTestAccount(db, 0, [null])),
    );
    const codes = await Promise.all(Array.from({ length: 20 }, (_, n) => addCode(n * 10)));
    const tries = codes.flatMap((id, n) =>
      accounts.map((account) => ({ id, command: redeemOf(account, id, n * 10) })),
    );
    const answers = await Promise.all(
      tries.map(async ({ id, command }) => [id, await db.money(command)] as const),
    );
    for (const id of codes) {
      const mine = answers.filter(([codeId]) => codeId === id).map(([, answer]) => answer);
      expect(mine.filter((answer) => answer === "redeemed")).toHaveLength(1);
      expect(mine.filter((answer) => answer === "gone")).toHaveLength(99);
      expect(await code(id)).toMatchObject({ status: 3, redeemed_at: 5 });
    }
    const balances = await Promise.all(
      accounts.map(async (account) => (await walletOf(db, account)).balance),
    );
    expect(balances.reduce((sum, balance) => sum + balance, 0)).toBe(1_900);
    expect(
      await db.read(db.sql.selectFrom("logs").select("id").where("type", "=", 1)),
    ).toHaveLength(20);
    expect(await auditBooks(db)).toEqual([]);
  });

  test("one command sent 50 times pays once and gets the same reply every time", async () => {
    const { db } = storage;
    const account = await createTestAccount(db, 0, [null]);
    const command = redeemOf(account, await addCode(30), 30);
    const answers = await Promise.all(Array.from({ length: 50 }, () => db.money(command)));
    expect(new Set(answers)).toEqual(new Set(["redeemed"]));
    expect(await walletOf(db, account)).toMatchObject({ balance: 30 });
    expect(await auditBooks(db)).toEqual([]);
  });

  test("a disabled, a deleted and an edited code are gone, and no units move", async () => {
    const { db } = storage;
    const account = await createTestAccount(db, 7, [null]);
    const disabled = await addCode(30, 2);
    for (const command of [
      redeemOf(account, disabled, 30),
      redeemOf(account, 999_999, 30),
      redeemOf(account, await addCode(30), 31),
    ])
      expect(await db.money(command)).toBe("gone");
    expect(await walletOf(db, account)).toMatchObject({ balance: 7 });
    expect(await auditBooks(db)).toEqual([]);
  });

  test("a code may fill the wallet to its maximum", async () => {
    const { db } = storage;
    const account = await createTestAccount(db, 8_999_999_999_999_999, [null]);
    expect(await db.money(redeemOf(account, await addCode(1), 1))).toBe("redeemed");
    expect(await walletOf(db, account)).toMatchObject({ balance: 9_000_000_000_000_000 });
    expect(await auditBooks(db)).toEqual([]);
  });

  test("a code that would overfill the wallet stays unused, and one that was used stays used", async () => {
    const { db } = storage;
    const used = await addCode(3);
    expect(await db.money(redeemOf(await createTestAccount(db, 0, [null]), used, 3))).toBe(
      "redeemed",
    );
    const account = await createTestAccount(db, 9_000_000_000_000_000, [null]);
    const id = await addCode(1);
    expect(await db.money(redeemOf(account, id, 1))).toBe("wallet_full");
    expect(await code(id)).toMatchObject({
      status: 1,
      redeemed_at: null,
      redeemed_by: null,
      billing_id: null,
    });
    expect(await code(used)).toMatchObject({ status: 3 });
    expect(await auditBooks(db)).toEqual([]);
  });
});
