// `node scripts/screenshots.ts`: takes the pictures of docs/screenshots from the demo site, in both themes. Look at them
// before you commit them.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { launchBrowser } from "../tests/src/harness/chromium.ts";
import { ensureConsoleBuild } from "./console-build.ts";
import { type DemoSite, startDemoSite } from "./demo-site.ts";

const root = join(import.meta.dirname, "..");
const folder = process.argv[2] ?? join(root, "docs/screenshots");
const viewport = { width: 1440, height: 1000 };
const dashboardHeight = 1_400;
const dayBefore = (days: number): string => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);

/** What to open, and what must be on it before the picture is taken. */
const screens: readonly { name: string; path: string; prepare(page: Page): Promise<void> }[] = [
  {
    name: "dashboard",
    path: `/dashboard?from=${dayBefore(29)}&to=${dayBefore(0)}`,
    prepare: (page) => hasText(page, "gpt-5-mini"),
  },
  { name: "tokens", path: "/tokens", prepare: (page) => hasText(page, "Coding agents") },
  { name: "channels", path: "/channels", prepare: (page) => hasText(page, "OpenAI production") },
  { name: "logs", path: "/logs", prepare: (page) => hasText(page, "gpt-4-turbo") },
  { name: "trace", path: "/logs?model_name=gpt-4o-mini&token_name=Help+centre", prepare: openTraceOfRetry },
];

mkdirSync(folder, { recursive: true });
await ensureConsoleBuild(root, () => console.log("Building the console."));
const site = await startDemoSite({ port: 0 });
const browser = await launchBrowser();
try {
  for (const theme of ["light", "dark"] as const) await take(browser, site, theme);
} finally {
  await browser.close();
  await site.stop();
}

async function take(browser: Browser, { url, username, password }: DemoSite, theme: "light" | "dark"): Promise<void> {
  const context = await browser.newContext({
    viewport,
    colorScheme: theme,
    reducedMotion: "reduce",
    timezoneId: "UTC",
    locale: "en-GB",
  });
  const page = await context.newPage();
  await page.goto(`${url}/login`);
  await page.getByLabel("Username").fill(username);
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.getByRole("button", { name: "Sign In" }).click();
  await page.waitForURL((address) => address.pathname !== "/login");
  for (const { name, path, prepare } of screens) {
    await page.goto(url + path);
    await prepare(page);
    await page.waitForLoadState("networkidle");
    // The whole dashboard is longer than any window.
    await page.setViewportSize({ ...viewport, height: name === "dashboard" ? dashboardHeight : viewport.height });
    await page.mouse.move(0, 0);
    const file = join(folder, `${name}-${theme}.png`);
    await page.screenshot({ path: file });
    console.log(file);
  }
  await context.close();
}

function hasText(page: Page, text: string): Promise<void> {
  return page.getByText(text).filter({ visible: true }).first().waitFor();
}

/** The fifth of the calls that were made just now was the first: it went to the rate-limited channel before. */
async function openTraceOfRetry(page: Page): Promise<void> {
  await hasText(page, "Help centre");
  await page.getByRole("row").nth(5).getByRole("button").first().click();
  await hasText(page, "Trial account");
}
