// "Would this call work?" in the console: from a key, from a refused call in the log, and for a
// user who sees no channels.
import type { BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { eventually } from "../harness/eventually.ts";
import { type TestGateway, type TestUser, userPassword } from "../harness/test-gateway.ts";
import { startBrowserGateway } from "./browser-gateway.ts";
import { collectPageErrors, heading, openPage, signIn } from "./console-pages.ts";
import { inspectScreen } from "./inspect-page.ts";

let gateway: TestGateway;
let caller: TestUser;

beforeAll(async () => {
  gateway = await startBrowserGateway({ env: { INITIAL_ROOT_PASSWORD: "correct horse battery" } });
  await gateway.given.channel({
    key: "sim-ok+as-1",
    models: "small",
    priority: 2,
    name: "First choice",
  });
  await gateway.given.channel({
    key: "sim-ok+as-2",
    models: "small,vip",
    group: "vip",
    name: "For others",
  });
  caller = await gateway.given.user("mira", { quota: 1_000_000 });
  const { key } = await caller.token({ name: "search" });
  await gateway.chat(key, { model: "vip" });
  await eventually(async () => {
    const rows = await gateway.rows("select id from logs where type = 8");
    if (rows.length === 0) throw new Error("the refused call has no row yet");
  });
});
afterAll(() => gateway.close());

describe("whether a call would work", () => {
  let context: BrowserContext;
  let page: Page;
  let pageErrors: string[];
  const open = async (username: string, password: string, path: string) => {
    context = await gateway.newContext();
    page = await openPage(context);
    pageErrors = collectPageErrors(page);
    await page.goto(`/login?redirect_to=${encodeURIComponent(path)}`);
    await signIn(page, username, password);
  };
  const channels = () =>
    page.getByRole("list").filter({ hasText: "priority" }).getByRole("listitem");

  test("an administrator gets from a refused call to its reasons, and asks again about another model", async () => {
    await open("root", "correct horse battery", "/logs?type=8");
    await page.getByRole("row").filter({ hasText: "Refused" }).first().click();
    const dialog = page.getByRole("dialog", { name: "Request Trace" });
    const why = dialog.getByRole("region", { name: "Why not?" });
    await why
      .getByText("The model vip does not exist, or this API key has no access to it")
      .waitFor();
    await dialog.getByText("not for the group default").waitFor();
    await why.getByRole("link", { name: "Would this call work now?" }).click();
    await heading(page, "Would this call work?").waitFor();
    await page.getByText("This call would be refused with 404").waitFor();
    await page.getByText("not for the group default").waitFor();
    await inspectScreen(page, "call-check");
    await page.getByLabel("Model", { exact: true }).fill("small");
    await page.getByRole("button", { name: "Check", exact: true }).click();
    await page.getByText("This call would work").waitFor();
    expect(await channels().first().innerText()).toMatch(/1\s+First choice/);
    await page.getByText("For others").waitFor();
    await page.reload();
    await page.getByText("This call would work").waitFor();
    expect(pageErrors).toEqual([]);
  });

  test("a user asks about an own key from its row, and sees no channel", async () => {
    await open("mira", userPassword, "/tokens");
    await page
      .getByRole("row")
      .filter({ hasText: "search" })
      .getByRole("button", { name: /More|actions/i })
      .click();
    await page.getByRole("menuitem", { name: "Would a call work?" }).click();
    await page.getByText("What is checked").waitFor();
    await page.getByLabel("Model", { exact: true }).fill("small");
    await page.getByLabel("Longest answer in tokens").fill("12");
    await page.getByRole("button", { name: "Check", exact: true }).click();
    await page.getByText("1 channel would be tried.").waitFor();
    expect(await page.getByText("First choice").count()).toBe(0);
    await page.getByLabel("Model", { exact: true }).fill("none");
    await page.getByRole("button", { name: "Check", exact: true }).click();
    await page.getByText("This call would be refused with 404").waitFor();
    await page.getByText("No channel offers this model.").waitFor();
    expect(pageErrors).toEqual([]);
  });
});
