// The page of a key, of an account and of a channel: under its name what it did and how it was
// changed, and its form beside.
import { createToken } from "@tollgate/contract/accounts/tokens.ts";
import { createUser } from "@tollgate/contract/accounts/user-admin.ts";
import { createChannel } from "@tollgate/contract/catalogue/channels.ts";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { TestGateway } from "../harness/test-gateway.ts";
import { startBrowserGateway } from "./browser-gateway.ts";
import { collectPageErrors, heading, openPage, openSignedIn, pathOf } from "./console-pages.ts";
import { inspectScreen } from "./inspect-page.ts";

const password = "correct horse battery";
let gateway: TestGateway;
let page: Page;
let pageErrors: string[];

beforeAll(async () => {
  gateway = await startBrowserGateway({
    store: "sqlite",
    env: { INITIAL_ROOT_PASSWORD: password },
  });
  const root = await gateway.signIn("root", password);
  const account = { type: 50, key: "sim-ok", base_url: gateway.simulator.url };
  await root.call(createChannel, { body: { ...account, name: "Harbour", models: "m1" } });
  await root.call(createUser, {
    body: { username: "mira", display_name: "Mira Quay", password, quota: 500_000 },
  });
  const mira = await gateway.signIn("mira", password);
  const { key } = (
    await mira.call(createToken, { body: { name: "Laptop", unlimited_quota: true } })
  ).data;
  const call = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "m1", messages: [{ role: "user", content: "Hello" }] }),
  });
  await call.text();
  expect(call.status).toBe(200);
  await gateway.settled();
  page = await openPage(await gateway.newContext());
  pageErrors = collectPageErrors(page);
});
afterAll(() => gateway.close());

const link = (name: string) => page.getByRole("link", { name, exact: true });
const tab = (name: string) => page.getByRole("tab", { name, exact: true });
const part = (name: string) => page.getByRole("region", { name, exact: true });

test("the name of a channel leads to what it did, from there to its form and its changes", async () => {
  await openSignedIn(page, gateway.url, { username: "root", password, path: "/channels" });
  await link("Harbour").click();
  await heading(page, "Harbour").waitFor();
  expect(pathOf(page)).toMatch(/^\/channels\/[0-9a-f-]{36}$/);
  await part("Calls").getByRole("listitem").filter({ hasText: "m1" }).first().waitFor();
  await part("What this channel does").getByRole("link", { name: "m1" }).waitFor();
  await inspectScreen(page, "page of a channel");
  await page.getByRole("button", { name: "Test", exact: true }).click();
  await page.getByText("Channel test successful!").waitFor();

  await tab("Edit").click();
  await heading(page, "Edit Channel").waitFor();
  expect(pathOf(page)).toMatch(/^\/channels\/edit\//);
  await expect.poll(() => page.getByLabel("Channel name").inputValue()).toBe("Harbour");
  await tab("Changes").click();
  await heading(page, "Harbour").waitFor();
  const changes = page.getByRole("table", { name: "Changes" });
  await changes.getByRole("row").filter({ hasText: "Created the channel" }).waitFor();
  expect(await changes.getByRole("row").count()).toBe(2);
  await inspectScreen(page, "changes of a channel");
  expect(pageErrors).toEqual([]);
});

test("an account has its name, its figures, and links to its keys", async () => {
  await page.goto("/users");
  await link("mira").click();
  await heading(page, "Mira Quay").waitFor();
  await part("Calls").getByRole("listitem").first().waitFor();
  await part("The account now").getByText("default", { exact: true }).waitFor();
  await inspectScreen(page, "page of an account");
  await page.getByRole("button", { name: "Top up", exact: true }).click();
  const form = page.getByRole("dialog", { name: "Top up mira" });
  await form.getByLabel("In US dollars").fill("2");
  await form.getByRole("button", { name: "Top up", exact: true }).click();
  await page.getByText("mira is topped up").waitFor();
  await page
    .getByText(/^\$(2\.99|3\.00)$/)
    .first()
    .waitFor();
  await link("Keys of this account").click();
  await page.getByRole("table", { name: "All keys" }).getByText("Laptop").waitFor();
  expect(pageErrors).toEqual([]);
});

test("the page of a channel without calls says so once, with a drawing", async () => {
  const root = await gateway.signIn("root", password);
  await root.call(createChannel, {
    body: { type: 50, key: "sim-ok", base_url: gateway.simulator.url, name: "Quay", models: "m2" },
  });
  await page.goto("/channels");
  await link("Quay").click();
  await heading(page, "Quay").waitFor();
  await part("Calls").getByText("No calls in the last 30 days").waitFor();
  await part("Calls").locator("svg").waitFor();
  expect(await part("Calls").getByText("No calls in the last 24 hours").count()).toBe(0);
  expect(pageErrors).toEqual([]);
});

test("a user sees what the own key did and may do, and no record of changes", async () => {
  const on = await openPage(await gateway.newContext());
  const seen = collectPageErrors(on);
  await openSignedIn(on, gateway.url, { username: "mira", password, path: "/tokens" });
  await on.getByRole("link", { name: "Laptop", exact: true }).click();
  await heading(on, "Laptop").waitFor();
  const rights = on.getByRole("region", { name: "What this key may do" });
  await rights.getByText("No total limit").waitFor();
  await on.getByRole("region", { name: "Calls" }).getByRole("listitem").first().waitFor();
  expect(await on.getByRole("tab").allInnerTexts()).toEqual(["Overview", "Edit"]);
  await inspectScreen(on, "page of a key");
  await on.goto(`${pathOf(on)}/changes`);
  await on
    .getByText("This part of the page does not exist, or you have no access to it.")
    .waitFor();
  await on.goto("/tokens/0199aa10-1111-7000-8000-0000000000aa");
  await on.getByText("This could not be loaded").waitFor();
  await on.getByRole("link", { name: "Back to tokens" }).waitFor();
  // The browser reports the refusal.
  expect(seen.filter((text) => !text.includes("/api/token/"))).toEqual([]);
});
