import {
  createTestAccount,
  holdOf,
  type TestAccount,
  walletOf,
} from "@tollgate/tests/support/money-fixtures.ts";
import { type TestDatabase, testDatabases } from "@tollgate/tests/support/test-databases.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Database } from "../../storage/database.ts";
import { auditBooks } from "../audit/audit.ts";
import type { CallSnapshot } from "../call-log-row.ts";
import { noUsage } from "../prices/price.ts";
import { startLiveHolds } from "./live-holds.ts";
import type { ProgressRecord } from "./running-attempt.ts";
import { sweep } from "./sweep.ts";

const snapshot: CallSnapshot = {
  username: "mira",
  token_name: "laptop",
  origin_model_name: "requested",
  is_stream: true,
  url: "/v1/chat/completions",
  method: "POST",
  body_size: 100,
  received_at: Date.UTC(2026, 10, 20),
};
/** 1 unit per prompt token and 4 per completion token, at a group ratio of 1.5. */
const price = {
  rates: { input: "2000000", output: "8000000" },
  group_ratio: 1_500_000,
  source: "channel 7",
  source_date: "",
  verified: true,
};
const recorded = (channel: number, output: number): string => {
  const progress: ProgressRecord = {
    channel_id: channel,
    channel_name: "seven",
    model: "priced",
    price,
    usage: { ...noUsage, input: 10, output },
  };
  return JSON.stringify(progress);
};

describe.each(testDatabases)("the sweeper on $name", (database) => {
  let storage: TestDatabase;
  let db: Database;
  let account: TestAccount;
  beforeAll(async () => {
    storage = await database.open();
    db = storage.db;
    account = await createTestAccount(db, 10_000, [null]);
  });
  afterAll(() => storage.close());

  const noneIsLive = () => false;
  const hold = async (leaseUntil: number, amount = 100): Promise<number> => {
    const id = db.mintId();
    const held = await db.money(
      holdOf(account, id, amount, { leaseUntil, snapshot: JSON.stringify(snapshot) }),
    );
    expect(held).toBe("held");
    return id;
  };
  const open = async () =>
    (await db.read(db.sql.selectFrom("reservations").select("id").orderBy("id"))).map(
      ({ id }) => id,
    );

  test("settles recorded deliveries, with a row and a trace, and releases everything else", {
    tags: ["FT-02"],
  }, async () => {
    const [delivered, silent] = [await hold(1_000), await hold(1_000)];
    await db.money({
      verb: "progress",
      leaseUntil: 1_000,
      calls: [[delivered, recorded(account.channelId, 20)]],
    });
    const before = await walletOf(db, account);

    expect(await sweep(db, { now: 2_000, isLive: noneIsLive, startedAtId: 0 })).toBe(2);

    expect(await open()).toEqual([]);
    const charge = Math.ceil((10 + 20 * 4) * 1.5);
    expect(await walletOf(db, account)).toMatchObject({
      balance: before.balance - charge,
      held: 0,
    });
    const rows = await db.read(
      db.sql.selectFrom("logs").selectAll().where("id", "in", [delivered, silent]),
    );
    expect(rows).toHaveLength(1);
    expect(rows[0]).toMatchObject({
      id: delivered,
      type: 2,
      username: "mira",
      token_name: "laptop",
      channel_id: account.channelId,
      channel_name: "seven",
      model_name: "priced",
      origin_model_name: "requested",
      quota: charge,
      prompt_tokens: 10,
      completion_tokens: 20,
      outcome: "interrupted",
      is_stream: 1,
      elapsed_ms: 0,
      ttft_ms: 0,
      price: JSON.stringify(price),
    });
    const [trace] = await db.read(
      db.sql.selectFrom("traces").selectAll().where("id", "=", delivered),
    );
    expect(JSON.parse(trace?.data ?? "")).toEqual({
      ...{ url: snapshot.url, method: "POST", body_size: 100, status: 0 },
      timestamps: { request_received: snapshot.received_at },
      ...{ attempts: [], candidates: [] },
    });
    expect(await auditBooks(db)).toEqual([]);
    expect(await sweep(db, { now: 2_000, isLive: noneIsLive, startedAtId: 0 })).toBe(0);
  });

  test("touches neither a hold with a valid lease nor one of a running call of this process", async () => {
    const [leased, live] = [await hold(10_000), await hold(1_000)];
    expect(await sweep(db, { now: 5_000, isLive: (id) => id === live, startedAtId: 0 })).toBe(0);
    expect(await open()).toEqual([leased, live]);
    for (const id of [leased, live]) await db.money({ verb: "release", id });
  });

  test("leaves a hold alone until its lease has expired, and one that is not older than our start", async () => {
    const id = await hold(5_000);
    expect(await sweep(db, { now: 5_000, isLive: noneIsLive, startedAtId: id })).toBe(0);
    expect(await sweep(db, { now: 5_001, isLive: noneIsLive, startedAtId: id })).toBe(1);
    expect(await open()).toEqual([]);
  });

  test("ends holds of an earlier process of this node despite their lease, and no later ones", async () => {
    const left = await hold(10_000);
    const startedAtId = db.mintId();
    const mine = await hold(10_000);
    const foreign = db.mintId();
    const row = {
      id: left - 1,
      wallet_id: account.walletId,
      user_id: account.userId,
      token_id: account.tokenIds[0] ?? 0,
      amount: 0,
      token_amount: 0,
      node: db.node + 1,
      lease_until: 10_000,
      snapshot: "{}",
      progress: null,
    };
    await db.write([{ query: db.sql.insertInto("reservations").values(row) }]);
    expect(foreign).toBeGreaterThan(mine);
    expect(await sweep(db, { now: 5_000, isLive: noneIsLive, startedAtId })).toBe(1);
    expect(await open()).toEqual([left - 1, mine]);
    expect(await sweep(db, { now: 20_000, isLive: noneIsLive, startedAtId })).toBe(2);
    expect(await auditBooks(db)).toEqual([]);
  });

  test("on two nodes at once ends each hold once", { tags: ["F-46"] }, async () => {
    const ids = await Promise.all(Array.from({ length: 20 }, () => hold(1_000)));
    await db.money({
      verb: "progress",
      leaseUntil: 1_000,
      calls: ids.map((id) => [id, recorded(account.channelId, 5)]),
    });
    const before = await walletOf(db, account);
    await Promise.all(
      [1, 2, 3].map(() => sweep(db, { now: 2_000, isLive: noneIsLive, startedAtId: 0 })),
    );
    expect(await walletOf(db, account)).toMatchObject({
      balance: before.balance - 20 * 45,
      held: 0,
    });
    expect(await auditBooks(db)).toEqual([]);
  });

  test("ends every orphan, however many there are", async () => {
    const ids = await Promise.all(Array.from({ length: 700 }, (_, n) => hold(1_000 - n, 1)));
    const round = () => sweep(db, { now: 2_000, isLive: noneIsLive, startedAtId: 0 });
    expect(await round()).toBe(500);
    expect(await open()).toEqual(ids.toSorted((one, other) => one - other).slice(500));
    expect([await round(), await round()]).toEqual([200, 0]);
    expect(await open()).toEqual([]);
    expect(await auditBooks(db)).toEqual([]);
  });

  test("ends the other orphans although one is unreadable", async () => {
    const broken = await hold(1_000);
    const sound = await hold(1_000);
    await db.money({ verb: "progress", leaseUntil: 1_000, calls: [[broken, "{ this is no JSON"]] });
    await sweep(db, { now: 2_000, isLive: noneIsLive, startedAtId: 0 }).catch(() => undefined);
    expect(await open()).not.toContain(sound);
    await db.money({ verb: "release", id: broken });
  });
});

