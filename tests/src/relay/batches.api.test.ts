// Batches that run at a provider: what is checked before, held meanwhile and charged once at the
// end.
import { createBudget, deleteBudget, getBudget } from "@tollgate/contract/accounts/budgets.ts";
import OpenAI, { toFile } from "openai";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { databaseKinds } from "../harness/gateway-database.ts";
import { defaultCharge, question, type TestGateway } from "../harness/test-gateway.ts";
import { openAiFailure as failure } from "../support/openai-failure.ts";
import { startTaskGateway, type TaskGateway } from "../support/task-gateway.ts";
import { describeVariants } from "../support/variants.ts";

const endpoint = "/v1/chat/completions";
type Line = Record<string, unknown>;
const line = (id: string, body: Line = {}, more: Line = {}): Line => ({
  custom_id: id,
  method: "POST",
  url: endpoint,
  body: { model: "m", messages: [{ role: "user", content: question }], max_tokens: 12, ...body },
  ...more,
});
const threeLines = ["a", "b", "c"].map((id) => line(id));

describeVariants(databaseKinds)("batches on %s", (store) => {
  let tasks: TaskGateway<OpenAI>;
  let gateway: TestGateway;
  let ann: OpenAI;
  let bob: OpenAI;
  let poor: OpenAI;
  const key = "sim-as-batches";

  beforeAll(async () => {
    tasks = await startTaskGateway({
      store,
      key,
      channel: { models: "m,other" },
      basePath: "/v1",
      connect: (connection) => new OpenAI(connection),
    });
    ({ gateway, ann, bob, poor } = tasks);
  });
  afterAll(() => tasks.close());
  beforeEach(() => gateway.simulator.script(key, {}));

  const upload = async (lines: readonly unknown[], client = ann) => {
    const text = lines
      .map((one) => (typeof one === "string" ? one : JSON.stringify(one)))
      .join("\n");
    return (
      await client.files.create({
        file: await toFile(Buffer.from(text), "in.jsonl"),
        purpose: "batch",
      })
    ).id;
  };
  const create = async (lines: readonly unknown[], client = ann, more: object = {}) =>
    client.batches.create({
      input_file_id: await upload(lines, client),
      endpoint,
      completion_window: "24h",
      ...more,
    });

  test("a batch is held while it runs, also through a kill, and charged once with what its answers used", {
    tags: ["BA-01"],
  }, async () => {
    await gateway.simulator.script(key, { batchPolls: 1 });
    const before = await tasks.charged();
    const batch = await create(threeLines, ann, { metadata: { job: "night" } });
    expect(batch).toMatchObject({
      object: "batch",
      endpoint,
      status: "validating",
      metadata: { job: "night" },
    });
    // Each line: the estimate of 8 with its margin, and 12 tokens at 4 units.
    expect(await tasks.holds()).toEqual([3 * 60]);
    expect(await ann.batches.retrieve(batch.id)).toMatchObject({ status: "in_progress" });
    await tasks.kill();
    expect(await ann.batches.list().then(({ data }) => data.map(({ id }) => id))).toEqual([
      batch.id,
    ]);
    expect(await tasks.holds()).toEqual([3 * 60]);
    const both = await Promise.all([
      ann.batches.retrieve(batch.id),
      ann.batches.retrieve(batch.id),
    ]);
    for (const ended of both) expect(ended.status).toBe("completed");
    await ann.batches.retrieve(batch.id);
    expect(await tasks.charged()).toBe(before + 3 * defaultCharge);
    expect(await tasks.holds()).toEqual([]);
    expect(await tasks.lastRow()).toMatchObject({
      model_name: "m",
      outcome: "success",
      prompt_tokens: 18,
      completion_tokens: 36,
      content: "batch of 3 lines, completed: 3 answered, 0 failed",
    });
    const output = await ann.files.content(both[0]?.output_file_id ?? "");
    const answers = (await output.text())
      .trim()
      .split("\n")
      .map((text) => JSON.parse(text));
    expect(answers.map(({ custom_id, response }) => [custom_id, response.status_code])).toEqual([
      ["a", 200],
      ["b", 200],
      ["c", 200],
    ]);
    expect(await failure(() => bob.files.content(both[0]?.output_file_id ?? ""))).toMatchObject({
      status: 404,
    });
  });

  test("what a batch answered before it expired or was cancelled is charged, and nothing of one that failed", async () => {
    for (const [script, cancels, outcome, share] of [
      [{ batchEnd: "expired", batchAnswers: 1 }, false, "cut", 1],
      [{ batchPolls: 9, batchAnswers: 2 }, true, "cut", 2],
      [{ batchPolls: 9, batchAnswers: 0 }, true, "client_left", 0],
      [{ batchEnd: "failed" }, false, "failed", 0],
    ] as const) {
      await gateway.simulator.script(key, script);
      const before = await tasks.charged();
      const { id } = await create(threeLines);
      await (cancels ? ann.batches.cancel(id) : ann.batches.retrieve(id));
      expect([await tasks.charged(), (await tasks.lastRow())?.outcome]).toEqual([
        before + share * defaultCharge,
        outcome,
      ]);
      expect(await tasks.holds()).toEqual([]);
    }
  });

  test("answers without a count are charged by the estimate", async () => {
    await gateway.simulator.script(key, { noUsage: true });
    const before = await tasks.charged();
    const { id } = await create(threeLines);
    await ann.batches.retrieve(id);
    expect(await tasks.charged()).toBeGreaterThan(before);
    expect((await tasks.lastRow())?.content).toContain("3 without a count, which are estimated");
  });

  test("a batch of another user answers like one that never existed", {
    tags: ["S2-12"],
  }, async () => {
    const { id } = await create(threeLines);
    const unknown = await failure(() => bob.batches.retrieve("batch_never"));
    expect(unknown.status).toBe(404);
    expect(await failure(() => bob.batches.retrieve(id))).toEqual(unknown);
    expect(await failure(() => bob.batches.cancel(id))).toEqual(unknown);
    expect((await bob.batches.list()).data).toEqual([]);
    const file = await upload(threeLines);
    const asked = { input_file_id: file, endpoint, completion_window: "24h" } as const;
    const never = { ...asked, input_file_id: "file-never" };
    expect(await failure(() => bob.batches.create(asked))).toEqual(
      await failure(() => bob.batches.create(never)),
    );
    await ann.batches.retrieve(id);
  });

  test("each line is checked as a call: nothing is held and no provider runs what a key may not send", {
    tags: ["BA-02"],
  }, async () => {
    const other = await bob.files.create({
      file: await toFile(Buffer.from("of bob"), "b.txt"),
      purpose: "user_data",
    });
    const stolen = [{ role: "user", content: [{ type: "file", file: { file_id: other.id } }] }];
    await gateway.simulator.clearCalls();
    for (const [wrong, words] of [
      [line("a", { model: "other" }), "may not use the model other"],
      [line("a", { stream: true }), "no streams"],
      [line("a", { service_tier: "priority" }), "service_tier"],
      [line("a", { messages: stolen }), "not found"],
      [line("a", {}, { url: "/v1/responses" }), `POST ${endpoint}`],
      [line("a", {}, { method: "GET" }), `POST ${endpoint}`],
      [line("", {}), "custom_id"],
      [line("a", { max_tokens: -1 }), "max_tokens"],
      ["[1]", "no JSON object"],
      ["{", "no JSON object"],
      [`{"body":{},${JSON.stringify(line("a")).slice(1)}`, "same member twice"],
      [
        JSON.stringify(line("a")).replace('"model":"m"', '"model":"m","model":"other"'),
        "same member twice",
      ],
    ] as const) {
      const refused = await failure(() => create([line("first"), wrong]));
      expect(refused.message, words).toContain(words);
      expect(refused.message).toContain("Line 2 ");
      expect([400, 403, 404]).toContain(refused.status);
    }
    const mixed = await failure(() => create([line("first"), line("a", { model: "other" })], bob));
    expect(mixed.message).toContain("a batch has one model");
    expect((await failure(() => create([" "]))).message).toContain("no lines");
    const notes = await ann.files.create({
      file: await toFile(Buffer.from("{}"), "n.jsonl"),
      purpose: "user_data",
    });
    for (const body of [
      { input_file_id: notes.id, endpoint, completion_window: "24h" },
      {
        input_file_id: await upload(threeLines),
        endpoint: "/v1/images/generations",
        completion_window: "24h",
      },
      { input_file_id: await upload(threeLines), endpoint, completion_window: "1h" },
      {
        input_file_id: await upload(threeLines),
        endpoint,
        completion_window: "24h",
        webhook: "http://x",
      },
    ])
      expect((await failure(() => ann.batches.create(body as never))).status).toBe(400);
    const asked = (await gateway.simulator.calls()).filter(
      ({ method, path }) => method === "POST" && path === "/v1/batches",
    );
    expect([asked, await tasks.holds()]).toEqual([[], []]);
  });

  test("a balance that does not cover the batch refuses it before the provider is told", {
    tags: ["BA-02"],
  }, async () => {
    await gateway.simulator.clearCalls();
    expect(await failure(() => create(threeLines, poor))).toMatchObject({
      status: 403,
      code: "insufficient_user_quota",
    });
    expect((await poor.batches.list()).data).toEqual([]);
    const rows = await gateway.rows("select id from provider_batches where state = 'creating'");
    const asked = (await gateway.simulator.calls()).filter(
      ({ method, path }) => method === "POST" && path === "/v1/batches",
    );
    expect([rows, asked]).toEqual([[], []]);
  });

  test("a budget covers the whole batch or refuses it, and counts its charge", {
    tags: ["BA-02"],
  }, async () => {
    const carl = await gateway.given.user("carl", { quota: 100_000_000 });
    const client = new OpenAI({
      baseURL: `${gateway.url}/v1`,
      apiKey: (await carl.token()).key,
      maxRetries: 0,
    });
    const body = {
      name: "nights",
      subject: "user",
      subject_id: carl.id,
      window: "lifetime",
      zone: "UTC",
      amount: 2 * 60,
    };
    const root = await gateway.root();
    const budget = (await root.call(createBudget, { body: body as never })).data;
    const spent = async () => {
      const { data } = await root.call(getBudget, { params: { id: budget.id } });
      return [data.spent, data.held];
    };
    expect(await failure(() => create(threeLines, client))).toMatchObject({
      status: 403,
      code: "budget_exceeded",
    });
    expect(await spent()).toEqual([0, 0]);
    const { id } = await create(threeLines.slice(0, 2), client);
    expect(await spent()).toEqual([0, 2 * 60]);
    await client.batches.retrieve(id);
    expect(await spent()).toEqual([2 * defaultCharge, 0]);
  });

  test("the budget of its channel is held until a batch ends, and refuses one that no channel's budget covers", async () => {
    const root = await gateway.root();
    const [channel] = await gateway.rows<{ id: number }>("select id from channels order by id");
    const account = {
      name: "account",
      subject: "channel",
      subject_id: channel?.id ?? 0,
      window: "lifetime",
    } as const;
    const { id } = (await root.call(createBudget, { body: { ...account, amount: 3 * 60 } })).data;
    const spent = async () => {
      const { data } = await root.call(getBudget, { params: { id } });
      return [data.spent, data.held];
    };
    const batch = await create(threeLines);
    expect(await spent()).toEqual([0, 3 * 60]);
    expect(await failure(() => create(threeLines.slice(1)))).toMatchObject({
      status: 503,
      code: "no_channel",
    });
    await tasks.kill();
    expect(await spent()).toEqual([0, 3 * 60]);
    await ann.batches.retrieve(batch.id);
    expect(await spent()).toEqual([3 * defaultCharge, 0]);
    await root.call(deleteBudget, { params: { id } });
  });

  test("a refusal of the provider releases the hold", async () => {
    await gateway.simulator.script(key, { first: 2, slowMs: 0 });
    const file = await upload(threeLines);
    await gateway.simulator.script(key, [
      { every: 2, fail: { status: 400, message: "too many batches" } },
    ]);
    const refused = await failure(() =>
      ann.batches.create({ input_file_id: file, endpoint, completion_window: "24h" }),
    );
    expect(refused).toMatchObject({ status: 400 });
    expect([
      await tasks.holds(),
      await gateway.rows("select id from provider_batches where state = 'creating'"),
    ]).toEqual([[], []]);
  });

  test("an error of the provider keeps the hold, for the batch may run: its client is told not to repeat", {
    tags: ["BA-01"],
  }, async () => {
    for (const [status, kept] of [
      [503, 0],
      [500, 1],
    ] as const) {
      const file = await upload(threeLines);
      await gateway.simulator.script(key, [{ every: 2, fail: { status } }]);
      const refused = await failure(() =>
        ann.batches.create({ input_file_id: file, endpoint, completion_window: "24h" }),
      );
      expect(refused.code === "batch_outcome_unknown").toBe(kept === 1);
      const creating = await gateway.rows(
        "select id from provider_batches where state = 'creating'",
      );
      expect([(await tasks.holds()).length, creating.length]).toEqual([kept, kept]);
    }
  });
});
