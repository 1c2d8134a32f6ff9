// What operators, developers and finance do often, from the dashboard to its end, each with the
// most clicks that it may take. Verbs for many rows count theirs in bulk-verbs.journey.test.ts, the
// newcomer's way in first-call.journey.test.ts.

import { createToken } from "@tollgate/contract/accounts/tokens.ts";
import { createUser, topUpUser } from "@tollgate/contract/accounts/user-admin.ts";
import { createChannel } from "@tollgate/contract/catalogue/channels.ts";
import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { rootPassword } from "../harness/database-templates.ts";
import type { TestGateway } from "../harness/test-gateway.ts";
import { startBrowserGateway } from "./browser-gateway.ts";
import {
  collectPageErrors,
  navigationLink,
  openPage,
  openSignedIn,
  pathOf,
} from "./console-pages.ts";
import { countSteps } from "./count-steps.ts";
import { inspectScreen } from "./inspect-page.ts";

let gateway: TestGateway;
let page: Page;
let pageErrors: string[];
let steps: Awaited<ReturnType<typeof countSteps>>;
let laptop: string;

const password = "correct horse battery";
const part = (name: string) => page.getByRole("region", { name, exact: true });
const button = (name: string) => page.getByRole("button", { name, exact: true });
const link = (name: string) => page.getByRole("link", { name, exact: true });
const spenders = () => part("Who spends").getByRole("listitem");
const wordsOf = async (place: Locator) => (await place.innerText()).replace(/\s+/g, " ");

async function call(key: string, model: string): Promise<void> {
  const response = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({
      model,
      messages: [{ role: "user", content: "Which way to the harbour?" }],
    }),
  });
  await response.text();
  expect(response.ok).toBe(model !== "sunk");
}

beforeAll(async () => {
  gateway = await startBrowserGateway();
  const root = await gateway.root();
  const account = { type: 50, base_url: gateway.simulator.url };
  const dear = { ...account, name: "Harbour", key: "sim-ok", models: "gpt-4o-mini" };
  await root.call(createChannel, {
    body: { ...dear, config: JSON.stringify({ buying_factor: 3 }) },
  });
  await root.call(createChannel, {
    body: { ...account, name: "Wreck", key: "sim-fail-503", models: "sunk" },
  });
  const mira = (await root.call(createUser, { body: { username: "mira", password } })).data;
  await root.call(topUpUser, { body: { user_id: mira.id, quota: 500_000 } });
  const asMira = await gateway.signIn("mira", password);
  laptop = (await asMira.call(createToken, { body: { name: "Laptop", unlimited_quota: true } }))
    .data.key;
  const own = (await root.call(createToken, { body: { name: "Own", unlimited_quota: true } })).data
    .key;
  for (const [key, model] of [
    [own, "gpt-4o-mini"],
    ...Array.from({ length: 3 }, () => [laptop, "gpt-4o-mini"] as const),
    [laptop, "sunk"],
  ] as const)
    await call(key, model);
  await gateway.settled();
  page = await openPage(await gateway.newContext());
  pageErrors = collectPageErrors(page);
  steps = await countSteps(page);
  await openSignedIn(page, gateway.url, {
    username: "root",
    password: rootPassword,
    path: "/dashboard",
  });
});
afterAll(() => gateway.close());

beforeEach(async () => {
  await page.setViewportSize({ width: 1440, height: 900 });
  // On PostgreSQL the sums of the dashboard follow within a second.
  await expect
    .poll(async () => {
      await page.goto("/dashboard");
      await spenders().first().waitFor();
      return spenders().count();
    })
    .toBe(2);
  steps.restart();
});

