// Pools of holds against a simulated storage. Storage that exists is in hold-pools.db.test.ts.
import { beforeEach, describe, expect, test } from "vitest";
import { type Database, StorageUnavailable } from "../../storage/database.ts";
import type { HeldBudget, MoneyCommand } from "../../storage/money-commands.ts";
import { createHoldPools, type HoldPools, holdsOn, type KeyHolds } from "./hold-pools.ts";

const leaseMs = 60_000;
const pauseMs = 3_000;

let sent: MoneyCommand[];
let errors: string[];
let now: number;
let ids: number;
/** The reply of storage to a command; an error is thrown. */
let answers: (command: MoneyCommand) => unknown;
let pools: HoldPools;

const poolsOn = (dialect: Database["dialect"]): HoldPools =>
  createHoldPools(
    {
      dialect,
      mintId: () => {
        ids += 1;
        return ids;
      },
      async money(command: MoneyCommand) {
        sent.push(command);
        const answer = await answers(command);
        if (answer instanceof Error) throw answer;
        return answer;
      },
    } as Pick<Database, "money" | "mintId" | "dialect">,
    leaseMs,
    () => now,
    ({ message }) => errors.push(message),
  );

beforeEach(() => {
  sent = [];
  errors = [];
  now = 1_000_000;
  ids = 0;
  answers = () => "held";
  pools = poolsOn("sqlite");
});

const ofWallet =
  (walletId: number) =>
  (key: KeyHolds): boolean =>
    key.walletId === walletId;
const identity = { walletId: 2, userId: 1, tokenId: 3, tokenIsUnlimited: true };
type Changes = Partial<typeof identity & { budgets: readonly HeldBudget[] }>;
const begin = (amount = 10, changes: Changes = {}): KeyHolds =>
  pools.begin({ ...identity, ...changes, amount });
/** Calls that begin as they do in the gateway; storage has answered. */
async function began(calls: number, amount = 10, changes: Changes = {}): Promise<KeyHolds> {
  for (let call = 1; call < calls; call += 1) pools.share(begin(amount, changes), amount);
  const key = begin(amount, changes);
  pools.share(key, amount);
  await pools.close();
  return key;
}
const of = (verb: MoneyCommand["verb"]) => sent.filter((command) => command.verb === verb);
/** `freeUnits` gives what the pools of the wallet hold for no call: all of it is given back. */
async function freeUnits(walletId = 2): Promise<number> {
  const before = of("shrink_pool").length;
  await pools.reclaim(ofWallet(walletId));
  return of("shrink_pool")
    .slice(before)
    .reduce((sum, command) => sum + ("amount" in command ? Number(command.amount) : 0), 0);
}

/** Eight calls of 10: four times as much and a unit that is shared by no call. */
const opened = 321;

describe("a key with eight calls at once", () => {
  test("has a pool of four times what they hold, and the next one takes its share of it", async () => {
    const key = await began(7);
    expect(sent).toEqual([]);
    await began(1);
    const command = {
      ...identity,
      id: 1,
      amount: opened,
      snapshot: "{}",
      leaseUntil: now + leaseMs,
    };
    expect(sent).toEqual([{ verb: "hold", ...command }]);
    expect([pools.isPool(1), pools.isPool(2)]).toEqual([true, false]);
    expect(key).toMatchObject({ running: 8, units: 80 });
    expect(pools.share(begin(), 10)).toEqual({ id: 1, amount: 10 });
    expect(await freeUnits()).toBe(opened - 10 - 1);
  });
  test("asks once while it is opened, and is a pool of this process from then on", async () => {
    let answer: (result: string) => void = () => undefined;
    answers = () => new Promise((resolve) => (answer = resolve));
    for (let call = 1; call <= 9; call += 1) expect(pools.share(begin(), 10)).toBeUndefined();
    now += pauseMs;
    expect(pools.share(begin(), 10)).toBeUndefined();
    expect(of("hold")).toHaveLength(1);
    expect(pools.isPool(1)).toBe(true);
    answer("held");
    await pools.close();
    expect(pools.share(begin(), 10)).toEqual({ id: 1, amount: 10 });
  });
  test("has no pool on PostgreSQL, where several nodes share a wallet", async () => {
    pools = poolsOn("postgres");
    await began(20);
    expect(sent).toEqual([]);
  });
  test("whose calls hold nothing needs none", async () => {
    await began(9, 0);
    expect(sent).toEqual([]);
  });
  test.each([
    ["refused", "insufficient_user_quota", []],
    ["failed", new StorageUnavailable("gone"), ["gone"]],
  ])("whose pool is %s asks again after three seconds", async (_, answer, expected) => {
    answers = () => answer;
    await began(8);
    expect(pools.isPool(1)).toBe(false);
    expect(errors).toEqual(expected);
    now += pauseMs - 1;
    await began(1);
    expect(of("hold")).toHaveLength(1);
    now += 1;
    answers = () => "held";
    expect(pools.share(await began(1), 1)).toEqual({ id: 2, amount: 1 });
  });
  test("of another wallet, or with a limit, has a pool of its own", async () => {
    const limited = await began(8, 10, { tokenIsUnlimited: false });
    const other = await began(8, 10, { walletId: 9 });
    expect(limited).not.toBe(other);
    expect(of("hold")).toMatchObject([{ tokenIsUnlimited: false }, { walletId: 9 }]);
    expect(begin(10, { walletId: 9 })).toBe(other);
    expect(begin(10, { tokenIsUnlimited: false })).toBe(limited);
  });
});

