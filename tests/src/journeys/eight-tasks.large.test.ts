// Eight tasks of an operator's first week, played by visible labels alone from the sign-in page on,
// with a recorder of the ways that led nowhere: `npm run trust -- tasks`. TASKS_TO names the file
// that takes the record.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { certifiedClient, startCertifiedOidcProvider } from "../harness/certified-oidc-provider.ts";
import { freePort } from "../harness/free-port.ts";
import { startNoticeReceiver } from "../harness/notice-receiver.ts";
import type { TestGateway } from "../harness/test-gateway.ts";
import { awkwardRows, createFamilyDatabase } from "../support/family-database.ts";
import { startBrowserGateway } from "./browser-gateway.ts";
import { heading, openPage, signIn } from "./console-pages.ts";
import { saveScreenshot } from "./inspect-page.ts";
import { strayMax, type TaskWalk, taskClicksMax } from "./tasks-page.ts";
import { countStray, recordWalk, sumWalks } from "./walk-recorder.ts";

const password = "correct horse battery";

let gateway: TestGateway;
let receiver: Awaited<ReturnType<typeof startNoticeReceiver>>;
let provider: Awaited<ReturnType<typeof startCertifiedOidcProvider>>;
let folder: string;
let page: Page;
let walk: Awaited<ReturnType<typeof recordWalk>>;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "tollgate-tasks-"));
  createFamilyDatabase(join(folder, "one-api.db"), "one-api", awkwardRows("one-api"));
  receiver = await startNoticeReceiver();
  provider = await startCertifiedOidcProvider();
  const port = String(await freePort());
  gateway = await startBrowserGateway({
    store: "sqlite",
    env: {
      PORT: port,
      PUBLIC_URL: `http://127.0.0.1:${port}`,
      INITIAL_ROOT_PASSWORD: password,
      NOTICE_PRIVATE_HOSTS: receiver.host,
      IDENTITY_PRIVATE_HOSTS: new URL(provider.url).host,
    },
  });
  page = await openPage(await gateway.newContext({ permissions: ["clipboard-read"] }));
  walk = await recordWalk(page);
});
afterAll(async () => {
  await gateway.close();
  await provider.close();
  await receiver.close();
  rmSync(folder, { recursive: true });
});

const press = (name: string, within: Pick<Page, "getByRole"> = page) =>
  within.getByRole("button", { name, exact: true }).click();
const write = (label: string, text: string, within: Pick<Page, "getByLabel"> = page) =>
  within.getByLabel(label, { exact: true }).fill(text);
const menu = (name: string) =>
  page.getByRole("navigation", { name: "Main" }).getByRole("link", { name, exact: true }).click();

/** Types words into the palette, and takes what it offers first. */
async function goTo(words: string, title: string): Promise<void> {
  await press("Open command palette");
  await page.getByPlaceholder("Type a page, an action, a name or an id...").fill(words);
  await page.getByRole("option").first().waitFor();
  await page.keyboard.press("Enter");
  await heading(page, title).waitFor();
}

const tasks: readonly (readonly [string, () => Promise<unknown>])[] = [
  ["three channels, from the sign-in page", connectThreeChannels],
  ["a user with a key", makeUserWithKey],
  ["a key with limits", makeKeyWithLimits],
  ["a budget of the whole site", makeBudget],
  ["an alert to a webhook", makeWebhook],
  ["sign-in with OpenID Connect", addOpenId],
  ["an import from another gateway", importSite],
  ["why a call failed", findWhyCallFailed],
];

test("eight tasks take few clicks, and hardly a way leads nowhere", {
  timeout: 240_000,
}, async () => {
  await page.goto("/login");
  const record: TaskWalk[] = [];
  for (const [task, play] of tasks) {
    try {
      await play();
    } finally {
      await saveScreenshot(page, `task-${record.length + 1}`, "light");
    }
    record.push({ task, ...walk.endTask() });
  }
  const { TASKS_TO: file } = process.env;
  if (file) writeFileSync(file, JSON.stringify(record));
  const sum = sumWalks(record);
  const said = JSON.stringify(record, null, 1);
  expect(countStray(sum), said).toBeLessThanOrEqual(strayMax);
  expect(sum.clicks, said).toBeLessThanOrEqual(taskClicksMax);
});

