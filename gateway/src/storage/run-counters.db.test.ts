// What the calls of an agent's run add up to, and what its budget lets them hold, on both
// databases.
import { createTestAccount, holdOf, settleOf } from "@tollgate/tests/support/money-fixtures.ts";
import { type TestDatabase, testDatabases } from "@tollgate/tests/support/test-databases.ts";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { auditBooks } from "../money/audit/audit.ts";
import type { HeldBudget } from "./money-commands.ts";

/** PostgreSQL adds up each second. */
const foldedWithin = { timeout: 15_000 };

describe.each(testDatabases)("runs of agents on $name", ({ open }) => {
  let storage: TestDatabase;
  beforeAll(async () => {
    storage = await open();
  });
  afterAll(() => storage.close());

  const budgetOf = (id: number, part: string, max: number): HeldBudget => ({
    ...{ id, start: 1_000, end: null, max, target: null, part },
  });

  test("a run is the sum of its calls, by model and by tool", async () => {
    const { db } = storage;
    const account = await createTestAccount(db, 10_000, [null]);
    const used = {
      prompt_tokens: 10,
      cached_prompt_tokens: 4,
      cache_write_5m_tokens: 2,
      completion_tokens: 3,
    };
    const rows = [
      {
        ...used,
        model_name: "a",
        elapsed_ms: 50,
        ttft_ms: 20,
        run_facts: '{"agent":"Codex","tools":{"shell":[2,1]}}',
      },
      {
        ...used,
        model_name: "b",
        elapsed_ms: 30,
        outcome: "failed",
        run_facts: '{"agent":"Codex"}',
      },
      {
        ...used,
        model_name: "a",
        elapsed_ms: 40,
        ttft_ms: 10,
        retries: 2,
        run_facts: '{"tools":{"shell":[1,0],"read":[1,0]}}',
      },
    ];
    for (const [index, row] of rows.entries()) {
      const id = db.mintId();
      await db.money(holdOf(account, id, 100));
      await db.money(settleOf(account, id, 10 * (index + 1), { run: "run-a", ...row }));
    }
    const of = <Row>(query: ReturnType<typeof sql<Row>>) =>
      db.read<Row>({ compile: () => query.compile(db.sql) });
    await vi.waitFor(async () => {
      expect(
        await of(sql`select agent, user_id, calls, failures, retries, quota, prompt_tokens, cached_prompt_tokens,
          cache_write_tokens, completion_tokens, waiting_ms, elapsed_ms, stopped_at from runs where run = 'run-a'`),
      ).toEqual([
        {
          ...{
            agent: "Codex",
            user_id: account.userId,
            calls: 3,
            failures: 1,
            retries: 1,
            quota: 60,
            prompt_tokens: 30,
          },
          ...{
            cached_prompt_tokens: 12,
            cache_write_tokens: 6,
            completion_tokens: 9,
            waiting_ms: 60,
            elapsed_ms: 120,
          },
          stopped_at: null,
        },
      ]);
    }, foldedWithin);
    expect(
      await of(
        sql`select kind, name, calls, failures, quota from run_parts where run = 'run-a' order by kind, name`,
      ),
    ).toEqual([
      { kind: "model", name: "a", calls: 2, failures: 0, quota: 40 },
      { kind: "model", name: "b", calls: 1, failures: 1, quota: 20 },
      { kind: "tool", name: "read", calls: 1, failures: 0, quota: 0 },
      { kind: "tool", name: "shell", calls: 3, failures: 1, quota: 0 },
    ]);
  });

  test("each run has the whole budget, and parallel calls of one run never pass it", async () => {
    const { db } = storage;
    const account = await createTestAccount(db, 1_000_000, [null]);
    const callsOf = async (part: string) => {
      const ids = Array.from({ length: 40 }, () => db.mintId());
      const results = await Promise.all(
        ids.map((id) =>
          db.money(holdOf(account, id, 100, { least: 100, budgets: [budgetOf(7, part, 1_000)] })),
        ),
      );
      const held = ids.filter((_, index) => results[index] === "held");
      expect(new Set(results)).toEqual(new Set(["held", "budget:7"]));
      await Promise.all(
        held.map((id) => db.money({ ...settleOf(account, id, 100), hasBudgets: true })),
      );
      return held.length;
    };
    expect(await Promise.all([callsOf("run-1"), callsOf("run-2")])).toEqual([10, 10]);
    const late = holdOf(account, db.mintId(), 1, { budgets: [budgetOf(7, "run-1", 1_000)] });
    expect(await db.money(late)).toBe("budget:7");
    expect(await auditBooks(db)).toEqual([]);
  });

  test("a call without a limit gets a quarter of what its run has left, and at least what it begins with", async () => {
    const { db } = storage;
    const account = await createTestAccount(db, 1_000_000, [null]);
    const hold = (least: number) =>
      db.money(
        holdOf(account, db.mintId(), 5_000, { least, budgets: [budgetOf(8, "run-1", 1_000)] }),
      );
    expect([
      await hold(10),
      await hold(10),
      await hold(200),
      await hold(400),
      await hold(10),
    ]).toEqual([250, 187, 200, "budget:8", 90]);
  });
});
