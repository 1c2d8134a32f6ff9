// Budgets of channels: what a call holds on them follows its attempts, and never passes the amount,
// on both databases.
import {
  createTestAccount,
  holdOf,
  settleOf,
  type TestAccount,
  walletOf,
} from "@tollgate/tests/support/money-fixtures.ts";
import { type TestDatabase, testDatabases } from "@tollgate/tests/support/test-databases.ts";
import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createBudgetStore } from "../../accounts/budgets/budget-store.ts";
import type { EnterChannelCommand, HeldBudget } from "../../storage/money-commands.ts";
import { auditBooks } from "../audit/audit.ts";
import { sweep } from "./sweep.ts";

let lastBudget = 0;
const budgetOf = (max: number | null): HeldBudget => {
  lastBudget += 1;
  return { id: lastBudget, start: 1_000, end: 2_000, max, target: null };
};

describe.each(testDatabases)("budgets of channels on $name", ({ name, open }) => {
  let storage: TestDatabase;
  let account: TestAccount;
  beforeAll(async () => {
    storage = await open();
    account = await createTestAccount(storage.db, 1_000_000, [null]);
  });
  afterAll(async () => {
    expect(await auditBooks(storage.db)).toEqual([]);
    await storage.close();
  });

  const [first, second] = [501, 502];
  const hold = async (amount = 100, budgets?: HeldBudget[], leaseUntil = Date.now() + 60_000) => {
    const id = storage.db.mintId();
    expect(await storage.db.money(holdOf(account, id, amount, { budgets, leaseUntil }))).toBe(
      "held",
    );
    return id;
  };
  const enter = (
    id: number,
    channelId: number,
    budgets: HeldBudget[],
    amount: number,
    more: Partial<EnterChannelCommand> = {},
  ) => storage.db.money({ verb: "enter_channel", id, channelId, budgets, amount, ...more });
  const settle = (
    id: number,
    charge: number,
    channel_id: number,
    cost_nanos: number | null = null,
  ) =>
    storage.db.money({
      ...settleOf(account, id, charge, { channel_id, cost_nanos }),
      hasBudgets: true,
    });
  const counters = async (...budgets: HeldBudget[]) => {
    const rows = await createBudgetStore(storage.db).counters(budgets);
    return budgets.map(({ id }) => {
      const { spent = 0, held = 0 } = rows.find(({ budget_id }) => budget_id === id) ?? {};
      return [spent, held];
    });
  };

  test("200 parallel calls on the budget of a channel that covers ten: exactly ten are tried there, the others on the next", {
    tags: ["BU-01"],
  }, async () => {
    const [own, next] = [budgetOf(76), budgetOf(null)];
    const calls = await Promise.all(Array.from({ length: 200 }, () => hold()));
    const tried = await Promise.all(
      calls.map(async (id) => {
        const answer = await enter(id, first, [own], 7);
        if (answer === "held") return { id, channel: first };
        expect(answer).toBe(`budget:${own.id}`);
        expect(await enter(id, second, [next], 7)).toBe("held");
        return { id, channel: second };
      }),
    );
    expect(tried.filter(({ channel }) => channel === first)).toHaveLength(10);
    expect(await counters(own, next)).toEqual([
      [0, 70],
      [0, 0],
    ]);
    await Promise.all(tried.map(({ id, channel }) => settle(id, 6, channel)));
    expect(await counters(own, next)).toEqual([
      [60, 0],
      [190 * 6, 0],
    ]);
    expect(await walletOf(storage.db, account)).toMatchObject({ held: 0 });
  });

  test("the next attempt gives back what the one before held, and a refusal changes nothing", async () => {
    const [one, other] = [budgetOf(50), budgetOf(10)];
    const site = budgetOf(1_000);
    const id = await hold(100, [site]);
    expect(await enter(id, first, [one], 30)).toBe("held");
    expect(await enter(id, second, [other], 11)).toBe(`budget:${other.id}`);
    expect(await counters(site, one, other)).toEqual([
      [0, 100],
      [0, 30],
      [0, 0],
    ]);
    // A repeated command, whose answer was lost with its connection, holds once.
    for (const _ of [1, 2]) expect(await enter(id, second, [other], 10)).toBe("held");
    expect(await counters(site, one, other)).toEqual([
      [0, 100],
      [0, 0],
      [0, 10],
    ]);
    expect(await enter(id, 503, [], 0)).toBe("held");
    expect(await counters(site, one, other)).toEqual([
      [0, 100],
      [0, 0],
      [0, 0],
    ]);
    await settle(id, 40, 503);
    expect(await counters(site, one, other)).toEqual([
      [40, 0],
      [0, 0],
      [0, 0],
    ]);
    expect(await enter(id, first, [one], 1)).toBe("gone");
  });

  test("what the operator pays is counted, rounded up, and without a known price what is charged", async () => {
    const own = budgetOf(100);
    for (const [cost, units] of [
      [null, 9],
      [4_000, 2],
      [4_001, 3],
      [1, 1],
      [0, 0],
    ] as const) {
      const [[before = 0] = []] = await counters(own);
      const id = await hold();
      await enter(id, first, [own], 20);
      await settle(id, 9, first, cost);
      expect(await counters(own)).toEqual([[before + units, 0]]);
    }
  });

  test("a call that is charged for the channel whose answer was lost counts there, not where it was tried again", async () => {
    const [lost, again] = [budgetOf(50), budgetOf(50)];
    const id = await hold();
    await enter(id, first, [lost], 20);
    expect(await enter(id, second, [again], 20, { keeps: first })).toBe("held");
    expect(await counters(lost, again)).toEqual([
      [0, 20],
      [0, 20],
    ]);
    // Tried there once more, it holds there once.
    expect(await enter(id, first, [lost], 25, { keeps: first })).toBe("held");
    expect(await counters(lost, again)).toEqual([
      [0, 25],
      [0, 0],
    ]);
    await enter(id, second, [again], 20, { keeps: first });
    await settle(id, 8, first);
    expect(await counters(lost, again)).toEqual([
      [8, 0],
      [0, 0],
    ]);
  });

  test("a growing answer grows on the budget of its channel too, and is refused with nothing changed where that is full", async () => {
    const [site, own] = [budgetOf(1_000), budgetOf(30)];
    const id = await hold(10, [site]);
    await enter(id, first, [own], 5);
    expect(await storage.db.money({ verb: "top_up_hold", id, amount: 40, onChannel: 20 })).toBe(
      "held",
    );
    expect(await counters(site, own)).toEqual([
      [0, 50],
      [0, 25],
    ]);
    expect(await storage.db.money({ verb: "top_up_hold", id, amount: 4, onChannel: 6 })).toBe(
      `budget:${own.id}`,
    );
    expect(await walletOf(storage.db, account)).toMatchObject({ held: 50 });
    await settle(id, 45, first, 50_000);
    expect(await counters(site, own)).toEqual([
      [45, 0],
      [25, 0],
    ]);
  });

  test("after the process has died, the sweeper gives back what its calls held on channels", async () => {
    const own = budgetOf(30);
    const id = await hold(100, undefined, 1_000);
    await enter(id, first, [own], 30);
    expect(await enter(await hold(), first, [own], 1)).toBe(`budget:${own.id}`);
    await sweep(storage.db, { now: 2_000, isLive: () => false, startedAtId: 0 });
    expect(await counters(own)).toEqual([[0, 0]]);
    expect(await enter(await hold(), first, [own], 30)).toBe("held");
  });

  test("in any order of commands the counters are what plain arithmetic says", async () => {
    const units = fc.integer({ min: 0, max: 40 });
    const step = fc.record({
      verb: fc.constantFrom("hold", "enter", "enter", "enter", "top_up", "settle", "release"),
      channel: fc.nat({ max: 2 }),
      keeps: fc.option(fc.nat({ max: 2 })),
      slot: fc.nat({ max: 9 }),
      units,
      cost: fc.option(fc.nat({ max: 90_000 })),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
        // The last channel has two, of which one refuses nothing.
        const own = [[budgetOf(60)], [], [budgetOf(90), budgetOf(null)]];
        const all = own.flat();
        const model = new Map(all.map(({ id }) => [id, { spent: 0, held: 0 }]));
        const calls: { id: number; at: { channel: number; units: number }[] }[] = [];
        const addHeld = (
          { channel, units: given }: { channel: number; units: number },
          sign: 1 | -1,
        ) => {
          for (const { id, max } of own[channel] ?? []) {
            const counter = model.get(id);
            if (counter && max !== null) counter.held += sign * given;
          }
        };
        for (const { verb, channel, keeps, slot, units: given, cost } of steps) {
          const call = calls[slot % Math.max(1, calls.length)];
          if (verb === "hold") calls.push({ id: await hold(given), at: [] });
          else if (call && verb === "enter") {
            const left = call.at.filter((one) => one.channel !== keeps || one.channel === channel);
            for (const one of left) addHeld(one, -1);
            const isCovered = (own[channel] ?? []).every(({ id, max }) => {
              const { spent, held } = model.get(id) ?? { spent: 0, held: 0 };
              return max === null || spent + held + given <= max;
            });
            const answer = await enter(call.id, channel + 1, own[channel] ?? [], given, {
              keeps: keeps === null ? undefined : keeps + 1,
            });
            expect(answer === "held").toBe(isCovered);
            if (isCovered) {
              const entered = { channel, units: given };
              call.at = [...call.at.filter((one) => !left.includes(one)), entered];
              addHeld(entered, 1);
            } else for (const one of left) addHeld(one, 1);
          } else if (call && verb === "top_up") {
            const isCovered = call.at.every(({ channel: at }) =>
              (own[at] ?? []).every(({ id, max }) => {
                const { spent, held } = model.get(id) ?? { spent: 0, held: 0 };
                return max === null || spent + held + given <= max;
              }),
            );
            const answer = await storage.db.money({
              verb: "top_up_hold",
              id: call.id,
              amount: 1,
              onChannel: given,
            });
            expect(answer === "held").toBe(isCovered);
            if (!isCovered) continue;
            for (const one of call.at) {
              one.units += given;
              addHeld({ channel: one.channel, units: given }, 1);
            }
          } else if (call) {
            calls.splice(calls.indexOf(call), 1);
            for (const one of call.at) addHeld(one, -1);
            if (verb === "release") await storage.db.money({ verb: "release", id: call.id });
            else {
              await settle(call.id, given, channel + 1, cost);
              if (call.at.some((one) => one.channel === channel))
                for (const { id } of own[channel] ?? []) {
                  const counter = model.get(id);
                  if (counter) counter.spent += cost === null ? given : Math.ceil(cost / 2_000);
                }
            }
          }
          expect(await counters(...all)).toEqual(
            all.map(({ id }) => Object.values(model.get(id) ?? {})),
          );
        }
        for (const { id } of calls) await storage.db.money({ verb: "release", id });
      }),
      { numRuns: name === "sqlite" ? 40 : 15 },
    );
  }, 60_000);
});
