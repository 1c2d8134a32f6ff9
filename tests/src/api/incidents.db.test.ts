import { incidentSpanMaxMs } from "@tollgate/contract/notices/incidents.ts";
import { planAlertEvent } from "@tollgate/gateway/notices/alerts/alert-events.ts";
import { buildEventRow } from "@tollgate/gateway/storage/event-row.ts";
import { computeIdFloor } from "@tollgate/gateway/storage/time-ids.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { testDatabases } from "../support/test-databases.ts";
import { describeVariants } from "../support/variants.ts";
import {
  type ManagementGateway,
  startManagementGateway,
  type TestApiClient,
} from "./management-gateway.ts";

const minute = 60_000;

describeVariants(testDatabases)("an incident on $name", (database) => {
  let gateway: ManagementGateway;
  let root: TestApiClient;
  let admin: TestApiClient;
  let start: number;

  beforeAll(async () => {
    gateway = await startManagementGateway(database);
    root = await gateway.signIn("root");
    await gateway.addUser("mira");
    await gateway.addUser("adam", { role: 10 });
    admin = await gateway.signIn("adam");
    start = gateway.clock.now;
    const { sql } = gateway.db;
    const calls = [
      { at: start - minute, outcome: "failed" },
      { at: start, outcome: "failed" },
      { at: start + minute, outcome: "success", retries: 1 },
      { at: start + 2 * minute, outcome: "success" },
    ];
    const attempt = {
      channel_id: 9,
      channel_uuid: "",
      channel_name: "West",
      started_at: start,
      ended_at: start,
    };
    const data = JSON.stringify({
      attempts: [{ ...attempt, status: 503, outcome: "failed", error: "overloaded" }],
      candidates: [],
    });
    await gateway.db.write([
      ...calls.map(({ at, ...call }) => ({
        query: sql.insertInto("logs").values({
          ...buildEventRow({
            id: computeIdFloor(at),
            type: 2,
            user_id: 2,
            username: "mira",
            quota: 0,
            content: "status 503",
          }),
          origin_model_name: "small",
          ...call,
        }),
      })),
      { query: sql.insertInto("traces").values({ id: computeIdFloor(start), data }) },
      planAlertEvent(
        gateway.db,
        {
          rule: "channel.disabled",
          subject: { kind: "channel", id: 9, name: "West" },
          state: "firing",
          facts: { kind: "channel_disabled", channel: "West", reason: "status 401" },
        },
        start + 30_000,
      ),
    ]);
    gateway.clock.now = start + 40_000;
    await gateway.alerts.fold();
    await root("POST", "/api/channel/", {
      body: { name: "East", type: 1, key: "sk-aaaaaaaaaaaa", models: "m" },
    });
    gateway.clock.now = start + 10 * minute;
  });
  afterAll(() => gateway.close());

  const incident = (client: TestApiClient, from = start, to = start + 5 * minute) =>
    client(
      "GET",
      `/api/incident/?start_timestamp=${Math.floor(from / 1_000)}&end_timestamp=${Math.floor(to / 1_000) - 1}`,
    );

  test("tells what happened between two moments, and nothing of before", async () => {
    const { data } = (await incident(root)).body;
    expect(data).toMatchObject({
      from: start,
      to: start + 5 * minute,
      failed: 1,
      rescued: 1,
      read_from: null,
    });
    expect(data.users).toEqual([{ user_id: 2, username: "mira", failed: 1, rescued: 1 }]);
    expect(data.channels).toMatchObject([
      { channel_name: "West", failed_attempts: 1, last_error: "overloaded" },
    ]);
    expect(data.events).toMatchObject([
      { kind: "channel_failing", subject: "West" },
      { kind: "alert_began", subject: "Channel West disabled" },
      { kind: "change", action: "channel.create", subject: "East", actor: "root" },
    ]);
  });

  test("shows administrators no changes, which are root's, and users nothing", async () => {
    const { data } = (await incident(admin)).body;
    expect(data.events.map(({ kind }: { kind: string }) => kind)).toEqual([
      "channel_failing",
      "alert_began",
    ]);
    expect((await incident(await gateway.signIn("mira"))).status).toBe(403);
  });

  test("names whose calls failed, which administrators find in the log, and each user only those of that user's own", async () => {
    await gateway.addUser("noor");
    const [mira, noor] = [await gateway.signIn("mira"), await gateway.signIn("noor")];
    const failed = { outcome: "failed", origin_model_name: "small" } as const;
    const { sql } = gateway.db;
    const at = start + 3 * minute;
    const row = buildEventRow({
      id: computeIdFloor(at),
      type: 2,
      user_id: 4,
      username: "noor",
      quota: 0,
      content: "status 503",
    });
    await gateway.db.write([{ query: sql.insertInto("logs").values({ ...row, ...failed }) }]);
    const span = `start_timestamp=${start / 1_000}&end_timestamp=${(start + 5 * minute) / 1_000 - 1}`;
    const callsOf = async (client: TestApiClient, path: string) =>
      (await client("GET", `${path}&${span}`)).body.data.map(
        ({ username, outcome }: Record<string, string>) => [username, outcome],
      );
    const { data } = (await incident(admin)).body;
    expect(data.users).toMatchObject([
      { username: "mira", failed: 1 },
      { username: "noor", failed: 1 },
    ]);
    for (const { username } of data.users)
      expect(await callsOf(admin, `/api/log/?username=${username}&outcome=failed`)).toEqual([
        [username, "failed"],
      ]);
    for (const asked of ["", "mira", "noor"]) {
      expect(await callsOf(noor, `/api/log/self?username=${asked}`)).toEqual([["noor", "failed"]]);
      const own = await callsOf(mira, `/api/log/self?username=${asked}`);
      expect(new Set(own.map(([username]: string[]) => username))).toEqual(new Set(["mira"]));
    }
    for (const client of [mira, noor]) {
      expect((await incident(client)).status).toBe(403);
      expect((await client("GET", `/api/log/?${span}`)).status).toBe(403);
    }
  });

  test("is of a day at most, and ends after it begins", async () => {
    expect((await incident(root, start, start + incidentSpanMaxMs)).status).toBe(200);
    expect((await incident(root, start, start + incidentSpanMaxMs + 1_000)).status).toBe(400);
    expect((await incident(root, start, start)).status).toBe(400);
  });
});
