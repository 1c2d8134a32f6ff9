/** A passkey of Chromium's virtual authenticator, from the user's settings to the sign-in and back. */
import { updateOption } from "@tollgate/contract/options.ts";
import { getSelf } from "@tollgate/contract/sessions.ts";
import type { BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
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
  gateway = await startBrowserGateway({ env: { PORT: port, PUBLIC_URL: site, INITIAL_ROOT_PASSWORD: password } });
  visitor = await gateway.newContext();
  page = await openPage(visitor);
  pageErrors = collectPageErrors(page);
});
afterAll(async () => {
  await visitor.close();
  await gateway.close();
});

/** A device with a fingerprint reader that recognises its owner at once. */
async function addDevice(): Promise<(isPresent: boolean) => Promise<unknown>> {
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
  return (enabled) => devtools.send("WebAuthn.setAutomaticPresenceSimulation", { authenticatorId, enabled });
}

const button = (name: string) => page.getByRole("button", { name, exact: true });
const signedInAs = async () => (await (await visitor.request.get(site + getSelf.path)).json()).data?.username;

test("a user adds a passkey, signs in with it, removes it after confirming with it, and adds one that is demanded", async () => {
  const touch = await addDevice();
  await openSignedIn(page, site, { username: "root", password, path: "/settings" });
  await page.getByText("No passkeys yet.", { exact: true }).waitFor();
  await button("Add Passkey").click();
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

  // The operator demands a second factor of the role: the next sign-in leads to it, and nothing else opens.
  const root = await gateway.signIn("root", password);
  await root.call(updateOption, { body: { key: "SecondFactorRequiredRole", value: "100" } });
  await visitor.clearCookies();
  await page.evaluate("localStorage.clear()");
  await page.goto(`${site}/login?redirect_to=%2Ftokens`);
  await signIn(page, "root", password);
  await heading(page, "Second factor").waitFor();
  await page.getByText("No passkeys yet.", { exact: true }).waitFor();
  await inspectScreen(page, "second-factor-demanded");
  await button("Continue").click();
  await page.getByText("Neither is set up yet", { exact: true }).waitFor();
  await page.goto(`${site}/tokens`);
  await heading(page, "Second factor").waitFor();
  await button("Add Passkey").click();
  await page.getByText("Passkey added", { exact: true }).waitFor();
  await button("Continue").click();
  await heading(page, "Tokens").waitFor();
});
