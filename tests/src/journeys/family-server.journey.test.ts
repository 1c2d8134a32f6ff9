// What the specifications name and a server of the family sends: header, dashboard, keys, logs.
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { sharedBrowser } from "../harness/chromium.ts";
import { credentials, type ForeignServer, startForeignServer } from "../harness/foreign-server.ts";
import { testVariants } from "../support/variants.ts";
import { heading, openPage, openSignedIn, pathOf, readTable } from "./console-pages.ts";

let browser: Browser;
let server: ForeignServer;
let visitor: BrowserContext;
let page: Page;

beforeAll(async () => {
  browser = await sharedBrowser();
});
afterEach(async () => {
  await visitor.close();
  await server.close();
});

const dayMs = 86_400_000;
const day = (back: number) => new Date(Date.now() - back * dayMs).toISOString().slice(0, 10);
const usageOf = (models: number) =>
  Array.from({ length: models }, (_, place) => ({
    Day: day(0),
    ModelName: `model-${place}`,
    RequestCount: 10 - place,
    Quota: 1_000,
    PromptTokens: 100,
    CompletionTokens: 100,
  }));

async function visit(role: number, usage: ReturnType<typeof usageOf> = []): Promise<void> {
  server = await startForeignServer({ ids: "integer", role, usage });
  visitor = await browser.newContext({
    baseURL: server.url,
    viewport: { width: 1440, height: 900 },
  });
  page = await openPage(visitor);
}
const open = (path: string) => openSignedIn(page, server.url, { ...credentials, path });
const button = (name: string) => page.getByRole("button", { name, exact: true });
const textOf = async (name: string) =>
  (await page.getByRole("region", { name, exact: true }).innerText()).replace(/\s+/g, " ");
/** `expectColours` goes by the word of a badge, which stands in the table once. */
async function expectColours(colours: Record<string, string>): Promise<void> {
  for (const [word, colour] of Object.entries(colours)) {
    const badge = page.getByRole("cell").getByText(word, { exact: true });
    expect(await badge.getAttribute("class"), word).toContain(colour);
  }
}
const pasted = `sk-${"aB3".repeat(16)}`;

describe("the header", () => {
  const entriesOf = () =>
    page
      .getByRole("navigation", { name: "Main" })
      .getByRole("link")
      .evaluateAll((links) =>
        links.map((link) => {
          const icon = link.querySelector("svg")?.getAttribute("class") ?? "";
          return [
            link.textContent?.trim(),
            link.getAttribute("href"),
            /lucide-([a-z-]+)/.exec(icon)?.[1],
          ].join(" ");
        }),
      );
  const everyone = [
    "Dashboard /dashboard house",
    "Tokens /tokens credit-card",
    "Logs /logs file-text",
    "Top Up /topup dollar-sign",
    "Models /models chart-column",
    "About /about info",
  ];

  test("of an ordinary user has six entries with their icons, and Chat where there is a link", async () => {
    await visit(1);
    await open("/about");
    await expect.poll(entriesOf).toEqual(everyone);
    await page.route("**/api/status", async (route) => {
      const reply = await (await route.fetch()).json();
      const data = { ...reply.data, chat_link: "https://chat.example.com" };
      await route.fulfill({ json: { ...reply, data } });
    });
    await page.reload();
    await expect.poll(entriesOf).toEqual(everyone.toSpliced(5, 0, "Chat /chat message-square"));
  });

  testVariants([10, 100])("of role %i has those of administrators too", async (role) => {
    await visit(role);
    await open("/about");
    await expect
      .poll(entriesOf)
      .toEqual([
        "Dashboard /dashboard house",
        "Channels /channels zap",
        "Tokens /tokens credit-card",
        "Logs /logs file-text",
        "Users /users users",
        "Redemptions /redemptions gift",
        "Top Up /topup dollar-sign",
        "Models /models chart-column",
        "About /about info",
        "Settings /settings settings",
      ]);
  });
});

