/**
 * Attacks on sign-in with OpenID Connect by a provider that root trusts, by a person between
 * browser and provider, and by a stolen session. What a single id token may hold is in
 * oidc-sign-in.db.test.ts, and 100,000 forged ones in `npm run trust -- sign-ins`.
 */
import { createApiKeys } from "@tollgate/gateway/relay/admission/api-keys.ts";
import { authenticate } from "@tollgate/gateway/relay/admission/authenticate.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  type OidcIssuer,
  type OidcPerson,
  oidcCredentials,
  startOidcIssuer,
} from "../harness/oidc-issuer.ts";
import { ruleDatabases } from "../support/test-databases.ts";
import { type CookieBrowser, createCookieBrowser } from "./cookie-browser.ts";
import {
  type ManagementGateway,
  password,
  startManagementGateway,
  type TestApiClient,
} from "./management-gateway.ts";

const publicUrl = "http://gateway.example";
const minute = 60_000;
const seconds = () => Math.floor(Date.now() / 1000);

describe.each(ruleDatabases)("an attacker of sign-in with OpenID Connect on $name", (database) => {
  let gateway: ManagementGateway;
  let company: OidcIssuer;
  /** Another provider that people may sign in with, and that wants to be the company's people. */
  let partner: OidcIssuer;
  let root: TestApiClient;

  const provider = (slug: string, issuer: OidcIssuer) => ({
    ...{ slug, name: slug, issuer: issuer.url, enabled: true },
    ...{ client_id: oidcCredentials.clientId, client_secret: oidcCredentials.clientSecret },
  });

  beforeAll(async () => {
    [company, partner] = await Promise.all([startOidcIssuer(), startOidcIssuer()]);
    gateway = await startManagementGateway(
      database,
      Date.UTC(2026, 10, 20, 12),
      company.url,
      publicUrl,
    );
    gateway.identityHosts.add(new URL(partner.url).host);
    root = await gateway.signIn("root");
    for (const body of [provider("company", company), provider("partner", partner)])
      expect((await root("POST", "/api/oidc_provider/", { body })).body).toMatchObject({
        success: true,
      });
  });
  afterAll(async () => {
    expect(gateway.problems).toEqual([]);
    await gateway.close();
    await Promise.all([company.close(), partner.close()]);
  });
  beforeEach(async () => {
    // Failed sign-ins are limited for some minutes, and changes of providers need a recent sign-in.
    gateway.clock.now += 30 * minute;
    root = await gateway.signIn("root");
    company.behaveWell();
    partner.behaveWell();
    readDocumentsAnew();
    gateway.silences.length = 0;
  });

  /** They are kept for ten minutes. */
  const readDocumentsAnew = () => {
    gateway.oidcClock.aheadMs += 11 * minute;
  };
  const begin = async (browser: CookieBrowser, slug = "company") => {
    const { body } = await browser.ask("GET", `/api/oauth/state?purpose=sign-in&provider=${slug}`);
    return { state: String(body.data), url: String(body.oidc_authorize_url) };
  };
  const comeBack = async (browser: CookieBrowser, slug: string, query: Record<string, string>) =>
    (await browser.ask("GET", `/api/oauth/oidc/${slug}?${new URLSearchParams(query)}`)).body;
  const visit = async (issuer: OidcIssuer, slug: string, person: OidcPerson) => {
    const browser = createCookieBrowser(gateway);
    const { state, url } = await begin(browser, slug);
    return comeBack(browser, slug, { state, code: issuer.consent(url, person), iss: issuer.url });
  };

  test("the same subject at another trusted provider is another person", {
    tags: ["F-09"],
  }, async () => {
    const victim = (await visit(company, "company", { sub: "boss", preferred_username: "boss" }))
      .data;
    const attacker = (await visit(partner, "partner", { sub: "boss", preferred_username: "boss" }))
      .data;
    expect(attacker.uuid).not.toBe(victim.uuid);
  });

  test.each([
    ["as the company's, with its own key", () => ({ iss: company.url }), {}],
    [
      "as the company's, with its own key under the name of the company's",
      () => ({ iss: company.url }),
      { kid: "key-1" },
    ],
    ["as its own", () => ({}), {}],
    ["as its own, for both", () => ({ iss: [company.url, partner.url] }), {}],
  ])(
    "an id token that another trusted provider signs %s opens no session",
    { tags: ["F-09"] },
    async (_, claims, header) => {
      partner.rotateKeys("partner-key");
      const browser = createCookieBrowser(gateway);
      const { state, url } = await begin(browser);
      const nonce = new URL(url).searchParams.get("nonce");
      const standard = {
        iss: partner.url,
        aud: oidcCredentials.clientId,
        iat: seconds(),
        exp: seconds() + 300,
        nonce,
      };
      const id_token = partner.jwt({ ...standard, sub: "boss", ...claims() }, { header });
      company.document = { userinfo_endpoint: undefined };
      readDocumentsAnew();
      company.tokenReply = [200, { access_token: "a", token_type: "Bearer", id_token }];
      const reply = await comeBack(browser, "company", { state, code: "any", iss: company.url });
      expect([reply.success, reply.code, browser.session]).toEqual([false, "external_refused", ""]);
    },
  );

  describe("a mixed-up answer (RFC 9207)", () => {
    const answerOf = async (iss: string | undefined, announces: boolean) => {
      company.document = { authorization_response_iss_parameter_supported: announces };
      readDocumentsAnew();
      const browser = createCookieBrowser(gateway);
      const { state, url } = await begin(browser);
      const code = company.consent(url, { sub: "mixed", preferred_username: "mixed" });
      company.asked.length = 0;
      const reply = await comeBack(browser, "company", {
        state,
        code,
        ...(iss !== undefined && { iss }),
      });
      return { code: reply.code, asked: company.asked.filter((path) => path === "/token").length };
    };
    const refused = { code: "external_refused", asked: 0 };

    test("is refused before the code is used, and so is one without the issuer that the provider announces", {
      tags: ["F-09"],
    }, async () => {
      expect(await answerOf(partner.url, true)).toEqual(refused);
      expect(await answerOf(`${company.url}/`, true)).toEqual(refused);
      expect(await answerOf(undefined, true)).toEqual(refused);
      expect(await answerOf(company.url, true)).toEqual({ code: undefined, asked: 1 });
    });

    test("is refused from a provider that announces nothing, too; without an issuer it signs in", async () => {
      expect(await answerOf(partner.url, false)).toEqual(refused);
      expect(await answerOf(undefined, false)).toEqual({ code: undefined, asked: 1 });
    });
  });

  describe("PKCE", () => {
    test.each([["nothing"], [["plain"]], [[]], ["S256"]])(
      "stays S256 where the provider announces %j",
      { tags: ["F-09"] },
      async (methods) => {
        company.document = {
          code_challenge_methods_supported: methods === "nothing" ? undefined : methods,
        };
        readDocumentsAnew();
        const { url } = await begin(createCookieBrowser(gateway));
        const { searchParams } = new URL(url);
        expect(searchParams.get("code_challenge_method")).toBe("S256");
        expect(searchParams.get("code_challenge")).toMatch(/^[\w-]{43}$/);
        expect(searchParams.get("response_type")).toBe("code");
      },
    );

    test.each([
      ["left out", () => undefined],
      ["replaced by the attacker's", () => "x".repeat(43)],
    ])(
      "a challenge that is %s on the way makes the code worthless",
      { tags: ["F-09"] },
      async (_, challenge) => {
        const browser = createCookieBrowser(gateway);
        const { state, url } = await begin(browser);
        const changed = new URL(url);
        changed.searchParams.delete("code_challenge");
        const other = challenge();
        if (other !== undefined) changed.searchParams.set("code_challenge", other);
        const code = company.consent(changed.href, { sub: "downgraded" });
        const reply = await comeBack(browser, "company", { state, code, iss: company.url });
        expect([reply.code, browser.session]).toEqual(["external_refused", ""]);
      },
    );
  });

  test("an id token of an earlier sign-in is worth nothing in the next one: its nonce is spent", {
    tags: ["F-10"],
  }, async () => {
    const browser = createCookieBrowser(gateway);
    const first = await begin(browser);
    const nonce = new URL(first.url).searchParams.get("nonce");
    const claims = {
      iss: company.url,
      aud: oidcCredentials.clientId,
      iat: seconds(),
      exp: seconds() + 300,
      nonce,
    };
    const id_token = company.jwt({ ...claims, sub: "watched" });
    company.document = { userinfo_endpoint: undefined };
    readDocumentsAnew();
    company.tokenReply = [200, { access_token: "a", token_type: "Bearer", id_token }];
    const answer = (state: string) =>
      comeBack(browser, "company", { state, code: "watched", iss: company.url });
    const second = await begin(browser);
    expect((await answer(second.state)).code).toBe("external_refused");
    expect((await answer(first.state)).success).toBe(true);
  });

  test("a back-channel logout ends the playground's key with the session, and none of another provider's person", {
    tags: ["F-03"],
  }, async () => {
    const keys = createApiKeys(
      gateway.db,
      () => gateway.clock.now,
      () => [],
    );
    const isUsable = (token: string) =>
      authenticate(
        { key: token.slice("sk-".length), whole: token, pin: undefined },
        keys,
        { address: "127.0.0.1", learn: () => undefined },
        gateway.clock.now,
      ).then(
        () => true,
        () => false,
      );
    const playgroundKeyOf = async (issuer: OidcIssuer, slug: string) => {
      const browser = createCookieBrowser(gateway);
      const { state, url } = await begin(browser, slug);
      const code = issuer.consent(url, { sub: "player", preferred_username: `player-${slug}` });
      await comeBack(browser, slug, { state, code, iss: issuer.url });
      return String((await browser.ask("POST", "/api/user/playground_token")).body.data.token);
    };
    const [leaver, namesake] = [
      await playgroundKeyOf(company, "company"),
      await playgroundKeyOf(partner, "partner"),
    ];
    expect([await isUsable(leaver), await isUsable(namesake)]).toEqual([true, true]);
    const send = (slug: string, issuer: OidcIssuer) =>
      gateway.visitor("POST", `/oauth/oidc/${slug}/backchannel`, {
        body: { logout_token: issuer.logoutToken({ sub: "player" }, gateway.clock.now) },
      });
    // The partner ends sessions of its own people alone, whichever address it sends to.
    expect((await send("company", partner)).status).toBe(400);
    expect(await isUsable(leaver)).toBe(true);
    expect((await send("company", company)).status).toBe(200);
    await expect.poll(() => isUsable(leaver)).toBe(false);
    expect(await isUsable(namesake)).toBe(true);
  });

  test("no address of a request leads a browser elsewhere: the callback and the page after a sign-out are the gateway's", {
    tags: ["F-92"],
  }, async () => {
    const elsewhere = "https://attacker.example/";
    const browser = createCookieBrowser(gateway);
    const forged = {
      host: "attacker.example",
      "x-forwarded-host": "attacker.example",
      origin: publicUrl,
    };
    const more = new URLSearchParams({
      redirect_uri: elsewhere,
      redirect_to: elsewhere,
      return_to: elsewhere,
    });
    const path = `/api/oauth/state?purpose=sign-in&provider=company&${more}`;
    const { body } = await browser.ask("GET", path, { headers: forged });
    const authorizeUrl = String(body.oidc_authorize_url);
    expect(new URL(authorizeUrl).searchParams.get("redirect_uri")).toBe(
      `${publicUrl}/oauth/oidc/company`,
    );
    const { data: rows } = (await root("GET", "/api/oidc_provider/")).body;
    const [{ id }] = rows.filter(({ slug }: { slug: string }) => slug === "company");
    await root("PUT", "/api/oidc_provider/", { body: { id, ends_session: true } });
    const code = company.consent(authorizeUrl, { sub: "led" });
    const iss = company.url;
    expect(await comeBack(browser, "company", { state: body.data, code, iss })).toMatchObject({
      success: true,
    });
    const out = await browser.ask(
      "GET",
      `/api/user/logout?post_logout_redirect_uri=${elsewhere}&${more}`,
      {
        headers: forged,
      },
    );
    const page = new URL(String(out.body.logout_url));
    expect(page.origin).toBe(company.url);
    expect(page.searchParams.get("post_logout_redirect_uri")).toBe(`${publicUrl}/login`);
    expect(JSON.stringify(out.body)).not.toContain("attacker.example");
  });

  test("a stolen session deletes no provider: by either call that takes recent proof, whose guesses lock", {
    tags: ["SI-01", "SI-04"],
  }, async () => {
    const body = { slug: "passing", name: "Passing", issuer: company.url, client_id: "passing" };
    const add = async () => (await root("POST", "/api/oidc_provider/", { body })).body.data.uuid;
    const count = async () => (await root("GET", "/api/oidc_provider/")).body.data.length;
    const uuid = await add();
    gateway.clock.now += 11 * minute;
    const byPost = async (proof: object) =>
      (await root("POST", `/api/oidc_provider/${uuid}/delete`, { body: proof })).body.code;
    expect((await root("DELETE", `/api/oidc_provider/${uuid}`)).body.code).toBe("reauth_required");
    expect(await byPost({})).toBe("reauth_required");
    expect(await byPost({ totp_code: "123456" })).toBe("reauth_required");
    expect(await byPost({ current_password: "a guess" })).toBe("current_password_wrong");
    expect(await count()).toBe(3);
    expect(await byPost({ current_password: password })).toBeUndefined();
    expect(await count()).toBe(2);
    // The proof holds for ten minutes, for the call without a body too.
    expect((await root("DELETE", `/api/oidc_provider/${await add()}`)).body.success).toBe(true);
    const spared = await add();
    gateway.clock.now += 11 * minute;
    for (let tries = 0; tries < 5; tries += 1)
      await root("POST", `/api/oidc_provider/${spared}/delete`, {
        body: { current_password: "guess" },
      });
    const late = { body: { current_password: password } };
    expect((await root("POST", `/api/oidc_provider/${spared}/delete`, late)).body.code).toBe(
      "sign_in_locked",
    );
    expect(await count()).toBe(3);
  });
});
