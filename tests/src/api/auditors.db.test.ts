// An auditor: an administrator who sees what administrators see, and changes the own account alone.
import {
  auditorScopes,
  buildGrantableScopes,
} from "@tollgate/contract/accounts/grantable-scopes.ts";
import { roles } from "@tollgate/contract/accounts/roles.ts";
import { catalogue } from "@tollgate/contract/catalogue/catalogue.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { testDatabases } from "../support/test-databases.ts";
import { describeVariants } from "../support/variants.ts";
import {
  type ManagementGateway,
  password,
  startManagementGateway,
  type TestApiClient,
} from "./management-gateway.ts";

describeVariants(testDatabases)("auditors on $name", (database) => {
  let gateway: ManagementGateway;
  let root: TestApiClient;
  let auditor: TestApiClient;
  let id: number;
  let team: { id: number };

  beforeAll(async () => {
    gateway = await startManagementGateway(database);
    root = await gateway.signIn("root");
    id = (await gateway.addUser("auditor", { role: roles.admin })).id;
    await gateway.addUser("admin", { role: roles.admin });
    await gateway.addUser("person");
    auditor = await gateway.signIn("auditor");
    await root("POST", "/api/redemption/", { body: { name: "gift", quota: 5 } });
    const channel = { name: "main", type: 1, key: "sk-provider", models: "m", group: "default" };
    await root("POST", "/api/channel/", { body: channel });
    team = (await root("POST", "/api/team/", { body: { name: "Search" } })).body.data;
    expect((await edit(root, { id, read_only: true })).data).toMatchObject({ read_only: true });
  });
  afterAll(() => gateway.close());

  const edit = async (client: TestApiClient, body: object) =>
    (await client("PUT", "/api/user/", { body })).body;

  test("root alone makes an administrator an auditor, and no one else can be one", async () => {
    const admin = await gateway.signIn("admin");
    const person = (await root("GET", "/api/user/search?keyword=person")).body.data[0];
    expect(await edit(root, { id: person.id, read_only: true })).toMatchObject({
      code: "invalid_request",
    });
    expect(await edit(admin, { id: person.id, read_only: true })).toMatchObject({
      code: "role_not_allowed",
    });
    expect(await edit(auditor, { id, read_only: false })).toMatchObject({
      code: "account_read_only",
    });
    expect((await auditor("GET", "/api/user/self")).body.data).toMatchObject({ read_only: true });
    // The mark ends with the role.
    const other = await gateway.addUser("other", { role: roles.admin });
    await edit(root, { id: other.id, read_only: true });
    await edit(root, { id: other.id, role: roles.user });
    expect((await edit(root, { id: other.id, role: roles.admin })).data).toMatchObject({
      read_only: false,
    });
  });

  test("an auditor changes nothing of others, whatever the operation, and is told so", {
    tags: ["F-22"],
  }, async () => {
    const changes = catalogue.filter(
      ({ endpoint: { reply, scope, access } }) =>
        reply.isChange && !scope.endsWith(":read") && (access === "admin" || access === "root"),
    );
    expect(changes.length).toBeGreaterThan(60);
    const open: string[] = [];
    for (const { name, endpoint } of changes) {
      const path = endpoint.path.replace(/:id/, "1").replace(/:\w+/g, "x");
      const query = endpoint.variant === undefined ? "" : `?${endpoint.variant}=1`;
      const body =
        endpoint.method === "GET" ? {} : { body: { id: 1, username: "person", action: "disable" } };
      const reply = await auditor(endpoint.method, `${path}${query}`, body);
      if (reply.status !== 403 || reply.body.code !== "account_read_only")
        open.push(`${name} ${reply.status} ${reply.body.code}`);
    }
    expect(open).toEqual([]);
    const refused: [string, string, object][] = [
      ["PUT", "/api/team/", { id: team.id, note: "mine" }],
      ["POST", `/api/team/${team.id}/invite`, { to: "person", role: "member" }],
      ["POST", `/api/team/${team.id}/transfer`, { source: "own", amount: 1 }],
      ["DELETE", `/api/team/${team.id}`, {}],
      ["POST", "/api/user/transfer", { username: "person", amount: 1 }],
      ["DELETE", "/api/token/99999", {}],
      ["POST", `/api/run/${"r".repeat(22)}/stop`, {}],
    ];
    for (const [method, path, body] of refused) {
      const reply = await auditor(method, path, { body });
      expect([path, reply.status, reply.body.code]).toEqual([path, 403, "account_read_only"]);
    }
  });

  test("an auditor who is an admin of a team uses it and manages nothing in it", {
    tags: ["F-22"],
  }, async () => {
    const seat = { body: { user_id: id, role: "admin" } };
    await root("PUT", `/api/team/${team.id}/member`, seat);
    const ask = async (method: string, path: string, body: object) =>
      (await auditor(method, path, { body })).body;
    expect(await ask("PUT", "/api/team/", { id: team.id, note: "mine" })).toMatchObject({
      code: "account_read_only",
    });
    const service = { name: "robot", service: true };
    expect(await ask("POST", `/api/team/${team.id}/token`, service)).toMatchObject({
      code: "account_read_only",
    });
    expect(await ask("POST", `/api/team/${team.id}/token`, { name: "own" })).toMatchObject({
      success: true,
    });
    expect((await auditor("GET", `/api/team/${team.id}`)).body.data).toMatchObject({
      role: "member",
    });
  });

  test("an auditor sees what administrators see, but no codes and no contents", {
    tags: ["F-22"],
  }, async () => {
    for (const path of [
      ...["/api/user/", "/api/channel/", "/api/log/", "/api/token/all", "/api/alert/"],
      ...["/api/budget/", "/api/price/", "/api/run/", "/api/config/", `/api/team/${team.id}`],
      "/api/user/dashboard?user_id=all",
    ])
      expect([path, (await auditor("GET", path)).status]).toEqual([path, 200]);
    const code = (client: TestApiClient) =>
      client("GET", "/api/redemption/").then(({ body }) => body.data[0].key as string);
    const whole = await code(root);
    const seen = await code(auditor);
    expect(seen).not.toBe(whole);
    expect(seen).not.toContain(whole.slice(8, 24));
    expect((await auditor("GET", "/api/option/")).status).toBe(403);
    expect(JSON.stringify((await auditor("GET", "/api/channel/")).body)).not.toContain(
      "sk-provider",
    );
  });

  test("an auditor has an own account: keys of it and a profile", async () => {
    const made = await auditor("POST", "/api/token/", { body: { name: "mine" } });
    expect(made.body).toMatchObject({ success: true });
    expect((await auditor("DELETE", `/api/token/${made.body.data.id}`)).body.success).toBe(true);
    const language = await auditor("PUT", "/api/user/language", { body: { language: "de" } });
    expect(language.body).toMatchObject({ success: true });
  });

  test("keys of an auditor have read scopes alone, those that were made before too", {
    tags: ["MK-01"],
  }, async () => {
    const make = async (scopes: readonly string[]) =>
      (
        await auditor("POST", "/api/management_key/", {
          body: { name: "k", scopes, lifetime_days: 1, current_password: password },
        })
      ).body;
    expect(await make(["channels:write"])).toMatchObject({ code: "invalid_request" });
    expect(await make(["bodies:read"])).toMatchObject({ code: "invalid_request" });
    expect(await make(auditorScopes)).toMatchObject({ success: true });
    await edit(root, { id, read_only: false });
    const { key } = (await make(buildGrantableScopes(roles.admin))).data;
    const call = (method: string, path: string, body?: object) =>
      gateway.visitor(method, path, {
        headers: { authorization: `Bearer ${key}` },
        ...(body && { body }),
      });
    const group = { name: "x", type: 1, key: "k", models: "m", group: "default" };
    expect((await call("POST", "/api/channel/", group)).body).toMatchObject({ success: true });
    await edit(root, { id, read_only: true });
    expect((await call("GET", "/api/channel/")).status).toBe(200);
    expect((await call("POST", "/api/channel/", group)).body).toMatchObject({
      code: "management_key_scope",
    });
    expect((await call("POST", "/api/token/", { name: "no" })).body).toMatchObject({
      code: "management_key_scope",
    });
  });
});
