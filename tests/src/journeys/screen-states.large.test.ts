import type { Browser, BrowserContext, Route } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { sharedBrowser } from "../harness/chromium.ts";
import { type ContractServer, startContractServer } from "../harness/contract-server.ts";
import { accessibilityViolations, expectToFit } from "./inspect-page.ts";
import { beReader, type OddVisit, oddScreens, openOddPage } from "./odd-replies.ts";
import { smallTargets, unreachableColumns } from "./room-on-screen.ts";

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
  visitor = await browser.newContext({
    viewport: { width: 1440, height: 900 },
    reducedMotion: "reduce",
  });
  visit = await openOddPage(visitor, server);
});
afterEach(() => visitor.close());

/**
 * `states` says how all calls of a screen are answered, but for those of the frame; the server's
 * own replies fill it.
 */
const states: Readonly<Record<string, ((route: Route) => unknown) | undefined>> = {
  filled: undefined,
  empty: (route) => route.fulfill({ json: { success: true, message: "", data: [], total: 0 } }),
  failed: (route) =>
    route.fulfill({
      status: 500,
      headers: { "X-Oneapi-Request-Id": "0123456789abcdef" },
      json: { success: false, message: "Something went wrong on the server" },
    }),
  // Never answered.
  loading: () => undefined,
};
const ofFrame = /^\/api\/(status|user\/self|notice)$/;
const isOfScreen = ({ pathname }: URL): boolean =>
  pathname.startsWith("/api/") && !ofFrame.test(pathname);

test.each(oddScreens)(
  "$path is accessible in both themes, fits, also enlarged to 200 %, and leaves room for fingers in every state",
  async (screen) => {
    const { page } = visit;
    const faults: string[] = [];
    for (const [state, answer] of Object.entries(states)) {
      await page.unrouteAll({ behavior: "ignoreErrors" });
      if (answer !== undefined) await page.route(isOfScreen, answer);
      await page.setViewportSize({ width: 1440, height: 900 });
      await beReader(screen, visit);
      await page.goto(server.url + screen.path);
      await page.locator("main h1, main [role=alert]").first().waitFor();
      if (answer === undefined) await page.waitForLoadState("networkidle");
      if (answer === undefined) await screen.open?.(page).catch(() => undefined);
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme });
        await expectToFit(page, colorScheme === "light" ? 1440 : 375);
        // Only colours differ by theme.
        const found = await accessibilityViolations(page, { coloursOnly: colorScheme === "dark" });
        faults.push(...found.map((fault) => `${state}, ${colorScheme}: ${fault}`));
      }
      faults.push(
        ...(await smallTargets(page)).map((fault) => `${state}, too small for fingers: ${fault}`),
      );
      // A window of 1440 px, enlarged to 200 %; and a tablet, where every column must be within
      // reach.
      await expectToFit(page, 720);
      await expectToFit(page, 768);
      faults.push(
        ...(await unreachableColumns(page)).map((fault) => `${state}, out of reach: ${fault}`),
      );
    }
    await page.unrouteAll({ behavior: "ignoreErrors" });
    expect(faults).toEqual([]);
  },
);