describe("calls of a key that count for budgets", () => {
  const budget = { id: 5, start: 1_000, end: 2_000, max: 900, target: null };
  const of5 = { budgets: [budget] };

  test("have a pool that is held on these budgets, apart from calls with others", async () => {
    const key = await began(8, 10, of5);
    expect(of("hold")).toMatchObject([{ id: 1, amount: opened, ...of5 }]);
    expect(begin(10, { budgets: [{ ...budget }] })).toBe(key);
    for (const others of [
      [],
      [{ ...budget, id: 6 }],
      [{ ...budget, start: 2_000, end: 3_000 }],
      [{ ...budget, max: 800 }],
      [{ ...budget, max: null }],
      [{ ...budget, target: "a" }],
      [budget, { ...budget, id: 6 }],
    ])
      expect(begin(10, { budgets: others }), JSON.stringify(others)).not.toBe(key);
  });
  test("stand against others of a budget that refuses calls, and of no other", async () => {
    const key = begin(10, { budgets: [budget, { ...budget, id: 6, max: null }] });
    expect([5, 6, 7].map((id) => holdsOn(key, [{ id: 4 }, { id }]))).toEqual([true, false, false]);
    expect(holdsOn(begin(), [{ id: 5 }])).toBe(false);
  });
});

describe("a share", () => {
  test.each([
    [opened - 1, true],
    [opened, false],
  ])("of %i units is covered: %j", async (amount, isCovered) => {
    const key = await began(8);
    expect(pools.share(key, amount) !== undefined).toBe(isCovered);
  });
  test("is no longer free for others, and free again but for the charge", async () => {
    const key = await began(8);
    const share = pools.share(key, 200);
    expect(pools.share(key, 121)).toBeUndefined();
    pools.charge(key, share ?? { id: 0, amount: 0 }, 50);
    expect(await freeUnits()).toBe(opened - 50 - 1);
  });
  test("is charged no more than it is: the rest is taken from the balance", async () => {
    const key = await began(8);
    const share = { id: 1, amount: pools.share(key, 200)?.amount ?? 0 };
    pools.charge(key, share, 999);
    expect(await freeUnits()).toBe(opened - 200 - 1);
  });
  test("that became a hold of its own has left the pool", async () => {
    const key = await began(8);
    pools.left(key, pools.share(key, 200) ?? { id: 0, amount: 0 });
    expect(await freeUnits()).toBe(opened - 200 - 1);
  });
  test("of a pool that has gone changes nothing", () => {
    const key = begin();
    pools.charge(key, { id: 1, amount: 10 }, 5);
    pools.left(key, { id: 1, amount: 10 });
    expect(key.pool).toBeUndefined();
  });
  test("is given to no call while storage fails", async () => {
    const key = await began(8);
    pools.storageAnswered(false);
    expect(pools.share(key, 10)).toBeUndefined();
    pools.storageAnswered(true);
    expect(pools.share(key, 10)).toBeDefined();
  });
  test("is given to no call while storage has not taken the ends of 128", async () => {
    const key = await began(8);
    const share = { id: 1, amount: 0 };
    for (let call = 1; call <= 127; call += 1) pools.charge(key, share, 0);
    expect(pools.share(key, 10)).toBeDefined();
    pools.charge(key, share, 0);
    expect(pools.share(key, 10)).toBeUndefined();
    pools.end(begin(), 10);
    expect(pools.share(key, 10)).toBeUndefined();
    pools.end(begin(), 10, share);
    expect(pools.share(key, 10)).toBeDefined();
    pools.charge(key, share, 0);
    expect(pools.share(key, 10)).toBeUndefined();
  });
});

