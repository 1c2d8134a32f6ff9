/**
 * Every metric of the gateway. Names and labels are a contract: docs/metrics.md is written from
 * this list.
 */
import type { BudgetSubject } from "@tollgate/contract/accounts/budget-kinds.ts";
import { defineGenAiMetrics, genAiLabelMeanings } from "./gen-ai-metrics.ts";
import { createMetricRegistry, type MetricLabel } from "./metric-registry.ts";
import { defineNodeMetrics } from "./node-metrics.ts";

export const metricLabelChoices = ["group", "token"] as const;
/** A label that operators may add to calls, tokens and charges. */
export type MetricLabelChoice = (typeof metricLabelChoices)[number];

/** `labelMeanings` are what each label holds, for docs/metrics.md. */
export const labelMeanings: Readonly<Record<string, string>> = {
  entry:
    "the endpoint of the client API, such as `chat_completions`; `other` for a call that the sweeper ended",
  model:
    "the name that the client asked for, where an enabled channel or a virtual model serves it, otherwise `other`",
  channel: "the number of the channel; `tollgate_channel_info` has its name",
  outcome:
    "`success`, `failed`, `client_left`, `cut`, `quota_ran_out` or `interrupted` (ARCHITECTURE.md, Money)",
  stream: "`true` or `false`",
  reason: "the code of the error that the client got, or the kind of refusal where it has no code",
  bucket:
    "what the price counts: `input`, `cache_read`, `cache_write_5m`, `cache_write_1h`, `output` and so on",
  group: "the group of the user",
  token: "the number of the API key",
  result:
    "of attempts: `ok`, `4xx` (without 429), `429`, `5xx`, `connect` (no usable answer), `timeout`, `cut`, or `stopped`: the client left or the quota ran out; of spans: `sent`, `rejected` by the collector, `lost` (it did not answer three times), or `dropped` for want of room; of contents: `kept`, `lost` (the place did not answer), or `dropped` for want of room; of notices: `sent`, `retried` after a failure, or `failed` for good",
  end: "`settled` with what was recorded as delivered, or `released`",
  budget: "the number of the budget",
  verb: "`read`, `write`, or a command on money such as `hold` and `settle`",
  kind: "of errors: `unavailable`, the database could not run it, or `bug`, an unexpected error; of notices: what the destination is, such as `mail` or `webhook`; of collections: `minor`, `incremental`, `major` or `weakcb`",
  source:
    "`replica`; `lagging` or `failed`: the standby was behind or failed, and the primary answered",
  state:
    "`active`, `idle` or `waiting`; on SQLite, which has no connections, commands at its threads",
  route:
    "the address in the OpenAPI document, with the names of its parameters; empty for an unknown one",
  status: "`2xx`, `4xx` or `5xx`",
  quantile: "`0.5` or `0.99`, of the last 15 seconds",
  name: "the name of the channel",
  type: "the type of the channel",
  version: "the version of the gateway",
  node_version: "the version of Node.js",
  dialect: "`sqlite` or `postgres`",
  ...genAiLabelMeanings,
};

/**
 * `watchedBudgets` says whose budgets have series: those of users and keys are as many as these.
 */
export const watchedBudgets = ["site", "model", "tag"] as const satisfies readonly BudgetSubject[];

const openLabels = new Set(["model", "channel", "group", "token", "name", "budget"]);
const labelled = (...names: string[]): MetricLabel[] =>
  names.map((name) => ({ name, isOpen: openLabels.has(name) }));

const msPerSecond = 1_000;
const usPerSecond = 1_000_000;
/** The quota unit of ARCHITECTURE.md. */
const unitsPerDollar = 500_000;
const microsPerDollar = 1_000_000;
const nanosPerDollar = 1_000_000_000;

