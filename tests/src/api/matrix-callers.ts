/** Every kind of caller of the management API, for the authorization matrix. */

import {
  auditorScopes,
  buildGrantableScopes,
  teamScopes,
} from "@tollgate/contract/accounts/grantable-scopes.ts";
import { roles, userStatus } from "@tollgate/contract/accounts/roles.ts";
import { type Scope, scopes } from "@tollgate/contract/accounts/scopes.ts";
import { consoleHeader } from "@tollgate/contract/api/envelope.ts";
import { newPlaygroundToken } from "@tollgate/contract/site/playground.ts";
import { createTrustedHeader } from "@tollgate/gateway/http/trusted-header.ts";
import { expect } from "vitest";
import { type OidcIssuer, type OidcPerson, oidcCredentials } from "../harness/oidc-issuer.ts";
import { createSoftwarePasskey } from "../support/software-passkey.ts";
import { createCookieBrowser } from "./cookie-browser.ts";
import { type ManagementGateway, password, type TestApiReply } from "./management-gateway.ts";
import { addTotpUser, logIn } from "./totp-users.ts";

export interface MatrixCaller {
  name: string;
  headers: Record<string, string>;
  /** The role that the call has, 0 for a stranger. */
  role: number;
  mustChangePassword?: true;
  /** `scopes` are those of a management key. */
  scopes?: readonly Scope[];
  /** Someone in the victim's team, who is told what only the site decides about it. */
  isMember?: true;
  /** A management key of a team. */
  isBound?: true;
  /** An auditor, or a key of one. */
  isReadOnly?: true;
}

export const providerKey = "sk-provider-0123456789abcdef";

/** Browsers make passkeys for this name over plain HTTP. */
export const matrixSite = "http://localhost:3000";
const proxySecret = "only-the-proxy-knows-this";
const proxyHeaders = (name: string) => ({ "remote-user": name, "x-proxy-secret": proxySecret });
/** Every address that calls of the matrix come from is the proxy's. */
export const matrixProxy = createTrustedHeader(
  {
    nameHeader: "remote-user",
    secretHeader: "x-proxy-secret",
    secret: proxySecret,
    groupsHeader: undefined,
    proxies: [{ bytes: [10, 0, 0, 0], bits: 8 }],
  },
  () => undefined,
);

const isIn = (reply: TestApiReply): void => expect(reply.body).toMatchObject({ success: true });

/**
 * Signed in by a provider, by a reverse proxy and with a passkey; a provider's rules make an
 * administrator.
 */
