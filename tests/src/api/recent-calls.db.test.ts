import { afterAll, beforeAll, expect, test } from "vitest";
import { rollupMeasures } from "../support/rollup-measures.ts";
import { testDatabases } from "../support/test-databases.ts";
import { describeVariants } from "../support/variants.ts";
import {
  type ManagementGateway,
  startManagementGateway,
  type TestApiClient,
} from "./management-gateway.ts";

const hourMs = 3_600_000;

describeVariants(testDatabases)("recent calls in lists on $name", (database) => {
  let gateway: ManagementGateway;
  let root: TestApiClient;
  let mira: TestApiClient;
  let userId: number;
  let tokenId: number;
  let channelId: number;

  const counts = (requests: number, failures: number) => rollupMeasures({ requests, failures });

  beforeAll(async () => {
    gateway = await startManagementGateway(database);
    userId = (await gateway.addUser("mira")).id;
    [root, mira] = [await gateway.signIn("root"), await gateway.signIn("mira")];
    tokenId = (await mira("POST", "/api/token/", { body: { name: "laptop" } })).body.data.id;
    const channel = { name: "main", type: 1, key: "sk-aaaaaaaaaaaa", models: "m" };
    channelId = (await root("POST", "/api/channel/", { body: channel })).body.data[0].id;
    const hour = Math.floor(gateway.clock.now / hourMs);
    const day = Math.floor(hour / 24);
    const { sql } = gateway.db;
    const hours = [
      { hour: hour - 24, channel_id: channelId, ...counts(100, 100) },
      { hour: hour - 23, channel_id: channelId, ...counts(4, 1) },
      { hour, channel_id: channelId, ...counts(7, 0) },
      { hour, channel_id: channelId + 1, ...counts(100, 100) },
    ];
    const days = [
      { day: day - 14, ...counts(100, 100) },
      { day: day - 13, ...counts(2, 2) },
      { day, ...counts(5, 1) },
    ];
    await gateway.db.write([
      { query: sql.insertInto("rollup_hour_channel").values(hours) },
      {
        query: sql
          .insertInto("rollup_day_token")
          .values(days.map((one) => ({ ...one, token_id: tokenId }))),
      },
      {
        query: sql
          .insertInto("rollup_day_user")
          .values(days.map((one) => ({ ...one, user_id: userId }))),
      },
    ]);
  });
  afterAll(() => gateway.close());

  const none = (steps: number) =>
    Array.from({ length: steps }, () => ({ requests: 0, failures: 0 }));
  const rowOf = async (client: TestApiClient, path: string, id: number) =>
    (await client("GET", path)).body.data.find((row: { id: number }) => row.id === id);

  test("a channel has its last 24 hours, a key and a user have their last 14 days, oldest first", async () => {
    const channel = await rowOf(root, "/api/channel/?recent=true", channelId);
    expect(channel.recent).toEqual([
      { requests: 4, failures: 1 },
      ...none(22),
      { requests: 7, failures: 0 },
    ]);
    const { channels } = (await root("GET", "/api/user/dashboard/insight?user_id=all")).body.data;
    expect(channels.find(({ id }: { id: number }) => id === channelId)).toMatchObject({
      hours: channel.recent,
    });
    const days = [{ requests: 2, failures: 2 }, ...none(12), { requests: 5, failures: 1 }];
    expect((await rowOf(mira, "/api/token/?recent=true", tokenId)).recent).toEqual(days);
    expect((await rowOf(root, "/api/user/search?keyword=mira&recent=true", userId)).recent).toEqual(
      days,
    );
    expect((await rowOf(root, "/api/user/?recent=true", 1)).recent).toEqual(none(14));
  });

  test("lists that do not ask do not have them, and an empty list is no failure", async () => {
    expect(await rowOf(root, "/api/channel/", channelId)).not.toHaveProperty("recent");
    expect(await rowOf(mira, "/api/token/?recent=false", tokenId)).not.toHaveProperty("recent");
    expect((await mira("GET", "/api/token/search?keyword=nothing&recent=true")).body.data).toEqual(
      [],
    );
  });
});
