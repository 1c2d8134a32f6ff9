// Calls that share a pool of their key, against a simulated storage, with a simulated clock and
// ticks.

import { logRow } from "@tollgate/tests/support/money-fixtures.ts";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { type Database, StorageUnavailable } from "../../storage/database.ts";
import type { MoneyCommand } from "../../storage/money-commands.ts";
import { noUsage, type Usage } from "../prices/price.ts";
import { type LiveHolds, type OpenedHold, startLiveHolds } from "./live-holds.ts";
import type { RunningAttempt } from "./running-attempt.ts";

const tickMs = 3_000;
const renewMs = 20_000;
/** `price` is one unit per token, at twice the listed price. */
const price = {
  rates: { input: "2000000", output: "2000000" },
  group_ratio: 2_000_000,
  source: "channel 7",
  source_date: "",
  verified: true,
};
const account = { userId: 1, walletId: 2, tokenIds: [3], channelId: 4 };
const wanted = (id: number, more: Partial<OpenedHold> = {}): OpenedHold => ({
  ...{ id, walletId: 2, userId: 1, tokenId: 3, amount: 100, tokenIsUnlimited: true, snapshot: {} },
  ...more,
});
const settled = (id: number, charge = 7) => ({ id, charge, log: logRow(account, id), trace: "{}" });
const running = (usage: Partial<Usage>, more: Partial<RunningAttempt> = {}): RunningAttempt => ({
  channelId: 12,
  channelName: "seven",
  model: "priced",
  price,
  usage: () => ({ ...noUsage, ...usage }),
  stop: () => undefined,
  ...more,
});

let sent: MoneyCommand[];
let errors: string[];
let retries: number;
let now: number;
/** The reply of storage to a command, in place of the usual one; an error is thrown. */
let answers: (command: MoneyCommand) => unknown;
let holds: LiveHolds;

const usual: Partial<Record<MoneyCommand["verb"], string>> = {
  hold: "held",
  top_up_hold: "held",
  settle: "settled",
  release: "released",
};

beforeEach(async () => {
  vi.useFakeTimers();
  sent = [];
  errors = [];
  retries = 0;
  now = 1_000_000;
  answers = () => undefined;
  const storage = {
    async money(command: MoneyCommand) {
      sent.push(command);
      const answer = (await answers(command)) ?? usual[command.verb];
      if (answer instanceof Error) throw answer;
      return answer;
    },
    dialect: "sqlite",
    mintId: () => poolId,
  } as Pick<Database, "money" | "mintId" | "dialect">;
  holds = startLiveHolds(
    storage,
    () => now,
    ({ message }) => errors.push(message),
    undefined,
    () => {
      retries += 1;
    },
  );
  // Eight calls at once: their key has a pool of 3,201 units.
  for (let id = 1; id <= 8; id += 1) await holds.open(wanted(id));
  await vi.advanceTimersByTimeAsync(0);
  sent.length = 0;
});
afterEach(() => vi.useRealTimers());

const poolId = 99;
const poolUnits = 3_201;
const tick = (): Promise<unknown> => vi.advanceTimersByTimeAsync(tickMs);
const of = (verb: MoneyCommand["verb"]) => sent.filter((command) => command.verb === verb);
const budget = (id: number): NonNullable<OpenedHold["budgets"]>[number] => ({
  ...{ id, start: 1_000, end: null, max: 10_000, target: null },
});
/**
 * `freeUnits` gives what the pool holds for no call: a call that its wallet does not cover has it
 * given back.
 */
async function freeUnits(): Promise<unknown[]> {
  answers = ({ verb }) => (verb === "hold" ? "insufficient_user_quota" : undefined);
  await holds.open(wanted(1_000, { budgets: [budget(5)] }));
  return of("shrink_pool").map((command) => ("amount" in command ? command.amount : undefined));
}
/** An answer of storage that comes when the test says so. */
function later(verb: MoneyCommand["verb"]): (answer?: unknown) => Promise<unknown> {
  let resolve: (answer: unknown) => void = () => undefined;
  const pending = new Promise((done) => (resolve = done));
  answers = (command) => (command.verb === verb ? pending : undefined);
  return (answer) => {
    resolve(answer);
    return vi.advanceTimersByTimeAsync(0);
  };
}