describe("the dashboard", () => {
  test("without usage says so in each part, and gives no tips", { tags: ["large"] }, async () => {
    await visit(1);
    await open("/dashboard");
    await page
      .getByText("Monitor your API usage and account statistics", { exact: true })
      .waitFor();
    await page.getByText("No efficiency data available").waitFor();
    expect(await textOf("Top Model")).toContain("No data");
    expect(await page.getByRole("region", { name: "Optimization Tips" }).count()).toBe(0);
  });

  test("has five models at most under Model Efficiency, and Apply says that it loads", {
    tags: ["large"],
  }, async () => {
    await visit(1, usageOf(7));
    await open("/dashboard");
    await page.getByText("7 active models").waitFor();
    const efficiency = page.getByRole("region", { name: "Model Efficiency" });
    expect(await efficiency.getByRole("listitem").count()).toBe(5);
    const answers = Promise.withResolvers<void>();
    await page.route("**/api/user/dashboard?*", async (route) => {
      await answers.promise;
      await route.continue();
    });
    await button("Apply").click();
    await button("Loading...").waitFor();
    answers.resolve();
    await button("Apply").waitFor();
  });
});

test("a change has an arrow and a colour for its direction, and less spending is not red", {
  tags: ["large"],
}, async () => {
  const [row] = usageOf(1);
  if (row === undefined) throw new Error("there is no usage");
  const before = { ...row, Day: day(1), RequestCount: 5, Quota: 2_000, PromptTokens: 900 };
  await visit(1, [before, row]);
  await open("/dashboard");
  await page.getByText("1 active model", { exact: true }).waitFor();
  const overview = page.getByRole("region", { name: "Usage Overview" });
  const looks = await overview
    .locator("span:has(> svg)")
    .evaluateAll((changes) =>
      changes.map((change) => [
        change.textContent,
        /text-(?:good|bad|info)/.exec(change.getAttribute("class") ?? "")?.[0],
        /arrow-\w+/.exec(change.querySelector("svg")?.getAttribute("class") ?? "")?.[0],
      ]),
    );
  expect(looks).toEqual([
    ["up100.0%", "text-good", "arrow-up"],
    ["down50.0%", "text-info", "arrow-down"],
    ["down80.0%", "text-bad", "arrow-down"],
  ]);
});

