// Every operation of the contract, called by every kind of caller with the objects of another user, by id and by uuid.
import { catalogue } from "@tollgate/contract/catalogue.ts";
import type { Endpoint } from "@tollgate/contract/endpoint.ts";
import { consoleHeader } from "@tollgate/contract/envelope.ts";
import { grantableScopes, leastRole } from "@tollgate/contract/grantable-scopes.ts";
import { newPlaygroundToken } from "@tollgate/contract/playground.ts";
import { roles, userStatus } from "@tollgate/contract/roles.ts";
import { type Scope, scopes } from "@tollgate/contract/scopes.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { testDatabases } from "../support/test-databases.ts";
import { type ManagementGateway, startManagementGateway, type TestApiReply } from "./management-gateway.ts";
import { addTotpUser, logIn } from "./totp-users.ts";

interface MatrixCaller {
  name: string;
  headers: Record<string, string>;
  /** The role that the call has, 0 for a stranger. */
  role: number;
  mustChangePassword?: true;
  /** Of a management key. */
  scopes?: readonly Scope[];
}

/** What a call names: as integers or as uuids. */
type ObjectNames = Record<"user" | "token" | "channel" | "redemption" | "management_key", number | string>;

const providerKey = "sk-provider-0123456789abcdef";
const stale = 11 * 60_000;
/** These end the credential that they are called with, so they come last, once. */
const endings = ["removeAccessToken", "logout", "logoutByGet"];
const operations = [
  ...catalogue.filter(({ name }) => !endings.includes(name)),
  ...endings.flatMap((ending) => catalogue.filter(({ name }) => name === ending)),
];

let gateway: ManagementGateway;
let callers: MatrixCaller[];
let names: ObjectNames[];
let calls = 0;

beforeAll(async () => {
  const [sqlite] = testDatabases;
  if (!sqlite) throw new Error("there is no database to test with");
  gateway = await startManagementGateway(sqlite);
  const victim = await gateway.addUser("victim");
  const [asVictim, root] = [await gateway.signIn("victim"), await gateway.signIn("root")];
  const token = (await asVictim("POST", "/api/token/", { body: { name: "theirs" } })).body.data;
  const channelInput = { name: "theirs", type: 1, key: providerKey, models: "small", group: "default" };
  await root("POST", "/api/channel/", { body: channelInput });
  const [channel] = (await root("GET", "/api/channel/")).body.data;
  await root("POST", "/api/redemption/", { body: { name: "theirs", quota: 5 } });
  const [redemption] = (await root("GET", "/api/redemption/")).body.data;
  const keyInput = { name: "theirs", scopes: ["tokens:read"], lifetime_days: 1 };
  const managementKey = (await asVictim("POST", "/api/management_key/", { body: keyInput })).body.data;
  const objects = { user: victim, token, channel, redemption, management_key: managementKey };
  const named = (member: "id" | "uuid"): ObjectNames => ({
    user: objects.user[member],
    token: objects.token[member],
    channel: objects.channel[member],
    redemption: objects.redemption[member],
    management_key: objects.management_key[member],
  });
  names = [named("id"), named("uuid")];
  callers = await allCallers();
  // No sign-in is fresh, so what needs proof of the password is refused without changing the caller.
  gateway.clock.now += stale;
}, 60_000);
afterAll(() => gateway.close());