describe("a pool", () => {
  test("grows once it holds less than three quarters of what it should", async () => {
    const key = await began(8);
    pools.share(begin(26), 0);
    expect(of("top_up_hold")).toEqual([]);
    pools.share(begin(1), 0);
    expect(of("top_up_hold")).toEqual([
      { verb: "top_up_hold", id: 1, amount: 4 * 107 + 1 - opened },
    ]);
    pools.share(begin(900), 0);
    expect(of("top_up_hold")).toHaveLength(1);
    await pools.close();
    // What has grown may grow again at once.
    pools.share(key, 0);
    expect(of("top_up_hold")).toHaveLength(2);
    await pools.close();
    expect(await freeUnits()).toBe(4 * 1_007);
  });
  test("that may not grow stays as it is, and asks again after three seconds", async () => {
    const key = await began(8);
    answers = () => "insufficient_user_quota";
    pools.share(begin(100), 0);
    await pools.close();
    now += pauseMs - 1;
    pools.share(key, 0);
    expect(of("top_up_hold")).toHaveLength(1);
    now += 1;
    pools.share(key, 0);
    expect(of("top_up_hold")).toHaveLength(2);
    await pools.close();
    answers = () => "released";
    expect(await freeUnits()).toBe(opened - 1);
  });
  test("ends with the last call of its key, which begins anew without one", async () => {
    const key = await began(8);
    for (let call = 1; call < 8; call += 1) pools.end(key, 10);
    expect([key.running, key.units, of("release")]).toEqual([1, 10, []]);
    pools.end(key, 10);
    expect(of("release")).toEqual([{ verb: "release", id: 1 }]);
    expect(pools.isPool(1)).toBe(false);
    expect(begin()).toMatchObject({ running: 1, units: 10, pool: undefined });
  });
  test("of a key with a limit ends so, too", async () => {
    const key = await began(8, 10, { tokenIsUnlimited: false });
    for (let call = 1; call <= 8; call += 1) pools.end(key, 10);
    expect(begin(10, { tokenIsUnlimited: false })).toMatchObject({
      running: 1,
      units: 10,
      pool: undefined,
    });
  });
  test("that opens after the last call of its key has ended is released", async () => {
    let answer: (result: string) => void = () => undefined;
    answers = ({ verb }) =>
      verb === "hold" ? new Promise((resolve) => (answer = resolve)) : "released";
    const key = begin();
    for (let call = 2; call <= 8; call += 1) begin();
    pools.share(key, 10);
    for (let call = 1; call <= 8; call += 1) pools.end(key, 10);
    answer("held");
    await pools.close();
    expect(of("release")).toEqual([{ verb: "release", id: 1 }]);
    expect([pools.isPool(1), key.pool]).toEqual([false, undefined]);
  });
  test("of a wallet that is the token's no longer ends without the newer one", async () => {
    const old = await began(8);
    const newer = await began(8, 10, { walletId: 9 });
    for (let call = 1; call <= 8; call += 1) pools.end(old, 10);
    expect(of("release")).toEqual([{ verb: "release", id: 1 }]);
    expect(begin(10, { walletId: 9 })).toBe(newer);
  });
  test("whose end storage does not take is reported, and left to its lease", async () => {
    const key = await began(8);
    answers = () => new StorageUnavailable("gone");
    for (let call = 1; call <= 8; call += 1) pools.end(key, 10);
    await pools.close();
    expect([errors, pools.isPool(1)]).toEqual([["gone"], false]);
  });
  test("is listed once its lease is older than the time that is asked for", async () => {
    await began(8);
    expect(pools.leasedBefore(now)).toEqual([]);
    expect(pools.leasedBefore(now + 1)).toMatchObject([
      { id: 1, amount: opened, used: 0, renewedAt: now },
    ]);
  });
});

