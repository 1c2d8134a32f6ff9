/**
 * A passkey of Chromium's virtual authenticator, from the user's settings to the sign-in and back.
 */

import { getSelf } from "@tollgate/contract/accounts/sessions.ts";
import { updateOption } from "@tollgate/contract/site/options.ts";
import type { BrowserContext, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { freePort } from "../harness/free-port.ts";
import type { TestGateway } from "../harness/test-gateway.ts";
import { startBrowserGateway } from "./browser-gateway.ts";
import { collectPageErrors, heading, openPage, openSignedIn, signIn } from "./console-pages.ts";
import { inspectScreen } from "./inspect-page.ts";

const password = "correct horse battery";
let gateway: TestGateway;
let site: string;
let visitor: BrowserContext;
let page: Page;
let pageErrors: string[];

beforeAll(async () => {
  const port = String(await freePort());
  // Browsers make passkeys for names alone, and over plain HTTP for this one.
  site = `http://localhost:${port}`;
  gateway = await startBrowserGateway({
    env: { PORT: port, PUBLIC_URL: site, INITIAL_ROOT_PASSWORD: password },
  });
});
afterAll(() => gateway.close());
beforeEach(async () => {
  visitor = await gateway.newContext();
  page = await openPage(visitor);
  pageErrors = collectPageErrors(page);
});
afterEach(() => visitor.close());

/** A device with a fingerprint reader that recognises its owner at once. */
async function addDevice() {
  const devtools = await visitor.newCDPSession(page);
  await devtools.send("WebAuthn.enable", { enableUI: false });
  const { authenticatorId } = await devtools.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return {
    touch: (enabled: boolean) =>
      devtools.send("WebAuthn.setAutomaticPresenceSimulation", { authenticatorId, enabled }),
    /** `copy` gives what a thief who opens the device copies. */
    copy: async () =>
      (await devtools.send("WebAuthn.getCredentials", { authenticatorId })).credentials,
    hold: (
      credential: Awaited<
        ReturnType<typeof devtools.send<"WebAuthn.getCredentials">>
      >["credentials"][number],
    ) => devtools.send("WebAuthn.addCredential", { authenticatorId, credential }),
    takeAway: () => devtools.send("WebAuthn.removeVirtualAuthenticator", { authenticatorId }),
  };
}

const button = (name: string) => page.getByRole("button", { name, exact: true });
const signedInAs = async () =>
  (await (await visitor.request.get(site + getSelf.path)).json()).data?.username;

async function forget(): Promise<void> {
  await visitor.clearCookies();
  await page.evaluate("localStorage.clear()");
}

test("a page suggests the passkeys of two devices; a copied one is refused, and one that was removed opens nothing", {
  tags: ["PK-04"],
}, async () => {
  await gateway.given.user("walker", { password });
  await openSignedIn(page, site, { username: "walker", password, path: "/settings" });
  for (const name of ["Laptop", "Telephone"]) {
    const device = await addDevice();
    await button("Add passkey").click();
    await page.getByText("Passkey added", { exact: true }).waitFor();
    await page.getByRole("button", { name: /^Rename Chrome/ }).click();
    await page.getByLabel("Name", { exact: true }).fill(name);
    await button("Save").click();
    await button(`Remove ${name}`).waitFor();
    const [credential] = await device.copy();
    if (!credential) throw new Error(`${name} has no passkey`);

    // Nothing is pressed: the device answers what the page suggests.
    await forget();
    await page.goto(`${site}/login?redirect_to=%2Fsettings`);
    await button(`Remove ${name}`).waitFor();
    expect(await signedInAs()).toBe("walker");
    await device.takeAway();

    if (name !== "Telephone") continue;
    // The copy counts from where it was made; the device has signed since.
    const copied = await addDevice();
    await copied.hold(credential);
    await forget();
    await page.goto(`${site}/login`);
    await page.getByText(/it may have been copied/).waitFor();
    expect(await signedInAs()).toBeUndefined();
    await copied.takeAway();

    await openSignedIn(page, site, { username: "walker", password, path: "/settings" });
    await button("Remove Telephone").click();
    await page.getByRole("dialog").getByRole("button", { name: "Remove", exact: true }).click();
    await button("Remove Telephone").waitFor({ state: "detached" });
    await button("Remove Laptop").waitFor();
    const removed = await addDevice();
    await removed.touch(false);
    await removed.hold({ ...credential, signCount: 100 });
    await forget();
    await page.goto(`${site}/login`);
    await button("Passkey").waitFor();
    await removed.touch(true);
    await button("Passkey").click();
    await expect.poll(() => page.getByRole("alert").allInnerTexts()).not.toEqual([]);
    expect(await signedInAs()).toBeUndefined();
  }
});

test("a browser without what passkeys need is offered none", { tags: ["large"] }, async () => {
  await page.goto(`${site}/login`);
  await button("Passkey").waitFor();
  await page.addInitScript("delete PublicKeyCredential.parseRequestOptionsFromJSON");
  await page.goto(`${site}/login`);
  await button("Sign In").waitFor();
  expect(await button("Passkey").count()).toBe(0);
  await gateway.given.user("older", { password });
  await openSignedIn(page, site, { username: "older", password, path: "/settings" });
  await page.getByRole("heading", { name: "Profile", exact: true }).waitFor();
  expect(await button("Add passkey").count()).toBe(0);
  expect(pageErrors).toEqual([]);
});

test("a user adds a passkey, signs in with it, removes it after confirming with it, and adds one that is demanded", async () => {
  const { touch } = await addDevice();
  await openSignedIn(page, site, { username: "root", password, path: "/settings" });
  await page.getByText("No passkeys yet.", { exact: true }).waitFor();
  await button("Add passkey").click();
  await page.getByText("Passkey added", { exact: true }).waitFor();
  await page.getByRole("button", { name: /^Rename Chrome/ }).click();
  await page.getByLabel("Name", { exact: true }).fill("Work laptop");
  await inspectScreen(page, "passkey-name");
  await button("Save").click();
  await button("Remove Work laptop").waitFor();
  await inspectScreen(page, "settings-passkeys");

  await visitor.clearCookies();
  await page.evaluate("localStorage.clear()");
  // The owner is asked when the button is pressed, and not when the page suggests passkeys.
  await touch(false);
  await page.goto(`${site}/login?redirect_to=%2Fsettings`);
  await button("Passkey").waitFor();
  await inspectScreen(page, "login-passkey");
  await touch(true);
  await button("Passkey").click();
  await button("Remove Work laptop").waitFor();
  expect(await signedInAs()).toBe("root");

  // As the gateway answers when the sign-in is older than ten minutes.
  let isFirst = true;
  await page.route("**/api/user/passkey/*", async (route) => {
    if (!isFirst || route.request().method() !== "DELETE") return route.fallback();
    isFirst = false;
    await route.fulfill({ json: { success: false, message: "", code: "reauth_required" } });
  });
  await button("Remove Work laptop").click();
  await page.getByRole("dialog").getByRole("button", { name: "Remove", exact: true }).click();
  await button("Use a passkey").waitFor();
  await inspectScreen(page, "settings-passkey-proof");
  await button("Use a passkey").click();
  await page.getByText("No passkeys yet.", { exact: true }).waitFor();
  expect(pageErrors).toEqual([]);

  // The operator demands a second factor of the role: the next sign-in leads to it, and nothing
  // else opens.
  const root = await gateway.signIn("root", password);
  await root.call(updateOption, { body: { key: "SecondFactorRequiredRole", value: "100" } });
  await visitor.clearCookies();
  await page.evaluate("localStorage.clear()");
  // The device still holds the passkey that was removed: it must not answer beside the password.
  await touch(false);
  await page.goto(`${site}/login?redirect_to=%2Ftokens`);
  await signIn(page, "root", password);
  await heading(page, "Second factor").waitFor();
  await page.getByText("No passkeys yet.", { exact: true }).waitFor();
  await inspectScreen(page, "second-factor-demanded");
  await button("Continue").click();
  await page.getByText("Neither is set up yet", { exact: true }).waitFor();
  await page.goto(`${site}/tokens`);
  await heading(page, "Second factor").waitFor();
  await touch(true);
  await button("Add passkey").click();
  await page.getByText("Passkey added", { exact: true }).waitFor();
  await button("Continue").click();
  await heading(page, "Tokens").waitFor();
});
