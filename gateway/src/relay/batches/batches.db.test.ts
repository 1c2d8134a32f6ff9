import { openTaskNodes, type TaskNodes } from "@tollgate/tests/support/task-nodes.ts";
import { testDatabases } from "@tollgate/tests/support/test-databases.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { sweep } from "../../money/holds/sweep.ts";
import { type Database, tryWrite } from "../../storage/database.ts";
import type { ProviderBatchRow } from "../../storage/tables/call-tables.ts";
import { computeIdTime } from "../../storage/time-ids.ts";
import { hashAccount } from "../provider-states/state-rules.ts";
import type { ProviderAdapter } from "../providers/provider.ts";
import { anthropic, openAi } from "../providers/standard-providers.ts";
import { createBatchStore, openBatchesMax } from "./batch-store.ts";
import type { BatchTerms } from "./batch-terms.ts";
import { createBatches } from "./batches.ts";

const hourMs = 3_600_000;
const key = "sim-as-nodes";
const fileLine = JSON.stringify({
  custom_id: "a",
  method: "POST",
  url: "/v1/chat/completions",
  body: { model: "m", messages: [{ role: "user", content: "one two, nine" }] },
});
const bothProviders: ProviderAdapter = {
  ...openAi,
  credentials: (secret, call) => [
    ...openAi.credentials(secret, call),
    ...anthropic.credentials(secret, call),
  ],
};
/**
 * `lineCharge` is one unit for a token of the prompt, four for one of the answer: 6 and 12 tokens
 * each.
 */
const lineCharge = 6 + 12 * 4;

