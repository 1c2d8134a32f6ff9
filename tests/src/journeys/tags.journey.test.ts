// Tags in the console: a key with a fixed tag, its calls in the log, what they cost in the report,
// and a budget of the tag.
import { readFile } from "node:fs/promises";
import { createToken } from "@tollgate/contract/accounts/tokens.ts";
import { createChannel } from "@tollgate/contract/catalogue/channels.ts";
import { updateOption } from "@tollgate/contract/site/options.ts";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { TestGateway } from "../harness/test-gateway.ts";
import { startBrowserGateway } from "./browser-gateway.ts";
import { heading, openPage, openSignedIn, pathOf } from "./console-pages.ts";
import { inspectScreen } from "./inspect-page.ts";

let gateway: TestGateway;
let page: Page;
let tokenId: number;
const password = "correct horse battery";

beforeAll(async () => {
  gateway = await startBrowserGateway({
    store: "sqlite",
    env: { INITIAL_ROOT_PASSWORD: password },
  });
  const root = await gateway.signIn("root", password);
  await root.call(updateOption, { body: { key: "TagKeys", value: "team,env" } });
  const base_url = gateway.simulator.url;
  await root.call(createChannel, {
    body: { name: "Main", type: 50, key: "sim-ok", base_url, models: "m1" },
  });
  const body = { name: "laptop", unlimited_quota: true, tags: "team=search" };
  const { key, id } = (await root.call(createToken, { body })).data;
  tokenId = id;
  const call = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "m1", messages: [{ role: "user", content: "Hello" }] }),
  });
  expect(call.status).toBe(200);
  await call.text();
  await gateway.settled();
  page = await openPage(await gateway.newContext());
  await openSignedIn(page, gateway.url, { username: "root", password, path: "/tokens" });
});
afterAll(() => gateway.close());

const button = (name: string) => page.getByRole("button", { name, exact: true });

test("a key's form says what is no tag, and saves the tags", async () => {
  await page.goto(`/tokens/edit/${tokenId}`);
  const fixed = page.getByLabel("Fixed tags");
  await expect.poll(() => fixed.inputValue()).toBe("team=search");
  await fixed.fill("team");
  await button("Update Token").click();
  await page.getByText("Enter tags such as team=search,env=prod").waitFor();
  await inspectScreen(page, "token-tags");
  await fixed.fill("team=search,env=prod");
  await page.getByLabel("Required tags").fill("end_user");
  await button("Update Token").click();
  await expect.poll(() => pathOf(page)).toBe("/tokens");
});

test("the log finds the calls of a tag, and a call leads to the others that have it", async () => {
  await page.goto("/logs");
  await page.getByLabel("Tag", { exact: true }).fill("team=ads");
  await button("Apply").click();
  await page.getByText("No logs found").waitFor();
  await page.getByLabel("Tag", { exact: true }).fill("team=search");
  await button("Apply").click();
  await page.getByRole("row").filter({ hasText: "m1" }).waitFor();
  await inspectScreen(page, "log-tags");

  const exported = async () => {
    const saved = page.waitForEvent("download");
    await button("Export this page").click();
    return await readFile(await (await saved).path(), "utf8");
  };
  expect(await exported()).not.toContain("team=search");
  await button("Columns and views").click();
  await page.getByRole("menuitemcheckbox", { name: "Tags", exact: true }).click();
  await page.keyboard.press("Escape");
  await page.getByRole("cell", { name: "team=search", exact: true }).waitFor();
  expect(await exported()).toMatch(/,Tags\r\n.*,team=search\r\n$/);
});

test("the report sums a month by the values of a tag", async () => {
  await page.goto("/report");
  await button("Tag team").click();
  await page.getByRole("row").filter({ hasText: "search" }).waitFor();
  await button("Tag env").click();
  await page.getByRole("row").filter({ hasText: "Without this tag" }).waitFor();
  await inspectScreen(page, "report-tag");
  await page.reload();
  await heading(page, `Report of ${new Date().toISOString().slice(0, 7)}`).waitFor();
  await page.getByRole("row").filter({ hasText: "Without this tag" }).waitFor();
});

test("a tag gets a budget", async () => {
  await page.goto("/budgets");
  await button("New budget").first().click();
  await page.getByLabel("Name").fill("search, monthly");
  await page.getByLabel("Budget of").selectOption("Tag");
  await page.getByLabel("Tag", { exact: true }).fill("team=search");
  await page.getByLabel("Amount").fill("1");
  await button("Save").click();
  // The help of the dialog has the same words.
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await page.getByText("team=search").first().waitFor();
  await inspectScreen(page, "budgets-tag");
});
