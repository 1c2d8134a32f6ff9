import { type TestDatabase, testDatabases } from "@tollgate/tests/support/test-databases.ts";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { buildOptionReader } from "../../settings/live-options.ts";
import { buildEventRow } from "../../storage/event-row.ts";
import { computeIdFloor } from "../../storage/time-ids.ts";
import { dayMs } from "./log-filter.ts";
import { purgeOldLogs } from "./log-retention.ts";
import { logStore } from "./log-store.ts";

const now = Date.UTC(2026, 10, 20, 12);
const ages = [400, 100, 99, 31, 29, 8, 6, 0];
const unstopped = new AbortController().signal;

describe.each(testDatabases)("retention on $name", (database) => {
  let storage: TestDatabase;
  beforeEach(async () => {
    storage = await database.open();
    const { db } = storage;
    const call = { type: 2, user_id: 1, username: "u", quota: 5, content: "" };
    const rows = ages.map((days) =>
      buildEventRow({ ...call, id: computeIdFloor(now - days * dayMs) }),
    );
    await db.write([
      { query: db.sql.insertInto("logs").values(rows) },
      { query: db.sql.insertInto("traces").values(rows.map(({ id }) => ({ id, data: "{}" }))) },
    ]);
  });
  afterEach(() => storage.close());

  const purge = (settings: Record<string, string>, at = now, signal = unstopped) => {
    const options = buildOptionReader(new Map(Object.entries(settings)));
    return purgeOldLogs({ db: storage.db, logs: logStore(storage.db), options, signal }, at);
  };
  const remaining = async (table: "logs" | "traces") => {
    const rows = await storage.db.read(storage.db.sql.selectFrom(table).select("id").orderBy("id"));
    return rows.map(({ id }) => ages.find((days) => computeIdFloor(now - days * dayMs) === id));
  };
  const recorded = async () =>
    (
      await storage.db.read(storage.db.sql.selectFrom("audit_entries").select(["action", "change"]))
    ).map(({ action, change }) => ({ action, change: JSON.parse(change) as unknown }));

  test("traces are removed after thirty days by default, log rows stay", async () => {
    await purge({});
    expect(await remaining("logs")).toEqual(ages);
    expect(await remaining("traces")).toEqual([29, 8, 6, 0]);
    expect(await recorded()).toMatchObject([
      { action: "log.expired", change: { rows: 0, quota: 0, traces: 4 } },
    ]);
  });

  test("log rows are removed after their days, with their traces", { tags: ["F-63"] }, async () => {
    await purge({ LogRetentionDays: "7", TraceRetentionDays: "0" });
    expect(await remaining("logs")).toEqual([6, 0]);
    expect(await remaining("traces")).toEqual([6, 0]);
    expect(await recorded()).toMatchObject([{ change: { rows: 6, quota: 30, traces: 6 } }]);
  });

  test("nothing is removed where both are kept forever", async () => {
    await purge({ LogRetentionDays: "0", TraceRetentionDays: "0" });
    expect(await remaining("traces")).toEqual(ages);
    expect(await recorded()).toEqual([]);
  });

  test("one of several nodes that wake up at once does the work", async () => {
    await Promise.all([1, 2, 3].map(() => purge({})));
    expect(await recorded()).toHaveLength(1);
    await purge({ TraceRetentionDays: "7" }, now + 60_000);
    expect(await remaining("traces")).toEqual([29, 8, 6, 0]);
    await purge({ TraceRetentionDays: "7" }, now + 3_600_000);
    expect(await remaining("traces")).toEqual([6, 0]);
  });

  test("more rows than one step removes are removed too", { tags: ["F-63"] }, async () => {
    const { db } = storage;
    const rows = Array.from({ length: 2_500 }, (_, n) => ({
      id: computeIdFloor(now - 50 * dayMs) + n,
      data: "{}",
    }));
    await db.write([{ query: db.sql.insertInto("traces").values(rows) }]);
    await purge({});
    expect(await remaining("traces")).toEqual([29, 8, 6, 0]);
    expect(await recorded()).toMatchObject([{ change: { traces: 2_504 } }]);
  });

  test("an expired month is removed at once, partition or not, and counted", async () => {
    const { db } = storage;
    // PostgreSQL creates partitions from the real current month on.
    const today = new Date();
    const month = Date.UTC(today.getUTCFullYear(), today.getUTCMonth(), 1);
    const nextMonth = Date.UTC(today.getUTCFullYear(), today.getUTCMonth() + 1, 1);
    const call = { type: 2, user_id: 1, username: "u", quota: 3, content: "" };
    const ids = [month + 1, month + dayMs, nextMonth + 1].map((at) => computeIdFloor(at) + 7);
    await db.write([
      { query: db.sql.insertInto("logs").values(ids.map((id) => buildEventRow({ ...call, id }))) },
    ]);
    await purge({ LogRetentionDays: "30" }, nextMonth + 30 * dayMs);
    const left = await db.read(db.sql.selectFrom("logs").select("id").where("id", "in", ids));
    expect(left.map(({ id }) => id)).toEqual(ids.slice(2));
    const quota = ages.length * 5 + 2 * 3;
    expect(await recorded()).toMatchObject([{ change: { rows: ages.length + 2, quota } }]);
  });

  test("a gateway that stops does not wait for the remaining rows", async () => {
    await purge({}, now, AbortSignal.abort());
    expect(await remaining("traces")).toEqual(ages);
  });
});
