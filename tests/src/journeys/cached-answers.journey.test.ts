// The response cache in the console: offered in the form of a key once the site has it, used by the
// key's calls, and told in the trace.
import { composeUuidFromId } from "@tollgate/gateway/storage/time-ids.ts";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { chatBody, type TestGateway } from "../harness/test-gateway.ts";
import { startBrowserGateway } from "./browser-gateway.ts";
import { collectPageErrors, openPage, openSignedIn } from "./console-pages.ts";
import { inspectScreen } from "./inspect-page.ts";

const password = "correct horse battery";

let gateway: TestGateway;
let page: Page;
let pageErrors: string[];
let token: { id: number; key: string };

beforeAll(async () => {
  gateway = await startBrowserGateway({
    env: { INITIAL_ROOT_PASSWORD: password, API_RATE_LIMIT: "0" },
  });
  await gateway.given.channel({ key: "sim-ok" });
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

const age = () => page.getByRole("textbox", { name: "Oldest cached answer, in seconds" });

async function cacheStates(): Promise<(string | null)[]> {
  const headers = { "x-tollgate-cache": "max-age=600" };
  const states: (string | null)[] = [];
  for (let call = 0; call < 2; call += 1) {
    const response = await gateway.send(token.key, chatBody(), { headers });
    await response.text();
    states.push(response.headers.get("x-tollgate-cache"));
    await gateway.settled();
  }
  return states;
}

test("a key whose holder allows it gets cached answers, and the trace says so", async () => {
  await page.getByRole("textbox", { name: "Token Name" }).waitFor();
  expect(await age().count()).toBe(0);
  await gateway.api("PUT", "/api/option/", { key: "ResponseCacheEnabled", value: "true" });
  expect(await cacheStates()).toEqual([null, null]);

  await page.reload();
  await age().fill("90000");
  await page.getByRole("button", { name: "Update Token", exact: true }).click();
  await page.getByText("Enter a whole number from 0 to 86,400").waitFor();
  await age().fill("600");
  await inspectScreen(page, "token-cache");
  await page.getByRole("button", { name: "Update Token", exact: true }).click();
  await page.getByText("Token updated successfully").waitFor();

  expect(await cacheStates()).toEqual(["miss", "hit"]);
  await page.goto(`/logs?trace=${composeUuidFromId((await gateway.lastLog()).id)}`);
  const trace = page.getByRole("dialog", { name: "Request Trace" });
  await trace.getByText("answered from the response cache").first().waitFor();
  expect(pageErrors).toEqual([]);
});
