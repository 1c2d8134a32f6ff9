// The figures are worked out by hand: on a server that measures nothing, whatever the console shows
// it has computed.
import { readFile } from "node:fs/promises";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { sharedBrowser } from "../harness/chromium.ts";
import { credentials, type ForeignServer, startForeignServer } from "../harness/foreign-server.ts";
import { heading, openPage, pathOf, readTable, signIn } from "./console-pages.ts";
import { accessibilityViolations, expectToFit } from "./inspect-page.ts";

const dayMs = 86_400_000;
const day = (back: number): string =>
  new Date(Date.now() - back * dayMs).toISOString().slice(0, 10);
const row = (
  back: number,
  ModelName: string,
  RequestCount: number,
  Quota: number,
  tokens: [number, number],
) => ({
  Day: day(back),
  ModelName,
  RequestCount,
  Quota,
  PromptTokens: tokens[0],
  CompletionTokens: tokens[1],
});

// 500,000 units are a dollar. Small: 30 requests, 150,000 units, 15,000 tokens; large: 15,
// 1,350,000, 15,000. Before these 7 days: 15 requests, 750,000 units and 10,000 tokens.
const usage = [
  row(9, "large", 15, 750_000, [6_000, 4_000]),
  row(1, "small", 10, 50_000, [4_000, 1_000]),
  row(1, "large", 5, 450_000, [3_000, 2_000]),
  row(0, "small", 20, 100_000, [8_000, 2_000]),
  row(0, "large", 10, 900_000, [6_000, 4_000]),
  row(0, "idle", 0, 0, [0, 0]),
];

let browser: Browser;
let server: ForeignServer;
let visitor: BrowserContext | undefined;

beforeAll(async () => {
  browser = await sharedBrowser();
});
afterEach(async () => {
  await visitor?.close();
});

/** Waits until the texts of an empty answer are gone. */
async function loaded(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Apply" }).waitFor();
  await page.getByText("Loading...").waitFor({ state: "detached" });
}

/**
 * `lookAtPicture` says whether the colour of each series of the chart is in the picture. Runs
 * inside the page, so it is text.
 */
const lookAtPicture = (png: string): string => `(async () => {
  const image = new Image();
  image.src = "data:image/png;base64,${png}";
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = image.naturalWidth;
  canvas.height = image.naturalHeight;
  const context = canvas.getContext("2d");
  context.drawImage(image, 0, 0);
  const colourAt = (data, place) => data[place] + "," + data[place + 1] + "," + data[place + 2];
  const { data } = context.getImageData(0, 0, canvas.width, canvas.height);
  const seen = new Set();
  for (let place = 0; place < data.length; place += 4) seen.add(colourAt(data, place));
  const rgbOf = (colour) => {
    context.fillStyle = colour;
    context.fillRect(0, 0, 1, 1);
    return colourAt(context.getImageData(0, 0, 1, 1).data, 0);
  };
  const series = [...document.querySelectorAll("path[data-series]")].filter((path) => path.dataset.series !== "idle");
  return {
    width: canvas.width,
    chartWidth: series[0].closest("svg").getBoundingClientRect().width,
    isDrawn: series.map((path) => seen.has(rgbOf(getComputedStyle(path).fill))),
  };
})()`;

async function openDashboard(
  address = "/dashboard",
  prepare?: (page: Page) => Promise<unknown>,
): Promise<Page> {
  visitor = await browser.newContext({
    baseURL: server.url,
    viewport: { width: 1440, height: 900 },
  });
  const page = await openPage(visitor);
  await prepare?.(page);
  await page.goto(`/login?redirect_to=${encodeURIComponent(address)}`);
  await signIn(page, credentials.username, credentials.password);
  await heading(page, "Dashboard").waitFor();
  return page;
}

const card = (page: Page, name: string) => page.getByRole("region", { name, exact: true });
const textOf = async (page: Page, name: string) =>
  (await card(page, name).innerText()).replace(/\s+/g, " ");