describe("a key", () => {
  beforeEach(() => visit(1));

  test("that was never used reads Never where the server says -1", async () => {
    server.addToken({ name: "idle", created_time: 1_795_100_000, accessed_time: -1 });
    await open("/tokens");
    await expect
      .poll(async () => (await readTable(page, "Tokens"))[0]?.["Last Access"])
      .toBe("Never");
  });

  test("is one of a page of 10, 20, 50 or 100, whose ends no phone has buttons for", {
    tags: ["large"],
  }, async () => {
    for (let place = 0; place < 11; place += 1) server.addToken({ name: `key ${place}` });
    await open("/tokens");
    await page.getByText("Showing 1-10 of 11 items").waitFor();
    const sizes = page.getByLabel("Rows per page").getByRole("option");
    expect(await sizes.allInnerTexts()).toEqual(["10", "20", "50", "100"]);
    await button("First").waitFor();
    await button("Last").waitFor();
    await page.setViewportSize({ width: 375, height: 800 });
    await button("Last").waitFor({ state: "detached" });
    expect(await button("First").count()).toBe(0);
    await button("Next").waitFor();
  });

  test("is searched 300 ms after the last letter, a copy is told for 2 s, a new width counts after 100 ms", async () => {
    for (let place = 0; place < 11; place += 1) server.addToken({ name: `key ${place}` });
    await visitor.grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.clock.install();
    await open("/tokens");
    await page.getByText("Showing 1-10 of 11 items").waitFor();
    // From here on the page's clock advances only when the test moves it.
    await page.clock.pauseAt((await page.evaluate<number>("Date.now()")) + 1_000);
    const searches = () => server.asked.filter((asked) => asked.includes("/token/search")).length;
    await page.getByPlaceholder("Search tokens by name...").fill("key");
    await page.clock.runFor(299);
    expect(searches()).toBe(0);
    await page.clock.runFor(1);
    await expect.poll(searches).toBe(1);

    await button("Copy key").first().click();
    await button("Copied!").waitFor();
    await page.clock.runFor(1_999);
    expect(await button("Copied!").count()).toBe(1);
    await page.clock.runFor(1);
    await button("Copied!").waitFor({ state: "detached" });

    await page.evaluate(
      'void (window.resized = new Promise((done) => addEventListener("resize", () => done())))',
    );
    await page.setViewportSize({ width: 700, height: 800 });
    await page.evaluate("window.resized");
    await page.clock.runFor(99);
    expect(await button("Last").count()).toBe(1);
    await page.clock.runFor(1);
    await button("Last").waitFor({ state: "detached" });
  });

  test("scrolls under bars that hide 600 ms after the pointer has left it", async () => {
    server.addToken({ name: "worker" });
    await page.setViewportSize({ width: 800, height: 800 });
    await open("/tokens");
    await page.locator("main [data-overflow]").hover();
    const area = "document.querySelector('main [data-overflow]')";
    const isShown = async () =>
      !(await page.evaluate<string>(`getComputedStyle(${area}).scrollbarColor`)).startsWith(
        "rgba(0, 0, 0, 0)",
      );
    expect(await isShown()).toBe(true);
    await page.mouse.move(1, 1);
    const delays = `${area}.getAnimations().map(({ effect }) => effect.getTiming().delay)`;
    expect(await page.evaluate(delays)).toEqual([600]);
    expect(await isShown()).toBe(true);
    await expect.poll(isShown).toBe(false);
  });

  test("that the browser cannot copy is selected to be copied by hand", {
    tags: ["large"],
  }, async () => {
    server.addToken({ name: "worker" });
    await page.addInitScript(`
      Object.defineProperty(Navigator.prototype, "clipboard", { get: () => undefined });
      Document.prototype.execCommand = () => false;
    `);
    await open("/tokens");
    await button("Copy key").click();
    await expect.poll(() => page.evaluate("getSelection().toString()")).toBe(server.tokens[0]?.key);
  });

  test("has a badge in the colour of its status", { tags: ["large"] }, async () => {
    for (const status of [1, 2, 3, 4]) server.addToken({ name: `key ${status}`, status });
    await open("/tokens");
    await expectColours({
      Enabled: "text-good",
      Disabled: "text-muted",
      Expired: "text-bad",
      Exhausted: "text-warn",
    });
  });

  test("shows how addresses are written, and that its change is on the way", {
    tags: ["large"],
  }, async () => {
    const { n } = server.addToken({ name: "worker" });
    await open(`/tokens/edit/${n}`);
    const addresses = page.getByLabel("IP Restriction (Optional)");
    expect(await addresses.getAttribute("placeholder")).toMatch(/^[\d.]+\/\d+ or [\d.]+$/);
    const answers = Promise.withResolvers<void>();
    await page.route("**/api/token/", async (route) => {
      await answers.promise;
      await route.continue();
    });
    await button("Update Token").click();
    await button("Updating...").waitFor();
    answers.resolve();
    await page.getByText("Token updated successfully").waitFor();
  });
});

