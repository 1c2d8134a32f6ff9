import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { sharedBrowser } from "../harness/chromium.ts";
import { type ContractServer, startContractServer } from "../harness/contract-server.ts";
import { oddActs } from "./odd-acts.ts";
import { findFaultsOfAct, openOddPage } from "./odd-replies.ts";

let browser: Browser;
let server: ContractServer;
beforeAll(async () => {
  browser = await sharedBrowser();
  server = await startContractServer();
});
afterAll(() => server.close());

test.each(oddActs)("$path: $steps stays whatever its call is answered", async (act) => {
  const visitor = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const visit = await openOddPage(visitor, server);
  const faults = await findFaultsOfAct(act, visit);
  await visitor.close();
  expect(faults).toEqual([]);
});
