// What the clock reads for metrics, on both databases.
import { createTestAccount, holdOf } from "@tollgate/tests/support/money-fixtures.ts";
import { readPrometheusText } from "@tollgate/tests/support/prometheus-text.ts";
import { type TestDatabase, testDatabases } from "@tollgate/tests/support/test-databases.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type BudgetColumns, createBudgetStore } from "../accounts/budgets/budget-store.ts";
import { readSqliteFile } from "../storage/open-database.ts";
import { createGatewayMetrics } from "./gateway-metrics.ts";
import { formatMetricText } from "./metric-text.ts";
import { createSiteGauges } from "./site-gauges.ts";

describe.each(testDatabases)("the site's gauges on $name", ({ name, open }) => {
  let storage: TestDatabase;
  let now = Date.UTC(2026, 10, 22);
  const existing = new Set(["1"]);
  const metrics = createGatewayMetrics();
  const read = async () =>
    readPrometheusText(await formatMetricText(metrics.registry.families, "text"));
  const gauges = () =>
    createSiteGauges({
      metrics,
      db: storage.db,
      sqliteFile: readSqliteFile(storage.config.dataDir),
      readCounters: createBudgetStore(storage.db).counters,
      channelIds: () => existing,
      now: () => now,
      onError: (error) => {
        throw error;
      },
    });

  beforeAll(async () => {
    storage = await open();
  });
  afterAll(() => storage.close());

  test("are those of the whole site, and say how old they are", async () => {
    const { db } = storage;
    const account = await createTestAccount(db, 10_000, [null]);
    await db.money(holdOf(account, db.mintId(), 100));
    await gauges().refresh();
    now += 7_000;
    const { sum, samples } = await read();
    expect(sum("tollgate_holds_open")).toBe(1);
    expect(sum("tollgate_shortfall_dollars_total")).toBe(0);
    expect(sum("tollgate_site_gauges_age_seconds")).toBe(7);
    const names = new Set(samples.map((one) => one.name));
    const isSqlite = name.toLowerCase().includes("sqlite");
    expect([names.has("tollgate_disk_free_bytes"), names.has("tollgate_sqlite_wal_bytes")]).toEqual(
      [isSqlite, isSqlite],
    );
    expect(names.has("tollgate_rollup_queue_rows")).toBe(!isSqlite);
  });

  test("show what was spent and held of budgets of the site and of models, without those of users", async () => {
    const { db } = storage;
    const store = createBudgetStore(db);
    const row = (subject: "site" | "model" | "user", number: number): BudgetColumns => ({
      uuid: `budget ${number}`,
      name: "small",
      subject,
      subject_id: subject === "user" ? 1 : 0,
      model_name: subject === "model" ? "m" : "",
      tag: "",
      window: "lifetime",
      first_day: 1,
      zone: "UTC",
      amount: 200,
      hard: 1,
      thresholds: "",
      enabled: 1,
      by_owner: 0,
      on_reached: "refuse",
      counts_from: 1_000,
      created_at: 1_000,
      updated_at: 1_000,
    });
    await db.write(
      (["site", "model", "user"] as const).map((subject, number) =>
        store.insert(row(subject, number)),
      ),
    );
    const budgets = await db.read(
      db.sql.selectFrom("budgets").select(["id", "subject"]).orderBy("id"),
    );
    const siteId = budgets.find(({ subject }) => subject === "site")?.id ?? 0;
    const account = await createTestAccount(db, 10_000, [null]);
    const counted = [{ id: siteId, start: 1_000, end: null, max: 200, target: null }];
    expect(await db.money(holdOf(account, db.mintId(), 50, { budgets: counted }))).toBe("held");
    await gauges().refresh();
    const { samples } = await read();
    const used = samples.filter(({ name: metric }) => metric === "tollgate_budget_used_ratio");
    expect(used.map(({ labels, value }) => [Number(labels.budget), value])).toEqual(
      budgets
        .filter(({ subject }) => subject !== "user")
        .map(({ id }) => [id, id === siteId ? 0.25 : 0]),
    );
  });

  test("show how many notices wait, by what they wait for", async () => {
    const { db } = storage;
    const [mail] = await db.read(
      db.sql.selectFrom("destinations").select("id").where("kind", "=", "mail"),
    );
    const notice = (id: number, state: "waiting" | "sent") => ({
      ...{
        id,
        alert_id: id,
        transition: "firing",
        since: 1,
        destination_id: mail?.id ?? 0,
        rule: "usage.capped",
      },
      ...{
        payload: "{}",
        state,
        tries: 0,
        next_at: 1,
        lease_until: 0,
        answer: "",
        created_at: 1,
        ended_at: null,
      },
    });
    const rows = [notice(1, "waiting"), notice(2, "waiting"), notice(3, "sent")];
    await db.write(rows.map((values) => ({ query: db.sql.insertInto("notices").values(values) })));
    const site = gauges();
    await site.refresh();
    expect((await read()).sum("tollgate_notices_waiting", { kind: "mail" })).toBe(2);
    await db.write([{ query: db.sql.deleteFrom("notices") }]);
    await site.refresh();
    expect((await read()).sum("tollgate_notices_waiting")).toBe(0);
  });

  test("end the series of a deleted channel after an hour", async () => {
    for (const channel of ["1", "2", "0"]) metrics.attempts.child(channel, "ok").add(1);
    const site = gauges();
    await site.refresh();
    now += 3_599_000;
    await site.refresh();
    expect((await read()).sum("tollgate_attempts_total")).toBe(3);
    now += 1_000;
    await site.refresh();
    const { samples } = await read();
    const left = samples.filter(({ name: metric }) => metric === "tollgate_attempts_total");
    expect(left.map(({ labels }) => labels.channel)).toEqual(["1", "0"]);
  });
});
