// The reference of both APIs: a person finds an operation, reads what it takes, and copies a
// command.
import type { Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { TestGateway } from "../harness/test-gateway.ts";
import { startBrowserGateway } from "./browser-gateway.ts";
import { collectPageErrors, heading, openPage, openSignedIn, pathOf } from "./console-pages.ts";
import { expectToFit, inspectScreen } from "./inspect-page.ts";

const password = "correct horse battery";
let gateway: TestGateway;
let page: Page;
let pageErrors: string[];

beforeAll(async () => {
  gateway = await startBrowserGateway({ env: { INITIAL_ROOT_PASSWORD: password } });
});
afterAll(() => gateway.close());
beforeEach(async () => {
  page = await openPage(await gateway.newContext());
  pageErrors = collectPageErrors(page);
});

const search = () => page.getByRole("searchbox", { name: "Search the reference" });
const operation = (name: string) => page.getByRole("listitem").filter({ hasText: name }).first();

test("an operator comes from the settings, searches and reads an operation with scope, bounds and errors", async () => {
  await openSignedIn(page, gateway.url, { username: "root", password, path: "/settings" });
  pageErrors = collectPageErrors(page);
  await page.getByRole("link", { name: "API reference" }).click();
  await heading(page, "API reference").waitFor();
  await expect.poll(() => pathOf(page)).toBe("/reference");
  await search().fill("rotate token");
  await page.getByText("2 operations", { exact: true }).waitFor();
  const rotation = operation("/api/token/rotate");
  await rotation.getByText("/api/token/rotate").click();
  await rotation.getByText("A management key needs the scope tokens:write").waitFor();
  await rotation.getByText("overlap_seconds: integer // 0 to 604800").waitFor();
  await inspectScreen(page, "reference with an open operation");
  await expectToFit(page, 375);

  await search().fill("token_not_found");
  await page.getByText("No operation matches.").waitFor();
  await page
    .getByRole("region", { name: "Codes of refusals" })
    .getByText("This token does not exist")
    .waitFor();
  await page.getByRole("button", { name: "Clear search" }).click();
  await page.getByRole("region", { name: "Scopes" }).getByText("wallets:grant").waitFor();
  expect(pageErrors).toEqual([]);
});

test("a visitor reads it by keyboard, and what is copied names the credential and no secret", {
  tags: ["large"],
}, async () => {
  await page.goto("/reference?keyword=chat%2Fcompletions");
  await search().press("Tab");
  const call = operation("/v1/chat/completions");
  await call.locator("summary").focus();
  await page.keyboard.press("Enter");
  await call.getByText("Needs an API key").waitFor();
  const command = call.getByRole("region", { name: "Example", exact: true });
  await expect
    .poll(() => command.innerText())
    .toContain('curl --fail-with-body -X POST "$TOLLGATE_URL/v1/chat');
  expect(await command.innerText()).toContain("Bearer $API_KEY");
  await call.getByRole("button", { name: "Copy code" }).waitFor();
  expect(pageErrors).toEqual([]);
});

test("a description that does not arrive leaves the rest to read, and is asked for again", {
  tags: ["large"],
}, async () => {
  await page.route("**/api/openapi.json", (route) =>
    route.fulfill({ status: 500, body: "broken" }),
  );
  await page.goto("/reference");
  await page.getByText("Two APIs").waitFor();
  const retry = page
    .getByRole("region", { name: "Operations" })
    .getByRole("button", { name: "Retry" });
  await retry.waitFor();
  await inspectScreen(page, "reference without operations");
  await page.unroute("**/api/openapi.json");
  await retry.click();
  await search().waitFor();
});
