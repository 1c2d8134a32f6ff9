import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  credentials,
  type IdentityProvider,
  startIdentityProvider,
  telegramResult,
} from "../harness/identity-provider.ts";
import { ruleDatabases } from "../support/test-databases.ts";
import {
  type ManagementGateway,
  startManagementGateway,
  type TestApiClient,
} from "./management-gateway.ts";
import { createOAuthBrowser, enableStrictOAuth, enableWechat } from "./oauth-browser.ts";

const site = "https://ai.example.com";
const minute = 60_000;

/**
 * Telegram signs who the user is, and WeChat's code server knows it: both would say the same again.
 */
describe.each(ruleDatabases)("sign-in with Telegram and WeChat on $name", (database) => {
  let gateway: ManagementGateway;
  let provider: IdentityProvider;
  let root: TestApiClient;
  const open = () => createOAuthBrowser(gateway, provider);
  const put = async (key: string, value: string) =>
    (await root("PUT", "/api/option/", { body: { key, value } })).body;
  const resultOf = (id: number) => telegramResult({ id, name: `t${id}` }, gateway.clock.now);
  /** A new browser comes with this code. */
  const arrive = async (name: "telegram" | "wechat", code: string) => {
    const browser = open();
    return { browser, body: (await browser.comeBack(name, code, await browser.mint())).body };
  };

  beforeAll(async () => {
    provider = await startIdentityProvider();
    gateway = await startManagementGateway(database, Date.UTC(2026, 10, 20, 12), provider.url);
    root = await gateway.signIn("root");
    await enableStrictOAuth(root, site);
    await enableWechat(root, `${provider.url}/wechat/`);
  });
  afterAll(async () => {
    expect(gateway.problems).toEqual([]);
    await gateway.close();
    await provider.close();
  });
  beforeEach(() => {
    provider.mood = "well";
    provider.oddPerson = undefined;
    provider.wechatCode = "104711";
    gateway.clock.now += 30 * minute;
  });

  test("Telegram's page is asked for the bot and this site, and the state comes back with the address", async () => {
    const { body } = await open().ask("GET", "/api/oauth/state");
    const page = new URL(String(body.telegram_authorize_url));
    expect(page.pathname).toBe("/telegram/auth");
    expect(Object.fromEntries(page.searchParams)).toEqual({
      bot_id: "7001",
      origin: site,
      return_to: `${site}/oauth/telegram?state=${body.data}`,
    });
    expect((await put("TelegramBotToken", "not a token")).message).toMatch(
      /must be the token of a bot/,
    );
  });

  test("a signed user of Telegram gets an account and finds it again; binding takes the same proof", {
    tags: ["F-09"],
  }, async () => {
    const first = await arrive("telegram", resultOf(42));
    expect(first.body).toMatchObject({ success: true, data: { username: "t42", role: 1 } });
    gateway.clock.now += minute;
    expect((await arrive("telegram", resultOf(42))).body.data.uuid).toBe(first.body.data.uuid);
    const { browser } = await arrive("wechat", provider.wechatCode);
    const bound = await browser.comeBack("telegram", resultOf(43), await browser.mint("bind"));
    expect(bound.body).toMatchObject({ success: true, message: "bind" });
    const self = (await browser.ask("GET", "/api/user/self")).body.data;
    expect(self.wechat_id).toMatch(/^o6_/);
    expect((await browser.ask("GET", "/api/user/external")).body.data).toMatchObject([
      { provider: "telegram", name: "t43" },
      { provider: "wechat" },
    ]);
  });

  test("a result of Telegram opens one session, however it is written", {
    tags: ["F-10"],
  }, async () => {
    const result = resultOf(50);
    expect((await arrive("telegram", result)).body.success).toBe(true);
    const members = Buffer.from(result, "base64url").toString();
    for (const again of [result, `${result}==`, Buffer.from(` ${members}`).toString("base64url")]) {
      const { browser, body } = await arrive("telegram", again);
      expect([body.code, browser.session]).toEqual(["external_refused", ""]);
    }
  });

  test("of many browsers with one result one is let in", { tags: ["F-10"] }, async () => {
    const result = resultOf(51);
    await arrive("telegram", resultOf(51));
    gateway.clock.now += 1_000;
    const second = resultOf(51);
    expect(second).not.toBe(result);
    const all = await Promise.all([1, 2, 3, 4, 5].map(() => arrive("telegram", second)));
    expect(all.filter(({ body }) => body.success)).toHaveLength(1);
  });

  test("an old or forged result is refused", { tags: ["F-09"] }, async () => {
    const old = resultOf(60);
    gateway.clock.now += 6 * minute;
    const late = await arrive("telegram", old);
    expect([late.body.code, late.browser.session]).toEqual(["external_refused", ""]);
    const forged = { ...JSON.parse(Buffer.from(resultOf(61), "base64url").toString()), id: 42 };
    const { body, browser } = await arrive(
      "telegram",
      Buffer.from(JSON.stringify(forged)).toString("base64url"),
    );
    expect([body.code, browser.session]).toEqual(["external_refused", ""]);
  });

  test("WeChat's code server is shown its token, and a code signs its reader in once", {
    tags: ["F-10"],
  }, async () => {
    provider.person = { id: 1, name: "" };
    const first = await arrive("wechat", "104711");
    expect(first.body).toMatchObject({
      success: true,
      data: { username: expect.stringMatching(/^wechat/), role: 1 },
    });
    expect((await arrive("wechat", "104711")).body.code).toBe("external_refused");
    expect((await arrive("wechat", "000000")).body.code).toBe("external_refused");
    provider.wechatCode = "222222";
    expect((await arrive("wechat", "222222")).body.data.uuid).toBe(first.body.data.uuid);
    // The same digits for another reader.
    provider.person = { id: 2, name: "" };
    expect((await arrive("wechat", "222222")).body.data.uuid).not.toBe(first.body.data.uuid);
    await put("WeChatServerToken", "another");
    expect((await arrive("wechat", "222222")).body.code).toBe("external_refused");
    await put("WeChatServerToken", credentials.clientSecret);
  });

  test("an odd, huge or missing reply of the code server opens no session", {
    tags: ["F-09"],
  }, async () => {
    const odd = [
      {},
      null,
      [],
      7,
      { success: true },
      { success: true, data: "" },
      { success: true, data: 42 },
    ];
    for (const reply of [
      ...odd,
      { success: "true", data: "o6_a" },
      { success: true, data: "x".repeat(300_000) },
    ]) {
      provider.oddPerson = reply;
      const { browser, body } = await arrive("wechat", "104711");
      expect([body.code, browser.session], JSON.stringify(reply).slice(0, 60)).toEqual([
        "external_unreachable",
        "",
      ]);
      gateway.clock.now += 30 * minute;
    }
    provider.oddPerson = undefined;
    for (const mood of ["silent", "broken", "garbled"] as const) {
      provider.mood = mood;
      expect((await arrive("wechat", "104711")).body.code).toBe("external_unreachable");
    }
  });

  test("codes of WeChat cannot be guessed from many addresses", { tags: ["F-09"] }, async () => {
    const statuses = new Set<number>();
    for (let index = 0; index < 310; index += 1) {
      const ask = gateway.from(`198.51.100.${index % 200}`);
      statuses.add((await ask("GET", `/api/oauth/wechat?code=${index}&state=none`)).status);
    }
    expect(statuses.has(429)).toBe(true);
  });
});
