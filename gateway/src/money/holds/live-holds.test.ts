// The holds of running calls against a simulated storage, with a simulated clock and ticks.

import { logRow } from "@tollgate/tests/support/money-fixtures.ts";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { type Database, StorageUnavailable } from "../../storage/database.ts";
import type { MoneyCommand } from "../../storage/money-commands.ts";
import { noUsage } from "../prices/price.ts";
import { type LiveHolds, startLiveHolds } from "./live-holds.ts";
import type { RunningAttempt } from "./running-attempt.ts";

const tickMs = 3_000;
/** `price` is one unit per token, at twice the listed price. */
const price = {
  rates: { input: "2000000", output: "2000000" },
  group_ratio: 2_000_000,
  source: "channel 7",
  source_date: "",
  verified: true,
};
const account = { userId: 1, walletId: 2, tokenIds: [3], channelId: 4 };
const wanted = (id: number, amount = 100) =>
  ({
    id,
    walletId: 2,
    userId: 1,
    tokenId: 3,
    amount,
    tokenIsUnlimited: true,
    snapshot: {},
  }) as const;
const settled = (id: number) => ({ id, charge: 7, log: logRow(account, id), trace: "{}" });

let sent: MoneyCommand[];
let errors: Error[];
let now: number;
/** The reply of storage to a command; an error is thrown. */
let answers: (command: MoneyCommand) => unknown;
let holds: LiveHolds;
let storage: Pick<Database, "money" | "mintId" | "dialect">;

beforeEach(() => {
  vi.useFakeTimers();
  sent = [];
  errors = [];
  now = 1_000_000;
  answers = ({ verb }) =>
    ({ hold: "held", top_up_hold: "held", settle: "settled", release: "released" })[verb as "hold"];
  storage = {
    async money(command: MoneyCommand) {
      sent.push(command);
      const answer = await answers(command);
      if (answer instanceof Error) throw answer;
      return answer;
    },
    dialect: "postgres",
    mintId: () => 0,
  } as Pick<Database, "money" | "mintId" | "dialect">;
  holds = startLiveHolds(
    storage,
    () => now,
    (error) => errors.push(error),
  );
});
afterEach(() => vi.useRealTimers());

const tick = () => vi.advanceTimersByTimeAsync(tickMs);
const of = (verb: MoneyCommand["verb"]) => sent.filter((command) => command.verb === verb);

describe("opening a hold", () => {
  test("sets a lease of one minute", async () => {
    expect(await holds.open(wanted(7))).toBe("held");
    expect(sent).toEqual([
      { verb: "hold", ...wanted(7), snapshot: "{}", leaseUntil: now + 60_000 },
    ]);
    expect([holds.isLive(7), holds.isLive(8)]).toEqual([true, false]);
  });
  test("that is refused leaves no live hold", async () => {
    answers = () => "insufficient_user_quota";
    expect(await holds.open(wanted(7))).toBe("insufficient_user_quota");
    expect(holds.isLive(7)).toBe(false);
  });
  test("that fails leaves no live hold and rejects with the cause", async () => {
    answers = () => new StorageUnavailable("gone");
    await expect(holds.open(wanted(7))).rejects.toThrow("gone");
    expect(holds.isLive(7)).toBe(false);
  });
  test("is live while storage has not replied yet, so that no sweeper ends it", async () => {
    answers = () => holds.isLive(7);
    expect(await holds.open(wanted(7))).toBe(true);
  });
});

