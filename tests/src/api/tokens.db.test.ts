import { hashKey } from "@tollgate/gateway/accounts/tokens/token-rules.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { testDatabases } from "../support/test-databases.ts";
import { describeVariants } from "../support/variants.ts";
import {
  type ManagementGateway,
  startManagementGateway,
  type TestApiClient,
} from "./management-gateway.ts";

describeVariants(testDatabases)("tokens on $name", (database) => {
  let gateway: ManagementGateway;
  let mira: TestApiClient;
  let noor: TestApiClient;
  beforeAll(async () => {
    gateway = await startManagementGateway(database);
    await gateway.addUser("mira");
    await gateway.addUser("noor");
    [mira, noor] = [await gateway.signIn("mira"), await gateway.signIn("noor")];
  });
  afterAll(() => gateway.close());

  const create = async (client: TestApiClient, input: object = {}) => {
    const reply = await client("POST", "/api/token/", {
      body: { name: "ci", remain_quota: 500, ...input },
    });
    expect(reply.body).toMatchObject({ success: true });
    return reply.body.data;
  };
  const stored = async (id: number) => {
    const [row] = await gateway.db.read(
      gateway.db.sql.selectFrom("tokens").selectAll().where("id", "=", id),
    );
    return row;
  };

  test("a new token has its key in full, and the database has neither key nor prefix in clear", async () => {
    const token = await create(mira, { models: "a,b", subnet: "10.0.0.1", expired_time: 0 });
    expect(token).toMatchObject({
      key: expect.stringMatching(/^sk-[A-Za-z0-9]{48}$/),
      status: 1,
      models: "a,b",
      subnet: "10.0.0.1/32",
      expired_time: -1,
      used_quota: 0,
      unlimited_quota: false,
    });
    const row = await stored(token.id);
    expect(row?.key_hash).toBe(hashKey(token.key.slice(3)));
    expect(JSON.stringify(row)).not.toContain(token.key.slice(3));
  });

  test("with reveal off only the reply to a creation has the key in full, and it works", async () => {
    const before = await create(mira);
    const option = (value: string) =>
      gateway.db.write(
        [
          {
            query: gateway.db.sql
              .insertInto("options")
              .values({ key: "TokenKeyRevealEnabled", value, updated_at: 1 })
              .onConflict((taken) => taken.column("key").doUpdateSet({ value })),
          },
        ],
        { changes: ["options"] },
      );
    await option("false");
    await gateway.options.refresh();
    const masked = (key: string) => `${key.slice(0, 4)}***${key.slice(-4)}`;
    const ask = { body: { name: "once" }, headers: { "idempotency-key": "shown-once" } };
    const made = await mira("POST", "/api/token/", ask);
    const { id, key } = made.body.data;
    expect(made.body).toMatchObject({ success: true, key_shown_once: true });
    expect(hashKey(key.slice(3))).toBe((await stored(id))?.key_hash);
    // The answer may have been lost on its way.
    expect((await mira("POST", "/api/token/", ask)).body).toEqual(made.body);

    for (const [method, path, body] of [
      ["GET", `/api/token/${id}`],
      ["PUT", "/api/token/", { id, name: "renamed" }],
      ["PUT", "/api/token/?status_only=1", { id, status: 2 }],
    ] as const)
      expect((await mira(method, path, { body })).body.data.key, `${method} ${path}`).toBe(
        masked(key),
      );
    for (const path of ["/api/token/", "/api/token/search?keyword=renamed"]) {
      const listed = JSON.stringify((await mira("GET", path)).body.data);
      expect(listed).toContain(masked(key));
      for (const full of [key, before.key]) expect(listed).not.toContain(full.slice(3));
    }
    await option("true");
    await gateway.options.refresh();
    expect((await mira("GET", `/api/token/${id}`)).body.data.key).toBe(key);
    expect((await mira("POST", "/api/token/", { body: { name: "x" } })).body).not.toHaveProperty(
      "key_shown_once",
    );
  });

  test("both id forms lead to the token in path and body, the uuid wins", async () => {
    const [one, other] = [await create(mira), await create(mira)];
    for (const id of [one.id, one.uuid, one.uuid.toUpperCase()])
      expect((await mira("GET", `/api/token/${id}`)).body.data).toEqual(one);
    const renamed = await mira("PUT", "/api/token/", {
      body: { id: one.id, uuid: other.uuid, name: "won" },
    });
    expect(renamed.body.data).toMatchObject({ id: other.id, name: "won" });
    for (const id of [one.id, one.uuid, String(one.id)])
      expect(
        (await mira("PUT", "/api/token/?status_only=1", { body: { id, status: 2 } })).body.data.id,
      ).toBe(one.id);
    expect((await mira("DELETE", `/api/token/${one.uuid}`)).body).toEqual({
      success: true,
      message: "",
      data: null,
    });
    expect((await mira("DELETE", `/api/token/${other.id}`)).body.success).toBe(true);
  });

  test("another user's token answers like one that never existed", async () => {
    const { id, uuid } = await create(mira);
    const never = { id: 999_999, uuid: "0199aa10-0000-7000-8000-00000000ffff" };
    const asks = (one: { id: number; uuid: string }) =>
      [
        ["GET", `/api/token/${one.id}`],
        ["GET", `/api/token/${one.uuid}`],
        ["DELETE", `/api/token/${one.id}`],
        ["PUT", "/api/token/", { id: one.id, name: "mine" }],
        ["PUT", "/api/token/", { uuid: one.uuid, name: "mine" }],
        ["PUT", "/api/token/?status_only=1", { uuid: one.uuid, status: 2 }],
      ] as const;
    for (const [index, [method, path, body]] of asks({ id, uuid }).entries()) {
      const foreign = await noor(method, path, { body });
      const [missingMethod, missingPath, missingBody] = asks(never)[index] ?? ["GET", ""];
      const missing = await noor(missingMethod, missingPath, { body: missingBody });
      expect(foreign.body).toEqual({
        success: false,
        message: "This token does not exist",
        code: "token_not_found",
      });
      expect([missing.status, missing.body]).toEqual([foreign.status, foreign.body]);
    }
    expect((await mira("GET", `/api/token/${id}`)).body.data.name).toBe("ci");
  });

  test("an edit keeps what it does not mention and ignores what it may not set", async () => {
    const token = await create(mira, { models: "a", unlimited_quota: true });
    gateway.clock.now += 1000;
    const reply = await mira("PUT", "/api/token/", {
      body: {
        id: token.id,
        name: "new",
        key: "sk-mine",
        user_id: 1,
        used_quota: 9,
        created_at: 1,
        colour: "red",
      },
    });
    expect(reply.body.data).toEqual({ ...token, name: "new", updated_at: gateway.clock.now });
  });

  test("limits are kept, changed one by one and cleared by 0 or null; out of range they are refused", async () => {
    const none = { rpm_limit: 0, tpm_limit: 0, max_parallel_requests: 0 };
    expect(await create(mira)).toMatchObject(none);
    const given = { rpm_limit: 1_000_000, tpm_limit: 1_000_000_000, max_parallel_requests: 10_000 };
    const { id } = await create(mira, given);
    const shown = async () => {
      const [{ body: one }, { body: list }] = [
        await mira("GET", `/api/token/${id}`),
        await mira("GET", "/api/token/?sort=id&order=desc"),
      ];
      expect(list.data[0]).toEqual(one.data);
      return one.data;
    };
    expect(await shown()).toMatchObject(given);
    const change = (body: object) => mira("PUT", "/api/token/", { body: { id, ...body } });
    await change({ tpm_limit: 0, name: "x" });
    await change({ rpm_limit: null });
    expect(await shown()).toMatchObject({ ...given, tpm_limit: 0, rpm_limit: 0 });
    for (const [name, most] of Object.entries(given)) {
      for (const value of [-1, 1.5, "7", true, most + 1, 1e300]) {
        const { status, body } = await change({ [name]: value });
        expect([status, Object.keys(body.fields ?? {})], `${name} ${value}`).toEqual([400, [name]]);
        const made = await mira("POST", "/api/token/", { body: { name: "ci", [name]: value } });
        expect(made.status, `${name} ${value}`).toBe(400);
      }
    }
    expect(await shown()).toMatchObject({ ...given, tpm_limit: 0, rpm_limit: 0 });
    const playground = await mira("POST", "/api/user/playground_token");
    const [row] = await gateway.db.read(
      gateway.db.sql
        .selectFrom("tokens")
        .selectAll()
        .where("key_hash", "=", hashKey(playground.body.data.token.slice(3))),
    );
    expect(row).toMatchObject(none);
  });

  test("an edit does not undo what was spent since the form was read", async () => {
    const token = await create(mira);
    const spend = gateway.db.sql
      .updateTable("tokens")
      .set({ remain_quota: 450, used_quota: 50 })
      .where("id", "=", token.id);
    await gateway.db.write([{ query: spend }]);
    const edit = {
      id: token.id,
      name: "busy",
      remain_quota: 700,
      remain_quota_read: 500,
      updated_at: token.updated_at,
    };
    expect((await mira("PUT", "/api/token/", { body: edit })).body.data).toMatchObject({
      remain_quota: 650,
      used_quota: 50,
    });
    const absolute = await mira("PUT", "/api/token/", { body: { id: token.id, remain_quota: 5 } });
    expect(absolute.body.data.remain_quota).toBe(5);
  });

  test("an edit of a stale version is refused", async () => {
    const token = await create(mira);
    const edit = { id: token.id, name: "first", updated_at: token.updated_at };
    expect((await mira("PUT", "/api/token/", { body: edit })).body.success).toBe(true);
    const second = await mira("PUT", "/api/token/", { body: { ...edit, name: "second" } });
    expect([second.status, second.body.code]).toEqual([409, "changed_meanwhile"]);
    expect((await mira("GET", `/api/token/${token.id}`)).body.data.name).toBe("first");
  });

  test("of edits at the same moment one wins and nothing is mixed", {
    tags: ["FT-33"],
  }, async () => {
    const token = await create(mira);
    const edits = await Promise.all(
      Array.from({ length: 8 }, (_, n) =>
        mira("PUT", "/api/token/", {
          body: { id: token.id, name: `n${n}`, updated_at: token.updated_at },
        }),
      ),
    );
    expect(edits.map(({ status }) => status).sort()).toEqual([200, ...Array<number>(7).fill(409)]);
  });

  test("expired shows as 3 and is enabled again only with a new expiry", async () => {
    const seconds = Math.floor(gateway.clock.now / 1000);
    const token = await create(mira, { expired_time: seconds - 10 });
    expect(token.status).toBe(3);
    const refused = await mira("PUT", "/api/token/?status_only=true", {
      body: { id: token.id, status: 1 },
    });
    expect([refused.status, refused.body.code]).toEqual([200, "token_expired"]);
    const again = await mira("PUT", "/api/token/", {
      body: { id: token.id, status: 3, expired_time: -1 },
    });
    expect(again.body.data).toMatchObject({ status: 1, expired_time: -1 });
  });

  test("a repeated creation with the same Idempotency-Key makes one token", async () => {
    const headers = { "idempotency-key": "k-1" };
    const body = { name: "once" };
    const replies = await Promise.all(
      Array.from({ length: 6 }, () => mira("POST", "/api/token/", { body, headers })),
    );
    expect(new Set(replies.map((reply) => reply.body.data?.uuid)).size).toBe(1);
    const other = await mira("POST", "/api/token/", { body: { name: "different" }, headers });
    expect([other.status, other.body.code]).toEqual([409, "idempotency_key_reused"]);
    const noors = await noor("POST", "/api/token/", { body, headers });
    expect(noors.body.data.uuid).not.toBe(replies[0]?.body.data.uuid);
  });

  test("lists are paged, sorted and searched literally, and show only the user's own", async () => {
    await gateway.addUser("lister");
    const client = await gateway.signIn("lister");
    const names = ["alpha", "Alpine", "100%", "100_", "beta"];
    for (const [index, name] of names.entries())
      await create(client, { name, remain_quota: index });
    const list = async (query: string) => {
      const { body } = await client("GET", `/api/token/${query}`);
      return { names: body.data.map(({ name }: { name: string }) => name), total: body.total };
    };
    expect(await list("")).toEqual({ names: [...names].reverse(), total: 5 });
    expect(await list("?p=1&size=2&sort=remain_quota&order=asc")).toEqual({
      names: ["100%", "100_"],
      total: 5,
    });
    expect(await list("?order=remain_quota&size=1")).toEqual({ names: ["beta"], total: 5 });
    expect(await list("?sort=&order=&size=0&keyword=")).toMatchObject({ total: 5 });
    expect(await list("search?keyword=AL&sort=name&order=asc")).toMatchObject({ total: 2 });
    expect(await list("search?keyword=100%25")).toEqual({ names: ["100%"], total: 1 });
    expect(await list("search?keyword=100_")).toEqual({ names: ["100_"], total: 1 });
    expect(await list("search?keyword=%25")).toEqual({ names: ["100%"], total: 1 });
    const { uuid } = (await client("GET", "/api/token/")).body.data[0];
    expect(await list(`search?keyword=${uuid}`)).toEqual({ names: ["beta"], total: 1 });
    for (const sort of [
      "created_time",
      "accessed_time",
      "expired_time",
      "key",
      "status",
      "uuid",
      "updated_at",
    ])
      expect((await list(`?sort=${sort}`)).total).toBe(5);
    const injected = await client("GET", "/api/token/?sort=id;drop%20table%20tokens");
    expect([injected.status, injected.body.message]).toEqual([
      400,
      expect.stringMatching(/^sort must be one of id, uuid/),
    ]);
  });

  test("a user may use the models of the own group's enabled channels that are not hidden", async () => {
    const root = await gateway.signIn("root");
    const channel = (models: string, more: object = {}) =>
      root("POST", "/api/channel/", { body: { name: "c", type: 1, key: "k", models, ...more } });
    await channel("m2,m1,secret", { hidden_models: '["secret"]' });
    await channel("m1,m3", { group: "vip,default" });
    await channel("v1", { group: "vip" });
    await channel("off", { status: 2 });
    const available = async (query = "") =>
      (await mira("GET", `/api/user/available_models${query}`)).body.data;
    expect(await available()).toEqual(["m1", "m2", "m3"]);
    // A group that is not open to the caller shows nothing of itself.
    expect([await available("?groups=vip"), await available("?groups=vip,default")]).toEqual([
      [],
      ["m1", "m2", "m3"],
    ]);
    await root("PUT", "/api/option/", { body: { key: "SelectableGroups", value: "vip" } });
    expect(await available("?groups=vip")).toEqual(["m1", "m3", "v1"]);
    expect(await available("?groups=vip,default")).toEqual(["m1", "m2", "m3", "v1"]);
    expect(await available()).toEqual(["m1", "m2", "m3"]);
    await root("PUT", "/api/option/", { body: { key: "SelectableGroups", value: "" } });
  });

  test("nothing went wrong inside", () => expect(gateway.problems).toEqual([]));
});
