import { fillKeyEndings } from "@tollgate/gateway/accounts/tokens/fill-key-endings.ts";
import { hashKey } from "@tollgate/gateway/accounts/tokens/token-rules.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { testDatabases } from "../support/test-databases.ts";
import { describeVariants } from "../support/variants.ts";
import {
  type ManagementGateway,
  startManagementGateway,
  type TestApiClient,
} from "./management-gateway.ts";

describeVariants(testDatabases)("the keys of all users on $name", (database) => {
  let gateway: ManagementGateway;
  let root: TestApiClient;
  let ada: TestApiClient;
  let mira: TestApiClient;
  let key: string;
  let uuid: string;

  beforeAll(async () => {
    gateway = await startManagementGateway(database);
    await gateway.addUser("ada", { role: 10 });
    await gateway.addUser("mira");
    [root, ada, mira] = [
      await gateway.signIn("root"),
      await gateway.signIn("ada"),
      await gateway.signIn("mira"),
    ];
    ({ key, uuid } = (
      await mira("POST", "/api/token/", { body: { name: "ci", unlimited_quota: true } })
    ).body.data);
    await root("POST", "/api/token/", { body: { name: "of root", unlimited_quota: true } });
  });
  afterAll(() => gateway.close());

  const names = async (keyword: string) =>
    (await ada("GET", `/api/token/all?keyword=${encodeURIComponent(keyword)}`)).body.data.map(
      ({ name }: { name: string }) => name,
    );
  const find = (client: TestApiClient, whole: string) =>
    client("POST", "/api/token/all/find", {
      body: { key_hash: hashKey(whole.slice("sk-".length)) },
    });
  const entries = async () => {
    const rows = await gateway.db.read(
      gateway.db.sql.selectFrom("audit_entries").selectAll().orderBy("id"),
    );
    return rows.map(({ action, target }) => [action, target]);
  };

  test("are found by owner, name and ending, and by the whole key through its hash; no reply holds a key", async () => {
    expect(await names("MIRA")).toEqual(["ci"]);
    expect(await names("of r")).toEqual(["of root"]);
    expect(await names(key.slice(-4))).toEqual(["ci"]);
    expect(await names(uuid)).toEqual(["ci"]);
    expect((await ada("GET", `/api/token/all?keyword=${key}`)).status).toBe(400);
    const { body } = await find(ada, key);
    expect(body.data).toMatchObject([
      { uuid, username: "mira", name: "ci", key_ending: key.slice(-4), status: 1 },
    ]);
    expect(JSON.stringify(body)).not.toContain(key.slice(3, 40));
    expect((await find(ada, `${key.slice(0, -1)}-`)).body.data).toEqual([]);
  });

  test("each look is recorded", async () => {
    const before = (await entries()).length;
    await ada("GET", "/api/token/all");
    await find(ada, key);
    expect((await entries()).slice(before)).toEqual([
      ["token.list_all", ""],
      ["token.find", uuid],
    ]);
  });

  test("are for administrators, and those of equals and above for root alone", async () => {
    expect((await mira("GET", "/api/token/all")).status).toBe(403);
    for (const verb of ["find", "disable", "replace"])
      expect([
        verb,
        (await mira("POST", `/api/token/all/${verb}`, { body: { uuid } })).status,
      ]).toEqual([verb, 403]);
    const [ofRoot] = (await ada("GET", "/api/token/all?keyword=of root")).body.data;
    const refused = await ada("POST", "/api/token/all/disable", { body: { uuid: ofRoot.uuid } });
    expect(refused.body).toMatchObject({ success: false, code: "user_out_of_reach" });
    expect((await root("GET", `/api/token/${ofRoot.id}`)).body.data.status).toBe(1);
  });

  test("a disabled key is refused, and its owner is told until they have read it", async () => {
    expect((await mira("GET", "/api/token/notices")).body.data).toEqual([]);
    const reply = await ada("POST", "/api/token/all/disable", { body: { uuid } });
    expect(reply.body.data).toMatchObject({ uuid, status: 2 });
    const { data } = (await mira("GET", "/api/token/notices")).body;
    expect(data).toEqual([{ uuid, name: "ci", action: "disabled", at: gateway.clock.now }]);
    await mira("POST", "/api/token/notices/confirm", { body: { until: data[0].at - 1 } });
    expect((await mira("GET", "/api/token/notices")).body.data).toHaveLength(1);
    await mira("POST", "/api/token/notices/confirm", { body: { until: data[0].at } });
    expect((await mira("GET", "/api/token/notices")).body.data).toEqual([]);
    expect((await entries()).at(-1)).toEqual(["token.disable", uuid]);
  });

  test("a replaced key stops, and the owner alone reads the new one", async () => {
    await root("PUT", "/api/option/", { body: { key: "TokenKeyRevealEnabled", value: "false" } });
    const hidden = await ada("POST", "/api/token/all/replace", { body: { uuid } });
    expect(hidden.body).toMatchObject({ success: false, code: "token_keys_hidden" });
    await root("PUT", "/api/option/", { body: { key: "TokenKeyRevealEnabled", value: "true" } });
    const { data } = (await ada("POST", "/api/token/all/replace", { body: { uuid } })).body;
    const own = (await mira("GET", `/api/token/${uuid}`)).body.data;
    expect(own.key).not.toBe(key);
    expect(own.key.slice(-4)).toBe(data.key_ending);
    expect((await find(ada, key)).body.data).toEqual([]);
    expect((await find(ada, own.key)).body.data).toMatchObject([{ uuid }]);
    expect((await mira("GET", "/api/token/notices")).body.data).toMatchObject([
      { name: "ci", action: "replaced" },
    ]);
  });

  test("an administrator who stops a key of their own is not told", async () => {
    const own = (await ada("POST", "/api/token/", { body: { name: "mine" } })).body.data;
    await ada("POST", "/api/token/all/disable", { body: { uuid: own.uuid } });
    expect((await ada("GET", `/api/token/${own.uuid}`)).body.data.status).toBe(2);
    expect((await ada("GET", "/api/token/notices")).body.data).toEqual([]);
  });

  test("keys of older versions get their endings when the program starts", async () => {
    const { db, seal } = gateway;
    await db.write([{ query: db.sql.updateTable("tokens").set({ key_ending: "" }) }]);
    expect(await fillKeyEndings(db, seal)).toBe(3);
    expect(await fillKeyEndings(db, seal)).toBe(0);
    const own = (await mira("GET", `/api/token/${uuid}`)).body.data;
    expect(await names(own.key.slice(-4))).toEqual(["ci"]);
  });
});
