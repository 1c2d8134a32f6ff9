import { expect, test } from "vitest";
import { composeBalanceUrl, findBalanceApi } from "./balance-apis.ts";

const now = Date.UTC(2026, 10, 21);

/**
 * Replies as each provider sends them. Types without a source follow what compatible servers call.
 */
test.each([
  [1, [{ hard_limit_usd: 120 }, { total_usage: 2_050 }], 99_500_000, "USD"],
  [
    50,
    [
      { hard_limit_usd: 100, has_payment_method: true },
      { object: "list", total_usage: 0.5 },
    ],
    99_995_000,
    "USD",
  ],
  [8, [{ hard_limit_usd: 1 }, { total_usage: 0 }], 1_000_000, "USD"],
  [4, [{ total_granted: 5, total_used: 1.5, total_available: 3.5 }], 3_500_000, "USD"],
  [5, [{ msg: "", data: { credit: "10000" } }], 10_000_000_000, "USD"],
  [10, [{ success: true, data: { totalPoints: 12.25 } }], 12_250_000, "USD"],
  [12, [{ total_remaining: 7 }], 7_000_000, "USD"],
  [13, [{ total_available: 0 }], 0, "USD"],
  // openrouter.ai/docs: get-credits
  [20, [{ data: { total_credits: 25, total_usage: 5.5 } }], 19_500_000, "USD"],
  // api-docs.deepseek.com: get-user-balance
  [
    36,
    [
      {
        is_available: true,
        balance_infos: [
          { currency: "USD", total_balance: "9" },
          { currency: "CNY", total_balance: "110.00" },
        ],
      },
    ],
    110_000_000,
    "CNY",
  ],
  [
    44,
    [{ code: 20000, status: true, data: { balance: "0.88", totalBalance: "88.88" } }],
    88_880_000,
    "CNY",
  ],
])("type %i reads its balance from %j", (type, replies, micros, currency) => {
  const call = findBalanceApi(type);
  expect(call?.currency).toBe(currency);
  expect(call?.requests("k", now)).toHaveLength(replies.length);
  expect(Math.round(call?.read(replies) ?? Number.NaN)).toBe(micros);
  for (const unreadable of [null, {}, [], "no", { data: null, balance_infos: [null] }])
    expect(() => call?.read(replies.map(() => unreadable))).toThrow("the provider's answer has no");
});

test("types without a balance API have none", () => {
  expect([2, 3, 14, 24, 33, 42, 43].map(findBalanceApi)).toEqual(Array(7).fill(undefined));
});

test("usage covers the last hundred days", () => {
  const [, usage] = findBalanceApi(1)?.requests("k", now) ?? [];
  expect(usage?.path).toBe("/v1/dashboard/billing/usage?start_date=2026-08-13&end_date=2026-11-22");
});

test("a base URL that ends in a version does not get a second one", () => {
  expect(composeBalanceUrl("https://a.example/v1/", "/v1/credits").href).toBe(
    "https://a.example/v1/credits",
  );
  expect(composeBalanceUrl("https://a.example/api", "/v1/credits").href).toBe(
    "https://a.example/api/v1/credits",
  );
  expect(composeBalanceUrl("https://a.example/v1", "/user/balance").href).toBe(
    "https://a.example/v1/user/balance",
  );
});
