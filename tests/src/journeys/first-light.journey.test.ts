import OpenAI from "openai";
import type { BrowserContext, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { eventually } from "../harness/eventually.ts";
import type { TestGateway } from "../harness/test-gateway.ts";
import { printedPassword } from "../harness/test-gateway.ts";
import { startBrowserGateway } from "./browser-gateway.ts";
import {
  choosePassword,
  closeUseKey,
  collectPageErrors,
  heading,
  navigationLink,
  openPage,
  pathOf,
  readTable,
  signIn,
} from "./console-pages.ts";

// One story in chapters, told in order by one person in one browser, from an empty data folder.
let gateway: TestGateway;
let person: BrowserContext;
let page: Page;
let pageErrors: string[];
let apiKey = "";

const password = "correct horse battery";
const tokenQuota = 100_000;

/**
 * The provider that the newcomer connects has one model of the price book, and one that they price
 * themselves.
 */
const listed = {
  model: "gpt-4o-mini",
  messages: [{ role: "user" as const, content: "one two three" }],
};
const own = {
  model: "house-model",
  messages: [
    { role: "system" as const, content: "Be brief" },
    { role: "user" as const, content: "one two three four five" },
  ],
};
const ownPrice = { "house-model": { ratio: 1.25, completion_ratio: 4 } };

/**
 * `listedUnits` go by hand. The simulator counts 3 tokens a message plus its words, and answers 12.
 * A quota unit is 1/500,000 dollar, or 2 dollars per million tokens times ratio 1; what is left
 * over is rounded up, once a call.
 *   listed: (3 + 3) × $0.15/M + 12 × $0.60/M = $0.0000081 = 4.05 units, so 5
 *   own:    (3 + 2 + 3 + 5) × 1.25 + 12 × 1.25 × 4 = 76.25 units, so 77
 */
const listedUnits = 5;
const ownUnits = 77;
const issuedToRoot = 500_000_000_000_000;

beforeAll(async () => {
  gateway = await startBrowserGateway({ printsRootPassword: true });
  person = await gateway.newContext({ permissions: ["clipboard-read", "clipboard-write"] });
  page = await openPage(person);
  pageErrors = collectPageErrors(page);
});
afterAll(() => gateway.close());

test("root signs in with the printed password and can do nothing but replace it", async () => {
  await page.goto("/");
  await page.getByRole("main").getByRole("link", { name: "Sign In" }).click();
  await signIn(page, "root", await printedPassword(gateway.process));
  await heading(page, "Change password").waitFor();
  await expect.poll(() => pathOf(page)).toBe("/users/edit");

  for (const path of ["/dashboard", "/tokens", "/channels/add", "/logs", "/"]) {
    await page.goto(path);
    await heading(page, "Change password").waitFor();
    expect(new URL(page.url()).pathname, path).toBe("/users/edit");
  }
  await expect.poll(() => pathOf(page)).toBe("/users/edit");
  const refused = await person.request.get("/api/token/");
  expect(refused.status()).toBe(400);
  expect(await refused.json()).toMatchObject({ success: false, code: "password_change_required" });

  await page.getByLabel("New Password", { exact: true }).fill("too short".slice(0, 7));
  await page.getByRole("button", { name: "Update Password" }).click();
  await page.getByText("Password must be at least 8 characters").waitFor();

  await choosePassword(page, password);
  await heading(page, "Connect a provider").waitFor();
  await expect.poll(() => pathOf(page)).toBe("/channels/connect");
});

test("a channel to the provider is added and answers its test", async () => {
  await navigationLink(page, "Channels").click();
  await page.getByText("No channels found. Create your first channel to get started.").waitFor();
  await page.getByRole("link", { name: "Add Channel" }).first().click();
  const offers = Promise.withResolvers<void>();
  await page.route("**/api/models", (route) => offers.promise.then(() => route.continue()));
  await page.getByRole("link", { name: "All fields" }).click();
  await heading(page, "Create Channel").waitFor();

  await page.getByLabel("Channel name").fill("Simulator");
  await page.getByLabel("Channel type").selectOption({ label: "OpenAI Compatible" });
  await page.getByLabel("API Key", { exact: true }).fill("sim-pace-5");
  await page.getByLabel("Base URL").fill(gateway.simulator.url);
  // While the list loads, no button "Add" may stand where the checkbox of the same name will be.
  await page.getByRole("searchbox", { name: "Models" }).fill(listed.model);
  await page.getByText("Loading...", { exact: true }).waitFor();
  expect(await page.getByRole("button", { name: `${listed.model} Add` }).count()).toBe(0);
  offers.resolve();
  for (const { model } of [listed, own]) await chooseModel(model);
  await page.getByLabel("Model configs").fill(JSON.stringify(ownPrice));
  await page.getByRole("button", { name: "Create Channel" }).click();
  await page.getByText("Channel created successfully").waitFor();
  await expect.poll(() => pathOf(page)).toBe("/channels");

  await page.getByRole("button", { name: "More actions for Simulator" }).click();
  await page.getByRole("menuitem", { name: "Test", exact: true }).click();
  await page.getByText("Channel test successful!").waitFor();
  await expect
    .poll(() => readTable(page, "Channels"))
    .toMatchObject([
      { Name: "Simulator", Type: "OpenAI Compatible", Response: expect.stringMatching(/^\d+ ms$/) },
    ]);
});

test("a token is made, its key revealed and copied", async () => {
  await navigationLink(page, "Tokens").click();
  await page.getByText("No tokens found. Create your first token to get started.").waitFor();
  await page.getByRole("link", { name: "Add Token" }).first().click();
  await heading(page, "Create Token").waitFor();
  expect(await page.getByLabel("Remaining Quota").inputValue()).toBe("500000");

  await page.getByRole("button", { name: "Create Token" }).click();
  await page.getByText("Token name is required").waitFor();
  await page.getByLabel("Token Name").fill("Newcomer");
  await page.getByLabel("Remaining Quota").fill(String(tokenQuota));
  await page.getByText("worth $0.20").waitFor();
  await page.getByRole("button", { name: "Create Token" }).click();
  await page.getByText("Token created successfully").waitFor();
  await expect.poll(() => pathOf(page)).toBe("/tokens");
  await closeUseKey(page);

  const row = page.getByRole("row", { name: /Newcomer/ });
  const masked = await row.locator("code").innerText();
  expect(masked).toMatch(/^sk-\w\*{3}\w{4}$/);
  await row.getByRole("button", { name: "Reveal key" }).click();
  const revealed = await row.locator("code").innerText();
  expect(revealed).toMatch(/^sk-\w{48}$/);
  expect(masked).toBe(`${revealed.slice(0, 4)}***${revealed.slice(-4)}`);
  await row.getByRole("button", { name: "Hide key" }).click();
  expect(await row.locator("code").innerText()).toBe(masked);

  await row.getByRole("button", { name: "Copy key" }).click();
  await row.getByRole("button", { name: "Copied!" }).waitFor();
  apiKey = await page.evaluate<string>("navigator.clipboard.readText()");
  expect(apiKey).toBe(revealed);
  await row.getByRole("button", { name: "Copy key" }).waitFor();
});

test("the token gets limits, and its form shows them again", async () => {
  const limits = {
    "Requests per minute": "600",
    "Tokens per minute": "100000",
    "Parallel requests": "20",
  };
  const edit = async () => {
    await page
      .getByRole("row", { name: /Newcomer/ })
      .getByRole("link", { name: "Edit" })
      .click();
    await page.getByRole("heading", { name: "Rate limits" }).waitFor();
  };
  await edit();
  for (const [label, limit] of Object.entries(limits)) {
    expect(await page.getByLabel(label).inputValue()).toBe("0");
    await page.getByLabel(label).fill(limit);
  }
  await page.getByLabel("Parallel requests").fill("20.5");
  await page.getByRole("button", { name: "Update Token" }).click();
  await page.getByText("Enter a whole number from 0 to 10,000", { exact: true }).waitFor();
  await page.getByLabel("Parallel requests").fill("20");
  await page.getByRole("button", { name: "Update Token" }).click();
  await page.getByText("Token updated successfully").waitFor();
  await edit();
  for (const [label, limit] of Object.entries(limits))
    expect(await page.getByLabel(label).inputValue(), label).toBe(limit);
  await page.getByRole("link", { name: "Cancel" }).click();
  await page.waitForURL("**/tokens");
});

test("OpenAI's own client is served through the gateway, whole and streamed", async () => {
  const openai = new OpenAI({ apiKey, baseURL: `${gateway.url}/v1`, maxRetries: 0 });
  expect((await openai.models.list()).data.map(({ id }) => id).sort()).toEqual([
    listed.model,
    own.model,
  ]);

  const whole = await openai.chat.completions.create(listed);
  expect(whole.usage).toMatchObject({ prompt_tokens: 6, completion_tokens: 12, total_tokens: 18 });
  expect(whole.choices[0]?.message.content?.split(/\s+/)).toHaveLength(12);

  // Without asking for usage: the gateway requests it anyway, and the client sees none of it.
  let text = "";
  for await (const chunk of await openai.chat.completions.create({ ...own, stream: true })) {
    expect(chunk.usage ?? null).toBeNull();
    text += chunk.choices[0]?.delta.content ?? "";
  }
  expect(text.trim().split(/\s+/)).toHaveLength(12);
});

test("the logs show both calls with their exact charge", async () => {
  await gateway.settled();
  await navigationLink(page, "Logs").click();
  await heading(page, "Logs").waitFor();
  const common = { Type: "Consume", Token: "Newcomer", Username: "root", Channel: "Simulator" };
  const consumed = async () =>
    (await readTable(page, "Logs")).filter(({ Type }) => Type === "Consume");
  await expect.poll(consumed).toMatchObject([
    {
      ...common,
      Model: own.model,
      Quota: "$0.000154",
      "Prompt Tokens": "13",
      "Completion Tokens": "12",
    },
    {
      ...common,
      Model: listed.model,
      Quota: "$0.00001",
      "Prompt Tokens": "6",
      "Completion Tokens": "12",
    },
  ]);
  for (const [model, units] of [
    [listed.model, listedUnits],
    [own.model, ownUnits],
  ] as const) {
    expect(await callOf(model).locator("data").getAttribute("value")).toBe(String(units));
  }

  await page.getByRole("button", { name: "Show statistics" }).click();
  await page.getByText(`${listedUnits + ownUnits} quota units`, { exact: true }).waitFor();
});

test("the trace shows where the time went, which channels were tried and how the price was computed", async () => {
  await callOf(listed.model).click();
  const dialog = page.getByRole("dialog", { name: "Request Trace" });
  const timeline = dialog.getByRole("region", { name: "Timeline" });
  await timeline.waitFor();
  expect(await timeline.getByRole("listitem").filter({ hasText: "Request" }).count()).toBe(1);
  expect(await timeline.getByRole("listitem").filter({ hasText: "Simulator" }).innerText()).toMatch(
    /^Simulator\s+200 · \d+ ms/,
  );
  expect(await linesOf(dialog)).toEqual([
    ["Input", "6", "$0.15", "$0.0000009"],
    ["Output", "12", "$0.60", "$0.0000072"],
    ["Group ratio", "× 1"],
    ["Sum", "$0.0000081"],
    [expect.stringMatching(/^Charged ?5 quota units/), expect.stringMatching(/^\$0\.000010?$/)],
  ]);
  await dialog.getByText("Verified price").waitFor();
  await dialog.getByText("POST /v1/chat/completions").waitFor();
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "hidden" });

  await callOf(own.model).click();
  await timeline.waitFor();
  await timeline.getByRole("list", { name: "Phases" }).getByText("Streaming").waitFor();
  expect(await linesOf(dialog)).toEqual([
    ["Input", "13", "$2.50", "$0.0000325"],
    ["Output", "12", "$10.00", "$0.00012"],
    ["Group ratio", "× 1"],
    ["Sum", "$0.0001525"],
    [expect.stringMatching(/^Charged ?77 quota units/), "$0.000154"],
  ]);
  const traceId = await dialog.locator("code").first().innerText();
  await dialog.getByText("Copy", { exact: true }).click();
  await dialog.getByText("Copied!", { exact: true }).waitFor();
  expect(await page.evaluate<string>("navigator.clipboard.readText()")).toBe(traceId);
  await dialog.getByRole("button", { name: "Close" }).click();
});

