// Management keys of a team: made by its admins, good for it alone, and ended with their maker's
// place in it or with the team.
import { teamScopes } from "@tollgate/contract/accounts/grantable-scopes.ts";
import type { ManagementKey } from "@tollgate/contract/accounts/management-keys.ts";
import type { Team } from "@tollgate/contract/accounts/teams.ts";
import type { Log } from "@tollgate/contract/figures/logs.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { eventually } from "../harness/eventually.ts";
import { testDatabases } from "../support/test-databases.ts";
import { describeVariants } from "../support/variants.ts";
import {
  type ManagementGateway,
  password,
  startManagementGateway,
  type TestApiClient,
} from "./management-gateway.ts";
import { addSettledCall } from "./seed-logs.ts";

const people = ["site", "owner", "admin", "member", "viewer", "outsider"] as const;
type KeyPerson = (typeof people)[number];

describeVariants(testDatabases)("management keys of a team on $name", (database) => {
  let gateway: ManagementGateway;
  const ids = {} as Record<KeyPerson, number>;
  const as = {} as Record<KeyPerson, TestApiClient>;
  let team: Team;
  let other: Team;

  beforeAll(async () => {
    gateway = await startManagementGateway(database);
    for (const person of people) {
      ids[person] = (await gateway.addUser(person, person === "site" ? { role: 10 } : {})).id;
      as[person] = await gateway.signIn(person);
    }
    team = await madeTeam("Search");
    other = await madeTeam("Other");
  });
  afterAll(() => gateway.close());

  const madeTeam = async (name: string): Promise<Team> => {
    const { body } = await as.site("POST", "/api/team/", { body: { name, owner_id: ids.owner } });
    for (const role of ["admin", "member", "viewer"] as const)
      await put(body.data.id, ids[role], role);
    return body.data;
  };
  const put = (id: number, user_id: number, role: string) =>
    as.site("PUT", `/api/team/${id}/member`, { body: { user_id, role } });
  const ask = async (client: TestApiClient, more: object = {}) =>
    (
      await client("POST", "/api/management_key/", {
        body: {
          ...{ name: "ci", scopes: teamScopes, lifetime_days: 30, team_id: team.id },
          ...{ current_password: password, ...more },
        },
      })
    ).body;
  const withKey =
    (key: string): TestApiClient =>
    (method, path, request) =>
      gateway.visitor(method, path, {
        ...request,
        headers: { authorization: `Bearer ${key}`, ...request?.headers },
      });
  const keyOf = async (client: TestApiClient, more: object = {}) => {
    const made = await ask(client, more);
    expect(made, made.message).toMatchObject({ success: true });
    return { ...(made.data as ManagementKey), call: withKey(made.data.key) };
  };

  test("admins of the team alone make them, with the scopes of one team and no other", {
    tags: ["MK-01"],
  }, async () => {
    const answers: Record<string, unknown> = {};
    for (const person of people) {
      const { success, code } = await ask(as[person]);
      answers[person] = success || code;
    }
    expect(answers).toEqual({
      ...{ owner: true, admin: true, site: "team_role_insufficient" },
      ...{ member: "team_role_insufficient", viewer: "team_role_insufficient" },
      outsider: "team_not_found",
    });
    for (const scope of ["tokens:write", "users:read", "bodies:read", "models:read"])
      expect(await ask(as.admin, { scopes: [scope] })).toMatchObject({ code: "invalid_request" });
  });

  test("a key manages its team, and no other team, account or site exists for it", {
    tags: ["F-26", "MK-01"],
  }, async () => {
    const { call } = await keyOf(as.admin);
    const path = `/api/team/${team.id}`;
    const codes = async (asked: [string, string, object?][]) => {
      const found: string[] = [];
      for (const [method, address, body] of asked) {
        const reply = await call(method, address, body && { body });
        found.push(`${method} ${address} ${reply.body.code ?? reply.body.success ?? reply.status}`);
      }
      return found;
    };
    expect((await call("GET", "/api/team/")).body).toMatchObject({
      data: [{ id: team.id }],
      total: 1,
    });
    const service = { name: "robot", service: true, unlimited_quota: true };
    expect((await call("POST", `${path}/token`, { body: service })).body.data.key).toMatch(/^sk-/);
    expect(
      (await call("PUT", "/api/team/", { body: { id: team.id, note: "by key" } })).body.data,
    ).toMatchObject({ note: "by key" });
    expect((await call("GET", `${path}/members`)).body.data).toHaveLength(4);

    const named: [string, string, object?][] = [
      ["GET", `/api/team/${other.id}`],
      ["GET", `/api/team/${other.uuid}`],
      ["PUT", "/api/team/", { id: other.id, note: "stolen" }],
      ["PUT", "/api/team/", { uuid: other.uuid, note: "stolen" }],
      ["GET", `/api/team/${other.id}/members`],
      ["GET", `/api/team/${other.id}/tokens`],
      ["POST", `/api/team/${other.id}/token`, service],
      ["POST", `/api/team/${other.id}/remove_member`, { user_id: ids.member }],
      ["PUT", `/api/team/${other.id}/member`, { user_id: ids.member, role: "admin" }],
      ["POST", `/api/team/${other.id}/invite`, { to: "outsider", role: "member" }],
      ["GET", `/api/team/${other.id}/budgets`],
      ["GET", `/api/team/${other.id}/statement`],
      ["GET", `/api/token/?team_id=${other.id}`],
      ["GET", `/api/log/self?team_id=${other.id}`],
      ["GET", `/api/user/dashboard?team_id=${other.uuid}`],
    ];
    expect(await codes(named)).toEqual(named.map(([m, p]) => `${m} ${p} team_not_found`));
    const beyond: [string, string, object?][] = [
      ["GET", "/api/user/self"],
      ["GET", "/api/user/invitations"],
      ["GET", "/api/token/1"],
      ["POST", "/api/token/find", { key_hash: "0".repeat(64) }],
      ["GET", "/api/user/"],
      ["POST", "/api/team/", { name: "Mine" }],
      ["GET", "/api/channel/"],
    ];
    expect(await codes(beyond)).toEqual(beyond.map(([m, p]) => `${m} ${p} management_key_team`));
    const closed: [string, string, object?][] = [
      ["DELETE", path],
      ["POST", `${path}/transfer`, { source: "own", amount: 1 }],
      ["GET", `/api/management_key/?team_id=${team.id}`],
    ];
    expect(await codes(closed)).toEqual(
      closed.map(([m, p]) => `${m} ${p} management_key_not_allowed`),
    );
  });

  test("lists and sums without a team are about the team of the key, and never about its maker", {
    tags: ["F-26"],
  }, async () => {
    const { call } = await keyOf(as.admin);
    const own = (await as.admin("POST", "/api/token/", { body: { name: "mine" } })).body.data;
    const at = gateway.clock.now - 1_000;
    const admin = { id: ids.admin, username: "admin" };
    const paid = await addSettledCall(gateway, admin, at, { quota: 7, team_id: team.id });
    const personal = await addSettledCall(gateway, admin, at, { quota: 1, token_id: own.id });
    const elsewhere = await addSettledCall(gateway, admin, at, { quota: 3, team_id: other.id });
    const logged = (await call("GET", "/api/log/self?type=2")).body.data;
    expect(logged.map(({ id }: Log) => id)).toEqual([paid]);
    // PostgreSQL adds up what a team spent within a second.
    await eventually(async () =>
      expect((await call("GET", "/api/log/self/stat?")).body.data.quota).toBe(7),
    );
    const keys = (await call("GET", "/api/token/")).body.data;
    expect(JSON.stringify(keys)).not.toMatch(/"mine"|sk-[A-Za-z0-9]{20}/);
    expect((await call("GET", `/api/trace/log/${paid}`)).body.success).toBe(true);
    for (const id of [personal, elsewhere])
      expect((await call("GET", `/api/trace/log/${id}`)).body).toMatchObject({
        code: "log_not_found",
      });
    const naming = await call("GET", `/api/user/dashboard?user_id=${ids.admin}`);
    expect(naming.body).toMatchObject({ code: "invalid_request" });
  });

  test("an administrator of the site, as a member, makes a key without the rights of the site", {
    tags: ["MK-01"],
  }, async () => {
    await put(team.id, ids.site, "admin");
    const { call } = await keyOf(as.site);
    await put(team.id, ids.site, "viewer");
    expect((await call("GET", `/api/team/${team.id}`)).body.data).toMatchObject({ role: "viewer" });
    const rename = await call("PUT", "/api/team/", { body: { id: team.id, note: "no" } });
    expect(rename.body).toMatchObject({ code: "team_role_insufficient" });
    const body = { user_id: ids.site };
    await as.owner("POST", `/api/team/${team.id}/remove_member`, { body });
    expect((await call("GET", `/api/team/${team.id}`)).body).toMatchObject({
      code: "management_key_invalid",
    });
  });

  test("admins see and stop the keys of the team; only the maker starts one again", {
    tags: ["MK-05"],
  }, async () => {
    const mine = await keyOf(as.admin, { name: "of admin" });
    const list = async (client: TestApiClient, query = "") =>
      (await client("GET", `/api/management_key/${query}`)).body;
    const shown = (await list(as.owner, `?team_id=${team.uuid}`)).data as ManagementKey[];
    expect(shown.find(({ id }) => id === mine.id)).toMatchObject({
      ...{ username: "admin", team_id: team.id, team: "Search" },
    });
    for (const person of ["member", "viewer"] as const)
      expect(await list(as[person], `?team_id=${team.id}`)).toMatchObject({
        code: "team_role_insufficient",
      });
    expect(await list(as.outsider, `?team_id=${team.id}`)).toMatchObject({
      code: "team_not_found",
    });
    const act = async (client: TestApiClient, verb: string) =>
      (
        await client("POST", `/api/management_key/${mine.id}/${verb}`, {
          body: { current_password: password },
        })
      ).body;
    for (const person of ["member", "viewer", "outsider"] as const)
      expect(await act(as[person], "disable")).toMatchObject({ code: "management_key_not_found" });
    expect(await act(as.owner, "disable")).toMatchObject({ success: true });
    expect((await mine.call("GET", "/api/team/")).body).toMatchObject({
      code: "management_key_invalid",
    });
    expect(await act(as.owner, "enable")).toMatchObject({ code: "management_key_of_another" });
    expect(await act(as.admin, "enable")).toMatchObject({ success: true });
    expect((await mine.call("GET", "/api/team/")).status).toBe(200);
  });

  test("a key follows its maker in the team, and does not come back with a maker who left", {
    tags: ["MK-05"],
  }, async () => {
    const left = await madeTeam("Left");
    const { call } = await keyOf(as.admin, { team_id: left.id });
    const rename = async () =>
      (await call("PUT", "/api/team/", { body: { id: left.id, note: "x" } })).body;
    expect((await rename()).success).toBe(true);
    await put(left.id, ids.admin, "member");
    expect(await rename()).toMatchObject({ code: "team_role_insufficient" });
    await put(left.id, ids.admin, "admin");
    expect((await rename()).success).toBe(true);
    const body = { user_id: ids.admin };
    await as.owner("POST", `/api/team/${left.id}/remove_member`, { body });
    expect(await rename()).toMatchObject({ code: "management_key_invalid" });
    await put(left.id, ids.admin, "admin");
    expect(await rename()).toMatchObject({ code: "management_key_invalid" });
    const last = await keyOf(as.owner, { team_id: left.id });
    await as.owner("DELETE", `/api/team/${left.id}`);
    expect((await last.call("GET", "/api/team/")).body).toMatchObject({
      code: "management_key_invalid",
    });
  });
});
