// A dual run in the console: root starts it, sees what calls would have cost here, and ends it.
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { eventually } from "../harness/eventually.ts";
import type { TestGateway } from "../harness/test-gateway.ts";
import { startRecordingProvider } from "../relay/recording-provider.ts";
import { startBrowserGateway } from "./browser-gateway.ts";
import { collectPageErrors, openPage, signIn } from "./console-pages.ts";
import { inspectScreen } from "./inspect-page.ts";

const password = "correct horse battery";
let gateway: TestGateway;
let before: Awaited<ReturnType<typeof startRecordingProvider>>;
let page: Page;
let pageErrors: string[];

beforeAll(async () => {
  before = await startRecordingProvider();
  before.answer = (response) => {
    const choices = [
      { index: 0, message: { role: "assistant", content: "from before" }, finish_reason: "stop" },
    ];
    const usage = { prompt_tokens: 100, completion_tokens: 7, total_tokens: 107 };
    response.writeHead(200, {
      "content-type": "application/json",
      "x-litellm-response-cost": "0.001",
    });
    response.end(
      JSON.stringify({
        id: "c",
        object: "chat.completion",
        created: 1,
        model: "m",
        choices,
        usage,
      }),
    );
  };
  gateway = await startBrowserGateway({
    env: { INITIAL_ROOT_PASSWORD: password },
    upstreams: [before.url],
  });
  await gateway.given.channel({ key: "sim-ok", models: "small-model" });
  page = await openPage(await gateway.newContext());
  pageErrors = collectPageErrors(page);
  await page.goto(`/login?redirect_to=${encodeURIComponent("/settings/other")}`);
  await signIn(page, "root", password);
});
afterAll(async () => {
  await gateway.close();
  await before.close();
});

test("root starts a dual run, sees the differences by model and reason, and ends it", async () => {
  const open = () => page.getByRole("button", { name: "Open dual run" }).click();
  await open();
  await page.getByText("No calls compared yet.").waitFor();
  await inspectScreen(page, "dual-run-none");
  await page.getByLabel("Address of the other gateway").fill("http://10.0.0.1");
  await page.getByRole("button", { name: "Start dual run" }).click();
  await page
    .getByRole("alert")
    .getByText(/address/)
    .waitFor();
  // The browser reports the refusal.
  expect(pageErrors.splice(0)).toEqual([expect.stringContaining("400 (Bad Request)")]);
  await page.getByLabel("Address of the other gateway").fill(before.url);
  await page.getByRole("button", { name: "Start dual run" }).click();
  await page.getByRole("status").getByText(before.url).waitFor();

  const { key } = await gateway.given.token();
  expect((await gateway.chat(key, { model: "small-model" })).status).toBe(200);
  expect((await gateway.chat(key, { model: "only-there" })).status).toBe(200);
  await eventually(async () => {
    const [row] = await gateway.rows<{ calls: number }>(
      "select count(*) as calls from shadow_calls",
    );
    if (Number(row?.calls) !== 2) throw new Error("the calls are not written yet");
  });
  await page.reload();
  await open();
  const rows = page.getByRole("region", { name: "Differences" }).getByRole("row");
  await rows.filter({ hasText: "small-model" }).getByText("Price or ratio differ").waitFor();
  await rows.filter({ hasText: "only-there" }).getByText("No channel here serves it").waitFor();
  await inspectScreen(page, "dual-run");

  await page.getByRole("button", { name: "End dual run" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "End dual run" }).click();
  await page.getByRole("button", { name: "Start dual run" }).waitFor();
  expect(pageErrors).toEqual([]);
});
