import { getSelf } from "@tollgate/contract/accounts/sessions.ts";
import { listTokens } from "@tollgate/contract/accounts/tokens.ts";
import { createUser, searchUsers } from "@tollgate/contract/accounts/user-admin.ts";
import { createChannel, listChannels } from "@tollgate/contract/catalogue/channels.ts";
import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { ApiSession } from "../harness/api-session.ts";
import type { TestGateway } from "../harness/test-gateway.ts";
import { startBrowserGateway } from "./browser-gateway.ts";
import { collectPageErrors, heading, openPage, openSignedIn } from "./console-pages.ts";
import { inspectScreen } from "./inspect-page.ts";

let gateway: TestGateway;
let root: ApiSession;
let page: Page;
let pageErrors: string[];
let clicks = 0;
const password = "correct horse battery";

const press = async (control: Locator) => {
  await control.click();
  clicks += 1;
};
const button = (name: string) => page.getByRole("button", { name, exact: true });
const verb = async (name: string) => {
  await press(button("More"));
  await press(page.getByRole("menuitem", { name, exact: true }));
  return page.getByRole("dialog", { name, exact: true });
};
const row = (name: string) => page.getByRole("row").filter({ hasText: name });
const channels = async () =>
  (await root.call(listChannels, { query: { sort: "name", order: "asc" } })).data;

beforeAll(async () => {
  gateway = await startBrowserGateway({
    store: "sqlite",
    env: { INITIAL_ROOT_PASSWORD: password },
  });
  root = await gateway.signIn("root", password);
  const base_url = gateway.simulator.url;
  for (const name of ["Alpha", "Beta", "Gamma", "Delta"])
    await root.call(createChannel, {
      body: {
        name,
        type: 50,
        key: `sim-ok+as-${name}-1111`,
        base_url,
        models: name === "Delta" ? "m1" : "m1,m2",
      },
    });
  await root.call(createChannel, {
    body: {
      name: "Elsewhere",
      type: 50,
      key: "sim-elsewhere-2222",
      base_url: "https://elsewhere.example",
      models: "m2",
    },
  });
  await root.call(createUser, { body: { username: "mira", password } });
  page = await openPage(await gateway.newContext());
  pageErrors = collectPageErrors(page);
  await openSignedIn(page, gateway.url, {
    username: "root",
    password,
    path: "/channels?sort=name&order=asc",
  });
  await row("Elsewhere").waitFor();
});
afterAll(() => gateway.close());

test("a provider key is replaced in all channels that share its provider, in six clicks", async () => {
  clicks = 0;
  await press(page.getByRole("checkbox", { name: "Select all rows of this page" }));
  await page.getByText("5 selected").waitFor();
  const dialog = await verb("Replace key");
  await dialog.getByLabel("New key").fill("sim-ok+as-the-new-account-9999");
  await press(dialog.getByRole("button", { name: "Preview" }));
  await dialog.getByText("4 rows change").waitFor();
  await dialog.getByText("…1111 → …9999").first().waitFor();
  await dialog.getByText("1 is skipped").waitFor();
  await dialog.getByText("another address than the first one that was chosen").waitFor();
  await inspectScreen(page, "bulk-preview");
  expect((await channels()).map(({ key_hint }) => key_hint)).not.toContain("9999");
  await press(dialog.getByRole("button", { name: "Replace key (4)" }));
  await dialog.waitFor({ state: "hidden" });
  await page.getByText("4 changed, 1 skipped").first().waitFor();
  expect((await channels()).map(({ key_hint }) => key_hint)).toEqual([
    "9999",
    "9999",
    "9999",
    "2222",
    "9999",
  ]);
  expect(clicks).toBeLessThanOrEqual(6);
  // Nothing stays chosen, so that the next act is not for rows that left the screen.
  expect(await page.getByText("5 selected").count()).toBe(0);
});