describe("a hold that storage refuses while the end of an earlier call is being stored", () => {
  const pool = { start: 0, end: 1, max: 100, target: null };
  const refused = (...refusals: unknown[]) => {
    let store: (result: string) => void = () => undefined;
    answers = ({ verb }) => {
      if (verb === "hold") return refusals.shift() ?? "held";
      return verb === "settle" ? new Promise((resolve) => (store = resolve)) : "released";
    };
    return (result: string) => store(result);
  };

  test.each([
    ["insufficient_user_quota", {}],
    ["pre_consume_token_quota_failed", {}],
    ["wallet_in_debt", {}],
    ["budget:5", { budgets: [{ id: 5, ...pool }] }],
  ])("is asked for again after that (%s)", async (refusal, limited) => {
    await holds.open({ ...wanted(1), ...limited });
    const store = refused(refusal);
    const ended = holds.settle(settled(1));
    const opened = holds.open({ ...wanted(2), ...limited });
    await vi.advanceTimersByTimeAsync(100);
    expect(of("hold")).toHaveLength(2);
    store("settled");
    expect(await opened).toBe("held");
    await ended;
    expect(of("hold").map((command) => "id" in command && command.id)).toEqual([1, 2, 2]);
  });
  test("gives back the part that it got, to get all of it", async () => {
    await holds.open(wanted(1));
    const store = refused(30);
    const timers = vi.getTimerCount();
    const ended = holds.settle(settled(1));
    const opened = holds.open(wanted(2));
    await vi.advanceTimersByTimeAsync(1);
    store("settled");
    expect(await opened).toBe("held");
    await ended;
    // Nothing waits any longer.
    expect(vi.getTimerCount()).toBe(timers);
    expect(of("release")).toEqual([{ verb: "release", id: 2 }]);
  });
  test("waits for it no longer than a quarter of a second", async () => {
    await holds.open(wanted(1));
    refused("insufficient_user_quota", "insufficient_user_quota");
    void holds.settle(settled(1));
    const opened = holds.open(wanted(2));
    await vi.advanceTimersByTimeAsync(250);
    expect(await opened).toBe("insufficient_user_quota");
  });
  test("is refused at once where that call is of another wallet, or of another budget", async () => {
    await holds.open(wanted(1));
    await holds.open({ ...wanted(4), budgets: [{ id: 6, ...pool }] });
    const store = refused("insufficient_user_quota", "budget:5");
    void holds.settle(settled(4));
    void holds.settle(settled(1));
    expect(await holds.open({ ...wanted(2), walletId: 9 })).toBe("insufficient_user_quota");
    expect(await holds.open({ ...wanted(3), budgets: [{ id: 5, ...pool }] })).toBe("budget:5");
    store("settled");
  });
});

describe("a call that delivers nothing yet", () => {
  test("has its lease renewed every 20 seconds", async () => {
    await holds.open(wanted(7));
    const openedAt = now;
    now = openedAt + 19_999;
    await tick();
    expect(of("progress")).toEqual([]);
    now = openedAt + 20_000;
    await tick();
    expect(of("progress")).toEqual([
      { verb: "progress", leaseUntil: now + 60_000, calls: [[7, null]] },
    ]);
    now += 19_999;
    await tick();
    expect(of("progress")).toHaveLength(1);
    now += 1;
    await tick();
    expect(of("progress")).toHaveLength(2);
  });
  test("is checked only once per tick", async () => {
    await holds.open(wanted(7));
    now += 30_000;
    await vi.advanceTimersByTimeAsync(tickMs - 1);
    expect(of("progress")).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(of("progress")).toHaveLength(1);
  });
  test("has no lease after it has ended", async () => {
    await holds.open(wanted(7));
    await holds.release(7);
    now += 30_000;
    await tick();
    expect(of("progress")).toEqual([]);
  });
});

