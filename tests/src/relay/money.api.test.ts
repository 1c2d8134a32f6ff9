import { afterEach, describe, expect, test } from "vitest";
import { eventually } from "../harness/eventually.ts";
import { databaseKinds } from "../harness/gateway-database.ts";
import { startGatewayProcess } from "../harness/gateway-process.ts";
import {
  chatBody,
  defaultCharge,
  defaultHold,
  startTestGateway,
  type TestGateway,
} from "../harness/test-gateway.ts";
import { largeOn } from "../support/large-tests.ts";

let gateway: TestGateway;
afterEach(() => gateway.close());

describe.each(databaseKinds)("money on %s", (store) => {
  /** `further` is what no race decides is shown on PostgreSQL by CI. */
  const further = largeOn(store === "postgres");
  test("200 parallel calls on a balance for 10 spend no more than the balance, and none is served unbilled", {
    tags: ["F-43"],
    timeout: 60_000,
  }, async () => {
    const balance = 10 * defaultHold;
    gateway = await startTestGateway({ store, balance });
    await gateway.given.channel({ key: "sim-slow-1500" });
    const { key } = await gateway.given.token();

    const replies = await Promise.all(
      Array.from({ length: 200 }, (_, n) =>
        n % 2 ? gateway.chat(key, { max_tokens: 12 }) : gateway.stream(key, { max_tokens: 12 }),
      ),
    );

    const served = replies.filter(({ status }) => status === 200);
    const refused = replies.filter(({ status }) => status !== 200);
    expect(new Set(refused.map(({ status }) => status))).toEqual(new Set([403]));
    expect(served.length).toBeGreaterThanOrEqual(10);
    const books = await gateway.settled();
    expect(books).toEqual({
      balance: balance - served.length * defaultCharge,
      held: 0,
      charged: served.length * defaultCharge,
      debt: 0,
      shortfall: 0,
      reservations: 0,
      rows: served.length,
      succeeded: served.length,
    });
    expect(books.balance).toBeGreaterThanOrEqual(0);
    // The upstream was called only for what had been held before.
    expect((await gateway.simulator.stats()).calls).toBe(served.length);
    expect(await gateway.audit()).toBe("The books agree.");
  });

  test("200 parallel calls on a token for 10 never spend more than the token holds", {
    tags: ["F-44"],
    timeout: 60_000,
  }, async () => {
    const tokenQuota = 10 * defaultHold;
    gateway = await startTestGateway({ store });
    await gateway.given.channel({ key: "sim-slow-1500" });
    const { key, id } = await gateway.given.token({
      unlimited_quota: false,
      remain_quota: tokenQuota,
    });
    const other = await gateway.given.token();

    const replies = await Promise.all(
      Array.from({ length: 200 }, () => gateway.chat(key, { max_tokens: 12 })),
    );

    const served = replies.filter(({ status }) => status === 200).length;
    expect(served).toBeGreaterThanOrEqual(10);
    const refused = replies
      .filter(({ status }) => status !== 200)
      .map(({ body }) => body.error.code);
    expect(new Set(refused)).toEqual(new Set(["pre_consume_token_quota_failed"]));
    await gateway.settled();
    const [token] = await gateway.rows(
      `select remain_quota, held_quota, used_quota from tokens where id = ${id}`,
    );
    expect(token).toEqual({
      remain_quota: tokenQuota - served * defaultCharge,
      held_quota: 0,
      used_quota: served * defaultCharge,
    });
    // The owner's balance was not the limit.
    expect((await gateway.chat(other.key)).status).toBe(200);
    await gateway.settled();
    expect(await gateway.audit()).toBe("The books agree.");
  });

  test("200 calls whose first three channels fail are answered by the fourth and billed once each", {
    tags: ["F-53", "I-7", "FT-06", ...further],
    timeout: 90_000,
  }, async () => {
    gateway = await startTestGateway({ store });
    // All calls are with the first channel before the first of them fails, so that every call meets
    // every failure.
    const refusing = await gateway.given.channel({ key: "sim-slow-6000+fail-500", priority: 40 });
    const limited = await gateway.given.channel({ key: "sim-fail-429", priority: 30 });
    const cutting = await gateway.given.channel({ key: "sim-cut-0", priority: 20 });
    const healthy = await gateway.given.channel({ key: "sim-ok", priority: 10 });
    const { key } = await gateway.given.token();

    const replies = await Promise.all(
      Array.from({ length: 200 }, (_, n) => (n % 2 ? gateway.chat(key) : gateway.stream(key))),
    );

    expect(replies.filter(({ status }) => status !== 200)).toEqual([]);
    const books = await gateway.settled();
    expect(books).toMatchObject({
      charged: 200 * defaultCharge,
      shortfall: 0,
      held: 0,
      rows: 200,
      succeeded: 200,
    });
    const logs = await gateway.logs();
    expect(new Set(logs.map(({ quota, channel_id }) => `${quota} by ${channel_id}`))).toEqual(
      new Set([`${defaultCharge} by ${healthy.id}`]),
    );
    for (const { id } of logs) {
      const { attempts } = await gateway.trace(id);
      expect(
        attempts.map(({ channel_id, status, outcome }) => [channel_id, status, outcome]),
      ).toEqual([
        [refusing.id, 500, "failed"],
        [limited.id, 429, "failed"],
        [cutting.id, expect.toBeOneOf([0, 200]), "failed"],
        [healthy.id, 200, "success"],
      ]);
    }
    expect(await gateway.audit()).toBe("The books agree.");
  });

  test("a channel that drops connections costs nothing, and neither does a call that every channel fails", {
    tags: ["F-53", ...further],
  }, async () => {
    gateway = await startTestGateway({ store });
    await gateway.given.channel({ key: "sim-drop", priority: 2 });
    await gateway.given.channel({ key: "sim-fail-503", priority: 1 });
    const { key } = await gateway.given.token();

    const whole = await gateway.chat(key);
    const streamed = await gateway.stream(key);

    expect([whole.status, streamed.status]).toEqual([503, expect.toBeOneOf([502, 503])]);
    const books = await gateway.settled();
    expect(books).toMatchObject({ charged: 0, held: 0, rows: 2, succeeded: 0 });
    for (const { outcome, quota } of await gateway.logs())
      expect([outcome, quota]).toEqual(["failed", 0]);
    expect(await gateway.audit()).toBe("The books agree.");
  });

  test("a client's own ids make no call free: equal ids are billed twice", {
    tags: ["F-52", "FT-27", ...further],
  }, async () => {
    gateway = await startTestGateway({ store });
    await gateway.given.channel({ key: "sim-ok" });
    const { key } = await gateway.given.token();
    const headers = { "x-request-id": "same", "x-trace-id": "same", "idempotency-key": "same" };
    for (const _ of [1, 2]) {
      const response = await gateway.send(
        key,
        { model: "sim-model", messages: [{ role: "user", content: "one two three" }] },
        { headers },
      );
      expect(response.status).toBe(200);
      await response.text();
    }
    expect(await gateway.settled()).toMatchObject({ charged: 2 * defaultCharge, rows: 2 });
  });

  test("a refusal ends its call whatever its text holds", {
    tags: ["FT-24", ...further],
  }, async () => {
    gateway = await startTestGateway({ store, env: { SHUTDOWN_GRACE_SECONDS: "1" } });
    await gateway.given.channel({ key: "odd" });
    const { key } = await gateway.given.token();
    const texts = [
      "NUL: \u0000",
      "half a surrogate pair: \ud83d",
      // The row keeps 2,000 characters, which end in the middle of a pair.
      `a pair where it is shortened: ${"x".repeat(1_970)}${"🌊x".repeat(20)}`,
      `one further: ${"x".repeat(1_970)}${"x🌊".repeat(20)}`,
    ];

    for (const message of texts) {
      await gateway.simulator.script("odd", { fail: { status: 400, message } });
      expect((await gateway.chat(key)).status).toBe(400);
    }

    expect(await gateway.settled()).toMatchObject({ rows: texts.length, charged: 0, held: 0 });
  });
});

