import {
  hashParts,
  hashSecret,
} from "@tollgate/gateway/accounts/identity/sessions/session-cookie.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type IdentityProvider, startIdentityProvider } from "../harness/identity-provider.ts";
import { ruleDatabases } from "../support/test-databases.ts";
import {
  type ManagementGateway,
  password,
  startManagementGateway,
  type TestApiClient,
} from "./management-gateway.ts";
import { createOAuthBrowser, enableOAuth, type OAuthBrowser } from "./oauth-browser.ts";
import { addTotpUser, codeAt, wrongCode } from "./totp-users.ts";

const minute = 60_000;

describe.each(ruleDatabases)("external sign-in on $name", (database) => {
  let gateway: ManagementGateway;
  let provider: IdentityProvider;
  let root: TestApiClient;
  let lastId = 1000;
  const open = (): OAuthBrowser => createOAuthBrowser(gateway, provider);
  const newAccount = (name: string) => {
    lastId += 1;
    return { id: lastId, name };
  };
  const accounts = () =>
    gateway.db.read(gateway.db.sql.selectFrom("external_accounts").selectAll());
  const users = () => gateway.db.read(gateway.db.sql.selectFrom("users").selectAll());
  const sessionsOf = async (userId: number) =>
    (
      await gateway.db.read(
        gateway.db.sql.selectFrom("sessions").select("id_hash").where("user_id", "=", userId),
      )
    ).length;
  const audited = (action: string) =>
    gateway.db.read(
      gateway.db.sql.selectFrom("audit_entries").selectAll().where("action", "=", action),
    );
  const setOption = async (key: string, value: string) =>
    expect((await root("PUT", "/api/option/", { body: { key, value } })).body.success).toBe(true);

  beforeAll(async () => {
    provider = await startIdentityProvider();
    gateway = await startManagementGateway(database, Date.UTC(2026, 10, 20, 12), provider.url);
    root = await gateway.signIn("root");
    await enableOAuth(root);
  });
  afterAll(async () => {
    expect(gateway.problems).toEqual([]);
    await gateway.close();
    await provider.close();
  });
  beforeEach(() => {
    provider.mood = "well";
    // Each test has its tries to itself.
    gateway.clock.now += 30 * minute;
  });

  describe("signing in", () => {
    test("the first time makes an account with the quota for new users, the second time finds it", async () => {
      await setOption("QuotaForNewUser", "1234");
      const person = newAccount("mona");
      const first = await open().visit("github", person);
      expect(first.body).toMatchObject({
        success: true,
        message: "",
        data: { username: "mona", role: 1, quota: 1234 },
      });
      const browser = open();
      const second = await browser.visit("github", { ...person, name: "renamed" });
      expect(second.body.data.uuid).toBe(first.body.data.uuid);
      const self = (await browser.ask("GET", "/api/user/self")).body.data;
      expect(self).toMatchObject({
        username: "mona",
        github_id: String(person.id),
        lark_id: "",
        email: "",
      });
      const logs = (await browser.ask("GET", "/api/log/self")).body.data;
      expect(logs).toMatchObject([{ type: 4, quota: 1234, username: "mona" }]);
      const tokens = (await browser.ask("GET", "/api/token/")).body.data;
      expect(tokens).toMatchObject([
        { name: "default", unlimited_quota: true, expired_time: -1, status: 1 },
      ]);
      const [entry] = (await audited("external.create_user")).slice(-1);
      expect(entry).toMatchObject({ target: self.uuid });
      await setOption("QuotaForNewUser", "0");
    });

    test("Lark, too: a name in any script becomes a username, and its open_id is what counts", async () => {
      const person = newAccount("王 芳");
      const browser = open();
      expect((await browser.visit("lark", person)).body.data.username).toBe("lark");
      expect((await browser.ask("GET", "/api/user/self")).body.data.lark_id).toBe(
        `ou_${person.id}`,
      );
      const named = await open().visit("lark", newAccount("欧阳娜娜 Nana"));
      expect(named.body.data.username).toBe("欧阳娜娜Nana");
    });

    test("an equal name or mail address at the provider gives no access to an account", async () => {
      const victim = await gateway.addUser("victim");
      const reply = await open().visit("github", newAccount("victim"));
      expect(reply.body.data.uuid).not.toBe(victim.uuid);
      expect(reply.body.data.username).toMatch(/^victim-[0-9a-f]{6}$/);
      expect(reply.body.data.email).toBe("");
    });

    test("the same number at the other provider is another person", async () => {
      const person = newAccount("twin");
      const github = await open().visit("github", person);
      const lark = await open().visit("lark", person);
      expect(lark.body.data.uuid).not.toBe(github.body.data.uuid);
    });

    test("without registration only those who have an account come in", {
      tags: ["F-09"],
    }, async () => {
      const known = newAccount("known");
      await open().visit("github", known);
      await setOption("RegisterEnabled", "false");
      const before = (await users()).length;
      expect((await open().visit("github", newAccount("stranger"))).body.code).toBe(
        "external_registration_off",
      );
      expect((await users()).length).toBe(before);
      expect((await open().visit("github", known)).body.success).toBe(true);
      await setOption("RegisterEnabled", "true");
    });

    test("a disabled account is refused and gets no session", { tags: ["F-09"] }, async () => {
      const person = newAccount("blocked");
      const browser = open();
      const { id } = (await browser.visit("github", person)).body.data;
      await gateway.setStatus(id, 2);
      const again = open();
      const reply = await again.visit("github", person);
      expect([reply.status, reply.body.code, again.session]).toEqual([
        200,
        "external_user_disabled",
        "",
      ]);
    });

    test("who was deleted starts anew and is not welcomed with quota twice", async () => {
      await setOption("QuotaForNewUser", "500");
      const person = newAccount("phoenix");
      const { id, uuid } = (await open().visit("github", person)).body.data;
      expect((await root("DELETE", `/api/user/${id}`)).body.success).toBe(true);
      const again = (await open().visit("github", person)).body.data;
      expect(again).toMatchObject({ username: "phoenix", quota: 0 });
      expect(again.uuid).not.toBe(uuid);
      await setOption("QuotaForNewUser", "0");
    });

    test("a session that the browser had is replaced", async () => {
      const { id } = await gateway.addUser("before");
      const browser = open();
      await browser.signIn("before", password);
      expect((await browser.visit("github", newAccount("after"))).body.data.username).toBe("after");
      expect(await sessionsOf(id)).toBe(0);
    });

    test("a provider that is switched off signs no user in", async () => {
      await setOption("GitHubOAuthEnabled", "false");
      expect((await open().visit("github", newAccount("early"))).body.code).toBe("external_off");
      await setOption("GitHubOAuthEnabled", "true");
    });

    test("the address that providers send people back to comes from the settings", async () => {
      await setOption("ServerAddress", "https://ai.example.com/");
      await open().visit("lark", newAccount("settled"));
      expect(provider.exchanges.at(-1)).toMatchObject({
        redirect_uri: "https://ai.example.com/oauth/lark",
      });
      await setOption("ServerAddress", "");
      await open().visit("lark", newAccount("unsettled"));
      expect(provider.exchanges.at(-1)).not.toHaveProperty("redirect_uri");
    });
  });

  describe("the state", () => {
    test("is valid in the browser that requested it, for ten minutes, for one code", {
      tags: ["F-10"],
    }, async () => {
      const browser = open();
      const code = provider.codeFor(newAccount("stated"));
      const state = await browser.mint();
      const stranger = open();
      await stranger.mint();
      for (const [who, given] of [
        [stranger, state],
        [open(), state],
        [browser, `${state}x`],
        [browser, `${state}&redirect_to=/tokens`],
      ] as const) {
        const reply = await who.comeBack("github", code, given);
        expect([reply.status, reply.body.code]).toEqual([400, "oauth_state_invalid"]);
        expect(who.session).toBe("");
      }
      expect((await browser.comeBack("github", code, state)).body.success).toBe(true);
      const another = await browser.comeBack(
        "github",
        provider.codeFor(newAccount("other")),
        state,
      );
      expect([another.status, another.body.code]).toEqual([400, "oauth_state_invalid"]);
      expect((await browser.comeBack("lark", code, state)).body.code).toBe("oauth_state_invalid");

      const late = await browser.mint();
      gateway.clock.now += 10 * minute;
      const reply = await browser.comeBack("github", provider.codeFor(newAccount("late")), late);
      expect(reply.body.code).toBe("oauth_state_invalid");
    });

    test("several tabs of one browser each come back with their own", async () => {
      const browser = open();
      const [first, second] = [await browser.mint(), await browser.mint()];
      expect(
        (await browser.comeBack("github", provider.codeFor(newAccount("tab1")), first)).body
          .success,
      ).toBe(true);
      expect(
        (await browser.comeBack("github", provider.codeFor(newAccount("tab2")), second)).body
          .success,
      ).toBe(true);
    });

    test("neither it nor what came of it is stored in clear", async () => {
      const browser = open();
      const state = await browser.mint();
      await browser.comeBack("github", provider.codeFor(newAccount("hidden")), state);
      const stored = JSON.stringify(
        await gateway.db.read(gateway.db.sql.selectFrom("oauth_states").selectAll()),
      );
      for (const secret of [state, browser.session]) expect(stored).not.toContain(secret);
    });

    test("missing parameters get an error of their own", async () => {
      for (const query of ["", "?code=a", "?state=b"])
        expect((await open().ask("GET", `/api/oauth/github${query}`)).body.code, query).toBe(
          "invalid_request",
        );
    });
  });

  describe("the same callback again", () => {
    test("gets the same session within a minute, and nothing after it", {
      tags: ["F-10"],
    }, async () => {
      const browser = open();
      const code = provider.codeFor(newAccount("again"));
      const state = await browser.mint();
      const first = await browser.comeBack("github", code, state);
      const { session } = browser;
      const traded = provider.exchanges.length;
      gateway.clock.now += minute;
      const second = await browser.comeBack("github", code, state);
      expect(second.body).toEqual(first.body);
      expect([browser.session, provider.exchanges.length]).toEqual([session, traded]);
      gateway.clock.now += 1;
      expect((await browser.comeBack("github", code, state)).body.code).toBe("oauth_state_invalid");
    });

    test("is refused in another browser, and after the session has ended", async () => {
      const browser = open();
      const code = provider.codeFor(newAccount("ended"));
      const state = await browser.mint();
      await browser.comeBack("github", code, state);
      const thief = open();
      await thief.mint();
      expect((await thief.comeBack("github", code, state)).body.code).toBe("oauth_state_invalid");
      const { session } = browser;
      await gateway.withCookie(`session=${session}`)("POST", "/api/user/logout");
      expect((await browser.comeBack("github", code, state)).body.code).toBe("oauth_state_invalid");
    });

    test("many at once give one account, one session and one question to the provider", async () => {
      const browser = open();
      const code = provider.codeFor(newAccount("crowd"));
      const state = await browser.mint();
      const traded = provider.exchanges.length;
      const replies = await Promise.all(
        Array.from({ length: 10 }, () => browser.comeBack("github", code, state)),
      );
      expect(new Set(replies.map(({ body }) => body.data?.uuid)).size).toBe(1);
      expect(new Set(replies.map((reply) => gateway.cookieOf(reply))).size).toBe(1);
      expect(provider.exchanges.length).toBe(traded + 1);
      expect(await sessionsOf(replies[0]?.body.data.id)).toBe(1);
    });

    test("has to wait while another node works on it, and not forever", async () => {
      const browser = open();
      const code = provider.codeFor(newAccount("elsewhere"));
      const state = await browser.mint();
      const { now } = gateway.clock;
      const claimed = {
        request_hash: hashParts("github", code),
        used_at: now,
        attempt_until: now + 20_000,
      };
      const row = gateway.db.sql
        .updateTable("oauth_states")
        .where("state_hash", "=", hashSecret(state));
      await gateway.db.write([{ query: row.set(claimed), rows: 1 }]);
      expect((await browser.comeBack("github", code, state)).body.code).toBe("oauth_pending");
      gateway.clock.now += 20_000;
      expect((await browser.comeBack("github", code, state)).body.success).toBe(true);
    });

    test("one person in two new browsers at once gets one account", async () => {
      const person = newAccount("racer");
      const replies = await Promise.all(
        [open(), open(), open()].map((browser) => browser.visit("github", person)),
      );
      expect(new Set(replies.map(({ body }) => body.data?.uuid)).size).toBe(1);
    });

    test("a code that the provider does not know is refused for good, even where the provider's status does not say so", async () => {
      const browser = open();
      const state = await browser.mint();
      const traded = provider.exchanges.length;
      for (const _ of [1, 2]) {
        const reply = await browser.comeBack("github", "made-up", state);
        expect([reply.status, reply.body.code]).toEqual([200, "external_refused"]);
        expect(reply.body.message).toContain("(bad_verification_code)");
      }
      expect(provider.exchanges.length).toBe(traded + 1);
      const lark = await browser.comeBack("lark", "made-up", await browser.mint());
      expect([lark.status, lark.body.code]).toEqual([200, "external_refused"]);
    });

    test.each(["silent", "broken", "garbled", "forgetful"] as const)(
      "a provider that is %s is reported as such, and the state stays valid for this code",
      { tags: ["FT-30"] },
      async (mood) => {
        const browser = open();
        const code = provider.codeFor(newAccount(mood));
        const state = await browser.mint();
        provider.mood = mood;
        const silencesBefore = gateway.silences.length;
        const failed = await browser.comeBack("github", code, state);
        expect([failed.status, failed.body.code, browser.session]).toEqual([
          200,
          "external_unreachable",
          "",
        ]);
        expect(gateway.silences.length).toBe(silencesBefore + 1);
        provider.mood = "well";
        const reply = await browser.comeBack("github", code, state);
        // Only where the code was traded before is it used up.
        expect(reply.body.success ? "signed in" : reply.body.code).toBe(
          mood === "forgetful" ? "external_refused" : "signed in",
        );
      },
    );
  });

  describe("the second factor", () => {
    /** A user with a second factor and a GitHub account. */
    const enrolled = async (name: string) => {
      const person = newAccount(name);
      const { id, username, secret, recoveryCodes } = await addTotpUser(gateway, name);
      const browser = open();
      const totp_code = codeAt(secret, gateway.clock.now);
      await browser.ask("POST", "/api/user/login", { body: { username, password, totp_code } });
      expect((await browser.visit("github", person, "bind")).body.message).toBe("bind");
      gateway.clock.now += minute;
      return { person, id, secret, recoveryCodes };
    };

    test("is required after the provider, and only its code opens a session", {
      tags: ["F-09"],
    }, async () => {
      const { person, secret } = await enrolled("careful");
      const browser = open();
      const state = await browser.mint();
      const asked = await browser.comeBack("github", provider.codeFor(person), state);
      expect(asked.body).toMatchObject({
        success: false,
        code: "totp_required",
        data: { totp_required: true },
      });
      expect(browser.session).toBe("");
      const finish = (who: OAuthBrowser, totp_code: string) =>
        who.ask("POST", "/api/oauth/totp", { body: { state, totp_code } });
      const code = () => codeAt(secret, gateway.clock.now);
      const stranger = open();
      await stranger.mint();
      expect((await finish(stranger, code())).body.code).toBe("oauth_state_invalid");
      const wrong = await finish(browser, wrongCode(secret, gateway.clock.now));
      expect(wrong.body.code).toBe("totp_invalid");
      gateway.clock.now += minute;
      const right = await finish(browser, code());
      expect(right.body.data.username).toBe("careful");
      expect((await browser.ask("GET", "/api/user/self")).body.data.username).toBe("careful");
      gateway.clock.now += minute;
      expect((await finish(browser, code())).body.code).toBe("oauth_state_invalid");
    });

    test("takes a recovery code, and waits five minutes and no longer", async () => {
      const { person, secret, recoveryCodes } = await enrolled("slow");
      const browser = open();
      const begin = async () => {
        const state = await browser.mint();
        await browser.comeBack("github", provider.codeFor(person), state);
        return state;
      };
      const body = { state: await begin(), recovery_code: recoveryCodes[0] };
      expect((await browser.ask("POST", "/api/oauth/totp", { body })).body.success).toBe(true);
      const state = await begin();
      gateway.clock.now += 5 * minute + 1;
      const late = { state, totp_code: codeAt(secret, gateway.clock.now) };
      expect((await browser.ask("POST", "/api/oauth/totp", { body: late })).body.code).toBe(
        "oauth_state_invalid",
      );
    });
  });

  describe("binding", () => {
    const signedIn = async (name: string) => {
      const user = await gateway.addUser(name);
      const browser = open();
      await browser.signIn(name, password);
      return { ...user, browser };
    };

    test("a signed-in person binds both providers and signs in with either", async () => {
      const { uuid, browser } = await signedIn("binder");
      const person = newAccount("any-name");
      for (const name of ["github", "lark"] as const) {
        const reply = await browser.visit(name, person, "bind");
        expect(reply.body).toMatchObject({ success: true, message: "bind", data: null });
        expect((await open().visit(name, person)).body.data.uuid).toBe(uuid);
      }
      const listed = (await browser.ask("GET", "/api/user/external")).body.data;
      expect(listed).toMatchObject([
        { provider: "github", name: "any-name" },
        { provider: "lark", name: "any-name" },
      ]);
      expect((await audited("external.bind")).filter(({ target }) => target === uuid)).toHaveLength(
        2,
      );
    });

    test("a server that is read-only refuses to bind, also at the callback of a flow that began before, and signs in", async () => {
      const person = newAccount("kept");
      const { browser } = await signedIn("read-only-binder");
      const state = await browser.mint("bind");
      gateway.tests.isReadOnly = true;
      const asked = await browser.ask("POST", "/api/oauth/state", { body: { purpose: "bind" } });
      const code = provider.codeFor(person);
      const back = await browser.comeBack("github", code, state);
      for (const { status, body } of [asked, back])
        expect([status, body.code]).toEqual([503, "read_only"]);
      expect((await accounts()).map(({ external_id }) => external_id)).not.toContain(
        String(person.id),
      );
      expect((await open().visit("github", newAccount("new"))).body).toMatchObject({
        success: true,
      });
      gateway.tests.isReadOnly = false;
      // The refusal was not the end of the flow.
      expect((await browser.comeBack("github", code, state)).body.message).toBe("bind");
    });

    test("without a purpose, a state is for binding in a signed-in session", async () => {
      const { browser } = await signedIn("plain-binder");
      const state = (await browser.ask("GET", "/api/oauth/state")).body.data;
      expect(
        (await browser.comeBack("github", provider.codeFor(newAccount("x")), state)).body.message,
      ).toBe("bind");
    });

    test("an identity bound to another account stays there, and a second one of a provider is refused", async () => {
      const { browser } = await signedIn("greedy");
      const person = newAccount("owner");
      const owner = (await open().visit("github", person)).body.data;
      expect((await browser.visit("github", person, "bind")).body.code).toBe("external_taken");
      const mine = newAccount("mine");
      expect((await browser.visit("github", mine, "bind")).body.message).toBe("bind");
      expect((await browser.visit("github", mine, "bind")).body.message).toBe("bind");
      expect((await browser.visit("github", newAccount("second"), "bind")).body.code).toBe(
        "external_bound_already",
      );
      expect((await open().visit("github", person)).body.data.uuid).toBe(owner.uuid);
    });

    test("another person's code does not bind in a victim's browser", {
      tags: ["F-10"],
    }, async () => {
      const { id, browser } = await signedIn("linked");
      const attacker = open();
      const state = await attacker.mint();
      const code = provider.codeFor(newAccount("attacker"));
      expect((await browser.comeBack("github", code, state)).body.code).toBe("oauth_state_invalid");
      expect((await accounts()).filter((row) => row.user_id === id)).toEqual([]);
    });

    test("needs the session that began it", async () => {
      const { browser } = await signedIn("leaver");
      const state = await browser.mint("bind");
      await gateway.withCookie(`session=${browser.session}`)("POST", "/api/user/logout");
      const reply = await browser.comeBack("github", provider.codeFor(newAccount("gone")), state);
      expect([reply.status, reply.body.code]).toEqual([400, "oauth_state_invalid"]);
      const signedOut = await open().ask("GET", "/api/oauth/state?purpose=bind");
      expect([signedOut.status, signedOut.body.code]).toEqual([401, "not_logged_in"]);
    });

    test("asks for the password when the sign-in is older than ten minutes, and so does unbinding", async () => {
      const { browser } = await signedIn("settled-in");
      gateway.clock.now += 11 * minute;
      const stale = await browser.ask("POST", "/api/oauth/state", { body: { purpose: "bind" } });
      expect(stale.body.code).toBe("reauth_required");
      const body = { purpose: "bind", current_password: password };
      const state = (await browser.ask("POST", "/api/oauth/state", { body })).body.data;
      expect(
        (await browser.comeBack("github", provider.codeFor(newAccount("y")), state)).body.message,
      ).toBe("bind");
      gateway.clock.now += 11 * minute;
      const unbind = (more: object) =>
        browser.ask("POST", "/api/user/external/unbind", { body: { provider: "github", ...more } });
      expect((await unbind({})).body.code).toBe("reauth_required");
      expect((await unbind({ current_password: password })).body.success).toBe(true);
      expect((await unbind({})).body.code).toBe("external_not_bound");
      expect(await audited("external.unbind")).not.toHaveLength(0);
      expect((await browser.ask("GET", "/api/user/self")).body.data.github_id).toBe("");
    });

    test("who has no password proves with a code, and without a second factor with another sign-in", async () => {
      const person = newAccount("wordless");
      const browser = open();
      await browser.visit("github", person);
      const self = async () => (await browser.ask("GET", "/api/user/self")).body.data;
      expect(await self()).toMatchObject({ has_password: false, inviter_uuid: null });
      const rename = async (more: object) =>
        (
          await browser.ask("PUT", "/api/user/self", {
            body: { email: `w${gateway.clock.now}@example.org`, ...more },
          })
        ).body;
      gateway.clock.now += 11 * minute;
      expect((await rename({})).code).toBe("reauth_required");
      expect((await rename({ current_password: "" })).code).toBe("current_password_wrong");
      expect((await rename({ totp_code: "123456" })).code).toBe("reauth_required");

      await browser.visit("github", person);
      const { secret } = (await browser.ask("GET", "/api/user/totp/setup")).body.data;
      const code = () => codeAt(secret, gateway.clock.now);
      await browser.ask("POST", "/api/user/totp/confirm", { body: { totp_code: code() } });
      gateway.clock.now += 11 * minute;
      expect((await rename({})).code).toBe("reauth_required");
      expect((await rename({ totp_code: wrongCode(secret, gateway.clock.now) })).code).toBe(
        "totp_invalid",
      );
      gateway.clock.now += 1000;
      expect((await rename({ totp_code: code() })).success).toBe(true);
      gateway.clock.now += 11 * minute;
      const disable = (totp_code: string) =>
        browser.ask("POST", "/api/user/totp/disable", { body: { totp_code } });
      expect((await disable(wrongCode(secret, gateway.clock.now))).body.code).toBe("totp_invalid");
      gateway.clock.now += 1000;
      expect((await disable(code())).body.success).toBe(true);

      await browser.visit("github", person);
      expect(
        (await browser.ask("PUT", "/api/user/self", { body: { password: "my own passphrase" } }))
          .body.success,
      ).toBe(true);
      expect((await self()).has_password).toBe(true);
    });

    test("the last way to sign in stays until there is a password", async () => {
      const browser = open();
      const person = newAccount("homeless");
      await browser.visit("github", person);
      const unbind = (name: string) =>
        browser.ask("POST", "/api/user/external/unbind", { body: { provider: name } });
      expect((await unbind("github")).body.code).toBe("external_last_way");
      expect((await browser.visit("lark", person, "bind")).body.message).toBe("bind");
      // Both at once: each of them would leave the other.
      const both = await Promise.all([unbind("github"), unbind("lark")]);
      expect(both.filter(({ body }) => body.success)).toHaveLength(1);
      for (const wrong of ["", "x".repeat(8), password])
        expect((await open().signIn("homeless", wrong)).body.success).toBe(false);
      await browser.ask("PUT", "/api/user/self", { body: { password: "my own passphrase" } });
      expect(
        (await Promise.all([unbind("github"), unbind("lark")])).filter(({ body }) => body.success),
      ).toHaveLength(1);
    });
  });

  test("guessing is slowed down", async () => {
    const browser = open();
    const state = await browser.mint();
    let reply = await browser.comeBack("github", "guess", `${state}-0`);
    for (let tries = 1; tries < 30 && reply.status === 400; tries += 1)
      reply = await browser.comeBack("github", "guess", `${state}-${tries}`);
    expect([reply.status, reply.body.code]).toEqual([429, "too_many_requests"]);
  });
});
