import { expect, test } from "vitest";
import { createGatewayMetrics } from "./gateway-metrics.ts";
import { scrapeConfiguration, telemetryStateOf } from "./telemetry-state.ts";

const mainOrigin = "https://ai.example.com";
const listener = { host: "127.0.0.1", port: 9464 };

test("tells the addresses of the metrics with their guards, and what became of spans, without a secret", () => {
  const metrics = createGatewayMetrics();
  metrics.spans.child("sent").add(7);
  metrics.spans.child("dropped").add(2);
  const failure = { at: 5, reason: "the collector refused a batch with status 401: no" };
  const state = telemetryStateOf({
    served: { mainOrigin, hasToken: true, listener },
    metrics,
    seriesMax: 1_000,
    traces: {
      collector: new URL("https://user:canary-a@collector.example.com:4318/canary-b/v1/traces?key=canary-c"),
      tracing: { lastFailure: () => failure },
    },
  });
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

test("the scrape configuration reads the listener where there is one, and a key for the main port otherwise", () => {
  expect(scrapeConfiguration({ mainOrigin, hasToken: true, listener })).toBe(
    'scrape_configs:\n  - job_name: tollgate\n    static_configs: [{ targets: ["127.0.0.1:9464"] }]\n',
  );
  expect(scrapeConfiguration({ mainOrigin: undefined, hasToken: false, listener: { host: "::1", port: 1 } })).toContain(
    '["[::1]:1"]',
  );
  const ofMain = scrapeConfiguration({ mainOrigin, hasToken: false, listener: undefined }) ?? "";
  expect(ofMain).toContain("scheme: https\n");
  expect(ofMain).toContain("# The file holds a management key with the scope metrics:read.\n");
  expect(ofMain).toContain('targets: ["ai.example.com"]');
  expect(scrapeConfiguration({ mainOrigin: undefined, hasToken: true, listener: undefined })).toBeNull();
});
