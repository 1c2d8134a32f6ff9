// Grants for a window inside the guard of the hold: what is spent and held never passes the amount
// with what was granted, and nothing is refused that fits, on both databases.
import { createTestAccount, holdOf, settleOf } from "@tollgate/tests/support/money-fixtures.ts";
import { type TestDatabase, testDatabases } from "@tollgate/tests/support/test-databases.ts";
import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findWindow } from "../../money/holds/budget-windows.ts";
import { tryWrite } from "../../storage/database.ts";
import type { HeldBudget } from "../../storage/money-commands.ts";
import { readUuid7 } from "../../storage/time-ids.ts";
import { buildBudget } from "./budget-rules.ts";
import { type BudgetRow, createBudgetStore } from "./budget-store.ts";
import { planGrant } from "./grant-budget.ts";

const began = Date.UTC(2026, 10, 1);
const day = 86_400_000;

describe.each(testDatabases)("grants for a window on $name", ({ name, open }) => {
  let storage: TestDatabase;
  let account: Awaited<ReturnType<typeof createTestAccount>>;
  beforeAll(async () => {
    storage = await open();
    account = await createTestAccount(storage.db, 1_000_000_000, [null]);
  });
  afterAll(() => storage.close());

  const make = async (
    amount: number,
    more: { window?: "day"; subject?: "run" } = {},
  ): Promise<BudgetRow> => {
    const store = createBudgetStore(storage.db);
    const uuid = readUuid7(Date.now());
    const { window = "lifetime", subject = "site" } = more;
    const columns = buildBudget(
      {
        ...{ subject, window, amount, name: "granted", note: "", models: [], external_id: "" },
        ...{ first_day: 1, zone: "UTC", hard: true, enabled: true, on_reached: "refuse" },
        ...{ thresholds: [], measure: "quota", counts_team_keys: false },
      },
      uuid,
      began,
    );
    await storage.db.write([store.insert({ ...columns, tag: uuid })]);
    const made = await store.find({ uuid });
    if (!made) throw new Error("the budget is not there");
    return made;
  };
  const heldOn = (row: BudgetRow, at = began, part?: string): HeldBudget => ({
    ...findWindow(row, at),
    ...{ id: row.id, max: row.amount, target: null },
    ...(part !== undefined && { part }),
  });
  const hold = async (budget: HeldBudget, units: number, least = units) => {
    const id = storage.db.mintId();
    const answer = await storage.db.money(
      holdOf(account, id, units, { least, budgets: [budget], tokenIsUnlimited: true }),
    );
    return { id, answer };
  };
  const grant = async (
    row: BudgetRow,
    amount: number,
    { at = began, ...more }: { at?: number; run?: string; window_start?: number } = {},
  ) =>
    (
      await tryWrite(storage.db, planGrant(storage.db, row, { amount, ...more }, at).writes, {
        changes: ["budgets"],
      })
    )?.code;

  test("300 parallel holds while 20 grants come in: in the end exactly what fits is held", async () => {
    const row = await make(70);
    const budget = heldOn(row);
    const [answers, refused] = await Promise.all([
      Promise.all(Array.from({ length: 300 }, () => hold(budget, 7))),
      Promise.all(Array.from({ length: 20 }, () => grant(row, 7))),
    ]);
    expect(refused.filter((code) => code !== undefined)).toEqual([]);
    let winners = answers.filter(({ answer }) => answer === "held").length;
    expect(winners).toBeGreaterThanOrEqual(10);
    while ((await hold(budget, 7)).answer === "held") winners += 1;
    expect(winners).toBe(30);
  });

  test("a grant is of its window, and of its run, alone", async () => {
    const daily = await make(10, { window: "day" });
    expect(await grant(daily, 5)).toBeUndefined();
    expect((await hold(heldOn(daily), 15)).answer).toBe("held");
    expect((await hold(heldOn(daily, began + day), 11)).answer).toBe(`budget:${daily.id}`);
    expect((await hold(heldOn(daily, began + day), 10)).answer).toBe("held");
    expect(() =>
      planGrant(storage.db, daily, { amount: 1, window_start: began }, began + day),
    ).toThrow(expect.objectContaining({ code: "changed_meanwhile" }));

    const byRun = await make(10, { subject: "run" });
    expect(() => planGrant(storage.db, byRun, { amount: 1 }, began)).toThrow(
      expect.objectContaining({ code: "invalid_request" }),
    );
    expect(await grant(byRun, 5, { run: "one" })).toBeUndefined();
    expect((await hold(heldOn(byRun, began, "one"), 15)).answer).toBe("held");
    expect((await hold(heldOn(byRun, began, "two"), 11)).answer).toBe(`budget:${byRun.id}`);
  });

  test("a grant misses a budget that was changed since it was read", async () => {
    const row = await make(10);
    await storage.db.write([createBudgetStore(storage.db).update(row, { updated_at: began + 1 })]);
    expect(await grant(row, 5)).toBe("changed_meanwhile");
  });

  test("any order of holds, charges, grants and takings-back obeys the amount with what is granted", async () => {
    const steps = fc.array(
      fc.record({
        verb: fc.constantFrom("hold", "part", "grant", "take", "settle", "top_up", "release"),
        units: fc.integer({ min: 1, max: 40 }),
        at: fc.nat(),
      }),
      { maxLength: 40 },
    );
    await fc.assert(
      fc.asyncProperty(steps, async (story) => {
        const row = await make(50);
        const budget = heldOn(row);
        const model = { spent: 0, held: 0, granted: 0 };
        const room = () => row.amount + model.granted - model.spent - model.held;
        const calls: { id: number; amount: number }[] = [];
        for (const { verb, units, at } of story) {
          const call = calls[at % Math.max(1, calls.length)];
          if (verb === "grant" || verb === "take") {
            const amount = verb === "grant" ? units : -units;
            const code = await grant(row, amount);
            const fits = model.granted + amount >= 0;
            expect(code).toBe(fits ? undefined : "budget_grant_out_of_range");
            if (fits) model.granted += amount;
          } else if (verb === "hold" || verb === "part") {
            const least = verb === "part" ? 1 : units;
            const { id, answer } = await hold(budget, units, least);
            const fitting = Math.min(units, room());
            if (fitting < least) expect(answer).toBe(`budget:${row.id}`);
            else {
              expect(answer).toBe(fitting === units ? "held" : fitting);
              calls.push({ id, amount: fitting });
              model.held += fitting;
            }
          } else if (call && verb === "top_up") {
            const fits = units <= room();
            const top = { verb: "top_up_hold", id: call.id, amount: units } as const;
            expect(await storage.db.money(top)).toBe(fits ? "held" : `budget:${row.id}`);
            if (fits) [call.amount, model.held] = [call.amount + units, model.held + units];
          } else if (call) {
            calls.splice(calls.indexOf(call), 1);
            model.held -= call.amount;
            if (verb === "release") await storage.db.money({ verb: "release", id: call.id });
            else {
              model.spent += units;
              await storage.db.money({ ...settleOf(account, call.id, units), hasBudgets: true });
            }
          }
          const [stored] = await createBudgetStore(storage.db).counters([budget]);
          const { spent = 0, held = 0, granted = 0 } = stored ?? {};
          expect({ spent, held, granted }).toEqual(model);
        }
        for (const { id } of calls) await storage.db.money({ verb: "release", id });
      }),
      { numRuns: name === "sqlite" ? 30 : 15 },
    );
  }, 60_000);
});
