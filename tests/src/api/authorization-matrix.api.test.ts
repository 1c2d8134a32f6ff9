// Every operation of the contract, called by every kind of caller with the objects of another user,
// by id and by uuid.

import { buildGrantableScopes, leastRole } from "@tollgate/contract/accounts/grantable-scopes.ts";
import { roles } from "@tollgate/contract/accounts/roles.ts";
import type { Endpoint } from "@tollgate/contract/api/endpoint.ts";
import { catalogue } from "@tollgate/contract/catalogue/catalogue.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type OidcIssuer, startOidcIssuer } from "../harness/oidc-issuer.ts";
import { testDatabases } from "../support/test-databases.ts";
import {
  type ManagementGateway,
  startManagementGateway,
  type TestApiReply,
} from "./management-gateway.ts";
import {
  allMatrixCallers,
  type MatrixCaller,
  matrixProxy,
  matrixSite,
  providerKey,
} from "./matrix-callers.ts";

/** `ObjectNames` are what a call names: as integers or as uuids. */
type ObjectNames = Record<
  "user" | "token" | "team" | "channel" | "redemption" | "management_key",
  number | string
>;

const stale = 11 * 60_000;
/** These end the credential that they are called with, so they come last, and by ids alone. */
const endings = ["removeAccessToken", "logout", "logoutByGet"];
const operations = [
  ...catalogue.filter(({ name }) => !endings.includes(name)),
  ...endings.flatMap((ending) => catalogue.filter(({ name }) => name === ending)),
];

let gateway: ManagementGateway;
let issuer: OidcIssuer;
let callers: MatrixCaller[];
let names: Record<"id" | "uuid", ObjectNames>;
let calls = 0;

beforeAll(async () => {
  const [sqlite] = testDatabases;
  if (!sqlite) throw new Error("there is no database to test with");
  issuer = await startOidcIssuer();
  gateway = await startManagementGateway(sqlite, undefined, issuer.url, matrixSite, matrixProxy);
  const victim = await gateway.addUser("victim");
  const [asVictim, root] = [await gateway.signIn("victim"), await gateway.signIn("root")];
  const token = (await asVictim("POST", "/api/token/", { body: { name: "theirs" } })).body.data;
  const channelInput = {
    name: "theirs",
    type: 1,
    key: providerKey,
    models: "small",
    group: "default",
  };
  await root("POST", "/api/channel/", { body: channelInput });
  const [channel] = (await root("GET", "/api/channel/")).body.data;
  await root("POST", "/api/redemption/", { body: { name: "theirs", quota: 5 } });
  const [redemption] = (await root("GET", "/api/redemption/")).body.data;
  const keyInput = { name: "theirs", scopes: ["tokens:read"], lifetime_days: 1 };
  const managementKey = (await asVictim("POST", "/api/management_key/", { body: keyInput })).body
    .data;
  const teamInput = { name: "theirs", owner_id: victim.id };
  const team = (await root("POST", "/api/team/", { body: teamInput })).body.data;
  const objects = { user: victim, token, team, channel, redemption, management_key: managementKey };
  const named = (member: "id" | "uuid"): ObjectNames => ({
    user: objects.user[member],
    token: objects.token[member],
    team: objects.team[member],
    channel: objects.channel[member],
    redemption: objects.redemption[member],
    management_key: objects.management_key[member],
  });
  names = { id: named("id"), uuid: named("uuid") };
  callers = await allMatrixCallers(gateway, issuer, team.id);
  // No sign-in is fresh, so what needs proof of the password is refused without changing the
  // caller.
  gateway.clock.now += stale;
}, 60_000);
afterAll(async () => {
  await gateway.close();
  await issuer.close();
});

/** Everything of the victim that a call could change. */
const victimState = async () => {
  const { sql, read } = gateway.db;
  return JSON.stringify([
    await read(sql.selectFrom("users").selectAll().where("username", "=", "victim")),
    await read(sql.selectFrom("tokens").selectAll().where("name", "=", "theirs")),
    await read(sql.selectFrom("channels").selectAll()),
    await read(sql.selectFrom("redemptions").selectAll()),
    await read(sql.selectFrom("options").selectAll()),
    await read(sql.selectFrom("teams").selectAll()),
    await read(sql.selectFrom("team_members").selectAll()),
    await read(sql.selectFrom("management_keys").selectAll().where("name", "=", "theirs")),
  ]);
};

