/** The variables of logs, metrics and spans. */
import * as z from "zod/mini";
import { defaultSeriesMax, metricLabelChoices } from "../telemetry/gateway-metrics.ts";
import { defineInteger, list } from "./config-values.ts";

import type { VariableRows } from "./variable-row.ts";

/**
 * `ofTelemetry` is any text, because fleets set these for all their programs:
 * telemetry/otel-settings.ts judges them, and only where spans are sent.
 */
const ofTelemetry = z.optional(z.string());

export const logVariables = {
  LOG_LEVEL: {
    isLive: true,
    meaning:
      "`trace`, `debug`, `info`, `warn`, `error` or `silent`; `npm start` in a terminal shows `warn` and above",
    schema: z._default(z.enum(["trace", "debug", "info", "warn", "error", "silent"]), "info"),
  },
  LOG_CALLS: {
    meaning:
      "`true`: each call of a model also writes a line of level `info` to standard output ([its fields](operations.md#what-is-logged))",
    schema: z._default(z.enum(["true", "false"]), "false"),
  },
  METRICS_PORT: {
    meaning:
      "Port of a listener for `/metrics` alone, without a password ([docs/metrics.md](metrics.md)); with `--processes`, each further process takes the next port",
    schema: z.optional(defineInteger(1, 65_535)),
  },
  METRICS_HOST: {
    meaning: "Address of that listener",
    schema: z._default(z.string(), "127.0.0.1"),
  },
  METRICS_TOKEN: {
    isLive: true,
    isSecret: true,
    meaning:
      "Bearer token that reads `/metrics` on the main port; 16 to 256 characters without spaces",
    schema: z.optional(
      z
        .string()
        .check(z.regex(/^[\x21-\x7e]{16,256}$/, "must be 16 to 256 characters without spaces")),
    ),
  },
  METRICS_LABELS: {
    meaning: "Comma-separated additional labels of calls, tokens and charges: `group`, `token`",
    schema: z._default(
      z.pipe(
        z.pipe(z.string(), z.transform(list)),
        z.array(z.enum(metricLabelChoices, "must be group or token")),
      ),
      [],
    ),
  },
  METRICS_GEN_AI: {
    meaning:
      "`true`: calls are counted by OpenTelemetry's names as well, `gen_ai_client_*` ([docs/metrics.md](metrics.md#names-of-others))",
    schema: z._default(z.enum(["true", "false"]), "false"),
  },
  METRICS_SERIES_MAX: {
    meaning: "Maximum number of series of counters and histograms; the rest is counted as `other`",
    schema: z._default(defineInteger(1_000, 1_000_000), defaultSeriesMax),
  },
} as const satisfies VariableRows;

export const spanVariables = {
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    meaning:
      "The OpenTelemetry collector; spans of calls go to its `/v1/traces` ([docs/traces.md](traces.md)). Without this or the next variable no spans are created and the other `OTEL_` variables are ignored",
    schema: ofTelemetry,
  },
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: {
    meaning: "The full address for spans; overrides the previous one",
    schema: ofTelemetry,
  },
  OTEL_EXPORTER_OTLP_PROTOCOL: {
    meaning:
      "Only `http/json` is spoken. With `http/protobuf` the gateway sends JSON, with `grpc` nothing, and says so in its log",
    schema: ofTelemetry,
    default: "http/json",
  },
  OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: {
    meaning: "The same for traces alone; overrides the general one, as the following do",
    schema: ofTelemetry,
  },
  OTEL_EXPORTER_OTLP_HEADERS: {
    isSecret: true,
    meaning:
      "Headers for the collector, such as `authorization=Bearer%20…`: pairs with commas between them, percent-encoded",
    schema: ofTelemetry,
  },
  OTEL_EXPORTER_OTLP_TRACES_HEADERS: {
    isSecret: true,
    meaning: "The same for traces alone",
    schema: ofTelemetry,
  },
  OTEL_EXPORTER_OTLP_TIMEOUT: {
    meaning: "Milliseconds that the collector may take to answer",
    schema: ofTelemetry,
    default: "10000",
  },
  OTEL_EXPORTER_OTLP_TRACES_TIMEOUT: { meaning: "The same for traces alone", schema: ofTelemetry },
  OTEL_EXPORTER_OTLP_COMPRESSION: {
    meaning: "`gzip` or `none`",
    schema: ofTelemetry,
    default: "none",
  },
  OTEL_EXPORTER_OTLP_TRACES_COMPRESSION: {
    meaning: "The same for traces alone",
    schema: ofTelemetry,
  },
  OTEL_TRACES_EXPORTER: { meaning: "`none`: no spans", schema: ofTelemetry, default: "otlp" },
  OTEL_SERVICE_NAME: {
    meaning: "The name of the service in spans",
    schema: ofTelemetry,
    default: "tollgate",
  },
  OTEL_RESOURCE_ATTRIBUTES: {
    meaning: "Further attributes of the process, as pairs like the headers",
    schema: ofTelemetry,
  },
  OTEL_TRACES_SAMPLER: {
    meaning:
      "Which calls are sent: a share of them, all (`always_on`) or none (`always_off`), each with or without `parentbased_`. The log names what happens with any other value",
    schema: ofTelemetry,
    default: "parentbased_traceidratio",
  },
  OTEL_TRACES_SAMPLER_ARG: {
    meaning:
      "That share, from 0 to 1. Calls that failed or took longer than 30 s are sent in addition, at most 50 a second",
    schema: ofTelemetry,
    default: "0.1",
  },
  OTEL_TRUST_CALLER_SAMPLING: {
    meaning:
      "`true`: with a `parentbased_` sampler, the sampled flag of the client's `traceparent` decides whether its call is sent",
    schema: ofTelemetry,
    default: "false",
  },
  OTEL_SEMCONV_STABILITY_OPT_IN: {
    meaning: "If it includes `gen_ai_latest_experimental`, spans use the newest attribute names",
    schema: ofTelemetry,
  },
  OTEL_SPAN_ACCOUNTS: {
    meaning: "`false`: spans carry numbers instead of the names of user and API key",
    schema: ofTelemetry,
    default: "true",
  },
  OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: {
    meaning: "No effect: contents of calls are never in spans",
    schema: ofTelemetry,
    default: "false",
  },
  OTEL_SDK_DISABLED: {
    meaning: "`true`: no spans, whatever the other variables say",
    schema: ofTelemetry,
    default: "false",
  },
} as const satisfies VariableRows;
