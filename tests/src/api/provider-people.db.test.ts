/**
 * What an identity provider decides about its people: accounts found by a verified address,
 * passwords closed, keys that rest.
 */
import { buildOidcAccountProvider } from "@tollgate/contract/accounts/external-sign-in.ts";
import { roles, userStatus } from "@tollgate/contract/accounts/roles.ts";
import { tokenStatus } from "@tollgate/contract/accounts/tokens.ts";
import { loadOidcProviders } from "@tollgate/gateway/accounts/identity/oidc/oidc-provider-store.ts";
import { restKeys } from "@tollgate/gateway/accounts/identity/oidc/rest-keys.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { codeIn, linkIn } from "../harness/mailbox.ts";
import {
  type OidcIssuer,
  type OidcPerson,
  oidcCredentials,
  startOidcIssuer,
} from "../harness/oidc-issuer.ts";
import { describeLarge } from "../support/large-tests.ts";
import { testDatabases } from "../support/test-databases.ts";
import { createCookieBrowser } from "./cookie-browser.ts";
import { type MailGateway, startMailGateway } from "./mail-gateway.ts";
import { password, type TestApiClient } from "./management-gateway.ts";
import { addTotpUser, codeAt } from "./totp-users.ts";

const publicUrl = "http://gateway.example";
const day = 86_400_000;

