// The money verbs against a small model: for any commands in any order, the books agree with it.

import {
  chargesOf,
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
import { Conflict } from "../storage/database.ts";
import { auditBooks } from "./audit/audit.ts";
import { grantWrites } from "./grant-writes.ts";

type MoneyStep =
  | { verb: "grant"; amount: number }
  | { verb: "hold"; token: number; amount: number; least: number }
  | { verb: "top_up_hold" | "settle"; slot: number; amount: number }
  | { verb: "release"; slot: number }
  | { verb: "replay"; slot: number }
  | { verb: "settle_share"; slot: number; share: number; charge: number }
  | { verb: "leave_pool" | "shrink_pool"; slot: number; amount: number };

const slot = fc.nat({ max: 9 });
const units = fc.integer({ min: 1, max: 40 });
const stepsOfAll: fc.WeightedArbitrary<MoneyStep>[] = [
  {
    weight: 1,
    arbitrary: fc.record({
      verb: fc.constant("grant" as const),
      amount: fc.integer({ min: -60, max: 150 }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      verb: fc.constant("hold" as const),
      token: fc.nat({ max: 2 }),
      amount: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 60 })),
      least: fc.nat({ max: 60 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      verb: fc.constant("top_up_hold" as const),
      slot,
      amount: fc.integer({ min: 0, max: 40 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      verb: fc.constant("settle" as const),
      slot,
      amount: fc.integer({ min: 0, max: 150 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ verb: fc.constant("release" as const), slot }) },
  { weight: 2, arbitrary: fc.record({ verb: fc.constant("replay" as const), slot }) },
];
const stepsOfPools: fc.WeightedArbitrary<MoneyStep>[] = [
  {
    weight: 4,
    arbitrary: fc.record({
      verb: fc.constant("settle_share" as const),
      ...{ slot, share: units, charge: fc.nat({ max: 60 }) },
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ verb: fc.constant("leave_pool" as const), slot, amount: units }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ verb: fc.constant("shrink_pool" as const), slot, amount: units }),
  },
];

const limits = [90, 200, null];

/** A balance and steps that chance rarely finds. */
const freeCallOfOverdrawnKey: [number, MoneyStep[]] = [
  91,
  [
    { verb: "hold", token: 0, amount: 1, least: 0 },
    { verb: "hold", token: 0, amount: 1, least: 0 },
    { verb: "settle", slot: 0, amount: 90 },
    { verb: "hold", token: 0, amount: 0, least: 0 },
  ],
];

/** Both what a pool gives back early and its end pay a debt that one of its calls left. */
const debtPaidTwiceByOnePool: [number, MoneyStep[]] = [
  4,
  [
    { verb: "hold", token: 0, amount: 4, least: 0 },
    { verb: "settle_share", slot: 0, share: 2, charge: 4 },
    { verb: "shrink_pool", slot: 0, amount: 1 },
    { verb: "release", slot: 0 },
  ],
];
/** `examplesOf` leaves out pools where a store has none. */
const examplesOf = (hasPools: boolean) =>
  hasPools ? [freeCallOfOverdrawnKey, debtPaidTwiceByOnePool] : [freeCallOfOverdrawnKey];

interface ModelReservation {
  id: number;
  token: number;
  amount: number;
  tokenAmount: number;
  isOpen: boolean;
}

/** `MoneyModel` is what must happen, in plain arithmetic. */
class MoneyModel {
  balance: number;
  held = 0;
  charged = 0;
  debt = 0;
  /** `owed` holds all that was ever owed, and lost. */
  owed = 0;
  shortfall = 0;
  readonly tokens = limits.map((limit) => ({
    remain: limit ?? 0,
    held: 0,
    used: 0,
    isUnlimited: limit === null,
  }));
  readonly reserved: ModelReservation[] = [];

  constructor(balance: number) {
    this.balance = balance;
  }

  grant(amount: number): string {
    if (amount === 0) return "already";
    if (this.balance + amount < this.held) return "insufficient_user_quota";
    this.balance += amount;
    this.#payDebt();
    return "granted";
  }

  /** A wallet in debt has nothing that no running call holds. */
  #payDebt(): void {
    const paid = Math.min(this.debt, this.balance - this.held);
    this.balance -= paid;
    this.debt -= paid;
  }

  hold(id: number, token: number, wanted: number, least: number): string | number {
    if (this.debt > 0) return "wallet_in_debt";
    const { isUnlimited, remain, held } = this.tokens[token] ?? {
      isUnlimited: true,
      remain: 0,
      held: 0,
    };
    const available = Math.min(this.balance - this.held, isUnlimited ? wanted : remain - held);
    const amount = Math.min(wanted, Math.max(available, Math.min(least, wanted)));
    // A call that costs nothing asks nothing of its key, also where another one has overdrawn that.
    const refusal = this.#take(token, amount, !isUnlimited && wanted > 0);
    if (refusal) return refusal;
    this.reserved.push({ id, token, amount, tokenAmount: isUnlimited ? 0 : amount, isOpen: true });
    return amount < wanted ? amount : "held";
  }

  topUp(held: ModelReservation | undefined, amount: number): string {
    if (!held?.isOpen) return "gone";
    const refusal = this.#take(held.token, amount, held.tokenAmount > 0);
    if (refusal) return refusal;
    held.amount += amount;
    if (held.tokenAmount > 0) held.tokenAmount += amount;
    return "held";
  }

  #take(index: number, amount: number, countsForToken: boolean): string | undefined {
    const token = this.tokens[index];
    if (!token) throw new Error(`there is no token ${index}`);
    if (this.debt > 0 || this.balance - this.held < amount) return "insufficient_user_quota";
    if (countsForToken && token.remain - token.held < amount)
      return "pre_consume_token_quota_failed";
    this.held += amount;
    if (countsForToken) token.held += amount;
    return undefined;
  }

  settle(held: ModelReservation | undefined, charge: number): string {
    if (!held?.isOpen) return "already";
    const token = this.#close(held);
    // The holds of other calls must not be spent.
    const taken = Math.min(charge, this.balance - this.held);
    this.balance -= taken;
    const owed = Math.min(charge - taken, held.amount);
    this.charged += taken;
    this.debt += owed;
    this.owed += owed;
    this.shortfall += charge - taken - owed;
    this.#payDebt();
    token.used += charge;
    if (!token.isUnlimited) token.remain = Math.max(0, token.remain - charge);
    return charge > taken + owed ? "short" : "settled";
  }

  /** Takes units out of a pool: they are held all the same. */
  takeOut(pool: ModelReservation, id: number, amount: number): ModelReservation {
    pool.amount -= amount;
    const tokenAmount = pool.tokenAmount > 0 ? amount : 0;
    pool.tokenAmount -= tokenAmount;
    return { id, token: pool.token, amount, tokenAmount, isOpen: true };
  }

  /** A call of a pool that costs no more than its share leaves the rest to the pool. */
  settleShare(pool: ModelReservation, id: number, share: number, charge: number): string {
    if (charge > share) return this.settle(this.takeOut(pool, id, share), charge);
    const debt = this.debt;
    const result = this.settle(this.takeOut(pool, id, charge), charge);
    if (this.debt !== debt) throw new Error("a share that covers its charge pays no debt");
    return result;
  }

  release(held: ModelReservation | undefined): string {
    if (!held?.isOpen) return "already";
    this.#close(held);
    this.#payDebt();
    return "released";
  }

  #close(held: ModelReservation) {
    const token = this.tokens[held.token];
    if (!token) throw new Error(`there is no token ${held.token}`);
    held.isOpen = false;
    this.held -= held.amount;
    token.held -= held.tokenAmount;
    return token;
  }
}

describe.each(testDatabases)("the money verbs on $name", (database) => {
  let storage: TestDatabase;
  beforeAll(async () => {
    storage = await database.open();
  });
  afterAll(() => storage.close());

  async function expectStateOf(account: TestAccount, model: MoneyModel): Promise<void> {
    const { db } = storage;
    expect(await walletOf(db, account)).toMatchObject({
      balance: model.balance,
      held: model.held,
      debt: model.debt,
    });
    expect(await chargesOf(db, account)).toEqual({
      charge: model.charged,
      debt: model.owed,
      shortfall: model.shortfall,
    });
    expect(
      (await tokensOf(db, account)).map(({ remain_quota, held_quota, used_quota, status }) => [
        remain_quota,
        held_quota,
        used_quota,
        status,
      ]),
    ).toEqual(
      model.tokens.map(({ remain, held, used, isUnlimited }) => [
        remain,
        held,
        used,
        // Used up by a settle; held units may be released.
        !isUnlimited && remain === 0 && used > 0 ? 4 : 1,
      ]),
    );
    expect(await auditBooks(db)).toEqual([]);
  }

  test("in sequence they do exactly what the model does", async () => {
    const { db } = storage;
    const step = fc.oneof(...stepsOfAll, ...(db.dialect === "sqlite" ? stepsOfPools : []));
    await fc.assert(
      fc.asyncProperty(
        fc.nat({ max: 200 }),
        fc.array(step, { maxLength: 30 }),
        async (balance, steps) => {
          const account = await createTestAccount(db, balance, limits);
          const model = new MoneyModel(balance);
          let lastGrant: Parameters<typeof db.money>[0] | undefined;
          /** An open hold that can be a pool: more is in it than the share. */
          const poolAt = (at: number, share: number) => {
            const pool = reservedAt(at);
            return pool?.isOpen && pool.amount > share ? pool : undefined;
          };
          const reservedAt = (at: number) =>
            model.reserved.at(-1 - (at % Math.max(1, model.reserved.length)));
          for (const one of steps) {
            switch (one.verb) {
              case "grant": {
                lastGrant = {
                  verb: "grant",
                  id: db.mintId(),
                  walletId: account.walletId,
                  amount: one.amount,
                  at: 1,
                };
                const expected = model.grant(one.amount);
                expect(await db.money(lastGrant)).toBe(expected);
                if (expected !== "granted") lastGrant = undefined;
                break;
              }
              case "hold": {
                const id = db.mintId();
                const hold = holdOf(account, id, one.amount, {
                  tokenId: account.tokenIds[one.token] ?? 0,
                  tokenIsUnlimited: limits[one.token] === null,
                  least: one.least,
                });
                expect(await db.money(hold)).toBe(model.hold(id, one.token, one.amount, one.least));
                break;
              }
              case "top_up_hold": {
                const held = reservedAt(one.slot);
                const id = held?.id ?? db.mintId();
                expect(await db.money({ verb: "top_up_hold", id, amount: one.amount })).toBe(
                  model.topUp(held, one.amount),
                );
                break;
              }
              case "settle": {
                const held = reservedAt(one.slot);
                const tokenId = account.tokenIds[held?.token ?? 0] ?? 0;
                const settle = settleOf(account, held?.id ?? db.mintId(), one.amount, {
                  token_id: tokenId,
                });
                expect(await db.money(settle)).toBe(model.settle(held, one.amount));
                break;
              }
              case "release": {
                const held = reservedAt(one.slot);
                expect(await db.money({ verb: "release", id: held?.id ?? db.mintId() })).toBe(
                  model.release(held),
                );
                break;
              }
              case "settle_share": {
                const { share, charge } = one;
                const pool = poolAt(one.slot, share);
                if (!pool) break;
                const id = db.mintId();
                const log = { token_id: account.tokenIds[pool.token] ?? 0 };
                const settle = {
                  ...settleOf(account, id, charge, log),
                  pool: { id: pool.id, amount: share },
                };
                expect(await db.money(settle)).toBe(model.settleShare(pool, id, share, charge));
                expect(await db.money(settle)).toBe("already");
                break;
              }
              case "leave_pool": {
                const { amount } = one;
                const pool = poolAt(one.slot, amount);
                if (!pool) break;
                const id = db.mintId();
                const leave = {
                  verb: "leave_pool",
                  id,
                  pool: { id: pool.id, amount },
                  leaseUntil: 1,
                  snapshot: "{}",
                } as const;
                expect(await db.money(leave)).toBe("left");
                model.reserved.push(model.takeOut(pool, id, amount));
                break;
              }
              case "shrink_pool": {
                const { amount } = one;
                const pool = poolAt(one.slot, amount);
                const id = pool?.id ?? db.mintId();
                const shrink = { verb: "shrink_pool", id, amount, paymentId: db.mintId() } as const;
                expect(await db.money(shrink)).toBe(pool ? "shrunk" : "gone");
                if (pool) model.release(model.takeOut(pool, pool.id, amount));
                break;
              }
              case "replay": {
                if (lastGrant) expect(await db.money(lastGrant)).toBe("already");
                const held = reservedAt(one.slot);
                // Of 0 units, so that only the id and a debt can be a reason to refuse it.
                const again = held?.isOpen && holdOf(account, held.id, 0);
                if (again && model.debt > 0) expect(await db.money(again)).toBe("wallet_in_debt");
                else if (again) await expect(db.money(again)).rejects.toThrow(Conflict);
                else if (held) {
                  expect(await db.money(settleOf(account, held.id, 7))).toBe("already");
                  expect(await db.money({ verb: "release", id: held.id })).toBe("already");
                  expect(await db.money({ verb: "top_up_hold", id: held.id, amount: 7 })).toBe(
                    "gone",
                  );
                }
              }
            }
          }
          await expectStateOf(account, model);
        },
      ),
      {
        numRuns: database.name === "sqlite" ? 60 : 30,
        examples: examplesOf(db.dialect === "sqlite"),
      },
    );
  }, 120_000);

  test("in parallel every hold ends once, and the books agree", {
    tags: ["F-120", "I-5", "FT-15"],
    timeout: 120_000,
  }, async () => {
    const { db } = storage;
    const call = fc.record({
      token: fc.nat({ max: 2 }),
      amount: fc.integer({ min: 0, max: 60 }),
      more: fc.array(fc.integer({ min: 0, max: 30 }), { maxLength: 2 }),
      endings: fc.array(fc.option(fc.integer({ min: 0, max: 150 }), { nil: "release" as const }), {
        minLength: 1,
        maxLength: 4,
      }),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.nat({ max: 400 }),
        fc.array(call, { minLength: 1, maxLength: 25 }),
        async (balance, calls) => {
          const account = await createTestAccount(db, balance, limits);
          const ended = await Promise.all(
            calls.map(async ({ token, amount, more, endings }) => {
              const id = db.mintId();
              const tokenId = account.tokenIds[token] ?? 0;
              const held = await db.money(
                holdOf(account, id, amount, { tokenId, tokenIsUnlimited: limits[token] === null }),
              );
              // Top-ups and all endings at once, with and without a hold.
              const answers = await Promise.all([
                ...more.map((units) => db.money({ verb: "top_up_hold", id, amount: units })),
                ...endings.map((ending) =>
                  ending === "release"
                    ? db.money({ verb: "release", id })
                    : db.money(settleOf(account, id, ending, { token_id: tokenId })),
                ),
              ]);
              const winners = answers.filter((answer) =>
                ["settled", "short", "released"].includes(answer),
              );
              expect(winners).toHaveLength(held === "held" ? 1 : 0);
              const settled = answers.findIndex(
                (answer) => answer === "settled" || answer === "short",
              );
              const charge = settled < 0 ? 0 : endings[settled - more.length];
              return { isSettled: settled >= 0, token, charge: Number(charge) };
            }),
          );
          const charged = ended.reduce((sum, { charge }) => sum + charge, 0);
          const { charge, debt, shortfall } = await chargesOf(db, account);
          expect(charge + debt + shortfall).toBe(charged);
          const wallet = await walletOf(db, account);
          // What a running call released has paid a debt that another call had left.
          expect(wallet).toMatchObject({
            balance: balance - charge - (debt - wallet.debt),
            held: 0,
          });
          expect(wallet.balance).toBeGreaterThanOrEqual(0);
          if (wallet.debt > 0) expect(wallet.balance).toBe(0);
          for (const [index, row] of (await tokensOf(db, account)).entries()) {
            const used = ended
              .filter(({ token }) => token === index)
              .reduce((sum, one) => sum + one.charge, 0);
            expect(row).toMatchObject({ held_quota: 0, used_quota: used });
          }
          expect(await auditBooks(db)).toEqual([]);
        },
      ),
      { numRuns: database.name === "sqlite" ? 40 : 20 },
    );
  });

  test("500 parallel holds on a balance for 10: exactly 10 are held", {
    tags: ["F-43", "I-4"],
  }, async () => {
    const { db } = storage;
    const account = await createTestAccount(db, 10 * 7 + 6, [null]);
    const answers = await Promise.all(
      Array.from({ length: 500 }, () => db.money(holdOf(account, db.mintId(), 7))),
    );
    expect(answers.filter((answer) => answer === "held")).toHaveLength(10);
    expect(new Set(answers)).toEqual(new Set(["held", "insufficient_user_quota"]));
    expect(await walletOf(db, account)).toMatchObject({ balance: 76, held: 70 });
    expect(await auditBooks(db)).toEqual([]);
  });

  test("500 parallel holds on two tokens of one user: each token and the wallet bound them", {
    tags: ["I-12"],
  }, async () => {
    const { db } = storage;
    const account = await createTestAccount(db, 10_000, [50, null]);
    const answers = await Promise.all(
      Array.from({ length: 500 }, async (_, n) => {
        const tokenId = account.tokenIds[n % 2] ?? 0;
        const answer = await db.money(
          holdOf(account, db.mintId(), 30, { tokenId, tokenIsUnlimited: n % 2 === 1 }),
        );
        return `${n % 2 ? "unlimited" : "limited"}: ${answer}`;
      }),
    );
    const count = (text: string) => answers.filter((answer) => answer === text).length;
    expect(count("limited: held")).toBe(1);
    expect(count("unlimited: held")).toBe(250);
    expect(count("limited: pre_consume_token_quota_failed")).toBe(249);
    expect(await walletOf(db, account)).toMatchObject({ held: 251 * 30 });
  });

  test("50 parallel replays of one grant credit it once, and each gets a reply", {
    tags: ["I-10"],
  }, async () => {
    const { db } = storage;
    const account = await createTestAccount(db, 0, [null]);
    const grant = {
      verb: "grant",
      id: db.mintId(),
      walletId: account.walletId,
      amount: 100,
      at: 1,
    } as const;
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => db.money(grant).catch((error: Error) => error)),
    );
    expect(await walletOf(db, account)).toMatchObject({ balance: 100 });
    expect(await auditBooks(db)).toEqual([]);
    expect(answers.filter((answer) => answer === "granted")).toHaveLength(1);
    expect(new Set(answers)).toEqual(new Set(["granted", "already"]));
  });

  test("50 parallel replays of one settle charge it once", { tags: ["F-46", "I-6"] }, async () => {
    const { db } = storage;
    const account = await createTestAccount(db, 100, [null]);
    const id = db.mintId();
    await db.money(holdOf(account, id, 50));
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => db.money(settleOf(account, id, 30))),
    );
    expect(answers.filter((answer) => answer === "settled")).toHaveLength(1);
    expect(await walletOf(db, account)).toMatchObject({ balance: 70, held: 0 });
    expect(await db.read(db.sql.selectFrom("logs").select("quota").where("id", "=", id))).toEqual([
      { quota: 30 },
    ]);
  });

  test("a charge above its hold takes the remaining balance, but no other call's hold, and leaves a debt of as much as the hold", {
    tags: ["F-54", "S2-04"],
  }, async () => {
    const { db } = storage;
    const account = await createTestAccount(db, 100, [null]);
    const [mine, other] = [db.mintId(), db.mintId()];
    await db.money(holdOf(account, mine, 50));
    await db.money(holdOf(account, other, 30));
    expect(await db.money(settleOf(account, mine, 200))).toBe("short");
    expect(await walletOf(db, account)).toMatchObject({ balance: 30, held: 30, debt: 50 });
    expect(await chargesOf(db, account)).toEqual({ charge: 70, debt: 50, shortfall: 80 });
    const [row] = await db.read(db.sql.selectFrom("logs").select("content").where("id", "=", mine));
    expect(row?.content).toMatch(/^80 units were written off/);
    expect(await db.money(holdOf(account, db.mintId(), 0))).toBe("wallet_in_debt");
    // What this call held and did not use pays the debt.
    expect(await db.money(settleOf(account, other, 10))).toBe("settled");
    expect(await walletOf(db, account)).toMatchObject({ balance: 0, held: 0, debt: 30 });
    expect(await auditBooks(db)).toEqual([]);
  });

  test("of every credit the debt is paid first, and calls run again once it is paid", {
    tags: ["S2-04"],
  }, async () => {
    const { db } = storage;
    const account = await createTestAccount(db, 10, [null]);
    const id = db.mintId();
    await db.money(holdOf(account, id, 10));
    expect(await db.money(settleOf(account, id, 20))).toBe("settled");
    expect(await walletOf(db, account)).toMatchObject({ balance: 0, debt: 10 });
    const grant = { verb: "grant", walletId: account.walletId, at: 1 } as const;
    await db.money({ ...grant, id: db.mintId(), amount: 4 });
    expect(await walletOf(db, account)).toMatchObject({ balance: 0, debt: 6 });
    expect(await db.money(holdOf(account, db.mintId(), 0))).toBe("wallet_in_debt");
    await db.write(
      grantWrites(db, { id: db.mintId(), wallet: { id: account.walletId }, amount: 5, at: 1 }),
    );
    expect(await walletOf(db, account)).toMatchObject({ balance: 0, debt: 1 });
    await db.write(
      grantWrites(db, { id: db.mintId(), wallet: { id: account.walletId }, amount: 5, at: 1 }),
    );
    expect(await walletOf(db, account)).toMatchObject({ balance: 4, debt: 0 });
    expect(await db.money(holdOf(account, db.mintId(), 4))).toBe("held");
    expect(await auditBooks(db)).toEqual([]);
  });

  test("500 parallel holds that may take less set aside no more than the balance, and each at least its least", {
    tags: ["S2-04", "F-43"],
  }, async () => {
    const { db } = storage;
    const account = await createTestAccount(db, 100, [60, null]);
    const taken = await Promise.all(
      Array.from({ length: 500 }, async (_, n) => {
        const tokenId = account.tokenIds[n % 2] ?? 0;
        const hold = holdOf(account, db.mintId(), 50, {
          tokenId,
          tokenIsUnlimited: n % 2 === 1,
          least: 8,
        });
        const result = await db.money(hold);
        return result === "held" ? 50 : typeof result === "number" ? result : 0;
      }),
    );
    const open = taken.filter((amount) => amount > 0);
    expect(Math.min(...open)).toBeGreaterThanOrEqual(8);
    const { held, balance } = await walletOf(db, account);
    expect(open.reduce((sum, amount) => sum + amount, 0)).toBe(held);
    expect(balance - held).toBeLessThan(8);
    expect(await auditBooks(db)).toEqual([]);
  });

  test("running calls of a deleted token or channel settle, and no units are created or lost", {
    tags: ["I-17"],
  }, async () => {
    const { db } = storage;
    const account = await createTestAccount(db, 100, [80]);
    const [settled, released] = [db.mintId(), db.mintId()];
    await db.money(holdOf(account, settled, 50, { tokenIsUnlimited: false }));
    await db.money(holdOf(account, released, 20, { tokenIsUnlimited: false }));
    await db.write([
      { query: db.sql.deleteFrom("tokens").where("user_id", "=", account.userId), rows: 1 },
      { query: db.sql.deleteFrom("channels").where("id", "=", account.channelId), rows: 1 },
    ]);
    expect(await db.money(settleOf(account, settled, 40))).toBe("settled");
    expect(await db.money({ verb: "release", id: released })).toBe("released");
    expect(await walletOf(db, account)).toMatchObject({ balance: 60, held: 0 });
    expect(await auditBooks(db)).toEqual([]);
  });

  test("a settle that cannot be written changes nothing, and the others of its batch are committed", {
    tags: ["F-46"],
  }, async () => {
    const { db } = storage;
    const account = await createTestAccount(db, 100, [null]);
    const [broken, sound] = [db.mintId(), db.mintId()];
    await db.money(holdOf(account, broken, 40));
    await db.money(holdOf(account, sound, 40));
    const withoutName = { username: null } as unknown as { username: string };
    const [failed, stands] = await Promise.allSettled([
      db.money(settleOf(account, broken, 10, withoutName)),
      db.money(settleOf(account, sound, 10)),
    ]);
    expect(failed.status).toBe("rejected");
    expect(stands).toEqual({ status: "fulfilled", value: "settled" });
    expect(await walletOf(db, account)).toMatchObject({ balance: 90, held: 40 });
    expect(await auditBooks(db)).toEqual([]);
    expect(await db.money({ verb: "release", id: broken })).toBe("released");
  });
});
