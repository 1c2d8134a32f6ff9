/**
 * A real sign-in with a certified OpenID Connect provider, from the button on the sign-in page and
 * back.
 */
import {
  createOidcProvider,
  listOidcProviders,
  updateOidcProvider,
} from "@tollgate/contract/accounts/oidc-providers.ts";
import { getSelf } from "@tollgate/contract/accounts/sessions.ts";
import { createTeam } from "@tollgate/contract/accounts/teams.ts";
import { createUser } from "@tollgate/contract/accounts/user-admin.ts";
import type { BrowserContext, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { certifiedClient, startCertifiedOidcProvider } from "../harness/certified-oidc-provider.ts";
import { freePort } from "../harness/free-port.ts";
import { codeIn, type Mailbox, startMailbox } from "../harness/mailbox.ts";
import type { TestGateway } from "../harness/test-gateway.ts";
import { startBrowserGateway } from "./browser-gateway.ts";
import { chooseVerb, collectPageErrors, openPage, pathOf, signIn } from "./console-pages.ts";
import { inspectScreen } from "./inspect-page.ts";

const password = "correct horse battery";
let provider: Awaited<ReturnType<typeof startCertifiedOidcProvider>>;
let mailbox: Mailbox;
let gateway: TestGateway;
let visitor: BrowserContext;
let page: Page;
let pageErrors: string[];

beforeAll(async () => {
  provider = await startCertifiedOidcProvider();
  mailbox = await startMailbox();
  const port = String(await freePort());
  const publicUrl = `http://127.0.0.1:${port}`;
  gateway = await startBrowserGateway({
    env: {
      PORT: port,
      PUBLIC_URL: publicUrl,
      INITIAL_ROOT_PASSWORD: password,
      SMTP_URL: mailbox.url,
      IDENTITY_PRIVATE_HOSTS: new URL(provider.url).host,
    },
  });
  provider.serve(`${publicUrl}/oauth/oidc/company`);
  const root = await gateway.signIn("root", password);
  await root.call(createOidcProvider, {
    body: {
      slug: "company",
      name: "Example Company",
      issuer: provider.url,
      client_id: certifiedClient.clientId,
      client_secret: certifiedClient.clientSecret,
      scopes: "openid profile groups",
      enabled: true,
      rules: [{ claim: "groups", value: "gateway-admins", role: 10, group: "" }],
    },
  });
});
afterAll(async () => {
  await gateway.close();
  await provider.close();
  await mailbox.close();
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

const startAtProvider = async () => {
  await page.goto("/login?redirect_to=%2Ftokens");
  await page.getByRole("button", { name: "Example Company", exact: true }).click();
  await page.getByPlaceholder("Enter any login").waitFor();
};

async function comeBackAs(name: string): Promise<void> {
  await startAtProvider();
  await page.getByPlaceholder("Enter any login").fill(name);
  await page.getByPlaceholder("and password").fill("any");
  await page.getByRole("button", { name: "Sign-in" }).click();
  await page.getByRole("button", { name: "Continue" }).click();
}

async function signInAs(name: string): Promise<void> {
  await comeBackAs(name);
  await page.getByText("Example Company login successful!", { exact: true }).waitFor();
}

const selfIn = async (context: BrowserContext) =>
  (await (await context.request.get(getSelf.path)).json()).data;

test("a person signs in at the provider, gets what their groups give, and loses it with the group", async () => {
  provider.groups.set("mira", ["gateway-admins"]);
  await signInAs("mira");
  await expect.poll(() => pathOf(page)).toBe("/tokens");
  const first = await selfIn(visitor);
  expect(first).toMatchObject({
    username: "mira",
    display_name: "Person mira",
    role: 10,
    has_password: false,
  });
  await page.goto("/settings");
  await page.getByText("Unbind Example Company", { exact: true }).waitFor();
  await inspectScreen(page, "settings-oidc-binding");

  expect(pageErrors).toEqual([]);

  // Signing out there ends the sign-in here.
  await page.goto(`${provider.url}/session/end`);
  await page.getByRole("button", { name: "Yes, sign me out" }).click();
  await expect.poll(async () => (await visitor.request.get(getSelf.path)).status()).toBe(401);

  provider.groups.set("mira", []);
  const other = await gateway.newContext();
  page = await openPage(other);
  await signInAs("mira");
  expect(await selfIn(other)).toMatchObject({ uuid: first.uuid, role: 1 });
  await other.close();
});

test("signing out here ends the session at the provider, where root wants it", async () => {
  const root = await gateway.signIn("root", password);
  const [company] = (await root.call(listOidcProviders)).data;
  await root.call(updateOidcProvider, { body: { id: company?.id ?? 0, ends_session: true } });
  await signInAs("noor");
  const logout = async () => {
    await page.getByRole("button", { name: /noor|Person/ }).click();
    await page.getByRole("menuitem", { name: "Logout" }).click();
  };
  await logout();
  // It knows whose session ends by the id token, asks, and sends the browser back.
  await page.getByRole("button", { name: "Yes, sign me out" }).click();
  await expect.poll(() => pathOf(page).split("?")[0]).toBe("/login");
  expect(page.url().startsWith(gateway.url)).toBe(true);
  expect((await visitor.request.get(getSelf.path)).status()).toBe(401);
  // The provider asks who it is: its session has ended.
  await startAtProvider();

  await root.call(updateOidcProvider, { body: { id: company?.id ?? 0, ends_session: false } });
  const other = await gateway.newContext();
  page = await openPage(other);
  await signInAs("noor");
  await logout();
  await expect.poll(() => pathOf(page).split("?")[0]).toBe("/login");
  await page.getByRole("button", { name: "Example Company", exact: true }).click();
  await page.getByText("Example Company login successful!", { exact: true }).waitFor();
  await other.close();
});

test("a first sign-in finds the account with its address once the code that is mailed there is typed in", async () => {
  const root = await gateway.signIn("root", password);
  const [company] = (await root.call(listOidcProviders)).data;
  await root.call(updateOidcProvider, {
    body: { id: company?.id ?? 0, links_verified_mail: true },
  });
  const account = { username: "ines", password, email: "ines@example.org" };
  await root.call(createUser, { body: account });
  provider.addresses.set("ines-at-company", account.email);
  await comeBackAs("ines-at-company");
  await page
    .getByText("Enter the code that was mailed to ines@example.org", { exact: true })
    .waitFor();
  const boxes = { name: "End every other way to sign in to this account" };
  expect(await page.getByRole("checkbox", boxes).isChecked()).toBe(true);
  expect(
    await page.getByRole("checkbox", { name: "Also disable all my API keys" }).isChecked(),
  ).toBe(false);
  await inspectScreen(page, "login-link-code");
  const code = codeIn(await mailbox.take(account.email, "Connect your sign-in"));
  const submit = page.getByRole("button", { name: "Connect and sign in" });
  expect(await submit.isDisabled()).toBe(true);
  await page
    .getByLabel("Verification Code", { exact: true })
    .fill(code === "000000" ? "000001" : "000000");
  await submit.click();
  await page
    .getByRole("alert")
    .getByText("The verification code is incorrect or has expired")
    .waitFor();
  await page.getByLabel("Verification Code", { exact: true }).fill(code);
  await submit.click();
  await page.getByText("Example Company login successful!", { exact: true }).waitFor();
  await expect.poll(() => pathOf(page)).toBe("/tokens");
  expect(await selfIn(visitor)).toMatchObject({
    username: "ines",
    email: account.email,
    has_password: false,
  });
  expect(pageErrors).toEqual([]);
  await root.call(updateOidcProvider, {
    body: { id: company?.id ?? 0, links_verified_mail: false },
  });
});

test("who cancels at the provider comes back to the sign-in page, without an account", {
  tags: ["large"],
}, async () => {
  await startAtProvider();
  await page.getByText("[ Cancel ]", { exact: true }).click();
  await page
    .getByText("Example Company authentication failed. Please try again.", { exact: true })
    .waitFor();
  await expect.poll(() => pathOf(page)).toBe("/login");
  expect((await visitor.request.get(getSelf.path)).status()).toBe(401);
  await inspectScreen(page, "login-oidc");
});

test("who comes into a team by a group is marked there, and nobody changes them by hand", async () => {
  const root = await gateway.signIn("root", password);
  const team = (await root.call(createTeam, { body: { name: "Search" } })).data;
  const [company] = (await root.call(listOidcProviders)).data;
  const rule = {
    ...{ claim: "groups", value: "search", role: null, group: "", team: team.uuid },
    ...{ team_role: "admin" as const, team_budget: { amount: 5_000_000, window: "week" as const } },
  };
  const rules = company?.rules ?? [];
  await root.call(updateOidcProvider, { body: { id: company?.id ?? 0, rules: [...rules, rule] } });
  provider.groups.set("tess", ["search"]);
  await signInAs("tess");
  await page.goto(`/teams/${team.uuid}/members`);
  const own = page.getByRole("listitem").filter({ hasText: "Person tess" });
  await own.getByText("Managed by Example Company", { exact: true }).waitFor();
  // An admin changes others, and neither the own membership nor that of the same kind.
  expect(await page.getByLabel("Role of tess", { exact: true }).count()).toBe(0);
  expect(await page.getByRole("button", { name: "Leave Search" }).count()).toBe(0);
  await inspectScreen(page, "team-members-by-provider");
  await page.goto(`/teams/${team.uuid}/budgets`);
  const budget = page.getByRole("listitem").filter({ hasText: "Managed by Example Company" });
  await budget.getByText("$10.00", { exact: false }).first().waitFor();
  // More for one window changes nothing of what the provider decides.
  expect(await budget.getByRole("button").allTextContents()).toEqual([
    "Grant more for this window",
  ]);
  await inspectScreen(page, "team-budgets-by-provider");
  expect(pageErrors).toEqual([]);
});

test("root adds a provider from a preset, tests it, tries its rules, and deletes it again", async () => {
  const { url } = provider;
  const field = (label: string) => page.getByLabel(label, { exact: true });
  const button = (name: string) => page.getByRole("button", { name, exact: true });
  await page.goto("/login?redirect_to=/settings/sign-in");
  await signIn(page, "root", password);
  await page.getByText(url, { exact: true }).waitFor();
  await inspectScreen(page, "settings-sign-in");
  await page.getByRole("link", { name: "Add provider", exact: true }).click();
  await button("Keycloak").click();
  await field("Short name").fill("second");
  await page.getByText(`${gateway.url}/oauth/oidc/second`, { exact: true }).waitFor();
  await field("Client ID").fill(certifiedClient.clientId);
  await field("Client secret").fill("wrong");
  await button("Save").click();
  await page.getByText("Replace the parts in braces by your own", { exact: true }).waitFor();

  await field("Issuer").fill(`${url}/.well-known/openid-configuration`);
  await button("Test provider").click();
  await page
    .getByText("The provider does not know this client, or its secret is wrong", { exact: true })
    .waitFor();
  await field("Client secret").fill(certifiedClient.clientSecret);
  await button("Test provider").click();
  await page.getByText("The provider answers, and knows the client", { exact: true }).waitFor();

  await button("Add a rule").click();
  await field("Claim 1").fill("realm_access.roles");
  await field("Value 1").fill("operators");
  await field("Role 1").selectOption("Administrator");
  await field("Claims of an ID token, as JSON").fill('{"realm_access":{"roles":["operators"]}}');
  const operator = await gateway.signIn("root", password);
  const team = (await operator.call(createTeam, { body: { name: "Operators" } })).data;
  await field("Team 1").fill("oper");
  await page.getByRole("option", { name: "Operators" }).click();
  await field("Role in the team 1").selectOption("Viewer");
  await field("Budget in $ 1").fill("nothing");
  await button("Save").click();
  await page.getByText(/A budget is a sum above \$0\.$/).waitFor();
  await field("Budget in $ 1").fill("12.50");
  await field("Resets 1").selectOption("Weekly");
  await button("Try the rules").click();
  await page.getByText("Role: administrator", { exact: true }).waitFor();
  await page
    .getByText("Team Operators: Viewer, with a budget of $12.50 (Weekly)", { exact: true })
    .waitFor();
  await inspectScreen(page, "settings-sign-in-form");
  await button("Save").click();

  const item = page.getByRole("listitem").filter({ hasText: "Keycloak" });
  await item.getByText("Disabled", { exact: true }).waitFor();
  await item.getByText("Rules for claims: 1", { exact: true }).waitFor();
  const [stored] = (await operator.call(listOidcProviders)).data.filter(
    ({ slug }) => slug === "second",
  );
  expect(stored?.rules).toMatchObject([
    {
      ...{ team: team.uuid, team_role: "viewer" },
      team_budget: { amount: 6_250_000, window: "week" },
    },
  ]);
  await chooseVerb(page, "Keycloak", "Enable");
  await item.getByText("Disabled", { exact: true }).waitFor({ state: "detached" });
  await chooseVerb(page, "Keycloak", "Delete");
  await page.getByRole("dialog").getByRole("button", { name: "Delete", exact: true }).click();
  await item.waitFor({ state: "detached" });
  expect(pageErrors).toEqual([]);
});
