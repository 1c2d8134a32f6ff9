// The console below a path of a host: from the sign-in to the trace of a first call, and back after
// a reload.
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { freePort } from "../harness/free-port.ts";
import type { FrontingProxy } from "../harness/fronting-proxy.ts";
import { nginxAvailable, startNginx } from "../harness/nginx-server.ts";
import type { TestGateway } from "../harness/test-gateway.ts";
import { startBrowserGateway } from "./browser-gateway.ts";
import { collectPageErrors, heading, openPage, signIn } from "./console-pages.ts";

const password = "correct horse battery";
const path = "/gate";
const possible = nginxAvailable();
const reason = possible.available ? "" : ` (${possible.reason})`;

describe.skipIf(!possible.available)(`below a path behind nginx${reason}`, () => {
  let gateway: TestGateway;
  let nginx: FrontingProxy;
  let site: string;
  let page: Page;
  let pageErrors: string[];
  const strayPaths: string[] = [];

  beforeAll(async () => {
    const port = await freePort();
    site = `http://127.0.0.1:${port}${path}`;
    gateway = await startBrowserGateway({
      env: {
        PUBLIC_URL: site,
        TRUSTED_PROXIES: "127.0.0.1",
        INITIAL_ROOT_PASSWORD: password,
      },
    });
    nginx = await startNginx(gateway.url, { port, below: { path, isStripped: false } });
    await gateway.given.channel({ key: "sim-ok" });
    page = await openPage(await gateway.newContext());
    pageErrors = collectPageErrors(page);
    page.on("request", (request) => {
      const url = new URL(request.url());
      if (url.port === String(port) && !url.pathname.startsWith(`${path}/`))
        strayPaths.push(url.pathname);
    });
  });
  afterAll(async () => {
    await nginx.stop();
    await gateway.close();
  });

  const readPath = () => new URL(page.url()).pathname;

  test("a user signs in, makes a key, sends a first call and finds it in the log", async () => {
    await page.goto(`${site}/tokens`);
    await page.waitForURL(`${site}/login**`);
    await signIn(page, "root", password);
    await heading(page, "Tokens").waitFor();
    expect(readPath()).toBe(`${path}/tokens`);

    await page.getByRole("link", { name: "Add Token" }).first().click();
    await page.getByLabel("Token Name").fill("below");
    await page.getByRole("button", { name: "Create Token" }).click();
    await page.getByText(`${site}/v1`).first().waitFor();
    await page.getByRole("button", { name: "Send a first call" }).click();
    await page.getByText("The first call arrived").waitFor();
    await page.getByRole("link", { name: "Show trace" }).click();
    await page.getByRole("dialog", { name: "Request Trace" }).waitFor();
    expect(readPath()).toBe(`${path}/logs`);
    expect([strayPaths, pageErrors]).toEqual([[], []]);
  });

  test("a reload, a link of a row and the way back stay below the path", async () => {
    await page.goto(`${site}/channels`);
    await heading(page, "Channels").waitFor();
    const row = page.getByRole("link", { name: "channel 1" }).first();
    expect(await row.getAttribute("href")).toMatch(new RegExp(`^${path}/channels/[^/]+$`));
    await row.click();
    await page.waitForURL(`${site}/channels/*`);
    await page.reload();
    await page.getByRole("heading", { level: 1 }).getByText("channel 1").waitFor();
    await page.goBack();
    await heading(page, "Channels").waitFor();
    expect(readPath()).toBe(`${path}/channels`);
    expect([strayPaths, pageErrors]).toEqual([[], []]);
  });

  test("another language and a page of settings are found", async () => {
    await page.goto(`${site}/settings`);
    await page.getByRole("button", { name: "Language", exact: true }).click();
    await page.getByRole("menuitemradio", { name: "Deutsch" }).click();
    await page.getByRole("heading", { name: "Einstellungen", exact: true }).waitFor();
    expect([strayPaths, pageErrors]).toEqual([[], []]);
  });
});
