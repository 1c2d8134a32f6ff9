/**
 * The places at which the answering process shows its metrics and to which it sends its spans. The
 * environment decides it.
 */
import * as z from "zod/mini";
import { endpoint } from "../api/endpoint.ts";
import { unixMillis } from "../api/scalars.ts";

/**
 * `metricsGuards` are what guards an address of the metrics: `network` asks for no password,
 * `token` for METRICS_TOKEN or a management key with the scope `metrics:read`, `key` for such a
 * key.
 */
export const metricsGuards = ["network", "token", "key"] as const;
export type MetricsGuard = (typeof metricsGuards)[number];

const count = z.int().check(z.nonnegative());

export const telemetryState = z.object({
  metrics: z.object({
    served: z.array(z.object({ url: z.string(), guard: z.enum(metricsGuards) })),
    /** `series` counts those of counters and histograms now, and the most that there may be. */
    series: count,
    series_max: count,
    /** Times that a label value had no series of its own. */
    dropped: count,
    /** YAML for Prometheus, without a secret; null where nothing is served. */
    scrape_configuration: z.nullable(z.string()),
  }),
  /** Null where no collector is named. Counts are spans since the start. */
  traces: z.nullable(
    z.object({
      /** The collector without path and credentials. */
      collector: z.string(),
      sent: count,
      /** The collector refused them. */
      rejected: count,
      /** The collector did not answer three times. */
      lost: count,
      /** There was no room for them. */
      dropped: count,
      last_failure: z.nullable(z.object({ at: unixMillis, reason: z.string() })),
    }),
  ),
});
export type TelemetryState = z.output<typeof telemetryState>;

export const getTelemetry = endpoint("GET", "/api/option/telemetry", {
  access: "root",
  scope: "options:read",
  summary:
    "Where the process that answers shows its metrics and sends spans, and what became of them",
  /**
   * The address of the console, for the metrics on the main port of a server without PUBLIC_URL.
   */
  query: z.object({ page_origin: z.optional(z.string().check(z.maxLength(300))) }),
  data: telemetryState,
});
