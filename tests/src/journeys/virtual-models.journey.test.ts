// Virtual models in the console: a canary that an administrator plays from 1 to 100 % and back,
// with the calls that follow it.
import type { BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { TestGateway } from "../harness/test-gateway.ts";
import { startBrowserGateway } from "./browser-gateway.ts";
import {
  chooseVerb,
  collectPageErrors,
  heading,
  openPage,
  pathOf,
  signIn,
} from "./console-pages.ts";
import { inspectScreen } from "./inspect-page.ts";

const password = "correct horse battery";
/**
 * `callsPerStep` is that of 40 calls at 1 % more than 20 reach the canary once in 10^30 runs; at 50
 * % all or none once in 10^11.
 */
const callsPerStep = 40;

let gateway: TestGateway;
let context: BrowserContext;
let page: Page;
let pageErrors: string[];
let key: string;

beforeAll(async () => {
  gateway = await startBrowserGateway({
    env: { INITIAL_ROOT_PASSWORD: password, API_RATE_LIMIT: "0" },
  });
  const prices = { steady: { ratio: 1 }, newcomer: { ratio: 1 } };
  await gateway.given.channel({
    key: "sim-ok",
    models: "steady,newcomer",
    model_configs: JSON.stringify(prices),
  });
  key = (await gateway.given.token()).key;
  context = await gateway.newContext();
  page = await openPage(context);
  pageErrors = collectPageErrors(page);
  await page.goto(`/login?redirect_to=${encodeURIComponent("/models")}`);
  await signIn(page, "root", password);
});
afterAll(() => gateway.close());

const button = (name: string | RegExp) => page.getByRole("button", { name, exact: true });
const card = (name: string) => page.getByRole("region", { name, exact: true });

/** `callAll` says how many of the calls the canary answered. */
async function callAll(): Promise<number> {
  let answered = 0;
  for (let call = 0; call < callsPerStep; call += 1) {
    const reply = await gateway.chat(key, { model: "assistant", max_tokens: 4 });
    expect(reply.status).toBe(200);
    if (reply.body.model === "newcomer") answered += 1;
  }
  return answered;
}

async function save() {
  await button("Save").click();
  await page
    .getByRole("region", { name: "Notifications" })
    .getByText("Saved. Applies from the next call.")
    .first()
    .waitFor();
  await page.getByRole("button", { name: "Dismiss" }).first().click();
}

/**
 * The figures of a model among the calls of the last 24 hours, once the page shows so many calls.
 */
async function expectCalls(model: string, calls: number) {
  await gateway.settled();
  const row = card("Calls by model").getByRole("row").filter({ hasText: model });
  await expect
    .poll(async () => {
      await button("Refresh").click();
      return await row
        .getByRole("cell")
        .first()
        .textContent({ timeout: 2_000 })
        .catch(() => "none");
    })
    .toBe(String(calls));
}

test("an administrator makes a virtual model of two models and a fallback, and sees before what would happen", async () => {
  await page.getByRole("link", { name: "Virtual models", exact: true }).click();
  await page.getByText("No virtual models yet. Calls go to the model they name.").waitFor();
  await inspectScreen(page, "virtual-models-none");
  await page.getByRole("link", { name: "New virtual model" }).click();
  await heading(page, "Create virtual model").waitFor();
  await button("Create virtual model").click();
  await page.getByRole("alert").getByText("Please enter the name and every model").waitFor();

  await page.getByLabel("Name", { exact: true }).fill("assistant");
  await page.getByLabel("Model 1.1", { exact: true }).fill("steady");
  await button("Add model to tier 1").click();
  await page.getByLabel("Model 1.2", { exact: true }).fill("newcomer");
  await page.getByRole("slider", { name: /Calls to newcomer/ }).fill("1");
  const forecast = card("Preview");
  await forecast.getByText("99% of the calls").waitFor();
  await forecast.getByText("1% of the calls", { exact: true }).waitFor();
  await button("Add a fallback tier").click();
  await page.getByLabel("Model 2.1", { exact: true }).fill("nowhere");
  await forecast.getByText("When none of these can answer:").waitFor();
  await page.getByLabel("Weighted choice").selectOption({ label: "New choice for every call" });
  await button("Create virtual model").click();
  await heading(page, "Edit virtual model").waitFor();
  await forecast.getByText("Not served by any channel").waitFor();
  await card("Last 24 hours").getByText("No call yet.").waitFor();
  expect(pageErrors).toEqual([]);
});

test("the canary grows from 1 % to all calls and goes back, and the calls and figures follow each step", {
  tags: ["large"],
}, async () => {
  let newcomer = await callAll();
  expect(newcomer).toBeLessThan(callsPerStep / 2);

  await page.getByRole("slider", { name: /Calls to newcomer/ }).fill("50");
  await save();
  const half = await callAll();
  expect(half).toBeGreaterThan(0);
  expect(half).toBeLessThan(callsPerStep);
  newcomer += half;

  await button("More: 100%").click();
  await card("Preview").getByText("only if no other can").waitFor();
  await save();
  expect(await callAll()).toBe(callsPerStep);
  newcomer += callsPerStep;
  await expectCalls("newcomer", newcomer);
  await inspectScreen(page, "virtual-model-canary");

  await button("Back: none").click();
  await save();
  expect(await callAll()).toBe(0);
  await expectCalls("steady", 4 * callsPerStep - newcomer);
  expect(pageErrors).toEqual([]);
});

test("the list shows where calls go, a change that is not saved is not lost in silence, and a deleted name is no model", {
  tags: ["large"],
}, async () => {
  await page.getByLabel("Name", { exact: true }).fill("helper");
  await page.getByRole("link", { name: "Back to virtual models" }).click();
  await page
    .getByRole("dialog", { name: "Unsaved changes" })
    .getByRole("button", { name: "Discard changes" })
    .click();
  const item = card("Names").getByRole("listitem").filter({ hasText: "assistant" }).first();
  await item.getByText("steady 100% · newcomer 0%").waitFor();
  await item.getByText("No channel serves nowhere").waitFor();
  await inspectScreen(page, "virtual-models");
  await gateway.api("POST", "/api/model_end/", {
    model: "steady",
    ends_on: "2020-01-01",
    replacement: "",
  });
  const tiers = [{ strategy: "weights", targets: [{ model: "steady", weight: 1 }] }];
  for (let other = 1; other <= 9; other += 1)
    await gateway.api("POST", "/api/virtual_model/", { name: `other-${other}`, tiers });
  await page.reload();
  const search = page.getByRole("searchbox", { name: "Search virtual models" });
  await search.fill("assistant");
  const end = card("Models that end").getByRole("listitem").filter({ hasText: "steady" });
  await end.getByText(/Virtual models: assistant, /).waitFor();
  await chooseVerb(page, "assistant", "Delete");
  await page
    .getByRole("dialog", { name: "Delete assistant" })
    .getByRole("button", { name: "Delete", exact: true })
    .click();
  await page.getByText("Nothing matches your search.").waitFor();
  await end.getByText(/Virtual models: other-1, /).waitFor();
  await search.fill("");
  await button("More actions for other-9").waitFor();
  await end.getByRole("button", { name: "Remove the date set for steady" }).click();
  await end.waitFor({ state: "detached" });
  expect((await gateway.chat(key, { model: "assistant", max_tokens: 4 })).status).not.toBe(200);
  await expect.poll(() => pathOf(page)).toBe("/channels/virtual");
  expect(pageErrors).toEqual([]);
});

test("an administrator sees which models end, and what depends on them", {
  tags: ["large"],
}, async () => {
  // Its day has passed, so that the page says the same on any day.
  await gateway.given.channel({ key: "sim-ok", models: "gpt-4", name: "old account" });
  await page.goto("/channels/virtual");
  const ends = card("Models that end");
  await ends.getByText("gpt-4", { exact: true }).waitFor();
  await ends.getByText("Ended", { exact: true }).waitFor();
  await ends.getByText("Channels: old account").waitFor();
  await ends.getByText("No call in 14 days").waitFor();
  await inspectScreen(page, "model-ends");
  await ends.getByRole("link", { name: "Replace gpt-4" }).click();
  await heading(page, "Create virtual model").waitFor();
  expect(pageErrors).toEqual([]);
});
