/** What a person does on a screen, as data: each of its calls is answered in every odd form. */
import type { Locator, Page } from "playwright-core";

/** A button, menu item, box or tab to press by its name, or a field to fill by its label. */
export type ActStep = string | readonly [label: string, value: string];

export type OddAct = {
  path: string;
  steps: readonly ActStep[];
  /** `sends` are what it sends in the end, as `PUT /api/token/`. */
  sends: string;
  /** Is done before the sign-in. */
  isVisited?: true;
};

const stepMs = 3_000;
const roles = [
  "button",
  "menuitem",
  "menuitemcheckbox",
  "checkbox",
  "switch",
  "tab",
  "link",
] as const;

/**
 * Does each step in the topmost dialog, or on the page where there is none; resolves to the step
 * that cannot be done.
 */
export async function doSteps(
  page: Page,
  steps: readonly ActStep[],
  settle: () => Promise<void>,
): Promise<string | undefined> {
  for (const [place, step] of steps.entries()) {
    const dialog = page.locator("dialog:modal").last();
    // The button of a dialog has the name of the one that opens it.
    if (step === steps[place - 1]) await dialog.waitFor({ timeout: stepMs }).catch(() => undefined);
    const room = (await dialog.count()) > 0 ? dialog : page.locator("body");
    try {
      await (typeof step === "string" ? press(room, step) : fill(room, ...step));
    } catch {
      return String(step);
    }
    // Dialogs load when they are wanted.
    await settle();
  }
}

async function press(room: Locator, name: string): Promise<void> {
  const named = roles.map((role) => room.getByRole(role, { name, exact: true }));
  await named
    .reduce((all, one) => all.or(one))
    .first()
    .click({ timeout: stepMs });
}

async function fill(room: Locator, label: string, value: string): Promise<void> {
  const field = room.getByLabel(label, { exact: true }).first();
  const isChoice =
    (await field.evaluate("(field) => field.tagName", undefined, { timeout: stepMs })) === "SELECT";
  await (isChoice
    ? field.selectOption(value, { timeout: stepMs })
    : field.fill(value, { timeout: stepMs }));
}

/**
 * `disablesChosen` gives what every list offers, on its row of that name; `resource` is where its
 * rows are.
 */
const disablesChosen = (path: string, name: string, resource: string): OddAct => ({
  path,
  steps: [`Select ${name}`, "Disable", "Disable (1,795,100,000)"],
  sends: `POST ${resource}bulk`,
});
const disablesByMenu = (path: string, name: string, resource: string): OddAct => ({
  path,
  steps: [`More actions for ${name}`, "Disable"],
  sends: `PUT ${resource}?status_only`,
});
const deletesByMenu = (path: string, name: string, resource: string): OddAct => ({
  path,
  steps: [`More actions for ${name}`, "Delete", "Delete"],
  sends: `DELETE ${resource}:id`,
});
const deletes = (path: string, resource: string): OddAct => deletesByMenu(path, "name", resource);

