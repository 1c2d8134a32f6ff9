import { createTestAccount, holdOf, type TestAccount, walletOf } from "@tollgate/tests/support/money-fixtures.ts";
import { type TestDatabase, testDatabases } from "@tollgate/tests/support/test-databases.ts";
import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { holdForecast, readFunds } from "./hold-forecast.ts";

const units = fc.constantFrom(0, 1, 9, 10, 11, 50, 100);

describe.each(testDatabases)("the forecast of a hold on $name", ({ open }) => {
  let storage: TestDatabase;
  let account: TestAccount;
  beforeAll(async () => {
    storage = await open();
    account = await createTestAccount(storage.db, 0, [0]);
  });
  afterAll(() => storage.close());

  test("is what the hold then answers: held, fewer units, or the same refusal", async () => {
    const { db } = storage;
    const { walletId } = account;
    const [tokenId = 0] = account.tokenIds;
    const wallet = fc.record({ balance: units, debt: fc.constantFrom(0, 0, 0, 7) });
    const token = fc.record({ remain_quota: units, unlimited_quota: fc.constantFrom(0 as const, 1 as const) });
    const wanted = fc.tuple(units, units).map(([a, b]) => ({ amount: Math.max(a, b), least: Math.min(a, b) }));
    const answers = new Set<string>();
    const hold = async (
      of: Record<string, number>,
      key: { remain_quota: number; unlimited_quota: 0 | 1 },
      ask: { amount: number; least: number },
    ) => {
      await db.write([
        { query: db.sql.updateTable("wallets").set(of).where("id", "=", walletId) },
        { query: db.sql.updateTable("tokens").set(key).where("id", "=", tokenId) },
      ]);
      const forecast = holdForecast(await readFunds(db, walletId, tokenId), ask);
      const id = db.mintId();
      const tokenIsUnlimited = key.unlimited_quota === 1;
      const answer = await db.money({ ...holdOf(account, id, ask.amount), ...ask, tokenIsUnlimited });
      expect(forecast).toBe(answer);
      answers.add(typeof answer === "number" ? "fewer" : answer);
      if (answer === "held" || typeof answer === "number") await db.money({ verb: "release", id });
      expect(await walletOf(db, account)).toMatchObject({ held: 0 });
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
});
