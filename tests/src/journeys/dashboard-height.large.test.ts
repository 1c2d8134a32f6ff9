// How high the dashboard of the demo is: seven days, in English, with our own cards folded. The
// cards that the specification names stay open.
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type DemoSite, startDemoSite } from "../../../scripts/demo-site.ts";
import { launchBrowser } from "../harness/chromium.ts";
import { openPage, openSignedIn } from "./console-pages.ts";

const ownCards = "spenders,budgets,cache,busy-hours,speed,channels";

let site: DemoSite;
let browser: Awaited<ReturnType<typeof launchBrowser>>;
beforeAll(async () => {
  site = await startDemoSite({ port: 0 });
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser.close();
  await site.stop();
});

async function openDashboard(width: number, height: number): Promise<Page> {
  const visitor = await browser.newContext({
    baseURL: site.url,
    viewport: { width, height },
    reducedMotion: "reduce",
  });
  const page = await openPage(visitor);
  await page.addInitScript(`localStorage.setItem("folded_cards", "${ownCards}")`);
  const { username, password } = site;
  await openSignedIn(page, site.url, { username, password, path: "/dashboard" });
  await page
    .getByRole("region", { name: "Spending", exact: true })
    .locator("svg")
    .first()
    .waitFor();
  await page.getByRole("button", { name: "Who spends", expanded: false }).waitFor();
  await page.waitForLoadState("networkidle");
  await expect.poll(() => page.locator("main [aria-busy=true]").count()).toBe(0);
  return page;
}

const measureHeight = (page: Page) =>
  page.evaluate<number>("document.documentElement.scrollHeight");

test("Spending stands on the first screen, and a desktop scrolls less than twice", async () => {
  const page = await openDashboard(1440, 900);
  const plot = page.getByRole("region", { name: "Spending", exact: true }).getByRole("application");
  const { y = 0, height = 0 } = (await plot.boundingBox()) ?? {};
  expect(height).toBeGreaterThan(200);
  expect(y + height).toBeLessThanOrEqual(900);
  expect(await measureHeight(page)).toBeLessThanOrEqual(2_400);
});

test("on a phone the dashboard is at most 4,200 px high", async () => {
  const page = await openDashboard(375, 812);
  expect(await measureHeight(page)).toBeLessThanOrEqual(4_200);
});
