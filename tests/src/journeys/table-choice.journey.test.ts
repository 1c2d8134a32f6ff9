// Columns that a user chooses for a list, and views that they keep, on a server that knows of
// neither.
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { sharedBrowser } from "../harness/chromium.ts";
import { credentials, type ForeignServer, startForeignServer } from "../harness/foreign-server.ts";
import { openPage, pathOf, signIn } from "./console-pages.ts";
import { accessibilityViolations, expectToFit } from "./inspect-page.ts";

let browser: Browser;
let server: ForeignServer;
let visitor: BrowserContext;
let page: Page;

beforeAll(async () => {
  browser = await sharedBrowser();
});
beforeEach(async () => {
  server = await startForeignServer({ ids: "uuid", role: 1, usage: [] });
  for (const name of ["alpha", "beta", "gamma"]) server.addToken({ name, models: "gpt-5,o3" });
  visitor = await browser.newContext({
    baseURL: server.url,
    viewport: { width: 1440, height: 900 },
  });
  page = await openPage(visitor);
  await page.goto("/login?redirect_to=/tokens");
  await signIn(page, credentials.username, credentials.password);
  await page.getByRole("cell", { name: "beta", exact: true }).waitFor();
});
afterEach(async () => {
  await visitor.close();
  await server.close();
});

const headings = async () =>
  (await page.getByRole("columnheader").allInnerTexts()).map((text) => text.trim());
const byDefault =
  "ID,Name,Key,Status,Remaining Quota,Used Quota,Created,Last Access,Expires,Actions".split(",");
const choices = () => page.getByRole("button", { name: "Columns and views" });
const column = (name: string) => page.getByRole("menuitemcheckbox", { name, exact: true });
const item = (name: string) => page.getByRole("menuitem", { name, exact: true });

test("columns are chosen by keyboard, stay after a reload, and come back with one press", {
  tags: ["large"],
}, async () => {
  await choices().press("Enter");
  await column("ID").waitFor();
  expect(await column("ID").getAttribute("aria-checked")).toBe("true");
  expect(await column("Allowed Models").getAttribute("aria-checked")).toBe("false");
  // The name of the row is always shown.
  expect(await column("Name").count()).toBe(0);
  expect(await accessibilityViolations(page)).toEqual([]);
  await page.keyboard.press("a");
  await page.keyboard.press("Enter");
  await column("Created").press("Space");
  const chosen = [
    ...byDefault.filter((name) => name !== "Created" && name !== "Actions"),
    "Allowed Models",
    "Actions",
  ];
  await expect.poll(headings).toEqual(chosen);
  await page.keyboard.press("Escape");
  const focused = () => page.evaluate("document.activeElement?.getAttribute('aria-label')");
  await expect.poll(focused).toBe("Columns and views");
  // Another user of this browser has a choice of their own.
  const keys = await page.evaluate<string[]>("Object.keys(localStorage)");
  expect(keys).toContain("table_choice:0199aa10-0000-7000-8000-000000000007:/api/token/");
  await page.getByRole("cell", { name: "gpt-5, o3" }).first().waitFor();
  await expectToFit(page, 768);

  // On paper only what is read is left, and nothing scrolls.
  await page.emulateMedia({ media: "print" });
  await choices().waitFor({ state: "hidden" });
  expect(await page.getByRole("banner").count()).toBe(0);
  expect(
    await page.evaluate(
      "getComputedStyle(document.querySelector('table').parentElement).overflowX",
    ),
  ).toBe("visible");
  await page.emulateMedia({ media: "screen" });

  await page.setViewportSize({ width: 1440, height: 900 });
  await page.reload();
  await page.getByRole("cell", { name: "beta", exact: true }).waitFor();
  expect(await headings()).toEqual(chosen);
  await choices().click();
  await item("Reset columns").click();
  await expect.poll(headings).toEqual(byDefault);
});

test("a view keeps search, sorting and columns under a name, and shows them again", {
  tags: ["large"],
}, async () => {
  await page.getByRole("columnheader", { name: "Name" }).getByRole("button").click();
  await choices().click();
  await column("Key").click();
  await item("Keep this view...").click();
  const dialog = page.getByRole("dialog", { name: "Views of this list" });
  await dialog.getByLabel("Name of the view").fill("By name");
  expect(await accessibilityViolations(page)).toEqual([]);
  await page.keyboard.press("Enter");
  await dialog.waitFor({ state: "detached" });

  await choices().click();
  const view = page.getByRole("menuitemradio", { name: "By name" });
  expect(await view.getAttribute("aria-checked")).toBe("true");
  await item("Reset columns").click();
  await page.goto("/tokens");
  await page.getByRole("cell", { name: "beta", exact: true }).waitFor();
  expect(await headings()).toEqual(byDefault);

  // On a phone the opened row has every column; the views are there, and the order, for which no
  // heading is.
  await page.setViewportSize({ width: 375, height: 812 });
  await page.getByRole("button", { name: "beta", exact: true }).click();
  await page.getByText("Allowed Models", { exact: true }).waitFor();
  const order = page.getByRole("button", { name: "Order and views", exact: true });
  await order.click();
  expect(await page.getByRole("menuitemcheckbox").count()).toBe(0);
  await view.click();
  await expect.poll(() => pathOf(page)).toBe("/tokens?sort=name");
  await order.click();
  await page.getByRole("menuitemradio", { name: "Ascending" }).click();
  await expect.poll(() => pathOf(page)).toBe("/tokens?sort=name&order=asc");
  await order.click();
  expect(
    await page
      .getByRole("menuitemradio", { name: "Name", exact: true })
      .getAttribute("aria-checked"),
  ).toBe("true");
  await view.click();
  await expect.poll(() => pathOf(page)).toBe("/tokens?sort=name");
  await expectToFit(page, 375);
  await page.setViewportSize({ width: 1440, height: 900 });
  await expect.poll(headings).toEqual(byDefault.filter((name) => name !== "Key"));

  await choices().click();
  await item("Keep or remove views...").click();
  await dialog.getByRole("button", { name: "Remove the view By name" }).click();
  await dialog.getByRole("list", { name: "Kept views" }).waitFor({ state: "detached" });
});
