// Lists narrowed by what their rows show: status, type, group and owner.
import { channelStates } from "@tollgate/contract/catalogue/channels.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { testDatabases } from "../support/test-databases.ts";
import { describeVariants } from "../support/variants.ts";
import {
  type ManagementGateway,
  startManagementGateway,
  type TestApiClient,
} from "./management-gateway.ts";

describeVariants(testDatabases)("filters of lists on $name", (database) => {
  let gateway: ManagementGateway;
  let root: TestApiClient;
  let mira: TestApiClient;
  beforeAll(async () => {
    gateway = await startManagementGateway(database);
    await gateway.addUser("mira");
    await gateway.addUser("nora", { status: 2, group: "vip" });
    [root, mira] = [await gateway.signIn("root"), await gateway.signIn("mira")];
  });
  afterAll(() => gateway.close());

  const namesOf = async (client: TestApiClient, address: string): Promise<string[]> => {
    const { status, body } = await client("GET", address);
    expect([address, status, body.total]).toEqual([address, 200, body.data.length]);
    return body.data
      .map(({ name, username }: { name?: string; username?: string }) => name ?? username)
      .toSorted();
  };

  test("channels by what their badges say, by type and by one of their groups", async () => {
    const { sql, write } = gateway.db;
    const rows = {
      works: { tested_at: 1_000, response_time: 80 },
      failed: { tested_at: 1_000, response_time: 0 },
      spare: { priority: -1, tested_at: 1_000, response_time: 80 },
      fresh: {},
      off: { status: 2 },
      refused: { status: 3, tested_at: 1_000, response_time: 0 },
      bare: { models: " ", tested_at: 1_000, response_time: 80 },
    };
    for (const [name, more] of Object.entries(rows)) {
      const body = {
        name,
        type: name === "spare" ? 14 : 1,
        key: "sk-aaaaaaaaaaaa",
        models: "m",
        group: "default,vi_p",
      };
      const groups =
        name === "works" ? { group: "vi_p" } : name === "failed" ? { group: "viXp,default" } : {};
      await root("POST", "/api/channel/", { body: { ...body, ...groups } });
      if (Object.keys(more).length > 0)
        await write([
          { query: sql.updateTable("channels").set(more).where("name", "=", name), rows: 1 },
        ]);
    }
    const shown = Object.fromEntries(
      await Promise.all(
        channelStates.map(async (state) => [
          state,
          await namesOf(root, `/api/channel/?size=50&state=${state}`),
        ]),
      ),
    );
    expect(shown).toEqual({
      active: ["bare", "failed", "fresh", "works"],
      paused: ["spare"],
      disabled: ["off"],
      auto_disabled: ["refused"],
      test_failed: ["failed"],
      never_tested: ["fresh"],
      no_models: ["bare"],
    });
    expect(await namesOf(root, "/api/channel/?type=14")).toEqual(["spare"]);
    // No letter of a group is a pattern, and the beginning of a name is not the name.
    expect(await namesOf(root, "/api/channel/?group=vi_p")).not.toContain("failed");
    expect(await namesOf(root, "/api/channel/?group=vi")).toEqual([]);
    expect(await namesOf(root, "/api/channel/search?keyword=e&state=active&group=default")).toEqual(
      ["bare", "failed", "fresh"],
    );
    expect((await root("GET", "/api/channel/?state=broken")).status).toBe(400);
  });

  test("keys by the status that is shown, and by their owner", async () => {
    const { now } = gateway.clock;
    const nowS = Math.floor(now / 1000);
    const token = (client: TestApiClient, name: string, more: object) =>
      client("POST", "/api/token/", {
        body: { name, unlimited_quota: true, expired_time: -1, ...more },
      });
    await token(mira, "runs", {});
    await token(mira, "soon", { expired_time: nowS + 60 });
    await token(mira, "empty", { unlimited_quota: false, remain_quota: 0 });
    const { data } = (await token(mira, "off", {})).body;
    await mira("PUT", "/api/token/?status_only=1", { body: { uuid: data.uuid, status: 2 } });
    await token(root, "of root", {});
    const own = (status: number) => namesOf(mira, `/api/token/?status=${status}`);
    expect(await own(1)).toEqual(["runs", "soon"]);
    gateway.clock.now += 61_000;
    expect(await Promise.all([1, 2, 3, 4, 5].map(own))).toEqual([
      ["runs"],
      ["off"],
      ["soon"],
      ["empty"],
      [],
    ]);
    // Each row that a filter shows has that status.
    const all = (await mira("GET", "/api/token/?size=50")).body.data as {
      name: string;
      status: number;
    }[];
    for (const { name, status } of all) expect(await own(status)).toContain(name);
    expect(await namesOf(root, "/api/token/all?owner=mira&status=3")).toEqual(["soon"]);
    expect(await namesOf(root, "/api/token/all?owner=root")).toEqual(["of root"]);
    expect(await namesOf(root, "/api/token/all?owner=mir")).toEqual([]);
    gateway.clock.now = now;
  });

  test("users by status and group, codes by status", async () => {
    expect(await namesOf(root, "/api/user/?status=2")).toEqual(["nora"]);
    expect(await namesOf(root, "/api/user/search?keyword=r&group=vip")).toEqual(["nora"]);
    expect(await namesOf(root, "/api/user/?group=vip&status=1")).toEqual([]);
    const { data } = (
      await root("POST", "/api/redemption/", { body: { name: "gift", quota: 5, count: 2 } })
    ).body;
    await mira("POST", "/api/user/topup", { body: { key: data[0] } });
    expect(await namesOf(root, "/api/redemption/?status=3")).toEqual(["gift"]);
    expect(await namesOf(root, "/api/redemption/?status=1")).toEqual(["gift"]);
    expect(await namesOf(root, "/api/redemption/?status=2")).toEqual([]);
  });
});
