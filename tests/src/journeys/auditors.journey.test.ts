// An auditor in the console: what root makes of an administrator, who then finds nothing to press.
import { createUser, listUsers, updateUser } from "@tollgate/contract/accounts/user-admin.ts";
import { createChannel } from "@tollgate/contract/catalogue/channels.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { TestGateway } from "../harness/test-gateway.ts";
import { startBrowserGateway } from "./browser-gateway.ts";
import { collectPageErrors, heading, openPage, openSignedIn } from "./console-pages.ts";
import { inspectScreen } from "./inspect-page.ts";

const password = "correct horse battery";
let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startBrowserGateway({
    store: "sqlite",
    env: { INITIAL_ROOT_PASSWORD: password },
  });
  const root = await gateway.signIn("root", password);
  const body = { name: "Main", type: 50, key: "sim-ok", base_url: gateway.simulator.url };
  await root.call(createChannel, { body: { ...body, models: "m1" } });
  await root.call(createUser, { body: { username: "mira", password } });
  const { data } = await root.call(listUsers, {});
  const { id, uuid } = data.find(({ username }) => username === "mira") ?? { id: 0, uuid: "" };
  await root.call(updateUser, { body: { id, uuid, role: 10 } });
});
afterAll(() => gateway.close());

test("root makes an administrator an auditor, who sees the pages of administrators without their buttons", async () => {
  const page = await openPage(await gateway.newContext());
  await openSignedIn(page, gateway.url, { username: "root", password, path: "/users" });
  await page
    .getByRole("row")
    .filter({ hasText: "mira" })
    .getByRole("link", { name: /^Edit/ })
    .click();
  await page.getByLabel("Auditor").check();
  await inspectScreen(page, "user-auditor");
  await page.getByRole("button", { name: "Update User" }).click();
  await page.getByText("User updated successfully").waitFor();
  await page.context().close();

  const auditor = await openPage(await gateway.newContext());
  const errors = collectPageErrors(auditor);
  await openSignedIn(auditor, gateway.url, { username: "mira", password, path: "/channels" });
  await auditor.getByRole("link", { name: "Main", exact: true }).first().waitFor();
  for (const name of ["Add Channel", "Test All", "More actions for Main"])
    expect(await auditor.getByRole("button", { name }).count(), name).toBe(0);
  expect(await auditor.getByRole("checkbox", { name: /Select/ }).count()).toBe(0);
  await inspectScreen(auditor, "channels-auditor");
  const link = auditor.getByRole("link", { name: "Main", exact: true }).first();
  const shown = (await link.getAttribute("href")) ?? "";
  await auditor.goto(`${gateway.url}${shown.replace("/channels/", "/channels/edit/")}`);
  await heading(auditor, "Edit Channel").waitFor();
  const field = auditor.locator("form").getByRole("textbox").first();
  await field.waitFor();
  expect(await field.isDisabled()).toBe(true);
  expect(await auditor.getByRole("button", { name: "Update Channel" }).count()).toBe(0);
  for (const [path, title] of [
    ["/users", "Users"],
    ["/redemptions", "Redemptions"],
    ["/budgets", "Budgets"],
    ["/teams", "Teams"],
  ] as const) {
    await auditor.goto(path);
    await heading(auditor, title).waitFor();
    const pressed = auditor
      .locator("main")
      .getByRole("button", { name: /^(Add|New|Create|Delete)\b/ });
    expect(await pressed.count(), path).toBe(0);
  }
  // The own keys are the auditor's to make.
  await auditor.goto("/tokens");
  await auditor
    .getByRole("link", { name: /Create Token|Add Token/ })
    .first()
    .waitFor();
  expect(errors).toEqual([]);
});