describe("a call that its key's pool covers", () => {
  test("needs no command to begin, and its end names the pool and frees what it did not cost", async () => {
    expect(holds.open(wanted(20))).toBe("held");
    await holds.settle(settled(20));
    expect(sent).toStrictEqual([
      { verb: "settle", ...settled(20), pool: { id: poolId, amount: 100 } },
    ]);
    expect(await freeUnits()).toEqual([poolUnits - 7 - 1]);
  });
  test("that is not charged frees all of its share without a command", async () => {
    expect(holds.open(wanted(20))).toBe("held");
    await holds.release(20);
    expect(sent).toEqual([]);
    expect(await freeUnits()).toEqual([poolUnits - 1]);
  });
  test("has a hold of its own where other budgets limit it, and its end says so", async () => {
    expect(await holds.open(wanted(20, { budgets: [budget(5)] }))).toBe("held");
    expect(of("hold")).toHaveLength(1);
    await holds.settle(settled(20));
    expect(of("settle")).toStrictEqual([{ verb: "settle", ...settled(20), hasBudgets: true }]);
  });
  test("gets a row of its own once it has delivered, before what it delivered is recorded", async () => {
    void holds.open(wanted(20, { snapshot: { note: "n" } }));
    holds.track(20, running({ input: 5, output: 1 }));
    const answer = later("leave_pool");
    await tick();
    const leaseUntil = now + 60_000;
    const leave = {
      verb: "leave_pool",
      id: 20,
      pool: { id: poolId, amount: 100 },
      leaseUntil,
      snapshot: '{"note":"n"}',
    };
    expect(sent).toEqual([leave]);
    await answer();
    expect(of("progress")).toHaveLength(1);
    await holds.settle(settled(20));
    expect(of("settle")).toStrictEqual([{ verb: "settle", ...settled(20) }]);
    // What it took along is the pool's no longer: 900 more for nine calls of 1,000 in all.
    void holds.open(wanted(21, { amount: 300 }));
    expect(of("top_up_hold").at(-1)).toMatchObject({
      id: poolId,
      amount: 4 * 1_100 + 1 - (poolUnits - 100),
    });
  });
  test("tries again to get one when storage does not take it", async () => {
    void holds.open(wanted(20));
    holds.track(20, running({ output: 1 }));
    answers = ({ verb }) => (verb === "leave_pool" ? new StorageUnavailable("gone") : undefined);
    await tick();
    expect(new Set(errors)).toEqual(new Set(["gone"]));
    const before = of("leave_pool").length;
    answers = () => undefined;
    await tick();
    expect(of("leave_pool")).toHaveLength(before + 1);
  });
  test("that ends gets none", async () => {
    void holds.open(wanted(20));
    holds.track(20, running({ output: 1 }));
    const answer = later("settle");
    const ending = holds.settle(settled(20));
    await tick();
    expect(of("leave_pool")).toEqual([]);
    await answer("settled");
    await ending;
  });
  test("gets one before its hold grows", async () => {
    void holds.open(wanted(20));
    const reach = holds.track(20, running({ output: 90 }));
    const answer = later("leave_pool");
    void reach?.grow();
    await vi.advanceTimersByTimeAsync(0);
    expect(sent.map(({ verb }) => verb)).toEqual(["leave_pool"]);
    await answer();
    expect(sent.map(({ verb }) => verb)).toEqual(["leave_pool", "top_up_hold"]);
  });
});

