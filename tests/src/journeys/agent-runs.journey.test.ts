import { createToken } from "@tollgate/contract/accounts/tokens.ts";
import { createChannel } from "@tollgate/contract/catalogue/channels.ts";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { eventually } from "../harness/eventually.ts";
import type { TestGateway } from "../harness/test-gateway.ts";
import { startBrowserGateway } from "./browser-gateway.ts";
import { collectPageErrors, heading, openPage, openSignedIn } from "./console-pages.ts";
import { inspectScreen } from "./inspect-page.ts";

let gateway: TestGateway;
let page: Page;
let pageErrors: string[];
let key: string;
const password = "correct horse battery";
const session = crypto.randomUUID();

beforeAll(async () => {
  gateway = await startBrowserGateway({
    store: "sqlite",
    env: { INITIAL_ROOT_PASSWORD: password },
  });
  const root = await gateway.signIn("root", password);
  const base_url = gateway.simulator.url;
  await root.call(createChannel, {
    body: { name: "Main", type: 50, key: "sim-ok", base_url, models: "m1" },
  });
  key = (await root.call(createToken, { body: { name: "laptop", unlimited_quota: true } })).data
    .key;
  page = await openPage(await gateway.newContext());
  pageErrors = collectPageErrors(page);
});
afterAll(() => gateway.close());

async function ask(messages: object[] = []): Promise<number> {
  const response = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: "POST",
    headers: {
      ...{
        authorization: `Bearer ${key}`,
        "content-type": "application/json",
        "x-claude-code-session-id": session,
      },
      "user-agent": "claude-cli/2.1.197 (external, cli)",
    },
    body: JSON.stringify({
      model: "m1",
      messages: [{ role: "user", content: "Hello" }, ...messages],
    }),
  });
  await response.text();
  await gateway.settled();
  return response.status;
}

test("a run is found in the menu of Logs, shows its receipt, and is stopped and continued on its page", async () => {
  await openSignedIn(page, gateway.url, { username: "root", password, path: "/runs" });
  await heading(page, "Agent runs").waitFor();
  await page.getByText("No runs yet.").waitFor();
  await inspectScreen(page, "agent runs without any");
  await ask();
  await ask([
    {
      role: "assistant",
      tool_calls: [{ id: "c", type: "function", function: { name: "Bash", arguments: "{}" } }],
    },
    { role: "tool", tool_call_id: "c", content: "done" },
  ]);
  await eventually(async () =>
    expect(await gateway.rows("select run from runs where calls = 2")).toHaveLength(1),
  );
  await page.reload();
  await inspectScreen(page, "agent runs");
  await page.getByRole("link", { name: /Claude Code/ }).click();
  await heading(page, "Agent run").waitFor();
  await page
    .getByRole("region", { name: "Tools" })
    .getByRole("row", { name: /Bash/ })
    .first()
    .waitFor();
  await page.getByRole("link", { name: "Trace" }).first().waitFor();
  await inspectScreen(page, "agent run");

  await page.getByRole("button", { name: "Stop this run" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Stop", exact: true }).click();
  await page.getByRole("button", { name: "Continue this run" }).waitFor();
  await eventually(async () => expect(await ask()).toBe(403));
  await page.getByRole("button", { name: "Continue this run" }).click();
  await page.getByRole("button", { name: "Stop this run" }).waitFor();
  await eventually(async () => expect(await ask()).toBe(200));

  await page.getByRole("link", { name: "Trace" }).first().click();
  await page.getByRole("dialog").getByRole("link", { name: "Show the run" }).click();
  await heading(page, "Agent run").waitFor();
  await page.goto("/runs/unknown");
  await page.getByText("The run could not be loaded").waitFor();
  await inspectScreen(page, "agent run that is not there");
  expect(pageErrors.filter((text) => !text.includes("status of 400"))).toEqual([]);
});
