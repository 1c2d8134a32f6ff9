import { readFile } from "node:fs/promises";
import { getSelf } from "@tollgate/contract/accounts/sessions.ts";
import { createToken } from "@tollgate/contract/accounts/tokens.ts";
import { createUser, manageUser } from "@tollgate/contract/accounts/user-admin.ts";
import { updateOption } from "@tollgate/contract/site/options.ts";
import type { BrowserContext, Locator, Page } from "playwright-core";
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  onTestFinished,
  test,
} from "vitest";
import { codeAt } from "../api/totp-users.ts";
import type { ApiSession } from "../harness/api-session.ts";
import { eventually } from "../harness/eventually.ts";
import { codeIn, startMailbox } from "../harness/mailbox.ts";
import type { TestGateway } from "../harness/test-gateway.ts";
import { startBrowserGateway } from "./browser-gateway.ts";
import {
  chooseVerb,
  closeUseKey,
  collectPageErrors,
  heading,
  openPage,
  openSignedIn,
  pathOf,
  signIn,
} from "./console-pages.ts";
import { inspectScreen } from "./inspect-page.ts";

let gateway: TestGateway;
let root: ApiSession;
let visitor: BrowserContext;
let page: Page;
let pageErrors: string[];

const password = "correct horse battery";
const stepMs = 30_000;

beforeAll(async () => {
  gateway = await startBrowserGateway({ env: { INITIAL_ROOT_PASSWORD: password } });
  root = await gateway.signIn("root", password);
  for (const username of ["mira", "adam", "leaver"])
    await root.call(createUser, { body: { username, password } });
  await root.call(manageUser, { body: { username: "adam", action: "promote" } });
});
afterAll(() => gateway.close());
beforeEach(async () => {
  visitor = await gateway.newContext();
  page = await openPage(visitor);
  pageErrors = collectPageErrors(page);
});
afterEach(() => visitor.close());

const button = (name: string) => page.getByRole("button", { name, exact: true });
const dialog = (name: string) => page.getByRole("dialog", { name, exact: true });
const card = (name: string) => page.getByRole("region", { name, exact: true });
const notification = (text: string) =>
  page.getByRole("region", { name: "Notifications" }).getByText(text).first().waitFor();
const put = (key: string, value: string) =>
  root.call(updateOption, { body: { key, value, clear: true } });

async function settingsOf(username: string, path = "/settings", secret = password): Promise<void> {
  await openSignedIn(page, gateway.url, { username, password: secret, path });
  await heading(page, "Settings").waitFor();
}

async function signOut(): Promise<void> {
  await page.getByRole("button", { name: "Account menu" }).click();
  await page.getByRole("menuitem", { name: "Logout" }).click();
  await expect.poll(() => pathOf(page)).toBe("/login");
}

/** Presses again where the gateway asks to wait: it accepts one code a second. */
async function pressUntil(press: Locator, done: Locator): Promise<void> {
  const goOn = async () => {
    if (await done.isVisible()) return true;
    await press.click();
    await done.or(page.getByText("Too many requests")).first().waitFor();
    return await done.isVisible();
  };
  await expect.poll(goOn, { interval: 1_000, timeout: 15_000 }).toBe(true);
}

