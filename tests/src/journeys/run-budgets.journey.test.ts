// What each run of an agent may do that a team pays for: calls and minutes, as their form and their
// page tell them.
import { createBudget } from "@tollgate/contract/accounts/budgets.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { TestGateway } from "../harness/test-gateway.ts";
import { startBrowserGateway } from "./browser-gateway.ts";
import { collectPageErrors, openPage, openSignedIn } from "./console-pages.ts";
import { inspectScreen } from "./inspect-page.ts";

const password = "correct horse battery";
let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startBrowserGateway({
    store: "sqlite",
    env: { INITIAL_ROOT_PASSWORD: password },
  });
});
afterAll(() => gateway.close());

test("an administrator limits each run of a team to so many calls, and reads minutes as minutes", async () => {
  const root = await gateway.signIn("root", password);
  const team = await gateway.api<{ id: number; uuid: string }>("POST", "/api/team/", {
    name: "Search",
  });
  const each = { subject: "team_run" as const, subject_id: team.id, window: "lifetime" as const };
  await root.call(createBudget, {
    body: { ...each, name: "Two hours", measure: "minutes", amount: 120 },
  });
  const page = await openPage(await gateway.newContext());
  const pageErrors = collectPageErrors(page);
  await openSignedIn(page, gateway.url, {
    username: "root",
    password,
    path: `/teams/${team.uuid}`,
  });
  await page.getByRole("tab", { name: "Budgets" }).click();
  const card = page.getByRole("region", { name: "Budgets of runs" });
  await card.getByText("0 minutes of 120 minutes used").waitFor();
  await card.getByRole("button", { name: "New budget" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("What it counts").selectOption("Calls");
  await dialog.getByLabel("Name", { exact: true }).fill("No loops");
  await dialog.getByLabel("Amount").fill("25");
  await inspectScreen(page, "the budget of each run");
  await dialog.getByRole("button", { name: "Save", exact: true }).click();
  await dialog.waitFor({ state: "detached" });
  await card.getByText("0 calls of 25 calls used").waitFor();
  await card.getByRole("button", { name: "Edit No loops" }).click();
  await dialog.getByLabel("Amount").fill("30");
  await dialog.getByRole("button", { name: "Save", exact: true }).click();
  await card.getByText("0 calls of 30 calls used").waitFor();
  expect(pageErrors).toEqual([]);
});
