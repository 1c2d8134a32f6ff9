import { createToken } from "@tollgate/contract/accounts/tokens.ts";
import { createUser, topUpUser } from "@tollgate/contract/accounts/user-admin.ts";
import { createChannel } from "@tollgate/contract/catalogue/channels.ts";
import type { BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { chatBody, model, type TestGateway } from "../harness/test-gateway.ts";
import { startBrowserGateway } from "./browser-gateway.ts";
import { collectPageErrors, heading, openPage, openSignedIn, pathOf } from "./console-pages.ts";
import { inspectScreen } from "./inspect-page.ts";

let gateway: TestGateway;
let visitor: BrowserContext;
let page: Page;
let pageErrors: string[];
let miraId: string;

const password = "correct horse battery";
const dayMs = 86_400_000;
/** 8 prompt tokens at 1 unit and 12 of the answer at 4. */
const charge = 56;

const card = (name: string) => page.getByRole("region", { name, exact: true });
const textOf = async (name: string) => (await card(name).innerText()).replace(/\s+/g, " ");

async function call(key: string, name: string): Promise<number> {
  const messages = [{ role: "user", content: "Which way to the harbour?" }];
  const response = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ ...chatBody({ messages, max_tokens: 12 }), model: name }),
  });
  await response.text();
  return response.status;
}

/** Loads all figures of the page again, and waits for those that the cards below show. */
async function apply(): Promise<void> {
  const replies = ["/api/user/dashboard?", "/api/user/dashboard/insight?"].map((path) =>
    page.waitForResponse((response) => response.url().includes(path)),
  );
  await page.getByRole("button", { name: "Apply" }).click();
  await Promise.all(replies);
}

beforeAll(async () => {
  gateway = await startBrowserGateway({
    store: "postgres",
    env: { INITIAL_ROOT_PASSWORD: password },
    hasShiftableClock: true,
  });
  const root = await gateway.signIn("root", password);
  const channel = { type: 50, base_url: gateway.simulator.url, group: "default" };
  const model_configs = JSON.stringify({ [model]: { ratio: 1, completion_ratio: 4 } });
  await root.call(createChannel, {
    body: { ...channel, name: "Harbour", key: "sim-ok", models: model, model_configs },
  });
  await root.call(createChannel, {
    body: { ...channel, name: "Wreck", key: "sim-fail-503", models: "sunk" },
  });
  const mira = (await root.call(createUser, { body: { username: "mira", password } })).data;
  miraId = mira.uuid;
  await root.call(topUpUser, { body: { user_id: mira.id, quota: 100 * charge } });
  const keyOf = async (client: typeof root, name: string) =>
    (await client.call(createToken, { body: { name, unlimited_quota: true } })).data.key;
  const rootKey = await keyOf(root, "Root key");
  const miraKey = await keyOf(await gateway.signIn("mira", password), "Mira key");
  for (const key of [rootKey, miraKey, miraKey, miraKey]) expect(await call(key, model)).toBe(200);
  expect(await call(miraKey, "sunk")).toBeGreaterThanOrEqual(500);
  visitor = await gateway.newContext();
  page = await openPage(visitor);
  pageErrors = collectPageErrors(page);
  await openSignedIn(page, gateway.url, { username: "root", password, path: "/dashboard" });
  await heading(page, "Dashboard").waitFor();
});
afterAll(() => gateway.close());

test("ranks users, keys, models and channels by what they spent, and opens their calls", async () => {
  const ranks = card("Who spends").getByRole("listitem");
  // On PostgreSQL the roll-ups follow within a second.
  await expect
    .poll(async () => {
      await apply();
      return { count: await ranks.count(), text: await textOf("Who spends") };
    })
    .toEqual({
      count: 2,
      text: expect.stringContaining("mira $0.000336 75% 4 requests · 25.0% failed"),
    });
  expect(await textOf("Who spends")).toContain("root $0.000112 25% 1 request");
  for (const [kind, first] of [
    ["Keys", "Mira key mira $0.000336 75%"],
    ["Models", `${model} $0.000448 100% 4 requests`],
    ["Channels", "Harbour $0.000448 100% 4 requests"],
  ] as const) {
    await card("Who spends").getByRole("button", { name: kind, exact: true }).click();
    await expect
      .poll(async () => (await ranks.first().innerText()).replace(/\s+/g, " "))
      .toContain(first);
  }
});