describe("an ordinary user", () => {
  test("reaches the personal settings from the account menu, and nothing else of the settings", async () => {
    await page.goto("/login");
    // The sign-in waits for the account, but its menu is there before: what is opened from it stays
    // open.
    const account = Promise.withResolvers<void>();
    await page.route("**/api/user/self", (route) => account.promise.then(() => route.continue()));
    await signIn(page, "mira", password);
    await page.getByRole("button", { name: "Account menu" }).click();
    await page.getByRole("menuitem", { name: "Personal settings" }).click();
    await heading(page, "Settings").waitFor();
    account.resolve();
    await card("Profile").waitFor();
    await expect.poll(() => pathOf(page)).toBe("/settings");
    await page.unroute("**/api/user/self");
    expect(await page.getByRole("tab").allInnerTexts()).toEqual(["Personal"]);
    await card("Sessions").getByText("This one").waitFor();
    await inspectScreen(page, "personal");
    expect(pageErrors).toEqual([]);
  });

  test("changes name and address; errors are shown in place, and leaving with unsaved changes asks first", {
    tags: ["large"],
  }, async () => {
    await settingsOf("mira");
    await card("Profile").getByLabel("Username").fill("mi");
    await card("Profile").getByLabel("Email").fill("nobody");
    await button("Update profile").click();
    await page.getByText("Username must be at least 3 characters", { exact: true }).waitFor();
    await page.getByText("Valid email is required", { exact: true }).waitFor();
    await page
      .getByRole("navigation", { name: "Main" })
      .getByRole("link", { name: "Tokens" })
      .click();
    await dialog("Unsaved changes").getByRole("button", { name: "Keep editing" }).click();

    await card("Profile").getByLabel("Username").fill("adam");
    await card("Profile").getByLabel("Email").fill("");
    await button("Update profile").click();
    await card("Profile").getByRole("alert").getByText("This username is already taken").waitFor();
    await card("Profile").getByLabel("Username").fill("mira");
    await card("Profile").getByLabel("Display name").fill("Mira M.");
    await button("Update profile").click();
    await notification("Profile updated");
    await page.getByRole("button", { name: "Account menu" }).click();
    await page.getByRole("menu").getByText("Mira M.").waitFor();
  });

  test("gets an access token that works for programs, once shown and replaced by the next", async () => {
    await settingsOf("mira");
    const generate = async () => {
      await button("Generate access token").click();
      await dialog("Generate access token")
        .getByText(/stops working at once/)
        .waitFor();
      await dialog("Generate access token")
        .getByRole("button", { name: "Generate", exact: true })
        .click();
      await dialog("Generate access token").waitFor({ state: "hidden" });
      return await card("Access token").locator("code").innerText();
    };
    const self = async (token: string) => {
      const response = await fetch(gateway.url + getSelf.path, {
        headers: { Authorization: token },
      });
      return {
        status: response.status,
        name: ((await response.json()) as { data?: { username: string } }).data?.username,
      };
    };
    const first = await generate();
    expect(await self(first)).toEqual({ status: 200, name: "mira" });
    await card("Access token").getByText("Shown only once").waitFor();
    await generate();
    await expect.poll(() => card("Access token").locator("code").innerText()).not.toBe(first);
    expect((await self(first)).status).toBe(401);
    await page.reload();
    await card("Access token").waitFor();
    expect(await card("Access token").locator("code").count()).toBe(0);

    await button("Create invitation link").click();
    const link = page.getByRole("textbox", { name: "Invitation link" });
    await expect.poll(() => link.inputValue()).toMatch(/\/register\?aff=\w{4}$/);
  });

  test("proves it is the same person when the sign-in is old", async () => {
    await settingsOf("mira");
    const sent: unknown[] = [];
    // As the gateway answers ten minutes later.
    await page.route("**/api/user/self", async (route) => {
      if (route.request().method() !== "PUT") return route.continue();
      sent.push(route.request().postDataJSON());
      if (sent.length > 1) return route.continue();
      await route.fulfill({
        json: {
          success: false,
          message: "Please confirm your current password to change this",
          code: "reauth_required",
        },
      });
    });
    const next = "another good horse";
    await page.getByLabel("New Password", { exact: true }).fill(next);
    await page.getByLabel("Confirm New Password").fill("another good house");
    await button("Change password").click();
    await page.getByText("Passwords don't match").waitFor();
    await page.getByLabel("Confirm New Password").fill(next);
    await button("Change password").click();
    await dialog("Confirm it is you").getByLabel("Current password").fill("not this one");
    await dialog("Confirm it is you").getByRole("button", { name: "Confirm" }).click();
    await dialog("Confirm it is you").getByText("The current password is incorrect").waitFor();
    await dialog("Confirm it is you").getByLabel("Current password").fill(password);
    await dialog("Confirm it is you").getByRole("button", { name: "Confirm" }).click();
    await notification("Password changed");
    expect(sent.at(-1)).toEqual({ password: next, current_password: password });

    await signOut();
    await settingsOf("mira", "/settings", next);
    await page.getByLabel("New Password", { exact: true }).fill(password);
    await page.getByLabel("Confirm New Password").fill(password);
    await button("Change password").click();
    await notification("Password changed");
  });

  test("sees other sessions and signs them out", async () => {
    await settingsOf("mira");
    const elsewhere = await gateway.newContext({
      userAgent: "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0",
    });
    const away = await openPage(elsewhere);
    await away.goto("/login");
    await signIn(away, "mira", password);
    await heading(away, "Dashboard").waitFor();
    await gateway.signIn("mira", password);

    await page.reload();
    await button("Generate access token").click();
    await dialog("Generate access token")
      .getByRole("button", { name: "Generate", exact: true })
      .click();
    await card("Access token").locator("code").waitFor();
    const firefox = card("Sessions")
      .getByRole("listitem")
      .filter({ hasText: "Firefox 145, Linux" });
    await firefox.getByRole("button", { name: /^Sign out Firefox/ }).click();
    await firefox.waitFor({ state: "detached" });
    await away.reload();
    await expect.poll(() => pathOf(away)).toMatch(/^\/login/);

    await button("Sign out all others").click();
    await dialog("Sign out all others")
      .getByRole("button", { name: "Sign out", exact: true })
      .click();
    await expect.poll(() => card("Sessions").getByRole("listitem").count()).toBe(1);
    expect(await button("Sign out all others").count()).toBe(0);
    // It ends with the other ways in.
    await card("Access token").getByText("No access token yet.").waitFor();
    expect(await card("Access token").locator("code").count()).toBe(0);
    await elsewhere.close();
  });

  test("sets the second factor up, signs in with a code and with a recovery code, and turns it off", async () => {
    await settingsOf("mira");
    await button("Set up second factor").click();
    const setup = dialog("Set up second factor");
    await setup.getByRole("img", { name: "QR code for the authenticator app" }).waitFor();
    await inspectScreen(page, "second factor", { widths: [375] });
    await setup.getByRole("button", { name: "Reveal secret" }).click();
    const secret = await setup.locator("code").innerText();
    await setup.getByLabel("Code of the app").fill("12345");
    await setup.getByRole("button", { name: "Turn on" }).click();
    await setup.getByText("TOTP code must be 6 digits").waitFor();
    await setup.getByLabel("Code of the app").fill(codeAt(secret, Date.now()));
    await setup.getByRole("button", { name: "Turn on" }).click();
    const shown = dialog("Recovery codes");
    const codes = (await shown.locator("pre").innerText()).trim().split(/\s+/);
    expect(codes.length).toBeGreaterThanOrEqual(8);
    await inspectScreen(page, "recovery codes", { widths: [375] });
    const saved = page.waitForEvent("download");
    await shown.getByRole("button", { name: "Download" }).click();
    expect((await saved).suggestedFilename()).toBe("recovery-codes.txt");
    await shown.getByRole("button", { name: "I have saved them" }).click();
    await card("Second factor").getByText(`${codes.length} recovery codes left`).waitFor();

    await signOut();
    await signIn(page, "mira", password);
    // The one that confirmed is used up; the gateway takes the next one half a minute early.
    await page.getByLabel("TOTP Code").fill(codeAt(secret, Date.now() + stepMs));
    await pressUntil(button("Verify TOTP"), heading(page, "Dashboard"));

    await signOut();
    await signIn(page, "mira", password);
    await button("Use a recovery code").click();
    await page.getByLabel("Recovery code").fill(codes[0] ?? "");
    await pressUntil(button("Verify TOTP"), heading(page, "Dashboard"));

    await page.goto("/settings");
    await card("Second factor")
      .getByText(`${codes.length - 1} recovery codes left`)
      .waitFor();
    await button("Turn off second factor").click();
    const off = dialog("Turn off second factor");
    await inspectScreen(page, "second factor off", { widths: [375] });
    await off.getByLabel("Code of the app or a recovery code").fill(codes[0] ?? "");
    const wrong = off.getByText("The recovery code is incorrect or was used before");
    await pressUntil(off.getByRole("button", { name: "Turn off" }), wrong);
    await off.getByLabel("Code of the app or a recovery code").fill(codes[1] ?? "");
    await pressUntil(off.getByRole("button", { name: "Turn off" }), button("Set up second factor"));
  });

  test("proves a new address with a code and binds external accounts, where the operator wants it so", {
    tags: ["large"],
  }, async () => {
    await put("GitHubClientId", "client-of-ours");
    await put("GitHubClientSecret", "secret");
    const account = { user: "gate@example.org", pass: "smtp password" };
    const mailbox = await startMailbox({ account });
    onTestFinished(() => mailbox.close());
    await put("SMTPServer", "127.0.0.1");
    await put("SMTPPort", String(mailbox.port));
    await put("SMTPAccount", account.user);
    await put("SMTPToken", account.pass);
    for (const key of ["GitHubOAuthEnabled", "EmailVerificationEnabled"]) await put(key, "true");
    await settingsOf("mira");
    await card("Profile").getByLabel("Email").fill("mira@example.org");
    await button("Update profile").click();
    const code = card("Profile").getByLabel("Verification Code");
    await code.waitFor();
    await inspectScreen(page, "address and external accounts", { widths: [375] });
    await code.fill("wrong");
    await button("Update profile").click();
    await card("Profile")
      .getByRole("alert")
      .getByText("The verification code is incorrect or has expired")
      .waitFor();
    await code.fill(codeIn(await mailbox.take("mira@example.org", "Your verification code")));
    await button("Update profile").click();
    await notification("Profile updated");
    await code.waitFor({ state: "hidden" });
    expect(await card("Profile").getByLabel("Email").inputValue()).toBe("mira@example.org");

    await page.route("https://github.com/**", (route) =>
      route.fulfill({ contentType: "text/html", body: "GitHub" }),
    );
    await button("Bind GitHub").click();
    await page.waitForURL(
      (url) => url.host === "github.com" && url.searchParams.get("client_id") === "client-of-ours",
    );
    for (const key of ["GitHubOAuthEnabled", "EmailVerificationEnabled"]) await put(key, "false");
    for (const key of ["GitHubClientId", "GitHubClientSecret"]) await put(key, "");
  });

  test("deletes the own account", async () => {
    await settingsOf("leaver");
    await button("Delete account").click();
    await dialog("Delete leaver").getByRole("button", { name: "Delete account" }).click();
    await expect.poll(() => pathOf(page)).toBe("/login");
    await signIn(page, "leaver", password);
    await page.getByRole("alert").getByText("Username or password is incorrect").waitFor();
  });
});