function send(
  { method, path, variant }: Endpoint,
  objects: ObjectNames,
  { headers }: MatrixCaller,
) {
  const object =
    (["token", "team", "channel", "redemption", "management_key"] as const).find((kind) =>
      path.startsWith(`/api/${kind}`),
    ) ?? "user";
  const named = objects[object];
  const member = typeof named === "number" ? "id" : "uuid";
  const filled = path.replace(":id", String(named)).replace(":trace_id", "ffff");
  const query = new URLSearchParams({
    ...(variant && { [variant]: "1" }),
    channel: String(objects.channel),
  });
  const body = {
    [member]: named,
    [member === "id" ? "user_id" : "user_uuid"]: objects.user,
    username: "victim",
    status: 2,
    role: 100,
    quota: 1,
    key: "SystemName",
    value: "Taken",
  };
  calls += 1;
  // Each call comes from an address of its own, or the limits of sign-in would answer.
  const from = gateway.from(`10.${calls >> 16}.${(calls >> 8) & 255}.${calls & 255}`);
  return from(method, `${filled}?${query}`, { headers, ...(method !== "GET" && { body }) });
}

/** `problemWith` gives what is wrong with a reply, by the contract alone. */
function problemWith(
  { access, scope, beforePasswordChange, inTeam, reply }: Endpoint,
  { role, mustChangePassword, scopes: given, isBound, isMember, isReadOnly }: MatrixCaller,
  { status, body }: TestApiReply,
): string | undefined {
  if (mustChangePassword && !beforePasswordChange)
    return body.code === "password_change_required"
      ? undefined
      : `is open before the password is changed (${status})`;
  const least = leastRole[access];
  const isChange = reply.isChange === true && !scope.endsWith(":read");
  const acting = mustChangePassword ? roles.root : role;
  const isInScope =
    given === undefined ||
    access === "public" ||
    (isBound && !inTeam
      ? false
      : buildGrantableScopes(acting).some((one) => one === scope && given.includes(one)));
  const isForbidden = isReadOnly && isChange;
  // What is the auditor's own answers as to everyone; all else of a change is forbidden.
  if (isForbidden && access !== "admin" && access !== "root" && isInScope)
    return status >= 500 || status === 401 ? `answers an auditor ${status}` : undefined;
  const isOpen = acting >= least && isInScope && !isForbidden;
  const expected = isOpen ? undefined : acting === roles.guest ? 401 : 403;
  if (expected !== undefined)
    return status === expected ? undefined : `answers ${status} instead of ${expected}`;
  if (isMember && inTeam && body.code === "insufficient_role") return undefined;
  return status === 401 || status === 403 || status >= 500
    ? `is closed to its role (${status} ${body.code})`
    : undefined;
}

test("callers below administrators reach what the contract opens to them by uuid, and change nothing of another user", {
  tags: ["F-22", "F-23", "F-26", "F-28", "large"],
  timeout: 180_000,
}, async () => {
  const before = await victimState();
  await tryAll(callers.filter(isBelowAdmin), "uuid");
  expect(await victimState()).toBe(before);
});

test("callers below administrators reach what the contract opens to them, and change nothing of another user", {
  tags: ["F-22", "F-23", "F-26", "F-28"],
  timeout: 180_000,
}, async () => {
  const before = await victimState();
  await tryAll(callers.filter(isBelowAdmin), "id");
  expect(await victimState()).toBe(before);
});

test("administrators and root reach what the contract opens to them by uuid", {
  tags: ["F-22", "large"],
  timeout: 180_000,
}, async () => {
  await tryAll(callers.filter(isAdmin), "uuid");
  expect(gateway.problems).toEqual([]);
});

test("administrators and root reach what the contract opens to them", {
  tags: ["F-22"],
  timeout: 180_000,
}, async () => {
  await tryAll(callers.filter(isAdmin), "id");
  expect(gateway.problems).toEqual([]);
});

/** An auditor changes as little as a user. */
const isBelowAdmin = ({ role, isReadOnly }: MatrixCaller): boolean =>
  role < roles.admin || isReadOnly === true;
const isAdmin = (caller: MatrixCaller): boolean => !isBelowAdmin(caller);

/** Every operation, with the objects of the victim by their ids or uuids. */
async function tryAll(some: readonly MatrixCaller[], by: "id" | "uuid"): Promise<void> {
  const tried = by === "id" ? operations : operations.filter(({ name }) => !endings.includes(name));
  const wrong: string[] = [];
  for (const caller of some) {
    for (const { name, endpoint } of tried) {
      const problem = problemWith(endpoint, caller, await send(endpoint, names[by], caller));
      if (problem) wrong.push(`${caller.name}: ${name} ${problem}`);
    }
  }
  expect(wrong).toEqual([]);
}