describe("a call that delivers", () => {
  let output: number;
  let stopped: number;
  const running = (): RunningAttempt => ({
    channelId: 12,
    channelName: "seven",
    model: "priced",
    price,
    usage: () => ({ ...noUsage, input: 10, output }),
    stop: () => {
      stopped += 1;
    },
  });
  beforeEach(async () => {
    output = 20;
    stopped = 0;
    await holds.open(wanted(7, 100_000));
    holds.track(7, running());
  });
  const recorded = () =>
    of("progress").map((command) => (command.verb === "progress" ? command.calls : []));
  const grown = () =>
    of("top_up_hold").map((command) => (command.verb === "top_up_hold" ? command.amount : 0));

  test("has its delivery recorded once, and again when it grows or the lease is due", async () => {
    const record = { channel_id: 12, channel_name: "seven", model: "priced", price };
    const first = [7, JSON.stringify({ ...record, usage: { ...noUsage, input: 10, output: 20 } })];
    await tick();
    await tick();
    expect(recorded()).toEqual([[first]]);
    now += 20_000;
    await tick();
    expect(recorded()).toEqual([[first], [first]]);
    output = 21;
    await tick();
    expect(recorded()[2]).toEqual([
      [7, JSON.stringify({ ...record, usage: { ...noUsage, input: 10, output: 21 } })],
    ]);
  });
  test("that has delivered nothing has nothing recorded: if the process ends, it is free", async () => {
    let hasDelivered = false;
    holds.track(7, { ...running(), hasDelivered: () => hasDelivered });
    await tick();
    expect(recorded()).toEqual([]);
    now += 20_000;
    await tick();
    expect(recorded()).toEqual([[[7, null]]]);
    hasDelivered = true;
    await tick();
    expect(recorded()[1]).toEqual([[7, expect.stringContaining('"output":20')]]);
  });
  test("goes on where its growth was granted, also where only its prompt costs something", async () => {
    let input = 10;
    const freeAnswers = { ...price, rates: { input: "2000000", output: "0" } };
    holds.track(7, {
      ...running(),
      price: freeAnswers,
      usage: () => ({ ...noUsage, input, output }),
    });
    input = 60_000;
    await tick();
    expect(grown()).toEqual([20_000]);
    expect(stopped).toBe(0);
  });
  test("has its delivery recorded with the next tick when storage failed", async () => {
    answers = () => new StorageUnavailable("later");
    await tick();
    expect(errors).toHaveLength(1);
    answers = () => "noted";
    await tick();
    await tick();
    expect(recorded()).toHaveLength(2);
  });
  test("is not recorded for an unknown id, nor after it ended while storage was busy", async () => {
    holds.track(8, running());
    answers = async ({ verb }) => (verb === "progress" ? await holds.release(7) : "released");
    await tick();
    expect(recorded().map((calls) => calls.map(([id]) => id))).toEqual([[7]]);
    expect(holds.isLive(7)).toBe(false);
    now += 30_000;
    await tick();
    expect(recorded()).toHaveLength(1);
    expect(errors).toEqual([]);
  });

  /** `unitsOf` is for completion tokens, with the ten of the prompt. */
  const unitsOf = (tokens: number) => 2 * (10 + tokens);
  test("extends its hold when half of the margin is used up", async () => {
    output = (100_000 - 20) / 2 - 2_048;
    expect(unitsOf(output + 2_048)).toBe(100_000);
    await tick();
    expect(grown()).toEqual([]);
    output += 1;
    await tick();
    const ahead = unitsOf(output + 4_096);
    expect(of("top_up_hold")).toEqual([{ verb: "top_up_hold", id: 7, amount: ahead - 100_000 }]);
    output += 2_048;
    await tick();
    expect(grown()).toHaveLength(1);
    output += 1;
    await tick();
    expect(grown()[1]).toBe(unitsOf(output + 4_096) - ahead);
    expect(stopped).toBe(0);
  });
  test("does not extend its hold while it delivers nothing new", async () => {
    output = 60_000;
    answers = ({ verb }) => (verb === "top_up_hold" ? "insufficient_user_quota" : "noted");
    await tick();
    now += 30_000;
    await tick();
    expect(grown()).toHaveLength(1);
  });
  test("is stopped when the balance does not suffice and its hold is used up", async () => {
    answers = ({ verb }) => (verb === "top_up_hold" ? "pre_consume_token_quota_failed" : "noted");
    output = 49_989;
    expect(unitsOf(output)).toBe(99_998);
    await tick();
    expect([grown().length, stopped]).toEqual([1, 0]);
    output = 49_990;
    await tick();
    expect([grown().length, stopped]).toEqual([2, 1]);
  });
  test("continues when its hold has already ended", async () => {
    answers = ({ verb }) => (verb === "top_up_hold" ? "gone" : "noted");
    output = 90_000;
    await tick();
    expect([grown().length, stopped]).toEqual([1, 0]);
  });
  test("continues when storage fails to extend its hold, and the error is reported", async () => {
    answers = ({ verb }) => (verb === "top_up_hold" ? new StorageUnavailable("away") : "noted");
    output = 90_000;
    await tick();
    expect([grown().length, stopped, errors.length]).toEqual([1, 0, 1]);
  });
  test("extends a hold that could not be extended by the same amount with the next tick", async () => {
    answers = ({ verb }) => (verb === "top_up_hold" ? "insufficient_user_quota" : "noted");
    output = 48_500;
    await tick();
    answers = () => "held";
    output += 1;
    await tick();
    expect(grown()).toEqual([unitsOf(48_500 + 4_096) - 100_000, unitsOf(48_501 + 4_096) - 100_000]);
  });
});

