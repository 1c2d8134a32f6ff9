/**
 * Every reply of every page in every odd form that servers of the family have been seen to send.
 */
import type { Endpoint } from "@tollgate/contract/api/endpoint.ts";
import type { ReplyShape } from "@tollgate/contract/api/reply-shape.ts";
import type { BrowserContext, Page } from "playwright-core";
import { expect } from "vitest";
import {
  type ContractServer,
  exampleReply,
  nameOfEndpoint,
  type OddReply,
} from "../harness/contract-server.ts";
import { collectPageErrors, heading, openPage } from "./console-pages.ts";
import { doSteps, type OddAct } from "./odd-acts.ts";

export type OddScreen = {
  path: string;
  /** Stays, whatever comes. Acts may lead to another page, so they name none. */
  heading?: string;
  /** Gives the odd forms to the reads of the frame too. */
  withFrame?: true;
  /** Is looked at before the sign-in. */
  isVisited?: true;
  /** Opens what the screen asks for only when it is wanted. */
  open?: (page: Page) => Promise<unknown>;
};

const trace = async (page: Page) => {
  await page.getByRole("row").nth(1).click({ timeout: 1_000 });
  await page.getByRole("dialog").waitFor({ timeout: 1_000 });
};

const press = (page: Page, name: string) =>
  page.getByRole("button", { name }).click({ timeout: 1_000 });

export const oddScreens: readonly OddScreen[] = [
  { path: "/dashboard", heading: "Dashboard" },
  { path: "/tokens", heading: "Tokens", withFrame: true },
  { path: "/tokens/add", heading: "Create Token" },
  { path: "/tokens/batch", heading: "Several keys" },
  { path: "/tokens?look=1", heading: "Tokens" },
  { path: "/tokens?scope=all", heading: "Tokens" },
  { path: "/tokens?scope=all&look=1", heading: "Tokens" },
  { path: "/tokens?keyword=text", heading: "Tokens" },
  { path: "/tokens/check", heading: "Would this call work?" },
  { path: "/tokens/edit/7", heading: "Edit Token" },
  { path: "/tokens/7" },
  { path: "/tokens/7/changes" },
  { path: "/channels", heading: "Channels" },
  { path: "/channels?keyword=text", heading: "Channels" },
  { path: "/channels/add", heading: "Create Channel" },
  { path: "/channels/edit/7", heading: "Edit Channel" },
  { path: "/channels/7" },
  { path: "/channels/7/changes" },
  { path: "/channels/connect", heading: "Connect a provider" },
  { path: "/channels/costs?channel=7", heading: "Reconciliation" },
  { path: "/channels/prices", heading: "Prices" },
  { path: "/channels/virtual", heading: "Virtual models" },
  { path: "/channels/mcp", heading: "MCP servers" },
  { path: "/channels/mcp/add", heading: "Add MCP server" },
  { path: "/channels/mcp/7", heading: "Edit MCP server" },
  { path: "/budgets", heading: "Budgets" },
  { path: "/alerts", heading: "Alerts", withFrame: true },
  { path: "/alerts/destinations", heading: "Alerts" },
  { path: "/alerts/deliveries", heading: "Alerts" },
  { path: "/alerts/incident", heading: "Incident" },
  { path: "/channels/virtual/add", heading: "Create virtual model" },
  { path: "/channels/virtual/7", heading: "Edit virtual model" },
  { path: "/logs", heading: "Logs" },
  { path: "/logs?type=2", heading: "Logs", open: trace },
  { path: "/logs?view=problems", heading: "Logs" },
  { path: "/logs?keyword=text", heading: "Logs", open: (page) => press(page, "Show statistics") },
  { path: "/teams", heading: "Teams" },
  ...["", "/keys", "/members", "/budgets", "/statement", "/activity", "/settings"].map((tab) => ({
    path: `/teams/7${tab}`,
  })),
  { path: "/runs", heading: "Agent runs" },
  { path: "/runs/AAAAAAAAAAAAAAAAAAAAAA", heading: "Agent run" },
  { path: "/users", heading: "Users" },
  { path: "/users?keyword=text", heading: "Users" },
  { path: "/users/add", heading: "Create User" },
  { path: "/users/batch", heading: "Several accounts" },
  { path: "/users/edit/7", heading: "Edit User" },
  { path: "/users/7" },
  { path: "/users/7/changes" },
  { path: "/redemptions", heading: "Redemptions" },
  { path: "/redemptions?keyword=text", heading: "Redemptions" },
  { path: "/redemptions/add", heading: "Create Redemption" },
  { path: "/redemptions/edit/7", heading: "Edit Redemption" },
  { path: "/topup", heading: "Top Up" },
  { path: "/report?month=2026-10", heading: "Report of 2026-10" },
  { path: "/models", heading: "Models" },
  { path: "/models/one?model=text", heading: "text" },
  { path: "/playground", heading: "Playground" },
  { path: "/status", heading: "Status" },
  { path: "/reference", heading: "API reference" },
  {
    path: "/key",
    heading: "Your API key",
    open: async (page) => {
      await page.getByLabel("API key", { exact: true }).fill("sk-odd");
      await page.getByRole("button", { name: "Show" }).click({ timeout: 1_000 });
    },
  },
  { path: "/about", heading: "About" },
  { path: "/settings", heading: "Settings", withFrame: true },
  { path: "/settings/operation", heading: "Settings" },
  { path: "/settings/system", heading: "Settings" },
  { path: "/settings/sign-in", heading: "Settings" },
  { path: "/settings/sign-in/add", heading: "Settings" },
  { path: "/settings/sign-in/7", heading: "Settings" },
  { path: "/settings/other", heading: "Settings" },
  { path: "/settings/other/import", heading: "Settings" },
  { path: "/settings/changes", heading: "Settings" },
  { path: "/settings/keys", heading: "Management keys" },
  { path: "/settings/notices", heading: "Notices" },
  { path: "/", heading: "system_name" },
  { path: "/chat", heading: "Chat Not Available" },
  { path: "/users/edit", heading: "Edit User" },
  { path: "/no/such/page", heading: "Page not found" },
  { path: "/", heading: "system_name", isVisited: true },
  { path: "/models", heading: "Models", isVisited: true },
  { path: "/login", heading: "Sign In to system_name", isVisited: true },
  { path: "/register", heading: "Create Account", isVisited: true },
  { path: "/reset", heading: "Reset Password", isVisited: true },
  {
    path: "/user/reset?email=ruth@example.com&token=t",
    heading: "Set New Password",
    isVisited: true,
  },
];

