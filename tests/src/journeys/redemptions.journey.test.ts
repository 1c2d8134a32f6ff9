import { readFile } from "node:fs/promises";
import { createRedemptions, listRedemptions } from "@tollgate/contract/accounts/redemptions.ts";
import { getSelf } from "@tollgate/contract/accounts/sessions.ts";
import { createUser } from "@tollgate/contract/accounts/user-admin.ts";
import { updateOption } from "@tollgate/contract/site/options.ts";
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
  pathOf,
  readTable,
  signIn,
} from "./console-pages.ts";
import { inspectScreen } from "./inspect-page.ts";

// An administrator creates codes and a user redeems them: two browsers, one story.
let gateway: TestGateway;
let root: ApiSession;
let mira: ApiSession;
let admin: BrowserContext;
let page: Page;
let pageErrors: string[];
let codes: string[] = [];

const password = "correct horse battery";
const paid = 750_000;

beforeAll(async () => {
  gateway = await startBrowserGateway({
    store: "postgres",
    env: { INITIAL_ROOT_PASSWORD: password },
  });
  root = await gateway.signIn("root", password);
  await root.call(createUser, { body: { username: "mira", password, quota: 1_000 } });
  mira = await gateway.signIn("mira", password);
  admin = await gateway.newContext({ permissions: ["clipboard-read", "clipboard-write"] });
  page = await beginAs(admin, "root", "/redemptions");
});
afterAll(() => gateway.close());
afterEach(async () => {
  await page.unrouteAll({ behavior: "ignoreErrors" });
  expect(pageErrors.splice(0)).toEqual([]);
});

async function beginAs(visitor: BrowserContext, username: string, path: string): Promise<Page> {
  const on = await openPage(visitor);
  pageErrors = collectPageErrors(on);
  await on.goto(`/login?redirect_to=${encodeURIComponent(path)}`);
  await signIn(on, username, password);
  return on;
}

const button = (name: string) => page.getByRole("button", { name, exact: true });
const dialog = (name: string) => page.getByRole("dialog", { name, exact: true });
const rows = () => readTable(page, "Redemptions");
const notification = (text: string) =>
  page.getByRole("region", { name: "Notifications" }).getByText(text, { exact: true });
const balance = async (of: ApiSession) => (await of.call(getSelf)).data.quota;
const rowOf = (name: string) =>
  page.getByRole("row").filter({ has: page.getByRole("cell", { name, exact: true }) });

