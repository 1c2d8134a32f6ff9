// A key is paused and resumed: by its owner, alone and with others, and by an administrator; its
// holder reads why.
import { createToken } from "@tollgate/contract/accounts/tokens.ts";
import { createUser, topUpUser } from "@tollgate/contract/accounts/user-admin.ts";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { TestGateway } from "../harness/test-gateway.ts";
import { startBrowserGateway } from "./browser-gateway.ts";
import { collectPageErrors, heading, openPage, openSignedIn, pathOf } from "./console-pages.ts";
import { accessibilityViolations, inspectScreen, waitUntilStill } from "./inspect-page.ts";

const password = "correct horse battery";
let gateway: TestGateway;
let page: Page;
let pageErrors: string[];
let key: string;

beforeAll(async () => {
  gateway = await startBrowserGateway({ env: { INITIAL_ROOT_PASSWORD: password } });
  const root = await gateway.signIn("root", password);
  const mira = (await root.call(createUser, { body: { username: "mira", password } })).data;
  await root.call(topUpUser, { body: { user_id: mira.id, quota: 1_000 } });
  const client = await gateway.signIn("mira", password);
  key = (await client.call(createToken, { body: { name: "Laptop", unlimited_quota: true } })).data
    .key;
  await client.call(createToken, { body: { name: "Server", unlimited_quota: true } });
});
afterAll(() => gateway.close());
beforeEach(async () => {
  page = await openPage(await gateway.newContext());
  pageErrors = collectPageErrors(page);
});

const statusOfCall = async (): Promise<number> =>
  (await fetch(`${gateway.url}/v1/models`, { headers: { authorization: `Bearer ${key}` } })).status;
const row = (name: string) => page.getByRole("row").filter({ hasText: name });
const choose = async (owner: string, item: string) => {
  await page.getByRole("button", { name: `More actions for ${owner}` }).click();
  await page.getByRole("menuitem", { name: item }).click();
};

test("the owner pauses a key with a reason, its holder reads it, and the owner resumes it", async () => {
  await openSignedIn(page, gateway.url, { username: "mira", password, path: "/tokens" });
  await heading(page, "Tokens").waitFor();
  await choose("Laptop", "Pause");
  const dialog = page.getByRole("dialog", { name: "Pause Laptop" });
  await dialog
    .getByLabel("Reason, which its callers read too (optional)")
    .fill("It loops at night");
  // Not at other widths: the row, and the dialog with it, is another element there.
  await waitUntilStill(page);
  expect(await accessibilityViolations(page)).toEqual([]);
  await dialog.getByRole("button", { name: "Pause" }).click();
  await row("Laptop").getByText("Paused").waitFor();
  await row("Laptop").getByText("by mira: It loops at night").waitFor();
  await expect.poll(statusOfCall).toBe(403);
  await inspectScreen(page, "tokens with a paused key");

  await row("Laptop").getByRole("link", { name: "Edit" }).click();
  await page.getByRole("status").filter({ hasText: "The key is paused" }).waitFor();
  await page.getByRole("button", { name: "Update Token" }).click();
  await expect.poll(() => pathOf(page)).toBe("/tokens");
  await row("Laptop").getByText("Paused").waitFor();

  await page.goto("/key");
  await page.getByLabel("API key", { exact: true }).fill(key);
  await page.getByRole("button", { name: "Show", exact: true }).click();
  const facts = page.getByRole("region", { name: "Laptop" });
  await facts.getByText("Calls are refused until the key is resumed.").waitFor();
  await facts.getByText("It loops at night").waitFor();
  await facts.getByText("Nothing is kept").waitFor();
  await inspectScreen(page, "key of a holder, paused");

  await page.goto("/tokens");
  await choose("Laptop", "Resume");
  const resuming = page.getByRole("dialog", { name: "Resume Laptop" });
  await resuming.getByText("by mira: It loops at night").waitFor();
  await resuming.getByRole("button", { name: "Resume" }).click();
  await row("Laptop").getByText("Enabled").waitFor();
  await expect.poll(statusOfCall).toBe(200);
  expect(pageErrors).toEqual([]);
});

test("the owner pauses several at once and takes it back", { tags: ["large"] }, async () => {
  await openSignedIn(page, gateway.url, { username: "mira", password, path: "/tokens" });
  await page.getByRole("checkbox", { name: "Select Laptop" }).check();
  await page.getByRole("checkbox", { name: "Select Server" }).check();
  await page.getByRole("button", { name: "Pause", exact: true }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Reason, which its callers read too (optional)").fill("Holidays");
  await dialog.getByRole("button", { name: "Preview" }).click();
  await dialog.getByRole("button", { name: "Pause (2)" }).click();
  await row("Server").getByText("by mira: Holidays").waitFor();
  await page.getByRole("button", { name: "Undo" }).click();
  await row("Server").getByText("Enabled").waitFor();
  await row("Laptop").getByText("Enabled").waitFor();
  expect(pageErrors).toEqual([]);
});

test("an administrator pauses the key of another user, who reads at the next sign-in that it is", async () => {
  await openSignedIn(page, gateway.url, { username: "root", password, path: "/tokens?scope=all" });
  await choose("mira: Server", "Pause");
  const dialog = page.getByRole("dialog", { name: "Pause Server" });
  await dialog.getByText("mira gets a notice.").waitFor();
  await dialog.getByRole("button", { name: "Pause" }).click();
  await row("Server").getByText("by root").waitFor();
  await inspectScreen(page, "all keys with a paused one");
  expect(pageErrors).toEqual([]);

  page = await openPage(await gateway.newContext());
  await openSignedIn(page, gateway.url, { username: "mira", password, path: "/tokens" });
  await page
    .getByText("Server was paused: programs that use it are refused until it is resumed.")
    .waitFor();
  await row("Server").getByText("by an administrator").waitFor();
});