describe("the reach of a hold", { tags: ["S2-04"] }, () => {
  let output: number;
  const running = (): RunningAttempt => ({
    channelId: 12,
    channelName: "seven",
    model: "priced",
    price,
    usage: () => ({ ...noUsage, input: 10, output }),
    stop: () => undefined,
  });
  const tracked = async (amount: number) => {
    output = 0;
    await holds.open(wanted(7, amount));
    const reach = holds.track(7, running());
    if (!reach) throw new Error("the hold has no reach");
    return reach;
  };

  test("is the tokens that its units pay beside the prompt, and ends with none where there is no hold", async () => {
    expect(await tracked(220)).toMatchObject({ tokens: 100, growFrom: 75 });
    expect(holds.track(8, running())).toBeUndefined();
  });
  test("is that of what was set aside, where the balance covered less", async () => {
    answers = () => 120;
    expect(await tracked(220)).toMatchObject({ tokens: 50, growFrom: 37 });
  });
  test("grows by the margin, with the hold", async () => {
    const reach = await tracked(220);
    await reach.grow();
    expect(of("top_up_hold")).toEqual([{ verb: "top_up_hold", id: 7, amount: 2 * 4_096 }]);
    expect(reach).toMatchObject({ tokens: 4_196, growFrom: 3_147 });
  });
  test("grows once, however many events ask for it meanwhile, and asks for no growth before the end of one", async () => {
    const reach = await tracked(220);
    const growths = [reach.grow(), reach.grow()];
    expect(reach.growFrom).toBe(100);
    await Promise.all(growths);
    expect(of("top_up_hold")).toHaveLength(1);
    expect(reach.tokens).toBe(4_196);
  });
  test("covers what arrived in one read, however much more than the margin that is", async () => {
    const reach = await tracked(220);
    output = 25_600;
    await reach.grow();
    expect(reach.tokens).toBe(25_600 + 4_096);
  });
  test("covers what arrived while a smaller growth was under way", async () => {
    const reach = await tracked(220);
    const first = reach.grow();
    output = 25_600;
    await Promise.all([first, reach.grow()]);
    expect(of("top_up_hold")).toHaveLength(2);
    expect(reach.tokens).toBe(25_600 + 4_096);
  });
  describe("on the budgets of the channel that the call is tried on", () => {
    const budgets = [{ id: 5, start: 0, end: 1, max: 100_000, target: null }];
    const enter = (amount: number) => holds.enter(7, { channelId: 12, budgets, amount });
    const added = () =>
      of("top_up_hold").map((command) => "onChannel" in command && command.onChannel);
    const growAt = async (delivered: number, reach: { grow(): Promise<void> }) => {
      output = delivered;
      await reach.grow();
    };
    beforeEach(() => {
      answers = () => "held";
    });

    test("grows by what is missing there, from one growth to the next", async () => {
      const reach = await tracked(220);
      await enter(200);
      await growAt(100, reach);
      await growAt(5_000, reach);
      // 2 * (10 + 100 + 4,096) units, then 2 * (10 + 5,000 + 4,096).
      expect(added()).toEqual([8_412 - 200, 18_212 - 8_412]);
    });
    test("stays where more is held there than the reply may come to", async () => {
      const reach = await tracked(220);
      await enter(10_000);
      await growAt(100, reach);
      await growAt(5_000, reach);
      expect(added()).toEqual([false, 18_212 - 10_000]);
    });
    test("stays where a growth is refused", async () => {
      const reach = await tracked(220);
      await enter(200);
      answers = () => "insufficient_user_quota";
      await growAt(100, reach);
      answers = () => "held";
      await growAt(5_000, reach);
      expect(added()).toEqual([8_412 - 200, 18_212 - 200]);
    });
    test("is that of the next channel, where the call goes there meanwhile", async () => {
      const reach = await tracked(220);
      await enter(200);
      const growing = growAt(100, reach);
      await enter(300);
      await growing;
      await growAt(5_000, reach);
      expect(added()).toEqual([8_412 - 200, 18_212 - 300]);
    });
  });
  test("stays where it is when the balance covers no more, and no event asks again before it is passed", async () => {
    const reach = await tracked(220);
    answers = () => "insufficient_user_quota";
    await reach.grow();
    expect(reach).toMatchObject({ tokens: 100, growFrom: 100 });
  });
  test("stays where it is when storage fails, and the error is reported", async () => {
    const reach = await tracked(220);
    answers = () => new StorageUnavailable("away");
    await reach.grow();
    expect(reach).toMatchObject({ tokens: 100, growFrom: 100 });
    expect(errors).toHaveLength(1);
  });
});