async function callersByOtherSignIns(
  gateway: ManagementGateway,
  issuer: OidcIssuer,
): Promise<MatrixCaller[]> {
  const root = await gateway.signIn("root");
  const { clientId: client_id, clientSecret: client_secret } = oidcCredentials;
  const rules = [{ claim: "groups", value: "admins", role: roles.admin, group: "" }];
  const provider = {
    slug: "company",
    name: "Company",
    issuer: issuer.url,
    client_id,
    client_secret,
    enabled: true,
  };
  isIn(await root("POST", "/api/oidc_provider/", { body: { ...provider, rules } }));

  const byProvider = async (person: OidcPerson): Promise<Record<string, string>> => {
    const browser = createCookieBrowser(gateway);
    const { body } = await browser.ask("GET", "/api/oauth/state?purpose=sign-in&provider=company");
    const code = issuer.consent(String(body.oidc_authorize_url), person);
    const callback = new URLSearchParams({ code, state: body.data, iss: issuer.url });
    isIn(await browser.ask("GET", `/api/oauth/oidc/company?${callback}`));
    return { cookie: `session=${browser.session}`, [consoleHeader.name]: consoleHeader.value };
  };

  const byProxy = async (name: string): Promise<Record<string, string>> => {
    const proxied = gateway.from("10.255.0.1");
    const headers = { ...proxyHeaders(name), [consoleHeader.name]: consoleHeader.value };
    const begun = await proxied("GET", "/api/oauth/state?purpose=sign-in", { headers });
    const cookie = gateway.cookieOf(begun);
    const done = await proxied("GET", `/api/oauth/proxy?state=${begun.body.data}`, {
      headers: { ...headers, cookie },
    });
    isIn(done);
    const [session = ""] = done.headers
      .getSetCookie()
      .filter((text) => text.startsWith("session="));
    return { ...headers, cookie: session.split(";")[0] ?? "" };
  };

  const byPasskey = async (username: string): Promise<Record<string, string>> => {
    await gateway.addUser(username);
    const party = { id: "localhost", origin: matrixSite };
    const [owner, browser] = [createCookieBrowser(gateway), createCookieBrowser(gateway)];
    isIn(await owner.signIn(username, password));
    const device = createSoftwarePasskey();
    const { publicKey } = (
      await owner.ask("POST", "/api/user/passkey/register/begin", { body: {} })
    ).body.data;
    const made = device.created({ challenge: publicKey.challenge, party });
    isIn(await owner.ask("POST", "/api/user/passkey/register/finish?name=laptop", { body: made }));
    const asked = (await browser.ask("POST", "/api/user/passkey/login/begin")).body.data.publicKey;
    const body = device.presented({
      party,
      userHandle: publicKey.user.id,
      challenge: asked.challenge,
    });
    isIn(await browser.ask("POST", "/api/user/passkey/login/finish", { body }));
    return { cookie: `session=${browser.session}`, [consoleHeader.name]: consoleHeader.value };
  };

  return [
    {
      name: "a user signed in by a provider",
      headers: await byProvider({ sub: "user" }),
      role: roles.user,
    },
    {
      name: "an administrator by a provider's rule",
      headers: await byProvider({ sub: "admin", groups: ["admins"] }),
      role: roles.admin,
    },
    { name: "a user signed in by a proxy", headers: await byProxy("proxied"), role: roles.user },
    {
      name: "a user signed in with a passkey",
      headers: await byPasskey("keyed"),
      role: roles.user,
    },
    {
      name: "a session of a proxy whose header is gone",
      headers: without(await byProxy("left"), "remote-user"),
      role: roles.guest,
    },
    {
      name: "a header of a proxy without a session",
      headers: proxyHeaders("proxied"),
      role: roles.guest,
    },
  ];
}

const without = (headers: Record<string, string>, name: string): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).filter(([one]) => one !== name));

/** People in the victim's team, and who was in it or never; and a key of a team of their own. */
async function teamCallers(gateway: ManagementGateway, teamId: number): Promise<MatrixCaller[]> {
  const root = await gateway.signIn("root");
  const put = async (id: number, user_id: number, role: string) =>
    isIn(await root("PUT", `/api/team/${id}/member`, { body: { user_id, role } }));
  const added = async (name: string) => {
    const { id } = await gateway.addUser(name);
    const cookie = gateway.cookieOf(await logIn(gateway, name));
    return { id, headers: { cookie, [consoleHeader.name]: consoleHeader.value } };
  };
  const callers: MatrixCaller[] = [];
  for (const role of ["admin", "member", "viewer"] as const) {
    const { id, headers } = await added(`team-${role}`);
    await put(teamId, id, role);
    callers.push({ name: `a team's ${role}`, headers, role: roles.user, isMember: true });
  }
  const former = await added("team-former");
  await put(teamId, former.id, "admin");
  const leaving = { body: { user_id: former.id } };
  isIn(await root("POST", `/api/team/${teamId}/remove_member`, leaving));
  callers.push({ name: "a former member", headers: former.headers, role: roles.user });
  callers.push({ name: "an outsider", ...(await added("team-outsider")), role: roles.user });
  // The maker is in the victim's team too, where the key must not reach.
  const maker = await added("key-of-team");
  await put(teamId, maker.id, "admin");
  const body = { name: "bound", owner_id: maker.id };
  const own = (await root("POST", "/api/team/", { body })).body.data;
  const client = await gateway.signIn("key-of-team");
  const key = { name: "key", scopes: teamScopes, lifetime_days: 30, team_id: own.id };
  const made = await client("POST", "/api/management_key/", { body: key });
  callers.push({
    name: "a management key of another team",
    headers: { authorization: `Bearer ${made.body.data.key}` },
    role: roles.user,
    scopes: teamScopes,
    isBound: true,
  });
  return callers;
}

