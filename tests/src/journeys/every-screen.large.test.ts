// Every page of the console's table of pages on the demo site, at every width, in both themes and
// in forced colours: `npm run trust -- screens`. SCREENS=part names a part of the addresses.
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type DemoSite, startDemoSite } from "../../../scripts/demo-site.ts";
import { sendTo, signInSession } from "../harness/api-session.ts";
import { launchBrowser } from "../harness/chromium.ts";
import { collectPageErrors, openPage, openSignedIn } from "./console-pages.ts";
import { findForcedColourFaults } from "./forced-colours.ts";
import { inspectScreen } from "./inspect-page.ts";
import {
  makeSampleThings,
  type SampleThings,
  screenAddresses,
  visitorAddresses,
} from "./screen-addresses.ts";

const widths = [1440, 1024, 768, 375];
/** At four widths and in two themes, a long page is walked by the keyboard a thousand stops. */
const patienceMs = 600_000;
const part = process.env.SCREENS ?? "";

let site: DemoSite;
let browser: Awaited<ReturnType<typeof launchBrowser>>;
let things: SampleThings;
beforeAll(async () => {
  site = await startDemoSite({ port: 0 });
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser.close();
  await site.stop();
});

const isAskedFor = (path: string): boolean => path.includes(part);

const visited = Object.values(visitorAddresses).flat().filter(isAskedFor);
describe.runIf(visited.length > 0)("before sign-in", () => {
  test.each(visited)(
    "%s is accessible at every width and in all colours",
    {
      timeout: patienceMs,
    },
    async (address) => {
      // A spinner stands still: what moves is waited for.
      const still = { baseURL: site.url, reducedMotion: "reduce" } as const;
      const page = await openPage(await browser.newContext(still));
      // Who comes back from a provider waits here; the answer would lead away.
      if (address.startsWith("/oauth/")) await page.route("**/api/oauth/**", () => undefined);
      await inspectAddress(page, address);
      await page.context().close();
    },
  );
});

const signedIn = Object.entries(screenAddresses).filter(([path]) => isAskedFor(path));
describe.runIf(signedIn.length > 0)("as a super administrator", () => {
  let page: Page;
  beforeAll(async () => {
    page = await openPage(await browser.newContext({ baseURL: site.url, reducedMotion: "reduce" }));
    const { username, password } = site;
    await openSignedIn(page, site.url, { username, password, path: "/about" });
    things = await makeSampleThings(
      await signInSession(sendTo(site.url), username, password),
      site.url,
    );
  });
  afterAll(() => page?.context().close());

  test.each(signedIn)(
    "%s is accessible at every width and in all colours",
    {
      timeout: patienceMs,
    },
    async (_, row) => {
      for (const address of typeof row === "function" ? row(things) : row)
        await inspectAddress(page, address);
    },
  );
});

async function inspectAddress(page: Page, address: string): Promise<void> {
  const pageErrors = collectPageErrors(page);
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.goto(address);
  await page.locator("main h1, main iframe, main [role=status]").first().waitFor();
  // The answer to a sign-in elsewhere never comes here.
  if (!address.startsWith("/oauth/")) await page.waitForLoadState("networkidle");
  await expect.poll(() => page.locator("main [aria-busy=true]").count()).toBe(0);
  const name = address.slice(1).replaceAll(/[^a-z0-9]+/gi, "-") || "home";
  await inspectScreen(page, name, { widths });
  expect(await findForcedColourFaults(page, name), `${address} in forced colours`).toEqual([]);
  expect(pageErrors, address).toEqual([]);
  page.removeAllListeners("console");
  page.removeAllListeners("pageerror");
}
