// A user chooses where to be told: a webhook that is proven by its code, a threshold, and the
// notice that follows.
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { eventually } from "../harness/eventually.ts";
import { startNoticeReceiver } from "../harness/notice-receiver.ts";
import type { TestGateway } from "../harness/test-gateway.ts";
import { startBrowserGateway } from "./browser-gateway.ts";
import { collectPageErrors, heading, openPage, openSignedIn } from "./console-pages.ts";
import { inspectScreen } from "./inspect-page.ts";

const password = "correct horse battery";

let gateway: TestGateway;
let receiver: Awaited<ReturnType<typeof startNoticeReceiver>>;
let page: Page;
let pageErrors: string[];

beforeAll(async () => {
  receiver = await startNoticeReceiver();
  gateway = await startBrowserGateway({
    env: {
      INITIAL_ROOT_PASSWORD: password,
      API_RATE_LIMIT: "0",
      NOTICE_PRIVATE_HOSTS: receiver.host,
    },
  });
  await gateway.api("POST", "/api/user/", { username: "mira", password, display_name: "Mira" });
  page = await openPage(await gateway.newContext());
  pageErrors = collectPageErrors(page);
});
afterAll(async () => {
  await gateway.close();
  await receiver.close();
});

const button = (name: string) => page.getByRole("button", { name, exact: true });
const item = (text: string) =>
  page.getByRole("main").getByRole("listitem").filter({ hasText: text });
const events = () => receiver.received.map(({ body }) => JSON.parse(body));

test("a user adds a webhook, proves it with its code, and is told of the low balance there", {
  tags: ["large"],
}, async () => {
  await openSignedIn(page, gateway.url, { username: "mira", password, path: "/settings" });
  await page.getByRole("link", { name: "Choose where you get notices" }).click();
  await heading(page, "Notices").waitFor();
  await page
    .getByText("No destinations yet. You only get a mail when your balance is low")
    .waitFor();
  await page.getByText("Nothing was sent.").waitFor();
  await inspectScreen(page, "own-notices-empty");

  await button("New destination").click();
  const dialog = page.getByRole("dialog", { name: "New destination" });
  await dialog.getByLabel("Kind").selectOption("Webhook");
  await dialog.getByLabel("Name", { exact: true }).fill("My phone");
  await dialog.getByLabel("Address").fill(`${receiver.url}/hook`);
  await inspectScreen(page, "own-destination-form");
  await dialog.getByRole("button", { name: "Save" }).click();
  await page.getByText(/^whsec_/).waitFor();
  await item("My phone").getByText("Not verified").waitFor();

  receiver.answer.status = 500;
  await button("Send a code to My phone").click();
  await page.getByText("The code was not delivered.").waitFor();
  receiver.answer.status = 200;
  await button("Send a code to My phone").click();
  await page.getByLabel("Code", { exact: true }).waitFor();
  await inspectScreen(page, "own-destination-code");
  const { code } = events().at(-1).data;
  await page.getByLabel("Code", { exact: true }).fill(code);
  await button("Verify").click();
  await item("My phone").getByText("Not verified").waitFor({ state: "detached" });

  await page.getByLabel("Balance below").fill("1.2");
  await page.getByRole("main").getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("Saved", { exact: true }).waitFor();
  // The chore looks each 15 seconds.
  await eventually(
    async () => expect(events().at(-1)).toMatchObject({ data: { rule: "wallet.low" } }),
    {
      timeoutMs: 60_000,
      everyMs: 200,
    },
  );
  await page.reload();
  await item("Begun: Your balance is low").getByText("Sent", { exact: true }).waitFor();
  await inspectScreen(page, "own-notices");
  expect(pageErrors).toEqual([]);
});
