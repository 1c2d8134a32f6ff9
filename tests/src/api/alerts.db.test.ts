import type { Alert } from "@tollgate/contract/notices/alerts.ts";
import { destinationKinds } from "@tollgate/contract/notices/destinations.ts";
import {
  defineWebhookEvent,
  webhookEventTypes,
} from "@tollgate/contract/notices/webhook-events.ts";
import { planAlertEvent } from "@tollgate/gateway/notices/alerts/alert-events.ts";
import { formatMetricText } from "@tollgate/gateway/telemetry/metric-text.ts";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { startNoticeReceiver } from "../harness/notice-receiver.ts";
import { hostileHosts } from "../support/hostile-urls.ts";
import { readPrometheusText } from "../support/prometheus-text.ts";
import { rollupMeasures } from "../support/rollup-measures.ts";
import { testDatabases } from "../support/test-databases.ts";
import { describeVariants } from "../support/variants.ts";
import {
  type ManagementGateway,
  startManagementGateway,
  type TestApiClient,
} from "./management-gateway.ts";

const minute = 60_000;
const hour = 60 * minute;

describeVariants(testDatabases)("alerts on $name", (database) => {
  let gateway: ManagementGateway;
  let receiver: Awaited<ReturnType<typeof startNoticeReceiver>>;
  let root: TestApiClient;
  beforeAll(async () => {
    [gateway, receiver] = await Promise.all([
      startManagementGateway(database),
      startNoticeReceiver(),
    ]);
    gateway.noticeHosts.add(receiver.host);
    root = await gateway.signIn("root");
  });
  afterAll(async () => {
    await gateway.close();
    await receiver.close();
  });
  const forget = async () => {
    const { sql } = gateway.db;
    await gateway.db.write([
      { query: sql.deleteFrom("notices") },
      { query: sql.deleteFrom("alerts") },
      { query: sql.deleteFrom("alert_events") },
      { query: sql.deleteFrom("destinations").where("id", ">", 1) },
    ]);
    receiver.received.length = 0;
    Object.assign(receiver.answer, { status: 200, body: "ok", headers: {}, isSilent: false });
    gateway.clock.now += 25 * hour;
    root = await gateway.signIn("root");
  };
  beforeEach(forget);

  const capped = (id: number, state: "firing" | "resolved" = "firing") =>
    planAlertEvent(
      gateway.db,
      {
        rule: "usage.capped",
        subject: { kind: "channel", id, name: `channel ${id}` },
        state,
        ...(state === "firing" && {
          facts: { kind: "usage_capped", channel: `channel ${id}` } as const,
        }),
      },
      gateway.clock.now,
    );
  const raise = (...ids: number[]) => gateway.db.write(ids.map((id) => capped(id)));
  const add = async (kind: string, path = "/hook", more: object = {}) => {
    const { body } = await root("POST", "/api/destination/", {
      body: { name: kind, kind, address: receiver.url + path, ...more },
    });
    expect(body).toMatchObject({ success: true });
    return body.data;
  };
  const run = async () => {
    await gateway.alerts.fold();
    await gateway.alerts.deliver();
    await gateway.alerts.settled();
  };
  const notices = async () => (await root("GET", "/api/delivery/?size=100")).body.data;
  const firing = async () => (await root("GET", "/api/alert/?state=firing")).body.data;
  /** Each as docs/webhooks.md has it, without members that it does not name. */
  const received = () =>
    receiver.received.map(({ body }) => {
      const event = JSON.parse(body);
      if (webhookEventTypes.includes(event.type))
        expect(defineWebhookEvent(event.type).parse(event)).toEqual(event);
      return event;
    });

  test("a thousand events make one alert, one notice and, later, one end", {
    tags: ["AL-01"],
  }, async () => {
    await add("webhook");
    for (let rounds = 0; rounds < 5; rounds += 1) {
      await gateway.db.write(Array.from({ length: 200 }, () => capped(7)));
      await run();
    }
    expect(await firing()).toMatchObject([
      { rule: "usage.capped", count: 1_000, subject_name: "channel 7" },
    ]);
    expect(received()).toMatchObject([
      {
        type: "alert.firing",
        data: { rule: "usage.capped", severity: "warning", subject: { id: 7 } },
      },
    ]);
    await gateway.db.write([capped(7, "resolved")]);
    await run();
    await run();
    expect(received().map(({ type }) => type)).toEqual(["alert.firing", "alert.resolved"]);
    expect(await firing()).toEqual([]);
  });

  test("a webhook and the list have what the rule measured last and where it begins, also at the end, and null where nothing is measured", async () => {
    await add("webhook");
    const low = (dollars: number, state: "firing" | "resolved" = "firing") =>
      planAlertEvent(
        gateway.db,
        {
          ...{
            rule: "channel.balance_low",
            subject: { kind: "channel", id: 8, name: "West" },
            state,
          },
          ...(state === "firing" && {
            facts: {
              kind: "channel_balance_low",
              channel: "West",
              dollars: `$${dollars}`,
            } as const,
            measure: { value: dollars, threshold: 5 },
          }),
        },
        gateway.clock.now,
      );
    await gateway.db.write([low(1 / 3), capped(7)]);
    await run();
    await gateway.db.write([low(0.25)]);
    await run();
    await gateway.db.write([low(0, "resolved")]);
    await run();
    const figures = received().map(({ type, data }) => [
      type,
      data.rule,
      data.value,
      data.threshold,
    ]);
    expect(figures.sort()).toEqual([
      ["alert.firing", "channel.balance_low", 0.333333, 5],
      ["alert.firing", "usage.capped", null, null],
      ["alert.resolved", "channel.balance_low", 0.25, 5],
    ]);
    const listed: Alert[] = (await root("GET", "/api/alert/")).body.data;
    expect(listed.map(({ rule, value, threshold }) => [rule, value, threshold]).sort()).toEqual([
      ["channel.balance_low", 0.25, 5],
      ["usage.capped", null, null],
    ]);
  });

  test("several nodes that fold and send at once make one notice", {
    tags: ["AL-01"],
  }, async () => {
    await add("webhook");
    await raise(1);
    await Promise.all([gateway.alerts.fold(), gateway.alerts.fold(), gateway.alerts.fold()]);
    await Promise.all([gateway.alerts.deliver(), gateway.alerts.deliver()]);
    await gateway.alerts.settled();
    await run();
    expect(receiver.received).toHaveLength(1);
  });

  test("a try that no one noted is made again with the same id, once its lease is over", {
    tags: ["AL-01"],
  }, async () => {
    await add("webhook");
    await raise(1);
    await gateway.alerts.fold();
    // As kill -9 leaves it between sending and noting.
    await gateway.db.write([
      {
        query: gateway.db.sql
          .updateTable("notices")
          .set({ tries: 1, lease_until: gateway.clock.now + minute }),
        rows: 1,
      },
    ]);
    const [{ id }] = await notices();
    await run();
    expect(receiver.received).toEqual([]);
    gateway.clock.now += minute;
    await run();
    expect(receiver.received.map(({ headers }) => headers["webhook-id"])).toEqual([`msg_${id}`]);
  });

  test("wherever a process dies between two of its writes, each notice arrives, and each transition is one row", {
    tags: ["AL-01", "large"],
  }, async () => {
    for (let writes = 0, hasDied = true; hasDied; writes += 1) {
      await forget();
      await add("webhook");
      const { alerts, isDead } = gateway.dyingNode(writes);
      const work = async () => {
        await alerts.fold().catch(() => undefined);
        await alerts.deliver().catch(() => undefined);
        await alerts.settled();
      };
      await gateway.db.write([capped(1)]);
      await work();
      await gateway.db.write([capped(1, "resolved")]);
      await work();
      hasDied = isDead();
      // Another node goes on, at once and when what the dead one held is free.
      await run();
      gateway.clock.now += 2 * minute;
      await run();
      await run();
      const rows: { transition: string; state: string }[] = await notices();
      expect(
        rows.map(({ transition, state }) => `${transition} ${state}`).sort(),
        `${writes} writes`,
      ).toEqual(["firing sent", "resolved sent"]);
      const ids = receiver.received.map(({ headers }) => headers["webhook-id"]);
      expect(new Set(ids).size).toBe(2);
      expect(ids.length).toBeLessThanOrEqual(3);
      if (!hasDied) expect(writes).toBeGreaterThan(4);
    }
  });

  test("a failed try is repeated later with the same id, in order, and the answer is shown and counted", async () => {
    const tried = async () => {
      const { sum } = readPrometheusText(
        await formatMetricText(gateway.metrics.registry.families, "text"),
      );
      return ["sent", "retried"].map((result) =>
        sum("tollgate_notices_total", { kind: "webhook", result }),
      );
    };
    const [sent = 0, retried = 0] = await tried();
    await add("webhook");
    Object.assign(receiver.answer, { status: 503, body: "not now" });
    await raise(1);
    await run();
    await raise(2);
    await run();
    expect(receiver.received).toHaveLength(1);
    expect((await notices()).at(-1)).toMatchObject({
      state: "waiting",
      tries: 1,
      answer: "503 not now",
    });
    Object.assign(receiver.answer, { status: 200, body: "" });
    gateway.clock.now += 10_000;
    await run();
    const ids = receiver.received.map(({ headers }) => headers["webhook-id"]);
    expect(ids).toHaveLength(3);
    expect(ids[0]).toBe(ids[1]);
    expect((await notices()).map(({ state }: { state: string }) => state)).toEqual([
      "sent",
      "sent",
    ]);
    expect(await tried()).toEqual([sent + 2, retried + 1]);
  });

  test("a slow destination delays no other one", async () => {
    const silent = await startNoticeReceiver();
    silent.answer.isSilent = true;
    gateway.noticeHosts.add(silent.host);
    try {
      await root("POST", "/api/destination/", {
        body: { name: "slow", kind: "webhook", address: silent.url },
      });
      await add("webhook");
      await raise(1);
      await gateway.alerts.fold();
      await gateway.alerts.deliver();
      await expect.poll(() => receiver.received.length).toBe(1);
      await expect.poll(() => silent.received.length).toBe(1);
    } finally {
      await silent.close();
      await gateway.alerts.settled();
    }
  });

  test("seven failed tries are the end of a notice, which can be sent again", async () => {
    await add("slack");
    receiver.answer.body = "invalid_payload";
    await raise(1);
    await gateway.alerts.fold();
    for (let tries = 0; tries < 9; tries += 1) {
      await gateway.alerts.deliver();
      await gateway.alerts.settled();
      gateway.clock.now += 12 * hour;
    }
    root = await gateway.signIn("root");
    expect(receiver.received).toHaveLength(7);
    const [failed] = await notices();
    expect(failed).toMatchObject({ state: "failed", tries: 7, answer: "200 invalid_payload" });
    receiver.answer.body = "ok";
    expect((await root("POST", `/api/delivery/${failed.id}/send`)).body.success).toBe(true);
    await gateway.alerts.deliver();
    await gateway.alerts.settled();
    expect((await notices())[0]).toMatchObject({ state: "sent", tries: 1 });
  });

  test("a receiver that is gone is disabled", async () => {
    const { id } = await add("webhook");
    receiver.answer.status = 410;
    await raise(1);
    await run();
    await raise(2);
    await run();
    expect(receiver.received).toHaveLength(1);
    const { data } = (await root("GET", "/api/destination/")).body;
    expect(data.find((one: { id: number }) => one.id === id)).toMatchObject({
      disabled: true,
      disabled_reason: "gone",
    });
  });

  test("many alerts at once become one notice with a list", async () => {
    await add("webhook");
    await raise(1, 2, 3, 4, 5, 6);
    await run();
    const [digest, ...others] = received();
    expect([digest.type, digest.data.alerts.length, others]).toEqual(["alert.digest", 6, []]);
    expect(
      (await notices()).filter(({ state }: { state: string }) => state === "merged"),
    ).toHaveLength(6);
  });

  test("a destination gets the rules and severities that it is for", async () => {
    await add("webhook", "/critical", { severity: "critical" });
    await add("webhook", "/quota", { rules: ["quota.waiting"] });
    await add("webhook", "/all", { rules: ["usage.capped", "quota.waiting"], severity: "warning" });
    await raise(1);
    await run();
    expect(receiver.received.map(({ path }) => path)).toEqual(["/all"]);
  });

  test("a muted alert sends nothing, and administrators see and mute while others do neither", async () => {
    await add("webhook");
    await gateway.addUser(`admin${gateway.clock.now}`, { role: 10 });
    const admin = await gateway.signIn(`admin${gateway.clock.now}`);
    await raise(1);
    await run();
    const [{ uuid }] = (await admin("GET", "/api/alert/?state=firing")).body.data;
    expect((await admin("GET", "/api/alert/count")).body.data).toEqual({ firing: 1, critical: 0 });
    expect(
      (await admin("POST", `/api/alert/${uuid}/mute`, { body: { hours: 48 } })).body.success,
    ).toBe(true);
    expect((await admin("GET", "/api/alert/count")).body.data).toEqual({ firing: 0, critical: 0 });
    expect((await admin("GET", "/api/alert/?state=muted")).body.data).toMatchObject([{ uuid }]);
    await gateway.db.write([capped(1, "resolved")]);
    await run();
    expect(receiver.received).toHaveLength(1);
    expect((await admin("GET", "/api/destination/")).body.code).toBe("insufficient_role");
  });

  test("administrators read alerts in the language that they ask for, and what can be done", async () => {
    await raise(1);
    await run();
    const shown = async (query: string) =>
      (await root("GET", `/api/alert/?state=firing${query}`)).body.data;
    expect(await shown("&language=de")).toMatchObject([
      {
        title: "Nutzung des Kanals channel 1 begrenzt",
        remedy: expect.stringContaining("Zahlen des Anbieters"),
      },
    ]);
    expect(await shown("")).toMatchObject([{ title: "Usage of channel channel 1 capped" }]);
  });

  test("a budget at a threshold and a model whose calls fail are alerts, and what an owner allows a key is none", async () => {
    const { sql } = gateway.db;
    const { body } = await root("POST", "/api/budget/", {
      body: { name: "All calls", subject: "site", window: "lifetime", amount: 1_000_000 },
    });
    expect(body).toMatchObject({ success: true });
    const { id: budget_id, window_start } = body.data;
    const counter = { budget_id, window_start, window_end: null, spent: 850_000, held: 0 };
    const calls = { hour: Math.floor(gateway.clock.now / hour), model_name: "small" };
    await gateway.db.write([
      { query: sql.insertInto("budget_counters").values(counter) },
      {
        query: sql
          .insertInto("rollup_hour_model")
          .values({ ...rollupMeasures({ requests: 40, failures: 10 }), ...calls }),
      },
    ]);
    await run();
    const found: { rule: string }[] = await firing();
    expect(found.toSorted((one, other) => one.rule.localeCompare(other.rule))).toMatchObject([
      {
        rule: "budget.reached",
        subject_id: `${budget_id}/80`,
        text: expect.stringContaining("$1.70 of $2.00"),
      },
      {
        rule: "calls.failing",
        subject_id: "small",
        text: expect.stringContaining("10 of 40 calls"),
      },
    ]);
    await gateway.db.write([
      { query: sql.updateTable("budgets").set({ by_owner: 1 }).where("id", "=", budget_id) },
    ]);
    gateway.clock.now += 2 * hour;
    await run();
    expect(await firing()).toEqual([]);
    await gateway.db.write([
      { query: sql.deleteFrom("budget_counters") },
      { query: sql.deleteFrom("budgets") },
      { query: sql.deleteFrom("rollup_hour_model") },
    ]);
  });

  test("a rule that root switches off ends its alert without a notice and raises none, until it is on again", async () => {
    const set = async (value: object) =>
      (
        await root("PUT", "/api/option/", {
          body: { key: "AlertRules", value: JSON.stringify(value) },
        })
      ).body;
    await add("webhook");
    await raise(1);
    await run();
    expect(await set({ "usage.capped": { enabled: false } })).toMatchObject({ success: true });
    await run();
    await raise(2);
    await run();
    expect([await firing(), received().length]).toEqual([[], 1]);
    expect(await set({ "usage.capped": { begins: 3 } })).toMatchObject({
      success: false,
      code: "invalid_request",
    });
    await set({});
    await raise(3);
    await run();
    expect(await firing()).toMatchObject([{ subject_id: "3" }]);
  });

  test("a destination that failed for an hour is told to the others", async () => {
    const broken = await startNoticeReceiver();
    broken.answer.status = 500;
    gateway.noticeHosts.add(broken.host);
    await root("POST", "/api/destination/", {
      body: { name: "broken", kind: "webhook", address: broken.url },
    });
    await add("webhook", "/others", { rules: ["notice.failing"] });
    try {
      await raise(1);
      await run();
      gateway.clock.now += hour;
      await run();
      await run();
      expect(received()).toMatchObject([
        { type: "alert.firing", data: { rule: "notice.failing" } },
      ]);
      const told = await gateway.db.read(
        gateway.db.sql
          .selectFrom("notices")
          .select("destination_id")
          .distinct()
          .where("rule", "=", "notice.failing"),
      );
      expect(told).toHaveLength(1);
    } finally {
      await broken.close();
    }
  });

  test("an address of the inside is refused when it is entered, and when it is called", {
    tags: ["AL-02"],
  }, async () => {
    for (const kind of destinationKinds.filter((one) => one !== "mail"))
      for (const [host] of Object.values(hostileHosts)) {
        const url = `http://${host}/topic`;
        const body = {
          name: "inside",
          kind,
          address: url,
          secret: "1:a",
          recipient: "7",
          template: "{}",
        };
        expect([url, (await root("POST", "/api/destination/", { body })).body.code]).toEqual([
          url,
          "invalid_request",
        ]);
      }
    const { id } = await add("webhook");
    gateway.noticeHosts.delete(receiver.host);
    try {
      const { data } = (await root("POST", `/api/destination/${id}/test`)).body;
      expect(data).toMatchObject({
        delivered: false,
        answer: expect.stringContaining("NOTICE_PRIVATE_HOSTS"),
      });
      expect(receiver.received).toEqual([]);
    } finally {
      gateway.noticeHosts.add(receiver.host);
    }
  });

  test("a custom destination sends its own JSON and headers, which are sealed", {
    tags: ["AL-03"],
  }, async () => {
    const template =
      '{"title": "{{title}}", "message": "{{text}}", "priority": {{priority}}, "about": "{{rule}}"}';
    const made = await add("custom", "/message", { headers: "X-Gotify-Key: key-4711", template });
    const refused = await root("POST", "/api/destination/", {
      body: { name: "wrong", kind: "custom", address: receiver.url, template: "{{text}}" },
    });
    expect(refused.body).toMatchObject({
      code: "invalid_request",
      fields: { template: expect.any(String) },
    });
    await raise(1);
    await run();
    expect(receiver.received).toMatchObject([
      { path: "/message", headers: { "x-gotify-key": "key-4711" } },
    ]);
    expect(received()).toMatchObject([
      { priority: 5, about: "usage.capped", title: expect.stringContaining("channel 1") },
    ]);
    const listed = (await root("GET", "/api/destination/")).body.data;
    expect(listed.at(-1)).toMatchObject({ id: made.id, kind: "custom", hint: receiver.host });
    const stored = await gateway.db.read(gateway.db.sql.selectFrom("destinations").selectAll());
    for (const text of [listed, stored, (await root("GET", "/api/audit/?size=50")).body.data])
      expect(JSON.stringify(text)).not.toContain("key-4711");
  });

  test("the message pusher of the settings is a destination as long as it is set", async () => {
    const set = async (key: string, value: string) =>
      expect((await root("PUT", "/api/option/", { body: { key, value } })).body).toMatchObject({
        success: true,
      });
    const listed = async () =>
      (await root("GET", "/api/destination/")).body.data.filter(
        ({ kind }: { kind: string }) => kind === "custom",
      );
    await set("MessagePusherToken", "pusher-1");
    await set("MessagePusherAddress", `${receiver.url}/push/root`);
    await run();
    expect(await listed()).toMatchObject([{ name: "Message Pusher", hint: receiver.host }]);
    receiver.answer.body = '{"success":true}';
    await raise(1);
    await run();
    expect(receiver.received).toMatchObject([{ path: "/push/root" }]);
    expect(received()).toMatchObject([
      { token: "pusher-1", title: expect.any(String), content: expect.any(String) },
    ]);
    await set("MessagePusherToken", "pusher-2");
    await run();
    await raise(2);
    await run();
    expect(received().at(-1)).toMatchObject({ token: "pusher-2" });
    await set("MessagePusherAddress", "");
    await run();
    expect(await listed()).toEqual([]);
  });

  test("a test shows the receiver's own answer, and a redirect is not followed", async () => {
    const { id } = await add("webhook");
    receiver.answer.body = "thanks";
    expect((await root("POST", `/api/destination/${id}/test`)).body.data).toEqual({
      delivered: true,
      answer: "200 thanks",
    });
    expect(received()).toMatchObject([{ type: "alert.example" }]);
    Object.assign(receiver.answer, { status: 302, headers: { location: "/elsewhere" }, body: "" });
    expect((await root("POST", `/api/destination/${id}/test`)).body.data).toEqual({
      delivered: false,
      answer: "302",
    });
    expect(receiver.received.map(({ path }) => path)).toEqual(["/hook", "/hook"]);
  });

  test("a destination is made once for one Idempotency-Key, whose repetition shows the first secret for ten minutes", {
    tags: ["AL-03"],
  }, async () => {
    const headers = { "idempotency-key": "one-destination" };
    const ask = async (name = "once") =>
      (
        await root("POST", "/api/destination/", {
          headers,
          body: { name, kind: "webhook", address: receiver.url },
        })
      ).body;
    const made = (await ask()).data;
    expect(made.signing_secret).toMatch(/^whsec_/);
    expect((await ask()).data).toMatchObject({ id: made.id, signing_secret: made.signing_secret });
    expect((await ask("another")).code).toBe("idempotency_key_reused");
    const listed = (await root("GET", "/api/destination/")).body.data;
    expect(listed.filter(({ name }: { name: string }) => name === "once")).toHaveLength(1);
    gateway.clock.now += 11 * 60_000;
    expect((await ask()).data).toEqual({ ...made, signing_secret: undefined });
    gateway.clock.now -= 11 * 60_000;
    // What was made since is shown to the one who made it.
    await root("POST", `/api/destination/${made.id}/rotate`);
    expect((await ask()).data).toEqual({ ...made, signing_secret: undefined });
  });

  test("the address and the secrets are sealed, and shown once or never", {
    tags: ["AL-03"],
  }, async () => {
    const made = await add("webhook", "/hook-4711");
    expect(made.signing_secret).toMatch(/^whsec_/);
    const listed = JSON.stringify((await root("GET", "/api/destination/")).body.data);
    const stored = JSON.stringify(
      await gateway.db.read(gateway.db.sql.selectFrom("destinations").selectAll()),
    );
    const record = JSON.stringify((await root("GET", "/api/audit/?size=50")).body.data);
    for (const text of [listed, stored, record])
      for (const secret of ["hook-4711", made.signing_secret]) expect(text).not.toContain(secret);
    const { signing_secret } = (await root("POST", `/api/destination/${made.id}/rotate`)).body.data;
    expect(signing_secret).not.toBe(made.signing_secret);
    expect((await root("POST", "/api/destination/1/rotate")).body.code).toBe(
      "destination_not_signed",
    );
  });
});