describe("a call beside a pool of its wallet", () => {
  const own = (id: number, more: Partial<OpenedHold> = {}) => wanted(id, { tokenId: 5, ...more });
  const isHold = ({ verb, id }: MoneyCommand & { id?: number }, call: number): boolean =>
    verb === "hold" && id === call;

  test.each(["insufficient_user_quota", "pre_consume_token_quota_failed"])(
    "that is refused with %s is held for from what the pool holds for no call",
    async (refusal) => {
      let refusals = 1;
      answers = (command) => (isHold(command, 30) && refusals-- > 0 ? refusal : undefined);
      expect(await holds.open(own(30))).toBe("held");
      expect(sent.map(({ verb }) => verb)).toEqual(["hold", "shrink_pool", "hold"]);
    },
  );
  test("that is held for in part is held for anew", async () => {
    let parts = 1;
    answers = (command) => (isHold(command, 30) && parts-- > 0 ? 40 : undefined);
    expect(await holds.open(own(30))).toBe("held");
    expect(sent.map(({ verb }) => verb)).toEqual(["hold", "shrink_pool", "release", "hold"]);
  });
  test("that a budget refuses is held for from what pools of this budget hold for no call", async () => {
    const budgets = [budget(5)];
    for (let id = 40; id < 48; id += 1) await holds.open(wanted(id, { budgets }));
    await vi.advanceTimersByTimeAsync(0);
    sent.length = 0;
    let refusals = 1;
    answers = (command) => (isHold(command, 30) && refusals-- > 0 ? "budget:5" : undefined);
    expect(await holds.open(own(30, { budgets: [budget(4), budget(5)] }))).toBe("held");
    expect(sent.map(({ verb }) => verb)).toEqual(["hold", "shrink_pool", "hold"]);
    // The pool of this budget alone: what the wallet covers is not short.
    expect(of("shrink_pool")).toHaveLength(1);
  });
  test("that a budget refuses, and no pool is held on, is refused", async () => {
    answers = (command) => (isHold(command, 30) ? "budget:5" : undefined);
    expect(await holds.open(own(30, { budgets: [budget(5)] }))).toBe("budget:5");
    expect(sent.map(({ verb }) => verb)).toEqual(["hold"]);
  });
  test("that is refused for another reason is refused", async () => {
    answers = (command) => (isHold(command, 30) ? "wallet_in_debt" : undefined);
    expect(await holds.open(own(30))).toBe("wallet_in_debt");
    expect(of("shrink_pool")).toEqual([]);
  });
  test("of another wallet that its own does not cover is refused, and takes nothing from the pool", async () => {
    answers = (command) => (isHold(command, 30) ? "insufficient_user_quota" : undefined);
    expect(await holds.open(own(30, { walletId: 9 }))).toBe("insufficient_user_quota");
    expect(sent.map(({ verb }) => verb)).toEqual(["hold"]);
  });
  test("that was refused is no running call of its key, for which a pool would be opened", async () => {
    answers = (command) =>
      command.verb === "hold" && command.id !== poolId ? "wallet_in_debt" : undefined;
    for (let id = 50; id < 66; id += 1) await holds.open(wanted(id, { tokenId: 6 }));
    await vi.advanceTimersByTimeAsync(0);
    expect(of("hold").filter((command) => "id" in command && command.id === poolId)).toEqual([]);
  });
  test("of another wallet that cost more than its hold leaves the pool alone", async () => {
    await holds.open(own(30, { walletId: 9 }));
    await holds.settle(settled(30, 101));
    expect(of("shrink_pool")).toEqual([]);
  });
  test("grows by what the pool holds for no call", async () => {
    await holds.open(own(30));
    const reach = holds.track(30, running({ output: 90 }));
    let refusals = 1;
    answers = ({ verb }) =>
      verb === "top_up_hold" && refusals-- > 0 ? "insufficient_user_quota" : undefined;
    await reach?.grow();
    expect(sent.map(({ verb }) => verb)).toEqual([
      "hold",
      "top_up_hold",
      "shrink_pool",
      "top_up_hold",
    ]);
    expect(reach?.tokens).toBeGreaterThan(4_096);
  });
  test.each([
    [100, []],
    [101, ["shrink_pool"]],
  ])("that costs %i of 100 pays a debt from the pool: %j", async (charge, expected) => {
    await holds.open(own(30));
    await holds.settle(settled(30, charge));
    expect(sent.map(({ verb }) => verb).filter((verb) => verb === "shrink_pool")).toEqual(expected);
  });
});

test("the lease of a pool is renewed every twenty seconds, as that of a call is", async () => {
  for (let id = 1; id <= 7; id += 1) await holds.release(id);
  const renewals = () => of("progress").map((command) => ("calls" in command ? command.calls : []));
  now += renewMs - 1;
  await tick();
  expect(renewals()).toEqual([]);
  now += 1;
  await tick();
  await tick();
  expect(renewals()).toEqual([
    [
      [8, null],
      [poolId, null],
    ],
  ]);
  now += renewMs;
  await tick();
  expect(renewals()).toHaveLength(2);
});

