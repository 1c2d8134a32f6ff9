import {
  createTestAccount,
  holdOf,
  type TestAccount,
  walletOf,
} from "@tollgate/tests/support/money-fixtures.ts";
import { type TestDatabase, testDatabases } from "@tollgate/tests/support/test-databases.ts";
import { describeVariants } from "@tollgate/tests/support/variants.ts";
import * as fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { holdForecast, readFunds } from "./hold-forecast.ts";

const units = fc.constantFrom(0, 1, 9, 10, 11, 50, 100);

describeVariants(testDatabases)("the forecast of a hold on $name", ({ open }) => {
  let storage: TestDatabase;
  let account: TestAccount;
  let other: TestAccount;
  beforeAll(async () => {
    storage = await open();
    account = await createTestAccount(storage.db, 0, [0]);
    // Whose funds must not count.
    other = await createTestAccount(storage.db, 77, [77]);
  });
  afterAll(() => storage.close());

  test("is what the hold then answers: held, fewer units, or the same refusal", async () => {
    const { db } = storage;
    const { walletId } = account;
    const [tokenId = 0] = account.tokenIds;
    const wallet = fc.record({ balance: units, debt: fc.constantFrom(0, 0, 0, 1, 7), held: units });
    const token = fc.record({
      remain_quota: units,
      held_quota: units,
      unlimited_quota: fc.constantFrom(0 as const, 1 as const),
    });
    const wanted = fc
      .tuple(units, units)
      .map(([a, b]) => ({ amount: Math.max(a, b), least: Math.min(a, b) }));
    const answers = new Set<string>();
    const hold = async (
      of: { balance: number; held: number; debt: number },
      key: { remain_quota: number; held_quota: number; unlimited_quota: 0 | 1 },
      ask: { amount: number; least: number },
    ) => {
      await db.write([
        {
          query: db.sql
            .updateTable("wallets")
            .set({ ...of, balance: of.balance + of.held })
            .where("id", "=", walletId),
        },
        {
          query: db.sql
            .updateTable("tokens")
            .set({ ...key, remain_quota: key.remain_quota + key.held_quota })
            .where("id", "=", tokenId),
        },
      ]);
      const forecast = holdForecast(await readFunds(db, walletId, tokenId), ask);
      const id = db.mintId();
      const tokenIsUnlimited = key.unlimited_quota === 1;
      const answer = await db.money({
        ...holdOf(account, id, ask.amount),
        ...ask,
        tokenIsUnlimited,
      });
      expect(forecast).toBe(answer);
      answers.add(typeof answer === "number" ? "fewer" : answer);
      if (answer === "held" || typeof answer === "number") await db.money({ verb: "release", id });
      expect(await walletOf(db, account)).toMatchObject({ held: of.held });
    };
    await fc.assert(fc.asyncProperty(wallet, token, wanted, hold), { numRuns: 200 });
    expect([...answers].sort()).toEqual([
      "fewer",
      "held",
      "insufficient_user_quota",
      "pre_consume_token_quota_failed",
      "wallet_in_debt",
    ]);
  });

  test("without a key the wallet alone counts, and what is gone has nothing", async () => {
    const { db } = storage;
    expect(await readFunds(db, other.walletId, undefined)).toEqual({
      available: 77,
      debt: 0,
      tokenAvailable: null,
    });
    expect(await readFunds(db, other.walletId, other.tokenIds[0])).toEqual({
      available: 77,
      debt: 0,
      tokenAvailable: 77,
    });
    expect(await readFunds(db, 999_999, 999_999)).toEqual({
      available: 0,
      debt: 0,
      tokenAvailable: null,
    });
  });

  test("what costs nothing needs nothing of a key, also of one whose limit was lowered below what it holds", async () => {
    const { db } = storage;
    const [tokenId = 0] = other.tokenIds;
    const lowered = { remain_quota: 1, held_quota: 9, unlimited_quota: 0 } as const;
    await db.write([
      { query: db.sql.updateTable("tokens").set(lowered).where("id", "=", tokenId) },
    ]);
    const nothing = { amount: 0, least: 0 };
    expect(holdForecast(await readFunds(db, other.walletId, tokenId), nothing)).toBe("held");
    expect(
      await db.money({ ...holdOf(other, db.mintId(), 0), ...nothing, tokenIsUnlimited: false }),
    ).toBe("held");
    // What costs something is refused, even where it would start with as little as the key has.
    for (const asked of [
      { amount: 5, least: 0 },
      { amount: 5, least: 5 },
    ]) {
      const refused = "pre_consume_token_quota_failed";
      expect(holdForecast(await readFunds(db, other.walletId, tokenId), asked)).toBe(refused);
      expect(
        await db.money({ ...holdOf(other, db.mintId(), 5), ...asked, tokenIsUnlimited: false }),
      ).toBe(refused);
    }
    expect(await walletOf(db, other)).toMatchObject({ held: 0 });
  });
});
