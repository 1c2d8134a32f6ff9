/** What the console shows of metrics and traces: where they go, how many there are, and no secret. */
import { isIPv6 } from "node:net";
import { getTelemetry, type TelemetryState } from "@tollgate/contract/telemetry.ts";
import type { Config } from "../config.ts";
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
  /** METRICS_HOST, and METRICS_PORT with a port for each further process. */
  listener: { host: string; ports: readonly number[] } | undefined;
  /** Of the address that the operator has configured for browsers. */
  publicHost: string | undefined;
}

/** `processCount` share the main port, and each has a port of its own for metrics. */
export const metricsListener = (
  { metricsHost: host, metricsPort }: Pick<Config, "metricsHost" | "metricsPort">,
  processCount: number,
): ServedMetrics["listener"] =>
  metricsPort === undefined
    ? undefined
    : { host, ports: Array.from({ length: processCount }, (_, number) => metricsPort + number) };

export interface TelemetrySource {
  served: ServedMetrics;
  metrics: Pick<GatewayMetrics, "registry" | "spans">;
  seriesMax: number;
  traces: { collector: URL; tracing: Pick<CallTracing, "lastFailure"> } | undefined;
}

export const telemetryRoutes = (source: TelemetrySource): ApiRoute[] => [
  apiRoute(getTelemetry, ({ headers }) => telemetryStateOf(source, headers.get("host") ?? "")),
];

/** `hostHeader` is that of the request. */
export function telemetryStateOf(
  { served, metrics, seriesMax, traces }: TelemetrySource,
  hostHeader: string,
): TelemetryState {
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
  const targets = targetsOf(served, hostHeader);
  return {
    metrics: {
      served: addressesOf(served, targets),
      series: seriesCount,
      series_max: seriesMax,
      dropped: droppedCount,
      scrape_configuration: scrapeConfiguration(served, targets),
    },
    traces: sending ?? null,
  };
}

/** Where a scrape finds the listener. One that listens at every address is shown at that of the page, which is reached from elsewhere. */
export function targetsOf({ listener, publicHost }: ServedMetrics, hostHeader: string): string[] {
  if (!listener) return [];
  const host = everyAddress.has(listener.host) ? (publicHost ?? hostnameIn(hostHeader)) : listener.host;
  return listener.ports.map((port) => `${isIPv6(host) ? `[${host}]` : host}:${port}`);
}

const everyAddress: ReadonlySet<string> = new Set(["", "0.0.0.0", "::"]);

const hostnameIn = (hostHeader: string): string => URL.parse(`http://${hostHeader}`)?.hostname || "127.0.0.1";

const addressesOf = (
  { mainOrigin, hasToken }: ServedMetrics,
  targets: readonly string[],
): TelemetryState["metrics"]["served"] => [
  ...targets.map((target) => ({ url: `http://${target}${metricsPath}`, guard: "network" as const })),
  ...(mainOrigin === undefined
    ? []
    : [{ url: mainOrigin + metricsPath, guard: hasToken ? ("token" as const) : ("key" as const) }]),
];

/** The listener, which needs no secret, where there is one. Each process counts for itself, and is a target. */
export function scrapeConfiguration(
  { mainOrigin, hasToken }: Pick<ServedMetrics, "mainOrigin" | "hasToken">,
  targets: readonly string[],
): string | null {
  if (targets.length > 0)
    return yaml([`static_configs: [{ targets: [${targets.map((target) => `"${target}"`).join(", ")}] }]`]);
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
