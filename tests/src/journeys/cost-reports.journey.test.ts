// Reconciliation in the console: from a channel's form to its report key, to what the provider says
// that it charged.
import type { BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { TestGateway } from "../harness/test-gateway.ts";
import { startBrowserGateway } from "./browser-gateway.ts";
import { collectPageErrors, heading, openPage, signIn } from "./console-pages.ts";
import { inspectScreen } from "./inspect-page.ts";

const password = "correct horse battery";
const dayMs = 86_400_000;
const day = (daysAgo: number) => new Date(Date.now() - daysAgo * dayMs).toISOString().slice(0, 10);

let gateway: TestGateway;
let context: BrowserContext;
let page: Page;
let pageErrors: string[];

beforeAll(async () => {
  gateway = await startBrowserGateway({ env: { INITIAL_ROOT_PASSWORD: password } });
  await gateway.given.channel({ key: "sim-ok", models: "gpt-4o", type: 1, name: "Main account" });
  context = await gateway.newContext();
  page = await openPage(context);
  pageErrors = collectPageErrors(page);
  await page.goto(`/login?redirect_to=${encodeURIComponent("/channels/costs")}`);
  await signIn(page, "root", password);
});
afterAll(() => gateway.close());

const cells = (table: string, row: string) =>
  page.getByRole("region", { name: table, exact: true }).getByRole("row").filter({ hasText: row });

test("without a report key the page says what one is for, and the form of a channel leads to its own", async () => {
  await page.getByText("No channel has a report key yet").waitFor();
  await inspectScreen(page, "cost-reports-none");
  await page.goto("/channels");
  const row = page.getByRole("row").filter({ hasText: "Main account" });
  await row.getByRole("link", { name: "Edit" }).click();
  await page.getByRole("link", { name: "Reconcile costs" }).click();
  await heading(page, "Reconciliation").waitFor();
  await page.getByRole("button", { name: "Set report key" }).waitFor();
  expect(pageErrors).toEqual([]);
});

test("a key that the provider refuses is told, and a right one shows both sides by model and day", async () => {
  await page.getByRole("button", { name: "Set report key" }).click();
  const dialog = page.getByRole("dialog", { name: "Report key of Main account" });
  await dialog.getByRole("button", { name: "Save and read" }).click();
  await dialog.getByText("Please enter the report key").waitFor();
  await inspectScreen(page, "cost-report-key");
  await dialog.getByLabel("Report key", { exact: true }).fill("sim-401+as-report");
  await dialog.getByRole("button", { name: "Save and read" }).click();
  await page.getByText("The provider refused the report key.").waitFor();
  await page.getByText("No days read yet.").waitFor();

  const figures = {
    model: "gpt-4o-2024-08-06",
    requests: 2,
    input: 1_200,
    output: 300,
    dollars: 1.5,
  };
  await gateway.simulator.script("sim-report-key", {
    costs: [
      { day: day(5), ...figures },
      { day: day(0), ...figures },
    ],
  });
  await page.getByRole("button", { name: "Edit", exact: true }).click();
  await dialog.getByLabel("Report key", { exact: true }).fill("sim-report-key");
  await dialog.getByRole("button", { name: "Save and read" }).click();
  await cells("Finished days by model", "gpt-4o-2024-08-06").getByText("1,200 + 300").waitFor();
  expect(await cells("Finished days by model", "gpt-4o-2024-08-06").innerText()).toMatch(
    /1,200 \+ 300\s+-\s+\$1\.50\s+\+\$1\.50 \(100%\)/,
  );
  expect(await cells("Costs by day", day(0)).innerText()).toContain("Open");
  expect(await page.getByText("sim-report-key").count()).toBe(0);
  await inspectScreen(page, "cost-reports");
  expect(pageErrors).toEqual([]);
});

test("what cannot be loaded is said with a way to try again, and the key can be removed", {
  tags: ["large"],
}, async () => {
  await page.route("**/api/cost_report/*/days*", (route) =>
    route.fulfill({ status: 500, json: { success: false, message: "it broke" } }),
  );
  await page.reload();
  await page.getByText("The costs could not be loaded").waitFor();
  await page.unrouteAll({ behavior: "ignoreErrors" });
  await page.getByRole("button", { name: "Retry" }).click();
  await cells("Costs by day", day(5)).waitFor();
  await page.getByRole("button", { name: "Remove", exact: true }).click();
  const question = page.getByRole("dialog", { name: "Remove the report key of Main account" });
  await question.getByRole("button", { name: "Remove", exact: true }).click();
  await page.getByRole("button", { name: "Set report key" }).waitFor();
});
