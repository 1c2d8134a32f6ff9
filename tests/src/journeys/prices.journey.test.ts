import { createChannel } from "@tollgate/contract/catalogue/channels.ts";
import { listModelPrices } from "@tollgate/contract/catalogue/model-prices.ts";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { ApiSession } from "../harness/api-session.ts";
import { rootPassword } from "../harness/database-templates.ts";
import type { TestGateway } from "../harness/test-gateway.ts";
import { startBrowserGateway } from "./browser-gateway.ts";
import { collectPageErrors, openPage, openSignedIn } from "./console-pages.ts";
import { inspectScreen } from "./inspect-page.ts";

let gateway: TestGateway;
let root: ApiSession;
let page: Page;
let pageErrors: string[];

beforeAll(async () => {
  gateway = await startBrowserGateway({ store: "sqlite" });
  root = await gateway.signIn("root", rootPassword);
  await root.call(createChannel, {
    body: {
      name: "West",
      type: 1,
      key: "sim-ok",
      base_url: gateway.simulator.url,
      models: "gpt-4o,gpt-4.1,in-house",
    },
  });
  page = await openPage(await gateway.newContext());
  pageErrors = collectPageErrors(page);
  await openSignedIn(page, gateway.url, {
    username: "root",
    password: rootPassword,
    path: "/models",
  });
});
afterAll(() => gateway.close());

const row = (name: string) => page.getByRole("row").filter({ hasText: name });
const prices = async () => (await root.call(listModelPrices)).data.map(({ in_force }) => in_force);

test("an administrator adds a fifth to all built-in prices, sets one by itself, and returns to the built-in ones", async () => {
  await page.getByRole("link", { name: "Edit prices" }).click();
  await row("in-house").waitFor();
  await row("gpt-4o").getByText("$2.50").waitFor();
  await inspectScreen(page, "prices");

  await page.getByRole("checkbox", { name: "Select all rows of this page" }).click();
  await page.getByRole("button", { name: "Multiply built-in prices" }).click();
  const scaling = page.getByRole("dialog", { name: "Multiply built-in prices" });
  await scaling.getByLabel("Factor").fill("1.2");
  await scaling.getByRole("button", { name: "Preview" }).click();
  await scaling.getByText("2 rows change").waitFor();
  await scaling.getByText("1 is skipped").waitFor();
  await scaling.getByText(/input \$2\.50.* → input \$3\.00/).waitFor();
  expect((await prices())[1]).toMatchObject({ input: 2.5 });
  await scaling.getByRole("button", { name: "Multiply built-in prices (2)" }).click();
  await scaling.waitFor({ state: "hidden" });
  await row("gpt-4o").getByText("$3.00").waitFor();
  await row("gpt-4o").getByText("+20%").waitFor();
  await row("gpt-4o").getByText("Yours").waitFor();

  await page.getByRole("button", { name: "Edit the price of in-house" }).click();
  const editing = page.getByRole("dialog", { name: "Set prices" });
  await editing.getByLabel("Input", { exact: true }).fill("4");
  await editing.getByLabel("Other prices").fill("calls=0.002");
  await editing.getByRole("button", { name: "Preview" }).click();
  await editing.getByText("1 row changes").waitFor();
  await inspectScreen(page, "price-preview");
  await editing.getByRole("button", { name: "Set prices (1)" }).click();
  await editing.waitFor({ state: "hidden" });
  await row("in-house").getByText("$4.00").first().waitFor();
  expect(await prices()).toMatchObject([
    { input: 2.4 },
    { input: 3, output: 12 },
    { input: 4, output: 4, calls: 0.002 },
  ]);

  // The dialog of one model holds its prices.
  await page.getByRole("button", { name: "Edit the price of in-house" }).click();
  expect(await editing.getByLabel("Input", { exact: true }).inputValue()).toBe("4");
  expect(await editing.getByLabel("Output").inputValue()).toBe("");
  await editing.getByRole("button", { name: "Cancel" }).click();
  await editing.waitFor({ state: "hidden" });

  await page.getByRole("checkbox", { name: "Select all rows of this page" }).click();
  await page.getByRole("button", { name: "Use built-in prices" }).click();
  const reset = page.getByRole("dialog", { name: "Use built-in prices" });
  await reset.getByRole("button", { name: "Use built-in prices (3)" }).click();
  await reset.waitFor({ state: "hidden" });
  await row("gpt-4o").getByText("$2.50").waitFor();
  expect(await prices()).toMatchObject([{ input: 2 }, { input: 2.5 }, { input: 2.5 }]);
  expect(pageErrors).toEqual([]);
});

test("root compares a price list, takes one price and sets another aside", {
  tags: ["large"],
}, async () => {
  const list = {
    "gpt-4o": { input_cost_per_token: 3e-6, output_cost_per_token: 1e-5 },
    "in-house": { input_cost_per_token: 1e-6, output_cost_per_token: 2e-6 },
  };
  const card = page.getByRole("region", { name: "Newer prices" }).first();
  await card.getByLabel("Price list", { exact: true }).setInputFiles({
    name: "prices.json",
    mimeType: "application/json",
    buffer: Buffer.from(JSON.stringify(list)),
  });
  const offer = (name: string) => card.getByRole("row").filter({ hasText: name });
  await offer("gpt-4o").getByText("input +20%").waitFor();
  await offer("in-house").getByText("input $1.00").waitFor();
  await inspectScreen(page, "price-offers");
  expect(await prices()).toMatchObject([{ input: 2 }, { input: 2.5 }, { input: 2.5 }]);
  await page.getByRole("button", { name: "Edit the price of gpt-4o", exact: true }).click();
  const edited = page.getByRole("dialog", { name: "Set prices" });
  await edited.getByLabel("Input", { exact: true }).fill("2");
  await edited.getByRole("button", { name: "Preview" }).click();
  await edited.getByRole("button", { name: "Set prices (1)" }).click();
  await offer("gpt-4o").getByText("input +50%").waitFor();

  await offer("gpt-4o").getByRole("checkbox").check();
  await card.getByRole("button", { name: "Take prices (1)" }).click();
  const asked = page.getByRole("dialog", { name: "Take prices (1)" });
  await asked.getByRole("button", { name: "Take prices (1)" }).click();
  await asked.waitFor({ state: "hidden" });
  await offer("gpt-4o").waitFor({ state: "hidden" });
  await row("gpt-4o").getByText("$3.00").waitFor();
  expect(await prices()).toMatchObject([{ input: 2 }, { input: 3, output: 10 }, { input: 2.5 }]);

  await offer("in-house").getByRole("checkbox").check();
  await card.getByRole("button", { name: "Set aside (1)" }).click();
  const aside = page.getByRole("dialog", { name: "Set aside (1)" });
  await aside.getByRole("button", { name: "Set aside (1)" }).click();
  await aside.waitFor({ state: "hidden" });
  await offer("in-house").getByText("Set aside").waitFor();

  await card.getByLabel("Address of a price list, read daily").fill("http://127.0.0.1:1/list.json");
  await card.getByRole("button", { name: "Compare" }).click();
  await card.getByText(/PRICE_LIST_PRIVATE_HOSTS/).waitFor();
  // The browser says itself that the address was refused.
  expect(pageErrors.filter((text) => !text.includes("400 (Bad Request)"))).toEqual([]);
});
