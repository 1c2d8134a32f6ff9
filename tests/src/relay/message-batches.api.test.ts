// Anthropic's batches: what is checked before, held meanwhile and charged once at the end.
import Anthropic, { APIError } from "@anthropic-ai/sdk";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { databaseKinds } from "../harness/gateway-database.ts";
import { defaultCharge, question, type TestGateway } from "../harness/test-gateway.ts";
import { startTaskGateway, type TaskGateway } from "../support/task-gateway.ts";
import { describeVariants } from "../support/variants.ts";

const messages = [{ role: "user" as const, content: question }];
const request = (custom_id: string, params: object = {}) => ({
  custom_id,
  params: { model: "m", max_tokens: 12, messages, ...params },
});
const three = ["a", "b", "c"].map((id) => request(id));

describeVariants(databaseKinds)("message batches on %s", (store) => {
  let tasks: TaskGateway<Anthropic>;
  let gateway: TestGateway;
  let ann: Anthropic;
  let bob: Anthropic;
  let poor: Anthropic;
  const key = "sim-as-message-batches";

  beforeAll(async () => {
    tasks = await startTaskGateway({
      store,
      key,
      channel: { models: "m,other", type: 14 },
      basePath: "",
      connect: (connection) => new Anthropic(connection),
    });
    ({ gateway, ann, bob, poor } = tasks);
  });
  afterAll(() => tasks.close());
  beforeEach(() => gateway.simulator.script(key, {}));

  const create = (requests: readonly object[], client = ann) =>
    client.messages.batches.create({ requests: requests as never });
  const failure = async (call: () => PromiseLike<unknown>) => {
    const error = await Promise.resolve(call()).then(
      () => undefined,
      (cause: unknown) => cause,
    );
    expect(error).toBeInstanceOf(APIError);
    const { status, message } = error as APIError;
    return {
      status,
      message: message.replace(/ ?\(request id: [^)]*\)|"request_id":"[^"]*"/g, ""),
    };
  };
  const resultsOf = async (client: Anthropic, id: string) => {
    const results = [];
    for await (const one of await client.messages.batches.results(id)) results.push(one);
    return results;
  };
  const toldProvider = async () =>
    (await gateway.simulator.calls()).filter(
      ({ method, path }) => method === "POST" && path === "/v1/messages/batches",
    );

  test("a batch is held while it runs, also through a kill, and charged once with what its answers used", {
    tags: ["BA-01"],
  }, async () => {
    await gateway.simulator.script(key, { batchPolls: 2 });
    const before = await tasks.charged();
    const batch = await create(three);
    expect(batch).toMatchObject({
      type: "message_batch",
      processing_status: "in_progress",
      results_url: null,
    });
    // Each request: the estimate of 12 with its margin, and 12 tokens at 4 units.
    expect(await tasks.holds()).toEqual([3 * 66]);
    expect(await ann.messages.batches.retrieve(batch.id)).toMatchObject({
      processing_status: "in_progress",
    });
    expect(await failure(() => ann.messages.batches.delete(batch.id))).toMatchObject({
      status: 400,
    });
    await tasks.kill();
    expect((await ann.messages.batches.list()).data.map(({ id }) => id)).toEqual([batch.id]);
    expect(await tasks.holds()).toEqual([3 * 66]);
    const both = await Promise.all([1, 2].map(() => ann.messages.batches.retrieve(batch.id)));
    for (const ended of both)
      expect(ended).toMatchObject({
        processing_status: "ended",
        results_url: `/v1/messages/batches/${batch.id}/results`,
      });
    expect(await tasks.charged()).toBe(before + 3 * defaultCharge);
    expect(await tasks.holds()).toEqual([]);
    expect(await tasks.lastRow()).toMatchObject({
      model_name: "m",
      outcome: "success",
      prompt_tokens: 18,
      completion_tokens: 36,
      content: "batch of 3 lines, completed: 3 answered, 0 failed",
    });
    const results = await resultsOf(ann, batch.id);
    expect(results.map(({ custom_id, result }) => [custom_id, result.type])).toEqual([
      ["a", "succeeded"],
      ["b", "succeeded"],
      ["c", "succeeded"],
    ]);
    expect(await tasks.charged()).toBe(before + 3 * defaultCharge);
    expect(await ann.messages.batches.delete(batch.id)).toEqual({
      id: batch.id,
      type: "message_batch_deleted",
    });
    expect(await failure(() => ann.messages.batches.retrieve(batch.id))).toMatchObject({
      status: 404,
    });
    expect(await tasks.charged()).toBe(before + 3 * defaultCharge);
  });

  test("results are charged before they are read, and what a batch answered before it expired or was cancelled", async () => {
    for (const [script, act, outcome, share] of [
      [{}, "results", "success", 3],
      [{ batchAnswers: 1 }, "retrieve", "cut", 1],
      [{ batchPolls: 9, batchAnswers: 2 }, "cancel", "cut", 2],
      [{ batchPolls: 9, batchAnswers: 0 }, "cancel", "client_left", 0],
      [{ batchAnswers: 0 }, "retrieve", "failed", 0],
    ] as const) {
      await gateway.simulator.script(key, script);
      const before = await tasks.charged();
      const { id } = await create(three);
      await (act === "results" ? resultsOf(ann, id) : ann.messages.batches[act](id));
      expect([await tasks.charged(), (await tasks.lastRow())?.outcome]).toEqual([
        before + share * defaultCharge,
        outcome,
      ]);
      expect(await tasks.holds()).toEqual([]);
    }
  });

  test("a batch of another user answers like one that never existed", {
    tags: ["S2-12"],
  }, async () => {
    const { id } = await create(three);
    const { batches } = bob.messages;
    const unknown = await failure(() => batches.retrieve("msgbatch_never"));
    expect(unknown.status).toBe(404);
    for (const act of [
      () => batches.retrieve(id),
      () => batches.cancel(id),
      () => batches.results(id),
      () => batches.delete(id),
    ])
      expect(await failure(act)).toEqual(unknown);
    expect((await batches.list()).data).toEqual([]);
    expect((await failure(() => batches.list({ after_id: id }))).message).toContain(
      "names no batch",
    );
    await ann.messages.batches.retrieve(id);
  });

  test("lists turn their pages forwards and backwards", async () => {
    const carl = await gateway.given.user("carl", { quota: 100_000_000 });
    const { batches } = new Anthropic({
      baseURL: gateway.url,
      apiKey: (await carl.token()).key,
      maxRetries: 0,
    }).messages;
    const made: string[] = [];
    for (const _ of [1, 2, 3]) made.unshift((await batches.create({ requests: three })).id);
    const ids = async (query: object) => {
      const { data, has_more } = await batches.list(query);
      return [data.map(({ id }) => made.indexOf(id)), has_more];
    };
    expect(await ids({ limit: 2 })).toEqual([[0, 1], true]);
    expect(await ids({ limit: 2, after_id: made[1] })).toEqual([[2], false]);
    expect(await ids({ limit: 1, before_id: made[2] })).toEqual([[1], true]);
    expect(await ids({ limit: 9, before_id: made[2] })).toEqual([[0, 1], false]);
    for (const id of made) await batches.retrieve(id);
  });

  test("each request is checked as a call: nothing is held and no provider runs what a key may not send", {
    tags: ["BA-02"],
  }, async () => {
    await gateway.simulator.clearCalls();
    for (const [wrong, words] of [
      [request("b", { stream: true }), "no streams"],
      [request("b", { service_tier: "priority" }), "service_tier"],
      [request("b", { container: "container_of_somebody" }), "not found"],
      [request("", {}), "custom_id"],
      [request("first", {}), "that of another request"],
      [request("b", { max_tokens: -1 }), "max_tokens"],
      [request("b", { messages: "none" }), "messages"],
      [{ custom_id: "b", params: [] }, "params must be an object"],
      [{ ...request("b"), url: "http://x" }, "url is no member"],
      ["text", "custom_id"],
    ] as const) {
      const refused = await failure(() => create([request("first"), wrong as object]));
      expect(refused.message, words).toContain(words);
      expect(refused.message).toContain("requests.1: ");
      expect([400, 403, 404]).toContain(refused.status);
    }
    const both = [request("first"), request("b", { model: "other" })];
    expect((await failure(() => create(both))).message).toContain("may not use the model other");
    expect((await failure(() => create(both, bob))).message).toContain("a batch has one model");
    expect(await failure(() => create([request("a", { model: "unknown" })], bob))).toMatchObject({
      status: 503,
    });
    for (const body of [
      {},
      { requests: [] },
      { requests: three, webhook: "http://x" },
      { requests: {} },
    ])
      expect((await failure(() => ann.messages.batches.create(body as never))).status).toBe(400);
    expect(await failure(() => create(three, poor))).toMatchObject({ status: 429 });
    expect([await toldProvider(), await tasks.holds()]).toEqual([[], []]);
    expect((await poor.messages.batches.list()).data).toEqual([]);
  });

  test("a refusal of the provider releases the hold", async () => {
    await gateway.simulator.script(key, { fail: { status: 400, message: "too many batches" } });
    expect(await failure(() => create(three))).toMatchObject({ status: 400 });
    const creating = await gateway.rows("select id from provider_batches where state = 'creating'");
    expect([await tasks.holds(), creating]).toEqual([[], []]);
  });
});
