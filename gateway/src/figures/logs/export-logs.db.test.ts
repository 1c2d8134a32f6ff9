import { type TestDatabase, testDatabases } from "@tollgate/tests/support/test-databases.ts";
import { describeVariants } from "@tollgate/tests/support/variants.ts";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { StorageUnavailable } from "../../storage/database.ts";
import { buildEventRow } from "../../storage/event-row.ts";
import { computeIdFloor } from "../../storage/time-ids.ts";
import { createLogExports } from "./export-logs.ts";
import type { LogRowFilter } from "./log-filter.ts";
import { logStore } from "./log-store.ts";

const begin = Date.UTC(2026, 10, 1);
const all: LogRowFilter = { from: 0, to: begin + 86_400_000 };
/** More rows than one step of an unindexed filter scans. */
const count = 45_000;
const rareEvery = 10_000;
const user = 1;

describeVariants(testDatabases)("exporting on $name", (database) => {
  let storage: TestDatabase;
  let reads = 0;
  let exported: ReturnType<typeof createLogExports>;

  beforeAll(async () => {
    storage = await database.open();
    const { db } = storage;
    for (let start = 0; start < count; start += 1_000) {
      const rows = Array.from({ length: 1_000 }, (_, index) => {
        const n = start + index;
        const content = n % rareEvery === 0 ? `=rare ${n}` : "";
        return buildEventRow({
          id: computeIdFloor(begin + n * 1_000),
          type: 2,
          user_id: user,
          username: "u",
          quota: n,
          content,
        });
      });
      await db.write([{ query: db.sql.insertInto("logs").values(rows) }]);
    }
  }, 60_000);
  afterAll(() => storage.close());
  beforeEach(() => {
    reads = 0;
    const { sql, read } = storage.db;
    exported = createLogExports(
      logStore({
        sql,
        read: (query) => {
          reads += 1;
          return read(query);
        },
      }),
    );
  });

  const csvOf = async (filter: LogRowFilter, timeZone?: string) =>
    (await new Response(exported(user, filter, { timeZone })).text()).split("\r\n").slice(1, -1);
  const quotas = (lines: string[]) => lines.map((line) => Number(line.split(",")[5]));

  test("every row is exported once, newest first", async () => {
    const found = quotas(await csvOf(all));
    expect(found).toEqual(Array.from({ length: count }, (_, n) => count - 1 - n));
  });

  test("a rare text is found in rows far apart, and cannot be evaluated as a formula", async () => {
    const lines = await csvOf({ ...all, keyword: "rare" });
    expect(quotas(lines)).toEqual([40_000, 30_000, 20_000, 10_000, 0]);
    expect(lines[0]).toMatch(/,'=rare 40000$/);
  });

  test("times are in the requested time zone", async () => {
    const first = { from: begin, to: begin + 1_000 };
    expect((await csvOf(first))[0]).toMatch(/^2026-11-01 00:00:00,Consume,/);
    expect((await csvOf(first, "Asia/Kathmandu"))[0]).toMatch(/^2026-11-01 05:45:00,/);
  });

  test("rows are read on demand, and reading ends when the client disconnects", async () => {
    const reader = exported(user, all).getReader();
    await reader.read();
    expect(reads).toBe(0);
    await reader.read();
    await reader.read();
    // What tells the times of ids is read before the first batch.
    expect(reads).toBe(1 + 2);
    await reader.cancel();
    expect(reads).toBe(1 + 2);
  });

  test("a user runs one export at a time and the gateway eight; a disconnect frees the slot", async () => {
    const running = [1, 2, 3, 4, 5, 6, 7, 8].map((id) => exported(id, all));
    expect(() => exported(1, all)).toThrow("Another export is still running");
    expect(() => exported(9, all)).toThrow("Another export is still running");
    await running[0]?.cancel();
    for (const stream of [...running.slice(1), exported(9, all)]) await stream.cancel();
    expect(await csvOf({ ...all, from: begin + 44_999_000 })).toHaveLength(1);
    expect(await csvOf({ ...all, from: begin + 44_999_000 })).toHaveLength(1);
  });

  test("an export that fails midway does not look like a complete file", async () => {
    const { sql, read } = storage.db;
    const failing = createLogExports(
      logStore({
        sql,
        read: (query) => {
          reads += 1;
          return reads > 2 ? Promise.reject(new StorageUnavailable("lost")) : read(query);
        },
      }),
    );
    await expect(new Response(failing(user, all)).text()).rejects.toThrow("lost");
    reads = 0;
    await failing(user, all).cancel();
  });

  test("a caller who loses access gets no further batch, and the slot is freed", async () => {
    let checks = 0;
    const checkCaller = async () => {
      checks += 1;
      if (checks > 2) throw new Error("signed out");
    };
    await expect(new Response(exported(user, all, { checkCaller })).text()).rejects.toThrow(
      "signed out",
    );
    expect(reads).toBe(1 + 1);
    await exported(user, all).cancel();
  });

  test("a filter that matches nothing gives only the header", async () => {
    const text = await new Response(exported(user, undefined)).text();
    expect(text.split("\r\n")).toHaveLength(2);
  });
});