async function allCallers(): Promise<MatrixCaller[]> {
  const guest = roles.guest;
  const cookieOf = async (username: string) => {
    const reply = await logIn(gateway, username);
    return { cookie: gateway.cookieOf(reply), [consoleHeader.name]: consoleHeader.value };
  };
  const bearer = (secret: string) => ({ authorization: `Bearer ${secret}` });
  const added: Record<string, Awaited<ReturnType<ManagementGateway["addUser"]>>> = {};
  for (const [name, role] of Object.entries({
    user: roles.user,
    admin: roles.admin,
    disabled: roles.root,
    deleted: roles.root,
    demoted: roles.admin,
    "signed-out": roles.root,
    programmed: roles.user,
    "programmed-admin": roles.admin,
    "disabled-program": roles.root,
    // Makers of management keys have no other caller: ending the other sessions would disable the keys.
    "key-of-root": roles.root,
    "key-of-admin": roles.admin,
    "key-of-user": roles.user,
    "key-of-demoted": roles.admin,
    "key-of-disabled": roles.root,
  }))
    added[name] = await gateway.addUser(name, { role });
  await gateway.addUser("forced", { role: roles.root, mustChange: true });
  await addTotpUser(gateway, "codeless", roles.root);
  const cookies: Record<string, Record<string, string>> = {};
  for (const name of ["user", "admin", "root", "disabled", "deleted", "demoted", "signed-out", "forced", "codeless"])
    cookies[name] = await cookieOf(name);
  const headersOf = (name: string) => cookies[name] ?? {};
  const root = gateway.withCookie(headersOf("root").cookie ?? "");
  const apiKey = (await root("POST", "/api/token/", { body: { name: "key" } })).body.data.key;
  const playgroundKey = (await root(newPlaygroundToken.method, newPlaygroundToken.path, { body: {} })).body.data.token;
  const makeKey = async (name: string, given: readonly Scope[]): Promise<Record<string, string>> => {
    const body = { name: "key", scopes: given, lifetime_days: 30 };
    const client = await gateway.signIn(name);
    return bearer((await client("POST", "/api/management_key/", { body })).body.data.key);
  };
  // Halves, so that each scope is once among those that a key has and once among those that it lacks.
  const even = scopes.filter((_, index) => index % 2 === 0);
  const odd = scopes.filter((_, index) => index % 2 === 1);
  const keyOf = async (maker: string, given: readonly Scope[], role: number): Promise<MatrixCaller> => ({
    name: `${maker} (${given.length} scopes)`,
    headers: await makeKey(maker, given),
    role,
    scopes: given,
  });
  const keyCallers = [
    await keyOf("key-of-root", even, roles.root),
    await keyOf("key-of-root", odd, roles.root),
    await keyOf("key-of-admin", grantableScopes(roles.admin), roles.admin),
    await keyOf("key-of-user", grantableScopes(roles.user), roles.user),
    await keyOf("key-of-demoted", grantableScopes(roles.admin), roles.user),
    await keyOf("key-of-disabled", scopes, roles.guest),
  ];
  await gateway.withCookie(headersOf("signed-out").cookie ?? "")("POST", "/api/user/logout");
  const idOf = (name: string) => added[name]?.id ?? 0;
  for (const name of ["disabled", "key-of-disabled"]) await gateway.setStatus(idOf(name), userStatus.disabled);
  await gateway.setStatus(idOf("disabled-program"), userStatus.disabled);
  await gateway.setStatus(idOf("deleted"), userStatus.deleted);
  const demotion = gateway.db.sql
    .updateTable("users")
    .set({ role: roles.user })
    .where("id", "in", [idOf("demoted"), idOf("key-of-demoted")]);
  await gateway.db.write([{ query: demotion }], { changes: ["users"] });
  return [
    { name: "a visitor", headers: {}, role: guest },
    { name: "a disabled root", headers: headersOf("disabled"), role: guest },
    { name: "a deleted root", headers: headersOf("deleted"), role: guest },
    { name: "a root who signed out", headers: headersOf("signed-out"), role: guest },
    { name: "a root without the code of the second factor", headers: headersOf("codeless"), role: guest },
    {
      name: "an access token of a disabled root",
      headers: bearer(added["disabled-program"]?.token ?? ""),
      role: guest,
    },
    { name: "root's API key", headers: bearer(apiKey), role: guest },
    { name: "root's playground key", headers: bearer(playgroundKey), role: guest },
    { name: "a provider's key", headers: bearer(providerKey), role: guest },
    {
      name: "a root who must change the password",
      headers: headersOf("forced"),
      role: guest,
      mustChangePassword: true,
    },
    { name: "a user", headers: headersOf("user"), role: roles.user },
    { name: "an access token of a user", headers: bearer(added.programmed?.token ?? ""), role: roles.user },
    { name: "a demoted administrator", headers: headersOf("demoted"), role: roles.user },
    { name: "an administrator", headers: headersOf("admin"), role: roles.admin },
    {
      name: "an access token of an administrator",
      headers: bearer(added["programmed-admin"]?.token ?? ""),
      role: roles.admin,
    },
    { name: "root", headers: headersOf("root"), role: roles.root },
    ...keyCallers,
  ];
}

/** Everything of the victim that a call could change. */
const victimState = async () => {
  const { sql, read } = gateway.db;
  return JSON.stringify([
    await read(sql.selectFrom("users").selectAll().where("username", "=", "victim")),
    await read(sql.selectFrom("tokens").selectAll().where("name", "=", "theirs")),
    await read(sql.selectFrom("channels").selectAll()),
    await read(sql.selectFrom("redemptions").selectAll()),
    await read(sql.selectFrom("options").selectAll()),
    await read(sql.selectFrom("management_keys").selectAll().where("name", "=", "theirs")),
  ]);
};

function send({ method, path, variant }: Endpoint, objects: ObjectNames, { headers }: MatrixCaller) {
  const object =
    (["token", "channel", "redemption", "management_key"] as const).find((kind) => path.startsWith(`/api/${kind}`)) ??
    "user";
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

/** What is wrong with a reply, by the contract alone. */
function problemWith(
  { access, scope, beforePasswordChange }: Endpoint,
  { role, mustChangePassword, scopes: given }: MatrixCaller,
  { status, body }: TestApiReply,
): string | undefined {
  if (mustChangePassword && !beforePasswordChange)
    return body.code === "password_change_required" ? undefined : `is open before the password is changed (${status})`;
  const least = leastRole[access];
  const acting = mustChangePassword ? roles.root : role;
  const isInScope =
    given === undefined ||
    access === "public" ||
    grantableScopes(acting).some((one) => one === scope && given.includes(one));
  const expected = acting >= least && isInScope ? undefined : acting === roles.guest ? 401 : 403;
  if (expected !== undefined) return status === expected ? undefined : `answers ${status} instead of ${expected}`;
  return status === 401 || status === 403 || status >= 500
    ? `is closed to its role (${status} ${body.code})`
    : undefined;
}

test("callers below administrators reach what the contract opens to them, and change nothing of another user", {
  tags: ["F-22", "F-23", "F-26", "F-28"],
  timeout: 60_000,
}, async () => {
  const before = await victimState();
  await tryAll(callers.filter(({ role }) => role < roles.admin));
  expect(await victimState()).toBe(before);
});

test("administrators and root reach what the contract opens to them", { tags: ["F-22"], timeout: 60_000 }, async () => {
  await tryAll(callers.filter(({ role }) => role >= roles.admin));
  expect(calls).toBe((catalogue.length * names.length - endings.length) * callers.length);
  expect(gateway.problems).toEqual([]);
});

async function tryAll(some: readonly MatrixCaller[]): Promise<void> {
  const wrong: string[] = [];
  for (const caller of some) {
    for (const { name, endpoint } of operations) {
      for (const objects of endings.includes(name) ? names.slice(0, 1) : names) {
        const reply = await send(endpoint, objects, caller);
        const problem = problemWith(endpoint, caller, reply);
        if (problem) wrong.push(`${caller.name}: ${name} ${problem}`);
      }
    }
  }
  expect(wrong).toEqual([]);
}