test("an administrator sees the own account alone, and no call is made that the role forbids", async () => {
  const asked: string[] = [];
  page.on("request", (request) => asked.push(new URL(request.url()).pathname));
  await settingsOf("adam", "/settings/operation");
  await page.getByText(/insufficient permissions/).waitFor();
  expect(await page.getByRole("tab").allInnerTexts()).toEqual(["Personal"]);
  await page
    .getByRole("navigation", { name: "Main" })
    .getByRole("link", { name: "Settings" })
    .click();
  await card("Profile").waitFor();
  expect(asked.filter((path) => path.startsWith("/api/option"))).toEqual([]);
  expect(pageErrors).toEqual([]);
});

test("a user makes a management key with the least rights, sees it once and what it may do, and stops it", async () => {
  await settingsOf("mira");
  await page.getByRole("link", { name: "Use a management key with fewer rights" }).click();
  await heading(page, "Management keys").waitFor();
  await button("New key").click();
  const form = card("New management key");
  await form.getByLabel("Name").fill("usage report");
  // What only administrators may give is not offered.
  expect(await form.getByRole("checkbox", { name: "Channels: read" }).count()).toBe(0);
  await form.getByRole("button", { name: "Read only" }).click();
  await form.getByRole("checkbox", { name: "API keys: read" }).uncheck();
  await form.getByText("See the dashboard and sums of usage").waitFor();
  await inspectScreen(page, "management keys");
  await form.getByRole("button", { name: "Create key" }).click();
  const key =
    (await page
      .locator("code")
      .filter({ hasText: /^tgm-\w{48}$/ })
      .textContent()) ?? "";
  const statusOf = async (path: string) =>
    (await fetch(gateway.url + path, { headers: { authorization: `Bearer ${key}` } })).status;
  expect(await statusOf("/api/user/dashboard")).toBe(200);
  expect(await statusOf("/api/token/")).toBe(403);
  await card("Keys")
    .getByText(`tgm-…${key.slice(-4)}`)
    .waitFor();

  await button("Try usage report").click();
  const trial = dialog("Try usage report");
  // It begins with a call that reads.
  expect(await trial.getByLabel("Body").count()).toBe(0);
  await trial.getByRole("button", { name: "Try", exact: true }).click();
  await trial.getByText("The reply, with status 200").waitFor();
  await trial.getByLabel("Call").selectOption("POST /api/token/");
  await trial.getByLabel("Body").fill('{ "name": }');
  await trial.getByRole("button", { name: "Try", exact: true }).click();
  await trial.getByText("The body is not valid JSON").waitFor();
  await trial.getByLabel("Body").fill('{ "name": "made by a trial" }');
  await trial.getByRole("button", { name: "Try", exact: true }).click();
  await trial.getByText("The reply, with status 403").waitFor();
  await trial.getByText('"scope": "tokens:write"').waitFor();
  await inspectScreen(page, "trial of a management key");
  await trial.getByRole("button", { name: "Close" }).click();

  await chooseVerb(page, "usage report", "Disable");
  await card("Keys").getByText("Disabled", { exact: true }).waitFor();
  expect(await statusOf("/api/user/dashboard")).toBe(401);
  await chooseVerb(page, "usage report", "Delete");
  await dialog("Delete usage report").getByRole("button", { name: "Delete", exact: true }).click();
  await card("Keys").getByText("No management keys yet.").waitFor();
  expect(pageErrors).toEqual([]);
});

