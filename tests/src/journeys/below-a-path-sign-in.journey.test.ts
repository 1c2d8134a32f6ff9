/**
 * Sign-ins below a path of a host, whose proxy takes the path off: the way to a provider of OpenID
 * Connect and back, and a passkey, which knows hosts and no paths.
 */
import { createOidcProvider } from "@tollgate/contract/accounts/oidc-providers.ts";
import { getSelf } from "@tollgate/contract/accounts/sessions.ts";
import type { BrowserContext, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { certifiedClient, startCertifiedOidcProvider } from "../harness/certified-oidc-provider.ts";
import { freePort } from "../harness/free-port.ts";
import type { FrontingProxy } from "../harness/fronting-proxy.ts";
import { nginxAvailable, startNginx } from "../harness/nginx-server.ts";
import type { TestGateway } from "../harness/test-gateway.ts";
import { startBrowserGateway } from "./browser-gateway.ts";
import { collectPageErrors, openPage, signIn } from "./console-pages.ts";

const password = "correct horse battery";
const path = "/gate";
const possible = nginxAvailable();
const reason = possible.available ? "" : ` (${possible.reason})`;

describe.skipIf(!possible.available)(`sign-ins below a path behind nginx${reason}`, () => {
  let provider: Awaited<ReturnType<typeof startCertifiedOidcProvider>>;
  let gateway: TestGateway;
  let nginx: FrontingProxy;
  let site: string;
  let visitor: BrowserContext;
  let page: Page;
  let pageErrors: string[];

  beforeAll(async () => {
    provider = await startCertifiedOidcProvider();
    const port = await freePort();
    // Browsers make passkeys for names alone, and over plain HTTP for this one.
    site = `http://localhost:${port}${path}`;
    gateway = await startBrowserGateway({
      env: {
        PUBLIC_URL: site,
        TRUSTED_PROXIES: "127.0.0.1",
        INITIAL_ROOT_PASSWORD: password,
        IDENTITY_PRIVATE_HOSTS: new URL(provider.url).host,
      },
    });
    nginx = await startNginx(gateway.url, { port, below: { path, isStripped: true } });
    provider.serve(`${site}/oauth/oidc/company`);
    const root = await gateway.signIn("root", password);
    await root.call(createOidcProvider, {
      body: {
        ...{ slug: "company", name: "Example Company", issuer: provider.url, enabled: true },
        client_id: certifiedClient.clientId,
        client_secret: certifiedClient.clientSecret,
        scopes: "openid profile groups",
      },
    });
  });
  afterAll(async () => {
    await nginx.stop();
    await gateway.close();
    await provider.close();
  });
  beforeEach(async () => {
    visitor = await gateway.newContext();
    page = await openPage(visitor);
    // The provider's own pages ask for a font of the internet, which tests do not reach.
    await page.route("https://fonts.googleapis.com/**", (route) =>
      route.fulfill({ contentType: "text/css", body: "" }),
    );
    pageErrors = collectPageErrors(page);
  });
  afterEach(() => visitor.close());

  const readName = async () =>
    (await (await visitor.request.get(site + getSelf.path)).json()).data?.username;

  test("a person goes to the provider and comes back to the page below the path", async () => {
    await page.goto(`${site}/login?redirect_to=%2Ftokens`);
    await page.getByRole("button", { name: "Example Company", exact: true }).click();
    await page.getByPlaceholder("Enter any login").fill("mira");
    await page.getByPlaceholder("and password").fill("any");
    await page.getByRole("button", { name: "Sign-in" }).click();
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByText("Example Company login successful!", { exact: true }).waitFor();
    await page.waitForURL(`${site}/tokens`);
    expect(await readName()).toBe("mira");
    // The session is the path's own: the host beside it knows nobody.
    const [cookie] = (await visitor.cookies(site)).filter(({ name }) => name.includes("session"));
    expect(cookie).toMatchObject({ httpOnly: true, path: "/" });
    expect(cookie?.name).not.toBe("session");
    expect(pageErrors).toEqual([]);
  });

  test("a passkey that was made below the path signs its user in there", async () => {
    await gateway.given.user("walker", { password });
    const devtools = await visitor.newCDPSession(page);
    await devtools.send("WebAuthn.enable", { enableUI: false });
    await devtools.send("WebAuthn.addVirtualAuthenticator", {
      options: {
        ...{ protocol: "ctap2", transport: "internal" },
        ...{ hasResidentKey: true, hasUserVerification: true, isUserVerified: true },
        automaticPresenceSimulation: true,
      },
    });
    await page.goto(`${site}/login?redirect_to=%2Fsettings`);
    await signIn(page, "walker", password);
    await page.waitForURL(`${site}/settings`);
    await page.getByRole("button", { name: "Add passkey", exact: true }).click();
    await page.getByText("Passkey added", { exact: true }).waitFor();
    await visitor.clearCookies();
    await page.evaluate("localStorage.clear()");
    // Nothing is pressed: the device answers what the page suggests.
    await page.goto(`${site}/login?redirect_to=%2Ftokens`);
    await page.waitForURL(`${site}/tokens`);
    expect(await readName()).toBe("walker");
    expect(pageErrors).toEqual([]);
  });
});
