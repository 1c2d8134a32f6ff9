// What chat programs ask for their balance, under both of its old addresses.
import { afterAll, beforeAll, expect, test } from "vitest";
import { defaultCharge, startTestGateway, type TestGateway } from "../harness/test-gateway.ts";

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
  await gateway.given.channel({ key: "sim-ok" });
});
afterAll(() => gateway.close());

const ask = async (path: string, key?: string) => {
  const response = await fetch(gateway.url + path, {
    headers: key === undefined ? {} : { authorization: `Bearer ${key}` },
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
};
const dollars = (units: number) => units / 500_000;

test.each(["", "/v1"])("a key's limit and what it has used, under %s/dashboard/billing", async (prefix) => {
  const granted = 1_000_000;
  const { key } = await gateway.given.token({
    unlimited_quota: false,
    remain_quota: granted,
    expired_time: 4_000_000_000,
  });
  await gateway.chat(key);
  await gateway.settled();
  const limit = dollars(granted);
  expect(await ask(`${prefix}/dashboard/billing/subscription`, key)).toEqual({
    status: 200,
    body: {
      object: "billing_subscription",
      has_payment_method: true,
      soft_limit_usd: limit,
      hard_limit_usd: limit,
      system_hard_limit_usd: limit,
      access_until: 4_000_000_000,
    },
  });
  expect(await ask(`${prefix}/dashboard/billing/usage?start_date=2026-11-01&end_date=2026-11-30`, key)).toEqual({
    status: 200,
    body: { object: "list", total_usage: dollars(defaultCharge) * 100 },
  });
});

test("a key without a limit shows one that is never reached, and an invalid key gets no answer", async () => {
  const { key } = await gateway.given.token();
  expect((await ask("/dashboard/billing/subscription", key)).body.hard_limit_usd).toBe(100_000_000);
  for (const stranger of [undefined, "sk-unknown"])
    expect((await ask("/v1/dashboard/billing/usage", stranger)).status, stranger ?? "no key").toBe(401);
  expect((await ask("/dashboard/billing/invoices", key)).status).toBe(404);
});
