// Teams in the console: what an administrator makes, and what a member sees and does in it.
import { inviteToTeam } from "@tollgate/contract/accounts/team-invitations.ts";
import { setTeamMember } from "@tollgate/contract/accounts/teams.ts";
import { createToken } from "@tollgate/contract/accounts/tokens.ts";
import { createUser, listUsers, topUpUser } from "@tollgate/contract/accounts/user-admin.ts";
import { createChannel } from "@tollgate/contract/catalogue/channels.ts";
import { updateOption } from "@tollgate/contract/site/options.ts";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { TestGateway } from "../harness/test-gateway.ts";
import { startBrowserGateway } from "./browser-gateway.ts";
import {
  chooseVerb,
  collectPageErrors,
  heading,
  openPage,
  openSignedIn,
  signIn,
} from "./console-pages.ts";
import { inspectScreen } from "./inspect-page.ts";

const password = "correct horse battery";
let gateway: TestGateway;
let page: Page;
let pageErrors: string[];
/** Of an invitation, as the inviter hands it over. */
let link: string;

beforeAll(async () => {
  gateway = await startBrowserGateway({
    store: "sqlite",
    env: { INITIAL_ROOT_PASSWORD: password },
  });
  const root = await gateway.signIn("root", password);
  const base_url = gateway.simulator.url;
  await root.call(createChannel, {
    body: { name: "Main", type: 50, key: "sim-ok", base_url, models: "m1" },
  });
  for (const username of ["mira", "noor"])
    await root.call(createUser, { body: { username, password } });
  await root.call(topUpUser, { body: { user_id: 1, quota: 5_000_000 } });
  page = await openPage(await gateway.newContext());
  pageErrors = collectPageErrors(page);
});
afterAll(() => gateway.close());

const button = (name: string) => page.getByRole("button", { name, exact: true });
const tab = (name: string) => page.getByRole("tab", { name, exact: true });
const dialog = () => page.getByRole("dialog");
const save = async (name: string) => {
  await dialog().getByRole("button", { name, exact: true }).click();
  await dialog().waitFor({ state: "detached" });
};

async function ask(key: string): Promise<number> {
  const response = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "m1", messages: [{ role: "user", content: "Hello" }] }),
  });
  await response.text();
  await gateway.settled();
  return response.status;
}