describe("for root", () => {
  beforeAll(async () => {
    server = await startForeignServer({ ids: "uuid", role: 100, usage });
  });
  afterAll(() => server.close());

  test("every figure is what the rows add up to", async () => {
    const page = await openDashboard();
    await loaded(page);
    const overview = await textOf(page, "Usage Overview");
    // 30 today after 15 yesterday, 45 after 15; $2.00 after $1.00, $3.00 after $1.50; 20,000 after
    // 10,000.
    expect(overview).toContain(
      "Requests 45 up 100.0% vs previous day, so far today up 200.0% vs previous period",
    );
    expect(overview).toContain(
      "Quota Used $3.00 up 100.0% vs previous day, so far today up 100.0% vs previous period",
    );
    expect(overview).toContain(
      "Tokens 30.0K up 100.0% vs previous day, so far today up 200.0% vs previous period",
    );
    // 1,500,000 units by 45 requests; 30,000 tokens by 45.
    expect(overview).toContain("Avg Cost $0.07 667 tokens per request");
    expect(overview).toMatch(/Updated: \d{4}-\d\d-\d\d \d\d:\d\d:\d\d/);

    expect(await textOf(page, "Top Model")).toContain("small 3 active models");
    // 667 tokens a request are more than 2,000 ms; $0.0667 a request is below 85 %.
    expect(await textOf(page, "Performance")).toContain(
      "estimated Response Time 2,000 ms Success Rate 85.0%",
    );
    // 30 today against 45 / 7 a day; 45 / (7 * 24) an hour.
    expect(await textOf(page, "Usage Trend")).toContain(
      "Rising so far today 6.4 requests a day on average, 0.3 an hour",
    );

    // Small: $0.30 by 30 requests; large: $2.70 by 15, and a ninth of small's tokens for a dollar.
    const efficiency = await card(page, "Model Efficiency").getByRole("listitem").allInnerTexts();
    expect(efficiency.map((text) => text.replace(/\s+/g, " ").trim())).toEqual([
      "1. small 30 requests, $0.01 on average",
      "2. large 15 requests, $0.18 on average",
      "3. idle 0 requests, $0.00 on average",
    ]);
    const bars = await card(page, "Model Efficiency")
      .getByRole("listitem")
      .evaluateAll((items) =>
        items.map((item) => item.querySelector("[style]")?.getAttribute("style") ?? ""),
      );
    expect(bars.map((style) => Math.round(Number(/[\d.]+/.exec(style))))).toEqual([100, 11, 0]);

    const tips = await textOf(page, "Optimization Tips");
    expect(tips).toContain("High Cost Model Detected large costs $0.18 a request");
    expect(tips).toContain("Most Efficient Model small gives 50,000 tokens for a dollar.");
    // $3.00 in 7 days are $12.86 a month; three models cannot be concentrated.
    expect(tips).not.toContain("Projection");
    expect(tips).not.toContain("Concentration");

    const summary = (await page.locator("main dl").allInnerTexts()).map((text) =>
      text.replace(/\s+/g, " "),
    );
    expect(summary.slice(0, 3)).toEqual(["Total Quota $1.50", "Used Quota $0.50", "Status Active"]);
    const detail = card(page, "Detailed Data").getByRole("row");
    expect((await detail.allInnerTexts()).map((text) => text.trim().split(/\t/))).toEqual([
      ["Day", "Model", "Requests", "Quota", "Prompt Tokens", "Completion Tokens"],
      [day(0), "small", "20", "$0.20", "8,000", "2,000"],
      [day(0), "large", "10", "$1.80", "6,000", "4,000"],
      [day(0), "idle", "0", "$0.00", "0", "0"],
      [day(1), "small", "10", "$0.10", "4,000", "1,000"],
      [day(1), "large", "5", "$0.90", "3,000", "2,000"],
    ]);
  });

  test("the charts are read by keyboard, largest first and nothing of zero, and as tables", {
    tags: ["large"],
  }, async () => {
    const page = await openDashboard();
    await loaded(page);
    const models = card(page, "Model Usage");
    const chart = models.getByRole("application");
    const sentence = chart.getByRole("status");
    await chart.press("End");
    expect(await sentence.innerText()).toBe(`${day(0)}, large 10,000, small 10,000`);
    for (const [metric, words] of [
      ["Requests", "small 20, large 10"],
      ["Expenses", "large $1.800000, small $0.200000"],
    ] as const) {
      await models.getByRole("button", { name: metric, exact: true }).click();
      await chart.press("End");
      expect(await sentence.innerText()).toBe(`${day(0)}, ${words}`);
    }
    const requests = card(page, "Requests");
    await requests.getByRole("application").press("End");
    expect(await requests.getByRole("status").innerText()).toContain("30");

    for (const name of ["Model Usage", "Requests", "Quota", "Tokens"]) {
      await page.getByRole("button", { name: `${name}: show as table` }).click();
    }
    const cells = (await readTable(page, "Model usage a day and model")).at(-1);
    expect(Object.values(cells ?? {})).toEqual(
      expect.arrayContaining(["$1.800000", "$0.200000", "$0.000000"]),
    );
    expect(await card(page, "Quota").getByRole("row").last().innerText()).toContain("$2.000000");
    expect(await accessibilityViolations(page)).toEqual([]);
    await expectToFit(page, 375);
  });

  test("a chart becomes a picture in the colours that are shown, with the days in its name", async () => {
    const page = await openDashboard();
    await loaded(page);
    await page.getByRole("button", { name: "Model Usage: as a picture" }).click();
    const [file] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("menuitem", { name: "Download as PNG" }).click(),
    ]);
    expect(file.suggestedFilename()).toBe(`Model Usage ${day(6)} – ${day(0)}.png`);
    const picture = (await readFile(await file.path())).toString("base64");
    const { width, chartWidth, isDrawn } = await page.evaluate<{
      width: number;
      chartWidth: number;
      isDrawn: boolean[];
    }>(lookAtPicture(picture));
    // Two pixels for each of the screen's, and a margin.
    expect(width).toBe(2 * (chartWidth + 32));
    expect(isDrawn).toEqual([true, true]);

    const requests = card(page, "Requests");
    const picture2 = requests.getByRole("button", { name: "Requests: as a picture" });
    await requests.getByRole("button", { name: "Requests: show as table" }).click();
    await picture2.waitFor({ state: "hidden" });
    await requests.getByRole("button", { name: "Requests: show as chart" }).click();
    await picture2.waitFor();
  });

  test("one of many users is found by a part of the name, by keyboard", {
    tags: ["large"],
  }, async () => {
    const people = Array.from({ length: 40 }, (_, n) => ({
      uuid: `0199aa10-0000-7000-8000-0000000001${String(n).padStart(2, "0")}`,
      username: `user-${n}`,
      display_name: n === 31 ? "Amélie" : "",
    }));
    const page = await openDashboard("/dashboard", (opened) =>
      opened.route("**/api/user/dashboard/users*", (route) =>
        route.fulfill({ json: { success: true, message: "", data: people } }),
      ),
    );
    await loaded(page);
    const who = page.getByRole("combobox", { name: "User", exact: true });
    expect(await who.getAttribute("placeholder")).toBe("All Users");
    await who.focus();
    expect(await page.getByRole("listbox").getByRole("option").first().innerText()).toBe(
      "All Users",
    );
    await who.fill("nobody here");
    await page.getByText("Nothing matches.").waitFor();
    await who.fill("AMÉL");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    expect(await who.inputValue()).toBe("Amélie");
    expect(await accessibilityViolations(page)).toEqual([]);
    await page.getByRole("button", { name: "Apply" }).click();
    const { uuid } = people[31] ?? {};
    await expect.poll(() => pathOf(page)).toBe(`/dashboard?user_id=${uuid}`);
    await who.fill("");
    await page.getByRole("option", { name: "All Users" }).click();
    await page.getByRole("button", { name: "Apply" }).click();
    await expect.poll(() => pathOf(page)).toBe("/dashboard");
  });

  test("range and user are chosen, kept in the address, and requested from there", async () => {
    const page = await openDashboard();
    await loaded(page);
    const who = page.getByLabel("User", { exact: true });
    expect(await who.getByRole("option").allInnerTexts()).toEqual(["All Users", "mira"]);
    server.asked.length = 0;
    await who.selectOption("mira");
    await page.getByLabel("From").fill(day(2));
    await page.getByRole("button", { name: "Apply" }).click();
    const uuid = "0199aa10-0000-7000-8000-000000000007";
    const range = `from_date=${day(2)}&to_date=${day(0)}&user_id=${uuid}`;
    await expect.poll(() => server.asked).toContain(`GET /api/user/dashboard?${range}`);
    await expect.poll(() => server.asked).toContain(`GET /api/user/dashboard?user_id=${uuid}`);
    await expect.poll(() => pathOf(page)).toBe(`/dashboard?from=${day(2)}&user_id=${uuid}`);

    await page.getByRole("button", { name: "Today", exact: true }).click();
    await expect.poll(() => pathOf(page)).toBe(`/dashboard?from=${day(0)}&user_id=${uuid}`);
    await loaded(page);
    // With a range of one day, the day before is outside of it.
    await expect
      .poll(() => textOf(page, "Usage Overview"))
      .toContain("Requests 30 up 100.0% vs previous day, so far today");
    expect(await textOf(page, "Usage Overview")).not.toContain("previous period");
    await page.goBack();
    await expect.poll(() => page.getByLabel("From").inputValue()).toBe(day(2));

    await page.getByRole("button", { name: "30D" }).click();
    await expect.poll(() => new URL(page.url()).searchParams.get("from")).toBe(day(29));
    // A range in words moves with the clock, also in a link.
    await page.getByLabel("Time range").selectOption("Last 90 days");
    await expect.poll(() => pathOf(page)).toBe(`/dashboard?user_id=${uuid}&range=90d`);
    await expect.poll(() => page.getByLabel("From").inputValue()).toBe(day(89));
    await page.reload();
    await expect.poll(() => page.getByLabel("Time range").inputValue()).toBe("90d");
    for (const [from, to, message] of [
      [day(0), day(1), "From date must be before or equal to To date"],
      [day(0), day(-1), "To date cannot be in the future"],
      [day(400), day(390), "From date cannot be more than 1 year ago"],
    ] as const) {
      await page.getByLabel("From").fill(from);
      await page.getByLabel("To", { exact: true }).fill(to);
      await page.getByRole("button", { name: "Apply" }).click();
      await page.getByText(message, { exact: true }).waitFor();
    }
    // Nothing was asked for, so that no figure is known: zeros would be a claim.
    await expect
      .poll(() => textOf(page, "Performance"))
      .toBe("Performance - The figures could not be loaded");
  });

  test("a failure says the server's reason, the usual text without one, and clears what was shown", {
    tags: ["large"],
  }, async () => {
    const page = await openDashboard();
    await loaded(page);
    for (const [body, words] of [
      [{ success: false, message: "the database is away" }, "the database is away"],
      [{ success: false, message: "" }, "Failed to fetch dashboard data"],
      [undefined, "Failed to fetch dashboard data"],
    ] as const) {
      await page.route("**/api/user/dashboard?*", (route) =>
        body === undefined ? route.abort() : route.fulfill({ json: body }),
      );
      await page.getByRole("button", { name: "Apply" }).click();
      await page.getByRole("alert").getByText(words, { exact: true }).waitFor();
      await expect
        .poll(() => textOf(page, "Performance"))
        .toBe("Performance - The figures could not be loaded");
      const summary = async () =>
        (await page.locator("main dl").allInnerTexts())
          .map((text) => text.replace(/\s+/g, " "))
          .slice(0, 3);
      await expect.poll(summary).toEqual(["Total Quota -", "Used Quota -", "Status -"]);
      expect(await textOf(page, "Usage Overview")).toContain(
        "Requests - Quota Used - Tokens - Avg Cost -",
      );
      await page.unroute("**/api/user/dashboard?*");
      await page.getByRole("button", { name: "Retry" }).click();
      await page.getByText("3 active models").waitFor();
    }
  });

  test("Apply asks for the previous period again, too", async () => {
    const isPrevious = (url: URL) => url.searchParams.get("to_date") === day(7);
    const page = await openDashboard("/dashboard", (opened) =>
      opened.route(isPrevious, (route) => route.abort()),
    );
    await loaded(page);
    expect(await textOf(page, "Usage Overview")).not.toContain("previous period");
    await page.unroute(isPrevious);
    await page.getByRole("button", { name: "Apply" }).click();
    await expect
      .poll(() => textOf(page, "Usage Overview"))
      .toContain("up 200.0% vs previous period");
  });

  test("figures of today refresh each minute and when the tab comes to the front; a refresh that fails keeps them", {
    tags: ["large"],
  }, async () => {
    let asked = 0;
    let isAway = false;
    const page = await openDashboard("/dashboard", async (opened) => {
      await opened.clock.install();
      await opened.route(/api\/user\/dashboard\?from_date=/, async (route) => {
        if (isAway) return route.abort();
        const answer = await route.fetch();
        const json = (await answer.json()) as { data: { logs: typeof usage } };
        // The calls of the first answer once more with each further one.
        if (new URL(route.request().url()).searchParams.get("to_date") === day(0)) asked += 1;
        const logs = json.data.logs.map((one) => ({
          ...one,
          RequestCount: one.RequestCount * asked,
        }));
        await route.fulfill({ response: answer, json: { ...json, data: { ...json.data, logs } } });
      });
    });
    await loaded(page);
    const overview = () => textOf(page, "Usage Overview");
    await expect.poll(overview).toContain("Requests 45 up");
    expect(await overview()).toMatch(/Live Updated: /);
    await page.clock.runFor(60_000);
    await expect.poll(overview).toContain("Requests 90 up");
    expect(await page.getByRole("button", { name: "Apply" }).isEnabled()).toBe(true);
    await page.evaluate('document.dispatchEvent(new Event("visibilitychange", { bubbles: true }))');
    await expect.poll(overview).toContain("Requests 135 up");

    const updated = /Updated: \S+ \S+/.exec(await overview())?.[0];
    isAway = true;
    await page.clock.runFor(60_000);
    await page.getByText("Refresh failed", { exact: true }).waitFor();
    expect(await overview()).toContain("Requests 135 up");
    expect(await overview()).toContain(updated);
    expect(await page.getByRole("alert").count()).toBe(0);
    expect(await accessibilityViolations(page)).toEqual([]);
    isAway = false;
    await page.clock.runFor(60_000);
    await expect.poll(overview).toContain("Requests 180 up");
    expect(await overview()).toMatch(/Live Updated: /);

    // Finished days stay as they are.
    await page.getByLabel("To", { exact: true }).fill(day(1));
    await page.getByRole("button", { name: "Apply" }).click();
    await expect.poll(() => pathOf(page)).toContain(`to=${day(1)}`);
    await loaded(page);
    expect(await overview()).not.toContain("Live");
  });

  test("a page that stays open over midnight goes on to the next day", {
    tags: ["large"],
  }, async () => {
    const page = await openDashboard("/dashboard", (opened) => opened.clock.install());
    await loaded(page);
    expect(await page.getByLabel("To", { exact: true }).inputValue()).toBe(day(0));
    server.asked.length = 0;
    await page.clock.fastForward(dayMs);
    await expect.poll(() => page.getByLabel("To", { exact: true }).inputValue()).toBe(day(-1));
    expect(server.asked.some((one) => one.includes(`from_date=${day(5)}&to_date=${day(-1)}`))).toBe(
      true,
    );
  });

  test("without currency, quota is short", { tags: ["large"] }, async () => {
    const page = await openDashboard("/dashboard", (on) =>
      on.route("**/api/status", async (route) => {
        const answer = await route.fetch();
        const json = (await answer.json()) as { data: object };
        await route.fulfill({
          response: answer,
          json: { ...json, data: { ...json.data, display_in_currency: false } },
        });
      }),
    );
    await loaded(page);
    expect(await textOf(page, "Usage Overview")).toContain("Quota Used 1.5M");
    expect(await textOf(page, "Model Efficiency")).toContain("15 requests, 90.0K on average");
  });
});

