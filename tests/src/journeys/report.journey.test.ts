import { createToken } from "@tollgate/contract/accounts/tokens.ts";
import { createChannel } from "@tollgate/contract/catalogue/channels.ts";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { eventually } from "../harness/eventually.ts";
import type { TestGateway } from "../harness/test-gateway.ts";
import { startBrowserGateway } from "./browser-gateway.ts";
import { collectPageErrors, heading, openPage, openSignedIn } from "./console-pages.ts";
import { inspectScreen } from "./inspect-page.ts";

let gateway: TestGateway;
let page: Page;
let pageErrors: string[];
let key: string;
let channelId: string;
const password = "correct horse battery";

beforeAll(async () => {
  gateway = await startBrowserGateway({
    store: "sqlite",
    env: { INITIAL_ROOT_PASSWORD: password },
  });
  const root = await gateway.signIn("root", password);
  const base_url = gateway.simulator.url;
  const [channel] = (
    await root.call(createChannel, {
      body: { name: "Main", type: 50, key: "sim-ok", base_url, models: "m1,gpt-4o-mini" },
    })
  ).data;
  channelId = channel?.uuid ?? "";
  key = (await root.call(createToken, { body: { name: "laptop", unlimited_quota: true } })).data
    .key;
  await call("m1");
  page = await openPage(await gateway.newContext());
  pageErrors = collectPageErrors(page);
  await openSignedIn(page, gateway.url, { username: "root", password, path: "/dashboard" });
});
afterAll(() => gateway.close());

async function call(model: string): Promise<void> {
  const response = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model, messages: [{ role: "user", content: "Hello" }] }),
  });
  expect(response.status).toBe(200);
  await response.text();
  await gateway.settled();
  // PostgreSQL adds settled calls up a moment later.
  await eventually(async () => {
    const sums = await gateway.rows(
      `select day from rollup_day_model where model_name = '${model}'`,
    );
    expect(sums).toHaveLength(1);
  });
}

test("the month by user, key, model and channel is two clicks from the dashboard, with a CSV", async () => {
  await page.getByRole("link", { name: "Monthly report" }).click();
  const month = new Date().toISOString().slice(0, 7);
  await heading(page, `Report of ${month}`).waitFor();
  const row = (name: string) => page.getByRole("row").filter({ hasText: name });
  await row("root").waitFor();
  for (const [kind, name] of [
    ["Keys", "laptop"],
    ["Models", "m1"],
    ["Channels", "Main"],
  ] as const) {
    await page.getByRole("button", { name: kind, exact: true }).click();
    await row(name).waitFor();
  }
  await inspectScreen(page, "report");
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("link", { name: "CSV of all rows" }).click(),
  ]);
  expect(download.suggestedFilename()).toBe(`report-${month}-by-channel.csv`);

  await page.setViewportSize({ width: 375, height: 812 });
  await page.getByRole("button", { name: "Export", exact: true }).click();
  const [again] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("menuitem", { name: "CSV of all rows" }).click(),
  ]);
  expect(again.suggestedFilename()).toBe(download.suggestedFilename());
  await page.setViewportSize({ width: 1440, height: 900 });
  expect(pageErrors).toEqual([]);
});

test("the report shows the first rows of the FOCUS export while it loads, fails, has rows and has none", {
  tags: ["large"],
}, async () => {
  const month = new Date().toISOString().slice(0, 7);
  const card = page.getByRole("region", { name: "FOCUS for FinOps tools" });
  const exports = "**/api/usage/focus?*limit=*";
  const held = Promise.withResolvers<void>();
  await page.route(exports, async (route) => {
    await held.promise;
    await route.fulfill({ status: 503, json: { success: false, message: "The database is away" } });
  });
  await page.goto(`/report?month=${month}`);
  await page.getByRole("button", { name: "FOCUS for FinOps tools" }).click();
  await card.getByText("Loading...").waitFor();
  await inspectScreen(page, "FOCUS preview that loads");
  held.resolve();
  await card.getByText("The database is away").waitFor();
  await inspectScreen(page, "FOCUS preview that failed");
  expect(pageErrors.splice(0)).toEqual([expect.stringContaining("status of 503")]);

  await page.unroute(exports);
  await card.getByRole("button", { name: "Retry" }).click();
  const focus = card.getByRole("table", { name: "FOCUS for FinOps tools" });
  await focus.getByRole("cell", { name: "root", exact: true }).first().waitFor();
  expect(await focus.getByRole("columnheader").first().innerText()).toBe("BillingAccountId");
  await inspectScreen(page, "FOCUS preview");
  const [file] = await Promise.all([
    page.waitForEvent("download"),
    card.getByRole("link", { name: "Download", exact: true }).click(),
  ]);
  expect(file.suggestedFilename()).toMatch(new RegExp(`^focus-${month}-01-.*csv$`));

  await page.goto("/report?month=2024-02");
  await page.getByText("No calls in this month").waitFor();
  await page.getByRole("button", { name: "FOCUS for FinOps tools" }).click();
  await card.getByText("No calls in this month").waitFor();
  await inspectScreen(page, "FOCUS preview without rows");
  expect(pageErrors).toEqual([]);
});

test("what a provider takes, typed in the form of its channel, becomes the cost and margin of later calls", async () => {
  await page.goto(`/channels/edit/${channelId}`);
  const factor = page.getByRole("textbox", { name: "Buying factor" });
  await factor.fill("0,5");
  await page.getByRole("button", { name: "Update Channel" }).click();
  await page
    .getByText("The buying factor must be 0 or a number from 0.000001 to 1000")
    .first()
    .waitFor();
  await factor.fill("0.5");
  await page.getByRole("button", { name: "Update Channel" }).click();
  await page.getByText("Channel updated successfully", { exact: true }).waitFor();
  await call("gpt-4o-mini");
  await page.goto("/report?by=model");
  const cellsOf = (name: string) =>
    page.getByRole("row").filter({ hasText: name }).getByRole("cell").allInnerTexts();
  await page.getByRole("columnheader", { name: "Margin" }).waitFor();
  // No list prices m1.
  expect((await cellsOf("m1")).slice(-3)).toEqual(["0", "-", "-"]);
  const [costed, cost, margin] = (await cellsOf("gpt-4o-mini")).slice(-3);
  expect([costed, cost]).toEqual(["1", expect.stringMatching(/^\$0\.0000\d\d$/)]);
  expect(margin).toMatch(/^\$0\.0000\d\d \(\d\d(\.\d)?%\)$/);
  await inspectScreen(page, "report with costs");
  await page.goto("/dashboard");
  await page.getByRole("button", { name: "Apply" }).click();
  const spenders = page.getByRole("region", { name: "Who spends", exact: true });
  await spenders.getByRole("button", { name: "Channels" }).click();
  await spenders.getByText(/Margin \$0\.0000\d\d \(\d\d(\.\d)?%\) of 1 request/).waitFor();
  expect(pageErrors).toEqual([]);
});