const done = (data: unknown): OddReply => ({ body: { success: true, message: "", data } });

/** The values of a shape in another kind: a list for a text, a text for a number, … */
function wrongKinds(shape: ReplyShape): unknown {
  if (typeof shape === "string")
    return { text: { odd: 1 }, number: "many", flag: "perhaps", any: { odd: 1 } }[shape];
  if ("list" in shape) return [wrongKinds(shape.list), null, 7];
  if ("record" in shape) return { odd: wrongKinds(shape.record) };
  if ("members" in shape) {
    return Object.fromEntries(
      Object.entries(shape.members).map(([name, member]) => [name, wrongKinds(member)]),
    );
  }
  return wrongKinds("optional" in shape ? shape.optional : shape.nullable);
}

/**
 * The entries of the example's list without their members, or its object with every second member
 * only.
 */
function thinned(endpoint: Endpoint): unknown {
  const { data } = exampleReply(endpoint);
  const half = (row: object) =>
    Object.fromEntries(Object.entries(row).filter((_, place) => place % 2 === 0));
  if (Array.isArray(data))
    return data.map((row) => (typeof row === "object" && row !== null ? half(row) : row));
  return typeof data === "object" && data !== null ? half(data) : data;
}

export const oddForms: Readonly<Record<string, (endpoint: Endpoint) => OddReply>> = {
  null: () => done(null),
  "empty object": () => done({}),
  "empty list": () => done([]),
  "empty entries": () => done([{}, {}]),
  "missing members": (endpoint) => done(thinned(endpoint)),
  "wrong kinds": ({ reply }) => done(reply.data === undefined ? 7 : wrongKinds(reply.data)),
  "a bare null": () => ({ body: null }),
  404: () => ({
    status: 404,
    body: { error: { message: "Invalid URL", type: "invalid_request_error" } },
  }),
  500: () => ({ status: 500, body: { success: false, message: "it broke" } }),
  "a web page": () => ({ html: "<!doctype html><title>Welcome</title>" }),
  "a broken connection": () => ({ broken: true }),
  slow: () => ({ delayMs: 400 }),
};

