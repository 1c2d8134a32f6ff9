import type { Browser, BrowserContext } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { sharedBrowser } from "../harness/chromium.ts";
import { type ContractServer, startContractServer } from "../harness/contract-server.ts";
import { testVariants } from "../support/variants.ts";
import { heading } from "./console-pages.ts";
import { findFaults, type OddVisit, oddScreens, openOddPage } from "./odd-replies.ts";

let browser: Browser;
let server: ContractServer;
let visitor: BrowserContext;
let visit: OddVisit;
beforeAll(async () => {
  browser = await sharedBrowser();
  server = await startContractServer();
});
afterAll(() => server.close());
beforeEach(async () => {
  visitor = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  visit = await openOddPage(visitor, server);
});
afterEach(() => visitor.close());

// The forms and screens that broke most before replies were fitted; odd-replies.large.test.ts has
// all of them.
const delicate = ["/channels/edit/7", "/dashboard", "/logs?type=2", "/settings/other", "/topup"];
const delicateScreens = delicate.flatMap((path) =>
  oddScreens.filter((screen) => screen.path === path),
);
testVariants(delicateScreens)(
  "$path stays when a reply is null, thin or of other kinds",
  async (screen) => {
    expect(await findFaults(screen, visit, ["null", "missing members", "wrong kinds"])).toEqual([]);
  },
);

test("a part that fails to draw says so in its place, and Retry draws it again", {
  tags: ["large"],
}, async () => {
  const { page } = visit;
  // The balance of the example; a number that cannot be formatted stands for any mistake of the
  // console.
  await page.addInitScript(`
    const { get } = Object.getOwnPropertyDescriptor(Intl.NumberFormat.prototype, "format");
    window.breaks = true;
    Object.defineProperty(Intl.NumberFormat.prototype, "format", {
      get() {
        const format = get.call(this);
        return (value) => {
          if (window.breaks && value === 1795100000) throw new Error("no such number");
          return format(value);
        };
      },
    });
  `);
  server.answer();
  await page.goto(`${server.url}/topup`);
  const alert = page.getByRole("region", { name: "Balance" }).getByRole("alert");
  await alert.getByText("The server sent an unexpected answer").waitFor();
  await heading(page, "Top Up").waitFor();
  await page.getByRole("button", { name: "Redeem", exact: true }).waitFor();
  await page.evaluate("window.breaks = false");
  await alert.getByRole("button", { name: "Retry" }).click();
  await page.getByRole("region", { name: "Balance" }).getByText("1,795,100,000").waitFor();
});