describeLarge(testDatabases)("people of an identity provider on $name", (database) => {
  let gateway: MailGateway;
  let issuer: OidcIssuer;
  let root: TestApiClient;
  let providerId: number;

  const off = {
    links_verified_mail: false,
    closes_password: false,
    keys_rest_days: 0,
    known_people_only: false,
  };
  const setUp = async (change: object) => {
    root = await gateway.signIn("root");
    const reply = await root("PUT", "/api/oidc_provider/", {
      body: { id: providerId, ...off, ...change },
    });
    expect(reply.body).toMatchObject({ success: true, data: change });
  };
  const prove = async ({ id }: { id: number }) => {
    const users = gateway.db.sql.updateTable("users").set({ email_verified_at: gateway.clock.now });
    await gateway.db.write([{ query: users.where("id", "=", id), rows: 1 }]);
  };

  beforeAll(async () => {
    issuer = await startOidcIssuer();
    gateway = await startMailGateway(database, { providerUrl: issuer.url, publicUrl });
    root = await gateway.signIn("root");
    const { clientId: client_id, clientSecret: client_secret } = oidcCredentials;
    const body = {
      slug: "company",
      name: "Company",
      issuer: issuer.url,
      client_id,
      client_secret,
      enabled: true,
    };
    providerId = (await root("POST", "/api/oidc_provider/", { body })).body.data.id;
  });
  afterAll(async () => {
    expect(gateway.problems).toEqual([]);
    await gateway.close();
    await issuer.close();
  });
  beforeEach(() => setUp({}));

  const arrive = async (person: OidcPerson) => {
    // Failed sign-ins are limited for some minutes.
    gateway.clock.now += 30 * 60_000;
    const browser = createCookieBrowser(gateway);
    const { body } = await browser.ask("GET", "/api/oauth/state?purpose=sign-in&provider=company");
    const code = issuer.consent(String(body.oidc_authorize_url), person);
    const callback = new URLSearchParams({ code, state: String(body.data), iss: issuer.url });
    const reply = await browser.ask("GET", `/api/oauth/oidc/company?${callback}`);
    return { browser, reply: reply.body, state: String(body.data) };
  };
  const mailed = (sub: string, username: string, more: object = {}): OidcPerson => ({
    sub,
    preferred_username: `${sub}-at-company`,
    email: `${username}@example.org`,
    email_verified: true,
    ...more,
  });

  describe("a first sign-in with a verified address", () => {
    const linking = { links_verified_mail: true };

    test("is that of the user who has it, who is told, and whose identity alone counts from then on", async () => {
      const user = await gateway.addUser("found");
      await setUp({ ...linking, known_people_only: true });
      await prove(user);
      expect((await arrive(mailed("s-1", "found"))).reply).toMatchObject({
        success: true,
        data: { uuid: user.uuid },
      });
      const { sql, read } = gateway.db;
      const entries = await read(
        sql.selectFrom("audit_entries").selectAll().where("action", "=", "external.link"),
      );
      expect(entries).toMatchObject([{ target: user.uuid, actor_id: 0 }]);
      await gateway.mailbox.take(
        "found@example.org",
        "An identity provider was connected with your account",
      );
      // Another person with this address, as when a company gives it to a new employee.
      const second = (await arrive(mailed("s-2", "found"))).reply;
      expect(second).toMatchObject({ success: false, code: "external_registration_off" });
      const moved = { ...mailed("s-1", "elsewhere"), email_verified: false };
      expect((await arrive(moved)).reply).toMatchObject({
        success: true,
        data: { uuid: user.uuid },
      });
    });

    test("finds no account that the provider did not verify, of an administrator, or while it is off", {
      tags: ["F-09"],
    }, async () => {
      const [user, admin] = [
        await gateway.addUser("careful"),
        await gateway.addUser("boss", { role: roles.admin }),
      ];
      const uuidOf = async (person: OidcPerson) => (await arrive(person)).reply.data?.uuid;
      for (const account of [user, admin]) await prove(account);
      expect(await uuidOf(mailed("off", "careful"))).not.toBe(user.uuid);
      await setUp(linking);
      for (const [number, email_verified] of [false, undefined, "true", 1, null, "yes"].entries())
        expect(
          await uuidOf(mailed(`unverified-${number}`, "careful", { email_verified })),
        ).not.toBe(user.uuid);
      expect(await uuidOf(mailed("admin", "boss"))).not.toBe(admin.uuid);
    });

    test("does not open a disabled account, and asks for its second factor", {
      tags: ["F-09"],
    }, async () => {
      await setUp(linking);
      await gateway.addUser("banned", { status: userStatus.disabled });
      expect((await arrive(mailed("b", "banned"))).reply.code).toBe("external_user_disabled");
      await prove(await addTotpUser(gateway, "guarded"));
      expect((await arrive(mailed("g", "guarded"))).reply.code).toBe("totp_required");
    });

    test("of two people at once one is bound", async () => {
      const user = await gateway.addUser("raced");
      await setUp(linking);
      await prove(user);
      await Promise.all([arrive(mailed("r-1", "raced")), arrive(mailed("r-2", "raced"))]);
      const { sql, read } = gateway.db;
      const bound = sql
        .selectFrom("external_accounts")
        .select("external_id")
        .where("user_id", "=", user.id);
      expect(await read(bound)).toHaveLength(1);
    });
  });

  describe("a first sign-in with an address that nobody has proved here", () => {
    beforeEach(() => setUp({ links_verified_mail: true }));
    const subject = "Connect your sign-in";
    const linkWith = (
      browser: ReturnType<typeof createCookieBrowser>,
      state: string,
      code: string,
      more: object = {},
    ) =>
      browser.ask("POST", "/api/oauth/link", { body: { state, verification_code: code, ...more } });
    const register = async (username: string, email: string) => {
      const body = { username, password: "stranger's secret", email };
      expect((await gateway.visitor("POST", "/api/user/register", { body })).body).toMatchObject({
        success: true,
      });
      return (
        await gateway.db.read(
          gateway.db.sql.selectFrom("users").selectAll().where("email", "=", email),
        )
      )[0];
    };
    const codeFor = async (email: string) => codeIn(await gateway.mailbox.take(email, subject));
    const wrong = (code: string) => String((Number(code) + 1) % 1_000_000).padStart(6, "0");

    test("mails a code there, and the stranger who had set the address has nothing of the account that is linked", {
      tags: ["F-09"],
    }, async () => {
      // Before any address was verified, as the default is; then root switches it on.
      const squatted = await register("squatter", "boss@corp.example");
      await gateway.set({ EmailVerificationEnabled: "true" });
      const stranger = await gateway.signIn("squatter", "stranger's secret");
      await bindTo({ id: squatted?.id ?? 0 }, "somebody-else", "github");
      const boss = {
        sub: "boss",
        preferred_username: "boss",
        email: "boss@corp.example",
        email_verified: true,
      };
      const { browser, reply, state } = await arrive(boss);
      expect(reply).toMatchObject({
        success: false,
        code: "external_code_required",
        data: { email: boss.email },
      });
      expect(JSON.stringify(reply)).not.toContain("squatter");
      const code = await codeFor(boss.email);
      expect((await linkWith(browser, state, wrong(code))).body.code).toBe(
        "verification_code_invalid",
      );
      expect((await linkWith(createCookieBrowser(gateway), state, code)).body.code).toBe(
        "oauth_state_invalid",
      );
      const linked = await linkWith(browser, state, code);
      expect(linked.body).toMatchObject({ success: true, data: { uuid: squatted?.uuid } });
      expect((await browser.ask("GET", "/api/user/self")).body.data.uuid).toBe(squatted?.uuid);
      expect((await linkWith(browser, state, code)).body.code).toBe("oauth_state_invalid");
      expect((await stranger("GET", "/api/user/self")).status).toBe(401);
      const body = { username: "squatter", password: "stranger's secret" };
      expect((await gateway.visitor("POST", "/api/user/login", { body })).body.code).toBe(
        "wrong_credentials",
      );
      const { sql, read } = gateway.db;
      const bound = sql
        .selectFrom("external_accounts")
        .select("external_id")
        .where("user_id", "=", squatted?.id ?? 0);
      expect(await read(bound)).toEqual([{ external_id: "boss" }]);
      expect((await arrive(boss)).reply).toMatchObject({
        success: true,
        data: { uuid: squatted?.uuid },
      });
      await gateway.set({ EmailVerificationEnabled: "false" });
    });

    test("keeps what its owner says is theirs, and asks for the second factor afterwards", async () => {
      const user = await addTotpUser(gateway, "migrated");
      const { browser, reply, state } = await arrive(mailed("m", "migrated"));
      expect(reply.code).toBe("external_code_required");
      const code = await codeFor("migrated@example.org");
      const { body } = await linkWith(browser, state, code, {
        keep_sign_ins: true,
        disable_tokens: true,
      });
      expect(body.code).toBe("totp_required");
      gateway.clock.now += 60_000;
      const totp_code = codeAt(user.secret, gateway.clock.now);
      expect(
        (await browser.ask("POST", "/api/oauth/totp", { body: { state, totp_code } })).body.data
          .uuid,
      ).toBe(user.uuid);
      expect(await logIn("migrated")).toMatchObject({ code: "totp_required" });
    });

    test("links no account that an administrator moved to this address, or whose address moved away meanwhile", async () => {
      const user = await gateway.addUser("moving");
      await prove(user);
      const moved = { id: user.id, email: "moved@example.org" };
      root = await gateway.signIn("root");
      expect((await root("PUT", "/api/user/", { body: moved })).body).toMatchObject({
        success: true,
      });
      const { browser, reply, state } = await arrive(mailed("mo", "moved"));
      expect(reply.code).toBe("external_code_required");
      const code = await codeFor("moved@example.org");
      root = await gateway.signIn("root");
      await root("PUT", "/api/user/", { body: { ...moved, email: "elsewhere@example.org" } });
      expect((await linkWith(browser, state, code)).body.code).toBe("verification_code_invalid");
    });
  });

  test("an address is proved by a mailed code or link alone, and a new one is not", {
    tags: ["F-09"],
  }, async () => {
    const provedAt = async (email: string) => {
      const { sql, read } = gateway.db;
      return (
        await read(sql.selectFrom("users").select("email_verified_at").where("email", "=", email))
      )[0]?.email_verified_at;
    };
    gateway.later();
    const visit = (path: string, body: object) => gateway.visitor("POST", path, { body });
    await visit("/api/user/register", {
      username: "unproved",
      password,
      email: "unproved@example.org",
    });
    expect(await provedAt("unproved@example.org")).toBeNull();
    await gateway.set({ EmailVerificationEnabled: "true" });
    await visit("/api/verification", { email: "proved@example.org" });
    const code = codeIn(await gateway.mailbox.take("proved@example.org", "Your verification code"));
    await visit("/api/user/register", {
      username: "proved",
      password,
      email: "proved@example.org",
      verification_code: code,
    });
    expect(await provedAt("proved@example.org")).toBe(gateway.clock.now);
    await gateway.set({ EmailVerificationEnabled: "false" });

    const session = await gateway.signIn("proved");
    await session("PUT", "/api/user/self", { body: { email: "Proved@example.org" } });
    expect(await provedAt("Proved@example.org")).toBe(gateway.clock.now);
    await session("PUT", "/api/user/self", { body: { email: "other@example.org" } });
    expect(await provedAt("other@example.org")).toBeNull();
    gateway.later();
    await visit("/api/verification", { email: "third@example.org" });
    const third = codeIn(await gateway.mailbox.take("third@example.org", "Your verification code"));
    const again = await gateway.signIn("proved");
    await again("POST", "/api/oauth/email/bind", {
      body: { email: "third@example.org", code: third },
    });
    expect(await provedAt("third@example.org")).toBe(gateway.clock.now);

    gateway.later();
    await visit("/api/reset_password", { email: "unproved@example.org" });
    const link = linkIn(await gateway.mailbox.take("unproved@example.org", "Reset your password"));
    const token = link.searchParams.get("token") ?? "";
    await visit("/api/user/reset", {
      email: "unproved@example.org",
      token,
      password: "a new horse",
    });
    expect(await provedAt("unproved@example.org")).toBe(gateway.clock.now);
  });

  const bindTo = async ({ id }: { id: number }, sub: string, provider?: "github") => {
    const row = {
      provider: provider ?? buildOidcAccountProvider(issuer.url),
      external_id: sub,
      user_id: id,
      name: sub,
    };
    const query = gateway.db.sql
      .insertInto("external_accounts")
      .values({ ...row, created_at: gateway.clock.now });
    await gateway.db.write([{ query }]);
  };
  const logIn = async (username: string) =>
    (await gateway.visitor("POST", "/api/user/login", { body: { username, password } })).body;

  test("where passwords are closed, people who are bound sign in there alone; root and others go on", {
    tags: ["F-09"],
  }, async () => {
    const [bound] = [await gateway.addUser("closed"), await gateway.addUser("free")];
    await bindTo(bound, "closed");
    await bindTo(await gateway.addUser("owner", { role: roles.root }), "owner");
    const session = await gateway.signIn("closed");
    await setUp({ closes_password: true });
    expect(await logIn("closed")).toMatchObject({ success: false, code: "password_at_provider" });
    // Only the owner learns it.
    const guessed = await gateway.visitor("POST", "/api/user/login", {
      body: { username: "closed", password: "guess" },
    });
    expect(guessed.body.code).toBe("wrong_credentials");
    expect(await logIn("free")).toMatchObject({ success: true });
    expect(await logIn("owner")).toMatchObject({ success: true });
    expect((await arrive({ sub: "closed" })).reply).toMatchObject({
      success: true,
      data: { username: "closed" },
    });
    // Or a person could leave the provider and keep the account.
    const body = { provider: buildOidcAccountProvider(issuer.url), current_password: password };
    expect((await session("POST", "/api/user/external/unbind", { body })).body.code).toBe(
      "external_bound_by_rule",
    );
    // Nor by taking it back by mail.
    gateway.later();
    await gateway.visitor("POST", "/api/reset_password", { body: { email: "closed@example.org" } });
    const link = linkIn(await gateway.mailbox.take("closed@example.org", "Reset your password"));
    const token = { email: "closed@example.org", token: link.searchParams.get("token") ?? "" };
    const ways = await gateway.visitor("POST", "/api/user/reset/ways", { body: token });
    expect(ways.body).toMatchObject({ success: true, data: { external_accounts: [] } });
    const reset = { ...token, password, end_external_accounts: true };
    expect((await gateway.visitor("POST", "/api/user/reset", { body: reset })).body.success).toBe(
      true,
    );
    expect(await logIn("closed")).toMatchObject({ success: false, code: "password_at_provider" });
    await setUp({ enabled: false });
    expect(await logIn("closed")).toMatchObject({ success: true });
    await setUp({ enabled: true });
  });

  describe("keys of people who do not come any more", () => {
    const rest = async (at: number) => {
      const oidcProviders = await loadOidcProviders(gateway.db);
      await restKeys({ db: gateway.db, oidcProviders }, at);
    };
    const statusOf = async (userId: number) => {
      const { sql, read } = gateway.db;
      const rows = await read(
        sql
          .selectFrom("tokens")
          .select(["status", "paused_by", "paused_by_name"])
          .where("user_id", "=", userId),
      );
      return rows.map(({ status, paused_by, paused_by_name }) => [
        status,
        paused_by,
        paused_by_name,
      ]);
    };
    const tokensOf = async (userId: number) => {
      const { sql, read } = gateway.db;
      return (await read(sql.selectFrom("tokens").select("id").where("user_id", "=", userId))).map(
        ({ id }) => id,
      );
    };
    const working = [tokenStatus.enabled, null, ""];
    const resting = [tokenStatus.paused, "provider", "Company"];

    test("rest after the days, are recorded once, and work again after a sign-in", async () => {
      const leaver = await gateway.addUser("leaver");
      await bindTo(leaver, "leaver");
      const client = await gateway.signIn("leaver");
      for (const name of ["one", "two", "stopped"])
        await client("POST", "/api/token/", { body: { name } });
      const { sql, read } = gateway.db;
      const stopped = sql
        .updateTable("tokens")
        .set({ status: tokenStatus.disabled })
        .where("name", "=", "stopped");
      await gateway.db.write([{ query: stopped.where("user_id", "=", leaver.id) }], {
        changes: ["tokens"],
      });
      const [outsider] = [await gateway.addUser("outsider")];
      await (await gateway.signIn("outsider"))("POST", "/api/token/", { body: { name: "own" } });
      await setUp({ keys_rest_days: 30 });
      expect((await arrive({ sub: "leaver" })).reply.success).toBe(true);
      const since = gateway.clock.now;
      await rest(since + 29 * day);
      expect(await statusOf(leaver.id)).toEqual([
        working,
        working,
        [tokenStatus.disabled, null, ""],
      ]);
      await Promise.all([rest(since + 31 * day), rest(since + 31 * day)]);
      expect(await statusOf(leaver.id)).toEqual([
        resting,
        resting,
        [tokenStatus.disabled, null, ""],
      ]);
      expect(await statusOf(outsider.id)).toEqual([working]);
      const entries = sql
        .selectFrom("audit_entries")
        .select("target")
        .where("action", "=", "oidc_provider.rest_keys");
      expect(await read(entries.where("target", "=", leaver.uuid))).toHaveLength(1);
      gateway.clock.now = since + 31 * day;
      expect((await arrive({ sub: "leaver" })).reply.success).toBe(true);
      expect(await statusOf(leaver.id)).toEqual([
        working,
        working,
        [tokenStatus.disabled, null, ""],
      ]);
      await rest(gateway.clock.now + day);
      expect((await statusOf(leaver.id))[0]).toEqual(working);
    });

    test("of programs rest with them: no management key and no access token of a leaver wakes a key or makes one", {
      tags: ["SI-03"],
    }, async () => {
      const leaver = await gateway.addUser("automated");
      const [elsewhere] = [await gateway.addUser("automated-elsewhere")];
      await bindTo(leaver, "automated");
      const client = await gateway.signIn("automated");
      await client("POST", "/api/token/", { body: { name: "own" } });
      const makeKey = { name: "ci", scopes: ["tokens:read", "tokens:write"], lifetime_days: 90 };
      const key = (await client("POST", "/api/management_key/", { body: makeKey })).body.data.key;
      await setUp({ keys_rest_days: 30 });
      expect((await arrive({ sub: "automated" })).reply.success).toBe(true);
      const since = gateway.clock.now;
      const ask = async (
        credential: string,
        method = "GET",
        path = "/api/token/",
        body?: object,
      ) => {
        const headers = { authorization: `Bearer ${credential}` };
        const reply = await gateway.visitor(method, path, { headers, ...(body && { body }) });
        return [reply.status, reply.body.code];
      };
      const lets = [200, undefined];
      const refuses = [401, "key_owner_away"];
      gateway.clock.now = since + 29 * day;
      expect([await ask(key), await ask(leaver.token)]).toEqual([lets, lets]);
      gateway.clock.now = since + 31 * day;
      // Before the clock of any node has paused a key.
      expect([await ask(key), await ask(leaver.token), await ask(elsewhere.token)]).toEqual([
        refuses,
        refuses,
        lets,
      ]);
      await rest(gateway.clock.now);
      for (const credential of [key, leaver.token]) {
        const wake = { id: (await tokensOf(leaver.id))[0], status: tokenStatus.enabled };
        expect(await ask(credential, "PUT", "/api/token/?status_only=1", wake)).toEqual(refuses);
        expect(await ask(credential, "POST", "/api/token/", { name: "another" })).toEqual(refuses);
      }
      expect(await statusOf(leaver.id)).toEqual([resting]);
      expect((await arrive({ sub: "automated" })).reply.success).toBe(true);
      expect([await ask(key), await ask(leaver.token)]).toEqual([lets, lets]);
      expect(await statusOf(leaver.id)).toEqual([working]);
    });

    test("stay at rest whatever a session that a password opened asks for, which makes no other key either", {
      tags: ["SI-03"],
    }, async () => {
      const leaver = await gateway.addUser("stubborn");
      await bindTo(leaver, "stubborn");
      const client = await gateway.signIn("stubborn");
      const made = (await client("POST", "/api/token/", { body: { name: "own" } })).body.data;
      await setUp({ keys_rest_days: 30 });
      gateway.clock.now += 31 * day;
      await rest(gateway.clock.now);
      const session = await gateway.signIn("stubborn");
      const enabled = { id: made.id, status: tokenStatus.enabled };
      expect((await session("PUT", "/api/token/?status_only=1", { body: enabled })).body.code).toBe(
        "token_rests",
      );
      const bulk = { ids: [made.id], verb: "enable" };
      const { rows } = (await session("POST", "/api/token/bulk", { body: bulk })).body.data;
      expect(rows).toMatchObject([{ skipped: { code: "token_rests" } }]);
      expect((await session("POST", "/api/token/", { body: { name: "another" } })).body.code).toBe(
        "token_rests",
      );
      // What stops a key, and what changes it otherwise, is open.
      expect(
        (await session("PUT", "/api/token/", { body: { id: made.id, name: "renamed" } })).body
          .success,
      ).toBe(true);
      expect(await statusOf(leaver.id)).toEqual([resting]);
      // A provider that is off lets no key rest: its owner may wake it.
      await setUp({ enabled: false });
      expect(
        (await session("PUT", "/api/token/?status_only=1", { body: enabled })).body.success,
      ).toBe(true);
      expect((await statusOf(leaver.id))[0]?.[0]).toBe(tokenStatus.enabled);
      await setUp({ enabled: true });
    });

    test("stay at rest while another provider that lets them rest has not seen the person", {
      tags: ["SI-03"],
    }, async () => {
      const body = {
        slug: "agency",
        name: "Agency",
        issuer: "https://agency.example",
        client_id: "a",
        enabled: true,
      };
      const agency = (
        await root("POST", "/api/oidc_provider/", { body: { ...body, keys_rest_days: 10 } })
      ).body.data;
      const leaver = await gateway.addUser("lent");
      await bindTo(leaver, "lent");
      const row = {
        provider: buildOidcAccountProvider(agency.issuer),
        external_id: "lent",
        user_id: leaver.id,
        name: "lent",
      };
      const query = gateway.db.sql
        .insertInto("external_accounts")
        .values({ ...row, created_at: gateway.clock.now });
      await gateway.db.write([{ query }]);
      await (await gateway.signIn("lent"))("POST", "/api/token/", { body: { name: "own" } });
      gateway.clock.now += 11 * day;
      await rest(gateway.clock.now);
      const ofAgency = [tokenStatus.paused, "provider", "Agency"];
      expect(await statusOf(leaver.id)).toEqual([ofAgency]);
      expect((await arrive({ sub: "lent" })).reply.success).toBe(true);
      expect(await statusOf(leaver.id)).toEqual([ofAgency]);
      root = await gateway.signIn("root");
      await root("DELETE", `/api/oidc_provider/${agency.id}`);
      expect((await arrive({ sub: "lent" })).reply.success).toBe(true);
      expect(await statusOf(leaver.id)).toEqual([working]);
    });

    test("of root never rest, and none where the days are 0", async () => {
      const [away] = [await gateway.addUser("away")];
      await bindTo(away, "away");
      await (await gateway.signIn("away"))("POST", "/api/token/", { body: { name: "own" } });
      const owner = await gateway.addUser("second-owner", { role: roles.root });
      await bindTo(owner, "second-owner");
      await (await gateway.signIn("second-owner"))("POST", "/api/token/", {
        body: { name: "of root" },
      });
      await rest(gateway.clock.now + 400 * day);
      expect(await statusOf(away.id)).toEqual([working]);
      await setUp({ keys_rest_days: 1 });
      await rest(gateway.clock.now + 400 * day);
      expect(await statusOf(away.id)).toEqual([resting]);
      expect(await statusOf(owner.id)).toEqual([working]);
    });
  });
});