/** `tasks` are who does it, what they want, the most clicks that it may take, and the way. */
const tasks: readonly (readonly [string, string, number, () => Promise<unknown>])[] = [
  ["an operator", "why a call of a user failed", 3, whyACallFailed],
  ["an operator", "which channel loses money", 2, whatLosesMoney],
  ["an operator", "who spends most this week", 0, whoSpendsMost],
  [
    "an operator",
    "how a channel fared today and where its newest call failed",
    3,
    howAChannelFared,
  ],
  ["an operator", "how a model fared this week, and who serves it", 2, howAModelFared],
  ["an operator", "whose a leaked key is, and stops it", 6, stopALeakedKey],
  ["a developer", "a key for Claude Code that spends ten dollars a day", 7, makeAKeyForClaudeCode],
  ["a developer", "what each key spent today", 3, whatKeysSpentToday],
  ["a developer", "where the time of the slowest call went", 3, findASlowCall],
  [
    "a developer",
    "the usage of the month for a superior, to print or as an address",
    1,
    showTheMonth,
  ],
  ["a teacher", "keys for twenty students, five dollars and a month each", 6, makeKeysForAClass],
  ["finance", "the month by model as CSV", 3, saveTheMonth],
];

const walkTask = async (
  _who: string,
  _what: string,
  clicksMax: number,
  way: () => Promise<unknown>,
): Promise<void> => {
  await way();
  expect(steps.clicks()).toBeLessThanOrEqual(clicksMax);
  expect(pageErrors).toEqual([]);
};
test.each(tasks.slice(0, 5))("%s gets %s in at most %i clicks", walkTask);
test.each(tasks.slice(5))("%s gets %s in at most %i clicks", { tags: ["large"] }, walkTask);

/** The height of a phone's screen, and the share of it that may stand above what a page is for. */
const phone = { width: 375, height: 812 };
const shareAboveMax = 0.45;

test("on a phone, what a page is for begins in the upper half of the first screen", async () => {
  await page.setViewportSize(phone);
  for (const [path, first] of [
    ["/dashboard", page.getByText("Total Quota", { exact: true })],
    ["/channels", page.getByRole("list", { name: "Channels" })],
    ["/tokens", page.getByRole("list", { name: "Tokens" })],
    ["/users", page.getByRole("list", { name: "Users" })],
    ["/logs", page.getByRole("list", { name: "Logs" })],
    ["/models", page.getByText("gpt-4o-mini").first()],
  ] as const) {
    await page.goto(path);
    await first.waitFor();
    // What loads by itself moves the page once more.
    await expect
      .poll(async () => (await first.boundingBox())?.y ?? phone.height, { message: path })
      .toBeLessThan(shareAboveMax * phone.height);
  }
});

test("on a phone, each filter of the log is a chip that takes it away", async () => {
  await page.setViewportSize(phone);
  await page.goto("/logs?model_name=sunk&outcome=failed&range=24h");
  const rows = page.getByRole("list", { name: "Logs" }).getByRole("button");
  await expect.poll(() => rows.count()).toBe(1);
  await button("Remove the filter Last 24 hours").click();
  await button("Remove the filter Failed").click();
  await expect.poll(() => pathOf(page)).toBe("/logs?model_name=sunk");
  await inspectScreen(page, "log on a phone with chips", { widths: [375] });
  await button("Remove the filter sunk").click();
  await expect.poll(() => rows.count()).toBeGreaterThan(1);
  await page.setViewportSize({ width: 1440, height: 900 });
});

async function whyACallFailed() {
  await navigationLink(page, "Logs").click();
  await page
    .getByRole("navigation", { name: "Views of the log" })
    .getByRole("link", { name: "Problems" })
    .click();
  await button("Newest trace of sunk").click();
  const timeline = page
    .getByRole("dialog", { name: "Request Trace" })
    .getByRole("region", { name: "Timeline" });
  await timeline.getByText("The provider failed (5xx)").waitFor();
}

async function whatLosesMoney() {
  await link("Monthly report").click();
  // The dashboard, which has such buttons too, stays until the report is there.
  await page.getByRole("heading", { name: /^Report of/ }).waitFor();
  await button("Channels").click();
  const margin = page.getByRole("row").filter({ hasText: "Harbour" }).getByRole("cell").last();
  await expect.poll(() => margin.innerText()).toMatch(/^-\$\d/);
}

async function howAChannelFared() {
  await navigationLink(page, "Channels").click();
  await link("Wreck").click();
  const calls = part("Calls");
  await calls.getByRole("application").waitFor();
  await calls.getByRole("listitem").filter({ hasText: "Failed" }).getByRole("link").first().click();
  const timeline = page
    .getByRole("dialog", { name: "Request Trace" })
    .getByRole("region", { name: "Timeline" });
  await timeline.getByText("The provider failed (5xx)").waitFor();
}

