/**
 * Sign-ins with a second identity server, written by others than the first: canaille, in Chromium,
 * on its own pages.
 */
import {
  createOidcProvider,
  testOidcProvider,
  updateOidcProvider,
} from "@tollgate/contract/accounts/oidc-providers.ts";
import { getSelf } from "@tollgate/contract/accounts/sessions.ts";
import type { BrowserContext, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { freePort } from "../harness/free-port.ts";
import { databaseKinds } from "../harness/gateway-database.ts";
import { pythonAvailable } from "../harness/python-packages.ts";
import type { TestGateway } from "../harness/test-gateway.ts";
import { startBrowserGateway } from "../journeys/browser-gateway.ts";
import { collectPageErrors, openPage, openSignedIn, pathOf } from "../journeys/console-pages.ts";
import { inspectScreen } from "../journeys/inspect-page.ts";
import {
  type CanailleServer,
  canailleClient,
  canaillePassword,
  startCanaille,
} from "./canaille-server.ts";

const password = "correct horse battery";
const slug = "second";
const possible = pythonAvailable();
const reason = possible.available ? "" : ` (${possible.reason})`;

describe.skipIf(!possible.available).each(databaseKinds)(`canaille${reason}, on %s`, (store) => {
  let provider: CanailleServer;
  let gateway: TestGateway;
  let providerId: number;
  let visitor: BrowserContext;
  let page: Page;
  let ownErrors: () => string[];

  beforeAll(async () => {
    const [port, providerPort] = [String(await freePort()), await freePort()];
    const siteUrl = `http://127.0.0.1:${port}`;
    const callback = `${siteUrl}/oauth/oidc/${slug}`;
    provider = await startCanaille({
      port: providerPort,
      siteUrl,
      callback,
      people: ["mira", "noor", "omar"],
    });
    gateway = await startBrowserGateway({
      store,
      env: {
        PORT: port,
        PUBLIC_URL: siteUrl,
        INITIAL_ROOT_PASSWORD: password,
        IDENTITY_PRIVATE_HOSTS: `127.0.0.1:${providerPort}`,
      },
    });
    const root = await gateway.signIn("root", password);
    const { clientId: client_id, clientSecret: client_secret } = canailleClient;
    const input = {
      slug,
      name: "Canaille",
      issuer: provider.issuer,
      client_id,
      client_secret,
      enabled: true,
    };
    const scopes = "openid profile email groups";
    const rules = [{ claim: "groups", value: "gateway-admins", role: 10 as const, group: "" }];
    const made = await root.call(createOidcProvider, {
      body: { ...input, scopes, rules, ends_session: true },
    });
    providerId = made.data.id;
  }, 300_000);
  afterAll(async () => {
    await gateway?.close();
    await provider?.stop();
  });
  const openAsStranger = async () => {
    visitor = await gateway.newContext();
    page = await openPage(visitor);
    const all = collectPageErrors(page);
    // Canaille's own pages have some.
    ownErrors = () => all.filter((text) => text.includes(gateway.url));
  };
  beforeEach(openAsStranger);
  afterEach(() => visitor.close());

  const giveName = async (name: string) => {
    await page.locator("input[name=login]").fill(name);
    await page.locator("input[name=login]").press("Enter");
    await page.locator("input[name=password]").fill(canaillePassword);
    await page.locator("input[name=password]").press("Enter");
  };
  const startAtProvider = async () => {
    await page.goto("/login?redirect_to=%2Ftokens");
    await page.getByRole("button", { name: "Canaille", exact: true }).click();
  };
  /** `comeBack` asks for consent once, and whom it asks depends on how it keeps its data. */
  const comeBack = async () => {
    const isBack = page.waitForURL(`${gateway.url}/**`).then(() => true);
    const accept = page.locator("button[name=answer][value=accept]");
    const isAsked = accept.waitFor().then(
      () => false,
      () => true,
    );
    if (!(await Promise.race([isBack, isAsked]))) await accept.click();
    await isBack;
  };
  const signInAs = async (name: string) => {
    await startAtProvider();
    await giveName(name);
    await comeBack();
    await expect.poll(() => pathOf(page)).toBe("/tokens");
  };
  const self = async () => (await (await visitor.request.get(getSelf.path)).json()).data;

  test("its document and its client pass the test of the provider, and an issuer without its slash is named", async () => {
    const root = await gateway.signIn("root", password);
    const body = { issuer: provider.issuer, client_id: canailleClient.clientId };
    const run = async (change: object) =>
      (await root.call(testOidcProvider, { body: { ...body, ...change } })).data;
    expect(await run({ client_secret: canailleClient.clientSecret })).toMatchObject({
      problem: null,
      announces_pkce: true,
      end_session_endpoint: `${provider.issuer}oauth/end_session`,
      scopes: expect.arrayContaining(["groups"]),
    });
    // It answers a wrong secret with an error of its own.
    expect(await run({ client_secret: "wrong" })).toMatchObject({
      problem: "client",
      detail: expect.stringContaining("answered 500"),
    });
    const shorter = await run({
      issuer: provider.issuer.slice(0, -1),
      client_secret: canailleClient.clientSecret,
    });
    expect(shorter).toMatchObject({ problem: "issuer", detail: provider.issuer });
  });

  test("who denies consent comes back to the sign-in page, without an account", async () => {
    await startAtProvider();
    await giveName("omar");
    await page.locator("button[name=answer][value=deny]").click();
    await page
      .getByText("Canaille authentication failed. Please try again.", { exact: true })
      .waitFor();
    await expect.poll(() => pathOf(page)).toBe("/login");
    expect((await visitor.request.get(getSelf.path)).status()).toBe(401);
    await inspectScreen(page, "login-canaille");
  });

  test("a person signs in, is an administrator by a group, and no longer without it", async () => {
    await provider.setGroups({ "gateway-admins": ["mira"] });
    await signInAs("mira");
    const first = await self();
    expect(first).toMatchObject({
      username: "mira",
      display_name: "Person mira",
      role: 10,
      has_password: false,
    });
    expect(ownErrors()).toEqual([]);
    await visitor.close();

    await provider.setGroups({});
    await openAsStranger();
    await signInAs("mira");
    expect(await self()).toMatchObject({ uuid: first.uuid, role: 1 });
  });

  test("a sign-out here ends the session there, which asks who it is the next time", async () => {
    await signInAs("noor");
    await page.getByRole("button", { name: /noor/i }).click();
    await page.getByRole("menuitem", { name: "Logout" }).click();
    await expect.poll(() => page.url().startsWith(`${gateway.url}/login`)).toBe(true);
    expect((await visitor.request.get(getSelf.path)).status()).toBe(401);
    await startAtProvider();
    await page.locator("input[name=login]").waitFor();
  });

  test("a user of this site binds the account there, with proof, and signs in with it", async () => {
    await gateway.given.user("binder", { password });
    await openSignedIn(page, gateway.url, { username: "binder", password, path: "/settings" });
    await page.getByRole("button", { name: "Bind Canaille", exact: true }).click();
    await giveName("omar");
    await comeBack();
    await page.getByText("Canaille account bound successfully!", { exact: true }).waitFor();
    const { uuid } = await self();
    await visitor.close();
    await openAsStranger();
    await signInAs("omar");
    expect(await self()).toMatchObject({ uuid, username: "binder" });
  });

  test("a callback that was watched opens no session elsewhere", { tags: ["F-10"] }, async () => {
    let callback = "";
    page.on("request", (request) => {
      if (request.url().startsWith(`${gateway.url}/oauth/oidc/${slug}?`)) callback = request.url();
    });
    await signInAs("mira");
    expect(callback).toContain("code=");
    await visitor.close();
    await openAsStranger();
    await page.goto(callback);
    await expect.poll(() => pathOf(page)).toBe("/login");
    expect((await visitor.request.get(getSelf.path)).status()).toBe(401);
  });

  test("a key that was rotated is found within a minute of the last look at the keys", async () => {
    await provider.rotateKey("second");
    const isIn = async () => {
      await startAtProvider();
      const name = page.locator("input[name=login]");
      if (page.url().startsWith(provider.issuer) && (await name.isVisible()))
        await giveName("mira");
      await comeBack();
      await expect.poll(() => pathOf(page)).toMatch(/^\/(?:login|tokens)/);
      return (await self())?.username;
    };
    // Refused sign-ins are limited, and the console repeats each.
    await expect.poll(isIn, { timeout: 100_000, interval: 15_000 }).toBe("mira");
  });

  test("a provider that is down stops no other way in, and is named to root alone", async () => {
    const root = await gateway.signIn("root", password);
    const issuer = "https://nowhere.invalid/";
    const { clientSecret: client_secret } = canailleClient;
    await root.call(updateOidcProvider, { body: { id: providerId, issuer, client_secret } });
    await page.goto("/login");
    await page.getByRole("button", { name: "Canaille", exact: true }).click();
    await expect.poll(() => page.getByRole("alert").allInnerTexts()).not.toEqual([]);
    expect(pathOf(page)).toBe("/login");
    await openSignedIn(page, gateway.url, { username: "binder", password, path: "/tokens" });
    expect((await self()).username).toBe("binder");
    await root.call(updateOidcProvider, {
      body: { id: providerId, issuer: provider.issuer, client_secret },
    });
  });
});
