/**
 * The console's cost to its user: bytes, throttled loads, clicks, keys, a year of 15 models,
 * memory. Measures the production build in the system's Chromium with the demo data. Writes its
 * section of docs/benchmarks.md.
 *
 *   node benchmarks/src/console-benchmark.ts [--rounds 5]
 */
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { pageSizes } from "../../console/page-sizes.ts";
import { ensureConsoleBuild } from "../../scripts/console-build.ts";
import { type DemoSite, startDemoSite } from "../../scripts/demo-site.ts";
import { launchBrowser } from "../../tests/src/harness/chromium.ts";
import { median, writeSection } from "./benchmark-report.ts";
import { createPageTimer, type PageTimer, slowNetwork, slowProcessor } from "./page-timer.ts";
import { modelsOfYear, yearOfUsage } from "./year-of-usage.ts";

const { values: flags } = parseArgs({ options: { rounds: { type: "string", default: "5" } } });
const rounds = Number(flags.rounds);
const root = join(import.meta.dirname, "../..");

const rowsOf = (name: string) => `table[aria-label="${name}"][aria-busy="false"] tbody tr`;
const legendEntries = "li > button[aria-pressed]";
const hundred = 100;
/** More than the page before has, and less than the first draw of a page of a hundred. */
const screenful = 20;
const tour = ["Tokens", "Logs", "Channels", "Dashboard"] as const;
/** The element that shows that an entry of the tour has loaded. */
const arrival: Record<(typeof tour)[number], string> = {
  Tokens: rowsOf("Tokens"),
  Logs: rowsOf("Logs"),
  Channels: rowsOf("Channels"),
  Dashboard: '[role="application"] svg',
};
/** The first tours fill lasting caches; later tours should leave no memory behind. */
const warmTours = 5;
const countedTours = 20;

interface ConsoleMetric {
  what: string;
  value: number;
  unit: "kB" | "ms" | "s" | "" | "MB";
  goal: number;
}

await ensureConsoleBuild(root, () => console.log("Building the console."));
const site = await startDemoSite({ port: 0 });
const browser = await launchBrowser();
try {
  const signedIn = await signIn(browser, site);
  await addTokens(signedIn, hundred);
  const metrics = [
    ...sizes(),
    ...(await throttledLoads(signedIn)),
    ...(await clicksAndKeys(signedIn)),
    ...(await yearChart(signedIn)),
    await heapGrowth(signedIn),
  ];
  report(metrics);
} finally {
  await browser.close();
  await site.stop();
}

function sizes(): ConsoleMetric[] {
  return pageSizes().flatMap(({ name: what, size, budget }) =>
    budget ? [{ what, value: size, unit: "kB", goal: budget }] : [],
  );
}

async function throttledLoads(context: BrowserContext): Promise<ConsoleMetric[]> {
  const visitor = await browser.newContext({ baseURL: site.url });
  const login: number[] = [];
  const tokens: number[] = [];
  const shifts: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    login.push(await coldLoad(visitor, "/login", 'input[name="username"]:enabled', shifts));
    tokens.push(await coldLoad(context, "/tokens", rowsOf("Tokens"), shifts));
  }
  await visitor.close();
  return [
    {
      what: "Login usable, slow 4G and a quarter of the processor",
      value: median(login) / 1000,
      unit: "s",
      goal: 3,
    },
    { what: "Token list shown, the same", value: median(tokens) / 1000, unit: "s", goal: 3.5 },
    {
      what: "Layout shift of these loads, the worst",
      value: Math.max(...shifts),
      unit: "",
      goal: 0.02,
    },
  ];
}

async function coldLoad(
  context: BrowserContext,
  path: string,
  selector: string,
  shifts: number[],
): Promise<number> {
  const { page, clock: timer } = await open(context, { network: true });
  const ms = await timer.loaded(path, selector);
  await page.waitForLoadState("networkidle");
  shifts.push(await timer.shift());
  await page.close();
  return ms;
}

async function clicksAndKeys(context: BrowserContext): Promise<ConsoleMetric[]> {
  const first: number[] = [];
  const later: number[] = [];
  const keys: number[] = [];
  const firstRows: number[] = [];
  const manyRows: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const { page, clock: timer } = await open(context, {});
    await timer.loaded("/dashboard", arrival.Dashboard);
    await page.waitForLoadState("networkidle");
    first.push(await timer.after(() => press(page, "Tokens"), arrival.Tokens));
    await timer.after(() => press(page, "Dashboard"), arrival.Dashboard);
    later.push(await timer.after(() => press(page, "Tokens"), arrival.Tokens));
    await page
      .getByRole("combobox", { name: "Search tokens" })
      .pressSequentially("service", { delay: 60 });
    await page.waitForLoadState("networkidle");
    keys.push(await timer.worstKey());
    await page.getByRole("combobox", { name: "Search tokens" }).fill("");
    const sizeChoice = page.getByRole("combobox", { name: "Rows per page" });
    const choose = async (): Promise<void> => void (await sizeChoice.selectOption(String(hundred)));
    const rows = page.locator(arrival.Tokens);
    firstRows.push(await timer.after(choose, arrival.Tokens, screenful));
    await rows.nth(hundred - 1).waitFor();
    await sizeChoice.selectOption("10");
    await rows.nth(10).waitFor({ state: "detached" });
    manyRows.push(await timer.after(choose, arrival.Tokens, hundred));
    await page.close();
  }
  return [
    {
      what: "From click to table, first visit, a quarter of the processor",
      value: median(first),
      unit: "ms",
      goal: 250,
    },
    { what: "From click to table, later visit", value: median(later), unit: "ms", goal: 150 },
    { what: "Worst key while searching", value: median(keys), unit: "ms", goal: 64 },
    { what: "100 rows, the first screen of them", value: median(firstRows), unit: "ms", goal: 300 },
    { what: "100 rows, all of them", value: median(manyRows), unit: "ms", goal: 500 },
  ];
}