describe("a super administrator", () => {
  const tab = (name: string) => page.getByRole("tab", { name, exact: true });
  const save = () => button("Save").click();

  test("walks the tabs by keyboard, and each has its address", { tags: ["large"] }, async () => {
    await settingsOf("root");
    await tab("Personal").focus();
    for (const [key, name, path] of [
      ["ArrowRight", "Operation", "/settings/operation"],
      ["End", "Changes", "/settings/changes"],
      ["ArrowLeft", "Other", "/settings/other"],
      ["ArrowLeft", "Sign-in", "/settings/sign-in"],
      ["ArrowLeft", "System", "/settings/system"],
      ["Home", "Personal", "/settings"],
    ] as const) {
      await page.keyboard.press(key);
      await page.keyboard.press("Enter");
      await expect.poll(() => pathOf(page)).toBe(path);
      await expect.poll(() => tab(name).getAttribute("aria-selected")).toBe("true");
      expect(await page.evaluate("document.activeElement.textContent")).toBe(name);
    }
    expect(await button("Delete account").count()).toBe(0);
    expect(pageErrors).toEqual([]);
  });

  test("finds a field from any tab by a word and Enter", async () => {
    await settingsOf("root");
    await page.getByLabel("Search settings", { exact: true }).fill("BudgetTimeZone");
    await page.keyboard.press("Enter");
    await expect.poll(() => pathOf(page)).toBe("/settings/operation");
    await page.locator("#option-BudgetTimeZone :focus").waitFor();
    expect(pageErrors).toEqual([]);
    // What is no field has an address too.
    await page.getByLabel("Search settings", { exact: true }).fill("import");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Show the plan" }).waitFor();
    expect(pathOf(page)).toBe("/settings/other/import");
  });

  test("goes to a section from the list, which marks where one is, and by its address", async () => {
    await settingsOf("root", "/settings/operation");
    const list = page.getByRole("navigation", { name: "Sections of this form" });
    const section = (name: string) => list.getByRole("link", { name, exact: true });
    expect(await section("Quota").getAttribute("aria-current")).toBe("true");
    await section("Clear logs").press("Enter");
    await expect.poll(() => section("Clear logs").getAttribute("aria-current")).toBe("true");
    await button("Clear Logs").waitFor();
    expect(new URL(page.url()).hash).toBe("#settings-clear-logs");

    await page.goto("/settings/operation#settings-guards");
    await page.locator("#settings-guards:focus").waitFor();
    await expect.poll(() => section("Guards").getAttribute("aria-current")).toBe("true");
    expect(await section("Quota").getAttribute("aria-current")).toBeNull();

    await page.setViewportSize({ width: 375, height: 800 });
    await page.getByText("Sections", { exact: true }).click();
    await section("Retention").click();
    await page.locator("#settings-retention:focus").waitFor();
    // It stays under the header, and closed over the section that it led to.
    expect(await section("Retention").isVisible()).toBe(false);
    await expect
      .poll(async () => (await page.getByText("Sections", { exact: true }).boundingBox())?.y)
      .toBeLessThan(130);
    await page.setViewportSize({ width: 1440, height: 900 });
    expect(pageErrors).toEqual([]);
  });

  test("reads what was changed and by which account, and exports all of it", {
    tags: ["large"],
  }, async () => {
    await put("SystemName", "On the record");
    await settingsOf("root", "/settings/changes");
    const table = page.getByRole("table", { name: "Changes", exact: true });
    await table
      .getByRole("row")
      .filter({ hasText: "Changed the setting SystemName" })
      .filter({ hasText: "→ On the record" })
      .first()
      .click();
    await dialog("Changed the setting SystemName").getByText("option.change").waitFor();
    await dialog("Changed the setting SystemName")
      .getByRole("listitem")
      .getByText("→ On the record")
      .waitFor();
    await inspectScreen(page, "change", { widths: [375], isWalked: false });
    await dialog("Changed the setting SystemName")
      .getByRole("button", { name: "All its changes" })
      .click();
    await expect.poll(() => pathOf(page)).toBe("/settings/changes?target=SystemName");
    await button("Clear filters").first().click();

    expect(await table.getByText("New", { exact: true }).count()).toBe(0);
    await put("SystemName", "Tollgate");
    await page.reload();
    await expect.poll(() => table.locator("tbody tr").filter({ hasText: "New" }).count()).toBe(1);
    expect(await table.locator("tbody tr").first().innerText()).toContain(
      "On the record → Tollgate",
    );
    await page.getByLabel("Kind").selectOption({ label: "Users" });
    const rows = table.locator("tbody tr");
    await expect.poll(() => rows.filter({ hasText: "SystemName" }).count()).toBe(0);
    await page.getByRole("combobox", { name: "Changed by" }).fill("nobody");
    await page.keyboard.press("Enter");
    await expect.poll(() => pathOf(page)).toBe("/settings/changes?subject=user&actor=nobody");
    await button("Clear filters").first().click();
    await table.getByText("Changed the setting SystemName").first().waitFor();
    await inspectScreen(page, "changes");
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("link", { name: "Export all" }).click(),
    ]);
    expect(download.suggestedFilename()).toBe("changes.ndjson");
    const lines = (await readFile(await download.path(), "utf8")).trim().split("\n");
    expect(lines.map((line) => JSON.parse(line).target)).toContain("SystemName");
    await put("SystemName", "Tollgate");
    expect(pageErrors).toEqual([]);
  });

  test.each([
    ["operation", "Quota", [1440, 375]],
    ["system", "Mail", [375]],
    ["other", "Appearance", [375]],
  ])(
    "finds %s readable, fitting and walkable",
    { tags: ["variant"] },
    async (name, section, widths) => {
      await settingsOf("root", `/settings/${name}`);
      await card(section).waitFor();
      await inspectScreen(page, name, { widths });
      expect(pageErrors).toEqual([]);
    },
  );

  test("changes names and texts for all users at once", { tags: ["large"] }, async () => {
    await settingsOf("root", "/settings/other");
    await card("Appearance").getByLabel("System name").fill("Harbour");
    await save();
    await notification("Settings saved");
    await page.getByRole("banner").getByText("Harbour").waitFor();
    await page
      .getByRole("contentinfo")
      .getByText(/Harbour/)
      .waitFor();
    await card("Contents").getByLabel("Notice").fill("# Closed on Sunday");
    await button("Preview Notice").click();
    await card("Contents").getByRole("heading", { name: "Closed on Sunday" }).waitFor();
    expect(await page.getByRole("region", { name: "Notice" }).count()).toBe(0);
    await save();
    await page
      .getByRole("region", { name: "Notice" })
      .getByRole("heading", { name: "Closed on Sunday" })
      .waitFor();
    await put("Notice", "");
    await card("Appearance").getByLabel("System name").fill("");
    await save();
    await card("Appearance")
      .getByText(/must have 1 to 100 characters/)
      .first()
      .waitFor();
    await card("Appearance").getByLabel("System name").fill("Tollgate");
    await save();
    await page.getByRole("banner").getByText("Tollgate").waitFor();

    await button("Check for updates").click();
    await card("Updates")
      .getByRole("status")
      .getByText(/does not ask other servers/)
      .waitFor();
    expect(pageErrors.filter((error) => !error.includes("status of 400"))).toEqual([]);
  });

  test("a setting names its default, shows what differs, and goes back to it", async () => {
    await settingsOf("root", "/settings/operation");
    const retries = page.locator("#option-RetryTimes");
    await retries.getByText("Default: 3", { exact: true }).waitFor();
    expect(await retries.getByText("Changed", { exact: true }).count()).toBe(0);
    await retries.getByLabel("Retries").fill("7");
    await retries.getByText("Changed", { exact: true }).waitFor();
    await save();
    await notification("Settings saved");
    await page.reload();
    await retries.getByText("Changed", { exact: true }).waitFor();
    await inspectScreen(page, "settings-changed-from-default");
    await retries.getByRole("button", { name: "Back to default: Retries" }).click();
    expect(await retries.getByLabel("Retries").inputValue()).toBe("3");
    await save();
    await notification("Settings saved");
    await expect
      .poll(() => gateway.rows("select value from options where key = 'RetryTimes'"))
      .toEqual([{ value: "3" }]);
  });

  test("changes how quota is shown and how calls work; wrong values are reported in place", {
    tags: ["large"],
  }, async () => {
    await root.call(createToken, { body: { name: "Purse", remain_quota: 1_000_000 } });
    await settingsOf("root", "/settings/operation");
    expect(await card("Quota").getByLabel("Quota per dollar").isDisabled()).toBe(true);
    await card("Calls").getByLabel("Retries").fill("-1");
    await save();
    await card("Calls").getByText("Enter a number that is not negative").waitFor();
    await card("Calls").getByLabel("Retries").fill("5");
    await save();
    await notification("Settings saved");

    const balance = card("Alert rules").getByRole("group", {
      name: "The balance at a provider is low",
    });
    await balance.getByLabel("Begins below ($)").fill("8");
    await balance.getByText("Enter more than the value at which it begins").waitFor();
    await save();
    await card("Alert rules").getByText("Correct the limits of the alert rules").waitFor();
    await balance.getByLabel("Ends at ($)").fill("9.5");
    await card("Alert rules").getByLabel("A provider reports impossible usage").uncheck();
    await card("Alert rules").getByLabel("Pause the key until a person resumes it").check();
    await save();
    await expect
      .poll(
        async () =>
          (
            await gateway.rows<{ value: string }>(
              "select value from options where key = 'AlertRules'",
            )
          )[0],
      )
      .toEqual({
        value:
          '{"channel.balance_low":{"begins":8,"ends":9.5},"spend.spike":{"pauses":true},"usage.capped":{"enabled":false}}',
      });
    await button("Reset The balance at a provider is low").click();
    await expect.poll(() => balance.getByLabel("Ends at ($)").inputValue()).toBe("6");
    await inspectScreen(page, "alert-rules");
    await save();

    await card("Groups").getByLabel("Group ratios").fill('{"vip": 1}');
    await save();
    await card("Groups")
      .getByText(/needs a ratio for the group default/)
      .first()
      .waitFor();
    await tab("System").click();
    await dialog("Unsaved changes").getByRole("button", { name: "Discard changes" }).click();
    await card("Mail").waitFor();

    await tab("Operation").click();
    await card("Display and links").getByLabel("Show quota as money").uncheck();
    await save();
    await expect
      .poll(() => page.evaluate("localStorage.getItem('display_in_currency')"))
      .toBe("false");
    await page.goto("/tokens");
    await page.getByRole("row").filter({ hasText: "Purse" }).getByText("1.0M").waitFor();
    await put("DisplayInCurrencyEnabled", "true");
  });

  test("saves what several sections changed in one act; what is refused stays, with its reason", async () => {
    const sent: string[] = [];
    page.on("request", (request) => {
      if (request.method() === "PUT" && request.url().endsWith("/api/option/"))
        sent.push(request.postDataJSON().key);
    });
    await settingsOf("root", "/settings/operation");
    await card("Calls").getByLabel("Retries").fill("4");
    await card("Groups").getByLabel("Group ratios").fill('{"vip": 1}');
    await card("Display and links").getByLabel("Top-up link").fill("https://pay.example/");
    await page.getByText("3 changes", { exact: true }).waitFor();
    await save();
    await page.getByText("2 of 3 changes are saved. The others show what is wrong.").waitFor();
    await card("Groups")
      .getByText(/needs a ratio for the group default/)
      .first()
      .waitFor();
    await page.getByText("1 change", { exact: true }).waitFor();
    expect(sent.toSorted()).toEqual(["GroupRatio", "RetryTimes", "TopUpLink"]);
    await inspectScreen(page, "settings-partly-saved", { widths: [1440, 375] });
    await button("Discard").click();
    await page.getByText("No changes", { exact: true }).waitFor();
    // What was only looked at asks nothing.
    await tab("System").click();
    await card("Mail").waitFor();
    const stored = await gateway.rows<{ key: string; value: string }>(
      "select key, value from options where key in ('RetryTimes', 'TopUpLink', 'GroupRatio')",
    );
    expect(Object.fromEntries(stored.map(({ key, value }) => [key, value]))).toMatchObject({
      RetryTimes: "4",
      TopUpLink: "https://pay.example/",
    });
    await put("TopUpLink", "");
    expect(pageErrors.filter((error) => !error.includes("status of 400"))).toEqual([]);
  });

  test("keeps a word out of requests, and the log says why a call was refused", {
    tags: ["large"],
  }, async () => {
    await settingsOf("root", "/settings/operation");
    const lists = card("Guards").getByLabel("Deny lists");
    await lists.fill('[{"name": "product names", "patterns": ["(?=zephyr)"]}]');
    await save();
    await card("Guards")
      .getByText(/has a pattern that RE2 refuses/)
      .first()
      .waitFor();
    await lists.fill('[{"name": "product names", "words": ["Zephyr"]}]');
    await save();
    await notification("Settings saved");

    const { key } = await gateway.given.token();
    const refused = await gateway.chat(key, {
      model: "any",
      messages: [{ role: "user", content: "What is zephyr?" }],
    });
    expect(refused.status).toBe(400);
    await put("DenyLists", "[]");
    // Refused calls are written once a second.
    await eventually(async () => {
      const rows = await gateway.rows("select id from logs where outcome = 'refused'");
      if (rows.length === 0) throw new Error("no row yet");
    });
    await page.goto("/logs");
    await page
      .getByRole("row")
      .filter({ hasText: 'The request holds what the deny list "product names" does not allow' })
      .waitFor();
    expect(pageErrors.filter((error) => !error.includes("status of 400"))).toEqual([]);
  });

  test("has API keys shown only once, when they are created, or again after proof", async () => {
    await settingsOf("root", "/settings/system");
    await card("API keys").getByLabel("Reveal and copy API keys later").uncheck();
    await save();
    await notification("Settings saved");
    await page.goto("/tokens/add");
    await page.getByLabel("Token Name").fill("Once");
    await button("Create Token").click();
    const once = dialog("Key of Once");
    const key = await once.locator("code").innerText();
    expect(key).toMatch(/^sk-\w{48}$/);
    await page.keyboard.press("Escape");
    await visitor.grantPermissions(["clipboard-read", "clipboard-write"]);
    await once.getByRole("button", { name: "Copy key" }).click();
    await expect.poll(() => page.evaluate("navigator.clipboard.readText()")).toBe(key);
    await inspectScreen(page, "new-key");
    await once.getByRole("button", { name: "Done" }).click();
    await closeUseKey(page);

    const masked = page
      .getByRole("row")
      .filter({ hasText: "Once" })
      .getByText(`${key.slice(0, 4)}***${key.slice(-4)}`);
    await masked.hover();
    await page
      .getByRole("tooltip", { name: "Keys are shown only once, when they are created." })
      .waitFor();
    expect(await page.getByRole("button", { name: /(Reveal|Copy) key/ }).count()).toBe(0);
    await inspectScreen(page, "masked-keys");

    await put("TokenKeyRevealEnabled", "true");
    await put("TokenKeyProofEnabled", "true");
    // As the gateway answers ten minutes later.
    const refused = {
      success: false,
      message: "Please confirm your identity",
      code: "reauth_required",
    };
    await page.route("**/api/token/reveal", (route) =>
      route.request().postDataJSON().current_password === undefined
        ? route.fulfill({ json: refused })
        : route.continue(),
    );
    await page.goto("/tokens");
    const row = page.getByRole("row").filter({ hasText: "Once" });
    await row.getByRole("button", { name: "Reveal key" }).click();
    await dialog("Confirm it is you").getByLabel("Current password").fill("not this one");
    await dialog("Confirm it is you").getByRole("button", { name: "Confirm" }).click();
    await dialog("Confirm it is you").getByText("The current password is incorrect").waitFor();
    // On a phone the list has another form, in which the question would begin anew.
    await inspectScreen(page, "proof-before-key", { widths: [1440] });
    await dialog("Confirm it is you").getByLabel("Current password").fill(password);
    await dialog("Confirm it is you").getByRole("button", { name: "Confirm" }).click();
    await page.getByText(key, { exact: true }).waitFor();
    await row.getByRole("button", { name: "Hide key" }).click();
    await page.getByText(key, { exact: true }).waitFor({ state: "detached" });
    expect(pageErrors).toEqual([]);
    await put("TokenKeyProofEnabled", "false");
  });

  test("sets secrets that are never shown again, and switches that wait for what they need", async () => {
    for (const key of ["GitHubOAuthEnabled", "GitHubClientSecret", "GitHubClientId"]) {
      await put(key, key === "GitHubOAuthEnabled" ? "false" : "");
    }
    await settingsOf("root", "/settings/system");
    await page.getByText("Passkeys belong to the host of PUBLIC_URL").waitFor();
    await page.goto("/settings/sign-in");
    await card("GitHub").getByLabel("Sign in with GitHub").check();
    await save();
    await card("GitHub")
      .getByText(/Please set GitHubClientId and GitHubClientSecret/)
      .first()
      .waitFor();
    await card("GitHub").getByLabel("GitHub client ID").fill("client");
    await card("GitHub").getByLabel("GitHub client secret").fill("canary-secret");
    await save();
    await notification("Settings saved");
    await button("Replace GitHub client secret").waitFor();
    await page.reload();
    await button("Clear GitHub client secret").click();
    expect(await page.content()).not.toContain("canary-secret");
    await dialog("Clear GitHub client secret").getByRole("button", { name: "Clear" }).click();
    await dialog("Clear GitHub client secret")
      .getByText(/cannot be empty while GitHubOAuthEnabled is on/)
      .waitFor();
    await dialog("Clear GitHub client secret").getByRole("button", { name: "Cancel" }).click();
    await card("GitHub").getByLabel("Sign in with GitHub").uncheck();
    await save();
    // A question that is open when the save ends stays open.
    await button("Clear GitHub client secret").click();
    await expect
      .poll(async () => (await visitor.request.get("/api/status")).text())
      .toContain('"github_oauth":false');
    await dialog("Clear GitHub client secret").getByRole("button", { name: "Clear" }).click();
    await card("GitHub").getByText("Not set").waitFor();
    expect(pageErrors).toEqual([]);
  });

  test("reads where the metrics are served and copies the scrape configuration", {
    tags: ["large"],
  }, async () => {
    await settingsOf("root", "/settings/system");
    const telemetry = card("Metrics and traces");
    await telemetry.getByText("For a management key with metrics:read").waitFor();
    await telemetry.getByText(/^[1-9]\d* of 10,000$/).waitFor();
    await telemetry.getByText("Off: OTEL_EXPORTER_OTLP_ENDPOINT is not set").waitFor();
    await visitor.grantPermissions(["clipboard-read", "clipboard-write"]);
    await telemetry.getByRole("button", { name: "Copy code" }).click();
    await expect
      .poll(() => page.evaluate<string>("navigator.clipboard.readText()"))
      .toMatch(/^scrape_configs:\n {2}- job_name: tollgate\n/);
    await inspectScreen(page, "system");
    expect(pageErrors).toEqual([]);
  });

  test("is asked up to which date the logs are deleted, as on their own page", {
    tags: ["large"],
  }, async () => {
    await settingsOf("root", "/settings/operation");
    await card("Clear logs").getByRole("button", { name: "Clear Logs" }).click();
    const asked = dialog("Clear Logs");
    await asked.getByLabel("Before").fill("2020-01-01T00:00:00");
    await asked.getByText("Delete logs before 2020-01-01 00:00:00 ?").waitFor();
    await asked.getByText("Nothing to clear: the entries of all users are newer.").waitFor();
    await asked.getByRole("button", { name: "Cancel" }).click();
    await asked.waitFor({ state: "hidden" });
  });

  test("sees why settings could not be loaded, and tries again", { tags: ["large"] }, async () => {
    await page.route("**/api/option/", (route) =>
      route.fulfill({
        status: 503,
        json: { success: false, message: "The server cannot reach its storage right now" },
      }),
    );
    await settingsOf("root", "/settings/other");
    await page
      .getByRole("alert")
      .getByText("The server cannot reach its storage right now")
      .waitFor();
    await page.unroute("**/api/option/");
    await button("Retry").click();
    await card("Appearance").waitFor();
  });
});