test("the dashboard shows the totals, and the token what it has left", async () => {
  await navigationLink(page, "Dashboard").click();
  await heading(page, "Dashboard").waitFor();
  const units = listedUnits + ownUnits;
  await eventually(async () => {
    await page.getByRole("button", { name: "Apply" }).click();
    expect(await figure("Requests")).toBe("2");
    expect(await figure("Quota Used")).toBe("$0.000164");
    expect(await figure("Tokens")).toBe(String(6 + 12 + 13 + 12));
    expect(await figure("Used Quota")).toBe("$0.000164");
  });
  expect(await figure("Avg Cost")).toBe("$0.000082");
  expect(await page.locator(`data[value="${issuedToRoot - units}"]`).count()).toBe(1);
  const detail = page.getByRole("region", { name: "Usage by day and model" });
  for (const { model } of [listed, own])
    expect(await detail.getByRole("row", { name: model }).count()).toBe(1);

  await navigationLink(page, "Tokens").click();
  const token = page.getByRole("row", { name: /Newcomer/ });
  await token.locator(`data[value="${tokenQuota - units}"]`).waitFor();
  await token.locator(`data[value="${units}"]`).waitFor();
});

test("signed out, a page asks for the sign-in and is shown after it", async () => {
  expect(pageErrors).toEqual([]);
  await page.getByRole("button", { name: "Account menu" }).click();
  await page.getByRole("menuitem", { name: "Logout" }).click();
  await expect.poll(() => pathOf(page)).toBe("/login");
  expect((await person.request.get("/api/user/self")).status()).toBe(401);

  await page.goto("/logs?type=2");
  await expect.poll(() => pathOf(page)).toBe("/login?redirect_to=%2Flogs%3Ftype%3D2");
  await signIn(page, "root", password);
  await heading(page, "Logs").waitFor();
  await expect.poll(() => pathOf(page)).toBe("/logs?type=2");
  await expect.poll(async () => (await readTable(page, "Logs")).length).toBe(2);
});

