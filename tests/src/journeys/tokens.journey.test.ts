import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { sharedBrowser } from "../harness/chromium.ts";
import { credentials, type ForeignServer, startForeignServer } from "../harness/foreign-server.ts";
import { testVariants } from "../support/variants.ts";
import { closeUseKey, heading, openPage, pathOf, readTable, signIn } from "./console-pages.ts";
import { accessibilityViolations, expectToFit } from "./inspect-page.ts";

const hour = 3_600;
const nowSeconds = () => Math.floor(Date.now() / 1000);

let browser: Browser;
let server: ForeignServer;
let visitor: BrowserContext;
let page: Page;

beforeAll(async () => {
  browser = await sharedBrowser();
});
beforeEach(async () => {
  server = await startForeignServer({ ids: "uuid", role: 1, usage: [] });
});
afterEach(async () => {
  await visitor.close();
  await server.close();
});

async function open(address: string, width = 1440): Promise<void> {
  visitor = await browser.newContext({ baseURL: server.url, viewport: { width, height: 900 } });
  await visitor.grantPermissions(["clipboard-read", "clipboard-write"]);
  page = await openPage(visitor);
  await page.goto(`/login?redirect_to=${encodeURIComponent(address)}`);
  await signIn(page, credentials.username, credentials.password);
}

const rowOf = (name: string) => page.getByRole("row").filter({ hasText: name });
const asked = (start: string) => server.asked.filter((one) => one.startsWith(start));
const searchBox = () => page.getByPlaceholder("Search tokens by name...");