describe("the log", () => {
  beforeEach(() => visit(10));

  test("has the words of its types, and a trace those of its moments and durations", async () => {
    await open("/logs");
    await page.getByRole("row").filter({ hasText: "gpt-4o-mini" }).waitFor();
    const types = await page
      .getByLabel("Type", { exact: true })
      .getByRole("option")
      .allInnerTexts();
    const specified = ["Topup", "Consume", "Management", "System", "Test"];
    expect(types.filter((type) => specified.includes(type))).toEqual(specified);
    await page.getByRole("row").filter({ hasText: "gpt-4o-mini" }).click();
    const moments = page.getByRole("region", { name: "Moments" });
    await moments.getByText("Request received").waitFor();
    expect(await moments.getByRole("rowheader").allInnerTexts()).toEqual([
      "Request received",
      "Request forwarded",
      "First upstream response",
      "First client response",
      "Upstream completed",
      "Request completed",
    ]);
    const cells = await moments.getByRole("row").allInnerTexts();
    expect(cells.map((cell) => /(?:ms|s|-)\s+([a-z ]+)$/.exec(cell.trim())?.[1])).toEqual([
      undefined,
      "processing",
      "upstream response",
      "response processing",
      "streaming",
      "in total",
    ]);
  });

  test("has statuses in a trace in the colour of their class", { tags: ["large"] }, async () => {
    await open("/logs");
    const statuses = { 204: "text-good", 302: "text-info", 404: "text-warn", 503: "text-bad" };
    let status = "";
    await page.route("**/api/trace/log/*", async (route) => {
      const reply = await (await route.fetch()).json();
      await route.fulfill({ json: { ...reply, data: { ...reply.data, status: Number(status) } } });
    });
    for (const [next, colour] of Object.entries(statuses)) {
      status = next;
      await page.reload();
      await page.getByRole("row").filter({ hasText: "gpt-4o-mini" }).click();
      const badge = page.getByRole("dialog").getByText(status, { exact: true }).first();
      expect(await badge.getAttribute("class"), status).toContain(colour);
      await page.keyboard.press("Escape");
      await page.getByRole("dialog").waitFor({ state: "detached" });
    }
  });

  test("is cleared up to 30 days ago, unless another date is chosen", {
    tags: ["large"],
  }, async () => {
    await open("/logs");
    await button("Clear Logs").first().click();
    const before = await page.getByRole("dialog").getByLabel("Before").inputValue();
    const ageMs = Date.now() - new Date(before).getTime();
    expect(Math.round(ageMs / 3_600_000)).toBe(720);
  });

  test("is never asked for a whole key, whose text stands in no address", async () => {
    await open("/logs");
    await page.getByRole("row").filter({ hasText: "gpt-4o-mini" }).waitFor();
    const search = page.getByRole("searchbox", { name: "Search logs" });
    await search.fill(pasted);
    await search.press("Enter");
    await page.getByText("This server does not find whole keys and codes.").first().waitFor();
    expect(page.url()).not.toContain("aB3aB3");
    await page.goto(`/logs?keyword=${pasted}`);
    await page.getByRole("row").filter({ hasText: "gpt-4o-mini" }).waitFor();
    expect(server.asked.filter((asked) => asked.includes("aB3aB3"))).toEqual([]);
    expect(JSON.stringify(server.bodies)).not.toContain("aB3aB3");
  });
});

test("an access token that the server generates is shown, also where nothing more is known of it", async () => {
  await visit(1);
  await page.route("**/api/user/token", (route) =>
    route.fulfill({ json: { success: true, message: "", data: "fresh-access-token" } }),
  );
  await open("/settings");
  await button("Generate access token").click();
  await page.getByRole("dialog").getByRole("button", { name: "Generate", exact: true }).click();
  await page.getByText("fresh-access-token", { exact: true }).waitFor();
});

test("a profile that is refused without a reason says so", { tags: ["large"] }, async () => {
  await visit(1);
  await open("/settings");
  const profile = page.getByRole("region", { name: "Profile" });
  await profile.getByLabel("Display name").fill("Someone");
  await page.route("**/api/user/self", (route) =>
    route.request().method() === "PUT"
      ? route.fulfill({ json: { success: false, message: "" } })
      : route.continue(),
  );
  await profile.getByRole("button", { name: "Update profile" }).click();
  await profile.getByRole("alert").getByText("Update failed", { exact: true }).waitFor();
});

test("a model without a longest answer is Unlimited, and the tips of Top Up are there", {
  tags: ["large"],
}, async () => {
  await visit(1);
  const prices = { input_price: 1, output_price: 2, image_price: 0, max_tokens: 0 };
  await page.route("**/api/models/display", (route) =>
    route.fulfill({
      json: { success: true, message: "", data: { OpenAI: { models: { endless: prices } } } },
    }),
  );
  await open("/models");
  await page.getByRole("row").filter({ hasText: "endless" }).getByText("Unlimited").waitFor();
  await page.goto("/topup");
  await page.getByRole("region", { name: "Tips" }).getByRole("listitem").first().waitFor();
  await heading(page, "Top Up").waitFor();
  expect(pathOf(page)).toBe("/topup");
});

test("a code has a badge in the colour of its status", { tags: ["large"] }, async () => {
  await visit(10);
  const data = [1, 2, 3].map((status) => ({
    id: status,
    name: "gift",
    key: "k",
    status,
    quota: 1,
  }));
  await page.route("**/api/redemption/?*", (route) =>
    route.fulfill({ json: { success: true, message: "", data, total: 3 } }),
  );
  await open("/redemptions");
  await expectColours({ Unused: "text-good", Disabled: "text-bad", Used: "text-muted" });
});
