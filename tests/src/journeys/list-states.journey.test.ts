import { createToken } from "@tollgate/contract/accounts/tokens.ts";
import { listLogs } from "@tollgate/contract/figures/logs.ts";
import type { BrowserContext, Locator, Page, Route } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { firstRequests } from "../../../console/src/early-replies.ts";
import { rootPassword } from "../harness/database-templates.ts";
import type { TestGateway } from "../harness/test-gateway.ts";
import { describeVariants, testVariants } from "../support/variants.ts";
import { startBrowserGateway } from "./browser-gateway.ts";
import { heading, openPage, openSignedIn, pathOf } from "./console-pages.ts";
import { accessibilityViolations, inspectScreen } from "./inspect-page.ts";
import { createSampleData, type SampleIds } from "./sample-data.ts";

let gateway: TestGateway;
let root: BrowserContext;
let page: Page;
let sample: SampleIds;

beforeAll(async () => {
  gateway = await startBrowserGateway();
  sample = await createSampleData(await gateway.root(), gateway.url, gateway.simulator.url);
  root = await gateway.newContext();
  page = await openPage(root);
  await openSignedIn(page, gateway.url, {
    username: "root",
    password: rootPassword,
    path: "/tokens",
  });
});
afterAll(() => gateway.close());
// A response that one test held back or failed must not affect the next test.
afterEach(() => page.unrouteAll({ behavior: "ignoreErrors" }));

interface ListedPage {
  path: string;
  name: string;
  calls: string;
  row: string;
  search?: string;
}
describeVariants<ListedPage>([
  {
    path: "/tokens",
    name: "Tokens",
    calls: "**/api/token/?*",
    row: "Service 24",
    search: "Search tokens",
  },
  {
    path: "/channels",
    name: "Channels",
    calls: "**/api/channel/?*",
    row: "Spare 8",
    search: "Search channels",
  },
  { path: "/logs", name: "Logs", calls: "**/api/log/?*", row: "house-model" },
])("the list of $name", ({ path, name, calls, row, search }) => {
  const someRow = () =>
    page
      .getByRole("table", { name, exact: true })
      .getByRole("row")
      .filter({ hasText: row })
      .first();
  const noneYet = () => page.getByText(/^No (tokens|channels|logs) found/);
  const requestId = "0123456789abcdef";
  const refuse = (route: Route) =>
    route.fulfill({
      status: 500,
      headers: { "X-Oneapi-Request-Id": requestId },
      json: {
        success: false,
        message: "Something went wrong on the server",
        code: "internal_error",
      },
    });
  beforeEach(() => page.setViewportSize({ width: 1440, height: 900 }));
  test("shows that it is loading, and nothing else, until the answer comes", async () => {
    const answer = await hold(page, calls);
    await page.goto(path);
    await heading(page, name).waitFor();
    await page.getByText("Loading...", { exact: true }).first().waitFor({ state: "attached" });
    expect(await page.getByRole("table", { name, exact: true }).getAttribute("aria-busy")).toBe(
      "true",
    );
    expect(await noneYet().count()).toBe(0);
    expect(await accessibilityViolations(page)).toEqual([]);
    await answer();
    await someRow().waitFor();
    expect(await page.getByRole("table", { name, exact: true }).getAttribute("aria-busy")).not.toBe(
      "true",
    );
  });

  test("keeps what it shows while it is refreshed", { tags: ["large"] }, async () => {
    await page.goto(path);
    await someRow().waitFor();
    const answer = await hold(page, calls);
    const refresh = page.getByRole("button", { name: "Refresh" });
    await refresh.click();
    await expect.poll(() => refresh.getAttribute("aria-disabled")).toBe("true");
    expect(await someRow().isVisible()).toBe(true);
    await answer();
    await expect.poll(() => refresh.getAttribute("aria-disabled")).toBeNull();
  });

  test("is read again by Search, also for the same text", { tags: ["large"] }, async () => {
    await page.goto(path);
    await someRow().waitFor();
    const again = page.waitForRequest(calls);
    await page.getByRole("main").getByRole("button", { name: "Search", exact: true }).click();
    await again;
  });

  test.each([1440, 375])(
    "that failed shows the reason at %i px and no rows, and retries on request",
    async (width) => {
      await page.setViewportSize({ width, height: 900 });
      await page.route(calls, refuse);
      await page.goto(path);
      const alert = page.getByRole("alert").filter({ hasText: "This list could not be loaded" });
      await alert.waitFor();
      await alert.getByText("Something went wrong on the server").waitFor();
      await alert.getByText(requestId).waitFor();
      await alert.getByRole("button", { name: "Copy request id" }).waitFor();
      expect(await noneYet().count()).toBe(0);
      expect(await page.getByText(row).count()).toBe(0);
      await inspectScreen(page, `failed list of ${name}`, { widths: [width] });

      // The reply first: the reason of the first try stays on the page until then.
      await Promise.all([
        page.waitForResponse(calls),
        alert.getByRole("button", { name: "Retry" }).click(),
      ]);
      await alert.getByText(requestId).waitFor();
      await page.unroute(calls);
      await alert.getByRole("button", { name: "Retry" }).click();
      await page.getByText(row).first().waitFor();
      expect(await page.getByRole("alert").count()).toBe(0);
      await page.setViewportSize({ width: 1440, height: 900 });
    },
  );

  test("that fails when refreshed shows no old rows", { tags: ["large"] }, async () => {
    await page.goto(path);
    await someRow().waitFor();
    await page.route(calls, refuse);
    await page.getByRole("button", { name: "Refresh" }).click();
    await page.getByRole("alert").getByText(requestId).waitFor();
    expect(await page.getByText(row).count()).toBe(0);
  });

  test("without a connection shows that", { tags: ["large"] }, async () => {
    await page.route(calls, (route) => route.abort("connectionrefused"));
    await page.goto(path);
    await page.getByRole("alert").getByText("The gateway cannot be reached").waitFor();
  });

  test("where nothing matches shows that and offers to clear the filters", async () => {
    if (search === undefined) {
      await page.goto(`${path}?model_name=nobody-asks`);
      await page
        .getByText("No logs found. Adjust your filters or search criteria.", { exact: true })
        .waitFor();
    } else {
      await page.goto(path);
      await page.getByRole("combobox", { name: search }).fill("nothing is called this");
      await page.keyboard.press("Enter");
      await page.getByText("No results.", { exact: true }).waitFor();
      expect(await noneYet().count()).toBe(0);
    }
    expect(await accessibilityViolations(page)).toEqual([]);
    await page.getByRole("button", { name: "Clear filters" }).last().click();
    await someRow().waitFor();
    await expect.poll(() => pathOf(page)).toBe(path);
  });
});

