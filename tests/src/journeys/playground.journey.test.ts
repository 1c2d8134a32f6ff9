// The playground: what a user tries before writing a program, with what it costs.

import { listTokens } from "@tollgate/contract/accounts/tokens.ts";
import { createChannel } from "@tollgate/contract/catalogue/channels.ts";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { ApiSession } from "../harness/api-session.ts";
import type { TestGateway } from "../harness/test-gateway.ts";
import { startBrowserGateway } from "./browser-gateway.ts";
import { collectPageErrors, heading, openPage, pathOf, signIn } from "./console-pages.ts";
import { inspectScreen } from "./inspect-page.ts";

const password = "correct horse battery";
let gateway: TestGateway;
let root: ApiSession;
let page: Page;
let pageErrors: string[];

beforeAll(async () => {
  gateway = await startBrowserGateway({ env: { INITIAL_ROOT_PASSWORD: password } });
  root = await gateway.signIn("root", password);
  const visitor = await gateway.newContext({ permissions: ["clipboard-read", "clipboard-write"] });
  page = await openPage(visitor);
  pageErrors = collectPageErrors(page);
  await page.goto("/login?redirect_to=/playground");
  await signIn(page, "root", password);
  await heading(page, "Playground").waitFor();
});
afterAll(() => gateway.close());
beforeEach(() => {
  pageErrors.length = 0;
});

const ask = async (text: string) => {
  await page.getByLabel("Message", { exact: true }).fill(text);
  await page.getByRole("button", { name: "Send", exact: true }).click();
};
const thread = (name: string) => page.getByRole("region", { name, exact: true });

test("without a model the page says so", async () => {
  await page.getByText("No channel offers a model yet.").waitFor();
  for (const [name, key, models] of [
    ["quick", "sim-ok+as-quick", "gpt-4o-mini,gpt-4o"],
    ["refusing", "sim-fail-401", "m-refused"],
  ]) {
    const body = {
      name: name ?? "",
      type: 50,
      key: key ?? "",
      base_url: gateway.simulator.url,
      models: models ?? "",
    };
    await root.call(createChannel, { body });
  }
});

test("an answer streams in and is shown with cost, tokens, times and its trace", async () => {
  await page.goto("/playground");
  await page.getByRole("combobox", { name: "Model", exact: true }).selectOption("gpt-4o-mini");
  await page.getByLabel("System prompt").fill("Be brief");
  await ask("one two three");
  const model = thread("Model");
  await model.getByText(/First token after [\d.]+ m?s/).waitFor();
  await model.getByText(/^\d+ tokens$/).waitFor();
  await model.getByText(/^\$0\.0/).waitFor();
  await model.getByRole("link", { name: "Show trace" }).click();
  await page
    .getByRole("dialog", { name: "Request Trace" })
    .getByText("gpt-4o-mini")
    .first()
    .waitFor();
  await expect.poll(() => pathOf(page)).toMatch(/^\/logs\?trace=/);
  // The key that it used is in no list.
  expect((await root.call(listTokens, {})).data).toEqual([]);
  expect(pageErrors).toEqual([]);
});

test("two models answer side by side, and each goes on with its own conversation", {
  tags: ["large"],
}, async () => {
  await page.goto("/playground");
  await page.getByRole("button", { name: "Compare two models" }).click();
  await page.getByLabel("Stream the answer").uncheck();
  await page.getByRole("combobox", { name: "First model" }).selectOption("gpt-4o");
  await page.getByRole("combobox", { name: "Second model" }).selectOption("m-refused");
  await ask("hello");
  await thread("First model")
    .getByText(/^\d+ tokens$/)
    .waitFor();
  await thread("Second model").getByRole("alert").waitFor();
  await page.getByRole("combobox", { name: "Second model" }).selectOption("gpt-4o-mini");
  await ask("and again");
  await expect
    .poll(() =>
      thread("Second model")
        .getByText(/^\d+ tokens$/)
        .count(),
    )
    .toBe(1);
  await inspectScreen(page, "playground", { widths: [1440, 1024, 768, 375], isWalked: false });
  await page.getByRole("button", { name: "Clear", exact: true }).click();
  await expect
    .poll(() => page.getByText("The answer appears here, with its cost.").count())
    .toBe(2);
});

test("wrong parameters are said at their fields, and the call is copied as code with an image in short", {
  tags: ["large"],
}, async () => {
  await page.goto("/playground");
  await page.getByLabel("Temperature").fill("9");
  await page.getByText("From 0 to 2").waitFor();
  await page.getByLabel("Message", { exact: true }).fill("What is this?");
  expect(await page.getByRole("button", { name: "Send", exact: true }).isDisabled()).toBe(true);
  await page.getByLabel("Temperature").fill("0.5");
  const png = Buffer.from(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
    "base64",
  );
  await page
    .locator('input[type="file"]')
    .setInputFiles({ name: "dot.png", mimeType: "image/png", buffer: png });
  await page.getByRole("button", { name: "Remove dot.png" }).waitFor();
  await page.getByRole("button", { name: "Copy as code" }).click();
  const dialog = page.getByRole("dialog", { name: "Copy as code" });
  await dialog.getByRole("button", { name: "Python", exact: true }).click();
  await dialog.getByRole("button", { name: "Copy code" }).click();
  const code = await page.evaluate<string>("navigator.clipboard.readText()");
  expect(code).toContain(`${gateway.url.replace(/\/$/, "")}/v1`);
  expect(code).toContain("What is this?");
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await thread("Model")
    .getByText(/^\d+ tokens$/)
    .waitFor();
  expect(pageErrors).toEqual([]);
});

test("the page stands below Models, which the header marks as its parent", {
  tags: ["large"],
}, async () => {
  const links = page.getByRole("navigation", { name: "Main" }).getByRole("link");
  const names = (await links.allInnerTexts()).map((name) => name.trim());
  expect(names).toContain("Models");
  expect(names).not.toContain("Playground");
  await page
    .getByRole("navigation", { name: "Breadcrumbs" })
    .getByRole("link", { name: "Models" })
    .waitFor();
});
