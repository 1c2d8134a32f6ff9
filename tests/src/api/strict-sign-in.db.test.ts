import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  credentials,
  type IdentityProvider,
  startIdentityProvider,
} from "../harness/identity-provider.ts";
import { ruleDatabases } from "../support/test-databases.ts";
import {
  type ManagementGateway,
  startManagementGateway,
  type TestApiClient,
} from "./management-gateway.ts";
import { createOAuthBrowser, enableStrictOAuth } from "./oauth-browser.ts";

const site = "https://ai.example.com";
const minute = 60_000;

describe.each(ruleDatabases)("sign-in with Discord and LinuxDO on $name", (database) => {
  let gateway: ManagementGateway;
  let provider: IdentityProvider;
  let root: TestApiClient;
  let lastId = 5000;
  const open = () => createOAuthBrowser(gateway, provider);
  const newAccount = (name: string) => {
    lastId += 1;
    return { id: lastId, name };
  };
  const put = async (key: string, value: string) =>
    (await root("PUT", "/api/option/", { body: { key, value } })).body;
  const statusOf = async () => (await gateway.visitor("GET", "/api/status")).body.data;
  /** Consents at the page that the state names, as a browser would, and comes back. */
  const visit = async (name: "discord" | "linuxdo", person: { id: number; name: string }) => {
    const browser = open();
    const reply = await browser.ask("GET", "/api/oauth/state");
    const page = new URL(String(reply.body[`${name}_authorize_url`]));
    provider.redirectUri = page.searchParams.get("redirect_uri") ?? "";
    const state = page.searchParams.get("state") ?? "";
    return { browser, page, reply: await browser.comeBack(name, provider.codeFor(person), state) };
  };

  beforeAll(async () => {
    provider = await startIdentityProvider();
    gateway = await startManagementGateway(database, Date.UTC(2026, 10, 20, 12), provider.url);
    root = await gateway.signIn("root");
    expect((await put("DiscordOAuthEnabled", "true")).code).toBe("option_incomplete");
    await enableStrictOAuth(root, `${site}/`);
  });
  afterAll(async () => {
    expect(gateway.problems).toEqual([]);
    await gateway.close();
    await provider.close();
  });
  beforeEach(() => {
    provider.mood = "well";
    provider.oddPerson = undefined;
    provider.linuxdo = { active: true, trust_level: 2 };
    gateway.clock.now += 30 * minute;
  });

  test("the status names them while they are on, and they cannot lose the address of this server", async () => {
    expect((await statusOf()).external_providers).toEqual(["discord", "linuxdo", "telegram"]);
    expect((await put("ServerAddress", "")).code).toBe("option_incomplete");
    await put("DiscordOAuthEnabled", "false");
    expect((await statusOf()).external_providers).toEqual(["linuxdo", "telegram"]);
    expect((await open().ask("GET", "/api/oauth/state")).body.discord_authorize_url).toBe("");
    const late = open();
    expect((await late.comeBack("discord", "code", await late.mint())).body.code).toBe(
      "external_off",
    );
    await put("DiscordOAuthEnabled", "true");
  });

  test.each([
    ["discord", "/discord/oauth2/authorize", { scope: "identify" }, "ada G"],
    ["linuxdo", "/linuxdo/oauth2/authorize", {}, "ada"],
  ] as const)(
    "%s gets the whole question, knows the client and the address, and its id finds the account again",
    { tags: ["F-09"] },
    async (name, path, more, displayName) => {
      const person = newAccount("ada");
      const { browser, page, reply } = await visit(name, person);
      expect(page.pathname).toBe(path);
      expect(Object.fromEntries(page.searchParams)).toEqual({
        response_type: "code",
        client_id: credentials.clientId,
        redirect_uri: `${site}/oauth/${name}`,
        state: expect.stringMatching(/^[\w-]{32}$/),
        ...more,
      });
      expect(reply.body).toMatchObject({
        success: true,
        data: { role: 1, display_name: displayName },
      });
      const again = await visit(name, { ...person, name: "renamed" });
      expect(again.reply.body.data.uuid).toBe(reply.body.data.uuid);
      expect((await browser.ask("GET", "/api/user/external")).body.data).toMatchObject([
        { provider: name, name: "ada" },
      ]);
    },
  );

  test("the same number at the other provider is another person", async () => {
    const person = newAccount("twin");
    const first = (await visit("discord", person)).reply.body.data.uuid;
    expect((await visit("linuxdo", person)).reply.body.data.uuid).not.toBe(first);
  });

  test("LinuxDO's suspended users and those below the trust level are refused for good", {
    tags: ["F-09"],
  }, async () => {
    provider.linuxdo = { active: false, trust_level: 4 };
    const suspended = (await visit("linuxdo", newAccount("suspended"))).reply;
    expect([suspended.body.code, suspended.body.message]).toEqual([
      "external_refused",
      expect.stringContaining("(inactive)"),
    ]);
    expect((await put("LinuxDOMinimumTrustLevel", "5")).success).toBe(false);
    await put("LinuxDOMinimumTrustLevel", "3");
    for (const trust_level of [2, undefined, "4", null]) {
      provider.linuxdo = { active: true, trust_level };
      const { body } = (await visit("linuxdo", newAccount("new here"))).reply;
      expect([body.code, body.message]).toEqual([
        "external_refused",
        expect.stringContaining("(trust_level_below_3)"),
      ]);
    }
    provider.linuxdo = { active: true, trust_level: 3 };
    expect((await visit("linuxdo", newAccount("trusted"))).reply.body.success).toBe(true);
    await put("LinuxDOMinimumTrustLevel", "0");
  });

  test.each([
    [
      "discord",
      [
        {},
        null,
        [],
        "x",
        { id: 42 },
        { id: "" },
        { id: "0" },
        { id: "1e9" },
        { id: "9".repeat(21) },
      ],
    ],
    [
      "linuxdo",
      [
        {},
        null,
        [],
        7,
        { id: "42" },
        { id: 0 },
        { id: -1 },
        { id: 1.5 },
        { id: 2 ** 53 },
        { id: true },
      ],
    ],
    ["discord", [{ id: "7", username: "x".repeat(300_000) }]],
  ] as const)(
    "%s with a reply that names no user opens no session",
    { tags: ["F-09"] },
    async (name, replies) => {
      for (const odd of replies) {
        provider.oddPerson = odd;
        const { browser, reply } = await visit(name, newAccount("odd"));
        expect(
          [reply.status, reply.body.code, browser.session],
          JSON.stringify(odd).slice(0, 80),
        ).toEqual([200, "external_unreachable", ""]);
        gateway.clock.now += 30 * minute;
      }
    },
  );

  test.each(["silent", "broken", "garbled", "forgetful"] as const)(
    "a provider that is %s is reported as such",
    async (mood) => {
      provider.mood = mood;
      for (const name of ["discord", "linuxdo"] as const) {
        const { browser, reply } = await visit(name, newAccount(mood));
        expect([reply.status, reply.body.code, browser.session]).toEqual([
          200,
          "external_unreachable",
          "",
        ]);
      }
    },
  );
});
