// Debian's own Prometheus scrapes a gateway under load: what it stores is what the log says, and
// its tools accept all that is sent.
import { createBudget } from "@tollgate/contract/accounts/budgets.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { alertRules } from "../../../scripts/alert-rules.ts";
import { dashboards } from "../../../scripts/dashboards.ts";
import { eventually } from "../harness/eventually.ts";
import { freePort } from "../harness/free-port.ts";
import {
  type PrometheusServer,
  prometheusAvailable,
  promtool,
  startPrometheus,
} from "../harness/prometheus-server.ts";
import { model, startTestGateway, type TestGateway } from "../harness/test-gateway.ts";

const possible = prometheusAvailable();
const reason = possible.available ? "" : ` (${possible.reason})`;
const token = "a-token-for-prometheus";
/** `asked` gives what Grafana puts in place of its own variables. */
const asked = (expression: string): string =>
  expression.replaceAll("$__rate_interval", "30s").replaceAll("$__range", "1m");
/** No realtime session was open, and the simulated provider tells no balance. */
const notPlayed = ["overview: Calls that run", "channels: Balance at the provider"];

describe.skipIf(!possible.available)(`Prometheus${reason}`, () => {
  let gateway: TestGateway;
  let prometheus: PrometheusServer;
  let metricsHost: string;

  beforeAll(async () => {
    metricsHost = `127.0.0.1:${await freePort()}`;
    gateway = await startTestGateway({
      env: { METRICS_PORT: metricsHost.split(":")[1] ?? "", METRICS_TOKEN: token },
    });
    await gateway.given.channel({ key: "sim-ok" });
    await gateway.given.channel({ key: "sim-fail-500", models: "broken" });
    await gateway.given.channel({ key: "sim-ok", models: "dear" });
    prometheus = await startPrometheus(metricsHost);
  });
  afterAll(async () => {
    await prometheus.stop();
    await gateway.close();
  });

  test("has counted under load what the log says, and draws each panel of the dashboards", async () => {
    const { key } = await gateway.given.token();
    const root = await gateway.root();
    await root.call(createBudget, {
      body: {
        name: "small",
        window: "lifetime",
        amount: 1,
        hard: true,
        subject: "model",
        model: "dear",
      },
    });
    expect((await gateway.chat(key, { model: "dear" })).status).toBe(403);
    await gateway.chat(key, { model: "nobody-offers-this" });
    await gateway.given.channel({ key: "sim-cached-4", models: "cached" });
    const lanes = Array.from({ length: 8 }, async () => {
      for (let call = 0; call < 25; call += 1) {
        await gateway.chat(key);
        await gateway.stream(key);
      }
    });
    await Promise.all([
      ...lanes,
      gateway.chat(key, { model: "broken" }),
      gateway.chat(key, { model: "cached" }),
    ]);
    await gateway.settled();
    const rows = (await gateway.logs()).length;
    expect(rows).toBe(402);
    await eventually(async () => {
      const [sum] = await prometheus.ask('sum(tollgate_calls_total{job="tollgate"})');
      expect(sum?.value).toBe(rows);
    });
    const byOutcome = await prometheus.ask("sum by (outcome, stream) (tollgate_calls_total)");
    expect(
      byOutcome.map(({ labels, value }) => [labels.outcome, labels.stream, value]).sort(),
    ).toEqual([
      ["failed", "false", 1],
      ["success", "false", 201],
      ["success", "true", 200],
    ]);
    const [first] = await prometheus.ask(
      `sum(tollgate_first_content_seconds_count{model="${model}"})`,
    );
    expect(first?.value).toBe(400);

    const queries = dashboards.flatMap(({ name, panels }) =>
      panels.flatMap(({ title, queries: all }) =>
        all.map((query) => ({ where: `${name}: ${title}`, ...query })),
      ),
    );
    // Gauges of the site are read every 15 seconds.
    await eventually(async () => {
      const empty = new Set<string>();
      for (const { where, expression } of queries)
        if ((await prometheus.ask(asked(expression))).length === 0) empty.add(where);
      expect([...empty]).toEqual(notPlayed);
    });
  });

  test("evaluates every alert rule, and a scrape without the token is told no more than that", async () => {
    await eventually(async () => {
      expect(await prometheus.rules()).toEqual(
        Object.fromEntries(alertRules.map(({ name }) => [name, "ok"])),
      );
    });
    const main = new URL(gateway.url).host;
    const [welcome, stranger] = await Promise.all([
      startPrometheus(main, token),
      startPrometheus(main, "not-it"),
    ]);
    try {
      await eventually(async () => expect(await welcome.lastScrapeErrors()).toEqual([""]));
      await eventually(async () =>
        expect(await stranger.lastScrapeErrors()).toEqual([
          "server returned HTTP status 404 Not Found",
        ]),
      );
    } finally {
      await Promise.all([welcome.stop(), stranger.stop()]);
    }
  });

  test("its promtool accepts the page of metrics and the rules, and each rule fires and ends as its example says", async () => {
    const page = await (await fetch(`http://${metricsHost}/metrics`)).text();
    expect(promtool(["check", "metrics"], page)).toEqual({ isGood: true, output: "" });
    expect(promtool(["check", "rules", "alerts.yml"])).toMatchObject({ isGood: true });
    expect(promtool(["test", "rules", "alerts-test.yml"])).toMatchObject({ isGood: true });
  });
});