test("other users see a week of their own, and the reason why not more", async () => {
  server = await startForeignServer({ ids: "integer", role: 1, usage });
  const page = await openDashboard();
  await loaded(page);
  expect(await page.getByLabel("User", { exact: true }).count()).toBe(0);
  expect(
    server.asked.some((one) => one.includes("dashboard/users") || one.includes("user_id")),
  ).toBe(false);
  expect(await page.getByLabel("From").getAttribute("min")).toBe(day(7));
  expect(await page.getByLabel("From").getAttribute("max")).toBe(day(0));
  // No earlier period may be read, so nothing is compared with it.
  expect(await textOf(page, "Usage Overview")).toContain(
    "Requests 45 up 100.0% vs previous day, so far today",
  );
  expect(await textOf(page, "Usage Overview")).not.toContain("previous period");
  const month = page.getByRole("button", { name: "30D" });
  await month.hover();
  await page.getByText("Your account sees the last 7 days").waitFor();
  await month.click({ force: true });
  await expect.poll(() => pathOf(page)).toBe("/dashboard");
  for (const [from, to, message] of [
    [day(8), day(7), "From date cannot be more than 7 days ago"],
    [day(7), day(0), "Date range cannot exceed 7 days"],
  ] as const) {
    await page.getByLabel("From").fill(from);
    await page.getByLabel("To", { exact: true }).fill(to);
    await page.getByRole("button", { name: "Apply" }).click();
    await page.getByText(message, { exact: true }).waitFor();
  }
  await server.close();
});
