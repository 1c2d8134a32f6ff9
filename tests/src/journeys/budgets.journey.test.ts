// Budgets in the console: the spending limit of a key from its form to the bar after a call.
import type { BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { defaultHold, model, type TestGateway, userPassword } from "../harness/test-gateway.ts";
import { startBrowserGateway } from "./browser-gateway.ts";
import {
  chooseVerb,
  closeUseKey,
  collectPageErrors,
  heading,
  openPage,
  signIn,
} from "./console-pages.ts";
import { inspectScreen } from "./inspect-page.ts";

const password = "correct horse battery";
const unitsPerDollar = 500_000;
const holdInDollars = String(defaultHold / unitsPerDollar);

let gateway: TestGateway;
let context: BrowserContext;
let page: Page;
let pageErrors: string[];
let token: { id: number; key: string };

beforeAll(async () => {
  gateway = await startBrowserGateway({
    env: { INITIAL_ROOT_PASSWORD: password, API_RATE_LIMIT: "0" },
  });
  await gateway.given.channel({ key: "sim-ok" });
  token = await gateway.given.token({ name: "worker" });
  context = await gateway.newContext();
  page = await openPage(context);
  pageErrors = collectPageErrors(page);
  await page.goto(`/login?redirect_to=${encodeURIComponent(`/tokens/edit/${token.id}`)}`);
  await signIn(page, "root", password);
  await section().waitFor();
});
afterAll(() => gateway.close());

const section = () => page.getByRole("region", { name: "Spending limit", exact: true });
const bar = () => page.getByRole("progressbar", { name: "Used of Spending limit of the key" });
const button = (name: string) => page.getByRole("button", { name, exact: true });
const openForm = async () => {
  await page.goto(`/tokens/edit/${token.id}`);
  await section().waitFor();
};

test("the owner of a key limits what it spends in a day, and a bar shows what a call spent", async () => {
  await gateway.api("PUT", "/api/option/", { key: "BudgetTimeZone", value: "Pacific/Chatham" });
  await section().getByLabel("Window").selectOption("Daily");
  await button("Update Token").click();
  await section().getByText("Enter an amount above $0").waitFor();
  await section().getByLabel("Amount").fill("2");
  await button("Update Token").click();
  await page.getByText("Token updated successfully").waitFor();
  const limits = `/api/budget/self?token_id=${token.id}`;
  expect(await gateway.api("GET", limits)).toMatchObject([
    { window: "day", zone: "Pacific/Chatham" },
  ]);
  expect((await gateway.chat(token.key, { max_tokens: 12 })).status).toBe(200);
  await gateway.settled();

  await openForm();
  expect(await section().getByLabel("Amount").inputValue()).toBe("2");
  expect(Number(await bar().getAttribute("value"))).toBeGreaterThan(0);
  await section().getByText("of $2.00 used").waitFor();
  await inspectScreen(page, "token-spending-limit");
  await section().getByLabel("Amount").fill("0.000002");
  await button("Update Token").click();
  await page.getByText("Token updated successfully").waitFor();
  expect((await gateway.chat(token.key, { max_tokens: 12 })).status).toBe(403);

  await page.goto("/topup");
  await page.getByRole("region", { name: "Budgets", exact: true }).getByText("worker").waitFor();
  await bar().waitFor();
  await inspectScreen(page, "top-up-budgets");

  await openForm();
  await section().getByLabel("Window").selectOption("No limit of your own");
  await button("Update Token").click();
  await page.getByText("Token updated successfully").waitFor();
  expect((await gateway.chat(token.key, { max_tokens: 12 })).status).toBe(200);
  expect(pageErrors).toEqual([]);
});

test("an administrator makes a budget of a model, which refuses calls until it is raised, and deletes it", async () => {
  await page.goto("/users");
  await page.getByRole("link", { name: "Budgets", exact: true }).click();
  await heading(page, "Budgets").waitFor();
  await page.getByText("No budgets yet.").waitFor();
  await inspectScreen(page, "budgets-empty");
  await button("New budget").click();
  const dialog = page.getByRole("dialog", { name: "New budget" });
  await dialog.getByLabel("Name", { exact: true }).fill("Little for the model");
  await dialog.getByLabel("Budget of").selectOption("User");
  await dialog.getByLabel("Username").fill("stranger");
  await dialog.getByLabel("Amount").fill("0.000002");
  await inspectScreen(page, "budget-form");
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.getByText("No user has this name").first().waitFor();
  await dialog.getByLabel("Budget of").selectOption("Model");
  await dialog.getByLabel("Model", { exact: true }).fill(model);
  await dialog.getByLabel("Window").selectOption("Weekly");
  await dialog.getByLabel("Begins on").selectOption("Wednesday");
  expect(await dialog.getByLabel("Time zone").locator("option:checked").innerText()).toBe(
    "Time zone of the site",
  );
  await dialog.getByLabel("Time zone").selectOption("Asia/Tokyo");
  await dialog.getByLabel("Alerts at (per cent)").fill("50, 100");
  await dialog.getByRole("button", { name: "Save" }).click();
  await page.getByRole("progressbar", { name: "Used of Little for the model" }).waitFor();
  expect((await gateway.chat(token.key, { max_tokens: 12 })).status).toBe(403);
  expect(await gateway.api("GET", "/api/budget/?subject=model")).toMatchObject([
    { window: "week", first_day: 3, zone: "Asia/Tokyo", thresholds: [50, 100] },
  ]);

  await button("Edit Little for the model").click();
  const edit = page.getByRole("dialog", { name: "Edit budget" });
  await edit.getByLabel("Amount").fill("5");
  await edit.getByRole("button", { name: "Save" }).click();
  await page.getByText("of $5.00 used").waitFor();
  expect((await gateway.chat(token.key, { max_tokens: 12 })).status).toBe(200);
  await chooseVerb(page, "Little for the model", "Disable");
  await page.getByText("Little for the model is disabled").waitFor();
  await page.getByText("Disabled", { exact: true }).waitFor();
  await inspectScreen(page, "budgets");

  await chooseVerb(page, "Little for the model", "Delete");
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await page.getByText("No budgets yet.").waitFor();
  expect(pageErrors).toEqual([]);
});

test("bars of a budget stand where its subject is shown: dashboard, models, report, user and key", {
  tags: ["large"],
}, async () => {
  const { id: userId } = await gateway.given.user("mira");
  await gateway.api("PUT", "/api/option/", { key: "TagKeys", value: "team" });
  const usual = { window: "month", amount: 2_500_000, hard: true };
  const subjects = [
    { subject: "site" },
    { subject: "model", model },
    { subject: "tag", tag: "team=search" },
    { subject: "user", subject_id: userId },
    { subject: "token", subject_id: token.id },
  ];
  const made: { id: number }[] = [];
  for (const subject of subjects)
    made.push(
      await gateway.api("POST", "/api/budget/", {
        ...usual,
        ...subject,
        name: `Of the ${subject.subject}`,
      }),
    );
  const places = [
    ["/dashboard", "site", "dashboard-budget"],
    [`/dashboard?user_id=${userId}`, "user", ""],
    ["/models", "model", "models-budget"],
    ["/report?by=model", "model", ""],
    ["/report?by=tag%3Ateam", "tag", "report-budget"],
    [`/users/edit/${userId}`, "user", "user-budget"],
    [`/tokens/edit/${token.id}`, "token", "token-budget"],
  ] as const;
  for (const [path, subject, screen] of places) {
    await page.goto(path);
    // A key shows what binds it beside its own spending limit.
    const place =
      subject === "token" ? page.getByRole("main") : page.getByRole("region", { name: "Budgets" });
    const bars = place.getByRole("progressbar");
    await bars.first().waitFor();
    expect(
      await bars.evaluateAll((all) => all.map((one) => one.getAttribute("aria-label"))),
    ).toEqual([`Used of Of the ${subject}`]);
    if (screen !== "") await inspectScreen(page, screen);
  }
  for (const { id } of made) await gateway.api("DELETE", `/api/budget/${id}`);
  expect(pageErrors).toEqual([]);
});

test("a budget whose deletion got no reply is read again, and gone", {
  tags: ["large"],
}, async () => {
  const budget = { subject: "model", window: "day", amount: 1_000, name: "Unheard", model };
  await gateway.api("POST", "/api/budget/", budget);
  await page.goto("/budgets");
  await page.route("**/api/budget/*", async (route) => {
    if (route.request().method() !== "DELETE") return route.continue();
    await route.fetch();
    await route.abort();
  });
  await chooseVerb(page, "Unheard", "Delete");
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await page.getByText("No budgets yet.").waitFor();
  await page.unroute("**/api/budget/*");
  expect(pageErrors.splice(0)).toEqual([expect.stringContaining("net::ERR_FAILED")]);
});

test("the last budget of a page leaves the page before it", { tags: ["large"] }, async () => {
  const budget = { subject: "model", window: "day", amount: 1_000 };
  const names = Array.from({ length: 21 }, (_, place) => `Budget ${place + 1}`);
  for (const name of names)
    await gateway.api("POST", "/api/budget/", { ...budget, name, model: name });
  await page.goto("/budgets");
  await button("Next").click();
  const edits = page.getByRole("button", { name: /^Edit / });
  await expect.poll(() => edits.count()).toBe(1);
  const last = ((await edits.getAttribute("aria-label")) ?? "").replace("Edit ", "");
  await chooseVerb(page, last, "Delete");
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await expect.poll(() => edits.count()).toBe(20);
  for (const { uuid } of await gateway.api<{ uuid: string }[]>("GET", "/api/budget/?size=100"))
    await gateway.api("DELETE", `/api/budget/${uuid}`);
  expect(pageErrors).toEqual([]);
});

test("an administrator makes a budget that pauses keys; its user reads what paused them, and resumes one for good", async () => {
  await page.goto("/budgets");
  await button("New budget").click();
  const dialog = page.getByRole("dialog", { name: "New budget" });
  await dialog.getByLabel("Name", { exact: true }).fill("Nightly stop");
  const reaction = dialog.getByLabel("When it is used up");
  expect(await reaction.locator("option").allTextContents()).toEqual([
    "Refuse calls",
    "Send calls to another model",
  ]);
  await dialog.getByLabel("Budget of").selectOption("User");
  await dialog.getByLabel("Username").fill("root");
  await dialog.getByLabel("Amount").fill(holdInDollars);
  await reaction.selectOption("Refuse calls and pause the keys");
  await inspectScreen(page, "budget-form-pausing");
  await dialog.getByRole("button", { name: "Save" }).click();
  await page.getByText("Pauses keys").waitFor();
  await inspectScreen(page, "budgets-pausing");

  const code = async () => (await gateway.chat(token.key, { max_tokens: 12 })).body.error?.code;
  expect(await code()).toBeUndefined();
  await gateway.settled();
  expect(await code()).toBe("budget_exceeded");
  await expect.poll(code).toBe("key_paused");
  await page.goto("/tokens");
  const row = page.getByRole("row").filter({ hasText: "worker" });
  await row.getByText("by the budget Nightly stop").waitFor();
  await inspectScreen(page, "tokens-paused-by-budget");
  await page.getByRole("button", { name: "More actions for worker" }).click();
  await page.getByRole("menuitem", { name: "Resume" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Resume" }).click();
  await row.getByText("Enabled").waitFor();
  await expect.poll(code).toBe("budget_exceeded");
  expect(await code()).toBe("budget_exceeded");

  await page.goto("/budgets");
  await button("Edit Nightly stop").click();
  const edit = page.getByRole("dialog", { name: "Edit budget" });
  expect(await edit.getByLabel("When it is used up").inputValue()).toBe("pause");
  await edit.getByRole("button", { name: "Save" }).click();
  await edit.waitFor({ state: "detached" });
  await chooseVerb(page, "Nightly stop", "Delete");
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await page.getByText("No budgets yet.").waitFor();
  expect(await code()).toBeUndefined();
  expect(pageErrors).toEqual([]);
});

/** The user whose budget is used up asks for as much again. */
async function askForMore(page: Page): Promise<void> {
  await page.goto("/login?redirect_to=%2Ftopup");
  await signIn(page, "asha", userPassword);
  await page.getByRole("button", { name: "Ask for more of Month of asha" }).click();
  const ask = page.getByRole("dialog", { name: "Ask for more of Month of asha" });
  const send = ask.getByRole("button", { name: "Ask", exact: true });
  await send.click();
  await ask.getByText("Enter an amount above $0").waitFor();
  await ask.getByLabel("Amount").fill(holdInDollars);
  await ask.getByLabel("Reason").fill("The demo is on Friday");
  await inspectScreen(page, "budget-ask");
  await send.click();
  await page.getByText(/You asked for \$\S+ more\./).waitFor();
  await inspectScreen(page, "topup-asked");
}

test("a user asks for more of a budget, an administrator grants it, and calls go on", async () => {
  const asha = await gateway.given.user("asha", { quota: 100 * defaultHold });
  const { key } = await asha.token();
  const code = async () => {
    const { body } = await gateway.chat(key, { max_tokens: 12 });
    await gateway.settled();
    return body.error?.code;
  };
  await page.goto("/budgets");
  await button("New budget").click();
  const dialog = page.getByRole("dialog", { name: "New budget" });
  await dialog.getByLabel("Name", { exact: true }).fill("Month of asha");
  await dialog.getByLabel("Budget of").selectOption("User");
  await dialog.getByLabel("Username").fill("asha");
  await dialog.getByLabel("Amount").fill(holdInDollars);
  await dialog
    .getByLabel("When it is used up")
    .selectOption("Refuse calls, and let people ask for more");
  await dialog.getByRole("button", { name: "Save" }).click();
  await page.getByText("People can ask for more").waitFor();
  expect([await code(), await code()]).toEqual([undefined, "budget_exceeded"]);

  const hers = await openPage(await gateway.newContext());
  const herErrors = collectPageErrors(hers);
  await askForMore(hers);

  await page.reload();
  await page.getByText("The demo is on Friday").waitFor();
  await inspectScreen(page, "budgets-asked");
  await button("Grant asha more of Month of asha").click();
  const grant = page.getByRole("dialog", { name: "Grant asha more of Month of asha" });
  expect(await grant.getByLabel("Amount").inputValue()).toBe(holdInDollars);
  await inspectScreen(page, "budget-decision");
  await grant.getByRole("button", { name: "Grant", exact: true }).click();
  await page.getByText("asha may spend more").waitFor();
  await page.getByText(/of it granted for this window/).waitFor();
  await expect.poll(() => page.getByText("The demo is on Friday").count()).toBe(0);
  expect(await code()).toBeUndefined();
  await hers.reload();
  await hers.getByText(/\$\S+ more was granted\./).waitFor();

  // As much again is another grant, and all of it can be taken back.
  const more = page.getByRole("dialog", { name: "More of Month of asha" });
  for (const granted of [2, 3].map((times) => times * defaultHold)) {
    await chooseVerb(page, "Month of asha", "Grant more for this window");
    await more.getByLabel("Amount").fill(holdInDollars);
    await more.getByRole("button", { name: "Save" }).click();
    await more.waitFor({ state: "detached" });
    expect(await gateway.api("GET", "/api/budget/")).toMatchObject([{ granted }]);
  }
  await chooseVerb(page, "Month of asha", "Grant more for this window");
  await more.getByLabel("What to do").selectOption("Take back");
  await more.getByLabel("Amount").fill(String((3 * defaultHold) / unitsPerDollar));
  await inspectScreen(page, "budget-grant");
  await more.getByRole("button", { name: "Save" }).click();
  await more.waitFor({ state: "detached" });
  await expect.poll(() => page.getByText(/of it granted for this window/).count()).toBe(0);
  expect(await code()).toBe("budget_exceeded");

  await button("Edit Month of asha").click();
  const edit = page.getByRole("dialog", { name: "Edit budget" });
  await edit.getByLabel("When it is used up").selectOption("Send calls to another model");
  await edit.getByRole("button", { name: "Save" }).click();
  await edit.getByText("Enter the name of a model").waitFor();
  await gateway.given.channel({ key: "sim-ok", models: "small-model" });
  await edit.getByLabel("Model instead").fill("small-model");
  await inspectScreen(page, "budget-model-instead");
  await edit.getByRole("button", { name: "Save" }).click();
  await page.getByText("Then small-model").waitFor();
  const moved = await gateway.chat(key, { max_tokens: 12 });
  expect(moved.headers.get("x-tollgate-model")).toBe("small-model");
  await gateway.settled();
  await chooseVerb(page, "Month of asha", "Delete");
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await page.getByText("No budgets yet.").waitFor();
  expect([...pageErrors, ...herErrors]).toEqual([]);
});

test("a template limits each new key; its change reaches the budgets that follow it, and none that was changed by itself", {
  tags: ["large"],
}, async () => {
  await page.goto("/budgets");
  const templates = page.getByRole("region", { name: "Templates", exact: true });
  const inTemplates = (name: string) => templates.getByRole("button", { name, exact: true });
  await templates.getByText("No templates yet.").waitFor();
  await inTemplates("New template").click();
  const dialog = page.getByRole("dialog", { name: "New budget template" });
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.getByText("Name is required").waitFor();
  await dialog.getByLabel("Name", { exact: true }).fill("Little for each key");
  await dialog.getByLabel("Budget of").selectOption("Each new key");
  await dialog.getByLabel("Group").selectOption("Every group");
  await dialog.getByLabel("Amount").fill("0.000002");
  await inspectScreen(page, "budget-template-form");
  await dialog.getByRole("button", { name: "Save" }).click();
  await templates.getByText("0 budgets follow it").waitFor();
  const young = await gateway.given.token({ name: "young" });
  const status = async () => (await gateway.chat(young.key, { max_tokens: 12 })).status;
  expect(await status()).toBe(403);
  expect((await gateway.chat(token.key, { max_tokens: 12 })).status).toBe(200);

  await page.reload();
  await templates.getByText("1 budget follows it").waitFor();
  await page.getByText("By a template").waitFor();
  const made = () => gateway.api("GET", "/api/budget/");
  expect(await made()).toMatchObject([
    { name: "Little for each key", subject: "token", subject_name: "young" },
  ]);
  await inspectScreen(page, "budget-templates");
  await inTemplates("Edit Little for each key").click();
  const change = page.getByRole("dialog", { name: "Edit budget template" });
  await change.getByText("1 budget follows it and changes with it.").waitFor();
  await change.getByLabel("Amount").fill("5");
  await inspectScreen(page, "budget-template-edit");
  await change.getByRole("button", { name: "Save" }).click();
  await page.getByText("of $5.00 used").waitFor();
  expect(await status()).toBe(200);

  await button("Edit Little for each key").first().click();
  const edit = page.getByRole("dialog", { name: "Edit budget", exact: true });
  await edit.getByText("This budget follows a template").waitFor();
  await edit.getByLabel("Amount").fill("0.000004");
  await inspectScreen(page, "budget-of-template-edit");
  await edit.getByRole("button", { name: "Save" }).click();
  await page.getByText("By a template").waitFor({ state: "detached" });
  await templates.getByText("0 budgets follow it").waitFor();
  expect(await status()).toBe(403);

  await chooseVerb(templates, "Little for each key", "Delete");
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await templates.getByText("No templates yet.").waitFor();
  await chooseVerb(page, "Little for each key", "Delete");
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await page.getByText("No budgets yet.").waitFor();
  expect(pageErrors).toEqual([]);
});

test("a template limits each new user of a group, and no user who was there before or is in another group", {
  tags: ["large"],
}, async () => {
  await gateway.given.user("oldtimer");
  await page.goto("/budgets");
  const templates = page.getByRole("region", { name: "Templates", exact: true });
  await templates.getByRole("button", { name: "New template", exact: true }).click();
  const dialog = page.getByRole("dialog", { name: "New budget template" });
  await dialog.getByLabel("Name", { exact: true }).fill("For each member");
  await dialog.getByLabel("Budget of").selectOption("Each new user");
  await dialog.getByLabel("Group").selectOption("default");
  await dialog.getByLabel("Amount").fill("0.000014");
  await dialog.getByRole("button", { name: "Save" }).click();
  await templates.getByText("0 budgets follow it").waitFor();
  for (const username of ["newcomer", "latecomer"]) await gateway.given.user(username);
  await gateway.given.user("elsewhere", { group: "vip" });

  await page.reload();
  await templates.getByText("2 budgets follow it").waitFor();
  expect(await page.getByText("By a template").count()).toBe(2);
  const rows: { subject: string; subject_name: string; amount: number }[] = await gateway.api(
    "GET",
    "/api/budget/",
  );
  expect(
    rows.map(({ subject, subject_name, amount }) => [subject, subject_name, amount]).sort(),
  ).toEqual([
    ["user", "latecomer", 7],
    ["user", "newcomer", 7],
  ]);
  await inspectScreen(page, "budget-templates-of-users");
  expect(pageErrors).toEqual([]);
});

test("a key whose spending limit could not be saved is there, and the list says so", {
  tags: ["large"],
}, async () => {
  await page.route("**/api/token/*/spending_limit", (route) =>
    route.fulfill({ status: 500, json: { success: false, message: "it broke" } }),
  );
  await page.goto("/tokens/add");
  await page.getByLabel("Token Name").fill("second");
  await section().getByLabel("Window").selectOption("Monthly");
  await section().getByLabel("Amount").fill("1");
  await button("Create Token").click();
  await closeUseKey(page);
  await heading(page, "Tokens").waitFor();
  await page.getByText("The key was saved, but its spending limit was not: it broke").waitFor();
  await page.getByRole("row").filter({ hasText: "second" }).waitFor();
  await page.unrouteAll({ behavior: "ignoreErrors" });
});
