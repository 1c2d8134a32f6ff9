// Takes screenshots of the demo site, wide ones in both themes: those that are named, or all.
import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Browser, Page } from "playwright-core";
import { launchBrowser } from "../tests/src/harness/chromium.ts";
import { ensureConsoleBuild } from "./console-build.ts";
import { type DemoSite, startDemoSite } from "./demo-site.ts";
import {
  askModel,
  checkCall,
  editing,
  opened,
  openTraceOfRetry,
  pressed,
  settled,
  showing,
} from "./screenshot-acts.ts";
import { readScriptOptions } from "./script-options.ts";

const root = join(import.meta.dirname, "..");
/** `readmeFiles` are what a reader of README.md sees. */
const readmeFiles = [
  "dashboard-light",
  "dashboard-dark",
  "dashboard-phone",
  "trace-light",
  "connect-light",
  "token-form-light",
];
const wide = { width: 1440, height: 1000 };
const phone = { width: 375, height: 812 };
const dayBefore = (days: number): string =>
  new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);
const month = `from=${dayBefore(29)}&to=${dayBefore(0)}`;

interface ScreenshotPage {
  name: string;
  path: string;
  /** Waits for the page's content before the screenshot, and opens menus or dialogs of it. */
  prepare(page: Page): Promise<void>;
  /** Where the default height is not enough. */
  height?: number;
}

const before: readonly ScreenshotPage[] = [
  { name: "home", path: "/", prepare: showing("One key for every model") },
  { name: "login", path: "/login", prepare: showing("Sign In") },
  { name: "register", path: "/register", prepare: showing("Create") },
  { name: "reset", path: "/reset", prepare: showing("Email") },
  {
    name: "new-password",
    path: "/user/reset?email=ruth@example.com&token=t",
    prepare: showing("Update Password"),
  },
];

const screens: readonly ScreenshotPage[] = [
  {
    name: "dashboard",
    path: `/dashboard?${month}`,
    prepare: showing("gpt-5.4-mini"),
    height: 1_400,
  },
  { name: "tokens", path: "/tokens", prepare: showing("Coding agents") },
  { name: "token-batch", path: "/tokens/batch", prepare: showing("Create keys"), height: 1_400 },
  {
    name: "token-form",
    path: "/tokens",
    prepare: opened("Coding agents", "Token Name"),
    height: 1_900,
  },
  { name: "channels", path: "/channels?size=20", prepare: showing("OpenAI production") },
  {
    name: "channel-form",
    path: "/channels?size=20",
    prepare: opened("Anthropic team account", "Channel name"),
  },
  { name: "connect", path: "/channels/connect", prepare: showing("All fields") },
  { name: "costs", path: "/channels/costs", prepare: settled },
  { name: "prices", path: "/channels/prices", prepare: showing("Newer prices") },
  { name: "virtual-models", path: "/channels/virtual", prepare: showing("assistant") },
  {
    name: "virtual-model-form",
    path: "/channels/virtual",
    prepare: editing("assistant", "Name"),
    height: 1_400,
  },
  { name: "mcp-servers", path: "/channels/mcp", prepare: showing("tickets") },
  {
    name: "mcp-server-form",
    path: "/channels/mcp",
    prepare: editing("tickets", "Address"),
    height: 1_400,
  },
  { name: "logs", path: "/logs", prepare: showing("gpt-5.6-sol") },
  {
    name: "trace",
    path: "/logs?model_name=gpt-5.6-luna&token_name=Help+centre",
    prepare: openTraceOfRetry,
  },
  { name: "problems", path: "/logs?view=problems", prepare: settled },
  { name: "report", path: "/report", prepare: settled, height: 1_400 },
  { name: "playground", path: "/playground", prepare: askModel },
  { name: "key-check", path: "/tokens/check", prepare: checkCall },
  { name: "all-keys", path: "/tokens?scope=all", prepare: settled },
  { name: "keys-to-look-at", path: "/tokens?scope=all&look=1", prepare: showing("never expires") },
  {
    name: "budgets",
    path: "/budgets",
    prepare: showing("Coding agents", "Each new key"),
    height: 1_200,
  },
  { name: "alerts", path: "/alerts", prepare: showing("Reseller") },
  { name: "alert-destinations", path: "/alerts/destinations", prepare: showing("Mail to root") },
  { name: "alert-deliveries", path: "/alerts/deliveries", prepare: settled },
  { name: "incident", path: "/alerts/incident", prepare: showing("What failed"), height: 1_800 },
  { name: "users", path: "/users?size=20", prepare: showing("Amélie Fournier") },
  { name: "user-form", path: "/users?size=20", prepare: opened("Amélie Fournier", "Username") },
  { name: "user-batch", path: "/users/batch", prepare: showing("Create accounts") },
  { name: "redemption-form", path: "/redemptions/add", prepare: showing("Create Redemption") },
  { name: "redemptions", path: "/redemptions", prepare: pressed("Generate Codes", "Hackathon") },
  { name: "models", path: "/models", prepare: showing("claude-haiku-4-5") },
  {
    name: "model",
    path: "/models/one?model=gpt-5.2",
    prepare: showing("OpenAI production", "Switch off everywhere"),
  },
  {
    name: "settings-personal",
    path: "/settings",
    prepare: pressed("Set up second factor", "Second factor"),
    height: 1_200,
  },
  {
    name: "settings-operation",
    path: "/settings/operation",
    prepare: showing("Group"),
    height: 1_400,
  },
  { name: "settings-system", path: "/settings/system", prepare: settled, height: 1_400 },
  {
    name: "settings-sign-in",
    path: "/settings/sign-in/add",
    prepare: showing("Keycloak"),
    height: 1_400,
  },
  { name: "settings-other", path: "/settings/other", prepare: settled, height: 1_400 },
  { name: "settings-changes", path: "/settings/changes", prepare: settled },
  { name: "settings-keys", path: "/settings/keys", prepare: settled },
  { name: "site-import", path: "/settings/other/import", prepare: settled },
  { name: "own-notices", path: "/settings/notices", prepare: showing("Low balance") },
  { name: "status", path: "/status", prepare: settled },
  { name: "reference", path: "/reference", prepare: showing("Two APIs"), height: 1_800 },
  { name: "about", path: "/about", prepare: settled },
  { name: "not-found", path: "/no/such/page", prepare: showing("Page not found") },
];

