// The page for holders of an API key without an account.
import { tokenStatus, updateTokenStatus } from "@tollgate/contract/accounts/tokens.ts";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { TestGateway } from "../harness/test-gateway.ts";
import { startBrowserGateway } from "./browser-gateway.ts";
import { collectPageErrors, heading, openPage, pathOf } from "./console-pages.ts";
import { inspectScreen } from "./inspect-page.ts";

let gateway: TestGateway;
let page: Page;
let pageErrors: string[];

beforeAll(async () => {
  gateway = await startBrowserGateway();
  await gateway.given.channel({ key: "sim-ok", models: "sim-model,other-model" });
});
afterAll(() => gateway.close());
beforeEach(async () => {
  page = await openPage(await gateway.newContext());
  pageErrors = collectPageErrors(page);
});

const field = () => page.getByLabel("API key", { exact: true });
const show = async (key: string) => {
  await field().fill(key);
  await page.getByRole("button", { name: "Show", exact: true }).click();
};

test("the holder sees limits, use and calls of this key alone, and the key stays in the page", async () => {
  const limits = { rpm_limit: 30, tpm_limit: 9_000, max_parallel_requests: 2 };
  const restricted = { unlimited_quota: false, remain_quota: 1_000_000, models: "sim-model" };
  const { key } = await gateway.given.token({ name: "Lent key", ...restricted, ...limits });
  const other = await gateway.given.token({ name: "Another key" });
  await gateway.chat(key);
  await gateway.chat(other.key, { model: "other-model" });
  await gateway.settled();

  const asked: string[] = [];
  page.on("request", (request) => asked.push(request.url()));
  await page.goto("/");
  await page.getByRole("link", { name: "Your API key" }).click();
  await heading(page, "Your API key").waitFor();
  await field().fill(key);
  await page.keyboard.press("Enter");
  const facts = page.getByRole("region", { name: "Lent key" });
  await facts.getByText("Works", { exact: true }).waitFor();
  await expect.poll(() => facts.innerText()).toMatch(/Requests per minute\s+30\s/);
  expect(await facts.innerText()).toMatch(/Models\s+sim-model/);
  const calls = page.getByRole("region", { name: "Last calls" }).first();
  await calls.getByText("sim-model").waitFor();
  expect(await page.getByRole("main").innerText()).not.toMatch(/other-model|Another key/);
  await inspectScreen(page, "key of a holder");

  expect(pathOf(page)).toBe("/key");
  expect(asked.filter((address) => address.includes(key))).toEqual([]);
  const kept = await page.evaluate<string>(
    "JSON.stringify([{ ...localStorage }, { ...sessionStorage }, history.state])",
  );
  expect(kept).not.toContain(key);
  await page.getByRole("button", { name: "Forget the key" }).click();
  await facts.waitFor({ state: "detached" });
  expect(await field().inputValue()).toBe("");
  expect(pageErrors).toEqual([]);
});

test("a key that is unknown or disabled is refused in words, and one that is used up says so", async () => {
  const { key, id } = await gateway.given.token({ name: "Taken back" });
  await (await gateway.root()).call(updateTokenStatus, {
    query: { status_only: "1" },
    body: { id, status: tokenStatus.disabled },
  });
  const spent = await gateway.given.token({
    name: "Spent",
    unlimited_quota: false,
    remain_quota: 0,
  });
  await page.goto("/key");
  await show("sk-no-such-key");
  const refusal = page.getByRole("alert");
  await refusal.getByText("The API key is not valid").waitFor();
  await inspectScreen(page, "key that is refused");
  await show(key);
  await refusal.getByText("The API key is disabled").waitFor();
  await show(spent.key);
  await page.getByRole("region", { name: "Spent" }).getByText("Used up").waitFor();
  await page.getByText("No recent calls with this key.").waitFor();
});