describe("a call that ends", () => {
  test("does not grow any more", async () => {
    await holds.open(wanted(30, { tokenId: 5 }));
    const reach = holds.track(30, running({ output: 90 }));
    const answer = later("settle");
    const ending = holds.settle(settled(30));
    await reach?.grow();
    expect(of("top_up_hold")).toEqual([]);
    await answer("settled");
    await ending;
  });
  test("tells of each time that storage did not take it", async () => {
    let failures = 2;
    answers = ({ verb }) =>
      verb === "settle" && failures-- > 0 ? new StorageUnavailable("gone") : undefined;
    const ending = holds.settle(settled(1));
    await vi.advanceTimersByTimeAsync(1_000);
    await ending;
    expect([retries, errors]).toEqual([2, ["gone", "gone"]]);
  });
});

test("closing waits for a hold that grows", async () => {
  await holds.open(wanted(30, { tokenId: 5 }));
  holds.track(30, running({ output: 90 }));
  const answer = later("top_up_hold");
  await tick();
  let isClosed = false;
  const closing = holds.close().then(() => {
    isClosed = true;
  });
  await vi.advanceTimersByTimeAsync(0);
  expect(isClosed).toBe(false);
  await answer("held");
  await closing;
});

describe("what is recorded of a call", () => {
  const fee = { ...price, rates: { ...price.rates, calls: "2000000" } };
  const recorded = async (attempt: RunningAttempt): Promise<unknown> => {
    await holds.open(wanted(30, { tokenId: 5 }));
    holds.track(30, attempt);
    await tick();
    const [progress] = of("progress");
    const calls = progress && "calls" in progress ? progress.calls : [];
    return JSON.parse(calls.find(([id]) => id === 30)?.[1] ?? "null");
  };
  test("has the fee of a call that delivered", async () => {
    expect(await recorded(running({ output: 1 }, { price: fee }))).toMatchObject({
      usage: { output: 1, calls: 1 },
    });
  });
  test("has no fee of one that delivered nothing", async () => {
    expect(await recorded(running({}, { price: fee }))).toMatchObject({ usage: noUsage });
    expect(JSON.stringify(of("progress"))).not.toContain('\\"calls\\":1');
  });
  test.each([[undefined], ["b"]])("names the target of a virtual model: %j", async (target) => {
    expect(await recorded(running({ output: 1 }, { target }))).toStrictEqual({
      ...{
        channel_id: 12,
        channel_name: "seven",
        model: "priced",
        price,
        usage: { ...noUsage, output: 1 },
      },
      ...(target && { target }),
    });
  });
});

describe("beside a call that ends", () => {
  const own = (id: number, more: Partial<OpenedHold> = {}) => wanted(id, { tokenId: 5, ...more });
  /** Calls whose settlement storage has not answered. */
  async function ending(...calls: OpenedHold[]): Promise<void> {
    for (const call of calls) await holds.open(call);
    answers = ({ verb }) => (verb === "settle" ? new Promise(() => undefined) : undefined);
    for (const { id } of calls) void holds.settle(settled(id));
  }

  test.each(["held", "gone"])("a hold whose growth is %s asks for it once", async (answer) => {
    await holds.open(own(30));
    const reach = holds.track(30, running({ output: 90 }));
    await ending(own(31));
    const pending = answers;
    answers = (command) => (command.verb === "top_up_hold" ? answer : pending(command));
    await reach?.grow();
    expect(of("top_up_hold")).toHaveLength(1);
  });
  test("a hold that a budget refuses waits for the calls of this budget alone, among whatever others they have", async () => {
    await ending(own(31, { budgets: [budget(6), budget(5)] }));
    const pending = answers;
    answers = (command) => (command.verb === "hold" ? "budget:5" : pending(command));
    const opening = holds.open(own(30, { budgets: [budget(5)] }));
    await vi.advanceTimersByTimeAsync(249);
    expect(of("hold").filter((command) => "id" in command && command.id === 30)).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(await opening).toBe("budget:5");
    expect(of("hold").filter((command) => "id" in command && command.id === 30)).toHaveLength(2);
  });
  test.each([[[6]], [[]], [undefined]])(
    "a hold that a budget refuses does not wait for calls of %j",
    async (others) => {
      await ending(own(31, others && { budgets: others.map(budget) }));
      const pending = answers;
      answers = (command) => (command.verb === "hold" ? "budget:5" : pending(command));
      expect(await holds.open(own(30, { budgets: [budget(5)] }))).toBe("budget:5");
      expect(of("hold").filter((command) => "id" in command && command.id === 30)).toHaveLength(1);
    },
  );
});