describe("codes", () => {
  test("are none at first, and the list explains what belongs here", async () => {
    await heading(page, "Redemptions").waitFor();
    await page
      .getByText("No redemption codes found. Generate your first codes to hand out.", {
        exact: true,
      })
      .waitFor();
  });

  test("are generated in a dialog that shows its errors, and shown to be copied and saved", async () => {
    await button("Generate Codes").first().click();
    const form = dialog("Generate Codes");
    const send = () => form.getByRole("button", { name: "Generate" }).click();
    for (const [field, typed, message] of [
      ["Name", "", "Name is required"],
      ["Name", "x".repeat(21), "Max 20 chars"],
      ["Quota", "-1", "Quota must be non-negative"],
      ["Count", "0", "Count must be positive"],
      ["Count", "101", "At most 100 codes at once"],
    ] as const) {
      await form.getByLabel(field, { exact: true }).fill(typed);
      await send();
      await form.getByText(message, { exact: true }).waitFor();
    }
    await inspectScreen(page, "generate dialog");
    await form.getByLabel("Name", { exact: true }).fill("Gift");
    await form.getByLabel("Quota", { exact: true }).fill(String(paid));
    await form.getByLabel("Count", { exact: true }).fill("5");
    await send();

    const made = dialog("Codes of Gift");
    await made.getByText("5 codes are ready.").waitFor();
    codes = (await made.locator("pre").innerText()).trim().split("\n");
    expect(codes).toHaveLength(5);
    for (const code of codes) expect(code).toMatch(/^[0-9a-f]{32}$/);
    await inspectScreen(page, "generated codes");
    await made.getByRole("button", { name: "Copy all" }).click();
    await made.getByRole("button", { name: "Copied!" }).waitFor();
    expect(await page.evaluate<string>("navigator.clipboard.readText()")).toBe(codes.join("\n"));
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      made.getByRole("button", { name: "Download" }).click(),
    ]);
    expect(download.suggestedFilename()).toBe("codes-Gift.txt");
    expect(await readFile(await download.path(), "utf8")).toBe(`${codes.join("\n")}\n`);
    await made.getByRole("button", { name: "Done" }).click();
    await expect
      .poll(rows)
      .toMatchObject(
        codes.map(() => ({ Name: "Gift", Status: "Unused", Quota: "$1.5000", Redeemed: "-" })),
      );
  });

  test("are masked in the list until revealed, and copied without being shown", async () => {
    const row = rowOf("Gift").first();
    const masked = await row.locator("code").innerText();
    await row.getByRole("button", { name: "Copy code" }).click();
    await row.getByRole("button", { name: "Copied!" }).waitFor();
    const copied = await page.evaluate<string>("navigator.clipboard.readText()");
    expect(codes).toContain(copied);
    expect(masked).toBe(`${copied.slice(0, 4)}***${copied.slice(-4)}`);
    await row.getByRole("button", { name: "Reveal code" }).click();
    expect(await row.locator("code").innerText()).toBe(copied);
  });

  test("are added in a form, edited, switched off and on, and deleted", {
    tags: ["large"],
  }, async () => {
    await page.getByRole("link", { name: "Add Redemption" }).click();
    await heading(page, "Create Redemption").waitFor();
    await page.getByLabel("Quota", { exact: true }).fill("0");
    await page.getByLabel("Count", { exact: true }).fill("0");
    await button("Create Redemption").click();
    for (const message of ["Name is required", "Quota must be positive", "Count must be positive"])
      await page.getByText(message, { exact: true }).waitFor();
    await inspectScreen(page, "redemption form with everything wrong");
    await page.getByLabel("Name", { exact: true }).fill("Prize");
    await page.getByLabel("Quota", { exact: true }).fill("500000");
    await page.getByLabel("Count", { exact: true }).fill("3");
    await page
      .getByRole("region", { name: "What you give away" })
      .getByText("$3.00", { exact: true })
      .waitFor();
    await page.getByLabel("Count", { exact: true }).fill("1");
    await button("Create Redemption").click();
    await page.getByText("Redemption created successfully").waitFor();
    await expect.poll(() => pathOf(page)).toBe("/redemptions");
    const made = page.getByRole("region", { name: "Codes of Prize" });
    await made.getByText("1 code is ready.").waitFor();
    const code = (await made.locator("pre").innerText()).trim();
    expect(code.slice(0, 4)).toBe((await rowOf("Prize").locator("code").innerText()).slice(0, 4));
    await made.getByRole("button", { name: "Copy all" }).click();
    await made.getByRole("button", { name: "Copied!" }).waitFor();
    expect(await page.evaluate<string>("navigator.clipboard.readText()")).toBe(code);
    await inspectScreen(page, "codes of the form");
    await page.reload();
    await rowOf("Prize").waitFor();
    expect(await made.count()).toBe(0);

    await rowOf("Prize").getByRole("link", { name: "Edit" }).click();
    await heading(page, "Edit Redemption").waitFor();
    await page.getByLabel("Quota", { exact: true }).fill("1000000");
    expect(await page.getByLabel("Count", { exact: true }).count()).toBe(0);
    await button("Update Redemption").click();
    await page.getByText("Redemption updated successfully").waitFor();
    const prize = async () => (await rows()).find(({ Name }) => Name === "Prize");
    await expect.poll(prize).toMatchObject({ Quota: "$2.0000", Status: "Unused" });

    for (const [action, word, status] of [
      ["Disable", "Prize is disabled", "Disabled"],
      ["Enable", "Prize is enabled", "Unused"],
    ] as const) {
      await button("More actions for Prize").click();
      await page.getByRole("menuitem", { name: action }).click();
      await notification(word).waitFor();
      await expect.poll(prize).toMatchObject({ Status: status });
    }
    await button("More actions for Prize").click();
    await page.getByRole("menuitem", { name: "Delete" }).click();
    await dialog("Delete Prize")
      .getByText('Are you sure you want to delete redemption code "Prize"?')
      .waitFor();
    await dialog("Delete Prize").getByRole("button", { name: "Delete" }).click();
    await expect.poll(prize).toBeUndefined();
  });

  test("whose making gets no answer are read again, and made once however often one sends", async () => {
    await button("Generate Codes").click();
    const form = dialog("Generate Codes");
    await form.getByLabel("Name", { exact: true }).fill("Lost");
    await form.getByLabel("Count", { exact: true }).fill("2");
    await page.route("**/api/redemption/", async (route) => {
      await route.fetch();
      await route.abort("connectionreset");
    });
    await form.getByRole("button", { name: "Generate" }).click();
    await form.getByRole("alert").getByText("The gateway cannot be reached").waitFor();
    expect((await rows()).filter(({ Name }) => Name === "Lost")).toHaveLength(2);
    await page.unroute("**/api/redemption/");
    await form.getByRole("button", { name: "Generate" }).click();
    await dialog("Codes of Lost").getByText("2 codes are ready.").waitFor();
    await dialog("Codes of Lost").getByRole("button", { name: "Done" }).click();
    expect((await root.call(listRedemptions)).total).toBe(7);
    pageErrors.length = 0;
  });

  test("that another server made before it failed are shown with the reason", {
    tags: ["variant"],
  }, async () => {
    // An empty list has the button too.
    await button("Generate Codes").first().click();
    await dialog("Generate Codes").getByLabel("Name", { exact: true }).fill("Half");
    await page.route("**/api/redemption/", (route) =>
      route.fulfill({
        json: { success: false, message: "the store is full", data: ["first", "second"] },
      }),
    );
    await dialog("Generate Codes").getByRole("button", { name: "Generate" }).click();
    const made = dialog("Codes of Half");
    await made.getByRole("alert").getByText("the store is full").waitFor();
    expect((await made.locator("pre").innerText()).trim().split("\n")).toEqual(["first", "second"]);
    await page.keyboard.press("Escape");
    await made.waitFor({ state: "detached" });
  });

  test("are searched by name, and a list that fails shows the reason", {
    tags: ["large"],
  }, async () => {
    const search = page.getByRole("combobox", { name: "Search redemptions" });
    await search.fill("Lo");
    await page.getByRole("option", { name: "Lost" }).click();
    await expect.poll(async () => (await rows()).length).toBe(2);
    await search.fill("nothing");
    await search.press("Enter");
    await page.getByText("No results.", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Clear filters" }).last().click();
    await expect.poll(async () => (await rows()).length).toBe(7);
    await inspectScreen(page, "redemptions list");

    await page.route("**/api/redemption/?*", (route) =>
      route.fulfill({
        status: 500,
        json: { success: false, message: "Something went wrong on the server" },
      }),
    );
    await button("Refresh").click();
    const alert = page.getByRole("alert").filter({ hasText: "Something went wrong on the server" });
    await alert.waitFor();
    expect(await page.getByText("Gift").count()).toBe(0);
    await page.unroute("**/api/redemption/?*");
    await alert.getByRole("button", { name: "Retry" }).click();
    await expect.poll(async () => (await rows()).length).toBe(7);
    pageErrors.length = 0;
  });
});

