import {
  createUser,
  getUser,
  manageUser,
  topUpUser,
  updateUser,
} from "@tollgate/contract/accounts/user-admin.ts";
import type { BrowserContext, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { ApiSession } from "../harness/api-session.ts";
import type { TestGateway } from "../harness/test-gateway.ts";
import { startBrowserGateway } from "./browser-gateway.ts";
import {
  collectPageErrors,
  heading,
  navigationLink,
  openPage,
  openSignedIn,
  pathOf,
  readTable,
  signIn,
} from "./console-pages.ts";
import { accessibilityViolations, inspectScreen } from "./inspect-page.ts";

let gateway: TestGateway;
let root: ApiSession;
let visitor: BrowserContext;
let page: Page;
let pageErrors: string[];
const ids = new Map<string, string>();

const password = "correct horse battery";
const administrators = ["ada", "bob"];
const people = Array.from({ length: 12 }, (_, place) => `person-${place + 1}`);

beforeAll(async () => {
  gateway = await startBrowserGateway({
    store: "postgres",
    env: { INITIAL_ROOT_PASSWORD: password },
  });
  root = await gateway.signIn("root", password);
  for (const username of [...people, ...administrators]) {
    const { data } = await root.call(createUser, {
      body: { username, password, quota: 1_000_000 },
    });
    ids.set(username, data.uuid);
  }
  for (const username of administrators)
    await root.call(manageUser, { body: { username, action: "promote" } });
});
afterAll(() => gateway.close());

const button = (name: string) => page.getByRole("button", { name, exact: true });
const dialog = (name: string) => page.getByRole("dialog", { name, exact: true });
const rowOf = (username: string) =>
  page.getByRole("row").filter({ has: page.getByRole("cell", { name: username, exact: true }) });
const rows = () => readTable(page, "Users");
const notification = (text: string) =>
  page.getByRole("region", { name: "Notifications" }).getByText(text, { exact: true });
const stored = async (username: string) =>
  (await root.call(getUser, { params: { id: ids.get(username) ?? "" } })).data;

async function beginAs(username: string): Promise<void> {
  visitor = await gateway.newContext();
  page = await openPage(visitor);
  pageErrors = collectPageErrors(page);
  await openSignedIn(page, gateway.url, { username, password, path: "/users" });
}

async function choose(username: string, action: string): Promise<void> {
  await button(`More actions for ${username}`).click();
  await page.getByRole("menuitem", { name: action, exact: true }).click();
}

describe("a super admin", () => {
  beforeAll(async () => {
    await beginAs("root");
    await heading(page, "Users").waitFor();
  });
  afterAll(() => visitor.close());
  afterEach(async () => {
    await page.unrouteAll({ behavior: "ignoreErrors" });
    expect(pageErrors.splice(0)).toEqual([]);
  });

  test("sees who is there, by page, role and name", async () => {
    await navigationLink(page, "Users").click();
    await expect.poll(async () => (await rows()).length).toBe(10);
    await page.getByLabel("Role", { exact: true }).selectOption({ label: "Admin" });
    await expect
      .poll(async () => (await rows()).map(({ Username, Role }) => [Username, Role]))
      .toEqual([
        ["bob", "Admin"],
        ["ada", "Admin"],
      ]);
    await page.getByLabel("Role", { exact: true }).selectOption({ label: "Super Admin" });
    await expect
      .poll(async () => (await rows()).map(({ Username, Role }) => [Username, Role]))
      .toEqual([["root", "Admin"]]);
    await page.getByLabel("Role", { exact: true }).selectOption({ label: "Normal" });
    await expect.poll(async () => (await rows()).every(({ Role }) => Role === "Normal")).toBe(true);
    await expect.poll(() => pathOf(page)).toBe("/users?role=1");

    const search = page.getByRole("combobox", { name: "Search users" });
    await search.fill("person-1");
    const offered = page.getByRole("listbox", { name: "Search users" }).getByRole("option");
    await offered.first().waitFor();
    expect(await offered.allInnerTexts()).toEqual(
      ["person-1", "person-10", "person-11", "person-12"].map((name) =>
        expect.stringContaining(name),
      ),
    );
    await search.press("Enter");
    await expect.poll(async () => (await rows()).length).toBe(4);
    await page.getByRole("columnheader", { name: "Username" }).getByRole("button").click();
    await expect.poll(async () => (await rows())[0]?.Username).toBe("person-12");
    await search.fill("nobody");
    await search.press("Enter");
    await page.getByText("No results.", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Clear filters" }).last().click();
    await expect.poll(async () => (await rows()).length).toBe(10);
  });

  test("creates an account in the dialog, with a password of six characters at least", async () => {
    await page.goto("/users");
    await button("Quick create").click();
    const form = dialog("Create User");
    await expect
      .poll(() =>
        form
          .getByLabel("Username")
          .evaluate((input) => input === input.ownerDocument.activeElement),
      )
      .toBe(true);
    await form.getByLabel("Password", { exact: true }).fill("12345");
    await form.getByRole("button", { name: "Create User" }).click();
    await form.getByText("Username is required").waitFor();
    await form.getByText("Password must be at least 6 characters").waitFor();
    await inspectScreen(page, "create user dialog");
    await form.getByLabel("Username").fill("m");
    await form.getByLabel("Password", { exact: true }).fill("123456");
    await form.getByRole("button", { name: "Create User" }).click();
    await notification("User created successfully").waitFor();
    await rowOf("m").first().waitFor();
    expect((await rows()).find(({ Username }) => Username === "m")).toMatchObject({
      Status: "Enabled",
      Group: "default",
    });

    await button("Quick create").click();
    await form.getByLabel("Username").fill("ada");
    await form.getByLabel("Password", { exact: true }).fill("123456");
    await form.getByRole("button", { name: "Create User" }).click();
    await form.getByText("This username is already taken").first().waitFor();
    await form.getByRole("button", { name: "Cancel" }).click();
    await form.waitFor({ state: "detached" });
    await notification("User created successfully").waitFor({ state: "detached" });
    pageErrors.length = 0;
  });

  test("creates an account in the form, which shows its errors", { tags: ["large"] }, async () => {
    await page.getByRole("link", { name: "Add User" }).click();
    await heading(page, "Create User").waitFor();
    const send = () => button("Create User").click();
    await page.getByLabel("Email").fill("mira@");
    await page.getByLabel("Quota", { exact: true }).fill("-1");
    await send();
    for (const message of [
      "Username must be at least 3 characters",
      "Password must be at least 6 characters",
      "Valid email is required",
      "Quota must be non-negative",
    ]) {
      await page.getByText(message, { exact: true }).waitFor();
    }
    await inspectScreen(page, "user form with everything wrong");

    await page.getByLabel("Username").fill("mira");
    await page.getByLabel("Display name").fill("Mira");
    await page.getByLabel("Email").fill("mira@example.org");
    await page.getByLabel("Password", { exact: true }).fill(password);
    await page.getByLabel("Quota", { exact: true }).fill("1000000");
    await page.getByLabel("Group").selectOption("vip");
    await page.getByText("worth $2.0000").waitFor();
    await send();
    await page.getByText("User created successfully").waitFor();
    await expect.poll(() => pathOf(page)).toBe("/users");
    await expect
      .poll(async () => (await rows()).find(({ Username }) => Username === "mira"))
      .toMatchObject({ "Display name": "Mira", Role: "Normal", Group: "vip", Quota: "$2.0000" });
  });

  test("edits an account: the quota moves by what was changed, and a newer version is never overwritten", async () => {
    const edit = () => rowOf("person-12").getByRole("link", { name: "Edit" }).click();
    await page.goto("/users?keyword=person-12");
    await edit();
    await heading(page, "Edit User").waitFor();
    await root.call(topUpUser, { body: { user_uuid: ids.get("person-12") ?? "", quota: 500 } });
    await page.getByLabel("Quota", { exact: true }).fill("1000100");
    await page.getByLabel("Display name").fill("Twelfth");
    await button("Update User").click();
    await page.getByText("User updated successfully").waitFor();
    expect(await stored("person-12")).toMatchObject({
      display_name: "Twelfth",
      quota: 1_000_600,
      group: "default",
    });

    await page.goto("/users?keyword=person-12");
    await edit();
    await page.getByLabel("Display name").fill("Mine");
    await root.call(updateUser, {
      body: { uuid: ids.get("person-12") ?? "", display_name: "Theirs" },
    });
    await button("Update User").click();
    await page.getByText("This was changed by someone else meanwhile").waitFor();
    await button("Reload").click();
    await expect.poll(() => page.getByLabel("Display name").inputValue()).toBe("Theirs");
    expect((await stored("person-12")).display_name).toBe("Theirs");
    pageErrors.length = 0;
  });

  test("changes name and group of its own account here, and nothing that could lock it out", {
    tags: ["large"],
  }, async () => {
    await page.goto("/users?role=100");
    await rowOf("root").getByRole("link", { name: "Edit" }).click();
    await heading(page, "Edit User").waitFor();
    expect(await page.getByLabel("Email").isDisabled()).toBe(true);
    expect(await page.getByLabel("Password", { exact: true }).count()).toBe(0);
    await page.getByLabel("Display name").fill("The root");
    await button("Update User").click();
    await page.getByText("User updated successfully").waitFor();
    await page.goto("/users?role=100");
    await button("More actions for root").click();
    await page.getByText("Change your own account in your personal settings").waitFor();
    for (const name of ["Disable", "Reset second factor", "Delete"])
      expect(await page.getByRole("menuitem", { name }).getAttribute("aria-disabled"), name).toBe(
        "true",
      );
    await page.keyboard.press("Escape");
  });

  test("disables, enables, tops up, promotes, demotes and deletes", async () => {
    const status = async () =>
      (await rows()).find(({ Username }) => Username === "person-11")?.Status;
    await page.goto("/users?keyword=person-11");
    await choose("person-11", "Disable");
    await notification("person-11 is disabled").waitFor();
    // Its sign-ins have ended for good, which enabling does not restore.
    expect(await button("Undo").count()).toBe(0);
    await expect.poll(status).toBe("Disabled");
    await choose("person-11", "Enable");
    await expect.poll(status).toBe("Enabled");

    await choose("person-11", "Top up");
    const topUp = dialog("Top up person-11");
    await topUp.getByRole("button", { name: "Top up" }).click();
    await topUp.getByText("Quota must be a whole number, 0 or more").waitFor();
    await inspectScreen(page, "top up dialog");
    await topUp.getByLabel("Quota", { exact: true }).fill("250000");
    await topUp.getByLabel("Remark").fill("for the demo");
    await topUp.getByRole("button", { name: "Top up" }).click();
    await notification("person-11 is topped up").waitFor();
    await expect.poll(async () => (await rows())[0]?.Quota).toBe("$2.5000");
    expect((await stored("person-11")).quota).toBe(1_250_000);

    await choose("person-11", "Make administrator");
    await dialog("Make person-11 an administrator")
      .getByRole("button", { name: "Make administrator" })
      .click();
    await expect.poll(async () => (await rows())[0]?.Role).toBe("Admin");
    await choose("person-11", "Make ordinary user");
    await dialog("Make person-11 an ordinary user")
      .getByRole("button", { name: "Make ordinary user" })
      .click();
    await expect.poll(async () => (await rows())[0]?.Role).toBe("Normal");

    await choose("person-11", "Reset second factor");
    const reset = dialog("Reset the second factor of person-11");
    await reset.getByRole("button", { name: "Reset" }).click();
    await reset.getByText("The second factor is not switched on").waitFor();
    await reset.getByRole("button", { name: "Cancel" }).click();

    await choose("person-11", "Delete");
    await dialog("Delete person-11")
      .getByText('Are you sure you want to delete user "person-11"?')
      .waitFor();
    await dialog("Delete person-11").getByRole("button", { name: "Delete" }).click();
    await notification("person-11 is deleted").waitFor();
    await page.getByText("No results.", { exact: true }).waitFor();
  });

  test("who gives quota and gets no answer sees the balance read again, and giving it once more gives it once", async () => {
    await page.goto("/users?keyword=person-10");
    await choose("person-10", "Top up");
    const topUp = dialog("Top up person-10");
    await topUp.getByLabel("Quota", { exact: true }).fill("500000");
    // The gateway does it; only its answer is lost.
    await page.route("**/api/topup", async (route) => {
      await route.fetch();
      await route.abort("connectionreset");
    });
    await topUp.getByRole("button", { name: "Top up" }).click();
    await topUp.getByRole("alert").getByText("The gateway cannot be reached").waitFor();
    expect(await rowOf("person-10").locator('data[value="1500000"]').count()).toBe(1);
    await page.unroute("**/api/topup");
    await topUp.getByRole("button", { name: "Top up" }).click();
    await notification("person-10 is topped up").waitFor();
    expect((await stored("person-10")).quota).toBe(1_500_000);
    pageErrors.length = 0;
  });

  test("finds the list accessible, and fitting at every width; the rows on a phone leave out the dates", {
    tags: ["large"],
  }, async () => {
    await page.goto("/users");
    await rowOf("mira").first().waitFor();
    await inspectScreen(page, "users list");
    await page.goto(`/users/edit/${ids.get("person-1")}`);
    await button("Update User").waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);

    await page.setViewportSize({ width: 375, height: 800 });
    await page.goto("/users?keyword=person-12");
    await button("person-12").click();
    await page.getByRole("term").getByText("Used Quota", { exact: true }).waitFor();
    expect(await page.getByRole("term").getByText("Created", { exact: true }).count()).toBe(0);
    expect(await accessibilityViolations(page)).toEqual([]);
    await page.setViewportSize({ width: 1440, height: 900 });
  });

  test("shows an empty list, loading and failure; and -1 of another server reads Unlimited", {
    tags: ["variant"],
  }, async () => {
    const answer = Promise.withResolvers<object>();
    await page.route("**/api/user/?*", async (route) =>
      route.fulfill({ json: await answer.promise }),
    );
    await page.goto("/users");
    await page.getByText("Loading...", { exact: true }).first().waitFor({ state: "attached" });
    answer.resolve({ success: true, message: "", data: null, total: 0 });
    await page
      .getByText("No users found. Add your first user to get started.", { exact: true })
      .waitFor();

    await page.unroute("**/api/user/?*");
    const other = { ...(await stored("person-1")), quota: -1 };
    await page.route("**/api/user/?*", (route) =>
      route.fulfill({
        json: { success: true, message: "", data: [other, { ...other, uuid: "gone", status: 3 }] },
      }),
    );
    await button("Refresh").click();
    await expect.poll(async () => (await rows()).map(({ Quota }) => Quota)).toEqual(["Unlimited"]);

    await page.unroute("**/api/user/?*");
    await page.route("**/api/user/?*", (route) =>
      route.fulfill({
        status: 500,
        headers: { "X-Oneapi-Request-Id": "0123456789abcdef" },
        json: { success: false, message: "Something went wrong on the server" },
      }),
    );
    await button("Refresh").click();
    const alert = page.getByRole("alert").filter({ hasText: "This list could not be loaded" });
    await alert.getByText("0123456789abcdef").waitFor();
    expect(await page.getByText("person-1").count()).toBe(0);
    await page.unroute("**/api/user/?*");
    await alert.getByRole("button", { name: "Retry" }).click();
    await expect.poll(async () => (await rows()).length).toBeGreaterThan(0);
    pageErrors.length = 0;
  });
});

test("an administrator sees which users are out of reach, and manages all others", async () => {
  await beginAs("ada");
  await page.getByLabel("Role", { exact: true }).selectOption({ label: "Admin" });
  await expect.poll(async () => (await rows()).length).toBe(2);
  const peerEdit = rowOf("bob").getByRole("button", { name: "Edit" });
  await peerEdit.hover();
  await page
    .getByRole("tooltip")
    .getByText("You can only manage users whose role is lower than yours")
    .waitFor();
  await button("More actions for bob").click();
  for (const name of ["Top up", "Disable", "Reset second factor", "Delete"])
    expect(await page.getByRole("menuitem", { name }).getAttribute("aria-disabled"), name).toBe(
      "true",
    );
  expect(await page.getByRole("menuitem", { name: /administrator|ordinary/ }).count()).toBe(0);
  await page.keyboard.press("Escape");
  expect(await accessibilityViolations(page)).toEqual([]);
  expect(await rowOf("ada").getByRole("link", { name: "Edit" }).getAttribute("href")).toBe(
    "/settings",
  );

  await page.goto("/users?keyword=person-9");
  await choose("person-9", "Top up");
  await dialog("Top up person-9").getByLabel("Quota", { exact: true }).fill("500000");
  await dialog("Top up person-9").getByRole("button", { name: "Top up" }).click();
  await expect.poll(async () => (await rows())[0]?.Quota).toBe("$3.0000");
  await choose("person-9", "Disable");
  await notification("person-9 is disabled").waitFor();
  expect((await stored("person-9")).status).toBe(2);
  await page.goto(`/users/edit/${ids.get("ada")}`);
  await page.getByText("Change your own account in your personal settings").waitFor();
  await page.goto(`/users/edit/${ids.get("bob")}`);
  await page
    .getByRole("alert")
    .getByText("You can only manage users whose role is lower than yours")
    .waitFor();
  expect(pageErrors).toEqual([]);
  await visitor.close();
});

test("an administrator tops up above the limit of a day, and root approves it", {
  tags: ["S2-23", "large"],
}, async () => {
  await beginAs("bob");
  await page.goto("/users?keyword=person-8");
  await choose("person-8", "Top up");
  await dialog("Top up person-8").getByLabel("Quota", { exact: true }).fill("60000000");
  await dialog("Top up person-8").getByRole("button", { name: "Top up" }).click();
  await dialog("Top up person-8")
    .getByText("Nothing was changed: it waits for the approval of a super administrator")
    .waitFor();
  await page.keyboard.press("Escape");
  const own = page.getByRole("region", { name: "Quota waits for a super administrator" });
  await own.getByText("$120.0000 for the account person-8").waitFor();
  expect(await own.getByRole("button", { name: "Approve" }).count()).toBe(0);
  expect(await accessibilityViolations(page)).toEqual([]);
  expect((await stored("person-8")).quota).toBe(1_000_000);
  await visitor.close();

  await beginAs("root");
  const waiting = page.getByRole("region", { name: "Quota waits for your approval" });
  await waiting.getByText("bob", { exact: false }).waitFor();
  expect(await accessibilityViolations(page)).toEqual([]);
  await waiting.getByRole("button", { name: "Approve" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Approve" }).click();
  await notification("The quota is issued").waitFor();
  await waiting.waitFor({ state: "detached" });
  expect((await stored("person-8")).quota).toBe(61_000_000);
  expect(pageErrors).toEqual([]);
  await visitor.close();
});

test("an ordinary user reaches none of it, and the console does not even ask", async () => {
  const asked: string[] = [];
  visitor = await gateway.newContext();
  page = await openPage(visitor);
  page.on("request", (request) => asked.push(new URL(request.url()).pathname));
  await page.goto("/login");
  await signIn(page, "person-1", password);
  await heading(page, "Dashboard").waitFor();
  for (const name of ["Users", "Redemptions"])
    expect(await navigationLink(page, name).count()).toBe(0);
  for (const path of [
    "/users",
    "/users/add",
    `/users/edit/${ids.get("mira")}`,
    "/redemptions",
    "/redemptions/add",
  ]) {
    await page.goto(path);
    await heading(page, "For administrators").waitFor();
  }
  expect(
    asked.filter((path) => /^\/api\/(user\/($|search|[0-9a-f-]{36})|redemption|group)/.test(path)),
  ).toEqual([]);
  await visitor.close();
});
