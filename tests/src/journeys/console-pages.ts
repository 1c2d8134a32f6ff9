/** Steps of a user in the console, by the labels that they read. */
import { setTimeout } from "node:timers/promises";
import { consoleHeader } from "@tollgate/contract/api/envelope.ts";
import type { BrowserContext, Locator, Page } from "playwright-core";

/**
 * Errors of a page that a user does not see: those in its console, and violations of its content
 * policy.
 */
export function collectPageErrors(page: Page): string[] {
  const pageErrors: string[] = [];
  page.on("pageerror", (error) => pageErrors.push(`thrown: ${error.stack ?? error.message}`));
  page.on("console", (message) => {
    // The document of an unknown page is a 404 on purpose.
    const isDocument = message.location().url === page.url() && message.text().includes("404");
    if (message.type() === "error" && !isDocument)
      pageErrors.push(`console: ${message.text()} (${message.location().url})`);
  });
  return pageErrors;
}

/**
 * A page whose violations of the content policy arrive in its console, as `collectPageErrors` reads
 * it.
 */
export async function openPage(visitor: BrowserContext): Promise<Page> {
  const page = await visitor.newPage();
  page.setDefaultTimeout(15_000);
  if (slowReplyMs > 0) await slowReplies(page);
  await page.addInitScript(`
    document.addEventListener("securitypolicyviolation", (event) => {
      console.error("policy: " + event.violatedDirective + " refused " + event.blockedURI + " " + event.sample);
    });
  `);
  return page;
}

/**
 * `JOURNEY_SLOW_REPLY_MS`: the longest random wait before each management call, to find steps that
 * win a race by luck.
 */
const slowReplyMs = Number(process.env.JOURNEY_SLOW_REPLY_MS ?? 0);

async function slowReplies(page: Page): Promise<void> {
  await page.route("**/api/**", async (route) => {
    await setTimeout(Math.random() * slowReplyMs);
    await route.fallback();
  });
}

/**
 * Opens a page of the console in a session that the API began: what a typed sign-in leaves behind,
 * without its screen. `site` is the gateway's address.
 */
export async function openSignedIn(
  page: Page,
  site: string,
  { username, password, path }: { username: string; password: string; path: string },
): Promise<void> {
  const reply = await page.request.post(`${site}/api/user/login`, {
    headers: { [consoleHeader.name]: consoleHeader.value },
    data: { username, password },
  });
  const { success, message, data } = (await reply.json()) as {
    success: boolean;
    message: string;
    data: object;
  };
  if (!success) throw new Error(`${username} cannot sign in: ${message}`);
  // Any document of the site can write its local storage; this one runs nothing of the console.
  await page.goto(`${site}/favicon.svg`);
  await page.evaluate(`localStorage.setItem("user", ${JSON.stringify(JSON.stringify(data))})`);
  await page.goto(site + path);
}

export async function signIn(page: Page, username: string, password: string): Promise<void> {
  await page.getByLabel("Username").fill(username);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign In" }).click();
}

/** After a token is created, its key is shown with what programs need; this puts it away. */
export async function closeUseKey(page: Page): Promise<void> {
  const dialog = page.getByRole("dialog", { name: "Use this key" });
  await dialog.getByText("Waiting for a call with this key").waitFor();
  await dialog.getByRole("button", { name: "Close" }).click();
  await dialog.waitFor({ state: "detached" });
}

/** On the form that a printed password leads to. */
export async function choosePassword(page: Page, password: string): Promise<void> {
  await page.getByLabel("New Password", { exact: true }).fill(password);
  await page.getByLabel("Confirm New Password").fill(password);
  await page.getByRole("button", { name: "Update Password" }).click();
}

export const heading = (page: Page, name: string): Locator =>
  page.getByRole("heading", { level: 1, name, exact: true });

/** An entry of the bar at the top. */
export const navigationLink = (page: Page, name: string): Locator =>
  page.getByRole("navigation", { name: "Main" }).getByRole("link", { name, exact: true });

/** `chooseVerb` chooses from the menu of the row with that name. */
export async function chooseVerb(room: Page | Locator, name: string, verb: string): Promise<void> {
  await room.getByRole("button", { name: `More actions for ${name}`, exact: true }).click();
  await room.getByRole("menuitem", { name: verb, exact: true }).click();
}

export const pathOf = (page: Page): string => {
  const { pathname, search } = new URL(page.url());
  return pathname + search;
};

/** The rows of a table as a person reads them: what stands under which heading. */
export async function readTable(page: Page, name: string): Promise<Record<string, string>[]> {
  const table = page.getByRole("table", { name, exact: true });
  // While a table loads, it has as many rows, which are empty.
  await table.and(page.locator(":not([aria-busy=true])")).waitFor();
  const headings = await table.getByRole("columnheader").allInnerTexts();
  const rows = await table.locator("tbody").getByRole("row").all();
  return Promise.all(
    rows.map(async (row) => {
      const cells = await row.getByRole("cell").allInnerTexts();
      const named = cells.map((cell, column) => [headings[column]?.trim() ?? column, cell.trim()]);
      // The boxes that choose rows stand under no heading.
      return Object.fromEntries(named.filter(([heading]) => heading !== ""));
    }),
  );
}