/** By its checkbox where the provider type offers it, else by typing its name. */
async function chooseModel(model: string): Promise<void> {
  await page.getByRole("searchbox", { name: "Models" }).fill(model);
  const offered = page.getByRole("checkbox", { name: model, exact: true });
  const typed = page.getByRole("button", { name: `${model} Add` });
  await offered.or(typed).waitFor();
  if (await offered.isVisible()) await offered.check();
  else await typed.click();
  await page.getByRole("button", { name: `Remove ${model}` }).waitFor();
}

/** The row of the log of a call that the token paid for: testing the channel left one as well. */
const callOf = (model: string): Locator =>
  page.getByRole("row").filter({ hasText: model }).filter({ hasText: "Newcomer" });

async function linesOf(dialog: Locator): Promise<string[][]> {
  const rows = await dialog
    .getByRole("region", { name: "Price" })
    .locator("tbody")
    .getByRole("row")
    .all();
  return Promise.all(
    rows.map(async (row) =>
      (await row.locator("th, td").allInnerTexts()).map((text) => text.replace(/\s+/g, " ").trim()),
    ),
  );
}

/** `figure` gives what stands under a name in a card or tile. */
const figure = (name: string): Promise<string> =>
  page
    .locator("dl")
    .filter({ has: page.locator("dt").getByText(name, { exact: true }) })
    .locator("dd")
    .first()
    .innerText();
