import { readFile } from "node:fs/promises";
import { createToken } from "@tollgate/contract/accounts/tokens.ts";
import { createUser, topUpUser } from "@tollgate/contract/accounts/user-admin.ts";
import { createChannel } from "@tollgate/contract/catalogue/channels.ts";
import { listLogs } from "@tollgate/contract/figures/logs.ts";
import type { BrowserContext, Download, Locator, Page, Request } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
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
import { accessibilityViolations, inspectScreen } from "./inspect-page.ts";

let gateway: TestGateway;
let visitor: BrowserContext;
let page: Page;
let pageErrors: string[];
let rootKey: string;
let miraKey: string;

const password = "correct horse battery";
const quickCalls = 12;
const prices = { ratio: 1, completion_ratio: 4, max_tokens: 4096 };

const button = (name: string | RegExp, on: Page | Locator = page) =>
  on.getByRole("button", { name, exact: true });
const rows = () => page.getByRole("table", { name: "Logs", exact: true }).locator("tbody tr");
const rowOf = (model: string) => rows().filter({ hasText: model }).first();
const live = () => page.getByRole("switch", { name: "Live" });

async function call(key: string, model: string): Promise<void> {
  const response = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({
      model,
      messages: [{ role: "user", content: "Which way to the harbour?" }],
    }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${model}: ${response.status} ${text}`);
}

async function addChannel(
  root: ApiSession,
  name: string,
  key: string,
  models: string,
  priority = 0,
) {
  const model_configs = JSON.stringify(
    Object.fromEntries(models.split(",").map((model) => [model, prices])),
  );
  const body = {
    name,
    type: 50,
    key,
    base_url: gateway.simulator.url,
    models,
    model_configs,
    priority,
  };
  await root.call(createChannel, { body });
}

const keyFor = async (client: ApiSession, name: string) =>
  (await client.call(createToken, { body: { name, unlimited_quota: true } })).data.key;

beforeAll(async () => {
  gateway = await startBrowserGateway({
    store: "postgres",
    env: { INITIAL_ROOT_PASSWORD: password },
  });
  const root = await gateway.signIn("root", password);
  await addChannel(root, "Tired", "sim-fail-503", "quick", 10);
  await addChannel(root, "Quick", "sim-ok", "quick,fresh");
  await addChannel(root, "Slow", "sim-slow-1200", "steady");
  await addChannel(root, "Slower", "sim-slow-3200", "sluggish");
  await addChannel(root, "Broken", "sim-fail-503", "broken");
  const mira = (await root.call(createUser, { body: { username: "mira", password } })).data;
  await root.call(topUpUser, { body: { user_id: mira.id, quota: 1_000_000 } });
  rootKey = await keyFor(root, "Root key");
  miraKey = await keyFor(await gateway.signIn("mira", password), "Mira key");
  for (let n = 0; n < quickCalls; n += 1) await call(rootKey, "quick");
  await Promise.all([call(rootKey, "steady"), call(rootKey, "sluggish"), call(miraKey, "quick")]);
  for (const key of [rootKey, miraKey])
    await expect(call(key, "broken")).rejects.toThrow("broken: 50");
});
afterAll(() => gateway.close());

async function enterAs(username: string, options: { withoutFiles?: boolean } = {}): Promise<void> {
  visitor = await gateway.newContext({ permissions: ["clipboard-read", "clipboard-write"] });
  // As in browsers that cannot write files: the export is a download.
  if (options.withoutFiles !== false)
    await visitor.addInitScript("delete window.showSaveFilePicker");
  page = await openPage(visitor);
  pageErrors = collectPageErrors(page);
  await openSignedIn(page, gateway.url, { username, password, path: "/logs" });
  await heading(page, "Logs").waitFor();
  await rows().first().waitFor();
}

async function savedBy(act: () => Promise<unknown>): Promise<string[][]> {
  const [download] = await Promise.all<[Promise<Download>, Promise<unknown>]>([
    page.waitForEvent("download"),
    act(),
  ]);
  expect(download.suggestedFilename()).toMatch(/^logs(-all)?-\d{4}-\d\d-\d\d-\d\d-\d\d-\d\d\.csv$/);
  return linesOf(await readFile(await download.path(), "utf8"));
}
const linesOf = (csv: string) =>
  csv
    .trimEnd()
    .split("\r\n")
    .map((line) => line.split(","));
const heads =
  "\ufeffTime,Type,Model,Token,Username,Quota,Prompt Tokens,Completion Tokens,Latency,Content".split(
    ",",
  );

describe("an administrator", () => {
  beforeAll(() => enterAs("root"));
  afterAll(() => visitor.close());
  afterEach(() => page.unrouteAll({ behavior: "ignoreErrors" }));
  const everything = () => page.goto("/logs");

  test("filters, and the address keeps it: a reload shows the same", async () => {
    await page.getByRole("combobox", { name: "Model" }).fill("steady");
    await page.getByRole("combobox", { name: "Username" }).fill("root");
    await button("Apply").click();
    await expect.poll(() => rows().count()).toBe(1);
    await expect.poll(() => pathOf(page)).toBe("/logs?model_name=steady&username=root");
    await page.reload();
    await rowOf("steady").waitFor();
    expect(await rows().count()).toBe(1);
    expect(await page.getByRole("combobox", { name: "Model" }).inputValue()).toBe("steady");
    const channel = page.getByRole("combobox", { name: "Channel" });
    await channel.fill("Slow");
    await page.getByRole("option", { name: "Quick" }).waitFor({ state: "detached" });
    await page.getByRole("option", { name: "Slower", exact: true }).click();
    expect(await channel.inputValue()).toBe("Slower");
    await button("Apply").click();
    await page
      .getByText("No logs found. Adjust your filters or search criteria.", { exact: true })
      .waitFor();
    await button("Clear filters").first().click();
    await rowOf("sluggish").waitFor();
    await expect.poll(() => pathOf(page)).toBe("/logs");
    const [first] = await readTable(page, "Logs");
    expect(Object.keys(first ?? {})).toEqual(
      expect.arrayContaining(["Time", "Type", "Model", "Username", "Channel"]),
    );
  });

  test("puts the name of its token in place of a pasted key, which no address and no request holds", async () => {
    await everything();
    await rowOf("steady").waitFor();
    const sent: string[] = [];
    const note = (request: Request) => sent.push(`${request.url()} ${request.postData() ?? ""}`);
    page.on("request", note);
    await page.getByLabel("Search logs").fill(miraKey);
    await page.keyboard.press("Enter");
    await expect.poll(() => pathOf(page)).toContain("token_name=Mira");
    await expect.poll(async () => (await readTable(page, "Logs"))[0]?.Username).toBe("mira");
    page.off("request", note);
    const secret = miraKey.replace(/^sk-/, "");
    expect([page.url(), ...sent].filter((text) => text.includes(secret))).toEqual([]);
    expect(sent.some((text) => text.includes("key_hash"))).toBe(true);
  });

  test("reaches search, filters and rows by single keys, and finds the filters in two lines", async () => {
    await everything();
    await rows().first().waitFor();
    expect(await page.getByLabel("Time range").inputValue()).toBe("7d");
    const focused = async () => {
      await page.keyboard.press("f");
      return page.evaluate("document.activeElement.labels?.[0]?.textContent");
    };
    // The keys are heard a moment after the rows are there.
    await expect.poll(focused).toBe("Type");
    await page.locator("h1").click();
    await page.keyboard.press("/");
    await page.getByLabel("Search logs").and(page.locator(":focus")).waitFor();
    await page.getByRole("link", { name: "Skip to the results" }).focus();
    await page.keyboard.press("Enter");
    await page.keyboard.press("j");
    await page.keyboard.press("j");
    await page.keyboard.press("k");
    await expect
      .poll(() => page.evaluate("document.activeElement.closest('tr')?.rowIndex"))
      .toBe(1);
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    const size = page.viewportSize();
    await page.setViewportSize({ width: 1024, height: 768 });
    const panel = page.getByRole("form", { name: "Filters" }).locator("..");
    await expect
      .poll(async () => (await panel.boundingBox())?.height ?? 999)
      .toBeLessThanOrEqual(160);
    if (size !== null) await page.setViewportSize(size);
  });

  test("sees what the filter cost in all, while the panel is shown", {
    tags: ["large"],
  }, async () => {
    await page.goto("/logs?model_name=quick&username=mira");
    await button("Show statistics").click();
    // 8 prompt tokens at 1 unit and 12 of the answer at 4.
    await page.getByText("56 quota units").waitFor();
    await button("Hide statistics").click();
    expect(await page.getByText("56 quota units").isVisible()).toBe(false);
  });

  test("filters by how calls ended, by their retries and by their time", {
    tags: ["large"],
  }, async () => {
    await everything();
    const models = async () => [
      ...new Set((await readTable(page, "Logs")).map((row) => row.Model)),
    ];
    for (const [choose, path, shown] of [
      [() => page.getByLabel("Outcome").selectOption("Failed"), "/logs?outcome=failed", "broken"],
      [() => page.getByLabel("Retried").check(), "/logs?retried=1", "quick"],
      [() => page.getByLabel("Slow (3 s and more)").check(), "/logs?slow=1", "sluggish"],
    ] as const) {
      await choose();
      await button("Apply").click();
      await expect.poll(() => pathOf(page)).toBe(path);
      await expect.poll(models).toEqual([shown]);
      await button("Clear filters").click();
      await expect.poll(() => pathOf(page)).toBe("/logs");
    }
    await rowOf("steady").waitFor();
  });

  test("takes a usual range without typing its times", { tags: ["large"] }, async () => {
    await everything();
    await rowOf("steady").waitFor();
    const from = page.getByLabel("From", { exact: true });
    const weekAgo = await from.inputValue();
    await page.getByLabel("Time range").selectOption("Last hour");
    expect(await from.inputValue()).not.toBe(weekAgo);
    await button("Apply").click();
    await expect.poll(() => pathOf(page)).toBe("/logs?range=1h");
    expect(await page.getByLabel("Time range").inputValue()).toBe("1h");
    await page.getByText(/^Times are in /).waitFor();
    await rowOf("steady").waitFor();
    // A time that is typed is no usual range.
    await page.getByLabel("Time range").selectOption("Last 24 hours");
    await from.fill(weekAgo);
    expect(await page.getByLabel("Time range").inputValue()).toBe("");
    await button("Clear filters").click();
    await expect.poll(() => pathOf(page)).toBe("/logs");
  });

  test("sees what went wrong: in groups, their calls, and the trace of the newest one", async () => {
    await page
      .getByRole("navigation", { name: "Views of the log" })
      .getByRole("link", { name: "Problems" })
      .click();
    const card = page.getByRole("region", { name: "What went wrong" });
    const group = card.getByRole("listitem").filter({ hasText: "broken" });
    await group.getByText("Failed", { exact: true }).waitFor();
    expect((await group.innerText()).replace(/\s+/g, " ")).toMatch(
      /^2 calls Failed broken Broken .* · 2 users/,
    );
    await expect.poll(() => pathOf(page)).toBe("/logs?view=problems");
    // Both broken calls, and the ones that were sent again; none that went smoothly.
    await rowOf("broken").getByText("The provider failed (5xx)").waitFor();
    expect(await rows().filter({ hasText: "steady" }).count()).toBe(0);
    await card.getByRole("application", { name: "Problems by reason over time" }).waitFor();
    await inspectScreen(page, "logs-problems");
    await card.getByRole("button", { name: "By channel" }).click();
    await card.getByRole("application", { name: "Problems by channel over time" }).waitFor();
    await card.getByRole("list", { name: "Series" }).getByText("Broken").waitFor();
    await group.getByRole("button", { name: "Newest trace of broken" }).click();
    const dialog = page.getByRole("dialog", { name: "Request Trace" });
    await dialog.getByRole("region", { name: "Timeline" }).getByText("Broken").first().waitFor();
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    await group.getByRole("button", { name: "Show calls of broken" }).click();
    await expect.poll(() => rows().count()).toBe(2);
    expect(await page.getByLabel("Outcome").inputValue()).toBe("failed");
    await card.getByText("2 calls").waitFor();
    expect(pageErrors).toEqual([]);
  });

  test("knows slow calls by their colour", { tags: ["large"] }, async () => {
    await everything();
    for (const [model, colour] of [
      ["steady", "text-warn"],
      ["sluggish", "text-bad"],
    ] as const)
      expect(await rowOf(model).locator(`.${colour}`).innerText()).toMatch(/^[13]\.\d+ s$/);
    expect(await rowOf("quick").locator(".text-good").innerText()).toMatch(/ms$/);
  });

  test("saves the page as it stands, with raw numbers", { tags: ["large"] }, async () => {
    await page.goto("/logs?model_name=quick&username=mira");
    await expect.poll(() => rows().count()).toBe(1);
    const lines = await savedBy(() => button("Export this page").click());
    expect(lines[0]).toEqual(heads);
    const [time, ...rest] = lines[1] ?? [];
    expect(time).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
    expect(rest.slice(0, 7)).toEqual(["Consume", "quick", "Mira key", "mira", "56", "8", "12"]);
    expect(lines).toHaveLength(2);
  });

  test("saves everything that matches, not only the page", async () => {
    await page.goto("/logs?model_name=quick");
    await expect.poll(() => rows().count()).toBe(10);
    const [shown] = await readTable(page, "Logs");
    const lines = await savedBy(() => button("Export all").click());
    expect(lines[0]).toEqual(heads);
    expect(lines).toHaveLength(1 + quickCalls + 1);
    // In the viewer's time zone, as on the screen.
    expect(lines[1]?.[0]).toBe(shown?.Time);
    await page.getByText(`${quickCalls + 1} log entries exported`).waitFor();
  });

  test("cancels an export; a failure shows its reason", { tags: ["large"] }, async () => {
    await page.route("**/api/log/export?*", () => undefined);
    await button("Export all").click();
    await button("Cancel (0 rows)").click();
    await page.getByText("The export was cancelled, nothing was kept").waitFor();
    await page.unroute("**/api/log/export?*");
    const refusal = {
      success: false,
      code: "log_export_running",
      message: "Another export is still running",
    };
    await page.route("**/api/log/export?*", (route) =>
      route.fulfill({ status: 429, json: refusal }),
    );
    await button("Export all").click();
    await page.getByText("Another export is still running").waitFor();
    await button("Export all").waitFor();
    pageErrors.length = 0;
  });

  test("opens a trace: timeline, attempts, the price line by line, and an id to copy", async () => {
    await page.goto("/logs?model_name=quick&order=asc");
    await rows().filter({ hasText: "quick" }).first().click();
    const dialog = page.getByRole("dialog", { name: "Request Trace" });
    const timeline = dialog.getByRole("region", { name: "Timeline" });
    const attempt = (name: string) => timeline.getByRole("listitem").filter({ hasText: name });
    await attempt("Tired")
      .getByText(/^503 ·/)
      .waitFor();
    await attempt("Quick").waitFor();
    await timeline.getByText("Channels tried", { exact: true }).waitFor();
    await timeline.getByText(/^(last resort: suspended after status 503|priority 10)/).waitFor();
    const price = dialog.getByRole("region", { name: "Price" });
    const lines = await price.getByRole("row").allInnerTexts();
    expect(lines.map((line) => line.replace(/\s+/g, " "))).toEqual([
      "What Tokens Per 1M Amount",
      "Input 8 $2.00 $0.000016",
      "Output 12 $8.00 $0.000096",
      "Group ratio × 1",
      "Sum $0.000112",
      "Charged 56 quota units, rounded up $0.000112",
    ]);
    await button("Copy", dialog).click();
    await button("Copied!", dialog).waitFor();
    const copied = await page.evaluate<string>("navigator.clipboard.readText()");
    expect(await dialog.getByText(copied, { exact: true }).count()).toBe(1);
    await button("Copy", dialog).waitFor();
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" }).catch(() => dialog.waitFor({ state: "hidden" }));
    expect(pageErrors).toEqual([]);
  });

  test("a trace has an address: Back and Escape close it, and a link to it opens it without its list", {
    tags: ["large"],
  }, async () => {
    const list = "/logs?model_name=quick&order=asc";
    await page.goto(list);
    await rows().filter({ hasText: "quick" }).first().click();
    const dialog = page.getByRole("dialog", { name: "Request Trace" });
    await dialog.getByRole("region", { name: "Price" }).waitFor();
    const link = pathOf(page);
    expect(link).toMatch(/^\/logs\?model_name=quick&order=asc&trace=[0-9a-f-]{36}$/);
    await page.goBack();
    await dialog.waitFor({ state: "detached" });
    await expect.poll(() => pathOf(page)).toBe(list);
    await page.goForward();
    await dialog.waitFor();
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    await expect.poll(() => pathOf(page)).toBe(list);

    await page.goto(`/logs?type=1&trace=${new URLSearchParams(link.split("?")[1]).get("trace")}`);
    await dialog.getByRole("region", { name: "Price" }).waitFor();
    await button("Close", dialog).click();
    await dialog.waitFor({ state: "detached" });
    await expect.poll(() => pathOf(page)).toBe("/logs?type=1");
    await page.goto(list);
  });

  test("shows when a trace is gone, and offers another try when it failed", {
    tags: ["large"],
  }, async () => {
    const gone = {
      success: false,
      code: "trace_not_found",
      message: "No trace information available for this log entry.",
    };
    await page.route("**/api/trace/log/*", (route) => route.fulfill({ json: gone }));
    await rows().filter({ hasText: "quick" }).first().click();
    const dialog = page.getByRole("dialog", { name: "Request Trace" });
    await dialog.getByText(gone.message, { exact: true }).waitFor();
    await page.unroute("**/api/trace/log/*");
    await page.route("**/api/trace/log/*", (route) =>
      route.fulfill({ status: 500, json: { success: false, message: "" } }),
    );
    await button("Retry", dialog).click();
    await dialog.getByText("Failed to fetch trace data").waitFor();
    await page.unroute("**/api/trace/log/*");
    await button("Retry", dialog).click();
    await dialog.getByRole("region", { name: "Timeline" }).waitFor();
    await page.keyboard.press("Escape");
    pageErrors.length = 0;
  });

  test("follows new calls on the first page, and shows where that pauses", async () => {
    await page.goto("/logs?username=root");
    await live().click();
    await page.getByText("New calls appear here").waitFor();
    await call(rootKey, "fresh");
    await rowOf("fresh").waitFor();
    expect(await live().getAttribute("aria-checked")).toBe("true");
    await button("Next").click();
    await page.getByText("Paused: new entries appear on the first page, newest first").waitFor();
    await button("Previous").click();
    await page.getByText("New calls appear here").waitFor();
    expect(pageErrors).toEqual([]);
  });

  test("Refresh and Apply read a range with two fixed ends again, with its statistics", async () => {
    const root = await gateway.signIn("root", password);
    const made = async () =>
      (await root.call(listLogs, { query: { username: "root", model_name: "fresh" } })).total;
    const before = await made();
    const now = Math.floor(Date.now() / 1000);
    // A whole day would be summed from its roll-up, which follows its rows a moment later.
    const from = Math.max(now - 3_600, now - (now % 86_400) + 1);
    await page.goto(
      `/logs?username=root&model_name=fresh&start_timestamp=${from}&end_timestamp=${now + 3_600}`,
    );
    await button("Show statistics").click();
    const shows = async (calls: number) => {
      await expect.poll(() => rows().count()).toBe(calls);
      await page.getByText(`${calls * 56} quota units`, { exact: true }).waitFor();
    };
    await shows(before);
    for (const [index, press] of ["Refresh", "Apply"].entries()) {
      await call(rootKey, "fresh");
      await expect.poll(made).toBe(before + index + 1);
      await button(press).click();
      await shows(before + index + 1);
    }
  });

  test("while problems are followed, their groups count the new ones", async () => {
    await page.goto("/logs?view=problems&username=mira");
    const group = page.getByRole("region", { name: "What went wrong" }).getByRole("listitem");
    await group.filter({ hasText: "broken" }).getByText("1 call", { exact: true }).waitFor();
    await live().click();
    await page.getByText("New calls appear here").waitFor();
    await expect(call(miraKey, "broken")).rejects.toThrow("broken: 50");
    await group.filter({ hasText: "broken" }).getByText("2 calls", { exact: true }).waitFor();
    expect(pageErrors).toEqual([]);
  });

  test("reads it all with assistive tools, on a phone, in the dark and by keyboard", {
    tags: ["large"],
  }, async () => {
    await button("Show statistics").click();
    await page.getByText(/quota units/).waitFor();
    await inspectScreen(page, "logs-live");
    await live().click();
    expect(pageErrors).toEqual([]);
  });
});

test("where the browser can write files, an export goes straight into one", {
  tags: ["large"],
}, async () => {
  await enterAs("root", { withoutFiles: false });
  await page.evaluate(`{
    window.showSaveFilePicker = async ({ suggestedName }) => {
      window.file = await (await navigator.storage.getDirectory()).getFileHandle(suggestedName, { create: true });
      return window.file;
    };
  }`);
  await button("Export all").click();
  await page.getByText(/log entries exported/).waitFor();
  const lines = linesOf(
    await page.evaluate<string>("window.file.getFile().then((file) => file.text())"),
  );
  expect(lines[0]).toEqual(heads.map((head) => head.replace("\ufeff", "")));
  expect(lines.filter((line) => line[2] === "quick")).toHaveLength(quickCalls + 1);
  // The user closes the browser's own dialog: nothing happens.
  await page.evaluate(`{
    window.showSaveFilePicker = () => Promise.reject(new DOMException("", "AbortError"));
  }`);
  await button("Export all").click();
  await button("Export all").waitFor();
  expect(pageErrors).toEqual([]);
  await visitor.close();
});

test("an ordinary user sees, saves and follows their own calls only", async () => {
  await enterAs("mira");
  expect(await page.getByLabel("Username").inputValue()).toBe("mira");
  expect(await page.getByLabel("Username").getAttribute("readonly")).not.toBeNull();
  expect(await page.getByLabel("Channel").count()).toBe(0);
  expect(await button("Clear Logs").count()).toBe(0);
  expect(await rows().filter({ hasText: "sluggish" }).count()).toBe(0);
  await page.getByRole("link", { name: "Problems" }).click();
  const problem = page.getByRole("region", { name: "What went wrong" }).getByRole("listitem");
  await problem.filter({ hasText: "broken" }).waitFor();
  expect(await problem.filter({ hasText: /users?|Broken|Tired/ }).count()).toBe(0);
  await page.getByRole("link", { name: "All entries" }).click();
  await rowOf("quick").waitFor();
  const lines = await savedBy(() => button("Export all").click());
  expect(new Set(lines.slice(1).map((line) => line[4]))).toEqual(new Set(["mira"]));
  await rowOf("quick").click();
  const dialog = page.getByRole("dialog", { name: "Request Trace" });
  await dialog.getByRole("region", { name: "Price" }).waitFor();
  expect(await dialog.getByText("Quick", { exact: true }).count()).toBe(0);
  await page.keyboard.press("Escape");
  await live().click();
  await call(rootKey, "fresh");
  await call(miraKey, "fresh");
  await rowOf("fresh").waitFor();
  expect(await rows().filter({ hasText: "fresh" }).count()).toBe(1);
  expect(pageErrors).toEqual([]);
  await visitor.close();
});

test("an administrator clears the log after seeing how much goes and since when", async () => {
  await enterAs("root");
  await page
    .getByRole("navigation", { name: "Views of the log" })
    .getByRole("link", { name: "Problems" })
    .click();
  const problems = page.getByRole("region", { name: "What went wrong" });
  await problems.getByText("Broken").first().waitFor();
  await button("Clear Logs").click();
  const dialog = page.getByRole("dialog", { name: "Clear Logs" });
  await dialog.getByText("Nothing to clear: the entries of all users are newer.").waitFor();
  expect(await button("Clear Logs", dialog).isDisabled()).toBe(true);
  await dialog.getByLabel("Before").fill("2099-01-01T00:00:00");
  await dialog.getByText("Delete logs before 2099-01-01 00:00:00 ?", { exact: true }).waitFor();
  await dialog
    .getByText(
      /^\d+ entries of all users and their traces go, from \d{4}-\d\d-\d\d \d\d:\d\d:\d\d on\./,
    )
    .waitFor();
  expect(await accessibilityViolations(page)).toEqual([]);
  await button("Clear Logs", dialog).click();
  await page.getByText(/^\d+ log entries deleted$/).waitFor();
  await problems.getByText("No problems in this range.").waitFor();
  await page.goto("/logs");
  await rows().filter({ hasText: "System" }).first().waitFor();
  expect(await rows().filter({ hasText: "quick" }).count()).toBe(0);
  expect(pageErrors).toEqual([]);
  await visitor.close();
});
