// What the account behind a channel may spend, on the page of the channel.
import { createChannel } from "@tollgate/contract/catalogue/channels.ts";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { TestGateway } from "../harness/test-gateway.ts";
import { startBrowserGateway } from "./browser-gateway.ts";
import { collectPageErrors, openPage, openSignedIn } from "./console-pages.ts";
import { inspectScreen } from "./inspect-page.ts";

const password = "correct horse battery";
let gateway: TestGateway;
let page: Page;
let pageErrors: string[];
let channelId = 0;
beforeAll(async () => {
  gateway = await startBrowserGateway({
    store: "sqlite",
    env: { INITIAL_ROOT_PASSWORD: password },
  });
  const root = await gateway.signIn("root", password);
  // The answer costs 54 units, and 60 are held for it.
  const model_configs = JSON.stringify({ m1: { ratio: 1, completion_ratio: 4 } });
  const channel = { type: 50, base_url: gateway.simulator.url, models: "m1", model_configs };
  const made = await root.call(createChannel, {
    body: { ...channel, name: "First account", key: "sim-ok", priority: 9 },
  });
  channelId = made.data[0]?.id ?? 0;
  await root.call(createChannel, { body: { ...channel, name: "Second account", key: "sim-ok" } });
  page = await openPage(await gateway.newContext());
  pageErrors = collectPageErrors(page);
});
afterAll(() => gateway.close());

test("an administrator limits the account of a channel, sees what is left, and calls go to the next channel", async () => {
  await openSignedIn(page, gateway.url, {
    username: "root",
    password,
    path: `/channels/edit/${channelId}`,
  });
  const card = page.getByRole("region", { name: "Budgets of the channel" });
  await card.getByText("No budget: the channel spends without a limit.").waitFor();
  await card.getByRole("button", { name: "New budget" }).click();
  const dialog = page.getByRole("dialog", { name: "New budget of First account" });
  await dialog.getByLabel("Name", { exact: true }).fill("Account, monthly");
  await dialog.getByLabel("Amount").fill("0.0002");
  await dialog.getByRole("button", { name: "Save", exact: true }).click();
  await dialog.waitFor({ state: "detached" });
  await card.getByText("Account, monthly").waitFor();

  const { key } = await gateway.given.token();
  await gateway.chat(key, { model: "m1", max_tokens: 12 });
  await gateway.settled();
  await page.reload();
  await card.getByText("Account, monthly").waitFor();
  await inspectScreen(page, "the budgets of a channel");
  for (let call = 0; call < 2; call += 1) await gateway.chat(key, { model: "m1", max_tokens: 12 });
  expect(await gateway.lastLog()).toMatchObject({ channel_name: "Second account" });
  expect(pageErrors).toEqual([]);
});
