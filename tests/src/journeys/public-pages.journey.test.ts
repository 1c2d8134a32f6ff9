// The operator's public texts, in a browser that would run their scripts if it could.

import { createToken } from "@tollgate/contract/accounts/tokens.ts";
import { createUser } from "@tollgate/contract/accounts/user-admin.ts";
import { createChannel } from "@tollgate/contract/catalogue/channels.ts";
import { updateOption } from "@tollgate/contract/site/options.ts";
import type { BrowserContext, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import packageJson from "../../../console/package.json" with { type: "json" };
import type { ApiSession } from "../harness/api-session.ts";
import type { TestGateway } from "../harness/test-gateway.ts";
import { startBrowserGateway } from "./browser-gateway.ts";
import {
  collectPageErrors,
  heading,
  navigationLink,
  openPage,
  pathOf,
  signIn,
} from "./console-pages.ts";
import { accessibilityViolations, expectToFit, inspectScreen } from "./inspect-page.ts";
import { keyboardFaults } from "./keyboard-walk.ts";

let gateway: TestGateway;
let api: ApiSession;
let visitor: BrowserContext;
let page: Page;
let pageErrors: string[];

const password = "correct horse battery";
const elsewhere = "https://pages.example.com/welcome";
const richText =
  "# Hello\n\n**Prices** at [models](/models), [help](https://help.example.com).\n\n| a | b |\n|---|---|\n| 1 | 2 |";

const set = (key: string, value: string) => api.call(updateOption, { body: { key, value } });
const inWindow = <T>(script: string): Promise<T> => page.evaluate<T>(script);
const stored = (key: string) =>
  inWindow<string | null>(`localStorage.getItem(${JSON.stringify(key)})`);
const notice = () => page.getByRole("region", { name: "Notice" });
const answerWith = (path: string, data: unknown) =>
  page.route(`**${path}`, (route) => route.fulfill({ json: { success: true, message: "", data } }));

beforeAll(async () => {
  gateway = await startBrowserGateway({ env: { INITIAL_ROOT_PASSWORD: password } });
  api = await gateway.signIn("root", password);
});
afterAll(() => gateway.close());
beforeEach(async () => {
  visitor = await gateway.newContext();
  page = await openPage(visitor);
  pageErrors = collectPageErrors(page);
  // The rest of the world, as far as these pages know it.
  await page.route(/^https:\/\//, (route) =>
    route.fulfill({
      contentType: "text/html",
      body: "<title>elsewhere</title><p>Another site</p>",
    }),
  );
});
afterEach(() => visitor.close());

async function signInAsRoot(path = "/dashboard"): Promise<void> {
  await page.goto(`/login?redirect_to=${encodeURIComponent(path)}`);
  await signIn(page, "root", password);
  await expect.poll(() => pathOf(page)).toBe(path);
}

async function expectFrame(title: string, address: string): Promise<void> {
  const frame = page.locator(`iframe[title="${title}"]`);
  await frame.contentFrame().getByText("Another site").waitFor();
  expect(await frame.getAttribute("src")).toBe(address);
  const flags = (await frame.getAttribute("sandbox"))?.split(" ").sort();
  expect(flags).toEqual(["allow-forms", "allow-popups", "allow-same-origin", "allow-scripts"]);
  const room = await inWindow<number>("document.documentElement.clientWidth");
  expect(await frame.boundingBox()).toEqual({ x: 0, y: 64, width: room, height: 900 - 64 });
  expect(await page.title()).toBe(`${title} · Tollgate`);
}

describe("the home page", () => {
  test("of a new installation welcomes, names the API's address and leads on", async () => {
    await page.goto("/");
    await heading(page, "Tollgate").waitFor();
    await page.getByText(`${gateway.url}/v1`, { exact: true }).waitFor();
    await page.getByText(`curl ${gateway.url}/v1/chat/completions`).waitFor();
    expect(await page.title()).toBe("Home · Tollgate");
    await inspectScreen(page, "home");
    await page.getByRole("main").getByRole("link", { name: "See models and prices" }).click();
    await heading(page, "Models").waitFor();
    await page.goBack();
    await page.getByRole("main").getByRole("link", { name: "Sign In" }).click();
    await signIn(page, "root", password);
    await heading(page, "Dashboard").waitFor();
    await page.getByRole("link", { name: "Tollgate Home" }).click();
    await page.getByRole("link", { name: "Go to the dashboard" }).waitFor();
    expect(pageErrors).toEqual([]);
  });

  test("shows the operator's markdown, keeps it, and shows it before the gateway has answered", async () => {
    await set("HomePageContent", richText);
    await page.goto("/");
    await heading(page, "Hello").waitFor();
    const help = page.getByRole("link", { name: "help" });
    expect(await help.getAttribute("target")).toBe("_blank");
    expect(await help.getAttribute("rel")).toContain("noopener");
    await inspectScreen(page, "home of the operator", { isWalked: false });
    expect(await stored("home_page_content")).toBe(richText);
    expect(await stored("home_page_content_html")).toContain("<strong>Prices</strong>");

    const answers = Promise.withResolvers<void>();
    await page.route("**/api/home_page_content", (route) =>
      answers.promise.then(() => route.continue()),
    );
    await inWindow('localStorage.setItem("home_page_content_html", "<p>Kept from before</p>")');
    await page.reload();
    await page.getByText("Kept from before").waitFor();
    answers.resolve();
    await heading(page, "Hello").waitFor();
    expect(await stored("home_page_content_html")).not.toContain("Kept");

    // Without the rendering, the text alone is enough.
    await inWindow('localStorage.removeItem("home_page_content_html")');
    await page.unroute("**/api/home_page_content");
    await page.route("**/api/home_page_content", (route) => route.abort());
    await page.reload();
    await heading(page, "Hello").waitFor();
    expect(await stored("home_page_content_html")).toContain("<strong>Prices</strong>");
    // Only the failed refresh is reported, and only in the browser's console.
    expect(pageErrors.filter((error) => !error.includes("home_page_content"))).toEqual([]);
    expect(pageErrors).not.toEqual([]);
  });

  test("shows the operator's new text when it changes, and the welcome when there is none", {
    tags: ["large"],
  }, async () => {
    await set("HomePageContent", "First words");
    await page.goto("/");
    await page.getByText("First words").waitFor();
    await set("HomePageContent", "");
    await page.reload();
    await heading(page, "Tollgate").waitFor();
    await page.getByText("Base URL", { exact: true }).waitFor();
    expect(await stored("home_page_content")).toBe("");
    expect(await stored("home_page_content_html")).toBe("");
    expect(pageErrors).toEqual([]);
  });

  test("frames an https address over the whole window below the header, never one of our own", async () => {
    await set("HomePageContent", elsewhere);
    await page.goto("/");
    await expectFrame("Home", elsewhere);
    await expectToFit(page, 375);
    const own = `${gateway.url.replace("http:", "https:")}/dashboard`;
    await answerWith("/api/home_page_content", own);
    await page.reload();
    await page.getByRole("main").getByRole("link", { name: own }).waitFor();
    expect(await page.locator("iframe").count()).toBe(0);
    await set("HomePageContent", "");
    expect(pageErrors).toEqual([]);
  });
});

describe("about, chat and footer", () => {
  test("about shows its default, the operator's HTML or a frame, and an error when it could not be loaded", {
    tags: ["large"],
  }, async () => {
    await signInAsRoot("/about");
    await heading(page, "About").waitFor();
    await page.getByText("Welcome to Tollgate").waitFor();
    expect(
      await page.getByRole("main").getByRole("link", { name: "See models and prices" }).count(),
    ).toBe(1);
    await inspectScreen(page, "about");

    await page.route("**/api/about", (route) => route.abort());
    // Nothing is stored, or that there is no content.
    for (const stored of [
      'localStorage.removeItem("about")',
      'localStorage.setItem("about", "")',
    ]) {
      await inWindow(stored);
      await page.reload();
      await page
        .getByRole("alert")
        .getByText("About content failed to load.", { exact: true })
        .waitFor();
      await page.getByText("Welcome to Tollgate").waitFor();
    }
    await page.getByText("Welcome to Tollgate").waitFor();
    await page.unroute("**/api/about");
    await set("About", "<h2>Who we are</h2><p>Two people.</p>");
    await page.getByRole("button", { name: "Retry" }).click();
    await page.getByRole("heading", { level: 2, name: "Who we are" }).waitFor();
    expect(await page.getByRole("alert").count()).toBe(0);
    await inspectScreen(page, "about of the operator", { isWalked: false });

    await set("About", elsewhere);
    await page.reload();
    await expectFrame("About", elsewhere);
    await set("About", "");
  });

  test("chat is offered with a link only, and frames it", { tags: ["large"] }, async () => {
    await signInAsRoot("/chat");
    await heading(page, "Chat Not Available").waitFor();
    expect(await navigationLink(page, "Chat").count()).toBe(0);
    await inspectScreen(page, "chat without a link");
    await set("ChatLink", "https://chat.example.com/");
    await page.reload();
    await navigationLink(page, "Chat").waitFor();
    await expectFrame("Chat", "https://chat.example.com/");
    expect(await stored("chat_link")).toBe("https://chat.example.com/");
    await set("ChatLink", "");
    await page.reload();
    await heading(page, "Chat Not Available").waitFor();
    expect(await stored("chat_link")).toBeNull();
    expect(pageErrors).toEqual([]);
  });

  test("the footer has year, name and version, and the operator's own text above them", {
    tags: ["large"],
  }, async () => {
    await set(
      "Footer",
      '<p style="position:fixed">Run by <a href="https://us.example.com">us</a></p>',
    );
    await page.goto("/");
    const footer = page.getByRole("contentinfo");
    await footer.getByRole("link", { name: "us" }).waitFor();
    await footer
      .getByText(`© ${new Date().getFullYear()} Tollgate. All rights reserved.`)
      .waitFor();
    expect(await footer.getByText(`Version ${packageJson.version}`).isVisible()).toBe(true);
    expect(await footer.locator("[style]").count()).toBe(0);
    await inspectScreen(page, "footer", { isWalked: false });
    await page.setViewportSize({ width: 1023, height: 800 });
    expect(await footer.getByText(`Version ${packageJson.version}`).isVisible()).toBe(false);
    await set("Footer", "");
    expect(pageErrors).toEqual([]);
  });
});

describe("the notice", () => {
  test("stands below the navigation until it is put away, and comes back with another text", {
    tags: ["large"],
  }, async () => {
    await set("Notice", "Maintenance on **Sunday**.");
    await page.goto("/");
    await notice().getByText("Maintenance on Sunday.").waitFor();
    const header = await page.getByRole("banner").boundingBox();
    expect((await notice().boundingBox())?.y).toBeGreaterThanOrEqual(
      (header?.y ?? 0) + (header?.height ?? 0),
    );
    await inspectScreen(page, "notice", { isWalked: false });
    await page.reload();
    await notice().getByRole("button", { name: "Dismiss notice" }).click();
    await notice().waitFor({ state: "detached" });
    await page.reload();
    await heading(page, "Tollgate").waitFor();
    expect(await notice().count()).toBe(0);
    await set("Notice", "Done.\n\n".repeat(60));
    await page.reload();
    await notice().waitFor();
    expect((await notice().boundingBox())?.height).toBeLessThan(340);
    await set("Notice", "");
    expect(pageErrors).toEqual([]);
  });
});

describe("the model page", () => {
  beforeAll(async () => {
    const many = Array.from({ length: 500 }, (_, place) => `model-${place}`);
    const priced = {
      painter: {
        ratio: 2,
        completion_ratio: 1,
        image: { price_per_image_usd: 0.04 },
        max_tokens: 128_000,
      },
    };
    const add = (name: string, type: number, models: string, more: object = {}) =>
      api.call(createChannel, { body: { name, type, key: "sk-x", models, ...more } });
    await add("West: main", 36, "gratis,painter,gpt-4o,nobody-knows", {
      model_configs: JSON.stringify({ ...priced, gratis: { ratio: 0, max_tokens: 1_000_000 } }),
    });
    await add("Bulk", 20, many.join(","));
  });

  test("shows visitors what there is by provider, with prices that cannot be misread", async () => {
    await set("HomePageContent", "");
    await page.goto("/");
    const offer = page.getByRole("region", { name: "504 models" });
    await expect.poll(() => offer.getByRole("listitem").count()).toBe(6);
    await offer.getByText("$0 / $0").waitFor();
    await inspectScreen(page, "home with models", { isWalked: false });
    await page.goto("/models");
    const table = page.getByRole("table", { name: "DeepSeek", exact: true });
    await table.waitFor();
    const row = (name: string) => table.getByRole("row").filter({ hasText: name });
    expect((await row("gratis").innerText()).split(/\s+/)).toEqual([
      "gratis",
      "Free",
      "Free",
      "Free",
      "-",
      "1M",
    ]);
    const painter = (await row("painter").innerText()).split(/\s+/);
    expect(painter).toEqual(["painter", "$4.00", "$4.00", "$4.00", "$0.04", "128K"]);
    expect(await row("gpt-4o").innerText()).toMatch(/\$2\.50\s+\$1\.25\s+\$10\.00\s+-\s+16\.4K/);
    expect(await row("gpt-4o").getByText("Unverified price").count()).toBe(0);
    await row("nobody-knows").getByText("Unverified price").waitFor();
    expect(await page.getByText("West").count()).toBe(0);
    await page.getByText("504 models").waitFor();
    expect(await keyboardFaults(page)).toEqual([]);
    await page.setViewportSize({ width: 768, height: 900 });
    const name = row("painter").getByText("painter", { exact: true });
    expect((await name.boundingBox())?.height, "a name in one line").toBeLessThan(30);
    await page.setViewportSize({ width: 1440, height: 900 });

    await page.getByRole("searchbox", { name: "Search models" }).fill("deepseek gpt");
    await page.getByText("1 model", { exact: true }).first().waitFor();
    expect(await page.getByRole("table").count()).toBe(1);
    await inspectScreen(page, "models");
    await page.getByRole("searchbox").fill("nothing like it");
    await page.getByText("No models found", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Clear search" }).click();
    await page.getByText("504 models").waitFor();
    expect(pageErrors).toEqual([]);
  });

  test("shows administrators their channels", { tags: ["large"] }, async () => {
    await signInAsRoot("/models");
    await page.getByRole("table", { name: "DeepSeek · West: main" }).waitFor();
    await page.setViewportSize({ width: 375, height: 800 });
    const list = page.getByRole("list", { name: "DeepSeek · West: main" });
    await list.getByRole("listitem").filter({ hasText: "painter" }).getByText("$0.04").waitFor();
    await page.getByRole("button", { name: "More about models" }).click();
    await page.getByRole("menuitem", { name: "Edit prices" }).click();
    await heading(page, "Prices").waitFor();
  });

  test("one model has a page, from which it is switched off on every channel, and on again", async () => {
    await signInAsRoot("/models");
    const table = page.getByRole("table", { name: "DeepSeek · West: main" });
    await table.getByRole("link", { name: "painter" }).click();
    await heading(page, "painter").waitFor();
    const serving = page.getByRole("region", { name: "Channels that serve it" });
    await serving.getByRole("link", { name: "West: main" }).waitFor();
    await page
      .getByRole("region", { name: "The last 7 days" })
      .getByText("No calls in these days")
      .waitFor();
    await page
      .getByRole("region", { name: "Latest calls" })
      .getByText("No calls in the last 30 days")
      .waitFor();
    await page
      .getByRole("region", { name: "Prices per 1M tokens" })
      .getByText("$4.00")
      .first()
      .waitFor();
    await inspectScreen(page, "model");
    await serving.getByRole("button", { name: "Switch off everywhere" }).click();
    const dialog = page.getByRole("dialog", { name: "Switch off everywhere" });
    await dialog.getByText("1 row changes").waitFor();
    await inspectScreen(page, "model switched off", { isWalked: false });
    await dialog.getByRole("button", { name: "Switch off everywhere (1)" }).click();
    await serving.getByText("No channel offers this model.").waitFor();
    await page.getByRole("button", { name: "Undo" }).click();
    await serving.getByRole("link", { name: "West: main" }).waitFor();
    await page.getByRole("link", { name: "Try it" }).click();
    await expect
      .poll(() => page.getByRole("combobox", { name: "Model" }).inputValue())
      .toBe("painter");
    await page.goto("/models");
    await page.getByRole("main").getByRole("link", { name: "Playground", exact: true }).click();
    await heading(page, "Playground").waitFor();
    expect(pageErrors).toEqual([]);
  });

  test("keeps a visitor whose old session has ended, and explains why it is empty", {
    tags: ["large"],
  }, async () => {
    await page.route("**/api/models/display", (route) =>
      route.fulfill({ json: { success: false, message: "not logged in", data: null } }),
    );
    await page.goto("/models");
    await page.getByRole("alert").getByText("The models could not be loaded").waitFor();
    await expect.poll(() => pathOf(page)).toBe("/models");
    await page.unroute("**/api/models/display");
    await answerWith("/api/models/display", {});
    await page.getByRole("button", { name: "Retry" }).click();
    await page.getByText("No models found", { exact: true }).waitFor();
    await expect.poll(() => pathOf(page)).toBe("/models");
  });
});

describe("the command palette", () => {
  const palette = () => page.getByRole("dialog", { name: "Go to" });
  const field = () => palette().getByRole("combobox", { name: "Page, action, name or id" });

  test("goes and acts by keyboard alone", async () => {
    await signInAsRoot();
    await page.getByRole("button", { name: "Open command palette" }).waitFor();
    await page.keyboard.press("Control+k");
    await field().and(page.locator(":focus")).waitFor();
    expect(await palette().getByRole("option").first().innerText()).toBe("Dashboard");
    expect(await accessibilityViolations(page)).toEqual([]);
    expect(await keyboardFaults(page)).toEqual([]);
    await field().fill("add tok");
    await palette().getByRole("option", { name: "Add Token", selected: true }).waitFor();
    const offered = await palette().getByRole("option").allInnerTexts();
    expect([offered[0], offered.at(-1)]).toEqual(["Add Token", "Search the logs for add tok"]);
    await field().press("Enter");
    await heading(page, "Create Token").waitFor();
    await palette().waitFor({ state: "detached" });

    await page.keyboard.press("Control+k");
    await field().fill("dark");
    await field().press("Enter");
    await expect.poll(() => inWindow("document.documentElement.dataset.theme")).toBe("dark");

    await page.keyboard.press("Control+k");
    await field().press("ArrowUp");
    const chosen = await field().getAttribute("aria-activedescendant");
    const last = palette().getByRole("option").last();
    expect(await last.getAttribute("id")).toBe(chosen);
    await field().fill("~");
    await palette().getByText("Nothing matches.").waitFor();
    await page.keyboard.press("Escape");
    await palette().waitFor({ state: "detached" });

    await page.getByRole("button", { name: "Open command palette" }).click();
    await palette().getByRole("option", { name: "Models" }).click();
    await heading(page, "Models").waitFor();
    expect(pageErrors).toEqual([]);
  });

  test("finds channels, keys, users and models by a part of their name, and entries of the log", {
    tags: ["large"],
  }, async () => {
    await api.call(createChannel, {
      body: { name: "Orchard mirror", type: 1, key: "sk-0", models: "orchard-large" },
    });
    await api.call(createToken, { body: { name: "Orchard key" } });
    await api.call(createUser, { body: { username: "orchard", password } });
    await signInAsRoot();
    await navigationLink(page, "Tokens").waitFor();
    await page.keyboard.press("Control+k");
    await field().fill("orchard");
    for (const name of [/^Orchard mirror/, /^Orchard key/, /^orchard #/, /^orchard-large/])
      await palette().getByRole("option", { name }).first().waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
    await palette()
      .getByRole("option", { name: /^Orchard mirror/ })
      .click();
    await heading(page, "Orchard mirror").waitFor();
    await page.getByRole("tab", { name: "Overview", selected: true }).waitFor();

    await page.keyboard.press("Control+k");
    await field().fill("orchard-lar");
    await palette().getByRole("option", { name: "orchard-large", selected: true }).waitFor();
    await field().press("Enter");
    await heading(page, "Models").waitFor();
    expect(await page.getByLabel("Search models").inputValue()).toBe("orchard-large");

    await page.keyboard.press("Control+k");
    await field().fill("req-7f");
    await palette().getByRole("option", { name: "Search the logs for req-7f" }).click();
    await expect.poll(() => pathOf(page)).toBe("/logs?keyword=req-7f");
    expect(pageErrors).toEqual([]);
  });

  test("sends no whole key to a search", async () => {
    await signInAsRoot();
    await navigationLink(page, "Tokens").waitFor();
    const searched: string[] = [];
    page.on("request", (request) => searched.push(request.url()));
    await page.keyboard.press("Control+k");
    await field().fill(`sk-${"a".repeat(48)}`);
    await palette().getByText("Nothing matches.").waitFor();
    // Typed after it, this is searched for: by then the key would have been, too.
    await field().fill("orchard");
    await expect
      .poll(() => searched.filter((url) => url.includes("keyword=orchard")).length)
      .toBeGreaterThan(0);
    expect(searched.filter((url) => url.includes("aaaa"))).toEqual([]);
  });

  test("offers no user what their role forbids, and visitors nothing", async () => {
    await signInAsRoot();
    await navigationLink(page, "Channels").waitFor();
    // An account that arrives later would replace the stored one.
    await page.waitForLoadState("networkidle");
    await inWindow(
      `localStorage.setItem("user", JSON.stringify({ ...JSON.parse(localStorage.getItem("user")), role: 1 }))`,
    );
    await page.route("**/api/user/self", (route) => route.abort());
    await page.goto("/about");
    await navigationLink(page, "Tokens").waitFor();
    await page.keyboard.press("Control+k");
    await palette().getByRole("option", { name: "Add Token" }).waitFor();
    for (const name of ["Channels", "Add Channel", "Add User", "Settings", "Generate Codes"])
      expect(await palette().getByRole("option", { name, exact: true }).count(), name).toBe(0);
    await field().fill("logout");
    await field().press("Enter");
    await expect.poll(() => pathOf(page)).toBe("/login");
    await page.keyboard.press("Control+k");
    expect(await page.getByRole("dialog").count()).toBe(0);
  });
});

describe("keys", () => {
  const sheet = () => page.getByRole("dialog", { name: "Keyboard shortcuts" });

  test("go to pages and searches, are listed behind ?, and do nothing in fields", {
    tags: ["large"],
  }, async () => {
    await signInAsRoot("/tokens");
    // The list of shortcuts loads after the page: the key is pressed until it is read.
    await expect
      .poll(async () => {
        if (!(await sheet().isVisible())) await page.keyboard.press("?");
        return sheet().isVisible();
      })
      .toBe(true);
    await sheet().getByText("Search in the list").waitFor();
    await inspectScreen(page, "shortcuts");
    await page.keyboard.press("Escape");
    await sheet().waitFor({ state: "detached" });

    const search = page.getByRole("combobox", { name: "Search tokens" });
    await page.keyboard.press("/");
    await search.and(page.locator(":focus")).waitFor();
    await page.keyboard.type("gl?");
    expect(await search.inputValue()).toBe("gl?");
    await expect.poll(() => pathOf(page)).toBe("/tokens");
    expect(await sheet().count()).toBe(0);
    await search.blur();
    await page.keyboard.press("g");
    await page.keyboard.press("l");
    await heading(page, "Logs").waitFor();

    await page.getByRole("button", { name: "Account menu" }).click();
    await page.getByRole("menuitem", { name: "Keyboard shortcuts" }).click();
    await sheet().getByRole("checkbox", { name: "Use single keys as shortcuts" }).uncheck();
    await page.keyboard.press("Escape");
    await sheet().waitFor({ state: "detached" });
    await page.keyboard.press("g");
    await page.keyboard.press("t");
    await page.keyboard.press("?");
    // The palette has keys of its own, which work on: by now the others would have, too.
    await page.keyboard.press("Control+k");
    await page.getByRole("dialog", { name: "Go to" }).waitFor();
    expect(await sheet().count()).toBe(0);
    await expect.poll(() => pathOf(page)).toBe("/logs");
    expect(pageErrors).toEqual([]);
  });
});