test("a model is withdrawn everywhere in six clicks; a channel that offers no other is named", {
  tags: ["large"],
}, async () => {
  clicks = 0;
  await press(page.getByRole("checkbox", { name: "Select all rows of this page" }));
  const dialog = await verb("Remove models");
  await dialog.getByLabel("Models").fill("m1");
  await press(dialog.getByRole("button", { name: "Preview" }));
  await dialog.getByText("3 rows change").waitFor();
  await dialog.getByText("The channel would be left without a model").waitFor();
  await press(dialog.getByRole("button", { name: "Remove models (3)" }));
  await dialog.waitFor({ state: "hidden" });
  expect((await channels()).map(({ models }) => models)).toEqual(["m2", "m2", "m1", "m2", "m2"]);
  expect(clicks).toBeLessThanOrEqual(6);
  // The channels that had the model have it again.
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByText("Change undone").first().waitFor();
  expect((await channels()).filter(({ models }) => models.split(",").includes("m1"))).toHaveLength(
    4,
  );
});

test("a price typed in dollars applies to each channel that offers the model", async () => {
  clicks = 0;
  await press(page.getByRole("checkbox", { name: "Select all rows of this page" }));
  const dialog = await verb("Set a price");
  await dialog.getByLabel("Model", { exact: true }).fill("m2");
  await dialog.getByLabel("Input, US dollars per million tokens", { exact: true }).fill("2.5");
  await dialog.getByLabel("Output, US dollars per million tokens").fill("10");
  await press(dialog.getByRole("button", { name: "Preview" }));
  await dialog.getByText("$2.50 / $10.00").first().waitFor();
  await press(dialog.getByRole("button", { name: "Set a price (4)" }));
  // The message would be that of the first act, which may still be on the screen.
  await dialog.waitFor({ state: "hidden" });
  const prices = (await channels()).map(
    ({ model_configs }) => JSON.parse(model_configs || "{}").m2,
  );
  expect(prices.filter(Boolean)).toEqual(
    Array.from({ length: 4 }, () => ({ ratio: 1.25, completion_ratio: 4 })),
  );
  expect(clicks).toBeLessThanOrEqual(6);
});

test("channels get a tag, and all of a tag get a weight", { tags: ["large"] }, async () => {
  await page.getByRole("checkbox", { name: "Select Alpha" }).check();
  await page.getByRole("checkbox", { name: "Select Beta" }).check();
  const tagging = await verb("Set tag");
  await tagging.getByLabel("Tag").fill("europe");
  await tagging.getByRole("button", { name: "Preview" }).click();
  await tagging.getByText("2 rows change").waitFor();
  await tagging.getByRole("button", { name: "Set tag (2)" }).click();
  await tagging.waitFor({ state: "hidden" });
  await page.getByLabel("Tag", { exact: true }).selectOption({ label: "europe (2)" });
  await row("Elsewhere").waitFor({ state: "detached" });
  await button("Select all 2").click();
  await page.getByText("2 selected").waitFor();
  await inspectScreen(page, "channels-of-a-tag");
  const weighing = await verb("Set weight");
  await weighing.getByLabel("Weight").fill("7");
  await weighing.getByRole("button", { name: "Preview" }).click();
  await weighing.getByRole("button", { name: "Set weight (2)" }).click();
  await weighing.waitFor({ state: "hidden" });
  expect((await channels()).map(({ tag, weight }) => `${tag} ${weight}`)).toEqual([
    "europe 7",
    "europe 7",
    " 0",
    " 0",
    " 0",
  ]);
});

test("models that a provider added and dropped are taken over where they are chosen", {
  tags: ["large"],
}, async () => {
  await gateway.simulator.script("sim-listed-3333", { models: ["m2", "fresh", "other"] });
  const listed = {
    name: "Listed",
    type: 50,
    key: "sim-listed-3333",
    base_url: gateway.simulator.url,
    models: "m1,m2",
  };
  await root.call(createChannel, { body: listed });
  await root.call(createChannel, { body: { ...listed, name: "Refused", key: "sim-fail-401" } });
  await page.goto("/channels?sort=name&order=asc");
  await page.getByRole("checkbox", { name: "Select Refused" }).check();
  await page.getByRole("checkbox", { name: "Select Listed" }).check();
  const dialog = await verb("Compare models");
  const difference = dialog.getByRole("region", { name: "Listed" });
  await difference.getByRole("checkbox", { name: "2 new models: add" }).waitFor();
  await difference.getByRole("checkbox", { name: "fresh" }).check();
  await difference.getByRole("checkbox", { name: "1 model is gone: remove" }).check();
  await dialog.getByRole("region", { name: "Refused" }).getByText("No list: status 401").waitFor();
  await inspectScreen(page, "model-differences");
  await dialog.getByRole("button", { name: "Save the chosen changes (2)" }).click();
  await page.getByText("2 model changes are saved").waitFor();
  expect((await channels()).find(({ name }) => name === "Listed")?.models).toBe("m2,fresh");
});