test("shows channels by hour, busy hours, latency and the cache", { tags: ["large"] }, async () => {
  const channels = card("Channels").getByRole("listitem");
  const hours = page.getByRole("table", { name: "Calls by weekday and hour" }).getByRole("cell");
  // Each of the reply's parts is read by itself: roll-ups that follow in between are in some of
  // them.
  await expect
    .poll(async () => {
      await apply();
      const strips = (await channels.allInnerTexts()).map((text) =>
        text.replace(/\s+/g, " ").trim(),
      );
      const counts = (await hours.allInnerTexts()).map(Number);
      return { strips, calls: counts.reduce((sum, calls) => sum + calls, 0) };
    })
    .toEqual({ strips: ["Harbour 4 calls", "Wreck 1 call · 1 failed"], calls: 5 });
  const latency = card("Latency, 95th percentile");
  await latency.getByRole("application").press("End");
  expect(await latency.getByRole("status").innerText()).toMatch(/ms|s$/);
  expect(await textOf("Prompt cache")).toContain("Prompt tokens from caches 0.0% Saved -");
  await inspectScreen(page, "dashboard-insight");
  await channels.filter({ hasText: "Wreck" }).getByRole("link").click();
  await heading(page, "Logs").waitFor();
  await expect.poll(() => pathOf(page)).toMatch(/^\/logs\?channel=\d+&view=problems$/);
  await card("What went wrong").getByRole("listitem").filter({ hasText: "sunk" }).waitFor();
  await page
    .getByRole("table", { name: "Logs" })
    .getByRole("row")
    .filter({ hasText: "sunk" })
    .waitFor();
  expect(pageErrors).toEqual([]);
});

test("shows today's spending by the hour, one series alone, and cards stay folded", async () => {
  await page.goto(`${gateway.url}/dashboard?range=today`);
  const spending = card("Spending");
  await spending.getByRole("application", { name: /^Spending an hour/ }).waitFor();
  await spending.getByRole("button", { name: "Channels", exact: true }).click();
  await spending.getByRole("button", { name: "Harbour", exact: true }).click();
  await expect.poll(() => spending.locator("path[data-series]").count()).toBe(1);
  expect(await spending.locator("[data-unfinished]").count()).toBe(1);
  await page.getByRole("button", { name: "7D" }).click();
  await spending.getByRole("application", { name: /^Spending a day/ }).waitFor();

  await spending.getByRole("button", { name: "Failures", exact: true }).click();
  const failures = card("Failures");
  await failures.getByRole("button", { name: "The provider failed (5xx)" }).waitFor();
  expect(await failures.locator("path[data-series]").count()).toBe(2);
  await inspectScreen(page, "dashboard-failures");
  await failures.getByRole("button", { name: "Failures alone", exact: true }).click();
  await expect.poll(() => failures.locator("path[data-series]").count()).toBe(1);
  await failures.getByRole("button", { name: "Expenses", exact: true }).click();
  await spending.getByRole("application", { name: /^Spending a day/ }).waitFor();

  const fold = card("Busy hours").getByRole("button", { name: "Busy hours" });
  await fold.click();
  await page.reload();
  await fold.waitFor();
  expect(await fold.getAttribute("aria-expanded")).toBe("false");
  expect(await card("Busy hours").getByRole("table").count()).toBe(0);
  await fold.click();
});

test("says until when the balance of an account lasts", { tags: ["large"] }, async () => {
  // What the page before still asks for would be refused once its session is over.
  await page.goto("about:blank");
  await gateway.shiftClock(4 * dayMs);
  await openSignedIn(page, gateway.url, {
    username: "root",
    password,
    path: `/dashboard?user_id=${miraId}`,
  });
  // 97 charges are left at three quarters of one a day.
  await card("How long the balance lasts")
    .getByText(/lasts until [A-Z][a-z]+ \d+, \d{4} at this pace\.$/)
    .waitFor();
  expect(await textOf("How long the balance lasts")).toContain(
    "a day, the mean of the last 4 finished days",
  );
  expect(await card("Busy hours").count()).toBe(0);
  expect(await card("Who spends").getByRole("group").getByRole("button").allInnerTexts()).toEqual([
    "Keys",
    "Models",
  ]);
  expect(pageErrors).toEqual([]);
});
