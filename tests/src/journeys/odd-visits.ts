/**
 * Pages of a server whose replies are odd, for a file of tests: one server, and a context of the
 * browser for each test.
 */
import type { Browser } from "playwright-core";
import { afterAll, beforeAll } from "vitest";
import { sharedBrowser } from "../harness/chromium.ts";
import { type ContractServer, startContractServer } from "../harness/contract-server.ts";
import { type OddVisit, openOddPage } from "./odd-replies.ts";

/**
 * Called at the top of a file. Gives a function that opens a page, looks for faults in it and
 * closes it.
 */
export function oddVisits(): (look: (visit: OddVisit) => Promise<string[]>) => Promise<string[]> {
  let browser: Browser;
  let server: ContractServer;
  beforeAll(async () => {
    browser = await sharedBrowser();
    server = await startContractServer();
  });
  afterAll(() => server.close());
  return async (look) => {
    const visitor = await browser.newContext({ viewport: { width: 1440, height: 900 } });
    const faults = await look(await openOddPage(visitor, server));
    await visitor.close();
    return faults;
  };
}
