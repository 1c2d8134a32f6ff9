// The verb `transfer`: for any transfers, holds and charges among wallets, units move and none
// appear or vanish.
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
import { tryWrite } from "../storage/database.ts";
import { auditBooks } from "./audit/audit.ts";
import { planTransferWrites } from "./transfer-writes.ts";

const wallet = fc.nat({ max: 2 });
const step = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      verb: fc.constant("transfer" as const),
      from: wallet,
      to: wallet,
      amount: fc.integer({ min: 1, max: 60 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      verb: fc.constant("hold" as const),
      from: wallet,
      amount: fc.integer({ min: 1, max: 40 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ verb: fc.constant("settle" as const), charge: fc.nat({ max: 90 }) }),
  },
);

describe.each(testDatabases)("transfers on $name", ({ open }) => {
  let opened: TestDatabase;
  beforeAll(async () => {
    opened = await open();
  });
  afterAll(() => opened.close());

  const codes = { missed: "quota_set_aside", full: "quota_too_high" } as const;
  const transfer = async (
    from: TestAccount,
    to: TestAccount,
    amount: number,
    id = opened.db.mintId(),
  ) => {
    const { db } = opened;
    const given = {
      id,
      fromWalletId: from.walletId,
      toWalletId: to.walletId,
      amount,
      at: 5,
      ...codes,
    };
    return await tryWrite(db, planTransferWrites(db, given));
  };
  const accounts = async (balances: readonly number[]): Promise<TestAccount[]> => {
    const made: TestAccount[] = [];
    for (const balance of balances) made.push(await createTestAccount(opened.db, balance, [null]));
    return made;
  };
  const walletsOf = async (made: readonly TestAccount[]) =>
    Promise.all(
      made.map(async (account) => {
        const { balance, held, debt } = await walletOf(opened.db, account);
        return { balance, held, debt };
      }),
    );

  test("move what a wallet has free, pay the debt of the other one, and agree with plain sums", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.nat({ max: 80 }), { minLength: 3, maxLength: 3 }),
        fc.array(step, { maxLength: 12 }),
        async (balances, steps) => {
          const { db } = opened;
          const made = await accounts(balances);
          const model = balances.map((balance) => ({ balance, held: 0, debt: 0 }));
          const open: { id: number; from: number; amount: number }[] = [];
          const payDebt = (one: { balance: number; held: number; debt: number }): void => {
            const paid = Math.min(one.debt, one.balance - one.held);
            one.balance -= paid;
            one.debt -= paid;
          };
          for (const given of steps) {
            if (given.verb === "transfer") {
              const [from, to] = [model[given.from], model[given.to]];
              const [giver, taker] = [made[given.from], made[given.to]];
              if (!from || !to || !giver || !taker || given.from === given.to) continue;
              const isCovered = from.debt === 0 && from.balance - from.held >= given.amount;
              const rejected = await transfer(giver, taker, given.amount);
              expect(rejected === undefined).toBe(isCovered);
              if (!isCovered) continue;
              from.balance -= given.amount;
              to.balance += given.amount;
              payDebt(to);
            } else if (given.verb === "hold") {
              const [from, holder] = [model[given.from], made[given.from]];
              if (!from || !holder) continue;
              const id = db.mintId();
              const isHeld = (await db.money(holdOf(holder, id, given.amount))) === "held";
              expect(isHeld).toBe(from.debt === 0 && from.balance - from.held >= given.amount);
              if (!isHeld) continue;
              from.held += given.amount;
              open.push({ id, from: given.from, amount: given.amount });
            } else {
              const held = open.shift();
              const [from, holder] = [model[held?.from ?? -1], made[held?.from ?? -1]];
              if (!held || !from || !holder) continue;
              await db.money(settleOf(holder, held.id, given.charge));
              from.held -= held.amount;
              const taken = Math.min(given.charge, from.balance - from.held);
              from.balance -= taken;
              from.debt += Math.min(given.charge - taken, held.amount);
              payDebt(from);
            }
          }
          expect(await walletsOf(made)).toEqual(model);
          for (const { id } of open) await db.money({ verb: "release", id });
        },
      ),
      { numRuns: 15 },
    );
    expect(await auditBooks(opened.db)).toEqual([]);
  });

  test("happen once for an id, and many at once in both directions neither lose a unit nor wait for each other for ever", async () => {
    const [one, other] = await accounts([100, 100]);
    if (!one || !other) throw new Error("two accounts are made");
    const id = opened.db.mintId();
    expect(await transfer(one, other, 10, id)).toBeUndefined();
    expect(await transfer(one, other, 10, id)).toBeDefined();
    const tries = Array.from({ length: 30 }, (_, n) =>
      n % 2 === 0 ? transfer(one, other, n + 1) : transfer(other, one, n + 1),
    );
    const moved = await Promise.allSettled(tries);
    expect(moved.filter(({ status }) => status === "rejected")).toEqual([]);
    const sums = await walletsOf([one, other]);
    expect(sums.reduce((sum, { balance }) => sum + balance, 0)).toBe(200);
    expect(await auditBooks(opened.db)).toEqual([]);
  });
});
