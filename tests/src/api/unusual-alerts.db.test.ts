// Alerts about figures that are far from the usual ones, each from what it is read from to what
// operators see of it.

import { createLockout } from "@tollgate/gateway/accounts/identity/lockouts/lockout.ts";
import {
  createLockoutAlarm,
  locksPerHourMax,
} from "@tollgate/gateway/accounts/identity/lockouts/lockout-alarm.ts";
import { sourceRules } from "@tollgate/gateway/accounts/identity/lockouts/lockout-rules.ts";
import { createLockoutStore } from "@tollgate/gateway/accounts/identity/lockouts/lockout-store.ts";
import { createMemoryCounters } from "@tollgate/gateway/limits/counters.ts";
import { computeDay, computeHour } from "@tollgate/gateway/storage/rollups.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { rollupMeasures } from "../support/rollup-measures.ts";
import { testDatabases } from "../support/test-databases.ts";
import { describeVariants } from "../support/variants.ts";
import {
  type ManagementGateway,
  startManagementGateway,
  type TestApiClient,
} from "./management-gateway.ts";

const hour = 3_600_000;
const dollar = 500_000;

describeVariants(testDatabases)("unusual figures on $name", (database) => {
  let gateway: ManagementGateway;
  let root: TestApiClient;
  beforeAll(async () => {
    gateway = await startManagementGateway(database);
    root = await gateway.signIn("root");
  });
  afterAll(() => gateway.close());

  const firing = async () => {
    gateway.clock.now += 15_000;
    await gateway.alerts.fold();
    const found: { rule: string; text: string }[] = (await root("GET", "/api/alert/?state=firing"))
      .body.data;
    return found.toSorted((one, other) => one.rule.localeCompare(other.rule));
  };
  const rules = (value: object) =>
    root("PUT", "/api/option/", { body: { key: "AlertRules", value: JSON.stringify(value) } });

  test("a key that spends far more than on its usual days, and a model that became slow", async () => {
    const { sql } = gateway.db;
    const { body } = await root("POST", "/api/token/", {
      body: { name: "laptop", remain_quota: 1 },
    });
    const [today, now] = [computeDay(gateway.clock.now), computeHour(gateway.clock.now)];
    const spent = (day: number, quota: number) => ({
      query: sql
        .insertInto("rollup_day_token")
        .values({ ...rollupMeasures({ quota }), day, token_id: body.data.id }),
    });
    const timed = (at: number, changes: Parameters<typeof rollupMeasures>[0]) => ({
      query: sql
        .insertInto("rollup_hour_model")
        .values({ ...rollupMeasures(changes), hour: at, model_name: "small" }),
    });
    await gateway.db.write([
      ...[1, 2, 3].map((ago) => spent(today - ago, 2 * dollar)),
      spent(today, 30 * dollar),
      timed(now, { requests: 60, ttft_5: 60 }),
      timed(now - 24, { requests: 60, ttft_1: 60 }),
    ]);
    expect(await firing()).toMatchObject([
      { rule: "spend.spike", subject_name: "laptop", text: expect.stringContaining("$30.00") },
    ]);
    await rules({ "calls.slow": { enabled: true }, "spend.spike": { begins: 20, ends: 16 } });
    expect(await firing()).toMatchObject([{ rule: "calls.slow", subject_id: "small" }]);
    gateway.clock.now += 2 * hour;
    root = await gateway.signIn("root");
    expect(await firing()).toEqual([]);
  });

  test("a key that spends far more is paused where root wants that: once, with one entry, and not again when it is resumed that day", async () => {
    const { sql } = gateway.db;
    const { data: own } = (
      await root("POST", "/api/token/", { body: { name: "nightly", remain_quota: 1 } })
    ).body;
    const { data: stopped } = (
      await root("POST", "/api/token/", { body: { name: "stopped", remain_quota: 1 } })
    ).body;
    await root("PUT", "/api/token/?status_only=1", { body: { uuid: stopped.uuid, status: 2 } });
    const today = computeDay(gateway.clock.now);
    await gateway.db.write([
      { query: sql.deleteFrom("rollup_day_token") },
      ...[own.id, stopped.id].flatMap((token_id) =>
        [0, 1, 2, 3].map((ago) => ({
          query: sql.insertInto("rollup_day_token").values({
            ...rollupMeasures({ quota: (ago === 0 ? 30 : 2) * dollar }),
            day: today - ago,
            token_id,
          }),
        })),
      ),
    ]);
    await rules({ "spend.spike": { pauses: true } });
    const spikes = async () =>
      (await firing()).filter(({ rule }) => rule === "spend.spike").map(({ text }) => text);
    const token = async (uuid: string) => (await root("GET", `/api/token/${uuid}`)).body.data;
    const entries = () =>
      gateway.db.read(
        sql.selectFrom("audit_entries").select(["target"]).where("action", "=", "alert.pause_key"),
      );

    const told = await spikes();
    expect(told.filter((text) => text.includes("nightly"))).toMatchObject([
      expect.stringContaining("was paused"),
    ]);
    expect(told.filter((text) => text.includes("stopped"))).not.toMatchObject([
      expect.stringContaining("was paused"),
    ]);
    expect(await token(own.uuid)).toMatchObject({
      status: 5,
      paused: { by: "alert", name: "spend.spike" },
    });
    expect(await token(stopped.uuid)).toMatchObject({ status: 2 });
    await spikes();
    expect(await entries()).toEqual([{ target: own.uuid }]);

    await root("PUT", "/api/token/?status_only=1", { body: { uuid: own.uuid, status: 1 } });
    expect(await spikes()).toHaveLength(2);
    expect(await token(own.uuid)).toMatchObject({ status: 1 });
    expect(await entries()).toHaveLength(1);

    gateway.clock.now += 24 * hour;
    root = await gateway.signIn("root");
    expect(await spikes()).toEqual([]);
    await rules({});
  });

  test("a disk that fills up, until there is room again", async () => {
    const disk = (free: number) =>
      Object.assign(gateway.tests, { disk: { free, total: 100_000_000_000 } });
    disk(4_000_000_000);
    expect(await firing()).toMatchObject([
      { rule: "storage.trouble", severity: "critical", text: expect.stringContaining("4.0 GB") },
    ]);
    disk(50_000_000_000);
    expect(await firing()).toEqual([]);
  });

  test("a backup that is older than its interval, until there is a newer one", async () => {
    const backed = (at: number | undefined) => Object.assign(gateway.tests, { backups: { at } });
    backed(undefined);
    expect(await firing()).toEqual([]);
    await root("PUT", "/api/option/", { body: { key: "BackupIntervalHours", value: "24" } });
    expect(await firing()).toMatchObject([{ rule: "storage.trouble", subject_id: "backup" }]);
    backed(gateway.clock.now - 24 * hour);
    expect(await firing()).toMatchObject([{ subject_id: "backup" }]);
    backed(gateway.clock.now);
    expect(await firing()).toEqual([]);
    await root("PUT", "/api/option/", { body: { key: "BackupIntervalHours", value: "0" } });
  });

  test("entries that are more than five minutes ahead of the clock, until the clock has passed them", async () => {
    const ahead = (minutes: number) =>
      Object.assign(gateway.tests, { idsAheadMs: minutes * 60_000 });
    ahead(5);
    expect(await firing()).toEqual([]);
    ahead(42);
    expect(await firing()).toMatchObject([{ rule: "storage.trouble", subject_id: "clock" }]);
    ahead(0);
    expect(await firing()).toEqual([]);
  });

  test("a channel that a node has suspended for ten minutes, once root switched that on, and its model, which no other serves", async () => {
    const {
      data: [channel],
    } = (
      await root("POST", "/api/channel/", {
        body: { name: "East", type: 1, key: "sk-aaaaaaaaaaaa", models: "gpt-4o-mini" },
      })
    ).body;
    const [since, minute] = [gateway.clock.now, 60_000];
    const failing = () => {
      const openUntil = gateway.clock.now + minute;
      const state = {
        channelId: channel.id,
        model: "gpt-4o-mini",
        reason: "status 503",
        isOpen: true,
        isHard: false,
      };
      gateway.breakers.splice(0, 1, { ...state, since, openUntil });
    };
    failing();
    gateway.clock.now += 10 * minute;
    failing();
    const called = { day: computeDay(gateway.clock.now), model_name: "gpt-4o-mini" };
    await gateway.db.write([
      { query: gateway.db.sql.deleteFrom("rollup_day_model") },
      {
        query: gateway.db.sql
          .insertInto("rollup_day_model")
          .values({ ...rollupMeasures({ requests: 1 }), ...called }),
      },
    ]);
    expect(await firing()).toMatchObject([{ rule: "model.unserved", subject_id: "gpt-4o-mini" }]);
    await rules({ "channel.suspended": { enabled: true }, "spend.spike": { enabled: false } });
    failing();
    expect(await firing()).toMatchObject([
      {
        rule: "channel.suspended",
        subject_name: "East",
        text: expect.stringContaining("status 503"),
      },
      { rule: "model.unserved" },
    ]);
    gateway.breakers.length = 0;
    expect(await firing()).toEqual([]);
    await gateway.db.write([{ query: gateway.db.sql.deleteFrom("rollup_day_model") }]);
  });

  test("a database that took nothing for minutes, once it works again", async () => {
    const outage = gateway.failingAlerts();
    await outage.alerts.fold();
    outage.state.isRefusing = true;
    await expect(outage.alerts.fold()).rejects.toThrow("disk I/O error");
    gateway.clock.now += 180_000;
    await expect(outage.alerts.fold()).rejects.toThrow("disk I/O error");
    outage.state.isRefusing = false;
    await outage.alerts.fold();
    await outage.alerts.fold();
    const text = expect.stringContaining("3 minutes");
    const { data } = (await root("GET", "/api/alert/?state=firing")).body;
    expect(data).toMatchObject([{ rule: "storage.trouble", subject_id: "database", text }]);
    expect(await firing()).toEqual([]);
  });

  test("twenty sign-ins that are locked within an hour are one alert, and fewer are none", async () => {
    const counters = createMemoryCounters(() => gateway.clock.now);
    const onLocked = createLockoutAlarm(gateway.db, counters);
    const lockout = createLockout(gateway.db, createLockoutStore(gateway.db), "password", {
      ...sourceRules,
      onLocked,
    });
    const guess = async (account: string) => {
      for (let tries = 0; tries < 5; tries += 1) await lockout.failed(account, gateway.clock.now);
    };
    for (let locks = 0; locks < locksPerHourMax; locks += 1) await guess(`account ${locks}`);
    expect(await firing()).toEqual([]);
    for (const account of ["one more", "and another"]) await guess(account);
    expect(await firing()).toMatchObject([{ rule: "sign_in.lockouts", count: 1 }]);
  });

  test("a model that is called and has no price, until root or its channel states one", async () => {
    const { sql } = gateway.db;
    root = await gateway.signIn("root");
    const channel = { name: "West", type: 1, key: "k", groups: ["default"] };
    const models = "gpt-4.1,unpriced,mapped,configured,uncalled";
    const more = {
      model_mapping: `{"mapped":"gpt-4.1"}`,
      model_configs: `{"configured":{"ratio":1}}`,
    };
    expect(
      (await root("POST", "/api/channel/", { body: { ...channel, models, ...more } })).body.success,
    ).toBe(true);
    const called = ["gpt-4.1", "unpriced", "mapped", "configured", "unlisted"];
    await gateway.db.write(
      called.map((model_name) => ({
        query: sql.insertInto("rollup_day_model").values({
          ...rollupMeasures({ requests: 1 }),
          day: computeDay(gateway.clock.now),
          model_name,
        }),
      })),
    );
    const missing = async () => (await firing()).filter(({ rule }) => rule === "price.missing");
    expect(await missing()).toMatchObject([
      { subject_id: "unpriced", text: expect.stringContaining("unpriced") },
    ]);
    const price = { model_name: "unpriced", entry: `{"input":1}`, updated_at: 1 };
    await gateway.db.write([{ query: sql.insertInto("prices").values(price) }]);
    expect(await missing()).toEqual([]);
  });
});