describe("calls that share a pool", () => {
  const running = (): RunningAttempt => ({
    ...{ channelId: 12, channelName: "seven", model: "priced", price, stop: () => undefined },
    usage: () => ({ ...noUsage, input: 10, output: 20 }),
  });
  /** Eight calls with holds of their own, which open the pool, and call 20 with a share of it. */
  beforeEach(async () => {
    holds = startLiveHolds(
      { ...storage, dialect: "sqlite", mintId: () => 99 },
      () => now,
      (error) => errors.push(error),
    );
    for (let id = 1; id <= 8; id += 1) await holds.open(wanted(id));
    await vi.advanceTimersByTimeAsync(0);
    expect(holds.open(wanted(20))).toBe("held");
    sent = [];
  });

  test("are settled within it", async () => {
    await holds.settle(settled(20));
    expect(of("settle")).toMatchObject([{ id: 20, charge: 7, pool: { id: 99, amount: 100 } }]);
    expect([holds.isLive(20), holds.isLive(99)]).toEqual([false, true]);
  });
  test("that deliver nothing leave no trace in storage", async () => {
    await holds.release(20);
    expect(sent).toEqual([]);
  });
  test("that run for longer get reservations of their own before their delivery is recorded", async () => {
    holds.track(20, running());
    await tick();
    expect(sent.map(({ verb }) => verb)).toEqual(["leave_pool", "top_up_hold", "progress"]);
    expect(of("leave_pool")).toMatchObject([
      { id: 20, pool: { id: 99, amount: 100 }, leaseUntil: now + 60_000 },
    ]);
    await holds.settle(settled(20));
    expect(of("settle")).toEqual([{ verb: "settle", ...settled(20) }]);
  });
  test("that end while they get reservations are settled after that, from where their units are then", async () => {
    for (const fails of [false, true]) {
      const id = fails ? 22 : 21;
      expect(holds.open(wanted(id))).toBe("held");
      holds.track(id, running());
      let leave: (result: unknown) => void = () => undefined;
      answers = ({ verb }) =>
        verb === "leave_pool" ? new Promise((resolve) => (leave = resolve)) : "settled";
      sent = [];
      await tick();
      const ended = holds.settle(settled(id));
      await vi.advanceTimersByTimeAsync(10);
      expect(of("settle")).toEqual([]);
      leave(fails ? new StorageUnavailable("away") : "left");
      await ended;
      expect(of("settle")).toEqual([
        { verb: "settle", ...settled(id), ...(fails && { pool: { id: 99, amount: 100 } }) },
      ]);
    }
  });
  test("that grow get reservations of their own first", async () => {
    const reach = holds.track(20, running());
    await reach?.grow();
    expect(sent.map(({ verb }) => verb)).toEqual(["leave_pool", "top_up_hold"]);
  });
  test("begin no more while storage fails, and again when it has taken something", async () => {
    answers = () => new StorageUnavailable("away");
    const ended = holds.settle(settled(20));
    await vi.advanceTimersByTimeAsync(0);
    await expect(holds.open(wanted(21))).rejects.toThrow("away");
    answers = () => "settled";
    await vi.advanceTimersByTimeAsync(1_000);
    await ended;
    expect(holds.open(wanted(22))).toBe("held");
  });
  test("let the pool end with the last of them", async () => {
    for (const id of [1, 2, 3, 4, 5, 6, 7, 8]) await holds.release(id);
    expect(holds.isLive(99)).toBe(true);
    await holds.settle(settled(20));
    await vi.advanceTimersByTimeAsync(0);
    expect(sent.at(-1)).toEqual({ verb: "release", id: 99 });
    expect(holds.isLive(99)).toBe(false);
  });
  test("that cost more than their share let the pool pay the debt with what it holds for no call", async () => {
    await holds.settle({ ...settled(20), charge: 250 });
    expect(of("shrink_pool")).toHaveLength(1);
  });
  test("give back what a smaller number of calls does not need", async () => {
    for (const id of [1, 2, 3, 4, 5, 6, 7]) await holds.release(id);
    await tick();
    expect(of("shrink_pool")).toMatchObject([{ id: 99 }]);
  });
  test("have the lease of their pool renewed", async () => {
    now += 20_000;
    await tick();
    expect(of("progress")).toMatchObject([
      { leaseUntil: now + 60_000, calls: expect.arrayContaining([[99, null]]) },
    ]);
  });
});

