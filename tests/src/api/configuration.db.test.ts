import { afterAll, beforeAll, expect, test } from "vitest";
import { testDatabases } from "../support/test-databases.ts";
import { describeVariants } from "../support/variants.ts";
import { applyDocument, configurationProgram } from "./configuration-program.ts";
import {
  type ManagementGateway,
  startManagementGateway,
  type TestApiClient,
} from "./management-gateway.ts";

const secret = "sk-canary-of-the-file-1234";
const west = {
  name: "west",
  type: "openai",
  key: secret,
  models: ["small", "large"],
  groups: ["default"],
  weight: 3,
  tag: "eu",
};
const tiers = [{ strategy: "weights", targets: [{ model: "small", weight: 1 }] }];

describeVariants(testDatabases)("a configuration document on $name", (database) => {
  let gateway: ManagementGateway;
  let root: TestApiClient;
  let program: TestApiClient;
  beforeAll(async () => {
    gateway = await startManagementGateway(database);
    root = await gateway.signIn("root");
    program = await configurationProgram(gateway, root);
  });
  afterAll(() => gateway.close());

  const apply = (document: object, more: object = {}, client = program) =>
    applyDocument(client, document, more);
  const ask = async (...asked: Parameters<TestApiClient>) => (await root(...asked)).body;
  const channelsNamed = async (name: string) =>
    (await ask("GET", `/api/channel/search?keyword=${name}`)).data;
  const entries = async () => (await ask("GET", "/api/audit/?size=1")).total ?? 0;

  test("is planned without a change, applied once, and changes nothing the second time", async () => {
    const document = {
      settings: { SystemName: "From a file", RetryTimes: 2, DisplayInCurrencyEnabled: false },
      groups: { default: 1, partners: 1.2 },
      prices: {
        small: { input: 1.5, calls: 0.01, tiers: [{ above: 200_000, input: 3 }] },
        large: { output: 9 },
      },
      channels: [west],
      virtualModels: [{ name: "chat", tiers }],
    };
    const before = await entries();
    const plan = await apply(document, { preview: true });
    expect(
      plan.changes.map(
        ({ kind, name, action }: Record<string, string>) => `${action} ${kind} ${name}`,
      ),
    ).toEqual([
      "update setting SystemName",
      "update setting RetryTimes",
      "update setting DisplayInCurrencyEnabled",
      "update group groups",
      "create price small",
      "create price large",
      "create channel west",
      "create virtual_model chat",
    ]);
    expect([await entries(), await channelsNamed("west")]).toEqual([before, []]);
    expect(await apply(document, { file_hash: "ab".repeat(32) })).toEqual(plan);
    expect(await entries()).toBe(before + 8);
    const [entry] = (await ask("GET", "/api/audit/?size=1")).data;
    expect(JSON.parse(entry.change)).toMatchObject({
      file: "site.yaml",
      file_hash: "ab".repeat(32),
    });
    const [made] = await channelsNamed("west");
    expect(made).toMatchObject({
      external_id: "west",
      managed_by: "site.yaml",
      key_hint: "1234",
      weight: 3,
      tag: "eu",
    });
    expect(await apply(document)).toEqual({ changes: [], unchanged: 8, problems: [] });
    expect(await entries()).toBe(before + 8);

    const repriced = await apply({ ...document, prices: { small: { input: 2, calls: 0.01 } } });
    expect(repriced.changes).toEqual([
      { kind: "price", name: "small", action: "update", members: ["input", "tiers"] },
      { kind: "price", name: "large", action: "delete", members: [] },
    ]);
    expect((await ask("GET", "/api/price/?source=operator")).data).toMatchObject([
      { model: "small", operator: { input: 2, calls: 0.01 } },
    ]);

    const changed = await apply({
      channels: [{ ...west, key: "sk-another-key-5678", priority: 9, weight: undefined }],
    });
    expect(changed.changes).toEqual([
      { kind: "channel", name: "west", action: "update", members: ["priority", "weight", "key"] },
      { kind: "virtual_model", name: "chat", action: "left", members: [] },
    ]);
    expect((await channelsNamed("west"))[0]).toMatchObject({
      id: made.id,
      key_hint: "5678",
      priority: 9,
      weight: 0,
    });
  });

  test("is what an export holds, without secrets, also for what was made in the console", async () => {
    const config = JSON.stringify({
      custom_headers: { "X-Org": "canary-header" },
      api_version: "v1",
    });
    for (const key of ["sk-canary-one", "sk-canary-two"]) {
      const made = await ask("POST", "/api/channel/", {
        body: { name: "twin", type: 1, key, models: "small", config },
      });
      expect(made.success).toBe(true);
    }
    await ask("POST", "/api/channel/", {
      body: { name: "off", type: 14, key: "k", models: "m", status: 2 },
    });
    const { data: document } = (await program("GET", "/api/config/")).body;
    expect(JSON.stringify(document)).not.toContain("canary");
    const withoutSecrets = document.channels.map(
      ({ key: _, ...channel }: { key: string; config?: object }) => ({
        ...channel,
        ...(channel.config && {
          config: { ...channel.config, custom_headers: { "X-Org": "********" } },
        }),
      }),
    );
    const before = await entries();
    const applied = await apply({ ...document, channels: withoutSecrets }, { file: "other.yaml" });
    expect(applied).toMatchObject({ changes: [], problems: [] });
    expect(applied.unchanged).toBeGreaterThan(4);
    expect(await entries()).toBe(before);
  });

  test("touches nothing of the console unless it adopts it, and deletes only its own, when asked", async () => {
    await ask("POST", "/api/channel/", {
      body: { name: "by hand", type: 1, key: "k", models: "small", group: "vip" },
    });
    const wanted = { name: "by hand", type: "openai", models: ["large"] };
    const refused = await apply({ channels: [wanted, { ...west, weight: 7 }] });
    expect(refused.problems).toEqual([
      {
        kind: "channel",
        name: "by hand",
        code: "not_of_this_file",
        message: expect.stringMatching(/--adopt/),
      },
    ]);
    // With a problem nothing is written, not even what has none.
    expect((await channelsNamed("west"))[0]).toMatchObject({ weight: 0 });
    const adopted = await apply({ channels: [wanted, west] }, { adopt: true });
    expect(adopted.changes[0]).toMatchObject({ name: "by hand", action: "adopt" });
    expect((await channelsNamed("by%20hand"))[0]).toMatchObject({
      models: "large",
      group: "vip",
      managed_by: "site.yaml",
    });
    expect(await apply({ channels: [west] })).toMatchObject({
      changes: expect.arrayContaining([
        { kind: "channel", name: "by hand", action: "left", members: [] },
      ]),
    });
    const pruned = await apply({ channels: [west] }, { prune: true });
    expect(
      pruned.changes.map(({ action, name }: Record<string, string>) => `${action} ${name}`),
    ).toEqual(["delete by hand", "delete chat"]);
    expect(await channelsNamed("by%20hand")).toEqual([]);
    expect(await channelsNamed("twin")).toHaveLength(2);
  });

  test("keeps what it manages from edits elsewhere, except its status, until an administrator takes it over", async () => {
    await apply({ channels: [west], virtualModels: [{ name: "kept", tiers }] });
    const [{ id }] = await channelsNamed("west");
    const edit = (body: object) => ask("PUT", "/api/channel/", { body: { id, ...body } });
    expect(await edit({ weight: 5 })).toMatchObject({
      code: "managed_by_file",
      message: expect.stringMatching(/site/),
    });
    expect(await ask("DELETE", `/api/channel/${id}`)).toMatchObject({ code: "managed_by_file" });
    const bulk = await ask("POST", "/api/channel/bulk", {
      body: { ids: [id], verb: "set_priority", priority: 1 },
    });
    expect(bulk.data.rows[0].skipped).toMatchObject({ code: "managed_by_file" });
    expect((await edit({ status: 2 })).data).toMatchObject({ status: 2 });
    // The file does not say whether the channel is enabled.
    expect((await apply({ channels: [west] })).problems).toEqual([]);
    expect((await ask("DELETE", "/api/channel/disabled")).success).toBe(true);
    expect((await channelsNamed("west"))[0]).toMatchObject({ id, status: 2 });

    const virtual = (await ask("GET", "/api/virtual_model/")).data.find(
      (one: { name: string }) => one.name === "kept",
    );
    expect(virtual).toMatchObject({ managed_by: "site.yaml" });
    const change = (body: object) =>
      ask("PUT", "/api/virtual_model/", { body: { id: virtual.id, ...body } });
    expect(await change({ sticky: "user" })).toMatchObject({ code: "managed_by_file" });
    expect((await change({ enabled: false })).success).toBe(true);
    expect(await ask("DELETE", `/api/virtual_model/${virtual.id}`)).toMatchObject({
      code: "managed_by_file",
    });

    expect((await edit({ weight: 5, managed_by: "" })).data).toMatchObject({
      weight: 5,
      managed_by: "",
    });
    expect((await apply({ channels: [west] })).problems[0]).toMatchObject({
      code: "not_of_this_file",
    });
  });

  test("keeps budgets of the site, models and tags, by their names, and leaves those of users and keys alone", async () => {
    const counted = {
      window: "days:30",
      anchor: "2026-11-01",
      models: ["large", "small"],
      note: "by the board",
    };
    const whole = {
      name: "all of it",
      subject: "site",
      amount: "$300",
      zone: "Europe/Berlin",
      ...counted,
    };
    const small = {
      name: "small",
      subject: "model",
      model: "small",
      window: "day",
      amount: 7,
      hard: false,
    };
    const search = {
      name: "search",
      subject: "tag",
      tag: "team=search",
      window: "week",
      firstDay: 7,
      amount: "$0.000004",
    };
    const users = { subject: "user", subject_id: 1, name: "of root", window: "day", amount: 5 };
    await ask("POST", "/api/budget/", { body: users });
    // Two of one name, as only the console can make them.
    for (const model of ["a", "b"])
      await ask("POST", "/api/budget/", {
        body: { subject: "model", model, name: "twin", window: "hour", amount: 5 },
      });
    const budgetsNow = async () => (await ask("GET", "/api/budget/?size=100")).data;
    const named = async (name: string) =>
      (await budgetsNow()).find((one: { name: string }) => one.name === name);

    const document = { budgets: [whole, small, search] };
    const made = await apply(document);
    expect(made.changes.filter(({ kind }: { kind: string }) => kind === "budget")).toEqual(
      document.budgets.map(({ name }) => ({ kind: "budget", name, action: "create", members: [] })),
    );
    expect(await named("all of it")).toMatchObject({
      ...{
        subject: "site",
        amount: 150_000_000,
        zone: "Europe/Berlin",
        managed_by: "site.yaml",
        enabled: true,
      },
      ...{ thresholds: [80, 100], hard: true, ...counted },
    });
    expect(await named("search")).toMatchObject({
      subject_name: "team=search",
      amount: 2,
      first_day: 7,
    });
    const again = await apply(document);
    expect([again.unchanged, again.problems]).toEqual([3, []]);

    const before = [await entries(), await budgetsNow()];
    const { data: exported } = (await program("GET", "/api/config/")).body;
    expect(exported.budgets).toHaveLength(5);
    const applied = await apply({ budgets: exported.budgets }, { file: "other.yaml" });
    expect([applied.changes, applied.problems, applied.unchanged]).toEqual([[], [], 5]);
    expect([await entries(), await budgetsNow()]).toEqual(before);

    const { id } = await named("all of it");
    const edit = (body: object) => ask("PUT", "/api/budget/", { body: { id, ...body } });
    expect(await edit({ amount: 5 })).toMatchObject({ code: "managed_by_file" });
    expect(await ask("DELETE", `/api/budget/${id}`)).toMatchObject({ code: "managed_by_file" });
    expect((await edit({ enabled: false })).data).toMatchObject({ enabled: false });
    // The file does not say whether it is enabled.
    expect((await apply(document)).unchanged).toBe(3);
    const { window_start } = await named("all of it");
    const raised = await apply({ budgets: [{ ...whole, amount: "$400" }, small, search] });
    expect(raised.changes).toContainEqual({
      kind: "budget",
      name: "all of it",
      action: "update",
      members: ["amount"],
    });
    expect(await named("all of it")).toMatchObject({
      id,
      amount: 200_000_000,
      enabled: false,
      window_start,
    });

    const faults = await apply({
      budgets: [
        { ...small, model: "large" },
        { ...search, name: "no zone", zone: "Berlin" },
        { ...whole, name: "twin" },
        { name: "modelless", subject: "model", window: "day", amount: 1 },
        { ...search, name: "of root", subject: "model", tag: undefined, model: "m" },
      ],
    });
    expect(faults.problems.map(({ name, code }: Record<string, string>) => [name, code])).toEqual([
      ["small", "invalid_request"],
      ["no zone", "invalid_request"],
      ["twin", "configuration_ambiguous"],
      ["modelless", "invalid_request"],
    ]);

    expect((await edit({ amount: 5, managed_by: "" })).data).toMatchObject({
      amount: 5,
      managed_by: "",
    });
    expect((await apply(document)).problems).toMatchObject([
      { name: "all of it", code: "not_of_this_file" },
    ]);
    const adopted = await apply(document, { adopt: true });
    expect(adopted.changes).toContainEqual({
      kind: "budget",
      name: "all of it",
      action: "adopt",
      members: ["amount"],
    });
    const pruned = await apply({ budgets: [whole] }, { prune: true });
    expect(pruned.changes).toContainEqual({
      kind: "budget",
      name: "search",
      action: "delete",
      members: [],
    });
    expect((await budgetsNow()).map(({ name }: { name: string }) => name).sort()).toEqual([
      ...["all of it", "of root", "twin", "twin"],
    ]);
  });

  test("names every fault at once: unknown settings, a missing key, a name given twice, a chain", async () => {
    const { problems } = await apply({
      settings: {
        NoSuch: 1,
        RetryTimes: "often",
        PasswordLoginEnabled: true,
        RegisterEnabled: false,
      },
      channels: [
        { name: "keyless", type: "openai" },
        { ...west, name: "a", key: "k" },
        { ...west, name: "a", key: "k" },
      ],
      virtualModels: [
        { name: "v1", tiers },
        { name: "v2", tiers: [{ strategy: "weights", targets: [{ model: "v1", weight: 1 }] }] },
      ],
    });
    expect(problems.map(({ name, code }: Record<string, string>) => [name, code])).toEqual([
      ["NoSuch", expect.any(String)],
      ["RetryTimes", "invalid_request"],
      ["PasswordLoginEnabled", "management_key_not_allowed"],
      ["RegisterEnabled", "management_key_not_allowed"],
      ["keyless", "invalid_request"],
      ["a", "configuration_twice"],
      ["v1", "virtual_model_chained"],
      ["v2", "virtual_model_chained"],
    ]);
    expect(await channelsNamed("keyless")).toEqual([]);
  });

  test("gives an administrator channels and no settings", async () => {
    await gateway.addUser("assistant", { role: 10 });
    const admin = await gateway.signIn("assistant");
    const { problems } = await apply(
      { settings: { SystemName: "mine" }, groups: { default: 0 } },
      {},
      admin,
    );
    expect(problems.map(({ code }: { code: string }) => code)).toEqual([
      "insufficient_role",
      "insufficient_role",
    ]);
    expect(Object.keys((await admin("GET", "/api/config/")).body.data)).toEqual([
      "apiVersion",
      "prices",
      "channels",
      "virtualModels",
      "budgets",
    ]);
    expect(gateway.problems).toEqual([]);
  });
});