export async function allMatrixCallers(
  gateway: ManagementGateway,
  issuer: OidcIssuer,
  teamId: number,
): Promise<MatrixCaller[]> {
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
    auditor: roles.admin,
    "key-of-auditor": roles.admin,
    programmed: roles.user,
    "programmed-admin": roles.admin,
    "disabled-program": roles.root,
    // Makers of management keys have no other caller: ending the other sessions would disable the
    // keys.
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
  for (const name of [
    "user",
    "admin",
    "auditor",
    "root",
    "disabled",
    "deleted",
    "demoted",
    "signed-out",
    "forced",
    "codeless",
  ])
    cookies[name] = await cookieOf(name);
  const headersOf = (name: string) => cookies[name] ?? {};
  const root = gateway.withCookie(headersOf("root").cookie ?? "");
  const apiKey = (await root("POST", "/api/token/", { body: { name: "key" } })).body.data.key;
  const playgroundKey = (
    await root(newPlaygroundToken.method, newPlaygroundToken.path, { body: {} })
  ).body.data.token;
  const makeKey = async (
    name: string,
    given: readonly Scope[],
  ): Promise<Record<string, string>> => {
    const body = { name: "key", scopes: given, lifetime_days: 30 };
    const client = await gateway.signIn(name);
    return bearer((await client("POST", "/api/management_key/", { body })).body.data.key);
  };
  const keyOf = async (
    maker: string,
    given: readonly Scope[],
    role: number,
  ): Promise<MatrixCaller> => ({
    name: `${maker} (${given.length === 1 ? given[0] : `${given.length} scopes`})`,
    headers: await makeKey(maker, given),
    role,
    scopes: given,
  });
  const keyCallers: MatrixCaller[] = [
    await keyOf("key-of-root", scopes, roles.root),
    await keyOf("key-of-admin", buildGrantableScopes(roles.admin), roles.admin),
    await keyOf("key-of-user", buildGrantableScopes(roles.user), roles.user),
    {
      ...(await keyOf("key-of-auditor", buildGrantableScopes(roles.admin), roles.admin)),
      scopes: auditorScopes,
      isReadOnly: true,
    },
    await keyOf("key-of-demoted", buildGrantableScopes(roles.admin), roles.user),
    await keyOf("key-of-disabled", scopes, roles.guest),
  ];
  for (const scope of scopes) keyCallers.push(await keyOf("key-of-root", [scope], roles.root));
  // The keys were made before: as for other callers, the present rights of the maker decide.
  for (const name of ["auditor", "key-of-auditor"]) {
    const body = { id: added[name]?.id ?? 0, read_only: true };
    isIn(await root("PUT", "/api/user/", { body }));
  }
  await gateway.withCookie(headersOf("signed-out").cookie ?? "")("POST", "/api/user/logout");
  const idOf = (name: string) => added[name]?.id ?? 0;
  for (const name of ["disabled", "key-of-disabled"])
    await gateway.setStatus(idOf(name), userStatus.disabled);
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
    {
      name: "a root without the code of the second factor",
      headers: headersOf("codeless"),
      role: guest,
    },
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
    {
      name: "an access token of a user",
      headers: bearer(added.programmed?.token ?? ""),
      role: roles.user,
    },
    { name: "a demoted administrator", headers: headersOf("demoted"), role: roles.user },
    { name: "an auditor", headers: headersOf("auditor"), role: roles.admin, isReadOnly: true },
    { name: "an administrator", headers: headersOf("admin"), role: roles.admin },
    {
      name: "an access token of an administrator",
      headers: bearer(added["programmed-admin"]?.token ?? ""),
      role: roles.admin,
    },
    { name: "root", headers: headersOf("root"), role: roles.root },
    ...(await callersByOtherSignIns(gateway, issuer)),
    ...(await teamCallers(gateway, teamId)),
    ...keyCallers,
  ];
}
