// Videos over hours, nodes and crashes, with the clock of the test.
import { startSimulator } from "@tollgate/simulator/simulator.ts";
import { createTestAccount, type TestAccount } from "@tollgate/tests/support/money-fixtures.ts";
import { relayChannel } from "@tollgate/tests/support/relay-channel.ts";
import { type TestDatabase, testDatabases } from "@tollgate/tests/support/test-databases.ts";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createEgress } from "../../egress/egress.ts";
import { sweep } from "../../money/sweep.ts";
import type { Database } from "../../storage/database.ts";
import { openDatabase } from "../../storage/open-database.ts";
import type { VideoTaskRow } from "../../storage/tables/call-tables.ts";
import { idTime } from "../../storage/time-ids.ts";
import { providerStateStore } from "../provider-states/provider-state-store.ts";
import { openProviderStates } from "../provider-states/provider-states.ts";
import { openAi } from "../providers/standard-providers.ts";
import { createProviderTokens } from "../upstream/provider-tokens.ts";
import { videoStore } from "./video-store.ts";
import { createVideos } from "./video-tasks.ts";
import type { VideoTerms } from "./video-terms.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const key = "sim-as-video-nodes";
/** A unit for each second. */
const price = {
  rates: { seconds: "2000000" },
  group_ratio: 1_000_000,
  source: "test",
  source_date: "",
  verified: true,
};

