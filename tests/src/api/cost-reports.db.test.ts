// What providers report that they charged, beside what was charged here: asked over HTTP from the
// simulated cost APIs.
import { type Simulator, startSimulator } from "@tollgate/simulator/simulator.ts";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { eventually } from "../harness/eventually.ts";
import { testDatabases } from "../support/test-databases.ts";
import { describeVariants } from "../support/variants.ts";
import {
  type ManagementGateway,
  startManagementGateway,
  type TestApiClient,
} from "./management-gateway.ts";
import { addSettledCall } from "./seed-logs.ts";

const now = Date.UTC(2026, 10, 20, 12);
const dayMs = 86_400_000;
const dayOf = (daysAgo: number) => new Date(now - daysAgo * dayMs).toISOString().slice(0, 10);
/** 3 dollars for a million prompt tokens, 15 for answers, at half the price. */
const price = JSON.stringify({
  rates: { input: "3000000", output: "15000000" },
  group_ratio: 500_000,
  source: "test",
  source_date: "",
  verified: true,
});

describeVariants(testDatabases)("cost reports on $name", (database) => {
  let gateway: ManagementGateway;
  let simulator: Simulator;
  let admin: TestApiClient;
  let root: { id: number; username: string };
  beforeAll(async () => {
    simulator = await startSimulator();
    gateway = await startManagementGateway(database, now, simulator.url);
    const ada = await gateway.addUser("ada", { role: 10 });
    admin = await gateway.signIn("ada");
    root = { id: ada.id, username: "ada" };
  });
  afterAll(async () => {
    await gateway.close();
    await simulator.close();
  });
  beforeEach(() => simulator.clearCalls());
  afterEach(async () => {
    gateway.clock.now += 120_000;
    for (const { channel_id } of await list())
      await admin("DELETE", `/api/cost_report/${channel_id}`);
    expect(gateway.problems).toEqual([]);
  });

  const addChannel = async (name: string, more: object = {}) => {
    const body = {
      name,
      type: 1,
      key: `sk-${name}-canary`,
      models: "m",
      base_url: simulator.url,
      ...more,
    };
    const reply = await admin("POST", "/api/channel/", { body });
    expect(reply.body.message).toBe("");
    return reply.body.data[0] as { id: number; uuid: string };
  };
  const list = async () => (await admin("GET", "/api/cost_report/")).body.data;
  const set = (id: number, body: object) => admin("PUT", `/api/cost_report/${id}`, { body });
  const read = (id: number) => admin("POST", `/api/cost_report/${id}/read`);
  const days = async (id: number, query = "") =>
    (await admin("GET", `/api/cost_report/${id}/days${query}`)).body.data;
  /** Log ids are times: each call has a moment of its own. */
  let calls = 0;
  const call = (
    channel: number,
    daysAgo: number,
    model_name: string,
    prompt: number,
    completion: number,
    cost_nanos: number | null = null,
  ) =>
    addSettledCall(gateway, root, now - daysAgo * dayMs + ++calls, {
      channel_id: channel,
      model_name,
      prompt_tokens: prompt,
      completion_tokens: completion,
      quota: 10,
      price,
      cost_nanos,
    });

  test("a call with a known cost is compared at it, and one without at its list price", async () => {
    const { id } = await addChannel("bought");
    await call(id, 5, "gpt-4o", 1_000, 100, 2_250_000);
    await call(id, 4, "gpt-4o", 1_000, 100);
    simulator.script("sim-admin-bought", {
      costs: [5, 4].map((daysAgo) => ({
        ...{
          day: dayOf(daysAgo),
          model: "gpt-4o",
          requests: 1,
          input: 1_000,
          output: 100,
          dollars: 0.00225,
        },
      })),
    });
    await set(id, { key: "sim-admin-bought" });
    await read(id);
    const { days: compared } = await days(id);
    const differences = compared
      .filter(({ day }: { day: string }) => [dayOf(5), dayOf(4)].includes(day))
      .map((day: { total: { difference_micros: number } }) => day.total.difference_micros);
    expect(differences).toEqual([-2_250, 0]);
  });

  test("the calls of all channels of an account stand beside its report, by day and model", async () => {
    const [one, two, other] = [
      await addChannel("one"),
      await addChannel("two"),
      await addChannel("other"),
    ];
    await call(one.id, 5, "gpt-4o", 1_000, 100);
    await call(two.id, 5, "gpt-4o-2024-08-06", 1_000, 100);
    await call(other.id, 5, "gpt-4o", 1_000, 100);
    await call(one.id, 1, "gpt-4o", 1_000, 100);
    simulator.script("sim-admin-canary", {
      costs: [
        {
          day: dayOf(5),
          model: "gpt-4o-2024-08-06",
          requests: 3,
          input: 3_000,
          output: 300,
          dollars: 0.0135,
        },
        {
          day: dayOf(1),
          model: "gpt-4o-2024-08-06",
          requests: 1,
          input: 1_000,
          output: 100,
          dollars: 0.002,
        },
        {
          day: dayOf(40),
          model: "gpt-4o-2024-08-06",
          requests: 1,
          input: 1_000,
          output: 100,
          dollars: 9,
        },
      ],
    });
    const stored = await set(one.id, { key: "sim-admin-canary", channel_ids: [two.id] });
    expect(stored.body.data).toMatchObject({
      channel_id: one.id,
      key_hint: "nary",
      scope: "",
      channel_ids: [two.id],
      read_at: null,
      failure: null,
    });
    expect((await read(one.id)).body).toMatchObject({
      success: true,
      data: { read_at: gateway.clock.now, failure: null },
    });

    const compared = await days(one.id);
    const closed = compared.days.find(({ day }: { day: string }) => day === dayOf(5));
    expect(closed).toMatchObject({
      state: "closed",
      lines: [
        {
          models: ["gpt-4o", "gpt-4o-2024-08-06"],
          // Two channels, without the group's ratio.
          charged: {
            requests: 2,
            prompt_tokens: 2_000,
            completion_tokens: 200,
            cost_micros: 9_000,
          },
          reported: {
            requests: 3,
            prompt_tokens: 3_000,
            completion_tokens: 300,
            cost_micros: 13_500,
          },
          difference_micros: 4_500,
          difference_percent: 33.33,
        },
      ],
    });
    const open = compared.days.find(({ day }: { day: string }) => day === dayOf(1));
    expect(open).toMatchObject({ state: "open", total: { reported: { cost_micros: 2_000 } } });
    expect(compared).toMatchObject({ closed_days: 29, total: { difference_micros: 4_500 } });
    expect(compared.days).toHaveLength(31);
    expect(JSON.stringify(await list())).not.toContain("sim-admin-canary");
    // 31 days came in pages of seven.
    expect(simulator.calls().filter(({ path }) => path.includes("page=page_"))).toHaveLength(12);
    expect((await days(one.id, `?from=${dayOf(5)}&to=${dayOf(5)}`)).days).toHaveLength(1);
    expect(
      (await admin("GET", `/api/cost_report/${one.id}/days?from=2026-11-02&to=2026-11-01`)).body
        .code,
    ).toBe("date_order");
  });

  test("a closed day is read once, an open one again, and deleted log rows are said to be missing", async () => {
    const channel = await addChannel("again");
    await call(channel.id, 4, "m", 1_000, 0);
    await call(channel.id, 1, "m", 1_000, 0);
    simulator.script("sim-again-canary", {
      costs: [{ day: dayOf(4), model: "m", dollars: 0.003 }],
    });
    await set(channel.id, { key: "sim-again-canary" });
    await read(channel.id);
    simulator.script("sim-again-canary", {
      costs: [
        { day: dayOf(4), model: "m", dollars: 5 },
        { day: dayOf(1), model: "m", dollars: 0.003 },
      ],
    });
    // On PostgreSQL, roll-ups follow within a second.
    const { sql } = gateway.db;
    await eventually(async () => {
      const counted = sql
        .selectFrom("rollup_hour_channel")
        .select("hour")
        .where("channel_id", "=", channel.id);
      expect(await gateway.db.read(counted)).toHaveLength(2);
    });
    await gateway.db.write([
      { query: gateway.db.sql.deleteFrom("logs").where("channel_id", "=", channel.id) },
    ]);
    gateway.clock.now += 60_000;
    await read(channel.id);
    const { days: compared, total } = await days(channel.id);
    const stateOf = (daysAgo: number) =>
      compared.find(({ day }: { day: string }) => day === dayOf(daysAgo));
    expect(stateOf(4)).toMatchObject({ state: "closed", total: { difference_micros: 0 } });
    expect(stateOf(1)).toMatchObject({
      state: "incomplete",
      total: { charged: null, reported: { cost_micros: 3_000 } },
    });
    expect(total).toMatchObject({ difference_micros: 0, difference_percent: 0 });
  });

  test.each([
    [14, "wrkspc_a", { project: "wrkspc_a" }],
    [20, "a".repeat(64), { apiKey: "a".repeat(64) }],
    [1, "proj_a", { project: "proj_a" }],
  ])(
    "channels of type %i are compared with the part of the account that was named",
    async (type, scope, mine) => {
      const channel = await addChannel(`type-${type}`, { type });
      await call(channel.id, 3, "m", 1_000, 100);
      const figures = {
        day: dayOf(3),
        model: "m",
        input: 1_000,
        cached: 400,
        output: 100,
        dollars: 0.0045,
      };
      simulator.script("sim-scope-canary", {
        costs: [
          { ...figures, ...mine },
          { ...figures, project: "x", apiKey: "x" },
        ],
      });
      expect((await set(channel.id, { key: "sim-scope-canary", scope })).body.message).toBe("");
      expect((await read(channel.id)).body.data).toMatchObject({ failure: null });
      expect((await days(channel.id)).total).toMatchObject({
        charged: { requests: 1, prompt_tokens: 1_000, completion_tokens: 100, cost_micros: 4_500 },
        reported: { prompt_tokens: 1_000, completion_tokens: 100, cost_micros: 4_500 },
        difference_micros: 0,
      });
    },
  );

  test.each([
    ["sim-401", "refused_key", 401],
    ["sim-fail-429-retry-60", "rate_limited", 429],
    ["sim-503", "provider_status", 503],
    ["sim-html", "unreadable", 0],
    ["sim-malformed", "unreadable", 0],
    ["sim-drop", "unreachable", 0],
    ["unknown", "refused_key", 401],
  ])(
    "a provider that answers %s leaves the reason, and what was read before",
    async (key, failure, failure_status) => {
      const channel = await addChannel(`fails-${failure}-${key}`);
      expect(
        (await set(channel.id, { key: `${key}+as-canary`.replace("unknown+as-", "unknown-") })).body
          .message,
      ).toBe("");
      const { body } = await read(channel.id);
      expect(body).toMatchObject({
        success: true,
        data: { failure, failure_status, read_at: null },
      });
      expect(await days(channel.id)).toMatchObject({ days: [], closed_days: 0 });
    },
  );

  test("a report is read by the schedule of one node, and no more than once a minute by hand", async () => {
    const channel = await addChannel("schedule");
    await set(channel.id, { key: "sim-ok+as-schedule" });
    const asked = () =>
      simulator.calls().filter(({ path }) => path.startsWith("/v1/organization/costs?")).length;
    const { signal } = new AbortController();
    await Promise.all([gateway.costReports.readDue(signal), gateway.costReports.readDue(signal)]);
    const first = asked();
    expect(first).toBeGreaterThan(0);
    await gateway.costReports.readDue(signal);
    expect(asked()).toBe(first);
    expect((await read(channel.id)).body.code).toBe("cost_report_just_read");
    gateway.clock.now += 6 * 3_600_000;
    await gateway.costReports.readDue(signal);
    expect(asked()).toBe(first + 1);
    gateway.clock.now = now;
  });

  test("the report key leaves for no other destination, and a new one is needed after a move", {
    tags: ["F-79"],
  }, async () => {
    const channel = await addChannel("moved");
    await set(channel.id, { key: "sim-ok+as-moved" });
    const moved = { id: channel.id, base_url: "http://127.0.0.1:9", key: "sk-another" };
    expect((await admin("PUT", "/api/channel/", { body: moved })).body.message).toBe("");
    expect((await read(channel.id)).body.data.failure).toBe("address_changed");
    expect(simulator.calls()).toEqual([]);
    expect((await set(channel.id, { scope: "proj_a" })).body.code).toBe("cost_report_key_required");
  });

  test("settings are refused where they cannot be right", async () => {
    const [one, two] = [await addChannel("rules-1"), await addChannel("rules-2")];
    const azure = await addChannel("rules-3", { type: 3 });
    const anthropic = await addChannel("rules-4", { type: 14 });
    expect((await set(one.id, {})).body.code).toBe("cost_report_key_required");
    expect((await set(azure.id, { key: "sim-ok+as-canary" })).body.code).toBe(
      "cost_report_unsupported",
    );
    expect((await set(999_999, { key: "sim-ok+as-canary" })).body.code).toBe("channel_not_found");
    const scope = await set(one.id, { key: "sim-ok+as-canary", scope: "wrkspc_1" });
    expect(scope.body).toMatchObject({
      code: "invalid_request",
      fields: { scope: expect.stringContaining("proj_") },
    });
    for (const channel_ids of [[anthropic.id], [999_999]]) {
      const refused = await set(one.id, { key: "sim-ok+as-canary", channel_ids });
      expect(refused.body).toMatchObject({
        code: "invalid_request",
        fields: { channel_ids: expect.any(String) },
      });
    }
    expect(
      (await set(one.id, { key: "sim-ok+as-canary", channel_ids: [two.id, two.id, one.id] })).body
        .data,
    ).toMatchObject({
      channel_ids: [two.id],
    });
    expect((await set(two.id, { key: "sim-ok+as-canary" })).body.code).toBe(
      "cost_report_channel_taken",
    );
    // Another scope may be another account: what was read is forgotten.
    await read(one.id);
    expect((await days(one.id)).days.length).toBeGreaterThan(0);
    expect((await set(one.id, { scope: "proj_b" })).body.data).toMatchObject({
      scope: "proj_b",
      read_at: null,
    });
    expect((await days(one.id)).days).toEqual([]);
  });

  test("a deleted channel leaves neither key nor figures", async () => {
    const [one, two] = [await addChannel("gone-1"), await addChannel("gone-2", { status: 2 })];
    for (const { id } of [one, two]) {
      await set(id, { key: "sim-ok+as-canary" });
      await read(id);
    }
    await admin("DELETE", `/api/channel/${one.id}`);
    await admin("DELETE", "/api/channel/disabled");
    const { sql } = gateway.db;
    for (const table of ["cost_reports", "cost_report_days", "cost_report_lines"] as const) {
      const uuids = [one.uuid, two.uuid];
      expect(
        await gateway.db.read(sql.selectFrom(table).selectAll().where("channel_uuid", "in", uuids)),
      ).toEqual([]);
    }
    expect((await read(one.id)).body.code).toBe("channel_not_found");
  });
});
