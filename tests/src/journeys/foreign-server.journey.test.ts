import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect, onTestFinished, test } from "vitest";
import { sharedBrowser } from "../harness/chromium.ts";
import {
  credentials,
  defaultRoot,
  type ForeignServer,
  type IdForm,
  startForeignServer,
} from "../harness/foreign-server.ts";
import { describeVariants } from "../support/variants.ts";
import {
  closeUseKey,
  collectPageErrors,
  heading,
  navigationLink,
  openPage,
  pathOf,
  readTable,
  signIn,
} from "./console-pages.ts";

const administrator = 10;
const today = new Date().toISOString().slice(0, 10);
const usage = [
  {
    Day: today,
    ModelName: "gpt-4o-mini",
    RequestCount: 12,
    Quota: 8_400,
    PromptTokens: 9_100,
    CompletionTokens: 1_500,
  },
];

let browser: Browser;
beforeAll(async () => {
  browser = await sharedBrowser();
});

describeVariants<IdForm>(["integer", "uuid"])(
  "on a server that speaks the %s form alone",
  (ids) => {
    let server: ForeignServer;
    let visitor: BrowserContext;
    let page: Page;
    let pageErrors: string[];
    beforeAll(async () => {
      server = await startForeignServer({
        ids,
        role: administrator,
        usage,
        isUsageBare: ids === "integer",
      });
    });
    afterAll(() => server.close());
    beforeEach(async () => {
      visitor = await browser.newContext({
        baseURL: server.url,
        viewport: { width: 1440, height: 900 },
      });
      page = await openPage(visitor);
      pageErrors = collectPageErrors(page);
      await page.goto("/login");
      await signIn(page, credentials.username, credentials.password);
      await heading(page, "Dashboard").waitFor();
    });
    afterEach(() => visitor.close());

    test("an administrator without access to all users sees their own usage, and no user to choose", {
      tags: ["large"],
    }, async () => {
      await page.getByText("12", { exact: true }).first().waitFor();
      await page.getByText("estimated").waitFor();
      expect(await page.getByLabel("User", { exact: true }).count()).toBe(0);
      expect(await page.getByRole("alert").count()).toBe(0);
      await page.getByText("$1.50").waitFor();
      await page.getByText("Active", { exact: true }).waitFor();
      // The week of all users, and a range without any usage.
      await page
        .getByRole("button", { name: "30D" })
        .and(page.locator("[aria-disabled=true]"))
        .waitFor();
      const yesterday = new Date(Date.parse(today) - 86_400_000).toISOString().slice(0, 10);
      await page.getByLabel("From").fill(yesterday);
      await page.getByLabel("To", { exact: true }).fill(yesterday);
      await page.getByRole("button", { name: "Apply" }).click();
      await page.getByText("No efficiency data available").waitFor();
      expect(pageErrors).toEqual([]);
    });

    test("a token is created, changed, switched and deleted, and a limit is shown with the server's message", async () => {
      await navigationLink(page, "Tokens").click();
      await page.getByText("No tokens found. Create your first token to get started.").waitFor();
      await page.getByRole("link", { name: "Add Token" }).first().click();
      await page.getByLabel("Token Name").fill("ci");
      await page.getByLabel("gpt-4o-mini", { exact: true }).check();
      await page.getByLabel("IP Restriction (Optional)").fill("192.168.1.7");
      server.limit(true);
      await page.getByRole("button", { name: "Create Token" }).click();
      await page.getByRole("alert").getByText("Too many requests (request id: 2026)").waitFor();
      server.limit(false);
      await page.getByRole("button", { name: "Create Token" }).click();
      await page.getByText("Token created successfully").waitFor();
      await closeUseKey(page);
      const [token] = server.tokens;
      if (token === undefined) throw new Error("no token was made");
      expect(token).toMatchObject({
        models: "gpt-4o-mini",
        subnet: "192.168.1.7/32",
        expired_time: -1,
      });
      const ref = String(ids === "integer" ? token.n : token.uuid);
      await expect
        .poll(async () => (await readTable(page, "Tokens"))[0])
        .toMatchObject({
          ID: ids === "integer" ? "1" : token.uuid.slice(-8),
          Name: "ci",
          Expires: "Never",
        });

      // As the older ones write a time that never comes; sent back, it would end the token.
      token.expired_time = 0;
      await page.getByRole("link", { name: "Edit" }).click();
      await heading(page, "Edit Token").waitFor();
      await expect.poll(() => pathOf(page)).toBe(`/tokens/edit/${ref}`);
      await page.getByLabel("Token Name").fill("ci two");
      await page.getByRole("button", { name: "Update Token" }).click();
      await page.getByText("Token updated successfully").waitFor();
      expect(token).toMatchObject({ name: "ci two", expired_time: -1, subnet: "192.168.1.7/32" });

      await page.getByRole("button", { name: "More actions for ci two" }).click();
      await page.getByRole("menuitem", { name: "Disable" }).click();
      await page.getByRole("row").filter({ hasText: "ci two" }).getByText("Disabled").waitFor();
      expect(server.asked).toContain("PUT /api/token/?status_only=1");

      await page.getByRole("button", { name: "More actions for ci two" }).click();
      await page.getByRole("menuitem", { name: "Delete" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
      await page.getByText("No tokens found. Create your first token to get started.").waitFor();
      expect(server.asked).toContain(`DELETE /api/token/${ref}`);
      // Chromium reports every refused request; this one is intended.
      expect(pageErrors.filter((error) => !/429|models\/display/.test(error))).toEqual([]);
    });

    test("the logs and a trace can be read", { tags: ["large"] }, async () => {
      await navigationLink(page, "Logs").click();
      const shown = {
        Type: "Consume",
        Token: "ci",
        "Prompt Tokens": "100",
        "Completion Tokens": "20",
      };
      await expect.poll(async () => (await readTable(page, "Logs"))[0] ?? {}).toMatchObject(shown);
      await page.getByRole("row").filter({ hasText: "gpt-4o-mini" }).click();
      const dialog = page.getByRole("dialog", { name: "Request Trace" });
      await dialog.getByRole("region", { name: "Timeline" }).waitFor();
      await dialog.getByText("2.79 s").first().waitFor();
      await dialog.getByRole("region", { name: "Moments" }).getByText("in total").waitFor();
      expect(await dialog.innerText()).not.toMatch(/undefined|NaN/);
      expect(pageErrors).toEqual([]);
    });

    test("when the session ends, its 401 leads to the sign-in", async () => {
      await page.getByText("$1.50").waitFor();
      await page.getByRole("button", { name: "Apply" }).waitFor();
      server.endSessions();
      await navigationLink(page, "Tokens").click();
      await expect.poll(() => pathOf(page)).toBe("/login?redirect_to=%2Ftokens");
    });
  },
);

test("the root of a server that still has the default password sees the own account with a warning until it is changed", {
  tags: ["large"],
}, async () => {
  const server = await startForeignServer({ ids: "integer", role: 100, usage });
  const visitor = await browser.newContext({ baseURL: server.url });
  onTestFinished(async () => {
    await visitor.close();
    await server.close();
  });
  const page = await openPage(visitor);
  await page.goto("/login?redirect_to=/tokens");
  await signIn(page, defaultRoot.username, defaultRoot.password);
  const warning = page.getByText("You signed in with the default password", { exact: true });
  await warning.waitFor();
  await expect.poll(() => pathOf(page)).toBe("/users/edit");
  await page.reload();
  await warning.waitFor();
  await expect.poll(() => pathOf(page)).toBe("/users/edit");
  expect(
    await page.getByRole("region", { name: "Profile" }).getByLabel("Username").inputValue(),
  ).toBe("root");

  await page.getByLabel("New Password", { exact: true }).fill("a better password");
  await page.getByLabel("Confirm New Password").fill("a better password");
  await page.getByRole("button", { name: "Change password" }).click();
  await warning.waitFor({ state: "hidden" });
  expect(server.asked).toContain("PUT /api/user/self");
});
