/**
 * Captchas in the browser: the services' scripts are played, under their own addresses and the
 * policies that a real one meets.
 */
import { updateOption } from "@tollgate/contract/site/options.ts";
import type { BrowserContext, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import type { ApiSession } from "../harness/api-session.ts";
import { startNoticeReceiver } from "../harness/notice-receiver.ts";
import type { TestGateway } from "../harness/test-gateway.ts";
import { startBrowserGateway } from "./browser-gateway.ts";
import { collectPageErrors, heading, openPage, pathOf, signIn } from "./console-pages.ts";
import { accessibilityViolations, expectToFit, inspectScreen } from "./inspect-page.ts";

const rootPassword = "correct horse battery";
let gateway: TestGateway;
let service: Awaited<ReturnType<typeof startNoticeReceiver>>;
let root: ApiSession;
let visitor: BrowserContext;
let page: Page;
let pageErrors: string[];

const set = async (settings: Record<string, string>) => {
  for (const [key, value] of Object.entries(settings))
    await root.call(updateOption, { body: { key, value } });
};
const says = (body: object, status = 200) =>
  Object.assign(service.answer, { status, body: JSON.stringify(body) });
const passes = (action: string) => says({ success: true, hostname: "127.0.0.1", action });

/** A widget that shows what it was given, and is solved by a press of its button. */
const widgetScript = (name: string, token: string) => `
  window.${name} = { render(place, { sitekey, action, theme, callback, ...options }) {
    const button = document.createElement("button");
    button.textContent = "I am human";
    button.style.cssText = "width: 300px; height: 65px";
    button.onclick = () => callback(${JSON.stringify(token)});
    const given = document.createElement("p");
    given.id = "given";
    given.textContent = [sitekey, action, theme, options.hl, options.size].join(" ");
    const opens = document.createElement("button");
    opens.textContent = "Harder";
    opens.onclick = () => options["open-callback"]();
    place.append(button, given, opens);
  } };`;
const playScript = (of: string, name: string, token = "0.token") =>
  visitor.route(`${of}/**`, (route) =>
    route.fulfill({ contentType: "text/javascript", body: widgetScript(name, token) }),
  );
const turnstile = "https://challenges.cloudflare.com";
const hcaptcha = "https://js.hcaptcha.com";

beforeAll(async () => {
  service = await startNoticeReceiver();
  gateway = await startBrowserGateway({
    env: {
      INITIAL_ROOT_PASSWORD: rootPassword,
      IDENTITY_PRIVATE_HOSTS: service.host,
      TURNSTILE_URL: service.url,
      HCAPTCHA_URL: service.url,
    },
  });
  root = await gateway.signIn("root", rootPassword);
  await set({
    ServerAddress: gateway.url,
    TurnstileSiteKey: "site-of-turnstile",
    TurnstileSecretKey: "secret-of-turnstile",
    TurnstileCheckEnabled: "true",
  });
});
afterAll(async () => {
  await gateway.close();
  await service.close();
});
beforeEach(async () => {
  service.received.length = 0;
  visitor = await gateway.newContext();
  page = await openPage(visitor);
  pageErrors = collectPageErrors(page);
});
afterEach(() => visitor.close());

const isFocused = (part: { matches(selector: string): boolean }) => part.matches(":focus");
const field = (name: string) => page.getByLabel(name, { exact: true });
const button = (name: string) => page.getByRole("button", { name, exact: true });
const dialog = () => page.getByRole("dialog", { name: "Are you human?" });
const widget = () => page.frameLocator("iframe[title=Captcha]");
const register = async (username: string) => {
  await page.goto("/register");
  await heading(page, "Create Account").waitFor();
  for (const [name, value] of Object.entries({
    Username: username,
    Password: "a good secret",
    "Confirm Password": "a good secret",
    Email: `${username}@example.org`,
  }))
    await field(name).fill(value);
  await button("Create Account").click();
};

test("a visitor registers after a captcha, by keyboard alone, and its script ends with the dialog", async () => {
  await playScript(turnstile, "turnstile");
  passes("register");
  await register("mira");
  await dialog().waitFor();
  await widget()
    .locator("#given")
    .getByText("site-of-turnstile register light en normal")
    .waitFor();
  expect(await accessibilityViolations(page)).toEqual([]);
  for (const width of [1440, 375]) await expectToFit(page, width);
  expect(await page.locator("iframe[title=Captcha]").evaluate((frame) => frame.clientHeight)).toBe(
    70,
  );
  // The dialog opens with the focus on its button to close.
  await page.keyboard.press("Tab");
  await expect
    .poll(() => widget().getByRole("button", { name: "I am human" }).evaluate(isFocused))
    .toBe(true);
  await page.keyboard.press("Enter");
  await page
    .getByText("Registration successful! Please login with your credentials.", { exact: true })
    .waitFor();
  await expect.poll(() => pathOf(page)).toBe("/login");
  expect(await page.locator("iframe").count()).toBe(0);
  // No page of the console has run the service's script.
  expect(await page.evaluate("'turnstile' in window")).toBe(false);
  expect(new URLSearchParams(service.received[0]?.body).get("response")).toBe("0.token");
  expect(pageErrors).toEqual([]);
});

test("a narrow dark page shows the widget so; what is refused is said in the form", {
  tags: ["variant"],
}, async () => {
  await playScript(turnstile, "turnstile");
  says({ success: false, "error-codes": ["timeout-or-duplicate"] });
  await page.addInitScript(`localStorage.setItem("theme", "dark")`);
  await page.setViewportSize({ width: 320, height: 700 });
  await register("nora");
  await widget()
    .locator("#given")
    .getByText("site-of-turnstile register dark en compact")
    .waitFor();
  await widget().getByRole("button", { name: "I am human" }).click();
  await page
    .getByRole("alert")
    .getByText("The captcha has expired or was used before. Please try again")
    .waitFor();
  // The next try asks anew; the user may also leave it.
  await button("Create Account").click();
  await dialog().waitFor();
  await page.keyboard.press("Escape");
  await page
    .getByRole("alert")
    .getByText("This server asks for a captcha first. Please try again")
    .waitFor();
  expect(await field("Username").inputValue()).toBe("nora");
  expect(pageErrors).toEqual([]);
});

test("where the script is kept away the dialog says so, and tries again", {
  tags: ["large"],
}, async () => {
  await visitor.route(`${turnstile}/**`, (route) => route.abort());
  passes("register");
  await register("olaf");
  await page.getByRole("alert").getByText("The captcha could not be loaded.").waitFor();
  await inspectScreen(page, "captcha");
  await visitor.unroute(`${turnstile}/**`);
  await playScript(turnstile, "turnstile");
  await dialog().getByRole("button", { name: "Retry" }).click();
  await widget().getByRole("button", { name: "I am human" }).click();
  await expect.poll(() => pathOf(page)).toBe("/login");
});

test("while the service is out, the browser does proof of work instead", async () => {
  await playScript(turnstile, "turnstile");
  says({}, 503);
  await page.goto("/reset");
  await field("Email").fill("mira@example.org");
  await button("Send Reset Link").click();
  await widget().getByRole("button", { name: "I am human" }).click();
  // This server sends no mail: the refusal of what comes after the check.
  await page
    .getByRole("alert")
    .getByText("This server cannot send mail. Ask its operator for help")
    .waitFor();
  expect(service.received).toHaveLength(1);
  expect(pageErrors).toEqual([]);
});

test("hCaptcha after failed sign-ins: its puzzle gets room, and only its own page names its script", {
  tags: ["variant"],
}, async () => {
  await set({
    HCaptchaSiteKey: "site-of-hcaptcha",
    HCaptchaSecretKey: "secret-of-hcaptcha",
    HCaptchaCheckEnabled: "true",
    TurnstileCheckEnabled: "false",
  });
  await playScript(hcaptcha, "hcaptcha", "P1_token");
  passes("");
  const policyOf = async (path: string) =>
    (await fetch(gateway.url + path, { headers: { accept: "text/html" } })).headers.get(
      "content-security-policy",
    );
  expect(await policyOf("/login/captcha")).toContain(`script-src ${hcaptcha} 'nonce-`);
  for (const path of ["/", "/login", "/register", "/dashboard", "/login/captcha/"])
    expect(await policyOf(path), path).not.toContain("hcaptcha");

  await page.goto("/login");
  for (let round = 0; round < 2; round += 1) {
    await signIn(page, "root", "wrong password");
    await page.getByRole("alert").getByText("Username or password is incorrect").waitFor();
  }
  await signIn(page, "root", rootPassword);
  const frameHeight = () =>
    page.locator("iframe[title=Captcha]").evaluate((frame) => frame.clientHeight);
  // The widget says its size when it is there.
  await expect.poll(frameHeight).toBe(82);
  await widget().getByRole("button", { name: "Harder" }).click();
  await expect.poll(frameHeight).toBe(640);
  await widget().getByRole("button", { name: "I am human" }).click();
  await heading(page, "Dashboard").waitFor();
  expect(new URLSearchParams(service.received.at(-1)?.body).get("sitekey")).toBe(
    "site-of-hcaptcha",
  );

  await set({ HCaptchaCheckEnabled: "false" });
  expect(await policyOf("/login/captcha")).not.toContain("hcaptcha");
  expect(await policyOf("/login")).toContain("frame-src https:");
  expect(pageErrors.filter((error) => !error.includes("401"))).toEqual([]);
});

test("after failed sign-ins the browser does proof of work, and says what it does where that takes a while", {
  tags: ["large"],
}, async () => {
  await set({ TurnstileCheckEnabled: "false", ProofOfWorkBits: "16" });
  await page.goto("/login");
  for (let round = 0; round < 2; round += 1) {
    await signIn(page, "root", "wrong password");
    await page.getByRole("alert").getByText("Username or password is incorrect").waitFor();
  }
  // A task of which no number below four million is the answer, in the place of the gateway's first
  // one.
  const data = { challenge: "long-search-c", bits: 22 };
  const refusal = { success: false, code: "proof_of_work_required", message: "", data };
  await visitor.route(
    "**/api/user/login*",
    (route) => route.fulfill({ status: 200, body: JSON.stringify(refusal) }),
    {
      times: 1,
    },
  );
  await signIn(page, "root", rootPassword);
  const words = page.getByRole("status").getByText("Checking that you are human");
  await words.waitFor();
  await inspectScreen(page, "proof-of-work");
  await page.reload();
  await signIn(page, "root", rootPassword);
  await heading(page, "Dashboard").waitFor();
  await words.waitFor({ state: "detached" });
  expect(pageErrors.filter((error) => !error.includes("401"))).toEqual([]);
  await set({ ProofOfWorkBits: "0" });
});
