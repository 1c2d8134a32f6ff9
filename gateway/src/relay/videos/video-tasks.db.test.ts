// Videos over hours, nodes and crashes, with the clock of the test.
import { openTaskNodes, type TaskNodes } from "@tollgate/tests/support/task-nodes.ts";
import { testDatabases } from "@tollgate/tests/support/test-databases.ts";
import fc from "fast-check";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { sweep } from "../../money/holds/sweep.ts";
import { type Database, tryWrite } from "../../storage/database.ts";
import type { VideoTaskRow } from "../../storage/tables/call-tables.ts";
import { computeIdTime } from "../../storage/time-ids.ts";
import { openAi } from "../providers/standard-providers.ts";
import { createVideoStore, openVideosMax } from "./video-store.ts";
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
  let nodes: TaskNodes;
  beforeAll(async () => {
    nodes = await openTaskNodes(open, key);
  });
  afterAll(() => nodes.close());
  beforeEach(() => nodes.reset());

  /** The videos of one node. */
  const nodeOn = async (db: Database) => {
    const videos = new URL(`${nodes.simulator.url}/v1/videos`);
    const { deps, ...node } = await nodes.node(db, {
      urlsFor: () => ({ videos }),
      provider: openAi,
    });
    return { ...node, tasks: createVideos({ ...deps, store: createVideoStore(db) }) };
  };

  const newRow = (id: number): VideoTaskRow => ({
    id,
    video_id: `video_${id}`,
    upstream_id: null,
    channel_id: nodes.account.channelId,
    user_id: nodes.account.userId,
    team_id: 0,
    state: "creating",
    terms: "",
    answer: JSON.stringify({ model: "m", seconds: 8 }),
    created_at: computeIdTime(id),
    expires_at: computeIdTime(id) + 24 * hourMs,
    due_at: computeIdTime(id) + 30 * minuteMs,
    lease_until: 0,
  });
  /**
   * A video of eight seconds as its creation leaves it: row and hold, and the provider's id if it
   * was told.
   */
  async function begun(isTaken = true): Promise<number> {
    const { db } = nodes;
    const id = db.mintId();
    const terms: VideoTerms = {
      asked: price,
      bySize: {},
      snapshot: nodes.snapshotOf("/v1/videos"),
      tokenId: nodes.account.tokenIds[0] ?? 0,
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
    const row = newRow(id);
    const { tasks, states, home } = await nodeOn(db);
    await db.write(tasks.store.insert(row));
    await nodes.hold(id, 8, terms.snapshot);
    if (!isTaken) return id;
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const body = JSON.stringify({ model: "m", prompt: "p", seconds: "8" });
    const made = (await (
      await fetch(`${nodes.simulator.url}/v1/videos`, { method: "POST", headers, body })
    ).json()) as {
      id: string;
    };
    const known = {
      upstream_id: made.id,
      state: "running",
      terms: JSON.stringify(terms),
      due_at: nodes.now,
    };
    const issued = { kind: "video", id: row.video_id } as const;
    await states.issue(
      [issued],
      { userId: nodes.account.userId, teamId: 0 },
      { ...home, model: "m" },
      [tasks.store.accept(id, known)],
    );
    return id;
  }
  const rowOf = async (id: number) => {
    const { db } = nodes;
    return (await db.read(db.sql.selectFrom("video_tasks").selectAll().where("id", "=", id)))[0];
  };
  const change = (id: number, columns: Partial<VideoTaskRow>) => {
    const { db } = nodes;
    return db.write([
      { query: db.sql.updateTable("video_tasks").set(columns).where("id", "=", id) },
    ]);
  };
  const asked = () =>
    nodes.simulator
      .calls()
      .filter(({ method, path }) => method === "GET" && path.startsWith("/v1/videos/"));

  test("the clock charges a video that has ended, once, whichever node asks and however often", {
    tags: ["VI-01"],
  }, async () => {
    const id = await begun();
    const following = [await nodeOn(nodes.db), await nodeOn(nodes.db)];
    if (name === "postgres") following.push(await nodeOn(await nodes.connect()));
    expect(await nodes.wallet()).toEqual([10_000, 8]);
    const before = asked().length;
    await Promise.all(following.map(({ tasks }) => tasks.refreshDue()));
    expect(asked().length).toBe(before + 1);
    expect(await nodes.wallet()).toEqual([9_992, 0]);
    expect((await rowOf(id))?.state).toBe("settled");
    nodes.now += hourMs;
    for (const { tasks, errors } of following) {
      await tasks.refreshDue();
      expect(errors).toEqual([]);
    }
    expect(await nodes.wallet()).toEqual([9_992, 0]);
  });

  test("the provider is asked more and more rarely, and never more often for a client that asks all the time", async () => {
    nodes.simulator.script(key, { videoPolls: 1_000 });
    const id = await begun();
    const { tasks } = await nodeOn(nodes.db);
    const before = asked().length;
    for (let second = 0; second < 600; second += 1) {
      nodes.now += 1_000;
      const row = await rowOf(id);
      if (row) await tasks.refreshIfDue(row);
    }
    const count = asked().length - before;
    expect(count).toBeGreaterThan(10);
    expect(count).toBeLessThan(30);
    expect(await nodes.wallet()).toEqual([10_000, 8]);
  });

  test("a node that dies between the provider's word and the charge, or behind it, leaves a video that is charged once", {
    tags: ["VI-01"],
  }, async () => {
    const id = await begun();
    const { tasks } = await nodeOn(nodes.db);
    const running = await rowOf(id);
    await tasks.refreshDue();
    expect(await nodes.wallet()).toEqual([9_992, 0]);
    // Charged, and not noted.
    await change(id, {
      state: "running",
      due_at: nodes.now,
      lease_until: 0,
      answer: running?.answer ?? "",
    });
    await tasks.refreshDue();
    expect([await nodes.wallet(), (await rowOf(id))?.state]).toEqual([[9_992, 0], "settled"]);
    // Known, and not charged: what the provider says later does not count.
    const other = await begun();
    const { answer } = (await rowOf(id)) ?? {};
    await change(other, { answer: answer ?? "", due_at: nodes.now });
    nodes.simulator.script(key, { videoGone: true });
    nodes.now += hourMs;
    await tasks.refreshDue();
    expect([await nodes.wallet(), (await rowOf(other))?.state]).toEqual([[9_984, 0], "settled"]);
  });

  test("a creation whose process died is released, before and after its hold, and no earlier than it may still succeed", {
    tags: ["VI-01"],
  }, async () => {
    const id = await begun(false);
    const { tasks, errors } = await nodeOn(nodes.db);
    nodes.now += 20 * minuteMs;
    await tasks.refreshDue();
    expect(await nodes.wallet()).toEqual([10_000, 8]);
    nodes.now += 20 * minuteMs;
    await tasks.refreshDue();
    expect([await nodes.wallet(), await rowOf(id)]).toEqual([[10_000, 0], undefined]);
    // Behind that, the provider's answer finds nothing to accept.
    const { db } = nodes;
    await expect(db.write([tasks.store.accept(id, { state: "running" })])).rejects.toThrow();
    expect(errors).toEqual([]);
  });

  test("a video is charged once and in full or not at all, whatever happens in which order", {
    tags: ["VI-01"],
    timeout: 120_000,
  }, async () => {
    const { db } = nodes;
    const [one, other] = await Promise.all([nodeOn(db), nodeOn(db)]);
    const events: Record<string, (id: number) => unknown> = {
      "one node asks": () => one.tasks.refreshDue(),
      "two nodes ask": () => Promise.all([one.tasks.refreshDue(), other.tasks.refreshDue()]),
      "a minute passes": () => (nodes.now += minuteMs),
      "hours pass": () => (nodes.now += 7 * hourMs),
      "the provider works": () => nodes.simulator.script(key, {}),
      "the provider is slow": () => nodes.simulator.script(key, { videoPolls: 1_000 }),
      "the provider fails": () => nodes.simulator.script(key, { videoEnd: "failed" }),
      "the provider forgets": () => nodes.simulator.script(key, { videoGone: true }),
      "the provider is away": () => nodes.simulator.script(key, { fail: { status: 503 } }),
      "the sweeper runs": () =>
        sweep(db, { now: nodes.now, isLive: () => false, startedAtId: Number.MAX_SAFE_INTEGER }),
      // A node died behind the charge and before it noted it, or its lease.
      "a node dies": (id) => change(id, { state: "running", due_at: nodes.now, lease_until: 0 }),
    };
    const order = fc.array(fc.constantFrom(...Object.keys(events)), { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(order, async (names) => {
        await nodes.reset();
        const id = await begun();
        const whole = [
          [10_000, 8],
          [9_992, 0],
          [10_000, 0],
        ];
        let before = whole[0];
        for (const name of [...names, "hours pass", "the provider works", "two nodes ask"]) {
          await events[name]?.(id);
          const wallet = await nodes.wallet();
          expect(whole, name).toContainEqual(wallet);
          // What has ended stays as it is.
          if (before?.[1] === 0) expect(wallet, name).toEqual(before);
          before = wallet;
        }
        nodes.now += 26 * hourMs;
        await one.tasks.refreshDue();
        const [balance, held] = await nodes.wallet();
        const rows = await db.read(db.sql.selectFrom("logs").select("quota").where("id", "=", id));
        expect([held, rows.map(({ quota }) => Number(quota))]).toEqual([
          0,
          [10_000 - Number(balance)],
        ]);
      }),
      { numRuns: 40 },
    );
    expect([...one.errors, ...other.errors]).toEqual([]);
  });

  test("of videos that begin at once, no more are open than a user may have", async () => {
    const { db } = nodes;
    const { store } = (await nodeOn(db)).tasks;
    const ids = Array.from({ length: openVideosMax + 20 }, () => db.mintId());
    const rejected = await Promise.all(ids.map((id) => tryWrite(db, store.insert(newRow(id)))));
    expect(rejected.filter(Boolean)).toHaveLength(20);
    const taken = ids.filter((_, at) => !rejected[at]);
    await change(taken[0] ?? 0, { state: "settled" });
    expect(await tryWrite(db, store.insert(newRow(db.mintId())))).toBeUndefined();
    expect(await tryWrite(db, store.insert(newRow(db.mintId())))).toBeDefined();
    await db.write([
      { query: db.sql.deleteFrom("video_tasks").where("user_id", "=", nodes.account.userId) },
    ]);
  });

  test("the sweeper leaves the hold of a video alone", { tags: ["VI-01"] }, async () => {
    await begun();
    const { db } = nodes;
    await sweep(db, {
      now: nodes.now + 48 * hourMs,
      isLive: () => false,
      startedAtId: Number.MAX_SAFE_INTEGER,
    });
    expect(await nodes.wallet()).toEqual([10_000, 8]);
    const { tasks } = await nodeOn(db);
    await tasks.refreshDue();
    expect(await nodes.wallet()).toEqual([9_992, 0]);
  });

  test("a video that hangs for a day, or that its provider forgets, costs nothing", {
    tags: ["VI-01"],
  }, async () => {
    nodes.simulator.script(key, { videoPolls: 1_000 });
    const hanging = await begun();
    const { tasks, errors } = await nodeOn(nodes.db);
    nodes.now += 23 * hourMs;
    await tasks.refreshDue();
    expect(await nodes.wallet()).toEqual([10_000, 8]);
    nodes.now += 2 * hourMs;
    await tasks.refreshDue();
    expect(await nodes.wallet()).toEqual([10_000, 0]);
    expect(JSON.parse((await rowOf(hanging))?.answer ?? "")).toMatchObject({
      status: "failed",
      error: { code: "video_expired" },
    });

    nodes.now = Date.now();
    const forgotten = await begun();
    nodes.simulator.script(key, { videoGone: true });
    nodes.now += minuteMs;
    await tasks.refreshDue();
    expect(await nodes.wallet()).toEqual([10_000, 8]);
    nodes.now += 10 * minuteMs;
    await tasks.refreshDue();
    expect(await nodes.wallet()).toEqual([10_000, 0]);
    expect(JSON.parse((await rowOf(forgotten))?.answer ?? "")).toMatchObject({
      error: { code: "video_lost" },
    });
    expect(errors).toEqual([]);
    const { db } = nodes;
    const rows = await db.read(
      db.sql
        .selectFrom("logs")
        .select(["quota", "outcome"])
        .where("user_id", "=", nodes.account.userId),
    );
    expect(rows.map(({ quota, outcome }) => [Number(quota), outcome])).toEqual([
      [0, "failed"],
      [0, "failed"],
    ]);
  });

  test("a provider that cannot be asked for a while changes nothing", async () => {
    await begun();
    const { tasks } = await nodeOn(nodes.db);
    nodes.simulator.script(key, { fail: { status: 401 } });
    for (let hours = 0; hours < 5; hours += 1) {
      nodes.now += hourMs;
      await tasks.refreshDue();
      expect(await nodes.wallet()).toEqual([10_000, 8]);
    }
    nodes.simulator.script(key, {});
    nodes.now += hourMs;
    await tasks.refreshDue();
    expect(await nodes.wallet()).toEqual([9_992, 0]);
  });
});
