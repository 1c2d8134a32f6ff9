// Alerts in the console: a destination that is tried out, an alert from the bell to its end of
// muting, and its delivery.
import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { eventually } from "../harness/eventually.ts";
import { startNoticeReceiver } from "../harness/notice-receiver.ts";
import { model, type TestGateway } from "../harness/test-gateway.ts";
import { startBrowserGateway } from "./browser-gateway.ts";
import { collectPageErrors, heading, openPage, openSignedIn, pathOf } from "./console-pages.ts";
import { inspectScreen } from "./inspect-page.ts";

const password = "correct horse battery";

let gateway: TestGateway;
let receiver: Awaited<ReturnType<typeof startNoticeReceiver>>;
let page: Page;
let pageErrors: string[];

beforeAll(async () => {
  receiver = await startNoticeReceiver();
  gateway = await startBrowserGateway({
    env: {
      INITIAL_ROOT_PASSWORD: password,
      API_RATE_LIMIT: "0",
      NOTICE_PRIVATE_HOSTS: receiver.host,
    },
  });
  page = await openPage(await gateway.newContext());
  pageErrors = collectPageErrors(page);
});
afterAll(async () => {
  await gateway.close();
  await receiver.close();
});

const button = (name: string | RegExp) => page.getByRole("button", { name, exact: true });
const item = (text: string) =>
  page.getByRole("main").getByRole("listitem").filter({ hasText: text });
const filter = () => page.getByLabel("Show", { exact: true });

test("root adds a webhook, sees its secret once, and a test tells what the receiver answers", async () => {
  await openSignedIn(page, gateway.url, {
    username: "root",
    password,
    path: "/alerts/destinations",
  });
  await item("Mail to root").getByText("Nothing is sent: no mail server is set up").waitFor();
  await button("New destination").click();
  const dialog = page.getByRole("dialog", { name: "New destination" });
  await dialog.getByLabel("Kind").selectOption("Telegram");
  await dialog.getByLabel("Bot token").waitFor();
  await inspectScreen(page, "alert-destination-form");
  await dialog.getByLabel("Kind").selectOption("Webhook");
  await dialog.getByLabel("Name", { exact: true }).fill("On call");
  await dialog.getByText("Alerts of all rules").click();
  const rule = dialog.getByLabel("A channel is disabled automatically", { exact: true });
  await rule.check();
  await dialog.getByText("Alerts of 1 rule").waitFor();
  await rule.uncheck();
  await dialog.getByText("Alerts of all rules").waitFor();
  await dialog.getByLabel("Address").fill("http://169.254.169.254/hook");
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.getByText("address", { exact: false }).getByText("private").first().waitFor();
  await dialog.getByLabel("Address").fill(`${receiver.url}/hook-with-a-secret`);
  await dialog.getByRole("button", { name: "Save" }).click();
  await page.getByText(/^whsec_/).waitFor();
  await item("On call").getByText(receiver.host).waitFor();
  expect(await page.content()).not.toContain("hook-with-a-secret");

  await button("Test On call").click();
  await page.getByText("The example was delivered.").waitFor();
  receiver.answer.status = 500;
  receiver.answer.body = "the pager is off";
  await button("Test On call").click();
  await page.getByText("The example was not delivered.").waitFor();
  await page.getByText("The receiver answered: 500 the pager is off").waitFor();
  await inspectScreen(page, "alert-destinations");
  Object.assign(receiver.answer, { status: 200, body: "ok" });
  // The refused address.
  expect(pageErrors.splice(0)).toEqual([expect.stringContaining("/api/destination/")]);
});

/** Seconds between the moments of the address. */
const markedSeconds = (page: Page): number => {
  const { searchParams } = new URL(page.url());
  return Number(searchParams.get("end_timestamp")) - Number(searchParams.get("start_timestamp"));
};

/** Marks with the pointer what is from a share of the chart's width to its right end. */
async function drag(page: Page, chart: Locator, share: number): Promise<void> {
  const box = await chart.boundingBox();
  if (!box) throw new Error("the chart is not shown");
  const middle = box.y + box.height / 2;
  await page.mouse.move(box.x + box.width * share, middle);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width - 6, middle, { steps: 4 });
  await chart.locator("[data-marked]").waitFor();
  await page.mouse.up();
}

/**
 * A day of a chart is an incident, by keys and pointer; several days are the problems of the log,
 * whose chart opens incidents too.
 */