describe("the list", () => {
  test("shows in each column what the server sent, and masks the key until it is revealed", async () => {
    const later = nowSeconds() + hour;
    const key = "sk-0123456789abcdefABCD";
    server.addToken({
      name: "",
      key: "12345678",
      status: 9,
      unlimited_quota: true,
      created_time: -1,
      accessed_time: 0,
    });
    server.addToken({ name: "used up", status: 4, used_quota: 2_500_000 });
    server.addToken({ name: "past", status: 3, expired_time: 1_700_000_000 });
    server.addToken({ name: "off", status: 2, expired_time: 0 });
    server.addToken({ name: "on", key, remain_quota: 1_234_500, expired_time: later });
    await open("/tokens");
    await heading(page, "Tokens").waitFor();
    await page.getByText("Manage your API access tokens", { exact: true }).waitFor();
    await rowOf("used up").waitFor();
    const headings = await page.getByRole("columnheader").allInnerTexts();
    expect(headings.map((text) => text.trim())).toEqual([
      ..."ID,Name,Key,Status,Remaining Quota,Used Quota,Created,Last Access,Expires,Actions".split(
        ",",
      ),
    ]);
    const rows = await readTable(page, "Tokens");
    const pick = ({ Key, Status, Expires, ...row }: Record<string, string>) => [
      Key?.split("\n")[0],
      Status,
      row["Remaining Quota"],
      row["Used Quota"],
      Expires?.replace(/^\d{4}-.*$/, "a time"),
    ];
    expect(rows.map(pick)).toEqual([
      ["sk-0***ABCD", "Enabled", "$2.47", "$0.00", "a time"],
      [expect.any(String), "Disabled", "$0.00", "$0.00", "Never"],
      [expect.any(String), "Expired", "$0.00", "$0.00", "a time"],
      [expect.any(String), "Exhausted", "$0.00", "$5.00", "Never"],
      ["***", "Unknown", "Unlimited", "$0.00", "Never"],
    ]);
    expect(rows.at(-1)).toMatchObject({ Created: "Never", "Last Access": "-" });

    await page.getByRole("button", { name: "Reveal key" }).first().click();
    await page.getByText(key, { exact: true }).waitFor();
    await rowOf(key).getByRole("button", { name: "Copy key" }).click();
    await expect.poll(() => page.evaluate("navigator.clipboard.readText()")).toBe(key);
  });

  test("is sorted and paged by the server", { tags: ["large"] }, async () => {
    for (let place = 1; place <= 23; place += 1) server.addToken({ name: `token ${place}` });
    await open("/tokens");
    await rowOf("token 23").waitFor();
    expect(asked("GET /api/token/?")).toEqual(["GET /api/token/?p=0&size=10&sort=id&order=desc"]);
    await page.getByText("Showing 1-10 of 23 items").waitFor();
    const sortBy = (name: string) =>
      page.getByRole("columnheader", { name }).getByRole("button").click();
    for (const [click, sent] of [
      [() => sortBy("Name"), "p=0&size=10&sort=name&order=desc"],
      [() => sortBy("Name"), "p=0&size=10&sort=name&order=asc"],
      [() => sortBy("Last Access"), "p=0&size=10&sort=accessed_time&order=desc"],
      [
        () => page.getByRole("button", { name: "Page 3" }).click(),
        "p=2&size=10&sort=accessed_time&order=desc",
      ],
      [
        () => page.getByLabel("Rows per page").selectOption("50"),
        "p=0&size=50&sort=accessed_time&order=desc",
      ],
    ] as const) {
      await click();
      await expect.poll(() => asked("GET /api/token/?").at(-1)).toBe(`GET /api/token/?${sent}`);
    }
    await page.getByText("Showing 1-23 of 23 items").waitFor();
    const before = asked("GET /api/token/?").length;
    await page.getByRole("button", { name: "Refresh" }).click();
    await expect.poll(() => asked("GET /api/token/?").length).toBe(before + 1);
  });

  test("is searched from the second character on, once the typing pauses", {
    tags: ["large"],
  }, async () => {
    for (const name of ["alpha", "alps", "beta"]) server.addToken({ name });
    await open("/tokens");
    await rowOf("beta").waitFor();
    await searchBox().fill("a");
    await page.getByText("Type at least 2 characters to search").waitFor();
    await searchBox().press("Enter");
    await searchBox().pressSequentially("lp", { delay: 20 });
    await page.getByRole("option", { name: "alps" }).waitFor();
    expect(asked("GET /api/token/search")).toEqual([
      "GET /api/token/search?keyword=alp&size=10&sort=name&order=asc",
    ]);
    expect(await accessibilityViolations(page)).toEqual([]);
    await searchBox().press("Enter");
    await rowOf("beta").waitFor({ state: "detached" });
    expect(asked("GET /api/token/search").at(-1)).toMatch(
      /size=10&sort=id&order=desc&keyword=alp$/,
    );
    await expect.poll(() => pathOf(page)).toBe("/tokens?keyword=alp");
    await searchBox().fill("zz");
    await page.getByText("No results.").waitFor();
    await page.getByRole("button", { name: "Clear search" }).click();
    await rowOf("beta").waitFor();
    await searchBox().fill("be");
    await page.getByRole("option", { name: "beta" }).waitFor();
    await searchBox().press("ArrowDown");
    await searchBox().press("Enter");
    await expect.poll(() => pathOf(page)).toBe("/tokens?keyword=beta");
  });

  test("switches, takes a switch back, deletes, and reports when it could not", async () => {
    const token = server.addToken({ name: "worker", status: 4 });
    await open("/tokens");
    const more = () => page.getByRole("button", { name: "More actions for worker" }).click();
    for (const [verb, badge, status] of [
      ["Enable", "Enabled", 1],
      ["Disable", "Disabled", 2],
    ] as const) {
      await more();
      await page.getByRole("menuitem", { name: verb }).click();
      await rowOf("worker").getByText(badge, { exact: true }).waitFor();
      expect(token.status).toBe(status);
    }
    await page.getByRole("button", { name: "Undo" }).click();
    await rowOf("worker").getByText("Enabled", { exact: true }).waitFor();
    expect(token.status).toBe(1);
    expect(await page.getByRole("button", { name: "Undo" }).count()).toBe(0);
    token.status = 2;
    await page.getByRole("button", { name: "Refresh" }).click();
    await rowOf("worker").getByText("Disabled", { exact: true }).waitFor();
    await page.route("**/api/token/**", (route) =>
      route.fulfill({ json: { success: false, message: "" } }),
    );
    await more();
    await page.getByRole("menuitem", { name: "Enable" }).click();
    await page.getByText("Operation failed").waitFor();
    await more();
    await page.getByRole("menuitem", { name: "Delete" }).click();
    const dialog = page.getByRole("dialog");
    await dialog
      .getByText('Are you sure you want to delete token "worker"?', { exact: true })
      .waitFor();
    await dialog.getByRole("button", { name: "Delete" }).click();
    await dialog.getByRole("alert").waitFor();
    await page.unroute("**/api/token/**");
    await dialog.getByRole("button", { name: "Delete" }).click();
    await page.getByText("No tokens found. Create your first token to get started.").waitFor();
    expect(server.tokens).toEqual([]);
  });

  test("on a phone keeps what matters and opens for the rest", { tags: ["large"] }, async () => {
    server.addToken({ name: "worker", remain_quota: 1_000_000 });
    await open("/tokens", 375);
    await page.getByRole("link", { name: "Add New Token" }).waitFor();
    await page.getByText("$2.00").waitFor();
    for (const hidden of ["Created", "Last Access", "Expires"])
      expect(await page.getByText(hidden, { exact: true }).filter({ visible: true }).count()).toBe(
        0,
      );
    await expectToFit(page, 375);
  });
});