test.skipIf(!databaseKinds.includes("postgres"))(
  "two gateways on one database share one balance",
  async () => {
    const balance = 10 * defaultHold;
    gateway = await startTestGateway({ store: "postgres", balance });
    const { dataDir, databaseUrl = "", simulator } = gateway;
    await gateway.given.channel({ key: "sim-slow-1500" });
    const { key } = await gateway.given.token();
    const other = await startGatewayProcess({ dataDir, databaseUrl, upstreams: [simulator.url] });
    try {
      const body = JSON.stringify(chatBody({ max_tokens: 12 }));
      const headers = { authorization: `Bearer ${key}` };
      const statuses = await Promise.all(
        Array.from({ length: 200 }, async (_, n) => {
          const url = `${n % 2 ? other.url : gateway.url}/v1/chat/completions`;
          const response = await fetch(url, { method: "POST", headers, body });
          await response.text();
          return response.status;
        }),
      );
      const served = statuses.filter((status) => status === 200).length;
      expect(served).toBeGreaterThanOrEqual(10);
      expect(new Set(statuses)).toEqual(new Set([200, 403]));
      const books = await gateway.settled();
      expect(books).toMatchObject({
        balance: balance - served * defaultCharge,
        held: 0,
        charged: served * defaultCharge,
      });
      // A token that is disabled on one is refused by the other within a second or so.
      const token = await gateway.given.token();
      const status = async () => {
        const response = await fetch(`${other.url}/v1/models`, {
          headers: { authorization: `Bearer ${token.key}` },
        });
        await response.text();
        return response.status;
      };
      expect(await status()).toBe(200);
      await gateway.api("PUT", "/api/token/?status_only=1", { id: token.id, status: 2 });
      await eventually(async () => expect(await status()).toBe(401));
    } finally {
      await other.stop();
    }
    expect(await gateway.audit()).toBe("The books agree.");
  },
  60_000,
);
