import { afterAll, beforeAll, expect, test } from "vitest";
import { rollupMeasures } from "../support/rollup-measures.ts";
import { testDatabases } from "../support/test-databases.ts";
import { describeVariants } from "../support/variants.ts";
import {
  type ManagementGateway,
  startManagementGateway,
  type TestApiClient,
} from "./management-gateway.ts";

const dayMs = 86_400_000;

describeVariants(testDatabases)("the report of a month on $name", (database) => {
  let gateway: ManagementGateway;
  let root: TestApiClient;
  let mira: TestApiClient;
  let month: string;
  /** UTC days since 1970. */
  let first: number;

  const sums = (requests: number, quota: number) =>
    rollupMeasures({
      requests,
      failures: 1,
      prompt_tokens: 10 * requests,
      cached_prompt_tokens: requests,
      completion_tokens: 5 * requests,
      quota,
    });

  beforeAll(async () => {
    gateway = await startManagementGateway(database);
    const { id: miraId } = await gateway.addUser("mira");
    const { id: noraId } = await gateway.addUser("nora");
    [root, mira] = [await gateway.signIn("root"), await gateway.signIn("mira")];
    const key = (await mira("POST", "/api/token/", { body: { name: "=laptop" } })).body.data;
    const [channel] = (
      await root("POST", "/api/channel/", {
        body: { name: "main", type: 1, key: "sk-aaaaaaaaaaaa", models: "m" },
      })
    ).body.data;
    const now = new Date(gateway.clock.now);
    month = now.toISOString().slice(0, 7);
    first = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1) / dayMs;
    const { sql } = gateway.db;
    // Of mira: 5 calls, of which 2 with a key that is gone. The day before the month must not
    // count.
    await gateway.db.write([
      {
        query: sql.insertInto("rollup_day_user").values([
          { day: first - 1, user_id: miraId, ...sums(100, 100_000) },
          { day: first, user_id: miraId, ...sums(5, 1_500_000) },
          { day: first, user_id: noraId, ...sums(1, 500_000) },
        ]),
      },
      {
        query: sql.insertInto("rollup_day_token").values([
          { day: first, token_id: key.id, ...sums(3, 1_000_000) },
          { day: first, token_id: 999_999, ...sums(2, 500_000) },
        ]),
      },
      {
        query: sql.insertInto("rollup_day_model").values([
          { day: first - 1, model_name: "old", ...sums(100, 100_000) },
          { day: first, model_name: "m", ...sums(6, 2_000_000) },
        ]),
      },
      {
        query: sql
          .insertInto("rollup_day_user_model")
          .values([{ day: first, user_id: miraId, model_name: "m", ...sums(5, 1_500_000) }]),
      },
      {
        query: sql.insertInto("rollup_hour_channel").values([
          { hour: first * 24 - 1, channel_id: channel.id, ...sums(100, 100_000) },
          { hour: first * 24, channel_id: channel.id, ...sums(6, 2_000_000) },
        ]),
      },
      {
        query: sql.insertInto("rollup_day_cost").values([
          {
            day: first - 1,
            channel_id: channel.id,
            model_name: "m",
            requests: 9,
            quota: 9_000,
            cost_nanos: 9_000,
          },
          // $2 were charged for calls that cost $1.20 and a little.
          {
            day: first,
            channel_id: channel.id,
            model_name: "m",
            requests: 3,
            quota: 750_000,
            cost_nanos: 900_000_100,
          },
          {
            day: first + 1,
            channel_id: channel.id,
            model_name: "m",
            requests: 1,
            quota: 250_000,
            cost_nanos: 300_000_500,
          },
          {
            day: first,
            channel_id: channel.id + 1,
            model_name: "gone",
            requests: 1,
            quota: 5,
            cost_nanos: 20_000,
          },
        ]),
      },
      {
        query: sql.insertInto("rollup_day_tag").values(
          (
            [
              [first - 1, "team", "search", 100],
              [first, "team", "search", 3],
              [first, "team", "ads", 1],
              [first, "env", "prod", 6],
            ] as const
          ).map(([day, tag_key, tag_value, requests]) => ({
            ...{ day, tag_key, tag_value, requests, failures: 0, quota: requests * 100_000 },
            ...{
              prompt_tokens: 10 * requests,
              cached_prompt_tokens: 0,
              completion_tokens: requests,
            },
          })),
        ),
      },
    ]);
  });
  afterAll(() => gateway.close());

  const report = async (client: TestApiClient, query: string) =>
    (await client("GET", `/api/report/?month=${month}&${query}`)).body;
  test("administrators read it by the values of a tag, with the calls that have none, and other users do not", async () => {
    const { data } = await report(root, "by=tag&tag_key=team&user_id=all");
    expect(told(data.rows)).toEqual([
      ["search", "", 3, 300_000],
      ["ads", "", 1, 100_000],
      ["", "", 2, 1_600_000],
    ]);
    expect(data.total.quota).toBe(2_000_000);
    expect(await report(root, "by=tag&user_id=all")).toMatchObject({
      fields: { tag_key: expect.any(String) },
    });
    expect(await report(root, "by=model&tag_key=team&user_id=all")).toMatchObject({
      fields: { tag_key: expect.any(String) },
    });
    expect(await report(mira, "by=tag&tag_key=team")).toMatchObject({
      fields: { by: expect.any(String) },
    });
    const { body } = await root(
      "GET",
      `/api/report/export?month=${month}&by=tag&tag_key=team&user_id=all`,
    );
    expect(String(body.data)).toContain(`${month},(none),2,`);
  });

  const told = (rows: { name: string; owner: string; requests: number; quota: number }[]) =>
    rows.map(({ name, owner, requests, quota }) => [name, owner, requests, quota]);

  test("administrators read it by user, key, model and channel, and each adds up to the same total", async () => {
    const of = async (by: string) => (await report(root, `by=${by}&user_id=all`)).data;
    expect(told((await of("user")).rows)).toEqual([
      ["mira", "", 5, 1_500_000],
      ["nora", "", 1, 500_000],
    ]);
    expect(told((await of("key")).rows)).toEqual([
      ["=laptop", "mira", 3, 1_000_000],
      ["", "", 2, 500_000],
    ]);
    expect(told((await of("model")).rows)).toEqual([["m", "", 6, 2_000_000]]);
    expect(told((await of("channel")).rows)).toEqual([["main", "", 6, 2_000_000]]);
    expect((await of("model")).total).toEqual({
      requests: 6,
      failures: 1,
      prompt_tokens: 60,
      cached_prompt_tokens: 6,
      completion_tokens: 30,
      quota: 2_000_000,
      cost: { requests: 5, quota: 1_000_005, cost_micros: 1_200_021 },
    });
    expect(await of("model")).toMatchObject({ is_finished: false, is_cut: false });
  });

  test("administrators read what the calls of a model or channel cost, as far as it is known, and other users do not", async () => {
    const known = { requests: 4, quota: 1_000_000, cost_micros: 1_200_001 };
    for (const by of ["model", "channel"])
      expect((await report(root, `by=${by}&user_id=all`)).data.rows).toMatchObject([
        { cost: known },
      ]);
    for (const query of ["by=user&user_id=all", "by=key&user_id=all", "by=model"])
      for (const row of (await report(root, query)).data.rows)
        expect(row).not.toHaveProperty("cost");
    for (const query of ["by=key", "by=model"]) {
      const { data } = await report(mira, query);
      expect(JSON.stringify(data)).not.toContain("cost");
    }
    const { body } = await root("GET", `/api/report/export?month=${month}&by=channel&user_id=all`);
    expect(String(body.data).split("\r\n")[1]).toMatch(/,4,2\.000000,1\.200001,0\.799999$/);
  });

  test("the dashboard has them beside the channels and models of all users", async () => {
    const day = (index: number) => new Date((first + index) * dayMs).toISOString().slice(0, 10);
    const range = `from_date=${day(0)}&to_date=${day(1)}`;
    const { data } = (await root("GET", `/api/user/dashboard/insight?user_id=all&${range}`)).body;
    expect(data.channels).toMatchObject([
      { cost: { requests: 4, quota: 1_000_000, cost_micros: 1_200_001 } },
    ]);
    expect(data.model_costs).toEqual([
      { model: "m", cost: { requests: 4, quota: 1_000_000, cost_micros: 1_200_001 } },
      { model: "gone", cost: { requests: 1, quota: 5, cost_micros: 20 } },
    ]);
    expect((await mira("GET", "/api/user/dashboard/insight")).body.data.model_costs).toBeNull();
  });

  test("users read their own, with what deleted keys spent as one row", async () => {
    const { data } = await report(mira, "by=key");
    expect(told(data.rows)).toEqual([
      ["=laptop", "mira", 3, 1_000_000],
      ["", "", 2, 500_000],
    ]);
    expect(data.total).toMatchObject({ requests: 5, quota: 1_500_000 });
    expect(told((await report(mira, "by=model")).data.rows)).toEqual([["m", "", 5, 1_500_000]]);
  });

  test("users do not read the figures of others, and a report by user or channel covers all users", async () => {
    expect((await mira("GET", `/api/report/?month=${month}&by=model&user_id=all`)).status).toBe(
      403,
    );
    expect(
      (await mira("GET", `/api/report/export?month=${month}&by=model&user_id=all`)).status,
    ).toBe(403);
    for (const by of ["user", "channel"])
      expect((await mira("GET", `/api/report/?month=${month}&by=${by}`)).status).toBe(400);
    expect((await mira("GET", "/api/report/?month=2999-01&by=model")).status).toBe(400);
    expect((await mira("GET", "/api/report/?month=2026-1&by=model")).status).toBe(400);
    expect((await mira("GET", "/api/report/?month=2020-02&by=model")).body.data.rows).toEqual([]);
  });

  test("the CSV has every row, exact dollars and safe names", async () => {
    const { headers, body } = await root(
      "GET",
      `/api/report/export?month=${month}&by=key&user_id=all`,
    );
    expect(headers.get("content-type")).toContain("text/csv");
    expect(headers.get("content-disposition")).toBe(
      `attachment; filename="report-${month}-by-key.csv"`,
    );
    const lines = String(body.data).split("\r\n");
    expect(lines.slice(1)).toEqual([
      `${month},'=laptop,mira,3,1,30,3,15,1000000,2.000000`,
      `${month},(deleted),,2,1,20,2,10,500000,1.000000`,
      "",
    ]);
  });
});
