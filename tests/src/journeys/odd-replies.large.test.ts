import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { sharedBrowser } from "../harness/chromium.ts";
import { type ContractServer, startContractServer } from "../harness/contract-server.ts";
import { findFaults, oddForms, oddScreens, openOddPage } from "./odd-replies.ts";

let browser: Browser;
let server: ContractServer;
beforeAll(async () => {
  browser = await sharedBrowser();
  server = await startContractServer();
});
afterAll(() => server.close());

test.each(oddScreens)("$path stays whatever one of its replies looks like", async (screen) => {
  const visitor = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const visit = await openOddPage(visitor, server);
  const faults = await findFaults(screen, visit, Object.keys(oddForms));
  await visitor.close();
  expect(faults).toEqual([]);
});
