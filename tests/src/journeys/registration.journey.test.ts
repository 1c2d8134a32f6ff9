import { getInvitationCodeByPost } from "@tollgate/contract/accounts/accounts.ts";
import { getSelf } from "@tollgate/contract/accounts/sessions.ts";
import { updateOption } from "@tollgate/contract/site/options.ts";
import type { BrowserContext, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import type { ApiSession } from "../harness/api-session.ts";
import { codeIn, linkIn, type Mailbox, startMailbox } from "../harness/mailbox.ts";
import type { TestGateway } from "../harness/test-gateway.ts";
import { testVariants } from "../support/variants.ts";
import { startBrowserGateway } from "./browser-gateway.ts";
import { collectPageErrors, heading, openPage, pathOf, signIn } from "./console-pages.ts";
import { accessibilityViolations, inspectScreen } from "./inspect-page.ts";

let mailbox: Mailbox;
let gateway: TestGateway;
let root: ApiSession;
let visitor: BrowserContext;
let page: Page;
let pageErrors: string[];

const rootPassword = "correct horse battery";
const email = "mira@example.org";

const set = async (settings: Record<string, string>) => {
  for (const [key, value] of Object.entries(settings))
    await root.call(updateOption, { body: { key, value } });
};
const field = (name: string) => page.getByLabel(name, { exact: true });
const button = (name: string) => page.getByRole("button", { name, exact: true });
const fill = async (values: Record<string, string>) => {
  for (const [name, value] of Object.entries(values)) await field(name).fill(value);
};
/**
 * Stubs the answer of the gateway to a call of the page; the real one is called rarely because of
 * its limits.
 */
const answerWith = (path: string, json: object, status = 200) =>
  page.route(path, (route) =>
    route.fulfill({ status, json, headers: { "X-Oneapi-Request-Id": "42" } }),
  );

beforeAll(async () => {
  mailbox = await startMailbox();
  gateway = await startBrowserGateway({
    env: { INITIAL_ROOT_PASSWORD: rootPassword, SMTP_URL: mailbox.url },
  });
  root = await gateway.signIn("root", rootPassword);
  await set({
    ServerAddress: gateway.url,
    EmailVerificationEnabled: "true",
    QuotaForNewUser: "1000",
    QuotaForInvitee: "500",
    QuotaForInviter: "200",
  });
});
afterAll(async () => {
  await gateway.close();
  await mailbox.close();
});
beforeEach(async () => {
  visitor = await gateway.newContext();
  page = await openPage(visitor);
  pageErrors = collectPageErrors(page);
});
afterEach(() => visitor.close());

test("a user registers with a mailed code and an invitation, forgets the password, and gets back in", async () => {
  const invitation = (await root.call(getInvitationCodeByPost)).data;
  await page.goto("/login");
  await page.getByRole("link", { name: "Sign up" }).click();
  await heading(page, "Create Account").waitFor();
  await expect.poll(() => page.evaluate("document.activeElement.name")).toBe("username");
  await fill({
    Username: "mira",
    Password: "first secret",
    "Confirm Password": "first secret",
    Email: email,
  });
  await button("Send Code").click();
  await button("Sent").waitFor();
  await page.getByText("it is on its way").waitFor();
  const code = codeIn(await mailbox.take(email, "Your verification code"));
  await fill({ "Verification Code": code, "Invitation Code (Optional)": invitation });
  await button("Create Account").click();

  await page
    .getByRole("status")
    .getByText("Registration successful! Please login with your credentials.", { exact: true })
    .waitFor();
  await expect.poll(() => pathOf(page)).toBe("/login");
  await signIn(page, "mira", "first secret");
  await heading(page, "Dashboard").waitFor();
  const mira = await gateway.signIn("mira", "first secret");
  expect((await mira.call(getSelf)).data).toMatchObject({ email, quota: 1500 });
  expect((await root.call(getSelf)).data.quota).toBe(5e14 + 200);

  await page.getByRole("button", { name: "Account menu" }).click();
  await page.getByRole("menuitem", { name: "Logout" }).click();
  await page.getByRole("link", { name: "Forgot your password?" }).click();
  await heading(page, "Reset Password").waitFor();
  await fill({ Email: email });
  await button("Send Reset Link").click();
  await heading(page, "Check Your Email").waitFor();
  await page
    .getByText("We've sent a password reset link to your email address", { exact: true })
    .waitFor();
  const link = linkIn(await mailbox.take(email, "Reset your password"));
  // This browser has just signed in: what is younger than that may be a stranger's.
  const [before, after] = [Date.now() - 86_400_000, Date.now() + 60_000];
  const external = [{ provider: "github", name: "mallory", created_at: after }];
  const ways = { passkeys: [{ name: "laptop", created_at: before }], external_accounts: external };
  await page.route("**/api/user/reset/ways", async (route) => {
    const real = await (await route.fetch()).json();
    expect(real.data).toEqual({
      passkeys: [],
      external_accounts: [],
      last_sign_in_at: expect.any(Number),
    });
    await route.fulfill({ json: { ...real, data: { ...real.data, ...ways } } });
  });
  await page.goto(link.href);
  await heading(page, "Set New Password").waitFor();
  await page
    .getByText("They sign in without the password: GitHub (mallory)", { exact: true })
    .waitFor();
  const box = (name: string) => page.getByRole("checkbox", { name });
  expect(await box("Also remove my passkeys").isChecked()).toBe(false);
  expect(await box("Also unbind my accounts at other providers").isChecked()).toBe(true);
  expect(await box("Also disable all my API keys").isChecked()).toBe(false);
  await inspectScreen(page, "new-password");
  await fill({ "New Password": "second secret", "Confirm New Password": "second secret" });
  const sent = page.waitForRequest("**/api/user/reset");
  await button("Update Password").click();
  expect((await sent).postDataJSON()).toMatchObject({
    end_external_accounts: true,
    password: "second secret",
  });
  expect((await sent).postDataJSON()).not.toHaveProperty("end_passkeys");
  await page
    .getByRole("status")
    .getByText("Password reset successful! Please login with your new password.", { exact: true })
    .waitFor();
  await signIn(page, "mira", "second secret");
  await heading(page, "Dashboard").waitFor();

  await page.unroute("**/api/user/reset/ways");
  await page.goto(link.href);
  await fill({ "New Password": "third secret", "Confirm New Password": "third secret" });
  await button("Update Password").click();
  await page
    .getByRole("alert")
    .getByText("This link has expired or was used before. Request a new one")
    .waitFor();
  expect(pageErrors).toEqual([]);
});

test("the registration form shows each error beside its field", async () => {
  await page.goto("/register");
  await heading(page, "Create Account").waitFor();
  await button("Create Account").click();
  for (const [name, message] of [
    ["Username", "Username must be at least 3 characters"],
    ["Password", "Password must be at least 8 characters"],
    ["Confirm Password", "Password confirmation is required"],
    ["Email", "Valid email is required"],
    ["Verification Code", "Verification code is required"],
  ] as const) {
    const described = await field(name).getAttribute("aria-describedby");
    expect(await page.locator(`[id="${described}"]`).innerText(), name).toBe(message);
    expect(await field(name).getAttribute("aria-invalid")).toBe("true");
  }
  expect(await accessibilityViolations(page)).toEqual([]);
  await fill({ Password: "long enough", "Confirm Password": "long enouGh" });
  await page.getByText("Passwords don't match", { exact: true }).waitFor();

  for (const [typed, sleeps] of [
    ["", true],
    ["mira", true],
    ["mira@example", true],
    ["mira@example.org", false],
  ] as const) {
    await field("Email").fill(typed);
    expect(await button("Send Code").isDisabled(), typed).toBe(sleeps);
  }
  await fill({ Username: "newcomer", "Confirm Password": "long enough", Email: "new@example.org" });
  await answerWith("**/api/verification?*", { success: false, message: "" });
  await button("Send Code").click();
  await page.getByRole("alert").getByText("Failed to send verification code").waitFor();

  await fill({ "Verification Code": "123456" });
  await answerWith("**/api/user/register", { success: false, message: "" });
  await button("Create Account").click();
  await page.getByRole("alert").getByText("Registration failed").waitFor();
  await page.unroute("**/api/user/register");
  await button("Create Account").click();
  await page
    .getByRole("alert")
    .getByText("The verification code is incorrect or has expired")
    .waitFor();
  expect(await field("Username").inputValue()).toBe("newcomer");
  expect(await field("Verification Code").getAttribute("aria-invalid")).toBe("true");
  await expect.poll(() => pathOf(page)).toBe("/register");
  expect(pageErrors).toEqual([]);
});

test("an invalid address is reported before a code is requested", { tags: ["large"] }, async () => {
  await page.goto("/register");
  await field("Email").fill("mira@");
  await page.getByText("Please enter a valid email address", { exact: true }).waitFor();
  await field("Email").fill("mira@example.org");
  await page.getByText("Please enter a valid email address").waitFor({ state: "detached" });
});

test("the reset pages say what is wrong as well", { tags: ["large"] }, async () => {
  await page.goto("/reset");
  await button("Send Reset Link").click();
  await page.getByText("Valid email is required", { exact: true }).waitFor();
  await fill({ Email: email });
  await answerWith("**/api/reset_password?*", { success: false, message: "" });
  await button("Send Reset Link").click();
  await page.getByRole("alert").getByText("Failed to send reset email").waitFor();

  await page.goto("/user/reset?email=mira%40example.org&token=long-gone");
  await button("Update Password").click();
  await page.getByText("Password must be at least 8 characters", { exact: true }).waitFor();
  await page.getByText("Password confirmation is required", { exact: true }).waitFor();
  await fill({ "New Password": "long enough", "Confirm New Password": "long enouGh" });
  await page.getByText("Passwords don't match", { exact: true }).waitFor();
  await fill({ "Confirm New Password": "long enough" });
  await answerWith("**/api/user/reset", { success: false, message: "" });
  await button("Update Password").click();
  await page.getByRole("alert").getByText("Password reset failed").waitFor();
  expect(pageErrors).toEqual([]);
});

test("an address without its parameters leads to the sign-in page, which shows the reason", {
  tags: ["large"],
}, async () => {
  for (const path of [
    "/user/reset",
    "/user/reset?email=mira%40example.org",
    "/user/reset?token=abc",
  ]) {
    await page.goto(path);
    await page
      .getByRole("alert")
      .getByText("Invalid or missing reset parameters", { exact: true })
      .waitFor();
    await expect.poll(() => pathOf(page), { message: path }).toBe("/login");
  }
});

test("the operator decides what is offered", async () => {
  await set({
    EmailVerificationEnabled: "false",
    GitHubClientId: "client",
    GitHubClientSecret: "secret",
  });
  await set({ GitHubOAuthEnabled: "true" });
  await page.goto("/register?aff=Ab3x");
  await heading(page, "Create Account").waitFor();
  await page.getByText("Or sign up with", { exact: true }).waitFor();
  await button("GitHub").waitFor();
  expect(await field("Verification Code").count()).toBe(0);
  expect(await field("Email").isVisible()).toBe(true);
  expect(await field("Invitation Code (Optional)").inputValue()).toBe("Ab3x");
  await page.getByRole("link", { name: "Sign in", exact: true }).click();
  await expect.poll(() => pathOf(page)).toBe("/login");

  await set({ RegisterEnabled: "false", GitHubOAuthEnabled: "false" });
  await page.reload();
  await page.getByRole("link", { name: "Forgot your password?" }).waitFor();
  // Until the status has arrived, the page offers what the last one said.
  for (const name of ["Sign up", "Register"])
    await page.getByRole("link", { name }).waitFor({ state: "detached" });
  await page.goto("/register");
  await page.getByText("Registration is switched off on this server.").waitFor();
  expect(await button("Create Account").count()).toBe(0);
  await set({ RegisterEnabled: "true", EmailVerificationEnabled: "true" });
  expect(pageErrors).toEqual([]);
});

testVariants([
  { path: "/register", title: "Create Account", after: "" },
  { path: "/reset", title: "Reset Password", after: "" },
  { path: "/reset", title: "Reset Password", after: "Check Your Email" },
  { path: "/user/reset?email=mira%40example.org&token=abc", title: "Set New Password", after: "" },
])("$path $after is readable, fits and can be walked", async ({ path, title, after }) => {
  await page.goto(path);
  await heading(page, title).waitFor();
  if (after !== "") {
    await answerWith("**/api/reset_password?*", { success: true, message: "", data: null });
    await fill({ Email: email });
    await button("Send Reset Link").click();
    await heading(page, after).waitFor();
  }
  await inspectScreen(page, after === "" ? title : after);
  expect(pageErrors).toEqual([]);
});
