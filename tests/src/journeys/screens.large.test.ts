// Every screen as assistive tools, the keyboard and a narrow window meet it: empty, full, and with
// everything wrong.
import type { BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { TestGateway } from "../harness/test-gateway.ts";
import { printedPassword } from "../harness/test-gateway.ts";
import { startBrowserGateway } from "./browser-gateway.ts";
import { choosePassword, collectPageErrors, heading, openPage, signIn } from "./console-pages.ts";
import { accessibilityViolations, inspectScreen } from "./inspect-page.ts";
import { createSampleData, type SampleIds } from "./sample-data.ts";

let gateway: TestGateway;
let root: BrowserContext;
let page: Page;
let pageErrors: string[];
let sample: SampleIds = { channel: "", token: "" };

const password = "correct horse battery";

interface InspectedScreen {
  name: string;
  path: () => string;
  /** Present once everything has arrived. */
  ready: (page: Page) => Promise<unknown>;
}

const table = (path: string, name: string): InspectedScreen => ({
  name: `${path.slice(1)} list`,
  path: () => path,
  ready: (on) =>
    on.getByRole("table", { name, exact: true }).locator("tbody tr td").first().waitFor(),
});
const form = (name: string, path: () => string, button: string): InspectedScreen => ({
  name,
  path,
  ready: async (on) => {
    await on.getByRole("button", { name: button }).waitFor();
    await on.getByText("Loading...").waitFor({ state: "detached" });
  },
});
const sentence = (path: string, text: string): InspectedScreen => ({
  name: `${path.slice(1)} list`,
  path: () => path,
  ready: (on) => on.getByText(text, { exact: true }).waitFor(),
});

const dashboard: InspectedScreen = {
  name: "dashboard",
  path: () => "/dashboard",
  ready: async (on) => {
    await heading(on, "Dashboard").waitFor();
    await on.getByRole("button", { name: "Apply" }).waitFor();
    await on.getByText("Loading...").waitFor({ state: "detached" });
  },
};
const notFound: InspectedScreen = {
  name: "not found",
  path: () => "/no/such/page",
  ready: (on) => heading(on, "Page not found").waitFor(),
};
const tokenAdd = form("token form", () => "/tokens/add", "Create Token");
const channelConnect = form("connect page", () => "/channels/connect", "Connect");
const channelAdd = form("channel form", () => "/channels/add", "Create Channel");

const withNothing: InspectedScreen[] = [
  dashboard,
  sentence("/tokens", "No tokens found. Create your first token to get started."),
  sentence("/channels", "No channels found. Create your first channel to get started."),
  sentence("/logs", "No logs found. Adjust your filters or search criteria."),
  tokenAdd,
];
const withData: InspectedScreen[] = [
  dashboard,
  table("/tokens", "Tokens"),
  table("/channels", "Channels"),
  table("/logs", "Logs"),
  {
    name: "trace dialog",
    path: () => "/logs",
    ready: async (on) => {
      await on
        .getByRole("row")
        .filter({ hasText: "gpt-4o" })
        .filter({ hasText: "Consume" })
        .first()
        .click();
      await on
        .getByRole("dialog", { name: "Request Trace" })
        .getByRole("region", { name: "Timeline" })
        .waitFor();
    },
  },
  {
    name: "clear logs dialog",
    path: () => "/logs",
    ready: async (on) => {
      await on.getByRole("button", { name: "Clear Logs" }).click();
      await on
        .getByRole("dialog", { name: "Clear Logs" })
        .getByText(/entries of all users/)
        .waitFor();
    },
  },
  {
    name: "delete token dialog",
    path: () => "/tokens",
    ready: async (on) => {
      await on.getByRole("button", { name: "More actions for Service 24" }).click();
      await on.getByRole("menuitem", { name: "Delete" }).click();
      const question = 'Are you sure you want to delete token "Service 24"?';
      await on
        .getByRole("dialog", { name: "Delete Service 24" })
        .getByText(question, { exact: true })
        .waitFor();
    },
  },
  tokenAdd,
  {
    name: "token form with everything wrong",
    path: () => "/tokens/add",
    ready: async (on) => {
      await on.getByLabel("Remaining Quota").fill("-1");
      await on.getByLabel("Tokens per minute").fill("many");
      await on.getByRole("button", { name: "Create Token" }).click();
      await on.getByText("Token name is required").waitFor();
      await on.getByText("Enter a whole number from 0 to 1,000,000,000").waitFor();
      await on.getByText("Quota must be non-negative").waitFor();
    },
  },
  form("token edit form", () => `/tokens/edit/${sample.token}`, "Update Token"),
  channelConnect,
  channelAdd,
  {
    name: "page of a model",
    path: () => "/models/one?model=gpt-4o",
    ready: async (on) => {
      await on
        .getByRole("region", { name: "Latest calls" })
        .getByRole("listitem")
        .first()
        .waitFor();
      await on.getByRole("region", { name: "The last 7 days" }).getByRole("application").waitFor();
      await on
        .getByRole("region", { name: "Channels that serve it" })
        .getByRole("button")
        .waitFor();
    },
  },
  form("channel edit form", () => `/channels/edit/${sample.channel}`, "Update Channel"),
  notFound,
];

beforeAll(async () => {
  gateway = await startBrowserGateway({ printsRootPassword: true });
  root = await gateway.newContext();
  page = await openPage(root);
  pageErrors = collectPageErrors(page);
});
afterAll(() => gateway.close());

describe("before sign-in", () => {
  test("the sign-in page is readable, fits and can be walked", async () => {
    const visitor = await gateway.newContext();
    const on = await openPage(visitor);
    const seen = collectPageErrors(on);
    await inspect(on, {
      name: "login",
      path: () => "/login",
      ready: (to) => to.getByRole("button", { name: "Sign In" }).waitFor(),
    });
    await on.getByRole("button", { name: "Sign In" }).click();
    await on.getByText("Password is required").waitFor();
    expect(await accessibilityViolations(on)).toEqual([]);
    await inspect(on, notFound);
    expect(seen).toEqual([]);
    await visitor.close();
  });

  test("so is the forced password change", async () => {
    await page.goto("/login");
    await signIn(page, "root", await printedPassword(gateway.process));
    await heading(page, "Change password").waitFor();
    await inspect(
      page,
      form("forced password change", () => "/users/edit", "Update Password"),
    );
    await page.getByRole("button", { name: "Update Password" }).click();
    await page.getByText("Password must be at least 8 characters").first().waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
    await choosePassword(page, password);
    await heading(page, "Connect a provider").waitFor();
    expect(pageErrors).toEqual([]);
  });
});

describe("with nothing there yet", () => {
  test.each(withNothing)("$name is readable, fits and can be walked", async (screen) => {
    await inspect(page, screen);
    expect(pageErrors).toEqual([]);
  });
});

describe("with data", () => {
  beforeAll(async () => {
    const client = await gateway.signIn("root", password);
    sample = await createSampleData(client, gateway.url, gateway.simulator.url);
  });

  test.each(withData)("$name is readable, fits and can be walked", async (screen) => {
    await inspect(page, screen);
    expect(pageErrors).toEqual([]);
  });
});

test.each([
  { path: "/tokens", row: "Service 24", fact: "Rate limits" },
  { path: "/channels", row: "Spare 8", fact: "Groups" },
  { path: "/logs", row: "gpt-4o", fact: "Completion Tokens" },
])(
  "on a phone a row of $path opens in place, readable and by keyboard",
  async ({ path, row, fact }) => {
    await page.setViewportSize({ width: 375, height: 800 });
    await page.goto(path);
    const opener = page.getByRole("button", { name: row, exact: true }).first();
    await opener.focus();
    await page.keyboard.press("Enter");
    await page.getByRole("term").getByText(fact, { exact: true }).waitFor();
    expect(await opener.getAttribute("aria-expanded")).toBe("true");
    await inspectScreen(page, pictureOf(`opened row of ${path.slice(1)}`), { widths: [375] });
    expect(pageErrors).toEqual([]);
  },
);

async function inspect(on: Page, screen: InspectedScreen): Promise<void> {
  await on.setViewportSize({ width: 1440, height: 900 });
  await on.goto(screen.path());
  await screen.ready(on);
  await inspectScreen(on, pictureOf(screen.name), { widths: [1440, 1024, 768, 375] });
}

const pictureOf = (name: string) => `${name}-${sample.token === "" ? "empty" : "full"}`;
