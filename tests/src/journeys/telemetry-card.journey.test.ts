// The card of metrics and traces where a listener is open to every address, and the collector does
// not answer.
import { afterAll, beforeAll, expect, test } from "vitest";
import { freePort } from "../harness/free-port.ts";
import type { TestGateway } from "../harness/test-gateway.ts";
import { startBrowserGateway } from "./browser-gateway.ts";
import { collectPageErrors, openPage, openSignedIn } from "./console-pages.ts";
import { inspectScreen } from "./inspect-page.ts";

const password = "correct horse battery";

let gateway: TestGateway;
let metricsPort: number;
let collector: string;

beforeAll(async () => {
  metricsPort = await freePort();
  // Nothing listens there.
  collector = `http://127.0.0.1:${await freePort()}`;
  gateway = await startBrowserGateway({
    env: {
      INITIAL_ROOT_PASSWORD: password,
      METRICS_PORT: String(metricsPort),
      METRICS_HOST: "0.0.0.0",
      OTEL_EXPORTER_OTLP_ENDPOINT: `${collector}/secret-path`,
      OTEL_TRACES_SAMPLER: "always_on",
    },
  });
  await gateway.given.channel({ key: "sim-ok" });
});
afterAll(() => gateway.close());

test("root reads where a scrape reaches the listener, and that the collector is away, while calls are served", {
  tags: ["large"],
}, async () => {
  const page = await openPage(await gateway.newContext());
  const pageErrors = collectPageErrors(page);
  const { key } = await gateway.given.token();
  expect((await gateway.chat(key)).status).toBe(200);
  await openSignedIn(page, gateway.url, { username: "root", password, path: "/settings/system" });
  const card = page.getByRole("region", { name: "Metrics and traces", exact: true });
  const { hostname } = new URL(gateway.url);
  await card.getByText(`http://${hostname}:${metricsPort}/metrics`).waitFor();
  await card.getByText("No password; protected by the network").waitFor();
  await card.getByText(`${gateway.url}/metrics`, { exact: true }).waitFor();
  await card.getByText(`"${hostname}:${metricsPort}"`).waitFor();
  await card.getByText(collector, { exact: true }).waitFor();
  await expect
    .poll(
      async () => {
        await page.reload();
        await card.getByText("Last collector error").waitFor();
        return card.getByText(/could not be reached/).count();
      },
      { timeout: 60_000 },
    )
    .toBe(1);
  expect(await card.innerText()).not.toContain("secret-path");
  expect((await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).status).toBe(200);
  await inspectScreen(page, "telemetry of a collector that is away");
  expect(pageErrors).toEqual([]);
});