describe.each(testDatabases)("live holds on $name", (database) => {
  let storage: TestDatabase;
  let db: Database;
  beforeAll(async () => {
    storage = await database.open();
    db = storage.db;
  });
  afterAll(() => storage.close());

  const noTrouble = (error: Error) => {
    throw error;
  };
  const reservation = async (id: number) =>
    (await db.read(db.sql.selectFrom("reservations").selectAll().where("id", "=", id)))[0];
  const until = async (claim: () => Promise<boolean>) => {
    while (!(await claim())) await new Promise((resolve) => setTimeout(resolve, 50));
  };

  test("record a running call, renew its lease and extend its hold; an insufficient balance stops it", async () => {
    const account = await createTestAccount(db, 30_000, [null]);
    const holds = startLiveHolds(db, Date.now, noTrouble);
    const id = db.mintId();
    const { verb: _, leaseUntil: __, ...wanted } = holdOf(account, id, 100);
    expect(await holds.open({ ...wanted, snapshot })).toBe("held");
    let output = 20;
    const stopped = new Promise<void>((resolve) => {
      holds.track(id, {
        channelId: account.channelId,
        channelName: "seven",
        model: "priced",
        price,
        usage: () => ({ ...noUsage, input: 10, output }),
        stop: resolve,
      });
    });
    await until(async () => (await reservation(id))?.progress !== null);
    expect(JSON.parse((await reservation(id))?.progress ?? "")).toMatchObject({
      usage: { input: 10, output: 20 },
    });
    // Held in advance: 10 + (20 + 4,096) × 4, times 1.5.
    await until(async () => ((await reservation(id))?.amount ?? 0) > 100);
    expect((await reservation(id))?.amount).toBe((10 + (20 + 4_096) * 4) * 1.5);
    expect(await walletOf(db, account)).toMatchObject({ held: 24_711 });
    output = 6_000;
    await stopped;
    await holds.release(id);
    await holds.close();
    expect(await walletOf(db, account)).toMatchObject({ balance: 30_000, held: 0 });
    expect(await auditBooks(db)).toEqual([]);
  });
});
