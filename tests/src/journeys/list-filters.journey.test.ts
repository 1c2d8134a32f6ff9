import { createToken } from "@tollgate/contract/accounts/tokens.ts";
import { createUser } from "@tollgate/contract/accounts/user-admin.ts";
import { createChannel } from "@tollgate/contract/catalogue/channels.ts";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { ApiSession } from "../harness/api-session.ts";
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
import { inspectScreen } from "./inspect-page.ts";

let gateway: TestGateway;
let root: ApiSession;
let page: Page;
let pageErrors: string[];
const password = "correct horse battery";

beforeAll(async () => {
  gateway = await startBrowserGateway({
    store: "sqlite",
    env: { INITIAL_ROOT_PASSWORD: password },
  });
  root = await gateway.signIn("root", password);
  const base_url = gateway.simulator.url;
  const channel = (name: string, more: object) =>
    root.call(createChannel, {
      body: { name, type: 50, key: "sim-ok", base_url, models: "m1", ...more },
    });
  await channel("Alpha", {});
  await channel("Beta", { type: 14 });
  await channel("Gamma", { status: 2 });
  await channel("קיץ", { priority: -1 });
  await root.call(createUser, { body: { username: "mira", password } });
  const mira = await gateway.signIn("mira", password);
  for (const owner of [root, mira])
    await owner.call(createToken, {
      body: { name: `key of ${owner === root ? "root" : "mira"}`, unlimited_quota: true },
    });
  page = await openPage(await gateway.newContext());
  pageErrors = collectPageErrors(page);
  await openSignedIn(page, gateway.url, { username: "root", password, path: "/channels" });
});
afterAll(() => gateway.close());

const filters = () => page.getByRole("group", { name: "Filters", exact: true });
const names = async (table: string) =>
  (await readTable(page, table)).map((row) => row.Name).toSorted();

test("channels are narrowed by what their badges say, in the address too", async () => {
  await filters().getByLabel("Status", { exact: true }).selectOption("Never tested");
  await expect.poll(() => names("Channels")).toEqual(["Alpha", "Beta", "קיץ"]);
  expect(new URL(page.url()).searchParams.get("state")).toBe("never_tested");
  await filters().getByLabel("Type", { exact: true }).selectOption("Anthropic");
  await expect.poll(() => names("Channels")).toEqual(["Beta"]);
  await inspectScreen(page, "channels-filtered");
  // A link shows the same list, and each filter goes by a press.
  await page.reload();
  await expect.poll(() => names("Channels")).toEqual(["Beta"]);
  await page.getByRole("button", { name: "Remove the filter Type", exact: true }).click();
  await expect.poll(() => names("Channels")).toEqual(["Alpha", "Beta", "קיץ"]);
  await filters().getByLabel("Status", { exact: true }).selectOption("Auto-disabled");
  await page.getByText("Nothing matches the filters.").waitFor();
  await page.getByRole("button", { name: "Clear filters", exact: true }).click();
  await expect.poll(() => names("Channels")).toHaveLength(4);
  expect(new URL(page.url()).search).toBe("");
});

test("all keys are narrowed by their owner, whose name leads to the account", async () => {
  await page.goto(`${gateway.url}/tokens?scope=all`);
  await expect.poll(() => names("All keys")).toEqual(["key of mira", "key of root"]);
  await filters().getByLabel("Owner", { exact: true }).selectOption("mira");
  await expect.poll(() => names("All keys")).toEqual(["key of mira"]);
  await page.getByRole("link", { name: "mira", exact: true }).click();
  await heading(page, "mira").waitFor();
  expect(pathOf(page)).toMatch(/^\/users\/[0-9a-f-]{36}$/);
  expect(pageErrors).toEqual([]);
});
