// The balance that chat programs read, from real rows.

import { createTestAccount, type TestAccount } from "@tollgate/tests/support/money-fixtures.ts";
import { type TestDatabase, testDatabases } from "@tollgate/tests/support/test-databases.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { RelayCaller } from "../admission/api-keys.ts";
import type { Exchange } from "../exchange.ts";
import { showSubscription, showUsage } from "./billing.ts";
import { buildBalanceReader } from "./read-balance.ts";

type BillingTestDeps = Parameters<typeof showUsage>[1];

describe.each(testDatabases)("a balance on $name", (database) => {
  let storage: TestDatabase;
  let account: TestAccount;
  let caller: RelayCaller;
  beforeAll(async () => {
    storage = await database.open();
    const { db } = storage;
    await createTestAccount(db, 9, [9]);
    account = await createTestAccount(db, 3_000_000, [1_000_000, null]);
    const [limited = 0] = account.tokenIds;
    await db.write([
      {
        query: db.sql.updateTable("tokens").set({ used_quota: 250_000 }).where("id", "=", limited),
      },
      {
        query: db.sql
          .updateTable("users")
          .set({ used_quota: 750_000 })
          .where("id", "=", account.userId),
      },
    ]);
  });
  afterAll(() => storage.close());
  beforeEach(() => {
    caller = {
      ...{
        userId: account.userId,
        teamId: 0,
        team: undefined,
        memberId: 0,
        username: "u",
        role: 1,
        userStatus: 1,
        group: "default",
        groups: ["default"],
        namesGroups: false,
        tokenName: "t",
      },
      ...{
        walletId: account.walletId,
        tokenId: account.tokenIds[0] ?? 0,
        tokenStatus: 1,
        pause: null,
        isUnlimited: false,
      },
      ...{
        remainQuota: 1,
        expiredAt: null,
        models: null,
        subnets: [],
        mcpTools: null,
        tags: undefined,
        bodies: "",
        cacheSeconds: 0,
        promptMarks: "",
        limits: undefined,
        isOldKey: false,
        isFoundWhole: false,
      },
    };
  });

  async function ask(
    show: (exchange: Exchange, parts: BillingTestDeps) => Promise<void>,
    { isKeys = true, inCurrency = true, key = "sk-known" } = {},
  ): Promise<unknown> {
    let answered: unknown;
    const exchange = {
      request: { headers: { authorization: `Bearer ${key}` } },
      address: "127.0.0.1",
      learn: () => undefined,
      answer: (status: number, type: string, body: Buffer) => {
        answered = { status, type, body: JSON.parse(String(body)) };
      },
    } as unknown as Exchange;
    const parts = {
      apiKeys: {
        find: async ({ key }: { key: string }) => (key === "known" ? caller : undefined),
        invalidate: () => undefined,
      },
      settings: {
        keyPrefix: "sk-",
        showsKeyBalance: () => isKeys,
        isShownInCurrency: () => inCurrency,
      },
      now: () => 0,
      readBalance: buildBalanceReader(storage.db),
    } as unknown as BillingTestDeps;
    await show(exchange, parts);
    return answered;
  }
  const type = "application/json; charset=utf-8";
  const subscription = (limit: number, access_until = 0) => ({
    status: 200,
    type,
    body: {
      ...{ object: "billing_subscription", has_payment_method: true, access_until },
      ...{ soft_limit_usd: limit, hard_limit_usd: limit, system_hard_limit_usd: limit },
    },
  });
  const usage = (total_usage: number) => ({
    status: 200,
    type,
    body: { object: "list", total_usage },
  });

  test("is the key's own, what it has left and what it used", async () => {
    expect(await ask(showSubscription)).toEqual(subscription(2.5));
    expect(await ask(showUsage)).toEqual(usage(50));
  });
  test("is the owner's where the settings say so", async () => {
    expect(await ask(showSubscription, { isKeys: false })).toEqual(subscription(7.5));
    expect(await ask(showUsage, { isKeys: false })).toEqual(usage(150));
  });
  test("is shown in units when no currency is displayed", async () => {
    expect(await ask(showSubscription, { inCurrency: false })).toEqual(subscription(1_250_000));
    expect(await ask(showUsage, { inCurrency: false })).toEqual(usage(25_000_000));
  });
  test("of a key without a limit is a limit that is never reached, whatever the key used", async () => {
    caller = { ...caller, isUnlimited: true, expiredAt: 1_999_999 };
    expect(await ask(showSubscription)).toEqual(subscription(100_000_000, 1_999));
    expect(await ask(showUsage)).toEqual(usage(50));
  });
  test("of a deleted key is 0", async () => {
    caller = { ...caller, tokenId: 999_999, userId: 999_999 };
    for (const isKeys of [true, false]) {
      expect(await ask(showSubscription, { isKeys })).toEqual(subscription(0));
      expect(await ask(showUsage, { isKeys })).toEqual(usage(0));
    }
  });
  test.each(["", "sk-unknown"])("is refused with %j as the key", async (key) => {
    for (const show of [showSubscription, showUsage])
      await expect(ask(show, { key })).rejects.toMatchObject({ refusal: { status: 401 } });
  });
  test("asks for a key when none was sent", async () => {
    await expect(ask(showUsage, { key: "" })).rejects.toMatchObject({
      refusal: { message: expect.stringContaining("No API key was given") },
    });
  });
});
