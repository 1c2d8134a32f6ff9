// Questions, messages and columns of the channel pages, where every call is answered by an example.
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { sharedBrowser } from "../harness/chromium.ts";
import { type ContractServer, startContractServer } from "../harness/contract-server.ts";
import { openOddPage } from "./odd-replies.ts";

let browser: Browser;
let server: ContractServer;
let visitor: BrowserContext;
let page: Page;
beforeAll(async () => {
  browser = await sharedBrowser();
  server = await startContractServer();
});
afterAll(() => server.close());
beforeEach(async () => {
  visitor = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  page = (await openOddPage(visitor, server)).page;
  server.answer();
});
afterEach(() => visitor.close());

const open = (path: string) => page.goto(server.url + path);
const choose = async (verb: string) => {
  await page.getByRole("button", { name: "More actions for name", exact: true }).click();
  await page.getByRole("menuitem", { name: verb, exact: true }).click();
};

test("the list asks for the newest channels first, and before it deletes one", async () => {
  const asked: string[] = [];
  page.on("request", (request) => asked.push(request.url().slice(server.url.length)));
  await open("/channels");
  await choose("Delete");
  await page
    .getByRole("dialog")
    .getByText("Are you sure you want to delete this channel?", { exact: true })
    .waitFor();
  expect(asked.filter((path) => path.startsWith("/api/channel/?"))[0]).toContain(
    "?p=0&size=10&sort=id&order=desc",
  );
});

test("a test that reaches no gateway is a network error, and one without a reason an unknown one", {
  tags: ["large"],
}, async () => {
  await open("/channels");
  await page.route("**/api/channel/test/*", (route) => route.abort("connectionrefused"));
  await choose("Test");
  const notices = page.getByRole("region", { name: "Notifications" });
  await notices.getByText("Network error").waitFor();
  await page.unroute("**/api/channel/test/*");
  await page.route("**/api/channel/test/*", (route) =>
    route.fulfill({ json: { success: false, message: "" } }),
  );
  await choose("Test");
  await notices.getByText("Channel test failed: Unknown error").waitFor();
});

test("on a phone a channel shows its creation and its response time among its details alone", {
  tags: ["large"],
}, async () => {
  await page.setViewportSize({ width: 375, height: 800 });
  await open("/channels");
  const row = page.getByRole("button", { name: "name", exact: true });
  await row.waitFor();
  const shown = (word: string) =>
    page.getByText(word, { exact: true }).filter({ visible: true }).count();
  for (const hidden of ["Created", "Response"]) expect(await shown(hidden), hidden).toBe(0);
  // What is hidden is among the details of the row.
  await row.click();
  for (const hidden of ["Created", "Response"]) expect(await shown(hidden), hidden).toBe(1);
});

test("the form has the versions of Spark, and a message for a wrong map of profiles", {
  tags: ["large"],
}, async () => {
  await open("/channels/add");
  const type = page.getByLabel("Channel type");
  await type.selectOption({ label: "iFlytek Spark" });
  const versions = await page.getByLabel("Spark version").getByRole("option").allInnerTexts();
  expect(versions).toEqual(expect.arrayContaining(["v1.1", "v2.1", "v3.1", "v3.5"]));
  await type.selectOption({ label: "AWS Bedrock" });
  await page.getByLabel("Inference profile ARN map", { exact: true }).fill("{");
  await page.getByRole("button", { name: "Create Channel" }).click();
  await page
    .getByText("Invalid JSON format in inference profile ARN map", { exact: true })
    .waitFor();
});
