// What a journey plays on: a simulated provider, a real gateway that may call it, and one browser.
import type { Browser, BrowserContext, BrowserContextOptions } from "playwright-core";
import { launchBrowser } from "../harness/chromium.ts";
import { eventually } from "../harness/eventually.ts";
import { type GatewayProcess, type GatewayProcessOptions, startGatewayProcess } from "../harness/gateway-process.ts";
import { createDatabase, dropDatabase } from "../harness/postgres-cluster.ts";
import { type SimulatorProcess, startSimulatorProcess } from "../harness/simulator-process.ts";

export interface BrowserGateway {
  gateway: GatewayProcess;
  simulator: SimulatorProcess;
  browser: Browser;
  /** A visitor with a browser of their own: no cookies, nothing stored. */
  visitor(options?: BrowserContextOptions): Promise<BrowserContext>;
  close(): Promise<void>;
}

/** What every visitor has unless a test says otherwise. Motion would only blur what is measured. */
const defaultContext: BrowserContextOptions = {
  viewport: { width: 1440, height: 900 },
  locale: "en-US",
  timezoneId: "Europe/Berlin",
  colorScheme: "light",
  reducedMotion: "reduce",
};

type BrowserGatewayOptions = Omit<GatewayProcessOptions, "databaseUrl"> & {
  /** JOURNEY_STORE plays all of them on one database; otherwise each file has its own. */
  store?: "sqlite" | "postgres";
};

export async function startBrowserGateway({
  store = "sqlite",
  ...options
}: BrowserGatewayOptions = {}): Promise<BrowserGateway> {
  const isOnPostgres = (process.env.JOURNEY_STORE ?? store) === "postgres";
  const databaseUrl = isOnPostgres ? await createDatabase() : undefined;
  const [simulator, browser] = await Promise.all([startSimulatorProcess(), launchBrowser()]);
  const env = { SHUTDOWN_GRACE_SECONDS: "1", ...options.env };
  const gateway = await startGatewayProcess({
    ...options,
    ...(databaseUrl !== undefined && { databaseUrl }),
    env,
    upstreams: [simulator.url],
  });
  return {
    gateway,
    simulator,
    browser,
    visitor: (more) => browser.newContext({ ...defaultContext, baseURL: gateway.url, ...more }),
    async close() {
      await browser.close();
      await gateway.stop();
      await simulator.stop();
      if (databaseUrl !== undefined) await dropDatabase(databaseUrl);
    },
  };
}

/** The first start prints the password right after the address. */
export function printedPassword(gateway: GatewayProcess): Promise<string> {
  return eventually(() => {
    if (gateway.rootPassword === "") throw new Error(`no root password was printed:\n${gateway.output()}`);
    return gateway.rootPassword;
  });
}