async function markDays(page: Page): Promise<void> {
  const daySeconds = 86_400;
  // Tokens, for the chart of models.
  await gateway.given.channel({ key: "sim-ok", models: "steady" });
  await gateway.chat((await gateway.given.token()).key, { model: "steady" });
  await gateway.settled();
  const chart = (name: RegExp) => page.getByRole("application", { name });
  // PostgreSQL adds settled calls up a moment later, and the dashboard asks once a minute.
  await eventually(async () => {
    expect(
      await gateway.rows("select day from rollup_day_model where model_name = 'steady'"),
    ).toHaveLength(1);
  });
  for (const name of [/^Requests a day\./, /^Model usage a day and model\./, /^Failed calls\./]) {
    await page.goto("/dashboard");
    await chart(name).focus();
    for (const key of ["End", "Enter"]) await page.keyboard.press(key);
    await heading(page, "Incident").waitFor();
    await expect.poll(() => markedSeconds(page)).toBe(daySeconds);
    await page.getByRole("application", { name: /^Calls in steps of five minutes\./ }).waitFor();
    await page.getByText("Failed calls: 1.").waitFor();
  }
  await page.goto("/dashboard");
  const bars = chart(/^Model usage a day and model\./);
  await bars.scrollIntoViewIfNeeded();
  await drag(page, bars, 0.97);
  await heading(page, "Incident").waitFor();
  await page.goto("/dashboard");
  await bars.scrollIntoViewIfNeeded();
  await drag(page, bars, 0.5);
  await page.getByRole("region", { name: "What went wrong" }).waitFor();
  expect(markedSeconds(page)).toBeGreaterThan(daySeconds);
  const problems = chart(/^Problems by reason over time\./);
  await problems.focus();
  for (const key of ["End", "Enter"]) await page.keyboard.press(key);
  await heading(page, "Incident").waitFor();
}

/** Marks two minutes with the keys, and then both of them with the pointer. */
async function markTimes(page: Page): Promise<void> {
  const spanS = () => markedSeconds(page);
  const whole = spanS();
  expect(whole).toBeGreaterThan(180);
  const chart = page.getByRole("application", { name: /^Calls by minute\. .* Enter shows it\.$/ });
  await chart.focus();
  for (const key of ["End", "Shift+ArrowLeft", "Shift+ArrowLeft", "Escape"])
    await page.keyboard.press(key);
  await page.keyboard.press("Enter");
  expect(spanS()).toBe(whole);
  for (const key of ["End", "Shift+ArrowLeft", "Shift+ArrowLeft", "Enter"])
    await page.keyboard.press(key);
  await expect.poll(spanS).toBe(180);
  await page.goBack();
  await expect.poll(spanS).toBe(whole);
  await drag(page, chart, 0.5);
  await expect.poll(spanS).toBeLessThan(whole);
  await page.goBack();
  await expect.poll(spanS).toBe(whole);
}

