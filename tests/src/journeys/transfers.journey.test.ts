// A user moves a part of the own balance to another user: the setting, the question before it, the
// proof of a sign-in that is a while ago, and what both see afterwards.
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type TestGateway, userPassword } from "../harness/test-gateway.ts";
import { startBrowserGateway } from "./browser-gateway.ts";
import { collectPageErrors, openPage, signIn } from "./console-pages.ts";
import { inspectScreen } from "./inspect-page.ts";

const password = "correct horse battery";
const unitsPerDollar = 500_000;

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startBrowserGateway({
    env: { INITIAL_ROOT_PASSWORD: password, API_RATE_LIMIT: "0" },
    hasShiftableClock: true,
  });
  await gateway.given.user("asha", { quota: 10 * unitsPerDollar });
  await gateway.given.user("noor");
});
afterAll(() => gateway.close());

const card = (page: Page) => page.getByRole("region", { name: "Transfer balance", exact: true });

test("an administrator switches transfers on where the quota of users is set", async () => {
  const page = await openPage(await gateway.newContext());
  await page.goto("/login?redirect_to=%2Fsettings%2Foperation");
  await signIn(page, "root", password);
  const flag = page.getByRole("checkbox", { name: "Users transfer balance to each other" });
  await flag.click();
  await page.getByRole("button", { name: "Save", exact: true }).first().click();
  await page.getByText("Settings saved").waitFor();
  await expect
    .poll(
      async () =>
        (await gateway.api<{ transfers_to_users: boolean }>("GET", "/api/status"))
          .transfers_to_users,
    )
    .toBe(true);
});

test("a user transfers balance, is asked before and for the password, and both logs show it", async () => {
  const page = await openPage(await gateway.newContext());
  const errors = collectPageErrors(page);
  await page.goto("/login?redirect_to=%2Ftopup");
  await signIn(page, "asha", userPassword);
  const send = card(page).getByRole("button", { name: "Transfer", exact: true });
  await send.click();
  await card(page).getByText("Enter the username of the recipient").waitFor();
  await card(page).getByText("Enter an amount above $0").waitFor();
  await inspectScreen(page, "transfer-refused");

  await card(page).getByLabel("Username of the recipient").fill("nobody");
  await card(page).getByLabel("Amount").fill("2.50");
  await send.click();
  const question = page.getByRole("dialog", { name: "Transfer to nobody", exact: true });
  await question.getByText(/Transfer \$2\.50 from your balance to nobody\?/).waitFor();
  await question.getByRole("button", { name: "Transfer", exact: true }).click();
  await question
    .getByText("No user with exactly this name can receive balance.", { exact: false })
    .waitFor();
  await question.getByRole("button", { name: "Cancel", exact: true }).click();

  await gateway.shiftClock(11 * 60_000);
  await card(page).getByLabel("Username of the recipient").fill("noor");
  await send.click();
  const asked = page.getByRole("dialog", { name: "Transfer to noor", exact: true });
  await asked.waitFor();
  await inspectScreen(page, "transfer-question");
  await asked.getByRole("button", { name: "Transfer", exact: true }).click();
  const proof = page.getByRole("dialog", { name: "Confirm it is you", exact: true });
  await proof.getByLabel("Current password").fill(userPassword);
  await proof.getByRole("button", { name: "Confirm", exact: true }).click();
  await card(page)
    .getByText(/\$2\.50 went to noor\./)
    .waitFor();
  await page.getByRole("region", { name: "Balance", exact: true }).getByText("3,750,000").waitFor();
  await inspectScreen(page, "transferred");

  // The same once more is another transfer.
  expect(await card(page).getByLabel("Username of the recipient").inputValue()).toBe("");
  await card(page).getByLabel("Username of the recipient").fill("noor");
  await card(page).getByLabel("Amount").fill("2.50");
  await send.click();
  await asked.getByRole("button", { name: "Transfer", exact: true }).click();
  await page.getByRole("region", { name: "Balance", exact: true }).getByText("2,500,000").waitFor();
  expect(errors).toEqual([]);

  const other = await openPage(await gateway.newContext());
  await other.goto("/login?redirect_to=%2Flogs");
  await signIn(other, "noor", userPassword);
  await other
    .getByText(/\$2\.50* from asha to noor/)
    .first()
    .waitFor();
});
