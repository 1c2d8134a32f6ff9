// Budgets inside the guard of the hold: what is spent and held never passes the amount, on both
// databases.
import {
  createTestAccount,
  holdOf,
  settleOf,
  type TestAccount,
  tokensOf,
  walletOf,
} from "@tollgate/tests/support/money-fixtures.ts";
import { type TestDatabase, testDatabases } from "@tollgate/tests/support/test-databases.ts";
import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createBudgetStore } from "../../accounts/budgets/budget-store.ts";
import type { HeldBudget } from "../../storage/money-commands.ts";
import { auditBooks } from "../audit/audit.ts";
import { holdForecast, readUnspent } from "./hold-forecast.ts";

const start = 1_000;
let lastBudget = 0;
const hard = (max: number | null, changes: Partial<HeldBudget> = {}): HeldBudget => {
  lastBudget += 1;
  return { id: lastBudget, start, end: 2_000, max, target: null, ...changes };
};

describe.each(testDatabases)("budgets in the hold on $name", ({ name, open }) => {
  let storage: TestDatabase;
  let account: TestAccount;
  beforeAll(async () => {
    storage = await open();
    account = await createTestAccount(storage.db, 1_000_000, [500_000, null]);
  });
  afterAll(async () => {
    expect(await auditBooks(storage.db)).toEqual([]);
    await storage.close();
  });

  const hold = async (budgets: HeldBudget[], amount: number, least = amount) => {
    const id = storage.db.mintId();
    const changes = { least, budgets, tokenIsUnlimited: false };
    return { id, answer: await storage.db.money(holdOf(account, id, amount, changes)) };
  };
  const settle = (id: number, charge: number, target?: string) =>
    storage.db.money({
      ...settleOf(account, id, charge),
      ...(target && { target }),
      hasBudgets: true,
    });
  const counters = countersOf(() => storage);

  test("500 parallel holds on a budget for ten calls: exactly ten are held, and their charges are its spending", {
    tags: ["BU-01"],
  }, async () => {
    const budget = hard(76);
    const soft = hard(null);
    const accounts = await Promise.all(
      Array.from({ length: 5 }, () => createTestAccount(storage.db, 1_000, [null])),
    );
    const held = await Promise.all(
      Array.from({ length: 500 }, async (_, n) => {
        const caller = accounts[n % accounts.length] ?? account;
        const id = storage.db.mintId();
        const answer = await storage.db.money(holdOf(caller, id, 7, { budgets: [budget, soft] }));
        return { id, caller, answer };
      }),
    );
    const winners = held.filter(({ answer }) => answer === "held");
    expect(winners).toHaveLength(10);
    expect(new Set(held.map(({ answer }) => answer))).toEqual(
      new Set(["held", `budget:${budget.id}`]),
    );
    expect(await counters([budget, soft])).toEqual([
      { spent: 0, held: 70 },
      { spent: 0, held: 0 },
    ]);
    await Promise.all(
      winners.map(({ id, caller }) =>
        storage.db.money({ ...settleOf(caller, id, 6), hasBudgets: true }),
      ),
    );
    expect(await counters([budget, soft])).toEqual([
      { spent: 60, held: 0 },
      { spent: 60, held: 0 },
    ]);
    for (const caller of accounts)
      expect(await walletOf(storage.db, caller)).toMatchObject({ held: 0 });
  });

  test("a hold that a budget refuses sets nothing aside on wallet, key and the other budgets", async () => {
    const [wide, narrow] = [hard(100), hard(10)];
    expect((await hold([wide, narrow], 11)).answer).toBe(`budget:${narrow.id}`);
    expect(await counters([wide, narrow])).toEqual([
      { spent: 0, held: 0 },
      { spent: 0, held: 0 },
    ]);
    expect(await walletOf(storage.db, account)).toMatchObject({ held: 0 });
    expect((await tokensOf(storage.db, account))[0]).toMatchObject({ held_quota: 0 });
    const { id, answer } = await hold([wide, narrow], 50, 4);
    expect(answer).toBe(10);
    expect(await storage.db.money({ verb: "top_up_hold", id, amount: 1 })).toBe(
      `budget:${narrow.id}`,
    );
    expect(await walletOf(storage.db, account)).toMatchObject({ held: 10 });
    expect((await tokensOf(storage.db, account))[0]).toMatchObject({ held_quota: 10 });
    expect(await storage.db.money({ verb: "release", id })).toBe("released");
    expect(await counters([wide, narrow])).toEqual([
      { spent: 0, held: 0 },
      { spent: 0, held: 0 },
    ]);
  });

  test("a top-up that a budget refuses releases nothing of a key without a limit", async () => {
    const narrow = hard(10);
    const id = storage.db.mintId();
    const [, tokenId = 0] = account.tokenIds;
    expect(await storage.db.money(holdOf(account, id, 5, { budgets: [narrow], tokenId }))).toBe(
      "held",
    );
    expect(await storage.db.money({ verb: "top_up_hold", id, amount: 6 })).toBe(
      `budget:${narrow.id}`,
    );
    expect((await tokensOf(storage.db, account))[1]).toMatchObject({ held_quota: 0 });
    expect(await walletOf(storage.db, account)).toMatchObject({ held: 5 });
    expect(await storage.db.money({ verb: "release", id })).toBe("released");
  });

  test("what a charge exceeds its hold by is spent too, and the next call is refused", async () => {
    const budget = hard(10);
    const { id } = await hold([budget], 10);
    await settle(id, 25);
    expect(await counters([budget])).toEqual([{ spent: 25, held: 0 }]);
    expect((await hold([budget], 1, 0)).answer).toBe(`budget:${budget.id}`);
    // What costs nothing needs nothing of a budget.
    const free = await hold([budget], 0);
    expect(free.answer).toBe("held");
    await settle(free.id, 0);
  });

  test("a budget of calls or minutes sets one aside for each call, counts what it was, and grows with no answer", async () => {
    const run = { part: "run" };
    const calls = hard(3, { ...run, measure: "calls", amount: 1 });
    const minutes = hard(200_000, { ...run, measure: "minutes", amount: 60_000 });
    const units = hard(100, run);
    const all = [calls, minutes, units];
    const [first, free] = [await hold(all, 10), await hold(all, 0)];
    expect([first.answer, free.answer]).toEqual(["held", "held"]);
    expect(await counters(all)).toEqual([
      { spent: 0, held: 2 },
      { spent: 0, held: 120_000 },
      { spent: 0, held: 10 },
    ]);
    expect(await storage.db.money({ verb: "top_up_hold", id: first.id, amount: 5 })).toBe("held");
    const third = await hold(all, 40, 4);
    // A quarter of what the run has left, and no part of a call.
    expect(third.answer).toBe(21);
    expect((await hold(all, 1)).answer).toBe(`budget:${calls.id}`);
    expect((await hold(all, 0)).answer).toBe(`budget:${calls.id}`);
    expect(await counters(all)).toEqual([
      { spent: 0, held: 3 },
      { spent: 0, held: 180_000 },
      { spent: 0, held: 36 },
    ]);
    const settled = settleOf(account, first.id, 12, { elapsed_ms: 90_000 });
    await storage.db.money({ ...settled, hasBudgets: true });
    // It cost nothing, and was a call all the same.
    await storage.db.money({
      ...settleOf(account, free.id, 0, { elapsed_ms: 1_000 }),
      hasBudgets: true,
    });
    expect(await storage.db.money({ verb: "release", id: third.id })).toBe("released");
    expect(await counters(all)).toEqual([
      { spent: 2, held: 0 },
      { spent: 91_000, held: 0 },
      { spent: 12, held: 0 },
    ]);
  });

  test("of a virtual model the budget of the target that served is charged, and the others are released", async () => {
    const [asked, served, other] = [
      hard(100),
      hard(100, { target: "served" }),
      hard(100, { target: "other" }),
    ];
    const { id } = await hold([asked, served, other], 30);
    await settle(id, 20, "served");
    expect(await counters([asked, served, other])).toEqual([
      { spent: 20, held: 0 },
      { spent: 20, held: 0 },
      { spent: 0, held: 0 },
    ]);
  });

  test("of several targets the budget is charged once, when any of them served, and counts the calls that cost something", async () => {
    const [any, others] = [
      hard(100, { target: "large,served" }),
      hard(100, { target: "large,serve,server" }),
    ];
    for (const charge of [20, 0, 5])
      await settle((await hold([any, others], 30)).id, charge, "served");
    await settle((await hold([any, others], 30)).id, 7, "other");
    const rows = await createBudgetStore(storage.db).counters([any, others]);
    const countedOf = ({ id }: HeldBudget) => {
      const { spent, held, calls } = rows.find((row) => row.budget_id === id) ?? {
        spent: 0,
        held: 0,
        calls: 0,
      };
      return { spent, held, calls };
    };
    expect(countedOf(any)).toEqual({ spent: 25, held: 0, calls: 2 });
    expect(countedOf(others)).toEqual({ spent: 0, held: 0, calls: 0 });
  });

  test("a call settles in the window in which it began, and another window has a counter of its own", {
    tags: ["BU-03"],
  }, async () => {
    const budget = hard(10);
    const next = { ...budget, start: 2_000, end: 3_000 };
    const first = await hold([budget], 10);
    const second = await hold([next], 10);
    expect(second.answer).toBe("held");
    await settle(first.id, 9);
    await settle(second.id, 8);
    expect(await counters([budget, next])).toEqual([
      { spent: 9, held: 0 },
      { spent: 8, held: 0 },
    ]);
  });

  test("in any order of commands its counters are what plain arithmetic says, and the forecast is the answer", async () => {
    const amount = fc.integer({ min: 0, max: 40 });
    const step = fc.record({
      verb: fc.constantFrom("hold", "hold", "top_up", "settle", "release"),
      names: fc.subarray([0, 1, 2]),
      slot: fc.nat({ max: 9 }),
      amount,
      least: amount,
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
        const budgets = [hard(60), hard(90), hard(null)];
        const model = budgets.map(() => ({ spent: 0, held: 0 }));
        const calls: { id: number; names: number[]; amount: number }[] = [];
        const isHard = (index: number) => budgets[index]?.max !== null;
        const add = (names: number[], part: "spent" | "held", units: number) => {
          for (const index of names) {
            const counter = model[index];
            if (counter && (part === "spent" || isHard(index))) counter[part] += units;
          }
        };
        for (const { verb, names, slot, amount: units, least: wish } of steps) {
          const at = slot % Math.max(1, calls.length);
          const call = calls[at];
          if (verb === "hold") {
            const named = names.flatMap((index) => budgets[index] ?? []);
            const least = Math.min(wish, units);
            const funds = { available: 1_000_000, debt: 0, tokenAvailable: null };
            const unspent = await readUnspent(named, createBudgetStore(storage.db).counters);
            const forecast = holdForecast(funds, { amount: units, least }, unspent);
            const { id, answer } = await hold(named, units, least);
            expect(answer).toBe(forecast);
            if (typeof answer === "string" && answer !== "held") continue;
            const held = answer === "held" ? units : answer;
            calls.push({ id, names, amount: held });
            add(names, "held", held);
          } else if (call && verb === "top_up") {
            const { id } = call;
            const isCovered = call.names.every((index) => {
              const { spent, held } = model[index] ?? { spent: 0, held: 0 };
              return !isHard(index) || spent + held + units <= (budgets[index]?.max ?? 0);
            });
            const answer = await storage.db.money({ verb: "top_up_hold", id, amount: units });
            expect(answer === "held").toBe(isCovered);
            if (!isCovered) continue;
            call.amount += units;
            add(call.names, "held", units);
          } else if (call) {
            calls.splice(at, 1);
            add(call.names, "held", -call.amount);
            if (verb === "release") await storage.db.money({ verb: "release", id: call.id });
            else {
              await settle(call.id, units);
              add(call.names, "spent", units);
            }
          }
          const stored = await counters(budgets);
          expect(stored).toEqual(model);
        }
        for (const { id } of calls) await storage.db.money({ verb: "release", id });
      }),
      { numRuns: name === "sqlite" ? 30 : 15 },
    );
  }, 60_000);
});

/** `countersOf` is about each budget in its own window; zeros where there is no row. */
function countersOf(storage: () => TestDatabase) {
  return async (budgets: readonly HeldBudget[]) => {
    const rows = await createBudgetStore(storage().db).counters(budgets);
    return budgets.map(({ id, start: begins }) => {
      const row = rows.find(
        ({ budget_id, window_start }) => budget_id === id && window_start === begins,
      );
      return { spent: row?.spent ?? 0, held: row?.held ?? 0 };
    });
  };
}