describe.each(testDatabases)("batches on $name", ({ name, open }) => {
  let nodes: TaskNodes;
  beforeAll(async () => {
    nodes = await openTaskNodes(open, key);
  });
  afterAll(() => nodes.close());
  beforeEach(() => nodes.reset());

  /** The batches of one node. */
  const nodeOn = async (db: Database) => {
    const response_api = new URL(`${nodes.simulator.url}/v1/responses`);
    const claude_messages = new URL(`${nodes.simulator.url}/v1/messages`);
    const urlsFor = () => ({ response_api, claude_messages });
    const { deps, ...node } = await nodes.node(db, { urlsFor, provider: bothProviders });
    return {
      ...node,
      batches: createBatches({ ...deps, store: createBatchStore(db), mintId: db.mintId }),
    };
  };
  const ask = async (path: string, body: FormData | object, method = "POST") => {
    const isForm = body instanceof FormData;
    const headers = {
      authorization: `Bearer ${key}`,
      ...(!isForm && { "content-type": "application/json" }),
    };
    const sent = { method, headers, body: isForm ? body : JSON.stringify(body) };
    return (await (await fetch(`${nodes.simulator.url}/v1/${path}`, sent)).json()) as {
      id: string;
    };
  };

  /**
   * A batch of some lines as its creation leaves it: row and hold, and the provider's answer if it
   * was told.
   */
  async function begun(lines: number, isTaken = true) {
    const { db } = nodes;
    const form = new FormData();
    form.append("purpose", "batch");
    form.append("file", new File([`${fileLine}\n`.repeat(lines)], "in.jsonl"));
    const file = await ask("files", form);
    const id = db.mintId();
    const terms: BatchTerms = {
      snapshot: nodes.snapshotOf("/v1/batches"),
      tokenId: nodes.account.tokenIds[0] ?? 0,
      group: "default",
      endpoint: "/v1/chat/completions",
      inputFileId: file.id,
      channelName: "channel",
      model: "m",
      price: {
        rates: { input: "2000000", output: "8000000" },
        group_ratio: 1_000_000,
        source: "test",
        source_date: "",
        verified: true,
      },
      lines,
      promptEstimate: 8 * lines,
      promptMax: 1_000_000,
      completionMax: 1_000_000,
      isDistrusted: false,
      isPromptSeen: true,
      hasBudgets: false,
      elapsedMs: 5,
    };
    const row: ProviderBatchRow = {
      id,
      batch_id: null,
      channel_id: nodes.account.channelId,
      user_id: nodes.account.userId,
      team_id: 0,
      dialect: "openai",
      state: "creating",
      terms: JSON.stringify(terms),
      answer: null,
      created_at: computeIdTime(id),
      expires_at: computeIdTime(id) + 24 * hourMs,
      due_at: computeIdTime(id) + 60_000,
      lease_until: 0,
    };
    const { batches, states, home } = await nodeOn(db);
    await states.issue(
      [{ kind: "file", id: file.id }],
      { userId: nodes.account.userId, teamId: 0 },
      { ...home, model: "" },
    );
    await db.write(batches.store.insert(row));
    await nodes.hold(id, 100 * lines, terms.snapshot);
    if (isTaken) {
      const body = { input_file_id: file.id, endpoint: terms.endpoint, completion_window: "24h" };
      await batches.accepted(row, await ask("batches", body), home);
    }
    return { id, file, home };
  }
  /** A message batch of some requests, whose creation had no usable answer. */
  async function messageBatchBegun(requests: number) {
    const { db } = nodes;
    const begunAs = await begun(requests, false);
    const { home } = begunAs;
    const row = await rowOf(begunAs.id);
    const { inputFileId: _, ...terms } = JSON.parse(row?.terms ?? "{}") as BatchTerms;
    const own = {
      ...terms,
      endpoint: "/v1/messages",
      account: hashAccount(home.channel, home.key),
    };
    const changed = { dialect: "anthropic", terms: JSON.stringify(own) };
    await db.write([
      { query: db.sql.updateTable("provider_batches").set(changed).where("id", "=", begunAs.id) },
    ]);
    return begunAs;
  }
  const rowOf = async (id: number) => {
    const { db } = nodes;
    const [row] = await db.read(
      db.sql.selectFrom("provider_batches").selectAll().where("id", "=", id),
    );
    return row;
  };

  test("the clock charges a batch that has ended, once, whichever node asks and however often", {
    tags: ["BA-01"],
  }, async () => {
    const { id } = await begun(3);
    const following = [await nodeOn(nodes.db), await nodeOn(nodes.db)];
    if (name === "postgres") following.push(await nodeOn(await nodes.connect()));
    expect(await nodes.wallet()).toEqual([10_000, 300]);
    nodes.now += hourMs;
    await Promise.all(following.map(({ batches }) => batches.refreshDue()));
    expect(await nodes.wallet()).toEqual([10_000 - 3 * lineCharge, 0]);
    expect((await rowOf(id))?.state).toBe("settled");
    nodes.now += hourMs;
    for (const { batches, errors } of following) {
      await batches.refreshDue();
      expect(errors).toEqual([]);
    }
    expect(await nodes.wallet()).toEqual([10_000 - 3 * lineCharge, 0]);
  });

  test("of batches that begin at once, no more are open than a user may have", async () => {
    const { db } = nodes;
    const { store } = (await nodeOn(db)).batches;
    const { id } = await begun(1, false);
    const first = await rowOf(id);
    if (!first) throw new Error("the batch has no row");
    const begin = () => tryWrite(db, store.insert({ ...first, id: db.mintId() }));
    const rejected = await Promise.all(Array.from({ length: openBatchesMax + 19 }, begin));
    expect(rejected.filter(Boolean)).toHaveLength(20);
    expect(await store.open({ userId: first.user_id, teamId: 0 })).toBe(openBatchesMax);
    await db.write([store.change(id, { state: "settled" })]);
    expect(await begin()).toBeUndefined();
    expect(await begin()).toBeDefined();
    await db.write([
      { query: db.sql.deleteFrom("provider_batches").where("user_id", "=", first.user_id) },
    ]);
  });

  test("a node that dies between the charge and its note leaves a batch that is not charged again", {
    tags: ["BA-01"],
  }, async () => {
    const { id } = await begun(2);
    const { batches } = await nodeOn(nodes.db);
    const before = await rowOf(id);
    await batches.refresh(before as ProviderBatchRow);
    const { db } = nodes;
    const undone = { state: "running", answer: before?.answer ?? null };
    await db.write([
      { query: db.sql.updateTable("provider_batches").set(undone).where("id", "=", id) },
    ]);
    nodes.now += hourMs;
    await batches.refreshDue();
    expect(await nodes.wallet()).toEqual([10_000 - 2 * lineCharge, 0]);
    expect((await rowOf(id))?.state).toBe("settled");
  });

  test("the sweeper leaves the hold of a batch alone", { tags: ["BA-01"] }, async () => {
    const { id } = await begun(1);
    const { db } = nodes;
    await sweep(db, {
      now: nodes.now + 48 * hourMs,
      isLive: () => false,
      startedAtId: Number.MAX_SAFE_INTEGER,
    });
    expect(await nodes.wallet()).toEqual([10_000, 100]);
    const { batches } = await nodeOn(db);
    await batches.refresh((await rowOf(id)) as ProviderBatchRow);
    expect(await nodes.wallet()).toEqual([10_000 - lineCharge, 0]);
  });

  test("a batch whose creation had no answer is found in the provider's list, or its hold ends", {
    tags: ["BA-01"],
  }, async () => {
    const taken = await begun(2, false);
    await ask("batches", {
      input_file_id: taken.file.id,
      endpoint: "/v1/chat/completions",
      completion_window: "24h",
    });
    const never = await begun(1, false);
    const { batches, errors } = await nodeOn(nodes.db);
    expect(await nodes.wallet()).toEqual([10_000, 300]);
    nodes.now += 2 * 60_000;
    await batches.refreshDue();
    expect((await rowOf(taken.id))?.batch_id).toMatch(/^batch_/);
    // It may still appear.
    expect((await rowOf(never.id))?.state).toBe("creating");
    nodes.now += hourMs;
    await batches.refreshDue();
    await batches.refreshDue();
    expect(await rowOf(never.id)).toBeUndefined();
    expect((await rowOf(taken.id))?.state).toBe("settled");
    expect(await nodes.wallet()).toEqual([10_000 - 2 * lineCharge, 0]);
    expect(errors).toEqual([]);
  });

  test("a message batch whose creation had no answer costs its prompts where the provider may run it, and is shown to no one", {
    tags: ["BA-01", "S2-12"],
  }, async () => {
    const params = {
      model: "m",
      max_tokens: 9,
      messages: [{ role: "user", content: "one two, nine" }],
    };
    const headers = { "x-api-key": key, "content-type": "application/json" };
    // It has two requests, as the first of the gateway's: the list says no more of it.
    const body = JSON.stringify({
      requests: ["a", "b"].map((custom_id) => ({ custom_id, params })),
    });
    await fetch(`${nodes.simulator.url}/v1/messages/batches`, { method: "POST", headers, body });
    const perhaps = await messageBatchBegun(2);
    const never = await messageBatchBegun(1);
    const { batches, errors } = await nodeOn(nodes.db);
    nodes.now += 2 * 60_000;
    await batches.refreshDue();
    expect(await nodes.wallet()).toEqual([10_000, 300]);
    nodes.now += hourMs;
    await batches.refreshDue();
    await batches.refreshDue();
    expect(await rowOf(never.id)).toBeUndefined();
    expect(await rowOf(perhaps.id)).toMatchObject({ state: "settled", batch_id: null });
    expect(await nodes.wallet()).toEqual([10_000 - 2 * 8, 0]);
    expect(errors).toEqual([]);
  });

  test("a creation that was answered with an error costs nothing where the provider's list never tells of it", {
    tags: ["BA-01"],
  }, async () => {
    const { id } = await begun(2, false);
    const terms = JSON.parse((await rowOf(id))?.terms ?? "{}") as BatchTerms;
    const { db } = nodes;
    const failed = { terms: JSON.stringify({ ...terms, failedStatus: 500 }) };
    await db.write([
      { query: db.sql.updateTable("provider_batches").set(failed).where("id", "=", id) },
    ]);
    const { batches, errors } = await nodeOn(db);
    nodes.simulator.script(key, { fail: { status: 500 } });
    nodes.now += 47 * hourMs;
    await batches.refreshDue();
    expect(await nodes.wallet()).toEqual([10_000, 200]);
    nodes.now += 2 * hourMs;
    await batches.refreshDue();
    expect([await nodes.wallet(), await rowOf(id), errors]).toEqual([[10_000, 0], undefined, []]);
  });

  test("a batch whose result cannot be read keeps its hold until a day after its end, and then costs its prompts", async () => {
    const { id } = await begun(2);
    const { batches } = await nodeOn(nodes.db);
    nodes.simulator.script(key, { fail: { status: 401 } });
    for (const hours of [1, 23, 23]) {
      nodes.now += hours * hourMs;
      await batches.refreshDue();
      expect(await nodes.wallet()).toEqual([10_000, 200]);
    }
    nodes.now += 2 * hourMs;
    await batches.refreshDue();
    expect(await nodes.wallet()).toEqual([10_000 - 2 * 8, 0]);
    expect((await rowOf(id))?.state).toBe("settled");
    const { db } = nodes;
    const [log] = await db.read(
      db.sql.selectFrom("logs").select(["outcome", "content"]).where("id", "=", id),
    );
    expect(log).toMatchObject({
      outcome: "cut",
      content: expect.stringContaining("the prompts are charged"),
    });
  });
});
