import { createToken } from "@tollgate/contract/accounts/tokens.ts";
import { createUser, topUpUser } from "@tollgate/contract/accounts/user-admin.ts";
import type { BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { TestGateway } from "../harness/test-gateway.ts";
import { startBrowserGateway } from "./browser-gateway.ts";
import {
  collectPageErrors,
  heading,
  openPage,
  openSignedIn,
  pathOf,
  readTable,
} from "./console-pages.ts";
import { accessibilityViolations, inspectScreen, waitUntilStill } from "./inspect-page.ts";

let gateway: TestGateway;
let visitor: BrowserContext;
let page: Page;
let pageErrors: string[];
let leaked: string;

const password = "correct horse battery";
const rows = () => page.getByRole("table", { name: "All keys" }).locator("tbody tr");
const statusOfCall = async (key: string): Promise<number> =>
  (await fetch(`${gateway.url}/v1/models`, { headers: { authorization: `Bearer ${key}` } })).status;

beforeAll(async () => {
  gateway = await startBrowserGateway({
    store: "postgres",
    env: { INITIAL_ROOT_PASSWORD: password },
  });
  const root = await gateway.signIn("root", password);
  const mira = (await root.call(createUser, { body: { username: "mira", password } })).data;
  await root.call(topUpUser, { body: { user_id: mira.id, quota: 1_000 } });
  await root.call(createToken, { body: { name: "Of root", unlimited_quota: true } });
  const client = await gateway.signIn("mira", password);
  leaked = (await client.call(createToken, { body: { name: "Laptop", unlimited_quota: true } }))
    .data.key;
  await client.call(createToken, { body: { name: "Server", unlimited_quota: true } });
  visitor = await gateway.newContext();
  page = await openPage(visitor);
  pageErrors = collectPageErrors(page);
  await openSignedIn(page, gateway.url, { username: "root", password, path: "/tokens" });
  await heading(page, "Tokens").waitFor();
});
afterAll(() => gateway.close());

test("an administrator finds the owner of a pasted key, which is in no address, and stops it", async () => {
  expect(await statusOfCall(leaked)).toBe(200);
  await page.getByRole("link", { name: "All keys" }).click();
  await expect.poll(() => rows().count()).toBe(3);
  await expect.poll(() => pathOf(page)).toBe("/tokens?scope=all");
  await inspectScreen(page, "all-keys");
  const asked: string[] = [];
  page.on("request", (request) => asked.push(request.url() + (request.postData() ?? "")));
  const search = page.getByPlaceholder("Owner, name, last four, or a key");
  await search.fill(leaked);
  await search.press("Enter");
  await expect.poll(() => rows().count()).toBe(1);
  expect(asked.filter((request) => request.includes(leaked.slice(3)))).toEqual([]);
  const [found] = await readTable(page, "All keys");
  expect(found).toMatchObject({
    Name: "Laptop",
    Owner: "mira",
    Key: `…${leaked.slice(-4)}`,
    Status: "Enabled",
  });

  await page.getByRole("button", { name: "More actions for mira: Laptop" }).click();
  await page.getByRole("menuitem", { name: "Disable" }).click();
  const dialog = page.getByRole("dialog", { name: "Disable Laptop" });
  await dialog
    .getByText("Programs of mira that use this key are refused at once. mira gets a notice.")
    .waitFor();
  await dialog.getByRole("button", { name: "Disable" }).click();
  await rows().getByText("Disabled").waitFor();
  await expect.poll(() => statusOfCall(leaked)).toBe(401);
});

test("finds keys by their owner, and replaces one", async () => {
  const search = page.getByPlaceholder("Owner, name, last four, or a key");
  await search.fill("MIR");
  await search.press("Enter");
  await expect.poll(() => rows().count()).toBe(2);
  await page.getByRole("button", { name: "More actions for mira: Server" }).click();
  await page.getByRole("menuitem", { name: "Replace key" }).click();
  const dialog = page.getByRole("dialog", { name: "Replace key Server" });
  await dialog.getByRole("button", { name: "Replace key" }).click();
  await page.getByText("The key Server of mira is replaced").waitFor();
  expect(pageErrors).toEqual([]);
  await visitor.close();
});

test("the owner reads at the next sign-in what happened, once", async () => {
  visitor = await gateway.newContext();
  page = await openPage(visitor);
  pageErrors = collectPageErrors(page);
  await openSignedIn(page, gateway.url, { username: "mira", password, path: "/" });
  const notice = page.getByRole("status").filter({ hasText: "An administrator changed your keys" });
  await notice.getByText("Laptop was disabled: programs that use it are refused.").waitFor();
  await notice.getByText(/^Server has a new key/).waitFor();
  await page.goto("/dashboard");
  await notice.getByText(/^Server has a new key/).waitFor();
  await notice.getByRole("button", { name: "I have read this" }).click();
  await notice.waitFor({ state: "detached" });
  await page.goto("/tokens");
  await page.getByRole("row").filter({ hasText: "Laptop" }).waitFor();
  expect(await notice.count()).toBe(0);
  // Whose keys is asked of administrators alone.
  expect(await page.getByRole("link", { name: "All keys" }).count()).toBe(0);
  await page.goto("/tokens?scope=all");
  await page.getByRole("row").filter({ hasText: "Laptop" }).waitFor();
  expect(pageErrors).toEqual([]);
});

test("the owner rotates a key, both work, and the old one is stopped before its time", async () => {
  const client = await gateway.signIn("mira", password);
  const { key: first } = (
    await client.call(createToken, { body: { name: "Robot", unlimited_quota: true } })
  ).data;
  await page.goto("/tokens");
  const row = page.getByRole("row").filter({ hasText: "Robot" });
  const openRotation = async () => {
    await row.getByRole("button", { name: "More actions for Robot" }).click();
    await page.getByRole("menuitem", { name: "Rotate key" }).click();
  };
  const dialog = page.getByRole("dialog", { name: "Rotate the key of Robot" });
  await openRotation();
  await dialog.getByLabel("The current key keeps working for").selectOption({ label: "7 days" });
  // Not at other widths: the row, and the dialog with it, is another element there.
  await waitUntilStill(page);
  expect(await accessibilityViolations(page)).toEqual([]);
  await dialog.getByRole("button", { name: "Rotate key" }).click();
  const second = await dialog.getByText(/^sk-/).innerText();
  await dialog.getByRole("button", { name: "Done" }).click();
  await row.getByText("old key works too").waitFor();
  expect([await statusOfCall(first), await statusOfCall(second)]).toEqual([200, 200]);

  await row.getByRole("link", { name: "Edit" }).click();
  await page.getByText(`The key that ends in ${first.slice(-4)} is refused from`).waitFor();
  await inspectScreen(page, "rotated-token");
  await page.goto("/tokens");
  await openRotation();
  await dialog.getByRole("button", { name: "Stop the old key" }).click();
  await page.getByText("The old key of Robot is stopped").waitFor();
  await row.getByText("old key works too").waitFor({ state: "detached" });
  await expect.poll(() => statusOfCall(first)).toBe(401);
  expect(await statusOfCall(second)).toBe(200);
  expect(pageErrors).toEqual([]);
});

test("keys to look at are listed with their findings, and the act on a key ends them", {
  tags: ["large"],
}, async () => {
  await page.goto("/tokens");
  await page.getByRole("link", { name: "Keys to review" }).click();
  const robot = page.getByRole("row").filter({ hasText: "Robot" });
  await robot.getByText("never expires").waitFor();
  await robot.getByText("without a limit").waitFor();
  // It is disabled, so that nothing is wrong with it.
  expect(await page.getByRole("row").filter({ hasText: "Laptop" }).count()).toBe(0);
  await inspectScreen(page, "key-findings");
  const findings = page.getByRole("combobox", { name: "Finding" });
  expect(await findings.getByRole("option", { name: "used from many networks" }).count()).toBe(0);
  await gateway.api("PUT", "/api/option/", { key: "KeyNetworksThreshold", value: "5" });
  await page.reload();
  await page.getByText("never expire or are used from many networks").waitFor();
  expect(await findings.getByRole("option", { name: "used from many networks" }).count()).toBe(1);
  await page
    .getByRole("combobox", { name: "Finding" })
    .selectOption({ label: "unused for 90 days" });
  await robot.waitFor({ state: "detached" });
  await page.getByRole("combobox", { name: "Finding" }).selectOption({ label: "without a limit" });
  await robot.getByText("without a limit").waitFor();
  await robot.getByRole("button", { name: "More actions for Robot" }).click();
  await page.getByRole("menuitem", { name: "Disable" }).click();
  await robot.waitFor({ state: "detached" });
  expect(pageErrors).toEqual([]);
});