describe("the form", () => {
  test("checks in place, then sends the fields as the wire has them", async () => {
    await open("/tokens/add");
    await heading(page, "Create Token").waitFor();
    await page.getByText("Create a new API token", { exact: true }).waitFor();
    const quota = page.getByLabel("Remaining Quota");
    expect(await quota.inputValue()).toBe("500000");
    await page.getByText("worth $1.00").waitFor();
    const dollars = page.getByLabel("In US dollars");
    expect(await dollars.inputValue()).toBe("1");
    await dollars.fill("2.5");
    expect(await quota.inputValue()).toBe("1250000");
    await dollars.fill("two");
    await page.getByText("Enter an amount such as 12.50").waitFor();
    expect(await quota.inputValue()).toBe("1250000");
    await quota.fill("750000");
    expect(await dollars.inputValue()).toBe("1.5");
    await quota.fill("-1");
    // This server names no features: it would drop limits and report success.
    expect(await page.getByLabel("Requests per minute").count()).toBe(0);
    await page.getByRole("button", { name: "Create Token" }).click();
    await page.getByText("Token name is required", { exact: true }).waitFor();
    await page.getByText("Quota must be non-negative", { exact: true }).waitFor();

    await page.getByLabel("Token Name").fill("ci");
    await page.getByPlaceholder("Search models...").fill("mini");
    await page.getByLabel("gpt-4o-mini", { exact: true }).check();
    await page.getByPlaceholder("Search models...").fill("");
    await page.getByLabel("gpt-4o", { exact: true }).check();
    await page.getByRole("button", { name: "Remove gpt-4o", exact: true }).click();
    expect(await page.getByLabel("gpt-4o", { exact: true }).isChecked()).toBe(false);

    const expiry = page.getByLabel("Expiration Time");
    for (const [preset, seconds] of [
      ["1 Month", 30 * 24 * hour],
      ["1 Day", 24 * hour],
      ["1 Hour", hour],
      ["1 Minute", 60],
      ["7 Days", 7 * 24 * hour],
      ["90 Days", 90 * 24 * hour],
      ["1 Year", 365 * 24 * hour],
    ] as const) {
      await page.getByRole("button", { name: preset, exact: true }).click();
      const away = new Date(await expiry.inputValue()).getTime() / 1000 - nowSeconds();
      expect(Math.abs(away - seconds)).toBeLessThan(30);
    }
    await page.getByRole("button", { name: "Never Expire" }).click();
    expect(await expiry.inputValue()).toBe("");
    await expiry.fill("2030-01-02T03:04:05");
    await quota.fill("250000");
    await page.getByText("worth $0.50").waitFor();
    await page.getByLabel("Unlimited Quota").check();
    expect(await quota.isDisabled()).toBe(true);

    let answer = () => {};
    const held = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route("**/api/token/", async (route) => {
      if (route.request().method() === "POST") await held;
      await route.continue();
    });
    await page.getByRole("button", { name: "Create Token" }).click();
    await page.getByRole("button", { name: "Creating..." }).waitFor();
    answer();
    await page.getByText("Token created successfully").waitFor();
    const offered = page
      .getByRole("dialog", { name: "Use this key" })
      .getByLabel("Model")
      .getByRole("option");
    await expect.poll(() => offered.allInnerTexts()).toEqual(["gpt-4o-mini"]);
    await closeUseKey(page);
    expect(server.bodies.find(({ name }) => name === "ci")).toEqual({
      name: "ci",
      remain_quota: 250_000,
      unlimited_quota: true,
      expired_time: new Date("2030-01-02T03:04:05").getTime() / 1000,
      models: "gpt-4o-mini",
      subnet: "",
    });
  });

  const expired = { status: 3, expired_time: 1_700_000_000 };
  const rename = () => page.getByLabel("Token Name").fill("renamed");
  testVariants(
    [
      [
        "exhausted and gets quota",
        { status: 4 },
        () => page.getByLabel("Remaining Quota").fill("9"),
        1,
      ],
      ["expired and left so", expired, rename, 3],
      [
        "exhausted and is unlimited",
        { status: 4 },
        () => page.getByLabel("Unlimited Quota").check(),
        1,
      ],
      ["exhausted and left so", { status: 4 }, rename, 4],
      [
        "expired and never does",
        expired,
        () => page.getByRole("button", { name: "Never Expire" }).click(),
        1,
      ],
    ] as const,
    { narrow: 2 },
  )(
    "a token that was %s is saved with the status that it then has",
    async ([, fields, edit, status]) => {
      const token = server.addToken({ name: "worker", ...fields });
      await open(`/tokens/edit/${token.uuid}`);
      await heading(page, "Edit Token").waitFor();
      await page.getByRole("button", { name: "Update Token" }).waitFor();
      await edit();
      await page.getByRole("button", { name: "Update Token" }).click();
      await page.getByText("Token updated successfully").waitFor();
      expect(token.status).toBe(status);
    },
  );

  test("shows that it is loading and updating, why it failed, and leads back", {
    tags: ["large"],
  }, async () => {
    const token = server.addToken({ name: "worker" });
    let answer = () => {};
    await open("/tokens");
    await page.route(`**/api/token/${token.uuid}`, async (route) => {
      await new Promise<void>((resolve) => {
        answer = resolve;
      });
      await route.continue();
    });
    await rowOf("worker").getByRole("link", { name: "Edit" }).click();
    await page.getByText("Loading token...").waitFor();
    await page.getByText("Update token settings", { exact: true }).waitFor();
    answer();
    await page.getByLabel("Token Name").fill("worker two");
    // This server reported none, so it could keep none.
    expect(await page.getByText("Rate limits").count()).toBe(0);
    await page.route("**/api/token/", (route) =>
      route.fulfill({ json: { success: false, message: "" } }),
    );
    await page.getByRole("button", { name: "Update Token" }).click();
    await page.getByRole("alert").getByText("Operation failed").waitFor();
    expect(await page.getByLabel("Token Name").inputValue()).toBe("worker two");
    await page.getByLabel("Token Name").fill("worker");
    await page
      .getByRole("link", { name: "Cancel" })
      .or(page.getByRole("button", { name: "Cancel" }))
      .click();
    await expect.poll(() => pathOf(page)).toBe("/tokens");
  });
});