test("a charge that was not covered is told, with its channel", { tags: ["S2-04"] }, async () => {
  const uncoveredChannels: number[] = [];
  let answer = "short";
  const db = { money: async () => answer } as unknown as Pick<
    Database,
    "money" | "mintId" | "dialect"
  >;
  const others = startLiveHolds(
    db,
    () => now,
    () => undefined,
    (channelId) => uncoveredChannels.push(channelId),
  );
  await others.settle(settled(7));
  answer = "settled";
  await others.settle(settled(8));
  expect(uncoveredChannels).toEqual([4]);
});

describe("the end of a hold", () => {
  test("is sent, and then the hold is not live any more", async () => {
    await holds.open(wanted(7));
    await holds.open(wanted(8));
    await holds.settle(settled(7));
    await holds.release(8);
    expect(sent.slice(2)).toEqual([
      { verb: "settle", ...settled(7) },
      { verb: "release", id: 8 },
    ]);
    expect([holds.isLive(7), holds.isLive(8)]).toEqual([false, false]);
  });

  test("is retried until storage is available, with growing delays of at most five seconds", async () => {
    await holds.open(wanted(7));
    let tries = 0;
    const at: number[] = [];
    answers = () => {
      tries += 1;
      at.push(Date.now());
      return tries < 30 ? new StorageUnavailable("away") : "settled";
    };
    const done = holds.settle(settled(7));
    await vi.advanceTimersByTimeAsync(60_000);
    expect(holds.isLive(7)).toBe(true);
    await vi.advanceTimersByTimeAsync(60_000);
    await done;
    const waits = at.slice(1).map((time, index) => time - (at[index] ?? 0));
    expect(waits).toEqual(Array.from({ length: 29 }, (_, index) => 250 * Math.min(index + 1, 20)));
    expect(errors).toHaveLength(29);
    expect(holds.isLive(7)).toBe(false);
  });

  test("that storage rejects is left to the sweeper after the fourth attempt", async () => {
    await holds.open(wanted(7));
    const failures = [
      new Error("no"),
      new StorageUnavailable("away"),
      new Error("no"),
      new Error("no"),
      new Error("no"),
    ];
    answers = () => failures[errors.length] ?? "settled";
    const done = holds.settle(settled(7));
    await vi.advanceTimersByTimeAsync(60_000);
    await done;
    expect(errors).toEqual(failures);
    expect(of("settle")).toHaveLength(5);
    expect(holds.isLive(7)).toBe(false);
  });

  test("is awaited when the gateway stops, and the ticks end", async () => {
    await holds.open(wanted(7));
    await holds.open(wanted(8));
    let finish: (answer: string) => void = () => undefined;
    answers = () => new Promise((resolve) => (finish = resolve));
    void holds.settle(settled(7));
    let isClosed = false;
    const closed = holds.close().then(() => {
      isClosed = true;
    });
    await vi.advanceTimersByTimeAsync(1_000);
    expect(isClosed).toBe(false);
    finish("settled");
    await closed;
    now += 60_000;
    await vi.advanceTimersByTimeAsync(60_000);
    expect(of("progress")).toEqual([]);
  });

  test("is tried 21 times when the gateway stops and storage stays unavailable", async () => {
    await holds.open(wanted(7));
    answers = () => new StorageUnavailable("away");
    void holds.settle(settled(7));
    const closed = holds.close();
    await vi.advanceTimersByTimeAsync(200_000);
    await closed;
    expect(of("settle")).toHaveLength(21);
  });

  test("is not awaited after it has completed", async () => {
    await holds.open(wanted(7));
    await holds.settle(settled(7));
    answers = () => new Promise(() => undefined);
    await holds.close();
    expect(of("settle")).toHaveLength(1);
  });
});
