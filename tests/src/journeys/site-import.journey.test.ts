// Moving in from the console: root uploads a database, reads the plan, carries it, and sees that
// both sides are equal.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { TestGateway } from "../harness/test-gateway.ts";
import { awkwardRows, createFamilyDatabase } from "../support/family-database.ts";
import { startBrowserGateway } from "./browser-gateway.ts";
import { collectPageErrors, openPage, signIn } from "./console-pages.ts";
import { inspectScreen } from "./inspect-page.ts";

const password = "correct horse battery";
/** Of alice, whose group pays half: 700 units at the price that is carried. */
const dearCall = {
  ...{
    user_id: 2,
    username: "alice",
    token_name: "main",
    channel_id: 1,
    model_name: "sim-model",
    type: 2,
  },
  ...{
    created_at: Date.UTC(2026, 2, 6) / 1_000,
    prompt_tokens: 1_000,
    completion_tokens: 100,
    quota: 9_000,
  },
};
let gateway: TestGateway;
let page: Page;
let pageErrors: string[];
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "tollgate-import-journey-"));
  createFamilyDatabase(join(folder, "one-api.db"), "one-api", {
    ...awkwardRows("one-api"),
    logs: [dearCall],
  });
  gateway = await startBrowserGateway({ env: { INITIAL_ROOT_PASSWORD: password } });
  page = await openPage(await gateway.newContext());
  pageErrors = collectPageErrors(page);
  await page.goto(`/login?redirect_to=${encodeURIComponent("/settings/other")}`);
  await signIn(page, "root", password);
});
afterAll(async () => {
  await gateway.close();
  rmSync(folder, { recursive: true });
});

test("root uploads a database, reads the plan, carries it, and sees what differs", {
  tags: ["large"],
  timeout: 120_000,
}, async () => {
  await page.getByRole("link", { name: "Open the import" }).click();
  const trail = page.getByRole("navigation", { name: "Breadcrumbs" }).getByRole("listitem");
  expect((await trail.allInnerTexts()).join(" ")).toMatch(/^Settings\s*\/ Other\s*\/ Import$/);
  const plan = page.getByRole("button", { name: "Show the plan" });
  await plan.click();
  await page.getByText("Choose a file").waitFor();
  const environment = page.getByLabel("LiteLLM: its environment");
  expect(await environment.count()).toBe(0);
  await page.getByLabel("Where its data is").selectOption("address");
  await page.getByLabel("Address, or SQL_DSN").fill("postgres://u:p@10.0.0.1/one");
  await plan.click();
  await page
    .getByRole("alert")
    .getByText(/IMPORT_PRIVATE_HOSTS/)
    .waitFor();
  // The browser reports the refusal.
  expect(pageErrors.splice(0)).toEqual([expect.stringContaining("400 (Bad Request)")]);
  await page.getByLabel("LiteLLM: balance of accounts").fill("a lot");
  await page.getByLabel("Import the log too").check();
  await page.getByLabel("Log rows since this UTC day").fill("2026-02-30");
  await page.getByLabel("Address of the log").fill("postgres://u:p@10.0.0.1/log");
  await plan.click();
  await page.getByText("Enter an amount such as 12.50").waitFor();
  await page.getByText("Enter a day such as 2026-08-01").waitFor();
  await inspectScreen(page, "site-import-source");

  await page.getByLabel("Where its data is").selectOption("file");
  await page.getByLabel("SQLite database").setInputFiles(join(folder, "one-api.db"));
  // A field that is not shown refuses nothing.
  await environment.waitFor({ state: "detached" });
  await page.getByLabel("Log rows since this UTC day").fill("2026-03-05");
  await page.getByLabel("Address of the log").fill("");
  const begun = page.waitForRequest(
    (request) =>
      request.method() === "POST" && new URL(request.url()).pathname === "/api/site_import",
  );
  await plan.click();
  expect((await begun).postDataJSON()).toEqual({
    kind: "file",
    name: "main",
    logs: true,
    logs_since: "2026-03-05",
  });
  await page.getByText("Nothing written yet.").waitFor();
  await page.getByText("Was root and arrives as administrator").waitFor();
  await inspectScreen(page, "site-import-plan");
  await page.getByRole("button", { name: "Language", exact: true }).click();
  await page.getByRole("menuitemradio", { name: "Deutsch" }).click();
  await page.getByText("War root und kommt als Administrator an").waitFor();
  await page.getByRole("button", { name: "Sprache", exact: true }).click();
  await page.getByRole("menuitemradio", { name: "English" }).click();

  await page.getByRole("button", { name: "Import" }).click();
  await page.getByRole("button", { name: "New import" }).waitFor();
  await page
    .getByRole("region", { name: "Differences" })
    .getByText("main: sim-model for vip")
    .waitFor();
  await inspectScreen(page, "site-import-done");
  await page.getByRole("button", { name: "New import" }).click();
  await page.getByLabel("Where its data is").waitFor();

  await page.getByLabel("SQLite database").setInputFiles({
    name: "not a database.db",
    mimeType: "application/octet-stream",
    buffer: Buffer.from("SQLite format 3\0 and nothing else"),
  });
  await plan.click();
  await page.getByRole("alert").getByText("It failed").waitFor();
  await inspectScreen(page, "site-import-failed");
  expect(pageErrors).toEqual([]);
});
