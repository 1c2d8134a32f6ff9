// Racers of a team: calls of many members at once on one wallet, on the cap of one member and on
// one key, on both databases.

import { testLarge } from "@tollgate/tests/support/large-tests.ts";
import {
  createTestAccount,
  holdOf,
  settleOf,
  type TestAccount,
} from "@tollgate/tests/support/money-fixtures.ts";
import { type TestDatabase, testDatabases } from "@tollgate/tests/support/test-databases.ts";
import { afterAll, beforeAll, describe, expect } from "vitest";
import { createBudgetStore } from "../../accounts/budgets/budget-store.ts";
import type { HeldBudget } from "../../storage/money-commands.ts";
import { auditBooks } from "../audit/audit.ts";

/** What each racer holds, and how many holds the tightest member and the tightest key cover. */
const unit = 7;
const fewHolds = 5;
const memberCount = 20;
const wide = 1_000_000;

/** `binding` is what all of them share and what refuses most of them. */
const races = [
  { racers: 500, binding: "wallet", seed: 1 },
  { racers: 500, binding: "team", seed: 2 },
  ...Array.from({ length: 18 }, (_, round) => ({
    ...{ racers: 500, binding: round % 2 === 0 ? "wallet" : "team", seed: 3 + round },
  })),
] as const;

/** `drawCharge` gives whole units up to the hold, alike for a seed. */
function drawCharge(seed: number) {
  let state = seed;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state % (unit + 1);
  };
}

describe.each(testDatabases)("racers of a team on $name", ({ open }) => {
  let storage: TestDatabase;
  let budgetsMade = 0;
  beforeAll(async () => {
    storage = await open();
  });
  afterAll(async () => {
    expect(await auditBooks(storage.db)).toEqual([]);
    await storage.close();
  });

  const cap = (max: number): HeldBudget => {
    budgetsMade += 1;
    return { id: budgetsMade, start: 1_000, end: null, max, target: null };
  };

  /**
   * A team whose wallet or budget covers half of the racers; member 0 has a tight cap, and the key
   * of member 1 a tight limit.
   */
  async function startRace({ racers, binding }: (typeof races)[number]) {
    const { db } = storage;
    const shared = Math.floor(racers / 2) * unit + (unit - 1);
    const team = await createTestAccount(db, binding === "wallet" ? shared : wide, [null]);
    const teamCap = cap(binding === "team" ? shared : wide);
    const members: { account: TestAccount; cap: HeldBudget; isLimited: boolean }[] = [];
    for (let place = 0; place < memberCount; place += 1) {
      const limit = place === 1 ? fewHolds * unit + 3 : null;
      const account = await createTestAccount(db, 0, [limit]);
      // Their own wallet is empty: the team pays.
      const paying: TestAccount = { ...account, walletId: team.walletId };
      members.push({
        account: paying,
        cap: cap(place === 0 ? fewHolds * unit + 2 : wide),
        isLimited: limit !== null,
      });
    }
    const hold = async (place: number) => {
      const member = members[place % memberCount];
      if (!member) throw new Error("the members are made before");
      const id = db.mintId();
      const budgets = [teamCap, member.cap];
      const command = holdOf(member.account, id, unit, {
        budgets,
        tokenIsUnlimited: !member.isLimited,
      });
      return {
        id,
        place: place % memberCount,
        account: member.account,
        answer: await db.money(command),
      };
    };
    const counters = async (budget: HeldBudget) => {
      const [row] = await createBudgetStore(db).counters([budget]);
      return { spent: row?.spent ?? 0, held: row?.held ?? 0 };
    };
    /** What is left of each thing that binds a member. */
    const rests = async (place: number) => {
      const member = members[place];
      if (!member) throw new Error("the members are made before");
      const [wallet] = await db.read(
        db.sql.selectFrom("wallets").selectAll().where("id", "=", team.walletId),
      );
      const [tokenId = 0] = member.account.tokenIds;
      const [token] = await db.read(
        db.sql.selectFrom("tokens").selectAll().where("id", "=", tokenId),
      );
      const budgetRest = async (budget: HeldBudget) => {
        const { spent, held } = await counters(budget);
        return (budget.max ?? 0) - spent - held;
      };
      return {
        wallet: (wallet?.balance ?? 0) - (wallet?.held ?? 0),
        key: member.isLimited ? (token?.remain_quota ?? 0) - (token?.held_quota ?? 0) : wide,
        member: await budgetRest(member.cap),
        team: await budgetRest(teamCap),
      };
    };
    return { db, team, teamCap, members, hold, counters, rests };
  }

  testLarge(races, { timeout: 120_000 })(
    "$racers of 20 members at once pass neither the $binding nor a member's cap nor a key by a unit, and none is refused falsely ($seed)",
    async (race) => {
      const { db, teamCap, members, hold, counters, rests } = await startRace(race);
      const draw = drawCharge(race.seed);
      const first = await Promise.all(
        Array.from({ length: race.racers }, (_, place) => hold(place)),
      );
      const winners = first.filter(({ answer }) => answer === "held");
      const each = race.racers / memberCount;
      const wanted = (memberCount - 2) * each + 2 * fewHolds;
      // Nothing was given back: as many hold as fit, and not one fewer.
      expect(winners).toHaveLength(Math.min(Math.floor(race.racers / 2), wanted));
      for (const place of [0, 1])
        expect(winners.filter((winner) => winner.place === place).length).toBeLessThanOrEqual(
          fewHolds,
        );
      expect(await counters(teamCap)).toEqual({ spent: 0, held: winners.length * unit });

      // They settle while the same number races for what that gives back.
      const charges = winners.map(() => draw());
      const second = await Promise.all([
        ...winners.map(async ({ id, account }, index) => {
          const settle = {
            ...settleOf(account, id, charges[index] ?? 0, { team_id: 1 }),
            hasBudgets: true,
          };
          await db.money(settle);
          return undefined;
        }),
        ...Array.from({ length: race.racers }, (_, place) => hold(place)),
      ]);
      const late = second.filter((one) => one !== undefined && one.answer === "held");
      const spent = charges.reduce((sum, charge) => sum + charge, 0);
      expect(await counters(teamCap)).toEqual({ spent, held: late.length * unit });
      for (const { cap: budget } of members) {
        const { spent: used, held } = await counters(budget);
        expect(used + held).toBeLessThanOrEqual(budget.max ?? 0);
      }
      await Promise.all(
        late.map(async (one) => one && (await db.money({ verb: "release", id: one.id }))),
      );

      // With the race over, who is refused lacks something, and who lacks nothing is not.
      for (let place = 0; place < memberCount; place += 1) {
        const left = await rests(place);
        expect(Math.min(...Object.values(left))).toBeGreaterThanOrEqual(0);
        const tried = await hold(place);
        expect(tried.answer === "held", JSON.stringify(left)).toBe(
          Math.min(...Object.values(left)) >= unit,
        );
        if (tried.answer === "held") await db.money({ verb: "release", id: tried.id });
      }
    },
  );
});