describe.each(testDatabases)("videos on $name", ({ name, open }) => {
  let database: TestDatabase;
  let simulator: Awaited<ReturnType<typeof startSimulator>>;
  let egress: ReturnType<typeof createEgress>;
  let account: TestAccount;
  /** The clock of all nodes. */
  let now: number;
  const others: Database[] = [];
  beforeAll(async () => {
    [database, simulator] = await Promise.all([open(), startSimulator()]);
    egress = createEgress(new Set([new URL(simulator.url).host]));
  });
  afterAll(async () => {
    await egress.close();
    await simulator.close();
    await database.close();
  });
  beforeEach(async () => {
    account = await createTestAccount(database.db, 10_000, [null]);
    simulator.script(key, {});
    now = Date.now();
  });
  afterEach(async () => {
    for (const db of others.splice(0)) await db.close();
  });

  /** The videos of one node. */
  const nodeOn = async (db: Database) => {
    const videos = new URL(`${simulator.url}/v1/videos`);
    const keys = [{ index: 0, key, hint: "", status: 1 }];
    const channel = relayChannel(account.channelId, {
      models: new Set(["m"]),
      urlsFor: () => ({ videos }),
      provider: openAi,
      key,
      keys,
    });
    const errors: unknown[] = [];
    const clock = { now: () => now, onError: (error: unknown) => errors.push(error) };
    const states = await openProviderStates({ db, store: providerStateStore(db), ...clock });
    const tasks = createVideos({
      ...clock,
      egress,
      providerTokens: createProviderTokens(egress, () => now),
      db,
      store: videoStore(db),
      states,
      channels: { snapshot: { channels: [channel] } as never },
      metrics: { settled: () => undefined },
      onShortfall: () => undefined,
    });
    return { tasks, states, errors, home: { channel, key: keys[0] as (typeof keys)[number] } };
  };

  /** A video of eight seconds as its creation leaves it: row and hold, and the provider's id if it was told. */
  async function begun(isTaken = true): Promise<number> {
    const { db } = database;
    const id = db.mintId();
    const terms: VideoTerms = {
      asked: price,
      bySize: {},
      snapshot: {
        username: "ann",
        token_name: "key",
        origin_model_name: "m",
        is_stream: false,
        url: "/v1/videos",
        method: "POST",
        body_size: 0,
        received_at: now,
      },
      tokenId: account.tokenIds[0] ?? 0,
      group: "default",
      channelName: "channel",
      model: "m",
      seconds: 8,
      size: "",
      isDistrusted: false,
      hasBudgets: false,
      elapsedMs: 5,
      retries: 0,
    };
    const row: VideoTaskRow = {
      id,
      video_id: `video_${id}`,
      upstream_id: null,
      channel_id: account.channelId,
      user_id: account.userId,
      state: "creating",
      terms: "",
      answer: JSON.stringify({ model: "m", seconds: 8 }),
      created_at: idTime(id),
      expires_at: idTime(id) + 24 * hourMs,
      due_at: idTime(id) + 30 * minuteMs,
      lease_until: 0,
    };
    const { tasks, states, home } = await nodeOn(db);
    await db.write([tasks.store.insert(row)]);
    const held = await db.money({
      verb: "hold",
      id,
      walletId: account.walletId,
      userId: account.userId,
      tokenId: terms.tokenId,
      tokenIsUnlimited: true,
      amount: 8,
      leaseUntil: 0,
      snapshot: JSON.stringify(terms.snapshot),
    });
    expect(held).toBe("held");
    if (!isTaken) return id;
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const body = JSON.stringify({ model: "m", prompt: "p", seconds: "8" });
    const made = (await (await fetch(`${simulator.url}/v1/videos`, { method: "POST", headers, body })).json()) as {
      id: string;
    };
    const known = { upstream_id: made.id, state: "running", terms: JSON.stringify(terms), due_at: now };
    const issued = { kind: "video", id: row.video_id } as const;
    await states.issue([issued], account.userId, { ...home, model: "m" }, [tasks.store.accept(id, known)]);
    return id;
  }
  const rowOf = async (id: number) => {
    const { db } = database;
    return (await db.read(db.sql.selectFrom("video_tasks").selectAll().where("id", "=", id)))[0];
  };
  const change = (id: number, columns: Partial<VideoTaskRow>) => {
    const { db } = database;
    return db.write([{ query: db.sql.updateTable("video_tasks").set(columns).where("id", "=", id) }]);
  };
  const wallet = async () => {
    const { db } = database;
    const query = db.sql.selectFrom("wallets").select(["balance", "held"]).where("id", "=", account.walletId);
    const [row] = await db.read(query);
    return [Number(row?.balance), Number(row?.held)];
  };
  const asked = () =>
    simulator.calls().filter(({ method, path }) => method === "GET" && path.startsWith("/v1/videos/"));

  test("the clock charges a video that has ended, once, whichever node asks and however often", {
    tags: ["VI-01"],
  }, async () => {
    const id = await begun();
    const nodes = [await nodeOn(database.db), await nodeOn(database.db)];
    if (name === "postgres") {
      const second = await openDatabase(database.config, { onError: () => undefined, onFatal: () => undefined });
      others.push(second);
      nodes.push(await nodeOn(second));
    }
    expect(await wallet()).toEqual([10_000, 8]);
    const before = asked().length;
    await Promise.all(nodes.map(({ tasks }) => tasks.refreshDue()));
    expect(asked().length).toBe(before + 1);
    expect(await wallet()).toEqual([9_992, 0]);
    expect((await rowOf(id))?.state).toBe("settled");
    now += hourMs;
    for (const { tasks, errors } of nodes) {
      await tasks.refreshDue();
      expect(errors).toEqual([]);
    }
    expect(await wallet()).toEqual([9_992, 0]);
  });

  test("the provider is asked more and more rarely, and never more often for a client that asks all the time", async () => {
    simulator.script(key, { videoPolls: 1_000 });
    const id = await begun();
    const { tasks } = await nodeOn(database.db);
    const before = asked().length;
    for (let second = 0; second < 600; second += 1) {
      now += 1_000;
      const row = await rowOf(id);
      if (row) await tasks.refreshIfDue(row);
    }
    const count = asked().length - before;
    expect(count).toBeGreaterThan(10);
    expect(count).toBeLessThan(30);
    expect(await wallet()).toEqual([10_000, 8]);
  });

  test("a node that dies between the provider's word and the charge, or behind it, leaves a video that is charged once", {
    tags: ["VI-01"],
  }, async () => {
    const id = await begun();
    const { tasks } = await nodeOn(database.db);
    const running = await rowOf(id);
    await tasks.refreshDue();
    expect(await wallet()).toEqual([9_992, 0]);
    // Charged, and not noted.
    await change(id, { state: "running", due_at: now, lease_until: 0, answer: running?.answer ?? "" });
    await tasks.refreshDue();
    expect([await wallet(), (await rowOf(id))?.state]).toEqual([[9_992, 0], "settled"]);
    // Known, and not charged: what the provider says later does not count.
    const other = await begun();
    const { answer } = (await rowOf(id)) ?? {};
    await change(other, { answer: answer ?? "", due_at: now });
    simulator.script(key, { videoGone: true });
    now += hourMs;
    await tasks.refreshDue();
    expect([await wallet(), (await rowOf(other))?.state]).toEqual([[9_984, 0], "settled"]);
  });

  test("a creation whose process died is released, before and after its hold, and no earlier than it may still succeed", {
    tags: ["VI-01"],
  }, async () => {
    const id = await begun(false);
    const { tasks, errors } = await nodeOn(database.db);
    now += 20 * minuteMs;
    await tasks.refreshDue();
    expect(await wallet()).toEqual([10_000, 8]);
    now += 20 * minuteMs;
    await tasks.refreshDue();
    expect([await wallet(), await rowOf(id)]).toEqual([[10_000, 0], undefined]);
    // Behind that, the provider's answer finds nothing to accept.
    const { db } = database;
    await expect(db.write([tasks.store.accept(id, { state: "running" })])).rejects.toThrow();
    expect(errors).toEqual([]);
  });

  test("the sweeper leaves the hold of a video alone", { tags: ["VI-01"] }, async () => {
    await begun();
    const { db } = database;
    await sweep(db, { now: now + 48 * hourMs, isLive: () => false, startedAtId: Number.MAX_SAFE_INTEGER });
    expect(await wallet()).toEqual([10_000, 8]);
    const { tasks } = await nodeOn(db);
    await tasks.refreshDue();
    expect(await wallet()).toEqual([9_992, 0]);
  });

  test("a video that hangs for a day, or that its provider forgets, costs nothing", { tags: ["VI-01"] }, async () => {
    simulator.script(key, { videoPolls: 1_000 });
    const hanging = await begun();
    const { tasks, errors } = await nodeOn(database.db);
    now += 23 * hourMs;
    await tasks.refreshDue();
    expect(await wallet()).toEqual([10_000, 8]);
    now += 2 * hourMs;
    await tasks.refreshDue();
    expect(await wallet()).toEqual([10_000, 0]);
    expect(JSON.parse((await rowOf(hanging))?.answer ?? "")).toMatchObject({
      status: "failed",
      error: { code: "video_expired" },
    });

    now = Date.now();
    const forgotten = await begun();
    simulator.script(key, { videoGone: true });
    now += minuteMs;
    await tasks.refreshDue();
    expect(await wallet()).toEqual([10_000, 8]);
    now += 10 * minuteMs;
    await tasks.refreshDue();
    expect(await wallet()).toEqual([10_000, 0]);
    expect(JSON.parse((await rowOf(forgotten))?.answer ?? "")).toMatchObject({ error: { code: "video_lost" } });
    expect(errors).toEqual([]);
    const { db } = database;
    const rows = await db.read(
      db.sql.selectFrom("logs").select(["quota", "outcome"]).where("user_id", "=", account.userId),
    );
    expect(rows.map(({ quota, outcome }) => [Number(quota), outcome])).toEqual([
      [0, "failed"],
      [0, "failed"],
    ]);
  });

  test("a provider that cannot be asked for a while changes nothing", async () => {
    await begun();
    const { tasks } = await nodeOn(database.db);
    simulator.script(key, { fail: { status: 401 } });
    for (let hours = 0; hours < 5; hours += 1) {
      now += hourMs;
      await tasks.refreshDue();
      expect(await wallet()).toEqual([10_000, 8]);
    }
    simulator.script(key, {});
    now += hourMs;
    await tasks.refreshDue();
    expect(await wallet()).toEqual([9_992, 0]);
  });
});