test("accounts are disabled together, and the own one is skipped", async () => {
  await page.goto("/users");
  await heading(page, "Users").waitFor();
  await row("mira").waitFor();
  await page.getByRole("checkbox", { name: "Select mira" }).check();
  await page.getByRole("checkbox", { name: "Select root" }).check();
  await button("Disable").click();
  const dialog = page.getByRole("dialog", { name: "Disable", exact: true });
  await dialog.getByText("Enabled → Disabled").waitFor();
  await dialog.getByText("Change your own account in your personal settings").waitFor();
  await dialog.getByRole("button", { name: "Disable (1)" }).click();
  await row("mira").getByText("Disabled").waitFor();
  await row("root").getByText("Enabled").waitFor();
  expect(pageErrors).toEqual([]);
});

test("a list of names becomes accounts with passwords to hand out; a taken name is told; all are topped up at once", {
  tags: ["large"],
}, async () => {
  await page.goto("/users/batch");
  await page.getByLabel("Usernames").fill("class-1\nmira\n\nclass-2\nclass-1");
  await page.getByLabel("In US dollars").fill("5");
  await page.getByText("$15.00 for all of them").waitFor();
  await inspectScreen(page, "form of several accounts");
  await button("Create accounts").click();
  await page.getByText("2 of 3 created", { exact: true }).waitFor();
  await page.getByText("1 could not be created", { exact: true }).waitFor();
  await row("mira").getByText("This username is already taken").waitFor();
  await inspectScreen(page, "several accounts");
  const shown = await row("class-2").getByRole("code").innerText();
  // It signs in, and is temporary.
  const { must_change_password } = (await (await gateway.signIn("class-2", shown)).call(getSelf))
    .data;
  expect(must_change_password).toBe(true);

  await page.goto("/users?keyword=class");
  await row("class-2").waitFor();
  await page.getByRole("checkbox", { name: "Select all rows of this page" }).check();
  await button("Top up").click();
  const dialog = page.getByRole("dialog", { name: "Top up", exact: true });
  await dialog.getByLabel("Amount for each, in US dollars").fill("2.50");
  await button("Preview").click();
  await dialog.getByText("$5.0000 → $7.5000").first().waitFor();
  await dialog.getByRole("button", { name: "Top up (2)" }).click();
  await dialog.waitFor({ state: "hidden" });
  const { data } = await root.call(searchUsers, { query: { keyword: "class" } });
  expect(data.map(({ quota }) => quota)).toEqual([3_750_000, 3_750_000]);
});

test("a list of names becomes keys with the same limits, to copy or save as a whole", async () => {
  await page.goto("/tokens/batch");
  await page.getByLabel("Names").fill("north\nsouth");
  await page.getByLabel("In US dollars").first().fill("3");
  await page.getByText("$6.00 for all of them").waitFor();
  await button("Create keys").click();
  await page.getByText("2 of 2 created", { exact: true }).waitFor();
  expect(await row("south").getByRole("code").innerText()).toMatch(/^sk-/);
  const download = page.waitForEvent("download");
  await button("Save as CSV").click();
  expect((await download).suggestedFilename()).toBe("keys.csv");
  const { data } = await root.call(listTokens, { query: { sort: "name", order: "asc" } });
  expect(data.map(({ name, remain_quota }) => [name, remain_quota])).toEqual([
    ["north", 1_500_000],
    ["south", 1_500_000],
  ]);
});