async function yearChart(context: BrowserContext): Promise<ConsoleMetric[]> {
  const drawn: number[] = [];
  let nodes = 0;
  for (let round = 0; round < rounds; round += 1) {
    const { page, clock: timer } = await open(context, {});
    const { from, to, reply } = yearOfUsage();
    await page.route(/\/api\/user\/dashboard\?.*from_date=/, (route) =>
      route.fulfill({ json: reply }),
    );
    await timer.loaded(`/dashboard?from=${to}&to=${to}`, arrival.Dashboard);
    await page.waitForLoadState("networkidle");
    await page.getByLabel("From").fill(from);
    const apply = page.getByRole("button", { name: "Apply" });
    drawn.push(await timer.after(() => apply.click(), legendEntries, modelsOfYear));
    nodes = await page.locator('[role="application"] svg *').count();
    await page.close();
  }
  return [
    { what: "A year of 15 models drawn", value: median(drawn), unit: "ms", goal: 500 },
    { what: "Nodes of its charts", value: nodes, unit: "", goal: 2_500 },
  ];
}

async function heapGrowth(context: BrowserContext): Promise<ConsoleMetric> {
  const { page, clock: timer } = await open(context, { processor: false });
  await timer.loaded("/dashboard", arrival.Dashboard);
  const round = async (): Promise<void> => {
    for (const name of tour) await timer.after(() => press(page, name), arrival[name]);
  };
  for (let count = 0; count < warmTours; count += 1) await round();
  const before = await timer.heap();
  for (let count = 0; count < countedTours; count += 1) await round();
  const grown = (await timer.heap()) - before;
  await page.close();
  return {
    what: "Memory that a tour of the pages leaves",
    value: grown / countedTours / 1e6,
    unit: "MB",
    goal: 0.1,
  };
}

type PageThrottling = { network?: boolean; processor?: boolean };

async function open(
  context: BrowserContext,
  throttling: PageThrottling,
): Promise<{ page: Page; clock: PageTimer }> {
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  if (throttling.network === true) await slowNetwork(session);
  if (throttling.processor !== false) await slowProcessor(session);
  return { page, clock: await createPageTimer(page, session) };
}

function press(page: Page, entry: string): Promise<void> {
  return page
    .getByRole("navigation", { name: "Main" })
    .getByRole("link", { name: entry, exact: true })
    .click();
}

async function signIn(
  within: Browser,
  { url, username, password }: DemoSite,
): Promise<BrowserContext> {
  const context = await within.newContext({
    baseURL: url,
    viewport: { width: 1440, height: 900 },
    reducedMotion: "reduce",
  });
  const page = await context.newPage();
  await page.goto("/login");
  await page.getByLabel("Username").fill(username);
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.getByRole("button", { name: "Sign In" }).click();
  await page.waitForURL((address) => address.pathname !== "/login");
  await page.close();
  return context;
}

async function addTokens(context: BrowserContext, count: number): Promise<void> {
  for (let index = 1; index <= count; index += 1) {
    const answer = await context.request.post("/api/token/", {
      data: { name: `service ${index}` },
      headers: { Origin: site.url, "Sec-Fetch-Site": "same-origin" },
    });
    if (!((await answer.json()) as { success: boolean }).success)
      throw new Error(await answer.text());
  }
}

function report(metrics: readonly ConsoleMetric[]): void {
  const digits = ({ unit, goal }: ConsoleMetric): number =>
    unit === "ms" || goal > 500 ? 0 : goal < 1 ? 3 : 1;
  const shown = (metric: ConsoleMetric, value: number): string =>
    `${value.toFixed(digits(metric))} ${metric.unit}`.trim();
  const rows = metrics.map((metric) => {
    const isOver = metric.value > metric.goal;
    return `| ${metric.what} | ${shown(metric, metric.value)} | ${shown(metric, metric.goal)} | ${isOver ? "over" : "ok"} |`;
  });
  console.log(rows.join("\n"));
  writeSection("Console", [
    `Production build, Brotli as the gateway sends it, in Chromium; medians of ${rounds} rounds. Times depend on the machine and what else it does.`,
    "",
    "| What | Measured | At most | |",
    "|---|---|---|---|",
    ...rows,
  ]);
}
