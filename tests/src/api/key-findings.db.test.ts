import { afterAll, beforeAll, expect, test } from "vitest";
import { testDatabases } from "../support/test-databases.ts";
import { describeVariants } from "../support/variants.ts";
import {
  type ManagementGateway,
  startManagementGateway,
  type TestApiClient,
} from "./management-gateway.ts";

const dayMs = 86_400_000;

describeVariants(testDatabases)("keys to look at on $name", (database) => {
  let gateway: ManagementGateway;
  let root: TestApiClient;
  let mira: TestApiClient;

  beforeAll(async () => {
    gateway = await startManagementGateway(database);
    await gateway.addUser("mira");
    [root, mira] = [await gateway.signIn("root"), await gateway.signIn("mira")];
    const expired_time = Math.floor(gateway.clock.now / 1000) + 86_400;
    const limited = { remain_quota: 5, expired_time };
    await add("well kept", limited);
    await add("never ends", { remain_quota: 5 });
    await add("open", { ...limited, unlimited_quota: true });
    const budgeted = await add("budgeted", { ...limited, unlimited_quota: true });
    await mira("PUT", `/api/token/${budgeted.uuid}/spending_limit`, {
      body: { amount: 5, window: "day" },
    });
    await add("forgotten", limited, { accessed_at: gateway.clock.now - 91 * dayMs });
    await add("aged", limited, { created_at: gateway.clock.now - 366 * dayMs });
    // None of these can be used, so nothing is wrong with them.
    await add("spent", { unlimited_quota: false, remain_quota: 0 });
    await add("off", { unlimited_quota: true });
    await mira("PUT", "/api/token/?status_only=1", {
      body: { uuid: (await tokenOf("off")).uuid, status: 2 },
    });
    await add("over", { unlimited_quota: true }, { expired_at: gateway.clock.now });
  });
  afterAll(() => gateway.close());

  const add = async (name: string, fields: object, columns: Record<string, number> = {}) => {
    const { data } = (await mira("POST", "/api/token/", { body: { name, ...fields } })).body;
    const { sql } = gateway.db;
    if (Object.keys(columns).length > 0)
      await gateway.db.write([
        { query: sql.updateTable("tokens").set(columns).where("id", "=", data.id) },
      ]);
    return data;
  };
  const tokenOf = async (name: string) =>
    (await mira("GET", `/api/token/search?keyword=${name}`)).body.data[0];
  const found = async (client: TestApiClient, path: string) => {
    const { data } = (await client("GET", path)).body;
    return Object.fromEntries(
      data.map(({ name, findings }: { name: string; findings: string[] }) => [name, findings]),
    );
  };

  test("lists the keys that work and are unused, unlimited, old or never expire, with what holds for each", async () => {
    const expected = {
      "never ends": ["never_expires"],
      open: ["unlimited"],
      forgotten: ["unused"],
      aged: ["old"],
    };
    expect(await found(mira, "/api/token/findings?size=100")).toEqual(expected);
    expect(await found(root, "/api/token/all/findings?size=100")).toEqual(expected);
    expect(await found(mira, "/api/token/findings?finding=old")).toEqual({ aged: ["old"] });
    expect((await mira("GET", "/api/token/findings?size=1")).body).toMatchObject({
      total: 4,
      data: [{ name: "aged" }],
    });
  });

  test("counts days without use as asked", async () => {
    expect(await found(mira, "/api/token/findings?finding=unused&unused_days=92")).toEqual({});
    for (const days of [0, 3_651, "x"])
      expect((await mira("GET", `/api/token/findings?unused_days=${days}`)).status).toBe(400);
  });

  test("lists a key that was used from more networks on a day than the setting allows, with the day and the count", async () => {
    const { sql } = gateway.db;
    const { id } = await tokenOf("well kept");
    const today = Math.floor(gateway.clock.now / dayMs);
    const used = (day: number, networks: number) =>
      Array.from({ length: networks }, (_, at) => ({ token_id: id, day, network: `10.0.${at}.0` }));
    const rows = [...used(today - 2, 2), ...used(today - 1, 3), ...used(today, 1)];
    await gateway.db.write([{ query: sql.insertInto("key_networks").values(rows) }]);
    const allow = (value: string) =>
      root("PUT", "/api/option/", { body: { key: "KeyNetworksThreshold", value } });
    const path = "/api/token/findings?finding=many_networks";

    expect(await found(mira, path)).toEqual({});
    expect((await allow("256")).status).toBe(400);
    await allow("3");
    expect(await found(mira, path)).toEqual({});
    await allow("2");
    expect(await found(mira, path)).toEqual({ "well kept": ["many_networks"] });
    expect((await root("GET", "/api/token/all/findings?finding=many_networks")).body).toMatchObject(
      {
        total: 1,
        data: [
          { name: "well kept", busiest_day: { start: ((today - 1) * dayMs) / 1000, networks: 3 } },
        ],
      },
    );

    const replaced = sql
      .updateTable("tokens")
      .set({ key_made_at: (today - 1) * dayMs })
      .where("id", "=", id);
    await gateway.db.write([{ query: replaced, rows: 1 }]);
    expect(await found(mira, path)).toEqual({});
    await allow("0");
  });

  test("each act ends its finding: a rotation that of an old key, a limit, an expiry, a stop", async () => {
    const act = (method: string, path: string, body: object) => mira(method, path, { body });
    await act("POST", "/api/token/rotate", {
      uuid: (await tokenOf("aged")).uuid,
      overlap_seconds: 0,
    });
    await act("PUT", `/api/token/${(await tokenOf("open")).uuid}/spending_limit`, {
      amount: 5,
      window: "month",
    });
    const expired_time = Math.floor(gateway.clock.now / 1000) + 60;
    await act("PUT", "/api/token/", { uuid: (await tokenOf("never ends")).uuid, expired_time });
    await act("PUT", "/api/token/?status_only=1", {
      uuid: (await tokenOf("forgotten")).uuid,
      status: 2,
    });
    expect(await found(mira, "/api/token/findings")).toEqual({});
  });

  test("the keys of all users are for administrators, whose looks are recorded", async () => {
    expect((await mira("GET", "/api/token/all/findings")).status).toBe(403);
    await root("GET", "/api/token/all/findings?finding=unused");
    expect((await root("GET", "/api/audit/?size=1")).body.data).toMatchObject([
      { action: "token.list_all", change: JSON.stringify({ finding: "unused", shown: 0 }) },
    ]);
    // A user's own look is at nothing of others.
    expect(await found(root, "/api/token/findings")).toEqual({});
    expect(gateway.problems).toEqual([]);
  });
});
