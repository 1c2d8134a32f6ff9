/**
 * Sign-in with an OpenID Connect provider over the management API, with a provider that breaks each
 * rule in turn.
 */

import { buildOidcAccountProvider } from "@tollgate/contract/accounts/external-sign-in.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  type IdTokenFault,
  type OidcIssuer,
  type OidcPerson,
  oidcCredentials,
  startOidcIssuer,
} from "../harness/oidc-issuer.ts";
import { ruleDatabases } from "../support/test-databases.ts";
import {
  type ManagementGateway,
  startManagementGateway,
  type TestApiClient,
} from "./management-gateway.ts";
import { buildCompanyProvider, makeOidcBrowsers } from "./oidc-browser.ts";
import { addTotpUser, codeAt } from "./totp-users.ts";

const publicUrl = "http://gateway.example";
const groupRule = (value: string, gives: object) => ({
  claim: "groups",
  value,
  role: null,
  group: "",
  ...gives,
});

describe.each(ruleDatabases)("sign-in with OpenID Connect on $name", (database) => {
  let gateway: ManagementGateway;
  let issuer: OidcIssuer;
  let root: TestApiClient;
  let providerId: number;
  let lastPerson = 0;
  let rootSince = 0;
  let openBrowser: ReturnType<typeof makeOidcBrowsers>;

  const newPerson = (claims: object = {}): OidcPerson => {
    lastPerson += 1;
    return { sub: `subject-${lastPerson}`, preferred_username: `person${lastPerson}`, ...claims };
  };
  const setUp = async (change: object) => {
    const reply = await root("PUT", "/api/oidc_provider/", { body: { id: providerId, ...change } });
    expect(reply.body).toMatchObject({ success: true });
  };
  const standing = async (username: string) => {
    const found = gateway.db.sql
      .selectFrom("users")
      .select(["role", "group", "email", "display_name", "uuid"]);
    const [row] = await gateway.db.read(found.where("username", "=", username));
    return row;
  };

  beforeAll(async () => {
    issuer = await startOidcIssuer();
    gateway = await startManagementGateway(
      database,
      Date.UTC(2026, 10, 20, 12),
      issuer.url,
      publicUrl,
    );
    openBrowser = makeOidcBrowsers(gateway, issuer);
    root = await gateway.signIn("root");
    rootSince = gateway.clock.now;
    const body = buildCompanyProvider(issuer);
    const reply = await root("POST", "/api/oidc_provider/", { body });
    expect(reply.body).toMatchObject({
      success: true,
      data: {
        has_secret: true,
        redirect_uri: `${publicUrl}/oauth/oidc/company`,
        scopes: "openid profile email",
      },
    });
    expect(JSON.stringify(reply.body)).not.toContain(body.client_secret);
    providerId = reply.body.data.id;
    await root("PUT", "/api/option/", {
      body: { key: "GroupRatio", value: '{"default":1,"vip":1,"staff":1}' },
    });
  });
  afterAll(async () => {
    expect(gateway.problems).toEqual([]);
    await gateway.close();
    await issuer.close();
  });
  beforeEach(async () => {
    // Changes of a provider need a recent sign-in.
    if (gateway.clock.now - rootSince > 9 * 60_000) {
      root = await gateway.signIn("root");
      rootSince = gateway.clock.now;
    }
    issuer.behaveWell();
    gateway.silences.length = 0;
    await setUp({
      rules: [],
      refuses_unmatched: false,
      known_people_only: false,
      trusts_second_factor: false,
      ends_session: false,
    });
  });

  test("people that were imported sign in, also after the slash at the end of the issuer was corrected", async () => {
    const person = newPerson();
    const user = await gateway.addUser("imported");
    const { clientSecret: client_secret } = oidcCredentials;
    await setUp({ issuer: `${issuer.url}/`, client_secret });
    const { sql } = gateway.db;
    const row = {
      provider: buildOidcAccountProvider(`${issuer.url}/`),
      external_id: person.sub,
      user_id: user.id,
    };
    await gateway.db.write([
      {
        query: sql
          .insertInto("external_accounts")
          .values({ ...row, name: "", created_at: gateway.clock.now }),
      },
    ]);
    await setUp({ issuer: issuer.url, client_secret });
    const reply = await openBrowser().visit(person);
    expect(reply.body).toMatchObject({ success: true, data: { username: "imported" } });
    // Another address is another provider: its people stay.
    await setUp({ issuer: "https://other.example", client_secret });
    await setUp({ issuer: issuer.url, client_secret });
    expect((await openBrowser().visit(person)).body).toMatchObject({
      data: { username: "imported" },
    });
  });

  test("a person whose name there is root gets another one here, whether or not an account has it", async () => {
    const { sql, write } = gateway.db;
    const rename = (to: string) => ({
      query: sql
        .updateTable("users")
        .set({ username: to, username_key: to })
        .where("role", "=", 100),
    });
    await write([rename("boss")]);
    const made = await openBrowser().visit({ sub: "called-root", preferred_username: "ROOT" });
    expect(made.body.data.username).toMatch(/^ROOT-[0-9a-f]{6}$/);
    await write([rename("root")]);
  });

  test("a person gets an account at the first sign-in and is found by issuer and subject afterwards", async () => {
    const status = (await gateway.visitor("GET", "/api/status")).body.data;
    expect(status.oidc_providers).toEqual([{ slug: "company", name: "Company" }]);
    const browser = openBrowser();
    const { url } = await browser.start();
    expect(Object.fromEntries(new URL(url).searchParams)).toMatchObject({
      response_type: "code",
      client_id: oidcCredentials.clientId,
      redirect_uri: `${publicUrl}/oauth/oidc/company`,
      scope: "openid profile email",
      code_challenge_method: "S256",
      nonce: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
    });
    const person = {
      sub: "s-1",
      preferred_username: "mira@example.com",
      name: "Mira",
      email: "Mira@Example.com",
    };
    const first = await browser.visit({ ...person, email_verified: true });
    expect(first.body).toMatchObject({
      success: true,
      bound: false,
      data: { username: "mira", display_name: "Mira" },
    });
    expect(await standing("mira")).toMatchObject({
      email: "mira@example.com",
      role: 1,
      group: "default",
    });
    const bound = (await browser.ask("GET", "/api/user/external")).body.data;
    expect(bound).toMatchObject([
      { provider: `oidc:${issuer.url}`, slug: "company", title: "Company", name: "mira" },
    ]);

    const again = await openBrowser().visit({ ...person, preferred_username: "renamed" });
    expect(again.body.data.uuid).toBe(first.body.data.uuid);
    expect((await openBrowser().visit({ ...person, sub: "s-2" })).body.data.uuid).not.toBe(
      first.body.data.uuid,
    );
  });

  test("a mail address finds no account, verified or not", { tags: ["F-09"] }, async () => {
    const victim = await gateway.addUser("victim");
    for (const email_verified of [true, false]) {
      const reply = await openBrowser().visit(
        newPerson({ email: "victim@example.org", email_verified }),
      );
      expect(reply.body.success).toBe(true);
      expect(reply.body.data.uuid).not.toBe(victim.uuid);
      expect(reply.body.data.email).toBe("");
    }
  });

  const now = () => Math.floor(Date.now() / 1000);
  const faults: [string, () => IdTokenFault][] = [
    ["has no signature", () => ({ header: { alg: "none" }, signedBy: "nothing" })],
    [
      "is signed with the public key as a shared secret",
      () => ({ header: { alg: "HS256" }, signedBy: "hmac" }),
    ],
    ["is signed with a key of a stranger", () => ({ signedBy: "stranger" })],
    [
      "is signed with a key that the provider does not publish",
      () => ({ header: { kid: "other" } }),
    ],
    [
      "carries its own key",
      () => ({ header: { jwk: {}, jku: "http://127.0.0.1:1/keys" }, signedBy: "stranger" }),
    ],
    ["has a critical extension", () => ({ header: { crit: ["b64"], b64: false } })],
    ["is for another client", () => ({ claims: { aud: "another" } })],
    [
      "is for two clients and another one's",
      () => ({ claims: { aud: [oidcCredentials.clientId, "x"], azp: "x" } }),
    ],
    ["is of another issuer", () => ({ claims: { iss: "https://attacker.example" } })],
    ["answers another nonce", () => ({ claims: { nonce: "another" } })],
    ["has no nonce", () => ({ without: ["nonce"] })],
    ["has expired", () => ({ claims: { exp: now() - 60 } })],
    ["never expires", () => ({ without: ["exp"] })],
    ["is not valid yet", () => ({ claims: { nbf: now() + 600 } })],
    ["vouches for another access token", () => ({ claims: { at_hash: "AAAAAAAAAAAAAAAAAAAAAA" } })],
    ["has no subject", () => ({ without: ["sub"] })],
    ["has a subject that is no text", () => ({ claims: { sub: 7 } })],
    ["has an endless subject", () => ({ claims: { sub: "x".repeat(300) } })],
    ["is no token", () => ({ text: "not.a.token" })],
  ];
  test.each(faults)(
    "an id token that %s opens no session",
    { tags: ["F-09"] },
    async (_, fault) => {
      issuer.fault = fault();
      const browser = openBrowser();
      const reply = await browser.visit(newPerson());
      // Neutral to the visitor; the reason is for the operator.
      expect([reply.status, reply.body.success, reply.body.code]).toEqual([
        200,
        false,
        "external_refused",
      ]);
      expect(reply.body.message).toBe(
        "The sign-in provider did not accept this sign-in. Please start again",
      );
      expect(browser.hasSession()).toBe(false);
      expect(gateway.silences).toHaveLength(1);
    },
  );

  test("a clock that is off is named with its distance, for the operator", async () => {
    issuer.fault = { claims: { exp: now() - 100 } };
    await openBrowser().visit(newPerson());
    expect(String(gateway.silences[0])).toMatch(/exp is -10\d seconds from this clock/);
    issuer.fault = { claims: { exp: now() - 10 } };
    expect((await openBrowser().visit(newPerson())).body.success).toBe(true);
  });

  test("codes, states and flows are for one browser, one provider and one use", {
    tags: ["F-09"],
  }, async () => {
    const browser = openBrowser();
    const { state, url } = await browser.start();
    const code = issuer.consent(url, newPerson());
    expect((await openBrowser().comeBack(state, code)).body.code).toBe("oauth_state_invalid");
    expect((await browser.comeBack("x".repeat(32), code)).body.code).toBe("oauth_state_invalid");
    expect(
      (await browser.comeBack(state, code, { iss: "https://attacker.example" })).body.code,
    ).toBe("external_refused");
    // The answer of a mixed-up provider is final: a repeat gets it again, and the code stays
    // unused.
    issuer.asked.length = 0;
    expect((await browser.comeBack(state, code)).body.code).toBe("external_refused");
    expect(issuer.asked).toEqual([]);

    const other = await browser.start();
    const otherCode = issuer.consent(other.url, newPerson());
    const github = await browser.ask(
      "GET",
      `/api/oauth/github?code=${otherCode}&state=${other.state}`,
    );
    expect(github.body.code).toBe("oauth_state_invalid");
    const body = {
      slug: "second",
      name: "Second",
      issuer: issuer.url,
      client_id: "second",
      enabled: true,
    };
    const { id } = (await root("POST", "/api/oidc_provider/", { body })).body.data;
    await expect
      .poll(async () => (await browser.start("sign-in", "second")).url)
      .toContain("client_id=second");
    expect((await browser.comeBack(other.state, otherCode, { slug: "second" })).body.code).toBe(
      "oauth_state_invalid",
    );
    await root("DELETE", `/api/oidc_provider/${id}`);

    // A code of another flow does not fit this flow's verifier and nonce.
    const [mine, foreign] = [await browser.start(), await openBrowser().start()];
    const stolen = issuer.consent(foreign.url, newPerson());
    expect((await browser.comeBack(mine.state, stolen)).body.code).toBe("external_refused");
  });

  test("a repeated callback gets the stored answer, and the provider is asked once", async () => {
    const browser = openBrowser();
    const { state, url } = await browser.start();
    const code = issuer.consent(url, newPerson());
    issuer.asked.length = 0;
    const first = await browser.comeBack(state, code);
    const second = await browser.comeBack(state, code);
    expect([first.body.success, second.body.data.uuid]).toEqual([true, first.body.data.uuid]);
    expect(issuer.asked.filter((path) => path === "/token")).toHaveLength(1);
  });

  test("a provider that is down is silent: the same callback succeeds when it is back", async () => {
    const browser = openBrowser();
    const { state, url } = await browser.start();
    const code = issuer.consent(url, newPerson());
    issuer.tokenReply = [503, {}];
    expect((await browser.comeBack(state, code)).body.code).toBe("external_unreachable");
    issuer.tokenReply = undefined;
    expect((await browser.comeBack(state, code)).body.success).toBe(true);
  });

  test("rules give a role and a group, and take away what they gave, but nothing that people gave", async () => {
    await setUp({
      rules: [
        groupRule("admins", { role: 10 }),
        groupRule("buyers", { group: "vip" }),
        groupRule("all", { role: 1 }),
      ],
    });
    const person = newPerson({ groups: ["admins", "buyers"] });
    const username = String(person.preferred_username);
    expect((await openBrowser().visit(person)).body.success).toBe(true);
    expect(await standing(username)).toMatchObject({ role: 10, group: "vip" });
    expect((await openBrowser().visit({ ...person, groups: ["buyers"] })).body.success).toBe(true);
    expect(await standing(username)).toMatchObject({ role: 1, group: "vip" });
    expect((await openBrowser().visit({ ...person, groups: [] })).body.success).toBe(true);
    expect(await standing(username)).toMatchObject({ role: 1, group: "default" });
    const audited = gateway.db.sql
      .selectFrom("audit_entries")
      .selectAll()
      .where("action", "=", "external.standing");
    expect(await gateway.db.read(audited)).toHaveLength(3);

    const { uuid } = (await standing(username)) ?? {};
    await root("PUT", "/api/user/", { body: { uuid, role: 10, group: "staff" } });
    expect((await openBrowser().visit({ ...person, groups: ["buyers", "all"] })).body.success).toBe(
      true,
    );
    expect(await standing(username)).toMatchObject({ role: 10, group: "staff" });
  });

  test("groups that the provider left out because there are too many change nothing", async () => {
    await setUp({ rules: [groupRule("admins", { role: 10 })], refuses_unmatched: true });
    const person = newPerson({ groups: ["admins"] });
    expect((await openBrowser().visit(person)).body.success).toBe(true);
    const overage = { ...person, groups: undefined, _claim_names: { groups: "src1" } };
    expect((await openBrowser().visit(overage)).body.success).toBe(true);
    expect(await standing(String(person.preferred_username))).toMatchObject({ role: 10 });
    expect(gateway.silences.join()).toContain("there are too many; use application roles");
    const stranger = newPerson({ hasgroups: true });
    expect((await openBrowser().visit(stranger)).body.code).toBe("external_not_entitled");
  });

  test("without a matching rule the sign-in is refused with the claim's name; its values are for the operator alone", async () => {
    await setUp({ rules: [groupRule("staff-of-us", { role: 1 })], refuses_unmatched: true });
    const reply = await openBrowser().visit(newPerson({ groups: ["secret-project"] }));
    expect(reply.body.code).toBe("external_not_entitled");
    expect(reply.body.message).toContain("(groups)");
    expect(reply.body.message).not.toMatch(/secret-project|staff-of-us/);
    expect(gateway.silences).toEqual(['no rule matches: groups holds ["secret-project"]']);
  });

  test("where only known people may come in, a first sign-in creates no account", async () => {
    const known = newPerson();
    expect((await openBrowser().visit(known)).body.success).toBe(true);
    await setUp({ known_people_only: true });
    expect((await openBrowser().visit(newPerson())).body.code).toBe("external_registration_off");
    expect((await openBrowser().visit(known)).body.success).toBe(true);
  });

  test("a second factor here is asked unless the provider is trusted and says that it checked one", async () => {
    const person = newPerson();
    const user = await addTotpUser(gateway, "careful");
    const browser = openBrowser();
    await browser.ask("POST", "/api/user/login", {
      body: { username: "careful", password: "correct horse" },
    });
    const bound = gateway.db.sql.insertInto("external_accounts").values({
      provider: `oidc:${issuer.url}`,
      external_id: person.sub,
      user_id: user.id,
      name: "careful",
      created_at: gateway.clock.now,
    });
    await gateway.db.write([{ query: bound }]);
    expect((await openBrowser().visit({ ...person, amr: ["pwd", "mfa"] })).body.code).toBe(
      "totp_required",
    );
    await setUp({ trusts_second_factor: true, acr_values: ["gold"] });
    expect((await openBrowser().visit({ ...person, amr: ["pwd"] })).body.code).toBe(
      "totp_required",
    );
    expect((await openBrowser().visit({ ...person, amr: "mfa" })).body.code).toBe("totp_required");
    expect((await openBrowser().visit({ ...person, amr: ["pwd", "mfa"] })).body.success).toBe(true);
    expect((await openBrowser().visit({ ...person, acr: "gold" })).body.success).toBe(true);
  });

  test("a signed-in user binds an account with proof, and unbinds it again", async () => {
    await gateway.addUser("binder");
    const browser = openBrowser();
    const login = { username: "binder", password: "correct horse" };
    await browser.ask("POST", "/api/user/login", { body: login });
    const person = newPerson();
    expect((await browser.visit(person, "bind")).body).toMatchObject({
      success: true,
      bound: true,
      message: "bind",
    });
    expect((await openBrowser().visit(person)).body.data.username).toBe("binder");
    gateway.clock.now += 11 * 60_000;
    const { reply } = await browser.start("bind");
    expect(reply.body.code).toBe("reauth_required");
    const provider = `oidc:${issuer.url}`;
    const body = { provider, current_password: login.password };
    expect((await browser.ask("POST", "/api/user/external/unbind", { body })).body.success).toBe(
      true,
    );
    expect((await browser.ask("GET", "/api/user/external")).body.data).toEqual([]);
  });

  test("a test names what is wrong with a provider, and the client's secret goes to its own issuer alone", async () => {
    const run = async (change: object = {}) => {
      const { clientId: client_id } = oidcCredentials;
      const body = { id: providerId, issuer: issuer.url, client_id, ...change };
      return (await root("POST", "/api/oidc_provider/test", { body })).body.data;
    };
    expect(await run()).toMatchObject({
      problem: null,
      authorization_endpoint: `${issuer.url}/authorize`,
      algorithms: ["RS256"],
      scopes: ["openid", "groups"],
      announces_pkce: true,
      clock_ahead_s: expect.any(Number),
    });
    expect(await run({ client_secret: "wrong" })).toMatchObject({
      problem: "client",
      detail: "invalid_client",
    });
    expect(await run({ client_id: "other" })).toMatchObject({ problem: "client" });
    issuer.document = { issuer: "https://attacker.example" };
    expect(await run()).toMatchObject({ problem: "issuer", detail: "https://attacker.example" });
    issuer.document = { jwks_uri: undefined };
    expect(await run()).toMatchObject({ problem: "endpoints", detail: "jwks_uri" });
    issuer.document = { token_endpoint: "http://192.168.0.1/token" };
    expect(await run()).toMatchObject({
      problem: "address",
      detail: expect.stringContaining("add 192.168.0.1:80 to IDENTITY_PRIVATE_HOSTS"),
    });
    issuer.document = { token_endpoint: "http://attacker.example/token" };
    expect(await run()).toMatchObject({
      problem: "address",
      detail: expect.stringContaining("must begin with https"),
    });
    issuer.documentText = `{"issuer":"${"x".repeat(2 * 1024 * 1024)}"}`;
    expect(await run()).toMatchObject({
      problem: "unreachable",
      detail: expect.stringContaining("bytes"),
    });
    issuer.documentText = "<html>";
    expect(await run()).toMatchObject({ problem: "unreachable" });
  });

  test.each(["silent", "endless"] as const)(
    "a provider whose document is %s is given up, and passwords work",
    async (stall) => {
      const body = {
        slug: "slow",
        name: "Slow",
        issuer: issuer.url,
        client_id: "slow",
        enabled: true,
      };
      const { id } = (await root("POST", "/api/oidc_provider/", { body })).body.data;
      issuer.stall = stall;
      // Documents are remembered by client: this client's was never read.
      const begun = openBrowser().start("sign-in", "slow");
      expect((await (await gateway.signIn("root"))("GET", "/api/user/self")).body.success).toBe(
        true,
      );
      expect((await begun).reply.body.code).toBe("external_unreachable");
      expect(gateway.silences.join()).toMatch(/timed? ?out|timeout|abort/i);
      await root("DELETE", `/api/oidc_provider/${id}`);
    },
  );

  const sendLogout = (logout_token: string, slug = "company") =>
    gateway.visitor("POST", `/oauth/oidc/${slug}/backchannel`, {
      text: new URLSearchParams({ logout_token }).toString(),
      headers: { "content-type": "application/x-www-form-urlencoded" },
    });
  const isSignedIn = async (browser: ReturnType<typeof openBrowser>) =>
    (await browser.ask("GET", "/api/user/self")).body.success === true;

  test("a provider ends the session that it names, or all of a person, and no others", {
    tags: ["F-09"],
  }, async () => {
    const [person, other] = [newPerson(), newPerson()];
    const browsers = {
      desk: openBrowser(),
      phone: openBrowser(),
      unnamed: openBrowser(),
      stranger: openBrowser(),
    };
    await browsers.desk.visit({ ...person, sid: "desk" });
    await browsers.phone.visit({ ...person, sid: "phone" });
    await browsers.stranger.visit({ ...other, sid: "desk" });
    const { sub } = person;
    const at = gateway.clock.now;
    expect((await sendLogout(issuer.logoutToken({ sub, sid: "desk" }, at))).status).toBe(200);
    expect(await isSignedIn(browsers.desk)).toBe(false);
    expect(await isSignedIn(browsers.phone)).toBe(true);
    expect(await isSignedIn(browsers.stranger)).toBe(true);

    await browsers.unnamed.visit(person);
    const token = issuer.logoutToken({ sub }, at);
    expect((await sendLogout(token)).status).toBe(200);
    expect([await isSignedIn(browsers.phone), await isSignedIn(browsers.unnamed)]).toEqual([
      false,
      false,
    ]);
    expect(await isSignedIn(browsers.stranger)).toBe(true);
    // A repeated token is obeyed once: it does not end a later sign-in.
    await browsers.phone.visit(person);
    expect((await sendLogout(token)).status).toBe(200);
    expect(await isSignedIn(browsers.phone)).toBe(true);
  });

  test("a sign-out here leads to the provider's where root wants it, and never fails for its sake", async () => {
    const documentLifetimeMs = 10 * 60_000;
    const signOut = async (browser: ReturnType<typeof openBrowser>) => {
      const { body } = await browser.ask("POST", "/api/user/logout");
      expect(body.success).toBe(true);
      expect(await isSignedIn(browser)).toBe(false);
      return body.logout_url as string | undefined;
    };
    const browser = openBrowser();
    await browser.visit(newPerson());
    expect(await signOut(browser)).toBeUndefined();

    await setUp({ ends_session: true });
    const person = newPerson();
    await browser.visit(person);
    const kept = gateway.db.sql
      .selectFrom("sessions")
      .select("id_token_sealed")
      .where("provider_subject", "=", person.sub);
    const [{ id_token_sealed = null } = {}] = await gateway.db.read(kept);
    const page = new URL((await signOut(browser)) ?? "");
    expect(page.origin + page.pathname).toBe(`${issuer.url}/end`);
    expect(page.searchParams.get("post_logout_redirect_uri")).toBe(`${publicUrl}/login`);
    const hint = page.searchParams.get("id_token_hint") ?? "";
    expect(JSON.parse(Buffer.from(hint.split(".")[1] ?? "", "base64url").toString())).toMatchObject(
      {
        sub: person.sub,
      },
    );
    expect(id_token_sealed).not.toContain(hint.slice(0, 20));

    for (const end_session_endpoint of [
      undefined,
      "javascript:alert(1)",
      "http://attacker.example/end",
    ]) {
      await browser.visit(newPerson());
      issuer.document = { end_session_endpoint };
      gateway.oidcClock.aheadMs += documentLifetimeMs + 1;
      expect(await signOut(browser), String(end_session_endpoint)).toBeUndefined();
      issuer.document = {};
      gateway.oidcClock.aheadMs += documentLifetimeMs + 1;
    }
  });

  test("a provider ends a session also where the second factor here was asked in between", async () => {
    const user = await addTotpUser(gateway, "guarded");
    const person = newPerson();
    const { sub } = person;
    const row = {
      provider: buildOidcAccountProvider(issuer.url),
      external_id: sub,
      user_id: user.id,
      name: "guarded",
      created_at: 1,
    };
    await gateway.db.write([{ query: gateway.db.sql.insertInto("external_accounts").values(row) }]);
    const browser = openBrowser();
    const { state, url } = await browser.start();
    expect((await browser.comeBack(state, issuer.consent(url, person))).body.code).toBe(
      "totp_required",
    );
    const body = { state, totp_code: codeAt(user.secret, gateway.clock.now) };
    expect((await browser.ask("POST", "/api/oauth/totp", { body })).body.success).toBe(true);
    expect(await isSignedIn(browser)).toBe(true);
    await sendLogout(issuer.logoutToken({ sub }, gateway.clock.now));
    expect(await isSignedIn(browser)).toBe(false);
  });

  const logoutFaults: [string, () => string][] = [
    [
      "has no signature",
      () => issuer.logoutToken(named, at(), { header: { alg: "none" }, signedBy: "nothing" }),
    ],
    [
      "is signed with the public key",
      () => issuer.logoutToken(named, at(), { header: { alg: "HS256" }, signedBy: "hmac" }),
    ],
    ["is signed by a stranger", () => issuer.logoutToken(named, at(), { signedBy: "stranger" })],
    ["is of an unknown key", () => issuer.logoutToken(named, at(), { header: { kid: "other" } })],
    ["is for another client", () => issuer.logoutToken({ ...named, aud: "another" }, at())],
    [
      "is of another issuer",
      () => issuer.logoutToken({ ...named, iss: "https://attacker.example" }, at()),
    ],
    ["is an id token", () => issuer.logoutToken({ ...named, nonce: "n" }, at())],
    ["is an access token", () => issuer.logoutToken(named, at(), { header: { typ: "at+jwt" } })],
    [
      "was kept for an hour",
      () => issuer.logoutToken({ ...named, exp: undefined }, at() - 3_600_000),
    ],
    [
      "has expired",
      () => issuer.logoutToken({ ...named, exp: Math.floor(at() / 1000) - 60 }, at()),
    ],
    ["names no one", () => issuer.logoutToken({}, at())],
    ["is no token", () => "not.a.token"],
  ];
  const named = { sub: "held" };
  const at = () => gateway.clock.now;
  test("a logout token with a fault ends nothing, and the operator reads why", {
    tags: ["F-09"],
  }, async () => {
    const browser = openBrowser();
    await browser.visit(newPerson(named));
    for (const [fault, token] of logoutFaults) {
      gateway.silences.length = 0;
      const reply = await sendLogout(token());
      expect([reply.status, reply.body.message], fault).toEqual([
        400,
        "The logout token was not accepted",
      ]);
      expect(gateway.silences, fault).toHaveLength(1);
    }
    expect((await sendLogout(issuer.logoutToken(named, at()), "nobody")).body.code).toBe(
      "external_off",
    );
    expect(await isSignedIn(browser)).toBe(true);
    expect((await sendLogout(issuer.logoutToken(named, at()))).status).toBe(200);
    expect(await isSignedIn(browser)).toBe(false);
  });

  test("keys that the provider rotated are found without a restart", async () => {
    issuer.rotateKeys("key-2");
    // As long as a document is used; within it, a missing key is looked for once a minute.
    gateway.oidcClock.aheadMs += 10 * 60_000;
    expect((await openBrowser().visit(newPerson())).body.success).toBe(true);
    expect((await sendLogout(issuer.logoutToken(named, at()))).status).toBe(200);
  });

  test("a stored secret does not follow to another issuer or client, and changes need recent proof", async () => {
    const change = { id: providerId, issuer: "https://attacker.example" };
    expect((await root("PUT", "/api/oidc_provider/", { body: change })).body.code).toBe(
      "oidc_secret_required",
    );
    gateway.clock.now += 11 * 60_000;
    const renamed = { id: providerId, name: "Renamed" };
    expect((await root("PUT", "/api/oidc_provider/", { body: renamed })).body.code).toBe(
      "reauth_required",
    );
    const proved = { ...renamed, name: "Company", current_password: "correct horse" };
    expect((await root("PUT", "/api/oidc_provider/", { body: proved })).body.success).toBe(true);
    const { data, callback_start } = (await root("GET", "/api/oidc_provider/")).body;
    expect(callback_start).toBe(`${publicUrl}/oauth/oidc/`);
    expect(data).toMatchObject([{ slug: "company", issuer: issuer.url, has_secret: true }]);
  });

  test("a provider that does not exist is answered like one that is off", async () => {
    const body = {
      slug: "resting",
      name: "Resting",
      issuer: issuer.url,
      client_id: "resting",
      enabled: false,
    };
    const { data: off } = (await root("POST", "/api/oidc_provider/", { body })).body;
    const answers = async (slug: string) => {
      const { ask, start } = openBrowser();
      const { state } = await start();
      const logout = {
        text: "logout_token=a.b.c",
        headers: { "content-type": "application/x-www-form-urlencoded" },
      };
      const replies = [
        await ask("GET", `/api/oauth/state?purpose=sign-in&provider=${slug}`),
        await ask("GET", `/api/oauth/oidc/${slug}?code=c&state=${state}`),
        await gateway.visitor("POST", `/oauth/oidc/${slug}/backchannel`, logout),
      ];
      return replies.map(({ status, body: { code, message } }) => [status, code, message]);
    };
    expect(await answers("nobody")).toEqual(await answers("resting"));
    expect((await root("DELETE", `/api/oidc_provider/${off.id}`)).body.success).toBe(true);
  });

  test("there are five providers at most", async () => {
    const { clientId: client_id } = oidcCredentials;
    const add = async (slug: string) =>
      (
        await root("POST", "/api/oidc_provider/", {
          body: { slug, name: slug, issuer: `${issuer.url}/${slug}`, client_id },
        })
      ).body;
    const added: number[] = [];
    for (const slug of ["second", "third", "fourth", "fifth"])
      added.push((await add(slug)).data.id);
    expect((await add("sixth")).code).toBe("oidc_providers_full");
    for (const id of added) await root("DELETE", `/api/oidc_provider/${id}`);
  });

  test("trying claims tells what the rules make of them, without storing anything", async () => {
    const rules = [
      groupRule("a", { role: 10 }),
      { claim: "realm_access.roles", value: "b", role: null, group: "vip" },
    ];
    const attempt = async (claims: string) =>
      (
        await root("POST", "/api/oidc_provider/try", {
          body: { rules, refuses_unmatched: true, claims },
        })
      ).body;
    expect((await attempt('{"groups":["a"],"realm_access":{"roles":["b"]}}')).data).toEqual({
      is_admitted: true,
      role: 10,
      group: "vip",
      teams: [],
      matched: [0, 1],
      is_overage: false,
    });
    expect((await attempt("{}")).data).toMatchObject({ is_admitted: false, matched: [] });
    expect((await attempt("[]")).code).toBe("invalid_request");
    expect((await attempt("{")).code).toBe("invalid_request");
  });
});

describe.each(ruleDatabases)("without PUBLIC_URL on $name", (database) => {
  test("a provider cannot be switched on, and the refusal says why", async () => {
    const gateway = await startManagementGateway(database);
    const root = await gateway.signIn("root");
    const body = {
      slug: "company",
      name: "Company",
      issuer: "https://login.example.com",
      client_id: "x",
      enabled: true,
    };
    const refused = (await root("POST", "/api/oidc_provider/", { body })).body;
    expect(refused.code).toBe("oidc_needs_public_url");
    const stored = (
      await root("POST", "/api/oidc_provider/", { body: { ...body, enabled: false } })
    ).body;
    expect(stored.data).toMatchObject({ redirect_uri: "", enabled: false });
    await gateway.close();
  });
});