test("an administrator follows the bell to an alert, mutes it, and root sends its notice again", async () => {
  await page.goto("/alerts");
  await page.getByText("No active alerts: everything").waitFor();
  await inspectScreen(page, "alerts-empty");
  await gateway.api("PUT", "/api/option/", {
    key: "AutomaticDisableChannelEnabled",
    value: "true",
  });
  const { name } = await gateway.given.channel({ key: "sim-401", models: model });
  const { key } = await gateway.given.token();
  await gateway.chat(key);
  const count = () => gateway.api<{ firing: number }>("GET", "/api/alert/count");
  await eventually(async () => expect((await count()).firing).toBe(1));

  await page.goto("/dashboard");
  const bell = button("Alerts: 1 firing");
  await bell.focus();
  await page.keyboard.press("ArrowDown");
  await page
    .getByRole("menuitem")
    .filter({ hasText: `Channel ${name} disabled` })
    .click();
  await heading(page, "Alerts").waitFor();
  await expect.poll(() => pathOf(page)).toBe("/alerts");
  const alert = item(`Channel ${name} disabled`);
  await alert.getByText("test the channel and enable it").waitFor();
  expect(await alert.getByRole("link", { name: /^Open channel/ }).getAttribute("href")).toMatch(
    /^\/channels\/\d+$/,
  );
  await inspectScreen(page, "alerts-firing");

  await gateway.settled();
  await alert.getByRole("link", { name: /^What happened around/ }).click();
  await heading(page, "Incident").waitFor();
  const timeline = page.getByRole("table", { name: "Timeline" });
  await timeline.getByText(`Channel ${name} begins to fail`).waitFor();
  await timeline.getByText(`Alert: Channel ${name} disabled`).waitFor();
  await timeline
    .getByText(`The gateway itself: Disabled the channel ${name} after failures`)
    .waitFor();
  // Beside texts, a time takes no more room than it needs.
  expect(
    (await timeline.getByRole("columnheader", { name: "Time" }).boundingBox())?.width,
  ).toBeLessThan(220);
  const calls = page
    .getByRole("table", { name: "Affected users" })
    .getByRole("link", { name: "root" });
  expect(await calls.getAttribute("href")).toMatch(/^\/logs\?.*username=root/);
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await button("Copy as Markdown").click();
  await expect
    .poll(() => page.evaluate<string>("navigator.clipboard.readText()"))
    .toContain(`Channel ${name} begins to fail |`);
  await inspectScreen(page, "incident");
  await markTimes(page);
  await markDays(page);
  await page.goto("/alerts/incident");
  await page.getByLabel("Time range").selectOption("Last 24 hours");
  await expect
    .poll(() => {
      const { searchParams } = new URL(page.url());
      return (
        Number(searchParams.get("end_timestamp")) - Number(searchParams.get("start_timestamp"))
      );
    })
    .toBe(86_400);
  await timeline.getByText(`Channel ${name} begins to fail`).waitFor();
  await page.getByLabel("To", { exact: true }).fill("2020-01-01T00:00:00");
  await page.getByText("Choose an end at most one day after the beginning").waitFor();
  await page.goto("/alerts/incident?start_timestamp=1577836800&end_timestamp=1577840400");
  await page.getByText("No problems in this period").waitFor();
  await page.goto("/alerts");

  await alert.getByRole("button", { name: /^Mute / }).click();
  await page.getByRole("menuitem", { name: "For 8 hours" }).click();
  await alert.getByText("Muted until").waitFor();
  await button("Alerts").waitFor();
  await filter().selectOption("Resolved");
  await page.getByText("No alerts ended in the last 30 days.").waitFor();
  await filter().selectOption("Muted");
  await alert.getByText("Muted until").waitFor();
  await inspectScreen(page, "alerts-muted");
  await alert.getByRole("button", { name: /^End muting / }).click();
  await page.getByText("No active alert is muted.").waitFor();
  await bell.waitFor();

  const told = () => receiver.received.filter(({ body }) => body.includes('"alert.firing"'));
  await eventually(async () => expect(told()).toHaveLength(1));
  await page.getByRole("tab", { name: "Deliveries" }).click();
  const delivery = item("Begun: A channel is disabled automatically");
  await delivery.getByText("Sent", { exact: true }).waitFor();
  await inspectScreen(page, "alert-deliveries");
  await delivery.getByRole("button", { name: "Send again to On call" }).click();
  await eventually(async () => expect(told()).toHaveLength(2));
  const ids = told().map(({ headers }) => headers["webhook-id"]);
  expect(ids[0]).toBe(ids[1]);
  Object.assign(receiver.answer, { status: 503, body: "not now" });
  await delivery.getByRole("button", { name: "Send again to On call" }).click();
  await delivery.getByText("503 not now").waitFor();
  await inspectScreen(page, "alert-deliveries-failing");
  Object.assign(receiver.answer, { status: 200, body: "ok" });
  expect(pageErrors).toEqual([]);
});

test("an incident that cannot be read says why, and is there when it can", {
  tags: ["large"],
}, async () => {
  const incidents = "**/api/incident/?*";
  await page.route(incidents, (route) =>
    route.fulfill({ status: 503, json: { success: false, message: "The database is away" } }),
  );
  await page.goto("/alerts/incident?start_timestamp=1577836800&end_timestamp=1577840400");
  await page.getByText("The incident could not be loaded").waitFor();
  await page.getByText("The database is away").waitFor();
  await inspectScreen(page, "incident-failed");
  expect(pageErrors.splice(0)).toEqual([expect.stringContaining("status of 503")]);
  await page.unroute(incidents);
  await button("Retry").click();
  await page.getByText("No problems in this period").waitFor();
  await Promise.all([page.waitForRequest(incidents), button("Show").click()]);
  expect(pageErrors).toEqual([]);
});
