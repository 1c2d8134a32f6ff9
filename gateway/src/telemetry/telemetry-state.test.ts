import { expect, test } from "vitest";
import { createGatewayMetrics } from "./gateway-metrics.ts";
import {
  buildMetricsListener,
  buildTelemetryState,
  listTargets,
  pageUrl,
  scrapeConfiguration,
} from "./telemetry-state.ts";

const site = new URL("https://ai.example.com");
const localUrl = new URL("http://127.0.0.1:3000");
const listener = { host: "127.0.0.1", ports: [9464] };

test("tells the addresses of the metrics with their guards, and what became of spans, without a secret", () => {
  const metrics = createGatewayMetrics();
  metrics.spans.child("sent").add(7);
  metrics.spans.child("dropped").add(2);
  const failure = { at: 5, reason: "the collector refused a batch with status 401: no" };
  const source = {
    served: { publicUrl: site, localUrl, sharesPort: false, hasToken: () => true, listener },
    metrics,
    seriesMax: 1_000,
    traces: {
      collector: new URL(
        "https://user:canary-a@collector.example.com:4318/canary-b/v1/traces?key=canary-c",
      ),
      tracing: { lastFailure: () => failure },
    },
  };
  const state = buildTelemetryState(source, site);
  expect(state.metrics).toMatchObject({
    served: [
      { url: "http://127.0.0.1:9464/metrics", guard: "network" },
      { url: "https://ai.example.com/metrics", guard: "token" },
    ],
    series: metrics.registry.seriesCount,
    series_max: 1_000,
    dropped: 0,
  });
  expect(state.traces).toEqual({
    collector: "https://collector.example.com:4318",
    sent: 7,
    rejected: 0,
    lost: 0,
    dropped: 2,
    last_failure: failure,
  });
  expect(JSON.stringify(state)).not.toContain("canary");
  const shared = buildTelemetryState(
    { ...source, served: { ...source.served, sharesPort: true } },
    site,
  );
  expect(shared.metrics.served.map(({ guard }) => guard)).toEqual(["network"]);
});

test("the scrape configuration reads the listeners where there are some, and a key for the main port otherwise", () => {
  expect(scrapeConfiguration(["127.0.0.1:9464", "127.0.0.1:9465"], site, false)).toBe(
    'scrape_configs:\n  - job_name: tollgate\n    static_configs: [{ targets: ["127.0.0.1:9464", "127.0.0.1:9465"] }]\n',
  );
  const ofMain = scrapeConfiguration([], site, false) ?? "";
  expect(ofMain).toContain("scheme: https\n");
  expect(ofMain).toContain("# The file holds a management key with the scope metrics:read.\n");
  expect(ofMain).toContain('targets: ["ai.example.com"]');
  expect(ofMain).not.toContain("metrics_path");
  const below = new URL("https://example.com/gate/");
  expect(scrapeConfiguration([], below, false)).toContain("metrics_path: /gate/metrics\n");
  expect(scrapeConfiguration([], undefined, true)).toBeNull();
});

test("each of several processes has a port for its metrics", () => {
  const config = { metricsHost: "127.0.0.1", metricsPort: 9464 };
  expect(buildMetricsListener(config, 3)).toEqual({ host: "127.0.0.1", ports: [9464, 9465, 9466] });
  expect(buildMetricsListener({ ...config, metricsPort: undefined }, 3)).toBeUndefined();
});

test.each([
  ["127.0.0.1", "ai.example.com", "127.0.0.1:1"],
  ["::1", "ai.example.com", "[::1]:1"],
  ["0.0.0.0", "10.0.0.7", "10.0.0.7:1"],
  ["::", "[fd00::7]", "[fd00::7]:1"],
])("a listener on %j is scraped, from a page at %j, at %s", (host, pageHost, target) => {
  const served = { listener: { host, ports: [1, 2] } };
  expect(listTargets(served, pageHost)).toEqual([target, target.replace(/1$/, "2")]);
});

test.each([
  [site, "http://10.0.0.7:8080", "10.0.0.7:3000", "https://ai.example.com"],
  [undefined, "https://10.0.0.7:8443", "10.0.0.7:3000", "https://10.0.0.7:8443"],
  [undefined, undefined, "10.0.0.7:3000", "http://10.0.0.7:3000"],
  [undefined, "javascript:alert(1)", "[fd00::7]:3000", "http://[fd00::7]:3000"],
  [undefined, "null", '"] evil', "http://127.0.0.1:3000"],
  [undefined, "", "", "http://127.0.0.1:3000"],
])(
  "the main port of the site %s, asked from %j at %j, is at %s",
  (publicUrl, pageOrigin, hostHeader, origin) => {
    expect(pageUrl({ publicUrl, localUrl }, pageOrigin, hostHeader).origin).toBe(origin);
  },
);
