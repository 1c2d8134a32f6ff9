/** What the console shows of metrics and traces: where they go, how many there are, and no secret. */
import { isIPv6 } from "node:net";
import { getTelemetry, type TelemetryState } from "@tollgate/contract/telemetry.ts";
import { type ApiRoute, apiRoute } from "../http/api-route.ts";
import type { CallTracing } from "./call-tracing.ts";
import type { GatewayMetrics } from "./gateway-metrics.ts";
import { metricsPath } from "./metrics-endpoint.ts";
import type { SpanEnd } from "./span-exporter.ts";

export interface ServedMetrics {
  /** Of the gateway, without a path; undefined where several processes share the port, which shows no metrics then. */
  mainOrigin: string | undefined;
  /** Whether METRICS_TOKEN is set. */
  hasToken: boolean;
  /** METRICS_HOST and METRICS_PORT. */
  listener: { host: string; port: number } | undefined;
}

export interface TelemetrySource {
  served: ServedMetrics;
  metrics: Pick<GatewayMetrics, "registry" | "spans">;
  seriesMax: number;
  traces: { collector: URL; tracing: Pick<CallTracing, "lastFailure"> } | undefined;
}

export const telemetryRoutes = (source: TelemetrySource): ApiRoute[] => [
  apiRoute(getTelemetry, () => telemetryStateOf(source)),
];

export function telemetryStateOf({ served, metrics, seriesMax, traces }: TelemetrySource): TelemetryState {
  // Before the series are counted: asking for a count makes its series.
  const spans = (end: SpanEnd): number => metrics.spans.child(end).value;
  const sending = traces && {
    collector: traces.collector.origin,
    sent: spans("sent"),
    rejected: spans("rejected"),
    lost: spans("lost"),
    dropped: spans("dropped"),
    last_failure: traces.tracing.lastFailure() ?? null,
  };
  const { seriesCount, droppedCount } = metrics.registry;
  return {
    metrics: {
      served: addressesOf(served),
      series: seriesCount,
      series_max: seriesMax,
      dropped: droppedCount,
      scrape_configuration: scrapeConfiguration(served),
    },
    traces: sending ?? null,
  };
}

function addressesOf({ listener, mainOrigin, hasToken }: ServedMetrics): TelemetryState["metrics"]["served"] {
  const served: TelemetryState["metrics"]["served"] = [];
  if (listener) served.push({ url: `http://${targetOf(listener)}${metricsPath}`, guard: "network" });
  if (mainOrigin !== undefined) served.push({ url: mainOrigin + metricsPath, guard: hasToken ? "token" : "key" });
  return served;
}

/** The listener, which needs no secret, where there is one. */
export function scrapeConfiguration({ listener, mainOrigin, hasToken }: ServedMetrics): string | null {
  if (listener) return yaml([`static_configs: [{ targets: ["${targetOf(listener)}"] }]`]);
  if (mainOrigin === undefined) return null;
  const { protocol, host } = new URL(mainOrigin);
  const key = "a management key with the scope metrics:read";
  return yaml([
    `scheme: ${protocol.slice(0, -1)}`,
    `# The file holds ${hasToken ? `METRICS_TOKEN or ${key}` : key}.`,
    "authorization: { credentials_file: /etc/prometheus/tollgate-token }",
    `static_configs: [{ targets: ["${host}"] }]`,
  ]);
}

const yaml = (lines: string[]): string =>
  ["scrape_configs:", "  - job_name: tollgate", ...lines.map((line) => `    ${line}`), ""].join("\n");

const targetOf = ({ host, port }: { host: string; port: number }): string =>
  `${isIPv6(host) ? `[${host}]` : host}:${port}`;
