// Every dialog as assistive tools meet it, in both themes and on a phone.
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { rootPassword } from "../harness/database-templates.ts";
import type { TestGateway } from "../harness/test-gateway.ts";
import { startBrowserGateway } from "./browser-gateway.ts";
import { consoleDialogs } from "./console-dialogs.ts";
import { openPage, openSignedIn } from "./console-pages.ts";
import { accessibilityViolations, expectToFit, waitUntilStill } from "./inspect-page.ts";
import { smallTargets } from "./room-on-screen.ts";
import { createSampleData } from "./sample-data.ts";

let gateway: TestGateway;
let page: Page;

beforeAll(async () => {
  gateway = await startBrowserGateway();
  await createSampleData(await gateway.root(), gateway.url, gateway.simulator.url);
  page = await openPage(await gateway.newContext());
  await openSignedIn(page, gateway.url, {
    username: "root",
    password: rootPassword,
    path: "/tokens",
  });
});
afterAll(() => gateway.close());

const opened = Object.entries(consoleDialogs).flatMap(([file, row]) =>
  typeof row === "function" ? [{ file, row }] : [],
);

test.each(opened)(
  "the dialog of $file is readable in both themes, and fits a phone",
  async ({ row }) => {
    await page.setViewportSize({ width: 1280, height: 900 });
    await row(page);
    await page.locator("dialog:modal").last().waitFor();
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      await expect
        .poll(() => page.evaluate("document.documentElement.dataset.theme"))
        .toBe(colorScheme);
      await waitUntilStill(page);
      expect(await accessibilityViolations(page), colorScheme).toEqual([]);
    }
    await page.setViewportSize({ width: 375, height: 800 });
    // The rows of a phone are others: what a row of the table had opened is gone with it.
    await waitUntilStill(page);
    if ((await page.locator("dialog:modal").count()) === 0) await row(page);
    await page.locator("dialog:modal").last().waitFor();
    await expectToFit(page, 375);
    expect(await smallTargets(page), "too small for fingers").toEqual([]);
  },
);