/**
 * `formsOfActs` are what an act can meet: a dialog or a form is then opened anew for each, so these
 * are fewer.
 */
const formsOfActs = [
  "null",
  "empty object",
  "wrong kinds",
  "500",
  "a web page",
  "a broken connection",
] as const;
const failures: ReadonlySet<string> = new Set(["500", "a web page", "a broken connection"]);
/** An alert, a message of a form, or one in the corner. */
const saysSo = "[role=alert], .text-bad, [data-toast]";

/** Texts that no one wrote for people. */
const badWords =
  /\bundefined\b|\bNaN\b|\bnull\b|\[object |Cannot read|is not a function|Minified React/;
/**
 * Read once per document: only opening the page reads them again. The frame shows them, alike on
 * every screen.
 */
const readAtStart = new Set(["/api/status", "/api/user/self", "/api/notice"]);

export type OddVisit = { page: Page; pageErrors: string[]; server: ContractServer };

/** A page of a signed-in root user whose server is the contract server. */
export async function openOddPage(
  visitor: BrowserContext,
  server: ContractServer,
): Promise<OddVisit> {
  await visitor.route("https://id.example/**", (route) =>
    route.fulfill({ contentType: "text/html", body: "Elsewhere" }),
  );
  const page = await openPage(visitor);
  const pageErrors = collectPageErrors(page);
  await page.goto(`${server.url}/favicon.svg`);
  await page.evaluate(beUser("root"));
  return { page, pageErrors, server };
}

const beUser = (username: string) => {
  const user = { id: 1, uuid: "0199aa10-1111-7000-8000-000000000001", username, role: 100 };
  return `localStorage.setItem("user", ${JSON.stringify(JSON.stringify(user))})`;
};

/** Waits until everything that was asked is answered and drawn. */
async function settle({ page, server }: OddVisit) {
  await expect.poll(() => server.isAnswering(), { interval: 10 }).toBe(false);
  const drawn =
    "new Promise((drawn) => setTimeout(() => requestAnimationFrame(() => requestAnimationFrame(drawn)), 30))";
  // Another page may come meanwhile.
  await page.evaluate(drawn).catch(() => page.waitForLoadState());
  if (server.isAnswering()) await settle({ page, server } as OddVisit);
}

/**
 * Signs the page in or out, as the screen is looked at; what was done before may have ended the
 * session, or led to another site.
 */
export async function beReader(
  { isVisited }: Pick<OddScreen, "isVisited">,
  { page, server }: OddVisit,
): Promise<void> {
  if (!page.url().startsWith(server.url)) await page.goto(`${server.url}/favicon.svg`);
  await page.evaluate(isVisited === true ? "localStorage.clear()" : beUser("root"));
}

/**
 * Opens the screen, then what it asks for only when it is wanted; resolves to what it had asked for
 * before that.
 */
async function openScreen(screen: OddScreen, visit: OddVisit): Promise<Set<Endpoint>> {
  const { path, open } = screen;
  await beReader(screen, visit);
  await visit.page.goto(visit.server.url + path);
  await visit.page.locator("main h1, main [role=alert]").first().waitFor();
  await settle(visit);
  const asked = new Set(visit.server.asked);
  await open?.(visit.page).catch(() => undefined);
  await settle(visit);
  return asked;
}

/** Another tab signs in as another user: the page drops what it holds and reads all of it again. */
async function readAgain(visit: OddVisit, turn: number) {
  await visit.page.evaluate(
    `${beUser(turn % 2 === 0 ? "root" : "ruth")}; dispatchEvent(new StorageEvent("storage", { key: "user" }))`,
  );
  await settle(visit);
}

/**
 * Every fault of the screen while each of its reads in turn is answered in each of the forms; none
 * when all is well.
 */
export async function findFaults(
  screen: OddScreen,
  visit: OddVisit,
  forms: readonly string[],
): Promise<string[]> {
  const { server } = visit;
  server.answer();
  server.asked.clear();
  const early = await openScreen(screen, visit);
  const reads = [...server.asked].filter(({ method }) => method === "GET");
  const faults: string[] = [];
  let turn = 0;
  for (const endpoint of reads.filter(
    ({ path }) => screen.withFrame === true || !readAtStart.has(path),
  )) {
    const isReadAgain =
      early.has(endpoint) && !readAtStart.has(endpoint.path) && screen.isVisited !== true;
    for (const form of forms) {
      turn += 1;
      server.answer(endpoint, oddForms[form]?.(endpoint));
      visit.pageErrors.length = 0;
      if (isReadAgain) await readAgain(visit, turn);
      else await openScreen(screen, visit);
      const found = await faultsNow(screen, visit);
      faults.push(...found.map((fault) => `${nameOfEndpoint(endpoint)} answers ${form}: ${fault}`));
      server.answer();
      // A part that has failed stays so until someone retries.
      if (isReadAgain ? found.length > 0 : readAtStart.has(endpoint.path))
        await openScreen(screen, visit);
    }
  }
  return faults;
}

/** Every fault while what an act sends is answered in each of the forms. */
export async function findFaultsOfAct(
  act: OddAct,
  visit: OddVisit,
  forms: readonly string[] = formsOfActs,
): Promise<string[]> {
  const { server, page } = visit;
  server.answer();
  await openScreen(act, visit);
  const settled = () => settle(visit);
  const isSent = () => [...server.asked].some((asked) => nameOfEndpoint(asked) === act.sends);
  const perform = async () => {
    server.asked.clear();
    const impossible = await doSteps(page, act.steps, settled);
    if (impossible === undefined)
      await expect
        .poll(isSent, { timeout: 3_000 })
        .toBe(true)
        .catch(() => undefined);
    await settle(visit);
    return impossible;
  };
  const impossible = await perform();
  const names = new Map([...server.asked].map((endpoint) => [nameOfEndpoint(endpoint), endpoint]));
  const endpoint = names.get(act.sends);
  if (impossible !== undefined)
    return [`there is no ${impossible} to press or fill: ${await readable(page)}`];
  if (endpoint === undefined)
    return [`sends ${[...names.keys()].join(", ")}: ${await readable(page)}`];
  const faults: string[] = [];
  for (const form of forms) {
    server.answer();
    await openScreen(act, visit);
    visit.pageErrors.length = 0;
    server.answer(endpoint, oddForms[form]?.(endpoint));
    await perform();
    const found = await faultsNow({}, visit);
    const isSaid = !failures.has(form) || (await page.locator(saysSo).count()) > 0;
    if (!isSaid) found.push("nothing says that it failed");
    faults.push(...found.map((fault) => `${act.sends} answers ${form}: ${fault}`));
  }
  return faults;
}

/** What stands in the way: the messages, and what can be pressed. */
const readable = async (page: Page): Promise<string> =>
  page.evaluate<string>(`[...document.querySelectorAll("[role=alert], .text-bad, main button, main a, dialog[open] button, [role=menuitem]")]
    .map((part) => part.getAttribute("aria-label") ?? part.textContent).join(" | ")`);

async function faultsNow(
  { heading: title }: Pick<OddScreen, "heading">,
  { page, pageErrors }: OddVisit,
): Promise<string[]> {
  const body = await page.locator("body").innerText();
  const typed = await page.evaluate<string>(
    "[...document.querySelectorAll('input, textarea, select')].map(({ value }) => value).join(' ')",
  );
  const text = `${body} ${typed}`;
  const bad = badWords.exec(text);
  const thrown = pageErrors.filter((error) => error.startsWith("thrown: "));
  return [
    ...((await (title === undefined ? page.locator("main h1") : heading(page, title)).count()) === 0
      ? [`the title is gone: ${body.slice(0, 200)}`]
      : []),
    ...((await page.getByRole("contentinfo").count()) === 0 ? ["the footer is gone"] : []),
    ...(body.includes("The server sent an unexpected answer")
      ? ["a part fell into its boundary"]
      : []),
    ...(bad === null
      ? []
      : [`reads ${bad[0]}: …${text.slice(Math.max(0, bad.index - 60), bad.index + 30)}…`]),
    ...thrown.map((error) => error.slice(0, 300)),
  ];
}