async function howAModelFared() {
  await navigationLink(page, "Models").click();
  await link("gpt-4o-mini").first().click();
  await part("Channels that serve it").getByRole("link", { name: "Harbour" }).waitFor();
  await expect.poll(() => wordsOf(part("The last 7 days"))).toContain("Requests 4 Failed 0");
  await expect.poll(() => part("Latest calls").getByRole("listitem").count()).toBe(4);
}

async function whoSpendsMost() {
  expect(await wordsOf(spenders().first())).toMatch(/^mira \$\S+ 75%/);
}

async function stopALeakedKey() {
  await navigationLink(page, "Tokens").click();
  await link("All keys").click();
  const search = page.getByPlaceholder("Owner, name, last four, or a key");
  await search.fill(laptop);
  await search.press("Enter");
  await button("More actions for mira: Laptop").click();
  await page.getByRole("menuitem", { name: "Disable" }).click();
  await page
    .getByRole("dialog", { name: "Disable Laptop" })
    .getByRole("button", { name: "Disable" })
    .click();
  await page
    .getByRole("table", { name: "All keys" })
    .getByText("Disabled", { exact: true })
    .waitFor();
}

async function makeAKeyForClaudeCode() {
  await navigationLink(page, "Tokens").click();
  await link("Add Token").click();
  await page.getByLabel("Token Name").fill("Claude Code");
  await part("Spending limit").getByLabel("Window").selectOption("Daily");
  await part("Spending limit").getByLabel("Amount").fill("10");
  await button("Create Token").click();
  const ready = page.getByRole("dialog", { name: "Use this key" });
  await ready.getByRole("button", { name: "Claude Code", exact: true }).click();
  await ready.getByText("ANTHROPIC_BASE_URL").first().waitFor();
}

async function whatKeysSpentToday() {
  await button("Today").click();
  await button("Apply").click();
  await part("Who spends").getByRole("button", { name: "Keys", exact: true }).click();
  await expect.poll(() => wordsOf(spenders().first())).toMatch(/^Laptop mira \$\S+ 75%/);
}

async function findASlowCall() {
  await navigationLink(page, "Logs").click();
  const table = page.getByRole("table", { name: "Logs" });
  await table.getByRole("columnheader", { name: "Latency" }).getByRole("button").click();
  await expect.poll(() => new URL(page.url()).searchParams.get("sort")).toBe("elapsed_time");
  await table.and(page.locator(":not([aria-busy=true])")).waitFor();
  await table.getByRole("row").nth(1).getByRole("button").first().click();
  await page
    .getByRole("dialog", { name: "Request Trace" })
    .getByRole("region", { name: "Timeline" })
    .waitFor();
}

async function showTheMonth() {
  await link("Monthly report").click();
  const table = page.getByRole("table", { name: "Users" });
  await table.getByRole("row").filter({ hasText: "mira" }).waitFor();
  await page.emulateMedia({ media: "print" });
  expect(await table.isVisible()).toBe(true);
  expect(await page.getByRole("banner").isVisible()).toBe(false);
  await page.emulateMedia({ media: null });
}

async function makeKeysForAClass() {
  await navigationLink(page, "Tokens").click();
  await link("Add Token").click();
  await link("Several keys").click();
  const names = Array.from({ length: 20 }, (_, place) => `student-${place + 1}`);
  await page.getByLabel("Names").fill(names.join("\n"));
  await page.getByLabel("In US dollars").first().fill("5");
  await button("1 Month").click();
  await page.getByText("$100.00 for all of them").waitFor();
  await button("Create keys").click();
  await page.getByText("20 of 20 created", { exact: true }).waitFor();
  const download = page.waitForEvent("download");
  await button("Save as CSV").click();
  expect((await download).suggestedFilename()).toBe("keys.csv");
}

async function saveTheMonth() {
  await link("Monthly report").click();
  await page.getByRole("heading", { name: /^Report of/ }).waitFor();
  await button("Models").click();
  const download = page.waitForEvent("download");
  await link("CSV of all rows").click();
  expect((await download).suggestedFilename()).toMatch(/^report-\d{4}-\d\d-by-model\.csv$/);
}
