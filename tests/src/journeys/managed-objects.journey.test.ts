// What a configuration file owns, in the console: named, read-only, still enabled and disabled, and
// taken over when asked.
import { applyConfiguration } from "@tollgate/contract/commands/configuration.ts";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { TestGateway } from "../harness/test-gateway.ts";
import { startBrowserGateway } from "./browser-gateway.ts";
import { chooseVerb, collectPageErrors, heading, openPage, openSignedIn } from "./console-pages.ts";
import { inspectScreen } from "./inspect-page.ts";

const password = "correct horse battery";
const file = "site.yaml";

let gateway: TestGateway;
let page: Page;
let pageErrors: string[];

beforeAll(async () => {
  gateway = await startBrowserGateway({ env: { INITIAL_ROOT_PASSWORD: password } });
  await gateway.given.channel({ key: "sim-ok", name: "by hand", models: "small" });
  const root = await gateway.signIn("root", password);
  const tiers = [{ strategy: "weights" as const, targets: [{ model: "small", weight: 1 }] }];
  const { data } = await root.call(applyConfiguration, {
    body: {
      file,
      document: {
        apiVersion: "tollgate/v1",
        channels: [{ name: "west", type: "openai", key: "sk-of-the-file-1234", models: ["small"] }],
        virtualModels: [{ name: "assistant", tiers }],
        mcpServers: [
          {
            name: "pages",
            url: "https://mcp.example.com/rpc",
            headers: { authorization: "Bearer x" },
          },
        ],
        identityProviders: [
          {
            slug: "company",
            name: "Company",
            issuer: "https://id.example.com",
            clientId: "c",
            clientSecret: "",
            enabled: false,
          },
        ],
        budgets: [{ name: "whole site", subject: "site", window: "month", amount: "$300" }],
        teams: [
          { name: "Search", memberBudgets: [{ name: "each week", window: "week", amount: "$20" }] },
        ],
      },
    },
  });
  expect(data.problems).toEqual([]);
  page = await openPage(await gateway.newContext());
  pageErrors = collectPageErrors(page);
  await openSignedIn(page, gateway.url, { username: "root", password, path: "/channels" });
});
afterAll(() => gateway.close());

const button = (name: string) => page.getByRole("button", { name, exact: true });
const row = (name: string) => page.getByRole("row").filter({ hasText: name });
const notice = () => page.getByRole("region", { name: `Managed by ${file}` });

async function toast(text: string) {
  const notifications = page.getByRole("region", { name: "Notifications" });
  await notifications.getByText(text, { exact: true }).first().waitFor();
  await notifications.getByRole("button", { name: "Dismiss" }).first().click();
}

async function takeOver(name: string) {
  await notice().getByRole("button", { name: "Take over" }).click();
  const dialog = page.getByRole("dialog", { name: `Take over ${name}` });
  await dialog.getByRole("button", { name: "Take over" }).click();
  await toast(`${name} is taken over from ${file}`);
  await notice().waitFor({ state: "detached" });
}

test("a channel of a file is named in the list, is read-only, and can be changed after it is taken over", async () => {
  await row("west").getByText(`Managed by ${file}`).waitFor();
  expect(await row("by hand").getByText("Managed by").count()).toBe(0);
  await inspectScreen(page, "channels-managed");
  await row("west").getByRole("link", { name: "Edit" }).click();
  await notice().waitFor();
  expect(await page.getByRole("textbox", { name: "Channel name", exact: true }).isDisabled()).toBe(
    true,
  );
  expect(await button("Update Channel").isDisabled()).toBe(true);
  await inspectScreen(page, "channel-managed");

  await takeOver("west");
  await page.getByRole("textbox", { name: "Channel name", exact: true }).fill("west by hand");
  await button("Update Channel").click();
  await row("west by hand").waitFor();
  expect(await page.getByText(`Managed by ${file}`).count()).toBe(0);
  expect(pageErrors).toEqual([]);
});

test("a virtual model of a file is disabled and enabled where it is read-only, and can be changed after it is taken over", {
  tags: ["large"],
}, async () => {
  await page.goto("/channels/virtual");
  await page
    .getByRole("listitem")
    .filter({ hasText: "assistant" })
    .getByText(`Managed by ${file}`)
    .waitFor();
  await page.getByRole("link", { name: "Edit assistant" }).click();
  await heading(page, "Edit virtual model").waitFor();
  await notice().getByRole("button", { name: "Disable" }).click();
  await toast("assistant is disabled");
  await notice().getByRole("button", { name: "Enable" }).waitFor();
  const enabled = page.getByRole("checkbox", { name: "Enabled" });
  expect([await enabled.isDisabled(), await enabled.isChecked()]).toEqual([true, false]);
  expect(await button("Save").isDisabled()).toBe(true);
  await inspectScreen(page, "virtual-model-managed");

  await takeOver("assistant");
  await enabled.check();
  await button("Save").click();
  await toast("Saved. Applies from the next call.");
  expect(pageErrors).toEqual([]);
});

