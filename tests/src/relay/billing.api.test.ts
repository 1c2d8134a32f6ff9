// What chat programs ask for their balance, under both of its old addresses.
import { tokenStatus, updateTokenStatus } from "@tollgate/contract/accounts/tokens.ts";
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

test.each(["", "/v1"])(
  "a key's limit and what it has used, under %s/dashboard/billing",
  async (prefix) => {
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
    expect(
      await ask(`${prefix}/dashboard/billing/usage?start_date=2026-11-01&end_date=2026-11-30`, key),
    ).toEqual({
      status: 200,
      body: { object: "list", total_usage: dollars(defaultCharge) * 100 },
    });
  },
);

test("a key without a limit shows one that is never reached, and an invalid key gets no answer", async () => {
  const { key } = await gateway.given.token();
  expect((await ask("/dashboard/billing/subscription", key)).body.hard_limit_usd).toBe(100_000_000);
  for (const stranger of [undefined, "sk-unknown"])
    expect((await ask("/v1/dashboard/billing/usage", stranger)).status, stranger ?? "no key").toBe(
      401,
    );
  expect((await ask("/dashboard/billing/invoices", key)).status).toBe(404);
});

test("a key tells what it has left, used and may call, in units, to a page of another origin", async () => {
  const { key } = await gateway.given.token({
    ...{ name: "tool", unlimited_quota: false, remain_quota: 1_000_000, models: "sim-model" },
    expired_time: 4_000_000_000,
  });
  await gateway.chat(key);
  await gateway.settled();
  for (const path of ["/api/usage/token", "/api/usage/token/"]) {
    expect(await ask(path, key)).toEqual({
      status: 200,
      body: {
        code: true,
        message: "ok",
        data: {
          object: "token_usage",
          name: "tool",
          ...{
            total_granted: 1_000_000,
            total_used: defaultCharge,
            total_available: 1_000_000 - defaultCharge,
          },
          ...{
            unlimited_quota: false,
            model_limits: { "sim-model": true },
            model_limits_enabled: true,
          },
          expires_at: 4_000_000_000,
          limits: { rpm_limit: 0, tpm_limit: 0, max_parallel_requests: 0 },
          ...{ paused: null, bodies: "" },
        },
      },
    });
  }
  const asked = await fetch(`${gateway.url}/api/usage/token/`, {
    headers: { authorization: `Bearer ${key}` },
  });
  expect(asked.headers.get("access-control-allow-origin")).toBe("*");
  await asked.body?.cancel();
});

test("a key lists its own calls, and no call of another key of the same user", async () => {
  const [{ key }, other] = [await gateway.given.token(), await gateway.given.token()];
  await gateway.chat(key);
  await gateway.chat(other.key);
  await gateway.settled();
  const { data } = (await ask("/api/log/token", key)).body;
  expect(data).toEqual([
    expect.objectContaining({ quota: defaultCharge, channel: 0, outcome: "success" }),
  ]);
  // An address with a key in it would be written into logs.
  expect((await ask(`/api/log/token?key=${key}`)).status).toBe(401);
});

test("a key without quota left still tells what it used; a disabled one tells nothing", async () => {
  const { key } = await gateway.given.token({
    unlimited_quota: false,
    remain_quota: defaultCharge,
  });
  await gateway.chat(key, { max_tokens: 1 });
  await gateway.settled();
  const { key: off, id } = await gateway.given.token();
  await (await gateway.root()).call(updateTokenStatus, {
    query: { status_only: "1" },
    body: { id, status: tokenStatus.disabled },
  });
  for (const path of ["/api/usage/token", "/api/log/token", "/v1/budget"]) {
    expect((await ask(path, key)).status, path).toBe(200);
    expect(await ask(path, off), path).toMatchObject({
      status: 401,
      body: { error: { message: /disabled/ } },
    });
  }
});

test("questions about one key are bounded by minute, and those of another key go on", async () => {
  const [{ key }, other] = [await gateway.given.token(), await gateway.given.token()];
  for (let n = 0; n < 60; n += 1) expect((await ask("/api/usage/token", key)).status).toBe(200);
  expect((await ask("/api/log/token", key)).status).toBe(429);
  expect((await ask("/api/log/token", other.key)).status).toBe(200);
});

test("LiteLLM's probes answer in JSON", async () => {
  expect(await ask("/health/readiness")).toEqual({
    status: 200,
    body: { status: "healthy", db: "connected" },
  });
  expect((await ask("/health/liveliness")).body).toBe("I'm alive!");
});

test("a program asks what one call has cost by the id of its answer, and no other key is told", async () => {
  const { key } = await gateway.given.token();
  const answer = await gateway.chat(key);
  const id = answer.headers.get("x-oneapi-request-id") ?? "";
  await gateway.settled();
  const { status, body } = await ask(`/v1/generation?id=${id}`, key);
  expect([status, body.data]).toEqual([
    200,
    expect.objectContaining({
      id,
      total_cost: dollars(defaultCharge),
      quota: defaultCharge,
      streamed: false,
    }),
  ]);
  const { key: other } = await gateway.given.token();
  expect((await ask(`/v1/generation?id=${id}`, other)).body).toMatchObject({
    error: { code: "generation_not_found" },
  });
  expect((await ask("/v1/generation", key)).body).toMatchObject({ error: { code: "id_required" } });
});