const callBoundsMs = [
  100, 250, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 40_000, 80_000, 160_000, 320_000,
];
const firstContentBoundsMs = [
  50, 100, 250, 500, 1_000, 2_000, 4_000, 8_000, 15_000, 30_000, 45_000, 60_000,
];
const overheadBoundsUs = [
  500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 1_000_000,
];
const storageBoundsUs = [
  250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 500_000, 2_000_000, 10_000_000,
];

export type GatewayMetrics = ReturnType<typeof createGatewayMetrics>;

export const defaultSeriesMax = 10_000;

export function createGatewayMetrics(
  seriesMax: number = defaultSeriesMax,
  added: readonly MetricLabelChoice[] = [],
) {
  const registry = createMetricRegistry(seriesMax);
  const { counter, histogram, gauge, summary, sampledCounter } = registry;
  /** `more` without those that the metric has anyway. */
  const withAdded = (...names: string[]) =>
    labelled(...names, ...added.filter((label) => !names.includes(label)));

  const metrics = {
    registry,
    /** The labels that operators added to calls, tokens and charges, in their order. */
    addedLabels: added,

    calls: counter({
      name: "tollgate_calls_total",
      help: "Calls of models that have ended and are settled, one for each row of the log.",
      labels: withAdded("entry", "model", "channel", "outcome", "stream"),
    }),
    refused: counter({
      name: "tollgate_refused_total",
      help: "Calls of models that were refused before anything was held or sent to a provider.",
      labels: labelled("entry", "reason"),
    }),
    callsInFlight: gauge({
      name: "tollgate_calls_in_flight",
      help: "Calls of models over HTTP that are running.",
      labels: labelled("entry"),
    }),
    realtimeOpen: gauge({
      name: "tollgate_realtime_open",
      help: "Realtime sessions that are open.",
      labels: labelled("entry"),
    }),
    callDuration: histogram({
      name: "tollgate_call_duration_seconds",
      help: "Time from the arrival of a call to the end of its response.",
      labels: labelled("entry", "model"),
      bounds: callBoundsMs,
      perUnit: msPerSecond,
    }),
    firstContent: histogram({
      name: "tollgate_first_content_seconds",
      help: "Time from the arrival of a call to the first content of the provider, where there was content.",
      labels: labelled("model", "channel"),
      bounds: firstContentBoundsMs,
      perUnit: msPerSecond,
    }),
    overhead: histogram({
      name: "tollgate_overhead_seconds",
      help: "Time from the arrival of a call to its first attempt at a provider: reading, authentication, routing and hold.",
      labels: labelled("entry"),
      bounds: overheadBoundsUs,
      perUnit: usPerSecond,
    }),
    tokens: counter({
      name: "tollgate_tokens_total",
      help: "Tokens, or items such as images and seconds, that calls were charged for.",
      labels: withAdded("model", "channel", "bucket"),
    }),
    charged: counter({
      name: "tollgate_charged_dollars_total",
      help: "What calls were charged.",
      labels: withAdded("model", "group"),
      perUnit: unitsPerDollar,
    }),
    shortfall: sampledCounter({
      name: "tollgate_shortfall_dollars_total",
      help: "What calls cost beyond hold, balance and permitted debt: the operator's loss. Of the whole site.",
      labels: [],
      perUnit: unitsPerDollar,
      isOfSite: true,
    }),
    cost: counter({
      name: "tollgate_cost_dollars_total",
      help: "What calls cost at the provider, by the buying prices of channels that state them.",
      labels: labelled("channel"),
      perUnit: nanosPerDollar,
    }),
    genAi: defineGenAiMetrics(registry),
    attempts: counter({
      name: "tollgate_attempts_total",
      help: "Attempts of calls at channels.",
      labels: labelled("channel", "result"),
    }),
    attemptDuration: histogram({
      name: "tollgate_attempt_duration_seconds",
      help: "Time from the start of an attempt to its failure, or to the end of the response.",
      labels: labelled("channel"),
      bounds: callBoundsMs,
      perUnit: msPerSecond,
    }),
    channelInfo: gauge({
      name: "tollgate_channel_info",
      help: "1 for each channel: joins its number with its name and type.",
      labels: labelled("channel", "name", "type"),
    }),
    channelStatus: gauge({
      name: "tollgate_channel_status",
      help: "1 enabled, 2 disabled by an administrator, 3 disabled automatically.",
      labels: labelled("channel"),
      isOfSite: true,
    }),
    channelBreakersOpen: gauge({
      name: "tollgate_channel_breakers_open",
      help: "Models for which the channel is suspended on this node.",
      labels: labelled("channel"),
    }),
    channelKeysResting: gauge({
      name: "tollgate_channel_keys_resting",
      help: "Keys of the channel that are passed over for a while on this node.",
      labels: labelled("channel"),
    }),
    channelBalance: gauge({
      name: "tollgate_channel_balance_dollars",
      help: "Balance at the provider, where it was read.",
      labels: labelled("channel"),
      perUnit: microsPerDollar,
      isOfSite: true,
    }),
    holdsOpen: gauge({
      name: "tollgate_holds_open",
      help: "Open holds of the whole site. Short calls of a busy key may share one.",
      labels: [],
      isOfSite: true,
    }),
    settleDuration: histogram({
      name: "tollgate_settle_duration_seconds",
      help: "Time until the database has stored a settlement, retries included.",
      labels: [],
      bounds: storageBoundsUs,
      perUnit: usPerSecond,
    }),
    settleRetries: counter({
      name: "tollgate_settle_retries_total",
      help: "Settlements and releases that the database did not take, and that are tried again.",
      labels: [],
    }),
    swept: counter({
      name: "tollgate_swept_total",
      help: "Holds without a living owner that the sweeper of this node has ended.",
      labels: labelled("end"),
    }),
    budgetUsed: gauge({
      name: "tollgate_budget_used_ratio",
      help: "Spent and held in the current window of a budget of the site, a model or a tag, of its amount; of 200 budgets at most.",
      labels: labelled("budget"),
      isOfSite: true,
    }),
    budgetRefused: counter({
      name: "tollgate_budget_refused_total",
      help: "Calls that a budget of the site, a model or a tag refused.",
      labels: labelled("budget"),
    }),
    databaseDuration: histogram({
      name: "tollgate_db_duration_seconds",
      help: "Time from a statement or command to its result, waiting included.",
      labels: labelled("verb"),
      bounds: storageBoundsUs,
      perUnit: usPerSecond,
    }),
    databaseErrors: counter({
      name: "tollgate_db_errors_total",
      help: "Statements and commands that failed. A lost race for a row is none.",
      labels: labelled("kind"),
    }),
    databaseConnections: gauge({
      name: "tollgate_db_connections",
      help: "Connections to PostgreSQL, and statements that wait for one.",
      labels: labelled("state"),
    }),
    figuresRead: counter({
      name: "tollgate_db_replica_reads_total",
      help: "Statements of lists, charts and exports, by who answered them. With DATABASE_READ_URL.",
      labels: labelled("source"),
    }),
    replicaLag: gauge({
      name: "tollgate_db_replica_lag_seconds",
      help: "How long ago the standby had all that the primary had; missing where that is not known. With DATABASE_READ_URL.",
      labels: [],
    }),
    rollupQueueRows: gauge({
      name: "tollgate_rollup_queue_rows",
      help: "Settled calls that the sums of the dashboard do not contain yet. On PostgreSQL.",
      labels: [],
      isOfSite: true,
    }),
    sqliteWalBytes: gauge({
      name: "tollgate_sqlite_wal_bytes",
      help: "Size of SQLite's write-ahead log.",
      labels: [],
    }),
    diskFreeBytes: gauge({
      name: "tollgate_disk_free_bytes",
      help: "Free space where DATA_DIR is. On SQLite.",
      labels: [],
    }),
    httpRequests: counter({
      name: "tollgate_http_requests_total",
      help: "Calls of the management API.",
      labels: labelled("route", "status"),
    }),
    proxySignInsRefused: counter({
      name: "tollgate_proxy_sign_ins_refused_total",
      help: "Requests that name a user in TRUSTED_SIGN_IN_HEADER and were not believed. With that header.",
      labels: labelled("reason"),
    }),
    spans: counter({
      name: "tollgate_spans_total",
      help: "Spans of calls by what became of them. With a collector (docs/traces.md).",
      labels: labelled("result"),
    }),
    callBodies: counter({
      name: "tollgate_call_bodies_total",
      help: "Contents of calls that were to be kept, by what became of them. With CALL_BODIES.",
      labels: labelled("result"),
    }),
    traceParentsInvalid: counter({
      name: "tollgate_trace_parents_invalid_total",
      help: "Calls whose header `traceparent` was not valid, so that a new trace began. With a collector.",
      labels: [],
    }),
    notices: counter({
      name: "tollgate_notices_total",
      help: "Tries to deliver notices of alerts, by what became of them.",
      labels: labelled("kind", "result"),
    }),
    noticesWaiting: gauge({
      name: "tollgate_notices_waiting",
      help: "Notices of alerts that are to be delivered. Of the whole site.",
      labels: labelled("kind"),
    }),
    redisUp: gauge({
      name: "tollgate_redis_up",
      help: "1 while this node counts limits in Redis, 0 while it counts alone. With REDIS_URL.",
      labels: [],
    }),
    eventLoopDelay: summary({
      name: "tollgate_event_loop_delay_seconds",
      help: "How late the event loop of this process runs what is due.",
      labels: labelled("quantile"),
      perUnit: usPerSecond,
    }),
    bodyRoomBytes: gauge({
      name: "tollgate_body_room_bytes",
      help: "Memory that is left for large request bodies; a call without room is refused.",
      labels: [],
    }),
    series: gauge({
      name: "tollgate_metric_series",
      help: "Series of counters and histograms, of which METRICS_SERIES_MAX bounds the number.",
      labels: [],
    }),
    seriesDropped: sampledCounter({
      name: "tollgate_metric_series_dropped_total",
      help: "Times that a label value had no series of its own and was counted as `other`, or a sample was left out.",
      labels: [],
    }),
    siteGaugesAge: gauge({
      name: "tollgate_site_gauges_age_seconds",
      help: "Age of the values that are read from the database and the disk every 15 seconds.",
      labels: [],
      perUnit: msPerSecond,
    }),
    buildInfo: gauge({
      name: "tollgate_build_info",
      help: "1, with what is running.",
      labels: labelled("version", "node_version", "dialect"),
    }),
    cpuSeconds: sampledCounter({
      name: "process_cpu_seconds_total",
      help: "User and system time of this process.",
      labels: [],
      perUnit: usPerSecond,
    }),
    residentBytes: gauge({
      name: "process_resident_memory_bytes",
      help: "Resident memory of this process.",
      labels: [],
    }),
    virtualBytes: gauge({
      name: "process_virtual_memory_bytes",
      help: "Address space of this process. On Linux.",
      labels: [],
    }),
    openDescriptors: gauge({
      name: "process_open_fds",
      help: "Open file descriptors of this process. On Linux.",
      labels: [],
    }),
    maxDescriptors: gauge({
      name: "process_max_fds",
      help: "How many file descriptors this process may have open. On Linux.",
      labels: [],
    }),
    startTime: gauge({
      name: "process_start_time_seconds",
      help: "When this process started, in seconds since 1970.",
      labels: [],
      perUnit: msPerSecond,
    }),
    node: defineNodeMetrics(registry),
  };
  metrics.series.readFrom(() => [[[], registry.seriesCount]]);
  metrics.seriesDropped.readFrom(() => [[[], registry.droppedCount]]);
  return metrics;
}
