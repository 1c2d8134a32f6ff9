// Groups of a key in the console: chosen and put in order in the form, then seen in the bill of a
// call.

import { composeUuidFromId } from "@tollgate/gateway/storage/time-ids.ts";
import type { BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { defaultCharge, type TestGateway } from "../harness/test-gateway.ts";
import { startBrowserGateway } from "./browser-gateway.ts";
import { collectPageErrors, openPage, signIn } from "./console-pages.ts";
import { inspectScreen } from "./inspect-page.ts";

const password = "correct horse battery";

let gateway: TestGateway;
let context: BrowserContext;
let page: Page;
let pageErrors: string[];
let token: { id: number; key: string };

beforeAll(async () => {
  gateway = await startBrowserGateway({
    env: { INITIAL_ROOT_PASSWORD: password, API_RATE_LIMIT: "0" },
  });
  const set = (key: string, value: string) => gateway.api("PUT", "/api/option/", { key, value });
  await set("GroupRatio", '{"default":1,"cheap":0.5,"dear":3}');
  await set("SelectableGroups", "cheap,dear");
  await gateway.given.channel({ key: "sim-ok", group: "dear,cheap" });
  token = await gateway.given.token({ name: "worker" });
  context = await gateway.newContext();
  page = await openPage(context);
  pageErrors = collectPageErrors(page);
  await page.goto(`/login?redirect_to=${encodeURIComponent(`/tokens/edit/${token.id}`)}`);
  await signIn(page, "root", password);
});
afterAll(() => gateway.close());

const add = () => page.getByLabel("Groups", { exact: true });
const rows = () =>
  page
    .getByRole("listitem")
    .filter({ has: page.getByRole("button", { name: /^Try .* earlier$/ }) });
const button = (name: string) => page.getByRole("button", { name, exact: true });

test("the owner of a key puts its groups in order, and the bill of a call names the one that answered", async () => {
  // The owner's own group has no channel.
  await page.getByText("No models found").waitFor();
  await add().selectOption({ label: "dear × 3" });
  await page.getByRole("checkbox", { name: "sim-model" }).waitFor();
  await rows().filter({ hasText: "dear × 3" }).waitFor();
  await add().selectOption({ label: "cheap × 0.5" });
  await rows().filter({ hasText: "cheap × 0.5" }).waitFor();
  await button("Try cheap earlier").press("Enter");
  await expect
    .poll(() => rows().allInnerTexts())
    .toEqual([expect.stringContaining("cheap"), expect.stringContaining("dear")]);
  await inspectScreen(page, "token-groups");
  await button("Update Token").click();
  await page.getByText("Token updated successfully").waitFor();

  expect((await gateway.chat(token.key, { max_tokens: 12 })).status).toBe(200);
  const { id, quota } = await gateway.lastLog();
  expect(quota).toBe(defaultCharge / 2);
  await page.goto(`/logs?trace=${composeUuidFromId(id)}`);
  await page
    .getByRole("dialog", { name: "Request Trace" })
    .getByText("Group ratio · cheap")
    .waitFor();

  await page.goto(`/tokens/edit/${token.id}`);
  await rows().filter({ hasText: "dear" }).waitFor();
  await button("Remove dear").click();
  await rows().filter({ hasText: "dear" }).waitFor({ state: "detached" });
  await page.locator(":focus").and(add()).waitFor();
  await button("Update Token").click();
  await page.getByText("Token updated successfully").waitFor();
  expect(await gateway.rows(`select groups from tokens where id = ${token.id}`)).toEqual([
    { groups: "cheap" },
  ]);
  expect(pageErrors).toEqual([]);
});