async function connectThreeChannels() {
  await signIn(page, "root", password);
  await heading(page, "Dashboard").waitFor();
  await page
    .getByRole("region", { name: "First steps" })
    .getByRole("link", { name: "Connect" })
    .click();
  for (const [name, key] of [
    ["First", "sim-ok"],
    ["Second", "sim-ok+as-2"],
    ["Broken", "sim-ok+as-3"],
  ] as const) {
    await write("API Key", key);
    await write("Base URL", gateway.simulator.url);
    await press("Connect");
    await page.getByText(/answered in \d/).waitFor();
    await write("Channel name", name);
    await press("Add channel");
    await page.getByText(`The channel ${name} is added`).waitFor();
    if (name !== "Broken") await press("Connect another provider");
  }
}

async function makeUserWithKey() {
  await menu("Users");
  await page.getByRole("link", { name: "Add User", exact: true }).click();
  await write("Username", "ada");
  await write("Password", password);
  await page.getByLabel("In US dollars", { exact: true }).fill("5");
  await press("Create User");
  await press("Copy as a message");
  // The user signs in with what was handed over, and makes the key.
  await page.getByRole("button", { name: /Account menu/ }).click();
  await page.getByRole("menuitem", { name: "Logout" }).click();
  await signIn(page, "ada", password);
  await menu("Tokens");
  await page.getByRole("link", { name: "Add Token" }).first().click();
  await write("Token Name", "Laptop");
  await press("Create Token");
  const dialog = page.getByRole("dialog", { name: "Use this key" });
  await dialog.getByText("Waiting for a call with this key").waitFor();
  await press("Close", dialog);
  await page.getByRole("button", { name: /Account menu/ }).click();
  await page.getByRole("menuitem", { name: "Logout" }).click();
  await signIn(page, "root", password);
  await heading(page, "Dashboard").waitFor();
}

async function makeKeyWithLimits() {
  await menu("Tokens");
  await page.getByRole("link", { name: "Add Token" }).first().click();
  await write("Token Name", "Batch");
  await page.getByLabel("Requests per minute").fill("60");
  const spending = page.getByRole("region", { name: "Spending limit" });
  await spending.getByLabel("Window").selectOption("Daily");
  await spending.getByLabel("Amount").fill("2");
  await press("Create Token");
  await press("Close", page.getByRole("dialog", { name: "Use this key" }));
}

async function makeBudget() {
  await goTo("budget", "Budgets");
  await press("New budget");
  const dialog = page.getByRole("dialog", { name: "New budget" });
  await write("Name", "All of us", dialog);
  await dialog.getByLabel("Amount").fill("50");
  await press("Save", dialog);
  await page.getByRole("progressbar", { name: "Used of All of us" }).waitFor();
}

async function makeWebhook() {
  await goTo("webhook", "Alerts");
  await press("New destination");
  const dialog = page.getByRole("dialog", { name: "New destination" });
  await dialog.getByLabel("Kind").selectOption("Webhook");
  await write("Name", "On call", dialog);
  await dialog.getByLabel("Address").fill(`${receiver.url}/hook`);
  await press("Save", dialog);
  await page.getByText(/^whsec_/).waitFor();
  await press("Test On call");
  await page.getByText("The example was delivered.").waitFor();
}

async function addOpenId() {
  await goTo("openid", "Settings");
  await page.getByRole("link", { name: "Add provider" }).click();
  await write("Name", "Company");
  await write("Short name", "company");
  await write("Issuer", provider.url);
  await write("Client ID", certifiedClient.clientId);
  await write("Client secret", certifiedClient.clientSecret);
  await press("Save");
  await page.getByText("Saved. Applies from the next sign-in.").waitFor();
  await press("More actions for Company");
  await page.getByRole("menuitem", { name: "Enable", exact: true }).click();
}

async function importSite() {
  await goTo("import", "Settings");
  await page.getByLabel("SQLite database").setInputFiles(join(folder, "one-api.db"));
  await press("Show the plan");
  await page.getByText("Nothing written yet.").waitFor();
  await press("Import");
  await page.getByRole("button", { name: "New import" }).waitFor();
}

async function findWhyCallFailed() {
  // Meanwhile, a provider fails, and a program calls the model of its channel.
  await gateway.given.channel({ name: "Wreck", key: "sim-fail-503", models: "sunk" });
  const { key } = await gateway.given.token();
  expect((await gateway.chat(key, { model: "sunk" })).status).toBeGreaterThanOrEqual(500);
  await gateway.settled();
  await menu("Logs");
  await page.getByRole("link", { name: "Problems" }).click();
  await page
    .getByRole("button", { name: /^Newest trace of/ })
    .first()
    .click();
  await page
    .getByRole("dialog", { name: "Request Trace" })
    .getByRole("region", { name: "Timeline" })
    .waitFor();
}