describe("what a pool holds for no call", () => {
  test("is given back to its wallet, and not asked for again for three seconds", async () => {
    const key = await began(8);
    await began(8, 10, { walletId: 9, tokenId: 4 });
    pools.share(key, 20);
    expect(await pools.reclaim(ofWallet(2))).toBe(true);
    expect(of("shrink_pool")).toMatchObject([{ id: 1, amount: opened - 20 - 1 }]);
    expect(await pools.reclaim(ofWallet(2))).toBe(false);
    expect(await pools.reclaim(ofWallet(77))).toBe(false);
    now += pauseMs - 1;
    pools.share(key, 0);
    expect(of("top_up_hold")).toEqual([]);
    now += 1;
    pools.share(key, 0);
    expect(of("top_up_hold")).toHaveLength(1);
  });
  test("is waited for by each call that was refused at once, and the pool that storage is asked for too", async () => {
    const key = await began(8);
    const both = await Promise.all([pools.reclaim(ofWallet(2)), pools.reclaim(ofWallet(2))]);
    expect(both).toEqual([true, true]);
    expect(sent.filter(({ verb }) => verb === "shrink_pool")).toHaveLength(1);
    expect(await pools.reclaim(ofWallet(2))).toBe(false);
    now += pauseMs;
    pools.share(key, 10);
    expect(await pools.reclaim(ofWallet(2))).toBe(true);
    expect(sent.slice(-2).map(({ verb }) => verb)).toEqual(["top_up_hold", "shrink_pool"]);
  });
  test("is waited for, because a call will ask for it", async () => {
    await began(8);
    let answer: (result: string) => void = () => undefined;
    answers = () => new Promise((resolve) => (answer = resolve));
    let isDone = false;
    const reclaimed = pools.reclaim(ofWallet(2)).then((wasFree) => {
      isDone = true;
      return wasFree;
    });
    await expect.poll(() => of("shrink_pool")).toHaveLength(1);
    expect(isDone).toBe(false);
    answer("shrunk");
    expect(await reclaimed).toBe(true);
  });
  test.each([
    [0, opened - 41],
    [300, opened - 300 - 1],
  ])(
    "beyond twice of what is needed is trimmed, but not the %i units of calls",
    async (used, trimmed) => {
      const key = await began(8);
      pools.share(key, used);
      for (let call = 1; call <= 7; call += 1) pools.end(key, 10);
      pools.trim();
      expect(of("shrink_pool")).toMatchObject([{ id: 1, amount: trimmed }]);
    },
  );
  test("is trimmed from twice of what is needed on", async () => {
    const key = await began(8);
    for (let call = 1; call <= 5; call += 1) pools.end(key, 10);
    pools.trim();
    expect(of("shrink_pool")).toMatchObject([{ id: 1, amount: opened - (4 * 30 + 1) }]);
  });
  test("is given back and trimmed down to its last unit", async () => {
    const key = await began(8);
    pools.share(key, opened - 2);
    for (let call = 1; call <= 7; call += 1) pools.end(key, 10);
    pools.trim();
    expect(of("shrink_pool")).toMatchObject([{ amount: 1 }]);
    const other = await began(8, 10, { tokenId: 4, walletId: 9 });
    pools.share(other, opened - 2);
    expect(await freeUnits(9)).toBe(1);
  });
  test("is kept up to twice of what is needed, and where calls use all of it", async () => {
    const key = await began(8);
    answers = () => "insufficient_user_quota";
    pools.charge(key, pools.share(key, 320) ?? { id: 0, amount: 0 }, opened - 82);
    for (let call = 1; call <= 7; call += 1) pools.end(key, 10);
    pools.trim();
    expect(of("shrink_pool")).toEqual([]);
    pools.end(begin(0), 9);
    pools.share(key, 81);
    pools.trim();
    expect(of("shrink_pool")).toEqual([]);
  });
  test("is none where a key has no pool", async () => {
    begin();
    pools.trim();
    expect(await pools.reclaim(ofWallet(2))).toBe(false);
    expect(sent).toEqual([]);
  });
  test("that storage does not give back is reported", async () => {
    await began(8);
    answers = () => new StorageUnavailable("gone");
    await pools.reclaim(ofWallet(2));
    expect(errors).toEqual(["gone"]);
  });
});
