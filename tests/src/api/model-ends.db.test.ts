// When models end, by what their providers and administrators say, from the daily question to what
// users and operators read.
import type { StatedEnds } from "@tollgate/gateway/catalogue/models/told-ends.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { describeLarge } from "../support/large-tests.ts";
import { testDatabases } from "../support/test-databases.ts";
import {
  type ManagementGateway,
  startManagementGateway,
  type TestApiClient,
} from "./management-gateway.ts";

const hour = 3_600_000;
const start = Date.UTC(2026, 10, 25, 12);
const signal = new AbortController().signal;

describeLarge(testDatabases)("models that end on $name", (database) => {
  let gateway: ManagementGateway;
  let root: TestApiClient;
  const asked: string[] = [];
  /** `told` is that of the channel West; a failure where it is undefined. */
  let told: StatedEnds | undefined = new Map();
  beforeAll(async () => {
    gateway = await startManagementGateway(database, start);
    gateway.tests.listOf = async ({ name }) => {
      asked.push(name);
      if (name !== "West") return undefined;
      return told ? { names: ["stays"], isWhole: true, ends: told } : { failure: "status 500" };
    };
    root = await gateway.signIn("root");
    const channel = { type: 1, key: "k", models: "small,stays", group: "default" };
    await root("POST", "/api/channel/", { body: { ...channel, name: "West" } });
    await root("POST", "/api/channel/", {
      body: {
        ...channel,
        name: "Vip",
        models: "mine",
        group: "vip",
        model_mapping: '{"mine":"small"}',
      },
    });
  });
  afterAll(() => gateway.close());

  const says = (ends_on: string, replacement = ""): StatedEnds =>
    new Map([["small", { ends_on, replacement }]]);
  const ask = async (laterMs: number): Promise<void> => {
    gateway.clock.now += laterMs;
    // Two nodes at once: one of them asks.
    await Promise.all([gateway.askModelEnds(signal), gateway.askModelEnds(signal)]);
    // The session of before has ended.
    root = await gateway.signIn("root");
  };
  const ends = async (): Promise<unknown[]> => {
    const { data } = (await root("GET", "/api/model_end/")).body as {
      data: Record<string, unknown>[];
    };
    return data.map(({ model, ends_on, source, replacement }) => [
      model,
      ends_on,
      source,
      replacement,
    ]);
  };

  test("each channel's provider is asked once a day, after a failure once an hour, and what it said last holds", async () => {
    told = says("2026-12-11", "larger");
    await ask(0);
    expect(asked.splice(0).sort()).toEqual(["Vip", "West"]);
    expect(await ends()).toEqual([["small", "2026-12-11", "provider", "larger"]]);
    await ask(23 * hour);
    expect(asked.splice(0)).toEqual([]);
    told = undefined;
    await ask(hour);
    expect(asked.splice(0).sort()).toEqual(["Vip", "West"]);
    expect(await ends()).toEqual([["small", "2026-12-11", "provider", "larger"]]);
    // The day moves, and moves back.
    told = says("2027-01-31");
    await ask(hour);
    expect(asked.splice(0)).toEqual(["West"]);
    expect(await ends()).toEqual([["small", "2027-01-31", "provider", ""]]);
    told = says("2026-12-11");
    await ask(24 * hour);
    expect(await ends()).toEqual([["small", "2026-12-11", "provider", ""]]);
    told = says("");
    await ask(24 * hour);
    expect(await ends()).toEqual([]);
  });

  test("what an administrator says goes before it, until that is forgotten", async () => {
    const body = { model: "small", ends_on: "2026-12-24", replacement: "newer" };
    expect((await root("POST", "/api/model_end/", { body })).body.data).toEqual(body);
    expect(await ends()).toEqual([["small", "2026-12-24", "operator", "newer"]]);
    expect((await root("GET", "/api/model_end/")).body.set).toEqual([body]);
    // Users hear of the names that their group may call.
    await gateway.addUser("mira");
    await gateway.addUser("noor", { group: "vip" });
    const own = async (name: string) =>
      (await (await gateway.signIn(name))("GET", "/api/model_end/own")).body.data;
    expect(await own("mira")).toEqual([body]);
    expect(await own("noor")).toEqual([{ ...body, model: "mine" }]);
    expect((await (await gateway.signIn("mira"))("POST", "/api/model_end/", { body })).status).toBe(
      403,
    );

    told = says("2026-12-11");
    await ask(24 * hour);
    const stays = { ...body, ends_on: null, replacement: "" };
    expect((await root("POST", "/api/model_end/", { body: stays })).body.data).toEqual(stays);
    expect(await ends()).toEqual([]);
    await root("POST", "/api/model_end/forget", { body: { model: "small" } });
    expect(await ends()).toEqual([["small", "2026-12-11", "provider", ""]]);
    expect(
      (await root("POST", "/api/model_end/forget", { body: { model: "small" } })).body.code,
    ).toBe("changed_meanwhile");
    const actions = (await root("GET", "/api/audit/?keyword=small")).body.data as {
      action: string;
    }[];
    expect(actions.map(({ action }) => action)).toEqual(
      expect.arrayContaining(["model_end.update", "model_end.delete"]),
    );
    expect(gateway.problems).toEqual([]);
  });

  test("nothing is kept of a channel that is gone", async () => {
    const { data } = (await root("GET", "/api/channel/?size=10")).body as {
      data: { id: number }[];
    };
    for (const { id } of data) await root("DELETE", `/api/channel/${id}`);
    await ask(24 * hour);
    expect(await gateway.db.read(gateway.db.sql.selectFrom("told_model_ends").selectAll())).toEqual(
      [],
    );
  });
});
