// Marks for the prompt cache in the console: chosen for a key that may call Claude, and what they
// saved in the dashboard of its owner.
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { TestGateway } from "../harness/test-gateway.ts";
import { startBrowserGateway } from "./browser-gateway.ts";
import { collectPageErrors, openPage, openSignedIn } from "./console-pages.ts";
import { inspectScreen } from "./inspect-page.ts";

const password = "correct horse battery";
const model = "claude-sonnet-4-5";

let gateway: TestGateway;
let page: Page;
let pageErrors: string[];
let token: { id: number; key: string };

beforeAll(async () => {
  gateway = await startBrowserGateway({
    env: { INITIAL_ROOT_PASSWORD: password, API_RATE_LIMIT: "0" },
  });
  await gateway.given.channel({ name: "others", key: "sim-ok" });
  token = await gateway.given.token({ name: "worker" });
  page = await openPage(await gateway.newContext());
  pageErrors = collectPageErrors(page);
  await openSignedIn(page, gateway.url, {
    username: "root",
    password,
    path: `/tokens/edit/${token.id}`,
  });
});
afterAll(() => gateway.close());

test("a key of an agent that sets no marks has them set, and the dashboard tells what they saved", async () => {
  const marks = page.getByRole("combobox", { name: "Marks for the prompt cache" });
  await page.getByRole("textbox", { name: "Token Name" }).waitFor();
  expect(await marks.count()).toBe(0);
  await gateway.given.channel({
    ...{ name: "claude", type: 14, models: model, model_configs: "" },
    key: "sim-cached-4",
  });
  await page.reload();
  await marks.selectOption("Set by the gateway");
  await inspectScreen(page, "token-prompt-marks");
  await page.getByRole("button", { name: "Update Token", exact: true }).click();
  await page.getByText("Token updated successfully").waitFor();

  const response = await gateway.send(token.key, {
    model,
    messages: [
      { role: "system", content: "Be short. ".repeat(800) },
      { role: "user", content: "One" },
      { role: "assistant", content: "Two" },
      { role: "user", content: "Three" },
    ],
  });
  expect(response.status, await response.text()).toBe(200);
  await gateway.settled();
  await page.goto("/dashboard");
  const line = page.getByText(/Marks of the gateway in 1 call saved/);
  await line.waitFor();
  expect(await line.innerText()).toMatch(/saved \$0\.\d+, less what writing cost\.$/);
  await inspectScreen(page, "dashboard-prompt-marks");
  expect(pageErrors).toEqual([]);
});
