import { deviceGrant } from "@tollgate/contract/accounts/agent-sign-ins.ts";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { TestGateway } from "../harness/test-gateway.ts";
import { startBrowserGateway } from "./browser-gateway.ts";
import { collectPageErrors, heading, openPage, openSignedIn } from "./console-pages.ts";
import { inspectScreen } from "./inspect-page.ts";

let gateway: TestGateway;
let page: Page;
let pageErrors: string[];
const password = "correct horse battery";

beforeAll(async () => {
  gateway = await startBrowserGateway({
    store: "sqlite",
    env: { INITIAL_ROOT_PASSWORD: password },
  });
  page = await openPage(await gateway.newContext());
  pageErrors = collectPageErrors(page);
});
afterAll(() => gateway.close());

const post = async (path: string, fields: Record<string, string> = {}) => {
  const headers = { "user-agent": "claude-cli/2.1.332 (external, cli)" };
  const response = await fetch(gateway.url + path, {
    method: "POST",
    headers,
    body: new URLSearchParams(fields),
  });
  return (await response.json()) as Record<string, string>;
};
const exchange = (device_code = "") =>
  post("/api/agent/token", { grant_type: deviceGrant, device_code });

test("a person signs a program in by its code, denies another one, and finds the first among the sessions", async () => {
  const [first, second] = [await post("/api/agent/device"), await post("/api/agent/device")];
  // The program's link leads to the sign-in first, and back.
  await openSignedIn(page, gateway.url, {
    username: "root",
    password,
    path: `/device?user_code=${first.user_code}`,
  });
  await heading(page, "Sign in a program").waitFor();
  await page.getByText(first.user_code ?? "", { exact: true }).waitFor();
  await inspectScreen(page, "a program that asks to be signed in");
  // What asks, from where and since when; the code in the link alone approves nothing.
  for (const fact of ["Claude Code", "127.0.0.1", "Started"])
    await page.getByText(fact, { exact: true }).waitFor();
  expect((await exchange(first.device_code)).error).toBe("authorization_pending");
  await page.getByRole("button", { name: "Sign in Claude Code" }).click();
  await page.getByText("The program is signed in").waitFor();
  expect((await exchange(first.device_code)).token_type).toBe("Bearer");

  await page.goto(`${gateway.url}/device`);
  await page
    .getByRole("textbox", { name: "Code" })
    .fill((second.user_code ?? "").toLowerCase().replace("-", " "));
  await inspectScreen(page, "the code of a program");
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByRole("button", { name: "Deny" }).click();
  await page.getByText("The program was not signed in").waitFor();
  expect((await exchange(second.device_code)).error).toBe("access_denied");

  await page.goto(`${gateway.url}/device?user_code=${second.user_code}`);
  await page.getByText("No program waits with this code.").waitFor();
  await page.goto(`${gateway.url}/settings`);
  await page.getByRole("button", { name: /Sign out Claude Code/ }).waitFor();
  expect(pageErrors).toEqual([]);
});
