// Every dialog of the console, by the file that draws it: how a test opens it, or which journey
// inspects it. A unit test compares the rows with the sources.
import type { Page } from "playwright-core";

/**
 * Opens the dialog as root, on an installation with sample data; the dialog is then the topmost
 * one.
 */
type DialogOpener = (page: Page) => Promise<unknown>;
/**
 * `InspectedDialog` is for a dialog that needs more than sample data: the journey that opens it,
 * and the name under which it looks at it.
 */
interface InspectedDialog {
  journey: string;
  screen: string;
}

const at =
  (path: string, ...presses: readonly string[]): DialogOpener =>
  async (page) => {
    await page.goto(path);
    for (const name of presses)
      await page.getByRole("button", { name, exact: true }).first().click();
  };
const rowVerb =
  (path: string, row: string, verb: string): DialogOpener =>
  async (page) => {
    await page.goto(path);
    const verbs = page.getByRole("button", { name: `More actions for ${row}`, exact: true });
    // On a phone the row must be opened first.
    const opener = page.getByRole("button", { name: row, exact: true });
    await verbs.or(opener).first().waitFor();
    if (!(await verbs.isVisible())) await opener.click();
    await verbs.click();
    await page.getByRole("menuitem", { name: verb, exact: true }).click();
  };
export const consoleDialogs: Readonly<Record<string, DialogOpener | InspectedDialog>> = {
  "components/bulk/bulk-dialog.tsx": async (page) => {
    await page.goto("/tokens");
    await page.getByRole("checkbox", { name: "Select Service 24" }).check();
    await page.getByRole("button", { name: "Disable", exact: true }).click();
  },
  "components/clear-logs-dialog.tsx": at("/logs", "Clear Logs"),
  "components/use-key/use-key-dialog.tsx": rowVerb("/tokens", "Service 24", "Use this key"),
  "features/account/passkey-name-dialog.tsx": { journey: "passkeys", screen: "passkey-name" },
  "features/account/second-factor-disable.tsx": {
    journey: "settings",
    screen: "second factor off",
  },
  "features/account/second-factor-enrol.tsx": at("/settings", "Set up second factor"),
  "components/management-keys/try-key-dialog.tsx": {
    journey: "settings",
    screen: "trial of a management key",
  },
  "features/alerts/destination-form-dialog.tsx": at("/alerts/destinations", "New destination"),
  "components/budgets/ask-for-more.tsx": { journey: "budgets", screen: "budget-ask" },
  "components/budgets/budget-dialog.tsx": at("/budgets", "New budget"),
  "components/budgets/budget-requests-card.tsx": { journey: "budgets", screen: "budget-decision" },
  "components/budgets/grant-dialog.tsx": { journey: "budgets", screen: "budget-grant" },
  "features/budgets/budget-template-dialog.tsx": at("/budgets", "New template"),
  "features/channels/channel-keys-dialog.tsx": { journey: "channels", screen: "channel-keys" },
  "features/channels/channel-proxy-dialog.tsx": { journey: "channels", screen: "channel-proxy" },
  "features/channels/channel-test-dialog.tsx": rowVerb("/channels", "Spare 8", "Test models..."),
  "features/channels/model-differences-dialog.tsx": rowVerb(
    "/channels",
    "Spare 8",
    "Compare models",
  ),
  "features/cost-reports/cost-report-dialog.tsx": {
    journey: "cost-reports",
    screen: "cost-report-key",
  },
  "features/logs/trace-dialog.tsx": async (page) => {
    await page.goto("/logs");
    await page
      .getByRole("row")
      .filter({ hasText: "gpt-4o" })
      .filter({ hasText: "Consume" })
      .first()
      .click();
  },
  "features/playground/code-dialog.tsx": at("/playground", "Copy as code"),
  "features/redemptions/redemption-codes-dialog.tsx": {
    journey: "redemptions",
    screen: "generated codes",
  },
  "features/redemptions/redemption-generate-dialog.tsx": at("/redemptions", "Generate Codes"),
  "components/changes/change-table.tsx": { journey: "settings", screen: "change" },
  "features/teams/team-dialog.tsx": at("/teams", "New team"),
  "components/teams/offer-key-dialog.tsx": { journey: "teams", screen: "team-offer-key" },
  "components/teams/people-dialog.tsx": { journey: "teams", screen: "team-people" },
  "components/teams/team-key-dialog.tsx": { journey: "teams", screen: "team-key" },
  "features/teams/member-budget-dialog.tsx": { journey: "teams", screen: "team-member-budget" },
  "features/teams/team-invite-dialog.tsx": { journey: "teams", screen: "team-invite" },
  "features/teams/team-member-dialog.tsx": { journey: "teams", screen: "team-member" },
  "features/teams/team-transfer-dialog.tsx": { journey: "teams", screen: "team-transfer" },
  "features/tokens/pause-key-dialog.tsx": rowVerb("/tokens", "Service 24", "Pause"),
  "features/tokens/rotate-key-dialog.tsx": rowVerb("/tokens", "Service 24", "Rotate key"),
  "features/tokens/token-new-key.tsx": { journey: "settings", screen: "new-key" },
  "features/users/user-create-dialog.tsx": at("/users", "Quick create"),
  "features/users/user-top-up-dialog.tsx": rowVerb("/users", "root", "Top up"),
  "features/virtual-models/model-end-dialog.tsx": at("/channels/virtual", "Set a day"),
  "shell/palette.tsx": at("/tokens", "Open command palette"),
  "shell/reauth-dialog.tsx": { journey: "oauth-sign-in", screen: "proof-by-sign-in" },
  "shell/solve-captcha.tsx": { journey: "captcha", screen: "captcha" },
  "shell/shortcut-sheet.tsx": { journey: "public-pages", screen: "shortcuts" },
  "ui/menu/confirm.tsx": rowVerb("/tokens", "Service 24", "Delete"),
  "ui/form/form-guard.tsx": async (page) => {
    await page.goto("/tokens/add");
    await page.getByLabel("Token Name").fill("Unfinished");
    await page.getByRole("link", { name: "Logs", exact: true }).click();
  },
  "ui/table/kept-views-dialog.tsx": async (page) => {
    await page.goto("/tokens");
    await page.getByRole("button", { name: /^Columns/ }).click();
    await page.getByRole("menuitem", { name: /iew/ }).first().click();
  },
};
