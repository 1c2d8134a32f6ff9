// Contents of calls in the console: a key that keeps them, and the conversation in the trace of a
// call, each view recorded.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { composeUuidFromId } from "@tollgate/gateway/storage/time-ids.ts";
import type { BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { eventually } from "../harness/eventually.ts";
import type { TestGateway } from "../harness/test-gateway.ts";
import { startBrowserGateway } from "./browser-gateway.ts";
import { collectPageErrors, openPage, signIn } from "./console-pages.ts";
import { inspectScreen } from "./inspect-page.ts";

const password = "correct horse battery";

let folder: string;
let gateway: TestGateway;
let context: BrowserContext;
let page: Page;
let pageErrors: string[];
let token: { id: number; key: string };

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "tollgate-bodies-"));
  const env = { INITIAL_ROOT_PASSWORD: password, API_RATE_LIMIT: "0", CALL_BODIES: folder };
  gateway = await startBrowserGateway({ env });
  await gateway.given.channel({ key: "sim-ok" });
  token = await gateway.given.token({ name: "worker" });
  context = await gateway.newContext();
  page = await openPage(context);
  pageErrors = collectPageErrors(page);
  await page.goto(`/login?redirect_to=${encodeURIComponent(`/tokens/edit/${token.id}`)}`);
  await signIn(page, "root", password);
});
afterAll(async () => {
  await gateway.close();
  rmSync(folder, { recursive: true });
});

const views = () =>
  gateway.rows<{ action: string }>("select action from audit_entries where action = 'body.view'");

test("the holder of a key keeps its contents without credentials, and reads them in the trace of a call", async () => {
  await page
    .getByLabel("Contents of calls")
    .selectOption({ label: "Keep without credentials and attachments" });
  await inspectScreen(page, "token-contents");
  await page.getByRole("button", { name: "Update Token", exact: true }).click();
  await page.getByText("Token updated successfully").waitFor();

  const content = "Tell me about AKIAQZ3JX7LM2NB5VTRW, please";
  await gateway.chat(token.key, { messages: [{ role: "user", content }], max_tokens: 12 });
  const { id } = await gateway.lastLog();
  await eventually(async () =>
    expect(await gateway.api("GET", `/api/trace/log/${id}`)).toHaveProperty("body"),
  );
  await page.goto(`/logs?trace=${composeUuidFromId(id)}`);
  const trace = page.getByRole("dialog", { name: "Request Trace" });
  await trace.getByText("kept, without credentials and attachments").waitFor();
  expect(await views()).toEqual([]);
  await trace.getByRole("button", { name: "Show contents" }).click();
  await trace.getByText("Tell me about [removed: an AWS access key], please").first().waitFor();
  await trace.getByRole("listitem").filter({ hasText: "assistant" }).waitFor();
  expect(await views()).toHaveLength(1);
  await trace.getByText("Request as it was sent").focus();
  await inspectScreen(page, "call-contents");
  await trace.getByText("Request as it was sent").click();
  await trace.getByRole("region", { name: "Request as it was sent" }).waitFor();
  expect(pageErrors).toEqual([]);
});
