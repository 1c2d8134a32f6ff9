import { createChannel } from "@tollgate/contract/channels.ts";
import { createToken } from "@tollgate/contract/tokens.ts";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { TestGateway } from "../harness/test-gateway.ts";
import { startBrowserGateway } from "./browser-gateway.ts";
import { collectPageErrors, heading, openPage, openSignedIn } from "./console-pages.ts";
import { inspectScreen } from "./inspect-page.ts";

let gateway: TestGateway;
let page: Page;
let pageErrors: string[];
const password = "correct horse battery";

beforeAll(async () => {
  gateway = await startBrowserGateway({ store: "sqlite", env: { INITIAL_ROOT_PASSWORD: password } });
  const root = await gateway.signIn("root", password);
  const base_url = gateway.simulator.url;
  await root.call(createChannel, { body: { name: "Main", type: 50, key: "sim-ok", base_url, models: "m1" } });
  const { key } = (await root.call(createToken, { body: { name: "laptop", unlimited_quota: true } })).data;
  const call = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "m1", messages: [{ role: "user", content: "Hello" }] }),
  });
  expect(call.status).toBe(200);
  await call.text();
  await gateway.settled();
  page = await openPage(await gateway.newContext());
  pageErrors = collectPageErrors(page);
  await openSignedIn(page, gateway.url, { username: "root", password, path: "/dashboard" });
});
afterAll(() => gateway.close());

test("the month by user, key, model and channel is two clicks from the dashboard, with a CSV", async () => {
  await page.getByRole("link", { name: "Month report" }).click();
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
  await page.goto("/report?month=2024-02");
  await page.getByText("No calls in this month").waitFor();
  expect(pageErrors).toEqual([]);
});
