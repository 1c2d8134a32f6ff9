import { rollupMeasures } from "@tollgate/tests/support/rollup-measures.ts";
import { type TestDatabase, testDatabases } from "@tollgate/tests/support/test-databases.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { LogRow } from "../../storage/tables/call-tables.ts";
import { computeIdFloor } from "../../storage/time-ids.ts";
import { dayMs, type LogRowFilter } from "./log-filter.ts";
import { createLogReader } from "./log-reader.ts";
import { logStore } from "./log-store.ts";
import { logTotals } from "./log-totals.ts";

const now = Date.UTC(2026, 10, 20, 12);
const firstDay = Math.floor(now / dayMs) - 9;
const perDay = 3_000;
/** Ten days of calls, one every few seconds; every third by user 1, every second with model `a`. */
const ids = Array.from({ length: 10 * perDay }, (_, n) => {
  const at =
    (firstDay + Math.floor(n / perDay)) * dayMs + Math.floor(((n % perDay) * dayMs) / 2 / perDay);
  return computeIdFloor(at) + (n % 4096);
});
const userOf = (n: number) => (n % 3 === 0 ? 1 : 2);
const modelOf = (n: number) => (n % 2 === 0 ? "a" : "b");

const row = (id: number, n: number): LogRow => ({
  id,
  type: 2,
  user_id: userOf(n),
  username: "u",
  token_id: 0,
  token_name: "",
  channel_id: 0,
  channel_name: "",
  model_name: modelOf(n),
  origin_model_name: "",
  quota: 1,
  prompt_tokens: 0,
  completion_tokens: 0,
  cached_prompt_tokens: 0,
  cache_write_5m_tokens: 0,
  cache_write_1h_tokens: 0,
  elapsed_ms: 1,
  ttft_ms: 0,
  is_stream: 0,
  outcome: "success",
  content: "",
  price: null,
  usage_details: null,
  retries: null,
  tags: null,
  cost_nanos: null,
  marks_saved: null,
  team_id: null,
  run: null,
  run_facts: null,
});

describe.each(testDatabases)("deep pages on $name", (database) => {
  let storage: TestDatabase;
  beforeAll(async () => {
    storage = await database.open();
    const { db } = storage;
    for (let start = 0; start < ids.length; start += 500) {
      const rows = ids.slice(start, start + 500).map((id, index) => row(id, start + index));
      await db.write([{ query: db.sql.insertInto("logs").values(rows) }]);
    }
    const counted = (matches: (n: number) => boolean, day: number) =>
      ids.filter((_, n) => Math.floor(n / perDay) === day && matches(n)).length;
    for (let day = 0; day < 10; day += 1)
      for (const model_name of ["a", "b"]) {
        const of = (user: number) =>
          counted((n) => modelOf(n) === model_name && userOf(n) === user, day);
        const measured = (requests: number) => rollupMeasures({ requests, quota: requests });
        await db.write([
          {
            query: db.sql
              .insertInto("rollup_day_model")
              .values({ ...measured(of(1) + of(2)), day: firstDay + day, model_name }),
          },
          ...[1, 2].map((user_id) => ({
            query: db.sql
              .insertInto("rollup_day_user_model")
              .values({ ...measured(of(user_id)), day: firstDay + day, user_id, model_name }),
          })),
        ]);
      }
    const perUser = (user: number) => ids.filter((_, n) => n < perDay && userOf(n) === user).length;
    for (let day = 0; day < 10; day += 1) {
      const rows = [1, 2].map((user_id) => {
        const requests = perUser(user_id);
        return { ...rollupMeasures({ requests, quota: requests }), day: firstDay + day, user_id };
      });
      await db.write([{ query: db.sql.insertInto("rollup_day_user").values(rows) }]);
    }
  }, 60_000);
  afterAll(() => storage.close());

  const all: LogRowFilter = { from: 0, to: now + dayMs, type: 2 };
  const pageOf = async (filter: LogRowFilter, p: number, order: "asc" | "desc" = "desc") => {
    const logs = logStore(storage.db);
    const reader = createLogReader(logs, logTotals(storage.db, logs));
    const { rows, total } = await reader.list(filter, { p, size: 10, order }, now);
    return { ids: rows.map(({ id }) => id), total };
  };

  test.each([0, 1, 1000, 2000, 2001, 2400, 2699, 2700, 2999, 3000])(
    "page %i is where it belongs, in both orders",
    async (p) => {
      const newest = [...ids].reverse();
      expect(await pageOf(all, p)).toEqual({
        ids: newest.slice(p * 10, p * 10 + 10),
        total: 30_000,
      });
      expect(await pageOf(all, p, "asc")).toEqual({
        ids: ids.slice(p * 10, p * 10 + 10),
        total: 30_000,
      });
    },
  );

  test("a range that ends within a day", { tags: ["F-63"] }, async () => {
    const to = (firstDay + 8) * dayMs + dayMs / 8;
    const inside = ids.filter((id) => id < computeIdFloor(to)).reverse();
    const found = await pageOf({ ...all, to }, 2100);
    expect(found.ids).toEqual(inside.slice(21_000, 21_010));
  });

  test("a filter that roll-ups serve", async () => {
    const mine = ids.filter((_, n) => userOf(n) === 2).reverse();
    const found = await pageOf({ ...all, userId: 2 }, 1995);
    expect(found).toEqual({ ids: mine.slice(19_950, 19_960), total: 20_000 });
    const ofModel = ids.filter((_, n) => modelOf(n) === "a").reverse();
    expect((await pageOf({ ...all, model: "a" }, 1400)).ids).toEqual(ofModel.slice(14_000, 14_010));
  });
});