test("the id of a request or a trace, typed into the search of any list, leads to the log entry of its call", async () => {
  const { data } = await (await gateway.root()).call(listLogs, { query: { type: 2, size: 1 } });
  for (const [path, name] of [
    ["/tokens", "tokens"],
    ["/channels", "channels"],
    ["/users", "users"],
    ["/redemptions", "redemptions"],
  ] as const) {
    const id = (path === "/users" ? data[0]?.trace_id : data[0]?.request_id) ?? "";
    await page.goto(path);
    await page.getByRole("combobox", { name: `Search ${name}` }).fill(id);
    await page.keyboard.press("Enter");
    await heading(page, "Logs").waitFor();
    await page.getByText("Showing 1-1 of 1 items").waitFor();
    expect(pathOf(page)).toContain(`keyword=${id}`);
  }
});

test("a list takes the reply of the request that the page's head began, and asks no second time", {
  tags: ["large"],
}, async () => {
  for (const [path, name] of [
    ["/tokens", "Tokens"],
    ["/channels", "Channels"],
    ["/users", "Users"],
    ["/redemptions", "Redemptions"],
  ] as const) {
    const asked: string[] = [];
    const noteRequest = (request: { url: () => string }) => asked.push(request.url());
    page.on("request", noteRequest);
    await page.goto(path);
    await heading(page, name).waitFor();
    await page.getByText("Loading...", { exact: true }).first().waitFor({ state: "detached" });
    page.off("request", noteRequest);
    const first = firstRequests[path]?.url ?? "";
    const ofList = asked
      .map((url) => url.slice(new URL(url).origin.length))
      .filter((url) => url.startsWith(first.slice(0, first.indexOf("?") + 1)));
    expect(ofList).toEqual([first]);
    expect(await page.evaluate("window.earlyReply")).toBeUndefined();
  }
});

test("the press of a link asks for the rows of its list once, and the page is drawn with them", async () => {
  const { url } = firstRequests["/tokens"] ?? { url: "" };
  const rows = await (await root.request.get(gateway.url + url)).text();
  const asked: string[] = [];
  await page.route("**/api/token/?*", async (route) => {
    asked.push(route.request().url().slice(gateway.url.length));
    await route.fulfill({ body: rows, contentType: "application/json" });
  });
  await page.goto("/about");
  await heading(page, "About").waitFor();
  await page.evaluate(`
    window.drawnTables = [];
    new MutationObserver(() => {
      const table = document.querySelector("table");
      if (table !== null) window.drawnTables.push(table.getAttribute("aria-busy"));
    }).observe(document, { subtree: true, childList: true });
  `);
  const arrived = page.waitForResponse((response) => response.url().endsWith(url));
  await page.getByRole("link", { name: "Tokens", exact: true }).hover();
  await page.mouse.down();
  await (await arrived).finished();
  await page.mouse.up();
  await page.getByRole("row", { name: "Service 24" }).waitFor();
  expect(asked).toEqual([url]);
  expect(await page.evaluate("window.drawnTables")).not.toContain("true");
});

