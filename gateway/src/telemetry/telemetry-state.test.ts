import { expect, test } from "vitest";
import { createGatewayMetrics } from "./gateway-metrics.ts";
import { metricsListener, scrapeConfiguration, targetsOf, telemetryStateOf } from "./telemetry-state.ts";

const mainOrigin = "https://ai.example.com";
const listener = { host: "127.0.0.1", ports: [9464] };

test("tells the addresses of the metrics with their guards, and what became of spans, without a secret", () => {
  const metrics = createGatewayMetrics();
  metrics.spans.child("sent").add(7);
  metrics.spans.child("dropped").add(2);
  const failure = { at: 5, reason: "the collector refused a batch with status 401: no" };
  const source = {
    served: { mainOrigin, hasToken: true, listener, publicHost: "ai.example.com" },
    metrics,
    seriesMax: 1_000,
    traces: {
      collector: new URL("https://user:canary-a@collector.example.com:4318/canary-b/v1/traces?key=canary-c"),
      tracing: { lastFailure: () => failure },
    },
  };
  const state = telemetryStateOf(source, "ai.example.com");
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
});

test("the scrape configuration reads the listeners where there are some, and a key for the main port otherwise", () => {
  const main = { mainOrigin, hasToken: false };
  expect(scrapeConfiguration(main, ["127.0.0.1:9464", "127.0.0.1:9465"])).toBe(
    'scrape_configs:\n  - job_name: tollgate\n    static_configs: [{ targets: ["127.0.0.1:9464", "127.0.0.1:9465"] }]\n',
  );
  const ofMain = scrapeConfiguration(main, []) ?? "";
  expect(ofMain).toContain("scheme: https\n");
  expect(ofMain).toContain("# The file holds a management key with the scope metrics:read.\n");
  expect(ofMain).toContain('targets: ["ai.example.com"]');
  expect(scrapeConfiguration({ mainOrigin: undefined, hasToken: true }, [])).toBeNull();
});

test("each of several processes has a port for its metrics", () => {
  const config = { metricsHost: "127.0.0.1", metricsPort: 9464 };
  expect(metricsListener(config, 3)).toEqual({ host: "127.0.0.1", ports: [9464, 9465, 9466] });
  expect(metricsListener({ ...config, metricsPort: undefined }, 3)).toBeUndefined();
});

test.each([
  ["127.0.0.1", undefined, "ai.example.com:3000", "127.0.0.1:1"],
  ["::1", undefined, "ai.example.com:3000", "[::1]:1"],
  ["0.0.0.0", undefined, "10.0.0.7:3000", "10.0.0.7:1"],
  ["::", undefined, "[fd00::7]:3000", "[fd00::7]:1"],
  ["0.0.0.0", "ai.example.com", "10.0.0.7:3000", "ai.example.com:1"],
  ["0.0.0.0", undefined, '"] evil', "127.0.0.1:1"],
  ["0.0.0.0", undefined, "", "127.0.0.1:1"],
])("a listener on %j of the site %s, asked at %j, is scraped at %s", (host, publicHost, hostHeader, target) => {
  const served = { mainOrigin, hasToken: false, publicHost, listener: { host, ports: [1, 2] } };
  expect(targetsOf(served, hostHeader)).toEqual([target, target.replace(/1$/, "2")]);
});
