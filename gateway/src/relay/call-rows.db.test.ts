// Rows without a hold in the roll-ups: their calls count, their time does not.
import {
  createTestAccount,
  foldRollups,
  logRow,
  type TestAccount,
} from "@tollgate/tests/support/money-fixtures.ts";
import { type TestDatabase, testDatabases } from "@tollgate/tests/support/test-databases.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { auditBooks } from "../money/audit/audit.ts";
import { StaleWrite } from "../storage/database.ts";
import { latencyColumns, rollupTables } from "../storage/rollups.ts";
import type { LogRow } from "../storage/tables/call-tables.ts";
import { createCallRows } from "./call-rows.ts";

describe.each(testDatabases)("rows of free creations on $name", ({ open }) => {
  let storage: TestDatabase;
  let account: TestAccount;
  beforeAll(async () => {
    storage = await open();
    account = await createTestAccount(storage.db, 1_000_000, [null]);
  });
  afterAll(() => storage.close());

  const createRow = (changes: Partial<LogRow>): LogRow =>
    logRow(account, storage.db.mintId(), {
      ...{ model_name: "file", quota: 0, prompt_tokens: 0, completion_tokens: 0 },
      ...{ cached_prompt_tokens: 0, ttft_ms: 0, elapsed_ms: 30_000 },
      ...changes,
    });
  const readSums = async (table: string, where = "1 = 1") => {
    await foldRollups(storage.db);
    const { db } = storage;
    const text = `select sum(requests) as requests, sum(failures) as failures from ${table} where ${where}`;
    const [row] = await db.read<{ requests: number; failures: number }>({
      compile: () => ({ ...db.sql.selectFrom("logs").select("id").compile(), sql: text }),
    });
    return [Number(row?.requests), Number(row?.failures)];
  };

  test("join every roll-up once, and no sum of times", async () => {
    const { db } = storage;
    const rows = createCallRows(db);
    const good = createRow({ tags: '{"counted":{"team":"search"}}', team_id: 9 });
    await db.write(rows.writesFor(good, "{}"));
    await db.write(rows.writesFor(createRow({ outcome: "failed" }), "{}"));
    await foldRollups(db);
    for (const { table } of rollupTables)
      expect([table, await readSums(table)]).toEqual([table, [2, 1]]);
    expect(await readSums("rollup_day_team", "team_id = 9")).toEqual([1, 0]);
    expect(await readSums("rollup_day_tag", "tag_value = 'search'")).toEqual([1, 0]);
    const [model] = await db.read(db.sql.selectFrom("rollup_hour_model").selectAll());
    expect(model?.elapsed_ms).toBe(0);
    for (const column of latencyColumns) expect(model?.[column]).toBe(0);
    expect(await auditBooks(db)).toEqual([]);
  });

  test("count nothing where their batch is refused", async () => {
    const { db } = storage;
    const before = await readSums("rollup_day_model");
    const missing = db.sql.updateTable("users").set({ status: 1 }).where("id", "=", -1);
    const writes = createCallRows(db).writesFor(createRow({}), "{}");
    await expect(db.write([...writes, { query: missing, rows: 1 }])).rejects.toThrow(StaleWrite);
    expect(await readSums("rollup_day_model")).toEqual(before);
  });
});
