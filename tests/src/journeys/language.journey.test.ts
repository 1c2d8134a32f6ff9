import { createUser, updateUser } from "@tollgate/contract/accounts/user-admin.ts";
import { updateOption } from "@tollgate/contract/site/options.ts";
import type { BrowserContext, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { linkIn, type Mailbox, startMailbox } from "../harness/mailbox.ts";
import type { TestGateway } from "../harness/test-gateway.ts";
import { startBrowserGateway } from "./browser-gateway.ts";
import {
  collectPageErrors,
  heading,
  openPage,
  openSignedIn,
  pathOf,
  signIn,
} from "./console-pages.ts";
import { accessibilityViolations, expectToFit } from "./inspect-page.ts";
import { createSampleData } from "./sample-data.ts";

const password = "correct horse battery";
const email = "mira@example.org";
let mailbox: Mailbox;
let gateway: TestGateway;
let visitor: BrowserContext | undefined;

beforeAll(async () => {
  mailbox = await startMailbox();
  gateway = await startBrowserGateway({
    env: { INITIAL_ROOT_PASSWORD: password, SMTP_URL: mailbox.url },
  });
  const root = await gateway.signIn("root", password);
  await createSampleData(root, gateway.url, gateway.simulator.url);
  await root.call(updateOption, { body: { key: "ServerAddress", value: gateway.url } });
  const { data } = await root.call(createUser, { body: { username: "mira", password } });
  await root.call(updateUser, { body: { id: data.id, email } });
});
afterAll(async () => {
  await gateway.close();
  await mailbox.close();
});
afterEach(async () => {
  await visitor?.close();
});

async function visit(locale: string): Promise<Page> {
  visitor = await gateway.newContext({ locale });
  return openPage(visitor);
}

const inWindow = <T>(page: Page, script: string): Promise<T> => page.evaluate<T>(script);
const language = (page: Page) => inWindow<string>(page, "document.documentElement.lang");
const stored = (page: Page) => inWindow<string | null>(page, "localStorage.getItem('language')");
/** The addresses of the parts of catalogues that the page loads. */
function wordsAskedFor(page: Page): readonly string[] {
  const asked: string[] = [];
  page.on("request", (request) => {
    if (request.url().includes("/assets/words/")) asked.push(request.url());
  });
  return asked;
}
const choose = async (page: Page, menu: string, language: string) => {
  await page.getByRole("button", { name: menu, exact: true }).click();
  await page.getByRole("menuitemradio", { name: language }).click();
};
/** What reads Chinese finds by its Chinese name. */
async function signInInChinese(page: Page, secret: string): Promise<void> {
  await page.getByLabel("用户名").fill("root");
  await page.getByLabel("密码", { exact: true }).fill(secret);
  await page.getByRole("button", { name: "登录", exact: true }).click();
}

test("who reads Chinese is never shown English, and is refused in Chinese", async () => {
  const page = await visit("zh-CN");
  const pageErrors = collectPageErrors(page);
  await page.addInitScript(`
    window.shown = "";
    new MutationObserver(() => { window.shown += document.getElementById("root")?.textContent ?? ""; })
      .observe(document, { childList: true, subtree: true, characterData: true });
  `);
  const words = wordsAskedFor(page);
  await page.goto("/login");
  await heading(page, "登录")
    .or(page.getByRole("heading", { name: "登录 Tollgate" }))
    .waitFor();
  expect(await inWindow(page, "window.shown")).not.toContain("Sign In");
  expect(await language(page)).toBe("zh-CN");
  // Those of every page, and those of this one.
  expect(words).toHaveLength(2);
  expect(await accessibilityViolations(page)).toEqual([]);
  await expectToFit(page, 375);

  await signInInChinese(page, "not this one");
  await page.getByRole("alert").getByText("用户名或密码错误").waitFor();
  await signInInChinese(page, password);
  await heading(page, "仪表盘").waitFor();
  expect(pageErrors).toEqual([]);
});

test("who reads English loads no other language", async () => {
  const page = await visit("en-US");
  const asked = wordsAskedFor(page);
  await page.goto("/login");
  await signIn(page, "root", password);
  await heading(page, "Dashboard").waitFor();
  expect(await language(page)).toBe("en");
  expect(asked).toEqual([]);
});

test("a language whose words cannot be loaded is not taken, and can be chosen again", {
  tags: ["large"],
}, async () => {
  const page = await visit("en-US");
  await page.goto("/login");
  await heading(page, "Sign In to Tollgate").waitFor();
  await page.route("**/assets/words/**", (route) => route.abort());
  await choose(page, "Language", "Deutsch");
  await heading(page, "Sign In to Tollgate").waitFor();
  expect(await language(page)).toBe("en");
  await page.unroute("**/assets/words/**");
  await choose(page, "Language", "Deutsch");
  await page.getByRole("button", { name: "Anmelden", exact: true }).waitFor();
  expect(await language(page)).toBe("de");
});

test("a language is chosen in the header, at once, for the next visit and beyond the sign-out", async () => {
  const page = await visit("pt-BR");
  await page.goto("/login?redirect_to=%2Ftokens%2Fadd");
  await signIn(page, "root", password);
  await heading(page, "Create Token").waitFor();
  await page.getByLabel("Token Name").fill("half typed");

  await choose(page, "Language", "简体中文");
  await heading(page, "创建令牌").waitFor();
  expect(await page.getByLabel("令牌名称").inputValue()).toBe("half typed");
  expect(await language(page)).toBe("zh-CN");
  expect(await stored(page)).toBe("zh-CN");
  await expect.poll(() => page.title()).toBe("创建令牌 · Tollgate");
  // What was checked in one language is shown in the other from then on.
  await page.getByLabel("令牌名称").fill("");
  await page.getByRole("button", { name: "创建令牌" }).click();
  await page.getByText("请填写令牌名称").waitFor();

  await page.goto("/login");
  await heading(page, "登录 Tollgate").waitFor();
  await page.goto("/tokens");
  await heading(page, "令牌").waitFor();
  await page.getByRole("button", { name: "账户菜单" }).click();
  await page.getByRole("menuitem", { name: "退出登录" }).click();
  await expect.poll(() => pathOf(page)).toBe("/login");
  expect(await stored(page)).toBe("zh-CN");

  await choose(page, "语言", "English");
  await page.getByRole("button", { name: "Sign In", exact: true }).waitFor();
  expect(await language(page)).toBe("en");
});

test("a language that is chosen reaches the mails", { tags: ["large"] }, async () => {
  const page = await visit("en-US");
  await page.goto("/login");
  await signIn(page, "mira", password);
  await heading(page, "Dashboard").waitFor();
  await page.getByText("$0.00", { exact: true }).first().waitFor();
  await choose(page, "Language", "Deutsch");
  await page.getByRole("link", { name: "Protokolle" }).first().waitFor();
  await page.getByText("$0,00", { exact: true }).first().waitFor();
  expect(await page.getByText("$0.00", { exact: true }).count()).toBe(0);
  expect(await language(page)).toBe("de");

  await page.getByRole("button", { name: "Kontomenü" }).click();
  await page.getByRole("menuitem", { name: "Abmelden" }).click();
  await expect.poll(() => pathOf(page)).toBe("/login");
  await page.goto("/reset");
  await page.getByLabel("E-Mail").fill(email);
  await page.getByRole("button", { name: "Link zum Zurücksetzen senden" }).click();
  const mail = await mailbox.take(email, "Setzen Sie Ihr Passwort zurück");
  expect(mail.text).toContain("Über diesen Link wählen Sie ein neues Passwort:");
  expect(linkIn(mail).origin).toBe(gateway.url);
});

test("a server that does not write mails in languages is not told the user's", {
  tags: ["variant"],
}, async () => {
  const page = await visit("ja-JP");
  const languageCalls: string[] = [];
  page.on("request", (request) => {
    if (request.url().endsWith("/api/user/language")) languageCalls.push(request.method());
  });
  await page.route("**/api/status", async (route) => {
    const reply = await route.fetch();
    const { data, ...envelope } = await reply.json();
    await route.fulfill({ json: { ...envelope, data: { ...data, features: undefined } } });
  });
  // A stored status precedes the one in the page; the reply above replaces it.
  await page.addInitScript("localStorage.setItem('status', '{}')");
  await page.goto("/login");
  await page.getByLabel("ユーザー名").fill("mira");
  await page.getByLabel("パスワード", { exact: true }).fill(password);
  await page.getByRole("button", { name: "ログイン", exact: true }).click();
  await heading(page, "ダッシュボード").waitFor();
  await choose(page, "言語", "Français");
  await heading(page, "Tableau de bord").waitFor();
  expect(languageCalls).toEqual([]);
});

test("the screens fit in Chinese, and dates and numbers are written as ever", {
  tags: ["variant"],
}, async () => {
  const page = await visit("zh-CN");
  await page.goto("/login");
  await signInInChinese(page, password);
  await heading(page, "仪表盘").waitFor();
  const entries = page.getByRole("navigation", { name: "主导航" }).getByRole("link");
  await entries.last().waitFor();
  const paths = await entries.evaluateAll((links) =>
    links.map((link) => link.getAttribute("href") ?? ""),
  );
  for (const path of [...paths, "/tokens/add", "/channels/add"]) {
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.goto(path);
    const title = page.getByRole("heading", { level: 1 });
    await title.waitFor();
    await page.getByText("正在加载...").first().waitFor({ state: "detached" });
    expect(await title.innerText(), path).toMatch(/\p{Script=Han}/u);
    if (path === "/tokens") {
      const row = page.getByRole("row").filter({ hasText: "Service 24" });
      expect(await row.getByRole("time").first().innerText()).toMatch(
        /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/,
      );
      await row.getByText("$0.05", { exact: true }).waitFor();
    }
    for (const width of [1440, 1024, 768, 375]) await expectToFit(page, width);
  }
});

test("the screens fit in German, whose words are long, and numbers have its separators", {
  tags: ["variant"],
}, async () => {
  const page = await visit("de-DE");
  for (const path of ["/login", "/register", "/reset"]) {
    await page.goto(path);
    await page.getByRole("heading", { level: 1 }).waitFor();
    await expectToFit(page, 375);
  }
  await page.setViewportSize({ width: 1440, height: 900 });
  await openSignedIn(page, gateway.url, { username: "root", password, path: "/tokens" });
  const row = page.getByRole("row").filter({ hasText: "Service 24" });
  await row.getByText("$0,05", { exact: true }).waitFor();
  const name = page.getByRole("banner").getByText("Tollgate", { exact: true });
  for (const width of [1024, 1279, 1280, 1366, 1440, 1536]) {
    await expectToFit(page, width);
    expect(
      await name.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth),
      `the name at ${width} px`,
    ).toBe(0);
  }
  for (const path of [
    "/dashboard",
    "/channels",
    "/channels/add",
    "/logs",
    "/users",
    "/redemptions",
    "/settings",
  ]) {
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.goto(path);
    await page.getByRole("heading", { level: 1 }).waitFor();
    await page.getByText("Wird geladen …").first().waitFor({ state: "detached" });
    for (const width of [1440, 1024, 375]) await expectToFit(page, width);
  }
});