export const oddActs: readonly OddAct[] = [
  disablesByMenu("/tokens", "name", "/api/token/"),
  deletesByMenu("/tokens", "name", "/api/token/"),
  {
    path: "/tokens",
    steps: ["More actions for name", "Rotate key", "Rotate key"],
    sends: "POST /api/token/rotate",
  },
  {
    path: "/tokens",
    steps: ["More actions for name", "Pause", "Pause"],
    sends: "PUT /api/token/?status_only",
  },
  disablesChosen("/tokens", "name", "/api/token/"),
  {
    path: "/tokens",
    steps: [["Search tokens", "sk-ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789abcdefghijkl"], "Search"],
    sends: "POST /api/token/find",
  },
  {
    path: "/tokens/add",
    steps: [["Token Name", "Mine"], "Create Token"],
    sends: "POST /api/token/",
  },
  {
    path: "/tokens/edit/7",
    steps: [["Token Name", "Mine"], "Update Token"],
    sends: "PUT /api/token/",
  },
  { path: "/tokens/batch", steps: [["Names", "one"], "Create keys"], sends: "POST /api/token/" },
  {
    path: "/tokens?scope=all",
    steps: ["More actions for username: name", "Pause", "Pause"],
    sends: "POST /api/token/all/pause",
  },
  {
    path: "/tokens?scope=all",
    steps: ["More actions for username: name", "Disable", "Disable"],
    sends: "POST /api/token/all/disable",
  },
  {
    path: "/tokens?scope=all",
    steps: ["More actions for username: name", "Replace key", "Replace key"],
    sends: "POST /api/token/all/replace",
  },
  disablesChosen("/tokens?scope=all", "username: name", "/api/token/all/"),
  { path: "/tokens/check", steps: [["Model", "gpt-4o"], "Check"], sends: "GET /api/call_check" },
  {
    path: "/channels",
    steps: ["More actions for name", "Test"],
    sends: "GET /api/channel/test/:id",
  },
  {
    path: "/channels",
    steps: ["More actions for name", "Update Balance"],
    sends: "GET /api/channel/update_balance/:id",
  },
  disablesByMenu("/channels", "name", "/api/channel/"),
  {
    path: "/channels",
    steps: ["More actions for name", "Copy"],
    sends: "POST /api/channel/:id/duplicate",
  },
  deletesByMenu("/channels", "name", "/api/channel/"),
  {
    path: "/channels",
    steps: ["More actions for name", "Test models...", "Test all (1)"],
    sends: "GET /api/channel/test/:id",
  },
  {
    path: "/channels",
    steps: ["More actions for name", "Compare models"],
    sends: "POST /api/channel/:id/compare_models",
  },
  {
    path: "/channels",
    steps: ["More actions for name", "Keys", "Disable the key …hint"],
    sends: "PUT /api/channel/:id/key",
  },
  { path: "/channels", steps: ["Test All"], sends: "GET /api/channel/test" },
  { path: "/channels", steps: ["Update Balances"], sends: "GET /api/channel/update_balance" },
  {
    path: "/channels",
    steps: ["Delete Disabled", "Delete"],
    sends: "DELETE /api/channel/disabled",
  },
  disablesChosen("/channels", "name", "/api/channel/"),
  {
    path: "/channels/add",
    steps: [["Channel name", "Mine"], ["API Key", "sk-1"], "Create Channel"],
    sends: "POST /api/channel/",
  },
  {
    path: "/channels/add",
    steps: ["Load default pricing"],
    sends: "GET /api/channel/default-pricing",
  },
  {
    path: "/channels/edit/7",
    steps: [["Channel name", "Mine"], "Update Channel"],
    sends: "PUT /api/channel/",
  },
  {
    path: "/channels/edit/7",
    steps: ["Change proxy", ["Address of the proxy", "http://proxy:3128"], "Save"],
    sends: "PUT /api/channel/:id/proxy",
  },
  {
    path: "/channels/connect",
    steps: [["API Key", "sk-proj-1"], "Connect"],
    sends: "POST /api/channel/check",
  },
  {
    path: "/channels/connect",
    steps: [["API Key", "sk-proj-1"], "Connect", "Add channel"],
    sends: "POST /api/channel/",
  },
  {
    path: "/channels/connect",
    steps: [["API Key", "sk-proj-1"], "Connect", "Add channel", "Create a key"],
    sends: "POST /api/token/",
  },
  { path: "/channels/virtual/7", steps: ["Save"], sends: "PUT /api/virtual_model/" },
  deletes("/channels/virtual", "/api/virtual_model/"),
  {
    path: "/channels/mcp/add",
    steps: [
      ["Name", "tickets"],
      ["Address of the server", "https://tools.example/mcp"],
      "Add MCP server",
    ],
    sends: "POST /api/mcp_server/",
  },
  {
    path: "/channels/mcp/7",
    steps: [["Description", "Mine"], "Save"],
    sends: "PUT /api/mcp_server/",
  },
  deletes("/channels/mcp", "/api/mcp_server/"),
  { path: "/budgets", steps: ["More actions for name", "Disable"], sends: "PUT /api/budget/" },
  deletes("/budgets", "/api/budget/"),
  {
    path: "/budgets",
    steps: ["New budget", ["Name", "Mine"], ["Amount", "5"], "Save"],
    sends: "POST /api/budget/",
  },
  {
    path: "/budgets",
    steps: ["New template", ["Name", "Mine"], ["Amount", "5"], "Save"],
    sends: "POST /api/budget_template/",
  },
  { path: "/alerts/destinations", steps: ["Test name"], sends: "POST /api/destination/:id/test" },
  {
    path: "/alerts/destinations",
    steps: ["Edit name", ["Name", "Mine"], "Save"],
    sends: "POST /api/destination/:id",
  },
  deletes("/alerts/destinations", "/api/destination/"),
  {
    path: "/alerts/destinations",
    steps: ["New destination", ["Name", "Mine"], "Save"],
    sends: "POST /api/destination/",
  },
  {
    path: "/alerts/deliveries",
    steps: ["Send again to destination_name"],
    sends: "POST /api/delivery/:id/send",
  },
  {
    path: "/alerts/incident",
    steps: [["From", "2026-11-20 10:00"], ["To", "2026-11-20 11:00"], "Show"],
    sends: "GET /api/incident/",
  },
  { path: "/logs", steps: ["Clear Logs", "Clear Logs"], sends: "DELETE /api/log/" },
  { path: "/logs", steps: ["Live"], sends: "GET /api/log/tail" },
  {
    path: "/users",
    steps: ["Quick create", ["Username", "ruth"], ["Password", "long enough"], "Create User"],
    sends: "POST /api/user/",
  },
  {
    path: "/users",
    steps: ["More actions for ruth", "Top up", ["Quota", "5"], "Top up"],
    sends: "POST /api/topup",
  },
  disablesByMenu("/users", "ruth", "/api/user/"),
  deletesByMenu("/users", "ruth", "/api/user/"),
  {
    path: "/users",
    steps: ["More actions for ruth", "Make administrator", "Make administrator"],
    sends: "POST /api/user/manage",
  },
  {
    path: "/users",
    steps: ["More actions for ruth", "Reset second factor", "Reset"],
    sends: "POST /api/user/totp/disable/:id",
  },
  disablesChosen("/users", "ruth", "/api/user/"),
  {
    path: "/users/add",
    steps: [["Username", "ruth"], ["Password", "long enough"], "Create User"],
    sends: "POST /api/user/",
  },
  {
    path: "/users/edit/7",
    steps: [["Display name", "Ruth"], "Update User"],
    sends: "PUT /api/user/",
  },
  {
    path: "/users/edit/7",
    steps: ["Waive the debt", "Waive the debt"],
    sends: "POST /api/user/:id/waive_debt",
  },
  {
    path: "/users/batch",
    steps: [["Usernames", "ruth"], "Create accounts"],
    sends: "POST /api/user/",
  },
  {
    path: "/redemptions",
    steps: ["Generate Codes", ["Name", "Mine"], "Generate"],
    sends: "POST /api/redemption/",
  },
  disablesByMenu("/redemptions", "name", "/api/redemption/"),
  deletesByMenu("/redemptions", "name", "/api/redemption/"),
  disablesChosen("/redemptions", "name", "/api/redemption/"),
  {
    path: "/redemptions",
    steps: ["Approve", "Approve"],
    sends: "POST /api/quota_request/:id/approve",
  },
  {
    path: "/redemptions/add",
    steps: [["Name", "Mine"], "Create Redemption"],
    sends: "POST /api/redemption/",
  },
  {
    path: "/redemptions/edit/7",
    steps: [["Name", "Mine"], "Update Redemption"],
    sends: "PUT /api/redemption/",
  },
  {
    path: "/topup",
    steps: [["Redemption code", "0123456789abcdef0123456789abcdef"], "Redeem"],
    sends: "POST /api/user/topup",
  },
  {
    path: "/topup",
    steps: [["Username of the recipient", "ruth"], ["Amount", "5"], "Transfer", "Transfer"],
    sends: "POST /api/user/transfer",
  },
  {
    path: "/settings",
    steps: [["Display name", "Ruth"], "Update profile"],
    sends: "PUT /api/user/self",
  },
  {
    path: "/settings",
    steps: ["Turn off second factor", ["Code of the app or a recovery code", "123456"], "Turn off"],
    sends: "POST /api/user/totp/disable",
  },
  { path: "/settings", steps: ["Generate access token", "Generate"], sends: "GET /api/user/token" },
  { path: "/settings", steps: ["Remove access token", "Remove"], sends: "DELETE /api/user/token" },
  {
    path: "/settings",
    steps: ["Remove credential_name", "Remove"],
    sends: "DELETE /api/user/passkey/:id",
  },
  {
    path: "/settings",
    steps: ["Rename credential_name", ["Name", "Mine"], "Save"],
    sends: "PUT /api/user/passkey/:id",
  },
  { path: "/settings/operation", steps: [["Retries", "4"], "Save"], sends: "PUT /api/option/" },
  {
    path: "/settings/sign-in",
    steps: ["More actions for name", "Disable"],
    sends: "PUT /api/oidc_provider/",
  },
  deletes("/settings/sign-in", "/api/oidc_provider/"),
  { path: "/settings/other", steps: ["Check for updates"], sends: "GET /api/option/update" },
  {
    path: "/settings/other",
    steps: ["Open dual run", "End dual run", "End dual run"],
    sends: "DELETE /api/shadow",
  },
  {
    path: "/settings/keys",
    steps: ["More actions for name", "Disable"],
    sends: "POST /api/management_key/:id/disable",
  },
  deletes("/settings/keys", "/api/management_key/"),
  {
    path: "/settings/notices",
    steps: [["Balance below", "5"], "Save"],
    sends: "PUT /api/own_notice/settings",
  },
  { path: "/settings/notices", steps: ["Test name"], sends: "POST /api/own_destination/:id/test" },
  {
    path: "/settings/notices",
    steps: ["More actions for name", "Disable"],
    sends: "POST /api/own_destination/:id",
  },
  {
    path: "/login",
    steps: [["Username", "ruth"], ["Password", "long enough"], "Sign In"],
    sends: "POST /api/user/login",
    isVisited: true,
  },
  { path: "/login", steps: ["name"], sends: "GET /api/oauth/state", isVisited: true },
  {
    path: "/register",
    steps: [["Email", "ruth@example.com"], "Send Code"],
    sends: "GET /api/verification",
    isVisited: true,
  },
  {
    path: "/register",
    steps: [
      ["Username", "ruth"],
      ["Password", "long enough"],
      ["Confirm Password", "long enough"],
      ["Email", "ruth@example.com"],
      ["Verification Code", "123456"],
      "Create Account",
    ],
    sends: "POST /api/user/register",
    isVisited: true,
  },
  {
    path: "/reset",
    steps: [["Email", "ruth@example.com"], "Send Reset Link"],
    sends: "GET /api/reset_password",
    isVisited: true,
  },
  {
    path: "/user/reset?email=ruth@example.com&token=t",
    steps: [
      ["New Password", "long enough"],
      ["Confirm New Password", "long enough"],
      "Update Password",
    ],
    sends: "POST /api/user/reset",
    isVisited: true,
  },
];