test("a team of a file is read-only with the budget of each member, and both can be changed after it is taken over", {
  tags: ["large"],
}, async () => {
  const tab = (name: string) => page.getByRole("tab", { name, exact: true });
  await page.goto("/teams");
  await page.getByRole("link", { name: "Search", exact: true }).click();
  await tab("Budgets").click();
  await button("More actions for each week").waitFor();
  expect(await button("Edit each week").count()).toBe(0);
  await tab("Settings").click();
  await notice().waitFor();
  const note = page.getByRole("textbox", { name: "Note" });
  expect([await note.isDisabled(), await button("Save").isDisabled()]).toEqual([true, true]);
  await inspectScreen(page, "team-managed");

  await takeOver("Search");
  await note.fill("by hand");
  await button("Save").click();
  await toast("Saved. Applies from the next call.");
  await tab("Budgets").click();
  await button("Edit each week").waitFor();
  expect(pageErrors).toEqual([]);
});

test("an MCP server of a file is disabled where it is read-only, and can be changed after it is taken over", {
  tags: ["large"],
}, async () => {
  await page.goto("/channels/mcp");
  await page
    .getByRole("listitem")
    .filter({ hasText: "pages" })
    .getByText(`Managed by ${file}`)
    .waitFor();
  await inspectScreen(page, "mcp-servers-managed");
  await page.getByRole("link", { name: "Edit pages" }).click();
  await heading(page, "Edit MCP server").waitFor();
  await notice().getByRole("button", { name: "Disable" }).click();
  await toast("pages is disabled");
  await notice().getByRole("button", { name: "Enable" }).waitFor();
  const description = page.getByRole("textbox", { name: "Description" });
  expect([await description.isDisabled(), await button("Save").isDisabled()]).toEqual([true, true]);
  await inspectScreen(page, "mcp-server-managed");

  await takeOver("pages");
  await description.fill("Pages of the intranet");
  await button("Save").click();
  await page.getByRole("listitem").filter({ hasText: "Pages of the intranet" }).waitFor();
  expect(await page.getByText(`Managed by ${file}`).count()).toBe(0);
  expect(pageErrors).toEqual([]);
});

test("an identity provider of a file is read-only, and can be changed after it is taken over", {
  tags: ["large"],
}, async () => {
  await page.goto("/settings/sign-in");
  const item = page.getByRole("listitem").filter({ hasText: "Company" });
  await item.getByText(`Managed by ${file}`).waitFor();
  expect(await item.getByRole("button", { name: /^Delete/ }).count()).toBe(0);
  await inspectScreen(page, "identity-providers-managed");
  await page.getByRole("link", { name: "Edit Company" }).click();
  await notice().waitFor();
  const name = page.getByRole("textbox", { name: "Name", exact: true });
  expect([await name.isDisabled(), await button("Save").isDisabled()]).toEqual([true, true]);
  await inspectScreen(page, "identity-provider-managed");

  await takeOver("Company");
  await name.fill("Company by hand");
  await button("Save").click();
  await page.getByRole("listitem").filter({ hasText: "Company by hand" }).waitFor();
  expect(await page.getByText(`Managed by ${file}`).count()).toBe(0);
  expect(pageErrors).toEqual([]);
});

test("a budget of a file is switched off and on where it cannot be edited, and can be edited after it is taken over", {
  tags: ["large"],
}, async () => {
  await page.goto("/budgets");
  const item = page.getByRole("listitem").filter({ hasText: "whole site" });
  await item.getByText(`Managed by ${file}`).waitFor();
  expect(await item.getByRole("button", { name: /^Edit/ }).count()).toBe(0);
  await button("More actions for whole site").click();
  expect(await page.getByRole("menuitem").allTextContents()).toEqual(["Disable"]);
  await page.keyboard.press("Escape");
  await chooseVerb(page, "whole site", "Disable");
  await item.getByText("Disabled", { exact: true }).waitFor();
  await chooseVerb(page, "whole site", "Enable");
  await item.getByText("Disabled", { exact: true }).waitFor({ state: "detached" });
  await inspectScreen(page, "budget-managed");

  await button("Take over whole site").click();
  const dialog = page.getByRole("dialog", { name: "Take over whole site" });
  await dialog.getByRole("button", { name: "Take over" }).click();
  await toast(`whole site is taken over from ${file}`);
  await button("Edit whole site").click();
  await page.getByRole("textbox", { name: "Name", exact: true }).fill("site by hand");
  await button("Save").click();
  await button("Edit site by hand").waitFor();
  expect(await page.getByText(`Managed by ${file}`).count()).toBe(0);
  expect(pageErrors).toEqual([]);
});