describe("a user with a code", () => {
  let person: BrowserContext;
  let shop: Page;
  let seen: string[];
  const code = () => shop.getByLabel("Redemption code");
  const redeem = () => shop.getByRole("button", { name: "Redeem", exact: true }).click();

  beforeAll(async () => {
    const before = pageErrors;
    person = await gateway.newContext();
    shop = await beginAs(person, "mira", "/topup");
    [seen, pageErrors] = [pageErrors, before];
  });
  afterAll(() => person.close());

  test("sees the balance, in currency too, and what to know; where nothing is sold, nothing is offered", async () => {
    await heading(shop, "Top Up").waitFor();
    await shop
      .getByRole("region", { name: "Balance" })
      .getByText("1,000", { exact: true })
      .waitFor();
    await shop
      .getByRole("region", { name: "Balance" })
      .getByText("$0.0020", { exact: true })
      .waitFor();
    expect(await shop.getByRole("region", { name: "Online payment" }).count()).toBe(0);
    await redeem();
    await shop.getByText("Redemption code is required", { exact: true }).waitFor();
    await inspectScreen(shop, "top up");
  });

  test("redeems it: the balance rises by its quota, and the administrator's list shows it used", async () => {
    await code().fill(` ${codes[0] ?? ""} `);
    await redeem();
    await shop.getByText("Successfully redeemed! Added 750,000 tokens.", { exact: true }).waitFor();
    await shop
      .getByRole("region", { name: "Balance" })
      .getByText("751,000", { exact: true })
      .waitFor();
    expect(await code().inputValue()).toBe("");
    expect(await balance(mira)).toBe(1_000 + paid);

    await button("Refresh").click();
    await expect
      .poll(async () => (await rows()).filter(({ Status }) => Status === "Used"))
      .toMatchObject([
        {
          Name: "Gift",
          Redeemed: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\s*by mira$/),
        },
      ]);
    const used = page.getByRole("row").filter({ hasText: "Used" }).last();
    expect(await used.getByRole("button", { name: "Edit" }).getAttribute("aria-disabled")).toBe(
      "true",
    );
    await used.getByRole("button", { name: "More actions for Gift" }).click();
    await page.getByText("This redemption code was used and is final").waitFor();
    expect(await page.getByRole("menuitem").allInnerTexts()).toEqual(["Delete"]);
    await page.keyboard.press("Escape");
    const [row] = (await root.call(listRedemptions, { query: { sort: "redeemed_time" } })).data;
    await page.goto(`/redemptions/edit/${row?.uuid}`);
    await page.getByText("This redemption code was used and is final").waitFor();
    await page.goto("/redemptions");
  });

  test("sees that a code is used, or unknown, and no balance changes", async () => {
    for (const wrong of [codes[0] ?? "", (codes[1] ?? "").toUpperCase()]) {
      await code().fill(wrong);
      await redeem();
      await shop.getByText("This redemption code is not valid", { exact: true }).waitFor();
    }
    expect(await balance(mira)).toBe(1_000 + paid);
    // A server that sends no message.
    await shop.route("**/api/user/topup", (route) =>
      route.fulfill({ json: { success: false, message: "" } }),
    );
    await redeem();
    await shop.getByText("Redemption failed", { exact: true }).waitFor();
    await shop.unroute("**/api/user/topup");
  });

  test("and gets no answer sees the balance read again, and redeems once", async () => {
    await shop.route("**/api/user/topup", async (route) => {
      await route.fetch();
      await route.abort("connectionreset");
    });
    await code().fill(codes[1] ?? "");
    await redeem();
    await shop.getByText("The gateway cannot be reached.").waitFor();
    await shop
      .getByRole("region", { name: "Balance" })
      .getByText("1,501,000", { exact: true })
      .waitFor();
    await shop.unroute("**/api/user/topup");
    await redeem();
    await shop.getByText("Successfully redeemed! Added 750,000 tokens.", { exact: true }).waitFor();
    expect(await balance(mira)).toBe(1_000 + 2 * paid);
    seen.length = 0;
  });

  test("is led to the operator's shop in a new tab that knows nothing of this one", {
    tags: ["large"],
  }, async () => {
    await root.call(updateOption, {
      body: { key: "TopUpLink", value: "https://pay.example/buy?plan=a" },
    });
    await shop.goto("/topup");
    const buy = shop.getByRole("link", { name: "Buy quota" });
    await buy.waitFor();
    expect(await buy.getAttribute("href")).toBe("https://pay.example/buy?plan=a");
    expect(await buy.getAttribute("target")).toBe("_blank");
    expect(await buy.getAttribute("rel")).toContain("noopener");
    await inspectScreen(shop, "top up with a shop");
    expect(seen).toEqual([]);
  });

  test("sees when the balance cannot be read, and no currency where the operator shows none", {
    tags: ["large"],
  }, async () => {
    await root.call(updateOption, { body: { key: "DisplayInCurrencyEnabled", value: "false" } });
    await shop.route("**/api/user/self", (route) =>
      route.fulfill({
        status: 500,
        json: { success: false, message: "Something went wrong on the server" },
      }),
    );
    await shop.goto("/topup");
    const card = shop.getByRole("region", { name: "Balance" });
    await card.getByText("Something went wrong on the server").waitFor();
    await shop.unroute("**/api/user/self");
    await card.getByRole("button", { name: "Retry" }).click();
    await card.getByText("1,501,000", { exact: true }).waitFor();
    // Until the status has arrived, amounts are shown as the last one said.
    await card.getByText("$").waitFor({ state: "detached" });
  });
});

test("a redemption list without currency still shows what the codes are worth", {
  tags: ["large"],
}, async () => {
  await root.call(createRedemptions, { body: { name: "Cheap", quota: 250_000, count: 1 } });
  await navigationLink(page, "Redemptions").click();
  await button("Refresh").click();
  await expect
    .poll(async () => (await rows())[0])
    .toMatchObject({ Name: "Cheap", Quota: "$0.5000" });
});