test("an administrator makes a team with a balance, a member, a key and a budget, and sees what it spent", async () => {
  await openSignedIn(page, gateway.url, { username: "root", password, path: "/teams" });
  await page.getByText("No teams yet.").waitFor();
  await inspectScreen(page, "teams without any");
  await button("New team").click();
  await dialog().getByLabel("Name", { exact: true }).fill("Search");
  await save("Create team");
  await heading(page, "Search").waitFor();

  await button("Move balance").click();
  await dialog().getByLabel("Where it comes from").selectOption("New quota");
  await dialog().getByLabel("Amount").fill("5");
  await inspectScreen(page, "team-transfer");
  await save("Move");
  await page.getByText("$5.00").first().waitFor();

  await tab("Members").click();
  await button("Add member").click();
  await dialog().getByLabel("Username").fill("stranger");
  await dialog().getByRole("button", { name: "Add", exact: true }).click();
  await dialog().getByText("No user has this name").first().waitFor();
  await dialog().getByLabel("Username").fill("mira");
  await inspectScreen(page, "team-member");
  await save("Add");
  await page.getByLabel("Role of mira").selectOption("Viewer");
  await page.getByText("mira").first().waitFor();
  await page.getByLabel("Role of mira").selectOption("Member");

  await button("Invite").click();
  await dialog().getByLabel("Username or mail address").fill("noor@example.com");
  await inspectScreen(page, "team-invite");
  await save("Invite");
  link = (await page.getByText(/\/invitation#/).textContent()) ?? "";
  await inspectScreen(page, "team members");

  await tab("Keys").click();
  await button("New key").click();
  await dialog().getByLabel("Name", { exact: true }).fill("backend");
  await dialog().getByLabel("Who uses it").selectOption("A service");
  await inspectScreen(page, "team-key");
  await save("Create key");
  const secret = (await page.getByText(/^sk-/).first().textContent()) ?? "";
  expect(await ask(secret)).toBe(200);
  await button("Disable backend").click();
  await button("Enable backend").waitFor();
  expect(await ask(secret)).toBe(401);
  await button("Enable backend").click();
  await button("Disable backend").waitFor();
  await inspectScreen(page, "team keys");

  await tab("Budgets").click();
  await page.getByText("No budget yet: each member may spend").waitFor();
  await button("New budget").click();
  await dialog().getByLabel("Name", { exact: true }).fill("A month of search");
  await dialog().getByLabel("Amount").fill("50");
  await save("Save");
  await page.getByRole("progressbar", { name: "Used of A month of search" }).waitFor();

  await button("New budget for each member").click();
  await dialog().getByText("Each of the 2 members gets this budget at once").waitFor();
  await dialog().getByLabel("Name", { exact: true }).fill("A week");
  await dialog().getByLabel("Amount").fill("20");
  await dialog().getByLabel("Window").selectOption("Weekly");
  await dialog()
    .getByLabel("When it is used up")
    .selectOption("Refuse calls, and let people ask for more");
  await inspectScreen(page, "team-member-budget");
  await save("Save");
  await page.getByText("2 members follow it").waitFor();
  await page.getByRole("progressbar", { name: "Used of A week" }).first().waitFor();
  await page.getByLabel("Member", { exact: true }).selectOption("mira");
  await button("Edit A week · mira").click();
  await dialog().getByText("Once you change it here").waitFor();
  await dialog().getByLabel("Amount").fill("35");
  await save("Save");
  await page.getByText("1 member has another").waitFor();
  await page.getByText("$0 of $35").or(page.getByText("$0.00 of $35.00 used")).first().waitFor();
  await inspectScreen(page, "team budgets");

  await tab("Overview").click();
  const members = page.getByRole("region", { name: "Spent by members this month" });
  await members.getByRole("row", { name: /Service keys/ }).waitFor();
  await page.getByRole("progressbar", { name: "Used of A month of search" }).waitFor();
  await inspectScreen(page, "team overview");
  await tab("Statement").click();
  const month = page.getByRole("region", { name: "Balance of the month" });
  await month.getByRole("row", { name: /^New quota 1 \$5\.00/ }).waitFor();
  await month.getByRole("row", { name: /^Closing balance/ }).waitFor();
  const spent = page.getByRole("region", { name: "Spent by members" });
  await spent.getByRole("row", { name: /^Service keys 1/ }).waitFor();
  await inspectScreen(page, "team statement");
  await tab("Activity").click();
  await page.getByRole("link", { name: "Trace" }).first().waitFor();
  await page.getByText("$5.00 new quota for the team Search, by root").waitFor();

  await tab("Settings").click();
  await page.getByLabel("Members see the balance").uncheck();
  await button("Save").click();
  await page.getByText("Saved. Applies from the next call.").waitFor();
  await inspectScreen(page, "team settings");
  expect(pageErrors).toEqual([]);
});

test("who is in a team switches Tokens, Logs, Dashboard, Top Up and Report to what the team pays", async () => {
  const paidFrom = page.getByLabel("Paid from");
  await page.goto("/logs");
  await paidFrom.selectOption("Search");
  const row = page.getByRole("row").filter({ hasText: "service:backend" }).first();
  await row.waitFor();
  const { search } = new URL(page.url());
  expect(search).toMatch(/^\?team=[0-9a-f-]{36}$/);
  await inspectScreen(page, "logs of a team");
  await page.goto(`/tokens${search}`);
  await button("Disable backend").waitFor();
  await page.goto(`/topup${search}`);
  await page.getByRole("region", { name: "Balance of Search" }).waitFor();
  await page.goto(`/report${search}`);
  await page.getByRole("button", { name: "Users", exact: true }).waitFor();
  await page
    .getByRole("row", { name: /^m1/ })
    .or(page.getByRole("row", { name: /\$/ }))
    .first()
    .waitFor();
  // In the team, a service is nobody's; in the report of the site, a team is no user. Paper says both.
  await button("Users").click();
  await page.getByRole("row", { name: /^Service keys 1 / }).waitFor();
  await page.goto("/report");
  await button("Users").click();
  const teams = page.getByRole("row", { name: /^Teams 1 / });
  await teams.waitFor();
  await page.emulateMedia({ media: "print" });
  await teams.waitFor();
  await page.emulateMedia({ media: "screen" });
  await page.goto(`/dashboard${search}`);
  await page.getByText("m1").first().waitFor();
  await paidFrom.selectOption("All balances");
  await page.waitForURL((url) => url.search === "");
  expect(pageErrors).toEqual([]);
});

test("a member finds the team in the account menu, makes a key that it pays for, and leaves", async () => {
  const visitor = await openPage(await gateway.newContext());
  const errors = collectPageErrors(visitor);
  await openSignedIn(visitor, gateway.url, { username: "mira", password, path: "/settings" });
  await visitor.getByRole("button", { name: /Account menu/ }).click();
  await visitor.getByRole("menuitem", { name: "Teams", exact: true }).click();
  await heading(visitor, "Teams").waitFor();
  await visitor.getByRole("link", { name: "Search", exact: true }).click();
  await visitor.getByText("Not shown to members").waitFor();
  expect(await visitor.getByRole("tab", { name: "Settings", exact: true }).count()).toBe(0);
  // What binds the own keys is no secret, and not for the member to change.
  await visitor.getByRole("tab", { name: "Budgets", exact: true }).click();
  await visitor.getByText("Your budgets in this team").waitFor();
  await visitor.getByRole("progressbar", { name: "Used of A week" }).waitFor();
  expect(
    await visitor.getByRole("button", { name: /^(?:Edit|Delete|Disable|New budget)/ }).count(),
  ).toBe(0);
  await visitor.getByRole("button", { name: "Ask for more of A week" }).click();
  const question = visitor.getByRole("dialog");
  await question.getByLabel("Amount").fill("5");
  await question.getByRole("button", { name: "Ask", exact: true }).click();
  await visitor.getByText("You asked for $5.00 more.").waitFor();
  await inspectScreen(visitor, "own budgets in a team");
  await visitor.getByRole("tab", { name: "Keys", exact: true }).click();
  await visitor.getByText("No keys yet.").waitFor();
  await visitor.getByRole("button", { name: "New key", exact: true }).click();
  const form = visitor.getByRole("dialog");
  await form.getByLabel("Name", { exact: true }).fill("laptop");
  await form.getByRole("button", { name: "Create key" }).click();
  const secret = (await visitor.getByText(/^sk-/).first().textContent()) ?? "";
  expect(await ask(secret)).toBe(200);
  await visitor.getByRole("tab", { name: "Activity", exact: true }).click();
  await visitor.getByRole("link", { name: "Trace" }).waitFor();

  await visitor.getByRole("tab", { name: "Members", exact: true }).click();
  await visitor.getByRole("button", { name: "Leave Search" }).click();
  await visitor.getByRole("dialog").getByText("1 key stops working.").waitFor();
  await visitor.getByRole("dialog").getByRole("button", { name: "Leave", exact: true }).click();
  await visitor.getByText("You left Search.").waitFor();
  await visitor.getByText("You are not in a team yet.").waitFor();
  expect(await ask(secret)).toBe(401);
  expect(errors).toEqual([]);
});

test("an admin of the team sets what members may spend, and lets one of them follow the others again", async () => {
  const lead = await openPage(await gateway.newContext());
  const errors = collectPageErrors(lead);
  const root = await gateway.signIn("root", password);
  const { data: users } = await root.call(listUsers, { query: {} });
  const noor = users.find(({ username }) => username === "noor")?.id ?? 0;
  await root.call(setTeamMember, { params: { id: 1 }, body: { user_id: noor, role: "admin" } });
  await openSignedIn(lead, gateway.url, { username: "noor", password, path: "/teams" });
  await lead.getByRole("link", { name: "Search", exact: true }).click();
  await lead.getByRole("tab", { name: "Budgets", exact: true }).click();
  await lead.getByText("Administrators of the site set them.").waitFor();
  await lead.getByRole("button", { name: "Edit A week · noor" }).click();
  await lead.getByRole("dialog").getByLabel("Amount").fill("90");
  await lead.getByRole("dialog").getByRole("button", { name: "Save", exact: true }).click();
  await lead.getByText("Set for this member").waitFor();
  await lead.getByRole("button", { name: "Follow again: A week · noor" }).click();
  await lead.getByText("Set for this member").waitFor({ state: "detached" });
  // What mira asked for before she left is no request any more.
  await lead.getByRole("button", { name: "Ask for more of A week" }).click();
  await lead.getByRole("dialog").getByLabel("Amount").fill("5");
  await lead.getByRole("dialog").getByRole("button", { name: "Ask", exact: true }).click();
  const requests = lead.getByRole("region", { name: "People ask for more" });
  await requests.getByText("noor asks for $5.00 more of A week").waitFor();
  expect(await requests.getByText("mira").count()).toBe(0);
  await inspectScreen(lead, "team budgets with a request");
  await requests.getByRole("button", { name: "Grant noor more of A week" }).click();
  await lead.getByRole("dialog").getByRole("button", { name: "Grant", exact: true }).click();
  await lead.getByText("$5.00 of it granted for this window").waitFor();
  await lead.getByText("$5.00 more was granted.").waitFor();
  await lead.getByRole("button", { name: "New budget for one member" }).click();
  const form = lead.getByRole("dialog");
  await form.getByLabel("Name", { exact: true }).fill("A day");
  await form.getByLabel("Amount").fill("3");
  await form.getByRole("button", { name: "Save", exact: true }).click();
  await form.getByText("Choose a member").last().waitFor();
  await form.getByLabel("Member", { exact: true }).selectOption("noor");
  await form.getByRole("button", { name: "Save", exact: true }).click();
  await lead.getByRole("progressbar", { name: "Used of A day" }).waitFor();
  await chooseVerb(lead, "A week", "Delete");
  await lead.getByRole("dialog").getByText("What was set for one member alone stays.").waitFor();
  await inspectScreen(lead, "team budgets of an admin");
  await lead.getByRole("dialog").getByRole("button", { name: "Delete", exact: true }).click();
  await lead.getByText("No budget yet: each member may spend").waitFor();
  await lead.getByRole("progressbar", { name: "Used of A day" }).waitFor();
  expect(errors).toEqual([]);
});

test("an administrator adds several people with a key each in one step, and makes a team of chosen accounts", async () => {
  const root = await gateway.signIn("root", password);
  for (const username of ["ada", "ben", "cleo"])
    await root.call(createUser, { body: { username, password } });
  await page.goto("/teams/1/members");
  await button("Add several").click();
  await dialog().getByLabel("Usernames").fill("ada\nstranger");
  await dialog().getByRole("button", { name: "Preview" }).click();
  await dialog()
    .getByText("1 person cannot be added. Correct the list: it is added as a whole.")
    .waitFor();
  await inspectScreen(page, "team-people-refused");
  await dialog().getByLabel("Usernames").fill("ada\nben\nmira");
  await dialog().getByRole("button", { name: "Preview" }).click();
  await dialog().getByText("3 people are ready to be added.").waitFor();
  await inspectScreen(page, "team-people");
  await dialog().getByRole("button", { name: "Add 3 people" }).click();
  await dialog().getByText("The keys are shown only here").waitFor();
  const keys = await dialog().getByText(/^sk-/).allTextContents();
  expect(keys).toHaveLength(3);
  expect(await ask(keys[0] ?? "")).toBe(200);
  await inspectScreen(page, "team-people-added");
  await dialog().getByRole("button", { name: "Done" }).click();
  await page.getByLabel("Role of ada").waitFor();

  await page.goto("/users");
  for (const name of ["ben", "cleo"])
    await page.getByRole("checkbox", { name: new RegExp(name) }).check();
  await button("More").click();
  await page.getByRole("menuitem", { name: "Team of these people" }).click();
  await dialog().getByLabel("Name", { exact: true }).fill("Class");
  await dialog().getByRole("button", { name: "Preview" }).click();
  await dialog().getByText("The team gets 2 members.").waitFor();
  await inspectScreen(page, "team-of-people");
  await dialog().getByRole("button", { name: "Create team" }).click();
  await dialog().getByRole("link", { name: "Open the team" }).click();
  await heading(page, "Class").waitFor();
  await page.getByLabel("Role of cleo").waitFor();
  expect(pageErrors).toEqual([]);
});

async function offerKey(page: Page, name: string): Promise<void> {
  await page.getByRole("button", { name: "Move a key in" }).click();
  await page.getByLabel("Your key").selectOption(name);
  await page.getByRole("dialog").getByText("Its group stays default.").waitFor();
  await inspectScreen(page, "team-offer-key");
  await page.getByRole("button", { name: "Offer", exact: true }).click();
  await page.getByRole("button", { name: `Withdraw ${name}` }).waitFor();
}

test("a member offers an own key after seeing what changes for it, and a team admin takes it", async () => {
  const mira = await gateway.signIn("mira", password);
  await mira.call(createToken, { body: { name: "of mira", unlimited_quota: true } });
  const visitor = await openPage(await gateway.newContext());
  const errors = collectPageErrors(visitor);
  await openSignedIn(visitor, gateway.url, { username: "mira", password, path: "/teams/1/keys" });
  await offerKey(visitor, "of mira");
  expect(errors).toEqual([]);

  await page.goto("/teams/1/keys");
  await page.getByText("Offered keys").waitFor();
  await inspectScreen(page, "team-key-offers");
  await button("Take of mira").click();
  await button("Give back of mira").waitFor();
  expect(await page.getByText("Offered keys").count()).toBe(0);
  expect(pageErrors).toEqual([]);
});

test("a team admin makes a management key for the team alone, which a program uses", async () => {
  await page.goto("/teams/1/settings");
  await button("New key").click();
  const form = page.locator("form").filter({ hasText: "What it may do" });
  await form.getByLabel("Name", { exact: true }).fill("deploys");
  await form.getByLabel("Teams: read").check();
  await inspectScreen(page, "team-management-key");
  await form.getByRole("button", { name: "Create key" }).click();
  const key = (await page.getByText(/^tgm-[A-Za-z0-9]{48}$/).textContent()) ?? "";
  await page.getByText("For the team Search alone").waitFor();
  const asked = async (path: string) =>
    (await fetch(`${gateway.url}${path}`, { headers: { authorization: `Bearer ${key}` } })).status;
  expect(await asked("/api/team/1")).toBe(200);
  expect(await asked("/api/user/self")).toBe(403);
  expect(pageErrors).toEqual([]);
});

test("the link of an invitation leads through the sign-in into the team", async () => {
  const visitor = await openPage(await gateway.newContext());
  const errors = collectPageErrors(visitor);
  await visitor.goto(`/invitation${new URL(link).hash}`);
  await visitor.getByRole("link", { name: "Sign In", exact: true }).last().click();
  await visitor.waitForURL(/\/login/);
  // No server sees the secret of the link in an address.
  expect(visitor.url()).not.toContain(new URL(link).hash.slice(1));
  await signIn(visitor, "noor", password);
  await visitor.getByText("root invites you into this team.").waitFor();
  await inspectScreen(visitor, "invitation");
  await visitor.getByRole("button", { name: "Accept: Search" }).click();
  await heading(visitor, "Search").waitFor();
  expect(errors).toEqual([]);
});

test("a newcomer registers with the link where registration is off, and makes a team of the own", async () => {
  const root = await gateway.signIn("root", password);
  const setOption = (key: string, value: string) =>
    root.call(updateOption, { body: { key, value } });
  await setOption("RegisterEnabled", "false");
  await setOption("InvitesMayRegister", "true");
  await setOption("EmailVerificationEnabled", "false");
  await setOption("TeamsByUsers", "1");
  const invited = await root.call(inviteToTeam, {
    params: { id: 1 },
    body: { to: "zoe@example.com", role: "viewer" },
  });
  const guest = await openPage(await gateway.newContext());
  const errors = collectPageErrors(guest);
  await guest.goto("/register");
  await guest.getByText("Registration is switched off on this server.").waitFor();
  await guest.goto(`/invitation#${invited.data.link.split("#")[1]}`);
  await inspectScreen(guest, "invitation of a visitor");
  await guest.getByRole("link", { name: "Create Account", exact: true }).click();
  const field = (label: string) => guest.getByLabel(label, { exact: true });
  await field("Username").fill("zoe");
  await field("Password").fill(password);
  await field("Confirm Password").fill(password);
  await field("Email").fill("zoe@example.com");
  await guest.getByRole("button", { name: "Create Account", exact: true }).click();
  await guest.getByText("Registration successful!").waitFor();
  await signIn(guest, "zoe", password);
  await heading(guest, "Teams").waitFor();
  await guest.getByRole("button", { name: /^Accept/ }).click();
  await heading(guest, "Search").waitFor();
  await guest.goto("/teams");
  await guest.getByRole("button", { name: "New team", exact: true }).click();
  const form = guest.getByRole("dialog");
  await form.getByLabel("Name", { exact: true }).fill("Zoe and friends");
  // Owner and group are the user's own.
  expect(await form.getByLabel("Group", { exact: true }).count()).toBe(0);
  await inspectScreen(guest, "a user's new team");
  await form.getByRole("button", { name: "Create team", exact: true }).click();
  await heading(guest, "Zoe and friends").waitFor();
  await guest.getByRole("tab", { name: "Settings", exact: true }).waitFor();
  await inspectScreen(guest, "a user's own team");
  expect(errors).toEqual([]);
});
