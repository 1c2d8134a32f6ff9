import type { ChangedPrice, ModelPriceRow } from "@tollgate/contract/catalogue/model-prices.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { testDatabases } from "../support/test-databases.ts";
import { describeVariants } from "../support/variants.ts";
import {
  type ManagementGateway,
  startManagementGateway,
  type TestApiClient,
} from "./management-gateway.ts";

const path = "/api/price/bulk";

describeVariants(testDatabases)("prices of models on $name", (database) => {
  let gateway: ManagementGateway;
  let admin: TestApiClient;
  beforeAll(async () => {
    gateway = await startManagementGateway(database);
    await gateway.addUser("ada", { role: 10 });
    admin = await gateway.signIn("ada");
    await admin("POST", "/api/channel/", {
      body: {
        ...{ name: "west", type: 1, key: "k", models: "gpt-4o,alias,unheard-of" },
        model_mapping: JSON.stringify({ alias: "gpt-4.1" }),
        model_configs: JSON.stringify({ "unheard-of": { ratio: 3 } }),
      },
    });
  });
  afterAll(() => gateway.close());

  const rows = async (query = ""): Promise<ModelPriceRow[]> =>
    (await admin("GET", `/api/price/${query}`)).body.data;
  const row = async (model: string): Promise<ModelPriceRow> => {
    const [found] = await rows(`?keyword=${model}`);
    if (!found) throw new Error(`no price of ${model}`);
    return found;
  };
  const change = async (body: object) => (await admin("POST", path, { body })).body;
  const changed = async (body: object): Promise<ChangedPrice[]> => {
    const reply = await change(body);
    expect(reply).toMatchObject({ success: true });
    return reply.data.rows;
  };
  const shown = async (model: string) => {
    const { models } = Object.values(
      (await gateway.visitor("GET", "/api/models/display")).body.data,
    )[0] as {
      models: Record<string, { input_price: number; output_price: number }>;
    };
    return models[model];
  };

  test("are listed by the names that calls are charged as, with their source and the channels that say otherwise", async () => {
    expect((await rows()).map(({ model, source }) => [model, source])).toEqual([
      ["gpt-4.1", "built_in"],
      ["gpt-4o", "built_in"],
      ["unheard-of", "default"],
    ]);
    expect(await row("unheard-of")).toMatchObject({
      built_in: null,
      operator: null,
      in_force: { input: 2.5, output: 2.5 },
      channel_prices: [{ name: "west" }],
      updated_at: 0,
    });
    const known = await row("gpt-4.1");
    expect(known).toMatchObject({
      in_force: { input: 2, output: 8, cache_read: 0.5 },
      channel_prices: [],
    });
    expect(known.built_in).toEqual(known.in_force);
    expect(known.built_in_source).toContain("genai-prices");
    const page = (await admin("GET", "/api/price/?p=1&size=2")).body;
    expect([page.total, page.data.length]).toEqual([3, 1]);
    expect((await rows("?source=default")).map(({ model }) => model)).toEqual(["unheard-of"]);
  });

  test("are set member by member, shown to users at once, and forgotten", async () => {
    const set = { input: 3, web_searches: 0.02 };
    const [preview] = await changed({ models: ["gpt-4o"], set, preview: true });
    expect(preview).toMatchObject({
      before: { input: 2.5, output: 10 },
      after: { ...set, output: 10 },
    });
    expect(await row("gpt-4o")).toMatchObject({ source: "built_in", operator: null });
    expect(await changed({ models: ["gpt-4o"], set })).toEqual([preview]);
    expect(await row("gpt-4o")).toMatchObject({
      source: "operator",
      operator: set,
      in_force: { ...set, output: 10 },
    });
    expect(await shown("gpt-4o")).toMatchObject({ input_price: 3, output_price: 10 });

    await changed({ models: ["gpt-4o"], set: { input: null, output: 0 } });
    expect((await row("gpt-4o")).operator).toEqual({ output: 0, web_searches: 0.02 });
    expect(await shown("gpt-4o")).toMatchObject({ input_price: 2.5, output_price: 0 });
    await changed({ models: ["gpt-4o"], set: { output: null, web_searches: null } });
    expect(await row("gpt-4o")).toMatchObject({
      source: "built_in",
      operator: null,
      updated_at: 0,
    });
  });

  test("of many are scaled from the built-in ones; a model without one is skipped, and so is one that stays as it is", async () => {
    const models = ["unheard-of", "gpt-4o", "gpt-4.1", "gpt-4o"];
    const [first, second, unknown] = await changed({ models, factor: 1.5 });
    expect(first).toMatchObject({
      model: "gpt-4.1",
      before: { input: 2 },
      after: { input: 3, cache_read: 0.75 },
    });
    expect(second).toMatchObject({ model: "gpt-4o", after: { input: 3.75, output: 15 } });
    expect(unknown?.skipped?.code).toBe("model_price_unknown");
    const codes = async (body: object) =>
      (await changed(body)).map(({ skipped }) => skipped?.code ?? "");
    expect(await codes({ models, factor: 1.5 })).toEqual([
      "bulk_unchanged",
      "bulk_unchanged",
      "model_price_unknown",
    ]);
    expect(await codes({ models, reset: true })).toEqual(["", "", "bulk_unchanged"]);
    expect((await rows()).filter(({ source }) => source === "operator")).toEqual([]);
    expect(await codes({ models: ["gpt-4o"], set: { input: null } })).toEqual(["bulk_unchanged"]);
  });

  test("are recorded with what they were before", async () => {
    await changed({ models: ["of-no-channel"], set: { input: 4, output: 8, max_tokens: 1_000 } });
    expect(await row("of-no-channel")).toMatchObject({
      in_force: { input: 4, cache_read: 4, max_tokens: 1_000 },
    });
    await changed({ models: ["of-no-channel"], reset: true });
    const root = await gateway.signIn("root");
    const entries = (await root("GET", "/api/audit/?size=2")).body.data;
    expect(entries).toMatchObject([
      { action: "model_price.delete", target: "of-no-channel", actor: "ada" },
      { action: "model_price.update", target: "of-no-channel" },
    ]);
    expect(JSON.parse(entries[0].change)).toEqual({
      from: { input: 4, output: 8, max_tokens: 1_000 },
    });
  });

  test("that changed since a form read them are refused; of changes at the same time one wins", async () => {
    await changed({ models: ["raced"], set: { input: 1 } });
    const { updated_at } = await row("raced");
    await changed({ models: ["raced"], set: { input: 2 }, updated_at });
    expect(await change({ models: ["raced"], set: { input: 3 }, updated_at })).toMatchObject({
      code: "changed_meanwhile",
    });
    const both = await Promise.all(
      [1, 2, 3].map((output) => change({ models: ["raced"], set: { output } })),
    );
    expect(both.filter(({ success }) => success).length).toBeGreaterThan(0);
    for (const reply of both) if (!reply.success) expect(reply.code).toBe("changed_meanwhile");
    expect((await row("raced")).operator).toMatchObject({ input: 2 });
  });

  test.each([
    [{ models: ["m"] }, "set is required"],
    [{ models: ["m"], set: { input: 1 }, reset: true }, "set is required"],
    [{ models: [], reset: true }, "models"],
    [{ models: ["m"], set: { input: -1 } }, "set.input must not be negative"],
    [{ models: ["m"], set: { input: 0.000_000_1 } }, "set.input must be 0 or at least 0.000001"],
    [{ models: ["m"], set: { calls: 1_001 } }, "set.calls must be at most 1000"],
    [{ models: ["m"], set: { cached: 1 } }, "set must not have cached"],
    [
      { models: ["m"], set: { tiers: [{ above: 1 }, { above: 1 }] } },
      "set.tiers must differ in their thresholds",
    ],
  ])("%j is refused", async (body, message) => {
    const reply = await admin("POST", path, { body });
    expect(reply.status).toBe(400);
    expect(reply.body.message).toContain(message);
  });

  test("of a channel are checked when it is saved", async () => {
    const save = (prices: object) =>
      admin("POST", "/api/channel/", {
        body: {
          name: "own",
          type: 1,
          key: "k",
          models: "m",
          model_configs: JSON.stringify({ m: { prices } }),
        },
      });
    expect((await save({ input: 1, cache_write_1h: 2, code_runs: 0.03 })).body).toMatchObject({
      success: true,
    });
    expect((await save({ cached: 1 })).body.message).toContain('Invalid prices for model "m"');
    expect((await save({ tiers: [{ above: 1, output: -1 }] })).body.message).toContain(
      "Invalid prices.tiers.0.output",
    );
  });
});