test("who tries again by keyboard keeps their place on the page", { tags: ["large"] }, async () => {
  const answers = [500, 200];
  await page.route("**/api/token/?*", async (route) => {
    if (answers.shift() === 200) return route.continue();
    await route.fulfill({
      status: 500,
      json: { success: false, message: "Something went wrong on the server" },
    });
  });
  await page.goto("/tokens");
  await page.getByRole("button", { name: "Retry" }).focus();
  await page.keyboard.press("Enter");
  await page.getByRole("row", { name: /Service 24/ }).waitFor();
  await expect
    .poll(() => page.evaluate("document.querySelector('main').contains(document.activeElement)"))
    .toBe(true);
});

test("a call that never answers is given up after ten seconds, and the page says so", {
  tags: ["large"],
}, async () => {
  const waiting = ["/tokens", "/channels", "/logs", "/dashboard", `/tokens/edit/${sample.token}`];
  await Promise.all(
    waiting.map(async (path) => {
      const on = await openPage(root);
      // Answered neither now nor later.
      await on.route(/\/api\/(?:token|channel|log)\/|\/api\/user\/dashboard\?/, () => undefined);
      await on.goto(path);
      const alert = on.getByRole("alert");
      await alert
        .getByText("The gateway did not answer within 10 seconds")
        .first()
        .waitFor({ timeout: 20_000 });
      await alert.getByRole("button", { name: "Retry" }).first().waitFor();
      await on.close();
    }),
  );
});

test("a page of more rows than a screen has shows every one of them", {
  tags: ["large"],
}, async () => {
  const client = await gateway.root();
  for (let extra = 1; extra <= 20; extra += 1)
    await client.call(createToken, { body: { name: `Extra ${extra}` } });
  await page.goto("/tokens");
  await page.getByRole("combobox", { name: "Rows per page" }).selectOption("100");
  const range = page.getByText(/^Showing 1-(\d+) of \1 items$/);
  await range.waitFor();
  const count = Number(/-(\d+)/.exec(await range.innerText())?.[1]);
  expect(count).toBeGreaterThan(30);
  await expect.poll(() => page.locator("tbody tr").count()).toBe(count);
});

interface LoadedPart {
  what: string;
  path: () => string;
  calls: string;
  open?: () => Promise<unknown>;
  whole: () => Locator;
}
testVariants<LoadedPart>([
  {
    what: "token form",
    path: () => `/tokens/edit/${sample.token}`,
    calls: "**/api/token/*",
    whole: () => page.getByLabel("Token Name"),
  },
  {
    what: "dashboard",
    path: () => "/dashboard",
    calls: "**/api/user/dashboard?*",
    whole: () => page.getByText(/\d active models?/),
  },
  {
    what: "channel form",
    path: () => `/channels/edit/${sample.channel}`,
    calls: "**/api/channel/*",
    whole: () => page.getByLabel("Channel name"),
  },
  {
    what: "trace dialog",
    path: () => "/logs",
    calls: "**/api/trace/**",
    open: () => page.getByRole("row").filter({ hasText: "house-model" }).first().click(),
    whole: () => page.getByRole("region", { name: "Timeline" }),
  },
])(
  "a $what that cannot be loaded shows the reason and retries on request",
  async ({ path, calls, whole, open }) => {
    await page.route(calls, (route) =>
      route.fulfill({
        status: 503,
        headers: { "X-Oneapi-Request-Id": "0123456789abcdef" },
        json: {
          success: false,
          message: "The server cannot reach its storage right now. Please try again",
        },
      }),
    );
    await page.goto(path());
    await open?.();
    const alert = page
      .getByRole("alert")
      .filter({ hasText: "The server cannot reach its storage right now" })
      .first();
    await alert.getByText("0123456789abcdef").waitFor();
    expect(await whole().count()).toBe(0);
    expect(await accessibilityViolations(page)).toEqual([]);
    await page.unroute(calls);
    await alert.getByRole("button", { name: "Retry" }).click();
    await whole().waitFor();
  },
);

/** Holds the answers to some calls back until released. */
async function hold(on: Page, calls: string): Promise<() => Promise<void>> {
  const { promise, resolve } = Promise.withResolvers<void>();
  await on.route(calls, async (route) => {
    await promise;
    await route.continue().catch(() => undefined);
  });
  return async () => {
    resolve();
    await on.unroute(calls);
  };
}
