// The status page: an operator shows it, and a visitor reads how the models fare.
import { afterAll, beforeAll, expect, test } from "vitest";
import { eventually } from "../harness/eventually.ts";
import type { TestGateway } from "../harness/test-gateway.ts";
import { startBrowserGateway } from "./browser-gateway.ts";
import { collectPageErrors, heading, openPage, pathOf, signIn } from "./console-pages.ts";
import { inspectScreen } from "./inspect-page.ts";

const password = "correct horse battery";
/** Enough for an incident, also when an hour ends between them. */
const calls = 10;
let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startBrowserGateway({ env: { INITIAL_ROOT_PASSWORD: password } });
  await gateway.given.channel({ key: "sim-ok", models: "steady", name: "secret channel" });
  await gateway.given.channel({ key: "sim-fail-500", models: "shaky" });
  const { key } = await gateway.given.token();
  for (const model of ["steady", "shaky"])
    for (let n = 0; n < calls; n += 1) await gateway.chat(key, { model });
  await gateway.settled();
  await eventually(async () => {
    const [row] = await gateway.rows<{ requests: number }>(
      "select sum(requests) as requests from rollup_day_model",
    );
    if (Number(row?.requests) < 2 * calls)
      throw new Error("the roll-ups do not have every call yet");
  });
});
afterAll(() => gateway.close());

test("root shows it to visitors, who see models that work and models that fail, and no channel", async () => {
  const visitor = await gateway.newContext();
  const page = await openPage(visitor);
  const pageErrors = collectPageErrors(page);
  await page.goto("/status");
  await page.getByText("This site has no status page.").waitFor();
  await inspectScreen(page, "status page that is off");
  await gateway.api("PUT", "/api/option/", { key: "StatusPageEnabled", value: "true" });
  await expect
    .poll(async () => {
      await page.reload();
      return page.getByText("Sign in to see the status of the models.").count();
    })
    .toBe(1);
  await inspectScreen(page, "status page for users alone");
  await page.goto(`/login?redirect_to=${encodeURIComponent("/settings/other")}`);
  await signIn(page, "root", password);
  await page.getByLabel("Show it to visitors too").check();
  await page.getByRole("button", { name: "Save", exact: true }).click();
  const status = async () => (await visitor.request.get("/api/status")).text();
  await expect.poll(status, { timeout: 10_000 }).toContain('"status_page":"public"');

  const stranger = await openPage(await gateway.newContext());
  const strangerErrors = collectPageErrors(stranger);
  await stranger.goto("/models");
  await stranger.getByRole("link", { name: "Status" }).click();
  await heading(stranger, "Status").waitFor();
  await expect.poll(() => pathOf(stranger)).toBe("/status");
  const row = (model: string) => stranger.getByRole("listitem").filter({ hasText: model }).first();
  await row("steady").getByText("Works").waitFor();
  await row("shaky").getByText("Most calls fail").waitFor();
  await stranger.getByText("Calls to 1 model fail.").waitFor();
  const incidents = stranger.getByRole("region", { name: "Incidents" });
  await incidents.getByText("goes on").waitFor();
  expect(await stranger.getByRole("main").innerText()).not.toContain("secret channel");
  await inspectScreen(stranger, "status page");
  expect(strangerErrors).toEqual([]);
  const health = "**/api/service_health**";
  await stranger.route(health, (route) =>
    route.fulfill({ status: 503, json: { success: false, message: "The database is away" } }),
  );
  await stranger.reload();
  await stranger.getByText("The status could not be loaded").waitFor();
  await inspectScreen(stranger, "status page that failed");
  await stranger.unroute(health);
  await stranger.getByRole("button", { name: "Retry" }).click();
  await row("steady").getByText("Works").waitFor();
  expect(pageErrors).toEqual([]);
});
