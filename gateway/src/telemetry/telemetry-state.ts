/**
 * The state of metrics and traces that the console shows: where they go, how many there are, and no
 * secret.
 */
import { isIPv6 } from "node:net";
import { getTelemetry, type TelemetryState } from "@tollgate/contract/site/telemetry.ts";
import type { Config } from "../config/config.ts";
import { type ApiRoute, apiRoute } from "../http/api-route.ts";
import { readBasePath } from "../http/base-path.ts";
import type { CallTracing } from "./call-tracing.ts";
import type { GatewayMetrics } from "./gateway-metrics.ts";
import { metricsPath } from "./metrics-endpoint.ts";
import type { SpanEnd } from "./span-exporter.ts";

export interface ServedMetrics {
  /** The address that the operator has configured for browsers. */
  publicUrl: URL | undefined;
  /** The gateway's own, for a page whose address is not known. */
  localUrl: URL;
  /**
   * `sharesPort` says whether several processes share the main port, which shows no metrics then.
   */
  sharesPort: boolean;
  /** `hasToken` says whether METRICS_TOKEN is set. */
  hasToken(): boolean;
  /** METRICS_HOST, and METRICS_PORT with a port for each further process. */
  listener: { host: string; ports: readonly number[] } | undefined;
}

/** `processCount` share the main port, and each has a port of its own for metrics. */
export const buildMetricsListener = (
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

export const buildTelemetryRoutes = (source: TelemetrySource): ApiRoute[] => [
  apiRoute(getTelemetry, ({ query: { page_origin }, headers }) =>
    buildTelemetryState(source, pageUrl(source.served, page_origin, headers.get("host") ?? "")),
  ),
];

/**
 * `pageUrl` says where browsers find the console: as configured, as the browser says, or as the
 * request does.
 */
export const pageUrl = (
  { publicUrl, localUrl }: Pick<ServedMetrics, "publicUrl" | "localUrl">,
  pageOrigin: string | undefined,
  hostHeader: string,
): URL =>
  publicUrl ?? composeWebUrl(pageOrigin ?? "") ?? composeWebUrl(`http://${hostHeader}`) ?? localUrl;

function composeWebUrl(text: string): URL | undefined {
  const url = URL.parse(text);
  return url && /^https?:$/.test(url.protocol) ? url : undefined;
}

export function buildTelemetryState(
  { served, metrics, seriesMax, traces }: TelemetrySource,
  page: URL,
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
  const targets = listTargets(served, page.hostname);
  const mainUrl = served.sharesPort ? undefined : page;
  const mainGuard = served.hasToken() ? "token" : "key";
  return {
    metrics: {
      served: [
        ...targets.map((target) => ({
          url: `http://${target}${metricsPath}`,
          guard: "network" as const,
        })),
        ...(mainUrl
          ? [
              {
                url: mainUrl.origin + readBasePath(mainUrl) + metricsPath,
                guard: mainGuard,
              } as const,
            ]
          : []),
      ],
      series: seriesCount,
      series_max: seriesMax,
      dropped: droppedCount,
      scrape_configuration: scrapeConfiguration(targets, mainUrl, served.hasToken()),
    },
    traces: sending ?? null,
  };
}

/**
 * `listTargets` says where a scrape finds the listener. One that listens at every address is shown
 * at that of the page, which is reached from elsewhere.
 */
export function listTargets(
  { listener }: Pick<ServedMetrics, "listener">,
  pageHost: string,
): string[] {
  if (!listener) return [];
  const host = everyAddress.has(listener.host) ? pageHost : listener.host;
  return listener.ports.map((port) => `${isIPv6(host) ? `[${host}]` : host}:${port}`);
}

const everyAddress: ReadonlySet<string> = new Set(["", "0.0.0.0", "::"]);

/**
 * The listener, which needs no secret, where there is one. Each process counts for itself, and is a
 * target.
 */
export function scrapeConfiguration(
  targets: readonly string[],
  mainUrl: URL | undefined,
  hasToken: boolean,
): string | null {
  if (targets.length > 0)
    return writeYaml([
      `static_configs: [{ targets: [${targets.map((target) => `"${target}"`).join(", ")}] }]`,
    ]);
  if (!mainUrl) return null;
  const { protocol, host } = mainUrl;
  const basePath = readBasePath(mainUrl);
  const key = "a management key with the scope metrics:read";
  return writeYaml([
    `scheme: ${protocol.slice(0, -1)}`,
    ...(basePath === "" ? [] : [`metrics_path: ${basePath}${metricsPath}`]),
    `# The file holds ${hasToken ? `METRICS_TOKEN or ${key}` : key}.`,
    "authorization: { credentials_file: /etc/prometheus/tollgate-token }",
    `static_configs: [{ targets: ["${host}"] }]`,
  ]);
}

const writeYaml = (lines: string[]): string =>
  ["scrape_configs:", "  - job_name: tollgate", ...lines.map((line) => `    ${line}`), ""].join(
    "\n",
  );
