import { type TestDatabase, testDatabases } from "@tollgate/tests/support/test-databases.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { buildEventRow } from "../../storage/event-row.ts";
import type { LogRow } from "../../storage/tables/call-tables.ts";
import { computeIdFloor, computeIdTime } from "../../storage/time-ids.ts";
import { buildLogFilter, type LogQueryParams } from "./log-filter.ts";
import { createLogReader } from "./log-reader.ts";
import { logStore } from "./log-store.ts";
import { logTotals } from "./log-totals.ts";

const now = Date.UTC(2026, 10, 20, 12);
const minute = 60_000;
/** The calls of this test, oldest first: one a minute until now. */
const calls: Partial<LogRow>[] = [
  { content: "plain" },
  { outcome: "failed", content: "status 503", channel_id: 1, channel_name: "North", retries: 1 },
  {
    outcome: "failed",
    content: "status 503",
    channel_id: 1,
    channel_name: "North",
    retries: 0,
    user_id: 2,
  },
  { outcome: "failed", content: "status 503", channel_id: 2, channel_name: "South", retries: 0 },
  { outcome: "cut", content: "closed", channel_id: 1, channel_name: "North" },
  { outcome: "quota_ran_out", content: "", channel_id: 1, model_name: "large" },
  { outcome: "client_left", content: "", channel_id: 1 },
  { retries: 2, channel_id: 2, channel_name: "South", content: "again" },
  { elapsed_ms: 3_000, content: "slow" },
  { elapsed_ms: 2_999, content: "quick" },
];
const rows: LogRow[] = calls.map((call, index) => ({
  ...buildEventRow({
    id: computeIdFloor(now - (calls.length - index) * minute),
    type: 2,
    user_id: 1,
    username: "u",
    quota: 1,
    content: "",
  }),
  ...{ outcome: "success", model_name: "small", retries: null, ...call },
}));
const event = buildEventRow({
  id: computeIdFloor(now),
  type: 4,
  user_id: 1,
  username: "u",
  quota: 0,
  content: "an event",
});

describe.each(testDatabases)("calls that did not go smoothly on $name", (database) => {
  let storage: TestDatabase;
  beforeAll(async () => {
    storage = await database.open();
    await storage.db.write([{ query: storage.db.sql.insertInto("logs").values([...rows, event]) }]);
  });
  afterAll(() => storage.close());

  const reader = () => {
    const logs = logStore(storage.db);
    return createLogReader(logs, logTotals(storage.db, logs));
  };
  /** The places of the matching calls, oldest first. */
  const found = async (query: LogQueryParams, more: object = {}) => {
    const listing = await reader().list(
      { ...buildLogFilter(query), ...more },
      { order: "asc", size: 100 },
      now,
    );
    expect(listing.total).toBe(listing.rows.length);
    return listing.rows.map(({ id }) => rows.findIndex((row) => row.id === id));
  };

  test("are found by how they ended, by their retries and by their time", async () => {
    expect(await found({ outcome: "failed" })).toEqual([1, 2, 3]);
    expect(await found({ outcome: "cut" })).toEqual([4, 5]);
    expect(await found({ outcome: "client_left" })).toEqual([6]);
    expect(await found({ outcome: "ok" })).toEqual([0, 7, 8, 9]);
    expect(await found({ retried: true })).toEqual([1, 7]);
    expect(await found({ retried: true, outcome: "ok" })).toEqual([7]);
    expect(await found({ slow: true })).toEqual([8]);
    expect(await found({ problem: true })).toEqual([1, 2, 3, 4, 5, 6, 7]);
  });

  test("are narrowed by user, channel and model", async () => {
    expect(await found({ problem: true }, { userId: 2 })).toEqual([2]);
    expect(await found({ problem: true }, { channelId: 2 })).toEqual([3, 7]);
    expect(await found({ problem: true, model_name: "large" }, { userId: 1 })).toEqual([5]);
  });

  test("are summed up by outcome, reason, channel and model, most calls first", async () => {
    const { groups, searched_back_to } = await reader().problems(buildLogFilter({}), true, now);
    expect(searched_back_to).toBeUndefined();
    expect(groups).toHaveLength(6);
    const [first] = groups;
    expect(first).toMatchObject({
      outcome: "failed",
      content: "status 503",
      channel_name: "North",
      calls: 2,
      users: 2,
    });
    expect([computeIdTime(first?.first_id ?? 0), computeIdTime(first?.last_id ?? 0)]).toEqual([
      now - 9 * minute,
      now - 8 * minute,
    ]);
  });

  test("are counted by reason in steps of time, up to now", async () => {
    const { over_time } = await reader().problems(
      { ...buildLogFilter({}), from: now - 10 * minute },
      true,
      now,
    );
    expect(over_time).toMatchObject({ from: (now - 10 * minute) / 1000, step: 60 });
    const shown = new Map(over_time?.reasons.map(({ content, calls }) => [content, calls]));
    expect(shown.get("status 503")).toEqual([0, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0]);
    expect(shown.get("again")).toEqual([0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0]);
    const ofAll = over_time?.reasons
      .flatMap(({ calls }) => calls)
      .reduce((sum, calls) => sum + calls, 0);
    expect(ofAll).toBe(7);
  });

  test("are counted by channel for administrators alone", async () => {
    const range = { ...buildLogFilter({}), from: now - 10 * minute };
    const { over_time } = await reader().problems(range, true, now);
    const shown = over_time?.by_channel?.channels ?? [];
    const { groups } = await reader().problems(range, true, now);
    const expected = new Map<number, number>();
    for (const { channel_id, calls } of groups)
      expected.set(channel_id, (expected.get(channel_id) ?? 0) + calls);
    expect(expected.size).toBeGreaterThan(1);
    const sumOf = (calls: readonly number[]) => calls.reduce((sum, one) => sum + one, 0);
    expect(new Map(shown.map(({ channel, calls }) => [channel, sumOf(calls)]))).toEqual(expected);
    expect(shown.map(({ channel_name }) => channel_name)).toEqual(["North", "South"]);
    expect((await reader().problems(range, false, now)).over_time?.by_channel).toBeUndefined();
  });

  test("without a beginning, their steps begin with the oldest problem; without problems there are none", async () => {
    const { over_time } = await reader().problems(buildLogFilter({}), true, now);
    expect(over_time?.from).toBe((now - 9 * minute) / 1000);
    expect(await reader().problems({ ...buildLogFilter({}), userId: 3 }, true, now)).toEqual({
      groups: [],
    });
  });

  test("are summed up over channels for a user, who knows none", async () => {
    const { groups } = await reader().problems(
      { ...buildLogFilter({ outcome: "failed" }), userId: 1 },
      false,
      now,
    );
    expect(groups).toMatchObject([{ channel_id: 0, channel_name: "", calls: 2, users: 1 }]);
  });

  test("slow ones are summed up when they are asked for", async () => {
    const { groups } = await reader().problems(buildLogFilter({ slow: true }), true, now);
    expect(groups).toMatchObject([{ outcome: "success", content: "slow", calls: 1 }]);
  });
});
