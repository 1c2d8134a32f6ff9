import { roles, userStatus } from "@tollgate/contract/accounts/roles.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { testDatabases } from "../support/test-databases.ts";
import { describeVariants } from "../support/variants.ts";
import {
  type ManagementGateway,
  password,
  startManagementGateway,
  type TestApiClient,
} from "./management-gateway.ts";

const dayMs = 86_400_000;
const hour = 3_600_000;

describeVariants(testDatabases)("management keys on $name", (database) => {
  let gateway: ManagementGateway;
  let root: TestApiClient;
  beforeAll(async () => {
    gateway = await startManagementGateway(database);
    root = await gateway.signIn("root");
  });
  afterAll(() => gateway.close());

  const make = async (
    client: TestApiClient,
    scopes: string[],
    more: Record<string, unknown> = {},
  ) => {
    const body = { name: "ci", scopes, lifetime_days: 30, current_password: password, ...more };
    const { body: reply } = await client("POST", "/api/management_key/", { body });
    expect(reply, reply.message).toMatchObject({ success: true });
    return reply.data as { id: number; uuid: string; key: string; hint: string };
  };
  const withKey =
    (key: string): TestApiClient =>
    (method, path, ask) =>
      gateway.visitor(method, path, {
        ...ask,
        headers: { authorization: `Bearer ${key}`, ...ask?.headers },
      });
  const keyOf = async (client: TestApiClient, ...scopes: string[]) =>
    withKey((await make(client, scopes)).key);
  const lastChange = async () => (await root("GET", "/api/audit/?size=1")).body.data[0];
  let users = 0;
  const addUser = async (role: number = roles.user) => {
    users += 1;
    const user = await gateway.addUser(`person${users}`, { role });
    return { ...user, client: await gateway.signIn(user.username) };
  };

  test("a key is shown once and stored as a hash; its list shows what it may do and when it was used", {
    tags: ["MK-06"],
  }, async () => {
    const { client, username } = await addUser();
    const made = await make(client, ["usage:read", "tokens:read"], { subnet: "127.0.0.1, ::1" });
    expect(made.key).toMatch(/^tgm-[A-Za-z0-9]{48}$/);
    const rows = await gateway.db.read(gateway.db.sql.selectFrom("management_keys").selectAll());
    expect(JSON.stringify(rows)).not.toContain(made.key.slice(4, 40));
    expect((await withKey(made.key)("GET", "/api/token/")).status).toBe(200);
    const { body } = await client("GET", "/api/management_key/");
    expect(body.data).toEqual([
      expect.objectContaining({
        name: "ci",
        hint: made.key.slice(-4),
        scopes: ["tokens:read", "usage:read"],
        subnet: "127.0.0.1/32,::1/128",
        username,
        disabled: false,
        expires_at: gateway.clock.now + 30 * dayMs,
        used_at: gateway.clock.now,
      }),
    ]);
    expect(JSON.stringify(body)).not.toContain(made.key);
  });

  test("making a key takes a fresh proof of who makes it, and no more rights than that user has", {
    tags: ["MK-01"],
  }, async () => {
    const { client, token } = await addUser();
    const ask = (caller: TestApiClient, more: object) =>
      caller("POST", "/api/management_key/", {
        body: { name: "ci", scopes: ["tokens:read"], lifetime_days: 1, ...more },
      });
    expect((await ask(client, { scopes: ["users:write"] })).body).toMatchObject({
      code: "invalid_request",
    });
    expect((await ask(client, { lifetime_days: 91 })).body.fields).toHaveProperty("lifetime_days");
    expect((await ask(withKey(token), {})).body.code).toBe("reauth_required");
    gateway.clock.now += 11 * 60_000;
    expect((await ask(client, {})).body.code).toBe("reauth_required");
    expect((await ask(client, { current_password: "wrong wrong" })).body.code).toBe(
      "current_password_wrong",
    );
    expect((await ask(client, { current_password: password })).body.success).toBe(true);
    root = await gateway.signIn("root");
  });

  test("a user sees and stops the own keys, root those of all; another user's key does not exist", {
    tags: ["F-26"],
  }, async () => {
    const [owner, stranger] = [await addUser(), await addUser(roles.admin)];
    const { id, key } = await make(owner.client, ["tokens:read"]);
    expect((await stranger.client("GET", "/api/management_key/")).body.data).toEqual([]);
    for (const [method, path] of [
      ["POST", `/api/management_key/${id}/disable`],
      ["DELETE", `/api/management_key/${id}`],
    ] as const)
      expect((await stranger.client(method, path)).body.code).toBe("management_key_not_found");
    const seen = (await root("GET", "/api/management_key/?size=100")).body.data.map(
      (one: { id: number }) => one.id,
    );
    expect(seen).toContain(id);

    expect((await root("POST", `/api/management_key/${id}/disable`)).body.data).toMatchObject({
      disabled: true,
    });
    expect((await withKey(key)("GET", "/api/token/")).body).toMatchObject({
      code: "management_key_invalid",
    });
    const enable = (client: TestApiClient) =>
      client("POST", `/api/management_key/${id}/enable`, { body: { current_password: password } });
    expect((await enable(root)).body.code).toBe("management_key_of_another");
    expect((await enable(owner.client)).body.success).toBe(true);
    expect((await withKey(key)("GET", "/api/token/")).status).toBe(200);
    expect((await owner.client("DELETE", `/api/management_key/${id}`)).body.success).toBe(true);
    expect((await withKey(key)("GET", "/api/token/")).status).toBe(401);
    expect(await lastChange()).toMatchObject({
      action: "management_key.delete",
      actor: owner.username,
    });
  });

  test("a key follows its maker at once: demoted, disabled, or with another password", {
    tags: ["MK-05"],
  }, async () => {
    const maker = await addUser(roles.admin);
    const { key } = await make(maker.client, ["channels:read", "tokens:read"]);
    const statusOf = async (path: string) => (await withKey(key)("GET", path)).status;
    expect(await statusOf("/api/channel/")).toBe(200);

    await root("PUT", "/api/user/", { body: { id: maker.id, role: roles.user } });
    expect(await statusOf("/api/channel/")).toBe(403);
    expect(await statusOf("/api/token/")).toBe(200);

    await maker.client("PUT", "/api/user/self", {
      body: { password: "another horse", current_password: password },
    });
    expect(await statusOf("/api/token/")).toBe(401);

    await gateway.db.write([
      { query: gateway.db.sql.updateTable("management_keys").set({ disabled: 0 }) },
    ]);
    expect(await statusOf("/api/token/")).toBe(200);
    await gateway.setStatus(maker.id, userStatus.disabled);
    expect(await statusOf("/api/token/")).toBe(401);
  });

  test("a key works until its end and from its networks, whatever cookie comes with it", {
    tags: ["MK-04"],
  }, async () => {
    const maker = await addUser();
    const { key } = await make(maker.client, ["tokens:read"], {
      subnet: "10.1.0.0/16",
      lifetime_days: 1,
    });
    const from = async (address: string, path = "/api/token/") =>
      (await gateway.from(address)("GET", path, { headers: { authorization: `Bearer ${key}` } }))
        .body.code;
    expect(await from("10.1.2.3")).toBeUndefined();
    expect(await from("10.2.2.3")).toBe("management_key_address");
    // The cookie has more rights: a program that names its key means the key.
    const both = await maker.client("GET", "/api/user/sessions", {
      headers: { authorization: `Bearer ${key}` },
    });
    expect(both.body.code).toBe("management_key_address");
    const signInTime = gateway.clock.now;
    gateway.clock.now += dayMs;
    expect(await from("10.1.2.3")).toBe("management_key_expired");
    gateway.clock.now = signInTime;
  });

  test("the record of changes names the key beside its maker", { tags: ["MK-06"] }, async () => {
    const program = await keyOf(root, "users:write");
    const { body } = await program("POST", "/api/user/", {
      body: { username: "made", password: "correct horse" },
    });
    expect(body.success).toBe(true);
    const entry = await lastChange();
    expect(entry).toMatchObject({ action: "user.create", actor: "root" });
    expect(JSON.parse(entry.change)).toMatchObject({ username: "made", management_key: "ci" });
    expect(gateway.events.at(-2)).toMatchObject({
      route: "/api/user/",
      management_key: expect.any(Number),
    });
  });

  test("a key becomes no person with more rights and moves no money without the scope for it", {
    tags: ["MK-02", "MK-03"],
  }, async () => {
    const [user, admin] = [await addUser(), await addUser(roles.admin)];
    const program = await keyOf(
      root,
      "users:write",
      "redemptions:write",
      "options:write",
      "tokens:write",
      "tokens:read",
    );
    const edit = async (id: number, change: object) =>
      (await program("PUT", "/api/user/", { body: { id, ...change } })).body.code;
    expect(await edit(user.id, { display_name: "Renamed" })).toBeUndefined();
    expect(await edit(user.id, { password: "correct horse battery" })).toBe(
      "management_key_not_allowed",
    );
    expect(await edit(user.id, { email: "thief@example.org" })).toBe("management_key_not_allowed");
    expect(await edit(user.id, { role: roles.admin })).toBe("role_not_allowed");
    expect(await edit(user.id, { quota: 5 })).toBe("management_key_scope");
    expect(await edit(admin.id, { display_name: "Renamed" })).toBe("user_out_of_reach");
    const promote = { username: user.username, action: "promote" };
    expect((await program("POST", "/api/user/manage", { body: promote })).body.code).toBe(
      "role_not_allowed",
    );
    const rich = { username: "rich", password: "correct horse", quota: 5 };
    expect((await program("POST", "/api/user/", { body: rich })).body.code).toBe(
      "management_key_scope",
    );
    expect(
      (await program("POST", "/api/redemption/", { body: { name: "n", quota: 5 } })).body.code,
    ).toBe("management_key_scope");
    for (const [key, value] of [
      ["SMTPServer", "thief.example.org"],
      ["GitHubClientSecret", "s"],
      ["QuotaForNewUser", "5000000"],
      ["ServerAddress", "https://thief.example.org"],
      ["AdminIssueLimit", "1"],
      ["TokenKeyProofEnabled", "false"],
      ["SecondFactorRequiredRole", "0"],
      ["TrustedSignInRules", "[]"],
    ])
      expect((await program("PUT", "/api/option/", { body: { key, value } })).body.code, key).toBe(
        "management_key_not_allowed",
      );
    const notice = { key: "Notice", value: "Maintenance at six" };
    expect((await program("PUT", "/api/option/", { body: notice })).body.success).toBe(true);

    // The key of a token is shown where it is made, and never again to a program.
    const made = (await program("POST", "/api/token/", { body: { name: "t" } })).body;
    expect(made).toMatchObject({
      key_shown_once: true,
      data: { key: expect.stringMatching(/^sk-[A-Za-z0-9]{48}$/) },
    });
    const shown = (await program("GET", `/api/token/${made.data.id}`)).body.data.key;
    expect(shown).not.toBe(made.data.key);

    // A code is money: a right to see codes is no right to redeem them.
    const codes = { name: "codes", quota: 5, count: 1 };
    const code: string = (await root("POST", "/api/redemption/", { body: codes })).body.data[0];
    const reader = await keyOf(root, "redemptions:read", "redemptions:write");
    const [listed] = (await reader("GET", "/api/redemption/")).body.data;
    expect(listed.key).toBe(`${code.slice(0, 4)}***${code.slice(-4)}`);
    const seen = [
      await reader("GET", `/api/redemption/${listed.id}`),
      await reader("GET", "/api/redemption/search?keyword=codes"),
      await reader("PUT", "/api/redemption/?status_only=1", { body: { id: listed.id, status: 2 } }),
    ];
    for (const { body } of seen) {
      expect(body.success).toBe(true);
      expect(JSON.stringify(body)).not.toContain(code.slice(4, -4));
    }

    const treasurer = await keyOf(root, "wallets:grant");
    const topUp = { body: { user_id: user.id, quota: 7 } };
    expect((await program("POST", "/api/topup", topUp)).body.code).toBe("management_key_scope");
    expect((await treasurer("POST", "/api/topup", topUp)).body.success).toBe(true);
    expect((await root("GET", `/api/user/${user.id}`)).body.data.quota).toBe(7);
  });

  test("a dry run tells a program what its key may do and whether its input fits, and makes no change", {
    tags: ["MK-01"],
  }, async () => {
    const user = await addUser();
    const program = await keyOf(root, "tokens:write", "users:write");
    const headers = { "dry-run": "true" };
    const attempt = async (method: string, path: string, body?: object) => {
      const reply = await program(method, path, { headers, ...(body && { body }) });
      return [reply.status, reply.body.code ?? reply.body.dry_run];
    };
    const tables = ["users", "tokens", "channels", "audit_entries", "idempotency_keys"] as const;
    const everything = () =>
      Promise.all(
        tables.map((table) => gateway.db.read(gateway.db.sql.selectFrom(table).selectAll())),
      );
    await attempt("POST", "/api/token/", { name: "t" });
    const before = await everything();
    expect(await attempt("POST", "/api/token/", { name: "t" })).toEqual([200, true]);
    expect(await attempt("POST", "/api/token/", { name: "" })).toEqual([400, "invalid_request"]);
    expect(
      await attempt("PUT", "/api/user/", { id: user.id, status: userStatus.disabled }),
    ).toEqual([200, true]);
    expect(await attempt("DELETE", `/api/user/${user.id}`)).toEqual([200, true]);
    expect(await attempt("POST", "/api/channel/", { name: "c", type: 1, key: "k" })).toEqual([
      403,
      "management_key_scope",
    ]);
    expect(await attempt("POST", "/api/management_key/", {})).toEqual([
      403,
      "management_key_not_allowed",
    ]);
    expect(await everything()).toEqual(before);
    // A call that changes nothing is answered as ever, and another value of the header means
    // nothing.
    expect((await user.client("GET", "/api/token/", { headers })).body.data).toEqual([]);
    const made = await program("POST", "/api/token/", {
      headers: { "dry-run": "false" },
      body: { name: "t" },
    });
    expect(made.body.data).toMatchObject({ name: "t" });
  });

  test("a key is made once for one Idempotency-Key; a repetition shows it masked, and its proof is not stored", async () => {
    const { client } = await addUser();
    const headers = { "idempotency-key": `make-${users}` };
    const body = {
      name: "once",
      scopes: ["tokens:read"],
      lifetime_days: 1,
      current_password: password,
    };
    const ask = (more: object = {}) =>
      client("POST", "/api/management_key/", { headers, body: { ...body, ...more } });
    const [first, second] = await Promise.all([ask(), ask()]);
    const [made] = [first, second]
      .map(({ body: { data } }) => data)
      .filter(({ key }) => !key.includes("*"));
    expect(made.key).toMatch(/^tgm-[A-Za-z0-9]{48}$/);
    // A proof is another one at each call: codes hold once.
    const again = (await ask({ current_password: undefined })).body;
    expect(again).toMatchObject({
      success: true,
      data: { uuid: made.uuid, key: `tgm-***${made.key.slice(-4)}` },
    });
    expect((await ask({ name: "another" })).body.code).toBe("idempotency_key_reused");
    expect((await client("GET", "/api/management_key/")).body.data).toHaveLength(1);
    expect((await withKey(made.key)("GET", "/api/token/")).status).toBe(200);
    const rows = await gateway.db.read(gateway.db.sql.selectFrom("idempotency_keys").selectAll());
    expect(JSON.stringify(rows)).not.toContain(made.key.slice(4, 40));
  });

  test("a person tries what a key would be answered: its rights, its network and the body; nothing is called", {
    tags: ["MK-01"],
  }, async () => {
    const maker = await addUser();
    const body = {
      name: "tried",
      scopes: ["tokens:write"],
      lifetime_days: 1,
      subnet: "10.0.0.0/8",
    };
    const { uuid } = (await maker.client("POST", "/api/management_key/", { body })).body.data;
    const attempt = (operation: string, more: object = {}, client = maker.client) =>
      client("POST", `/api/management_key/${uuid}/try`, { body: { operation, ...more } });
    const answer = async (...asked: Parameters<typeof attempt>) => {
      const { status, reply } = (await attempt(...asked)).body.data;
      return [status, reply.code ?? reply.dry_run];
    };
    const named = { body: { name: "t" } };
    expect(await answer("createToken", named)).toEqual([200, true]);
    expect(await answer("createToken")).toEqual([400, "invalid_request"]);
    expect((await attempt("createToken")).body.data.reply.fields).toHaveProperty("name");
    expect(await answer("listTokens")).toEqual([403, "management_key_scope"]);
    expect(await answer("createManagementKey")).toEqual([403, "management_key_not_allowed"]);
    expect(await answer("createToken", { ...named, address: "10.2.3.4" })).toEqual([200, true]);
    expect(await answer("createToken", { ...named, address: "192.0.2.1" })).toEqual([
      403,
      "management_key_address",
    ]);
    expect((await attempt("dropTables")).body).toMatchObject({
      success: false,
      fields: { operation: expect.any(String) },
    });
    // Only its maker and root, who may stop every key, learn anything.
    expect((await attempt("createToken", named, (await addUser()).client)).body.code).toBe(
      "management_key_not_found",
    );
    expect(await answer("createToken", named, root)).toEqual([200, true]);
    expect((await maker.client("GET", "/api/token/")).body.data).toEqual([]);
    const [row] = (await maker.client("GET", "/api/management_key/")).body.data;
    expect(row.used_at).toBeNull();

    await maker.client("POST", `/api/management_key/${uuid}/disable`);
    expect(await answer("createToken", named)).toEqual([401, "management_key_invalid"]);
    await maker.client("POST", `/api/management_key/${uuid}/enable`, { body: {} });
    gateway.clock.now += 23 * hour;
    // The session of root, which ends a day after its last call, outlives the key.
    expect(await answer("createToken", named, root)).toEqual([200, true]);
    gateway.clock.now += 2 * hour;
    expect(await answer("createToken", named, root)).toEqual([401, "management_key_expired"]);
    gateway.clock.now -= 25 * hour;
  });

  test("keys of requests that may be repeated are the program's own", async () => {
    const [one, other] = [await keyOf(root, "tokens:write"), await keyOf(root, "tokens:write")];
    const headers = { "idempotency-key": "deploy-7" };
    const made = async (client: TestApiClient) =>
      (await client("POST", "/api/token/", { headers, body: { name: "repeated" } })).body.data.id;
    const [first, again, others, persons] = [
      await made(one),
      await made(one),
      await made(other),
      await made(root),
    ];
    expect(again).toBe(first);
    expect(new Set([first, others, persons]).size).toBe(3);
  });

  test("one user has a bounded number of keys, also when they are made at once", async () => {
    const { client } = await addUser();
    const body = { name: "many", scopes: ["tokens:read"], lifetime_days: 1 };
    const replies = await Promise.all(
      Array.from(
        { length: 55 },
        async () => (await client("POST", "/api/management_key/", { body })).body,
      ),
    );
    expect(replies.filter(({ success }) => success)).toHaveLength(50);
    expect(replies.find(({ success }) => !success)?.code).toBe("too_many_management_keys");
  });

  test("nothing went wrong inside", () => expect(gateway.problems).toEqual([]));
});