/** The keys of the channels that answer the playground. */
const answeringKeys = [
  "sim-slow-120-900+pace-8+tokens-70+cached-20",
  "sim-slow-150-1100+pace-8+tokens-70+as-second",
];

/** Pages that show more to a user than to an administrator. */
const usersScreens: readonly ScreenshotPage[] = [
  { name: "key-holder", path: "/key", prepare: showing("API key") },
  { name: "top-up", path: "/topup", prepare: showing("Redeem a code") },
];

/** Pages that are looked at on a phone, or whose narrow layout differs most from the wide one. */
const phoneNames = [
  ...[
    "dashboard",
    "tokens",
    "all-keys",
    "channels",
    "connect",
    "logs",
    "problems",
    "report",
    "playground",
  ],
  ...["budgets", "incident", "models", "settings-operation", "status"],
];
const phoneScreens = screens.filter(({ name }) => phoneNames.includes(name));

const { values: flags, names } = readScriptOptions({
  command: "node scripts/screenshots.ts",
  summary: "takes screenshots of the demo site: those that are named, or all",
  options: {
    readme: { type: "boolean", help: "those that README.md shows, into docs/screenshots" },
    to: { type: "string", default: "dist/screenshots", value: "FOLDER", help: "where they go" },
  },
  names: [...new Set([...before, ...screens, ...usersScreens].map(({ name }) => name))],
});
const folder = resolve(root, flags.readme ? "docs/screenshots" : flags.to);
mkdirSync(folder, { recursive: true });
await ensureConsoleBuild(root, () => console.log("Building the console."));
const site = await startDemoSite({ port: 0 });
const browser = await launchBrowser();
try {
  // The simulator answers in words by lot, and not every machine has letters for all of them.
  for (const key of answeringKeys) {
    const text = "So that every car stops, pays, and passes: the arm lifts for who has paid.";
    await fetch(`${site.simulator}/sim/keys/${key}`, {
      method: "PUT",
      body: JSON.stringify({ text }),
    });
  }
  for (const theme of ["light", "dark"] as const) {
    await take(browser, site, { theme, viewport: wide, screens, before });
    await take(browser, site, {
      theme,
      viewport: wide,
      screens: usersScreens,
      username: site.user,
    });
  }
  await take(browser, site, { theme: "light", viewport: phone, screens: phoneScreens });
} finally {
  await browser.close();
  await site.stop();
}

interface ScreenshotSeries {
  theme: "light" | "dark";
  viewport: { width: number; height: number };
  /** The screenshots before and after sign-in. */
  before?: readonly ScreenshotPage[];
  screens: readonly ScreenshotPage[];
  /** Defaults to root. */
  username?: string;
}

async function take(
  browser: Browser,
  { url, username, password }: DemoSite,
  series: ScreenshotSeries,
): Promise<void> {
  const { theme, viewport } = series;
  const context = await browser.newContext({
    viewport,
    colorScheme: theme,
    reducedMotion: "reduce",
    timezoneId: "UTC",
    locale: "en-GB",
  });
  const page = await context.newPage();
  const picture = async ({ name, path, prepare, height }: ScreenshotPage): Promise<void> => {
    const title = `${name}-${viewport === phone ? "phone" : theme}`;
    if (flags.readme ? !readmeFiles.includes(title) : names.length > 0 && !names.includes(name))
      return;
    await page.setViewportSize({
      ...viewport,
      height: (viewport === wide && height) || viewport.height,
    });
    await page.goto(url + path);
    await prepare(page);
    await page.waitForLoadState("networkidle");
    await page.mouse.move(0, 0);
    // The bell counts after the page is there.
    if (screens.some((screen) => screen.name === name))
      await page.getByRole("button", { name: /^Alerts/ }).waitFor();
    const file = join(folder, `${title}.png`);
    await page.screenshot({ path: file });
    console.log(file);
  };
  for (const screen of series.before ?? []) await picture(screen);
  await page.goto(`${url}/login`);
  await page.getByLabel("Username").fill(series.username ?? username);
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.getByRole("button", { name: "Sign In" }).click();
  await page.waitForURL((address) => address.pathname !== "/login");
  // The notice appears in the screenshot of the home page and would cover the others.
  await page.getByRole("button", { name: "Dismiss notice" }).click();
  for (const screen of series.screens) await picture(screen);
  await context.close();
}
