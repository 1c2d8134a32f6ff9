// The form of the sign-in, step by step, on a server of the family: its replies are what the form
// has to understand.
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { sharedBrowser } from "../harness/chromium.ts";
import { defaultRoot, type ForeignServer, startForeignServer } from "../harness/foreign-server.ts";
import { testVariants } from "../support/variants.ts";
import { heading, openPage, pathOf, signIn } from "./console-pages.ts";

let browser: Browser;
let server: ForeignServer;
let visitor: BrowserContext;
let page: Page;
let logged: string[];

beforeAll(async () => {
  browser = await sharedBrowser();
  server = await startForeignServer({ ids: "integer", role: 100, usage: [] });
});
afterAll(() => server.close());
beforeEach(async () => {
  visitor = await browser.newContext({ baseURL: server.url });
  page = await openPage(visitor);
  logged = [];
  page.on("console", (message) => logged.push(`${message.type()}: ${message.text()}`));
});
afterEach(() => visitor.close());

const button = (name: string) => page.getByRole("button", { name, exact: true });
const answerSignIn = async (reply: object) => {
  await page.unroute("**/api/user/login");
  await page.route("**/api/user/login", (route) =>
    route.fulfill({ json: { success: false, message: "", ...reply } }),
  );
};
const sayInStatus = (status: object) =>
  page.route("**/api/status", async (route) => {
    const reply = await (await route.fetch()).json();
    await route.fulfill({ json: { ...reply, data: { ...reply.data, ...status } } });
  });

testVariants<object>(
  [
    { data: { totp_required: true } },
    { message: "totp_required" },
    { data: { totp_required: "true" } },
    { data: { totp_required: 1 } },
    { message: "A TOTP code is needed" },
  ],
  { narrow: 2 },
)("the second step begins with the answer %o, and leads back", async (reply) => {
  await page.goto("/login");
  await button("Sign In").waitFor();
  expect(await button("Back to Login").count()).toBe(0);
  await answerSignIn(reply);
  await signIn(page, "mira", "open sesame");
  await page.getByText("Please enter your TOTP code", { exact: true }).waitFor();
  for (const name of ["Username", "Password"])
    expect(await page.getByLabel(name, { exact: true }).isDisabled()).toBe(true);
  const code = page.getByLabel("TOTP Code");
  await code.and(page.locator(":focus")).waitFor();
  expect(await code.getAttribute("inputmode")).toBe("numeric");
  await code.fill("12345");
  expect(await button("Verify TOTP").isDisabled()).toBe(true);
  await code.pressSequentially("67");
  expect(await code.inputValue()).toBe("123456");

  await answerSignIn({ message: "That was not it" });
  await button("Verify TOTP").click();
  const alert = page.getByRole("alert");
  await alert.getByText("That was not it").waitFor();
  await alert.getByText("Please enter your TOTP code", { exact: true }).waitFor();

  await button("Back to Login").click();
  await button("Sign In").waitFor();
  expect(await code.count()).toBe(0);
  await answerSignIn(reply);
  await button("Sign In").click();
  expect(await code.inputValue()).toBe("");
});

test("a refusal without a reason, and an answer that never came, are said in words", async () => {
  await page.goto("/login");
  await answerSignIn({});
  await signIn(page, "mira", "open sesame");
  await page.getByRole("alert").getByText("Login failed", { exact: true }).waitFor();
  await page.unroute("**/api/user/login");
  await page.route("**/api/user/login", (route) => route.abort("connectionrefused"));
  await button("Sign In").click();
  await page.getByRole("alert").getByText("The gateway cannot be reached").waitFor();
});

test("an ended session and the well-known password are warned of in the browser's console", {
  tags: ["large"],
}, async () => {
  await page.goto("/login?expired=1");
  await expect.poll(() => logged).toContain("warning: The session has expired, sign in again");
  await signIn(page, defaultRoot.username, defaultRoot.password);
  await expect.poll(() => pathOf(page)).toBe("/users/edit");
  expect(
    logged.filter((line) => /^warning: .*default password.*Change it/.test(line)),
  ).toHaveLength(1);
});

test("the chat-app button is there where the status says so, and only logs", async () => {
  await page.goto("/login");
  await expect.poll(() => page.title()).toBe("Sign In · Elsewhere");
  expect(await button("WeChat").count()).toBe(0);
  await sayInStatus({ wechat_login: true });
  await page.reload();
  await button("WeChat").waitFor();
  const before = server.asked.length;
  await button("WeChat").click();
  await expect.poll(() => logged).toContain("info: Chat-app sign-in is not available yet");
  expect([pathOf(page), server.asked.length]).toEqual(["/login", before]);
});

test("the operator's logo is shown, also where it stands in its address", async () => {
  const [width, height] = [3, 2];
  const drawing = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"/>`;
  const logo = `data:image/svg+xml;base64,${Buffer.from(drawing).toString("base64")}`;
  await sayInStatus({ logo });
  await page.goto("/login");
  const picture = page.getByRole("main").locator("img");
  await picture.waitFor();
  expect(await picture.getAttribute("src")).toBe(logo);
  await expect
    .poll(() => picture.evaluate((image: { naturalWidth: number }) => image.naturalWidth))
    .toBe(width);
});

test("signing up by GitHub is offered unless the status says that it is off", {
  tags: ["large"],
}, async () => {
  await sayInStatus({ github_client_id: "client" });
  await page.goto("/register");
  await page.getByText("Or sign up with", { exact: true }).waitFor();
  await sayInStatus({ github_client_id: "client", github_oauth: false });
  await page.reload();
  await page.getByText("Or sign up with").waitFor({ state: "detached" });
  await heading(page, "Create Account").waitFor();
});

test("from Check Your Email a button leads back to the sign-in", { tags: ["large"] }, async () => {
  await page.route("**/api/reset_password?*", (route) =>
    route.fulfill({ json: { success: true, message: "" } }),
  );
  await page.goto("/reset");
  await page.getByLabel("Email").fill("mira@example.org");
  await button("Send Reset Link").click();
  await heading(page, "Check Your Email").waitFor();
  await button("Back to Login")
    .or(page.getByRole("link", { name: "Back to Login" }))
    .click();
  await expect.poll(() => pathOf(page)).toBe("/login");
});
