/**
 * The metrics of OpenTelemetry's conventions for generative AI, by the names that Prometheus gives
 * them: beside the gateway's own, for dashboards that are made for every source. They are counted
 * where `METRICS_GEN_AI` asks for them, because their buckets would take half of the series.
 */
import { computeCompletionTokens, promptTokens, type Usage } from "../money/prices/price.ts";
import { formatProviderName, operationNames } from "./gen-ai-names.ts";
import type { Histogram, MetricLabel, MetricRegistry } from "./metric-registry.ts";

export const genAiLabelMeanings: Readonly<Record<string, string>> = {
  gen_ai_operation_name: "`chat`, `embeddings` and so on, as in [docs/traces.md](traces.md)",
  gen_ai_provider_name:
    "who was asked, by the type of the channel, as in [docs/traces.md](traces.md)",
  gen_ai_request_model: "as `model`",
  gen_ai_token_type: "`input`, with what was read from a cache and written to it, or `output`",
  error_type: "the outcome; empty for `success`",
};

const label = (name: string): MetricLabel => ({ name, isOpen: name === "gen_ai_request_model" });
const asked = ["gen_ai_operation_name", "gen_ai_provider_name", "gen_ai_request_model"].map(label);

const msPerSecond = 1_000;
/** The conventions name these bounds, so that sources can be added up. */
const durationBoundsMs = [
  10, 20, 40, 80, 160, 320, 640, 1_280, 2_560, 5_120, 10_240, 20_480, 40_960, 81_920,
];
const tokenBounds = Array.from({ length: 14 }, (_, power) => 4 ** power);

export type GenAiMetrics = ReturnType<typeof defineGenAiMetrics>;

export const defineGenAiMetrics = ({ histogram }: Pick<MetricRegistry, "histogram">) => ({
  duration: histogram({
    name: "gen_ai_client_operation_duration_seconds",
    help: "Time from the arrival of a call to the end of its response. With METRICS_GEN_AI.",
    labels: [...asked, label("error_type")],
    bounds: durationBoundsMs,
    perUnit: msPerSecond,
  }),
  firstChunk: histogram({
    name: "gen_ai_client_operation_time_to_first_chunk_seconds",
    help: "Time to the first content of a stream. With METRICS_GEN_AI.",
    labels: asked,
    bounds: durationBoundsMs,
    perUnit: msPerSecond,
  }),
  tokens: histogram({
    name: "gen_ai_client_token_usage",
    help: "Tokens of a call, of its prompt and of its answer. With METRICS_GEN_AI.",
    labels: [...asked, label("gen_ai_token_type")],
    bounds: tokenBounds,
  }),
});

/** The histograms of calls with one operation, provider and model, as far as calls needed them. */
export interface GenAiSeries {
  labels: readonly [operation: string, provider: string, model: string];
  durations: Map<string, Histogram>;
  firstChunk: Histogram | undefined;
  input: Histogram | undefined;
  output: Histogram | undefined;
}

export const createGenAiSeries = (entry: string, type: number, model: string): GenAiSeries => ({
  labels: [operationNames[entry] ?? entry, formatProviderName(type), model],
  durations: new Map(),
  firstChunk: undefined,
  input: undefined,
  output: undefined,
});

interface EndedOperation {
  outcome: string;
  is_stream: number;
  elapsed_ms: number;
  ttft_ms: number;
}

export function countOperation(
  metrics: GenAiMetrics,
  series: GenAiSeries,
  { outcome, is_stream, elapsed_ms, ttft_ms }: EndedOperation,
  usage: Usage,
): void {
  const { labels, durations } = series;
  let duration = durations.get(outcome);
  if (!duration) {
    duration = metrics.duration.child(...labels, outcome === "success" ? "" : outcome);
    durations.set(outcome, duration);
  }
  duration.observe(elapsed_ms);
  if (is_stream === 1 && ttft_ms > 0) {
    series.firstChunk ??= metrics.firstChunk.child(...labels);
    series.firstChunk.observe(ttft_ms);
  }
  const [input, output] = [promptTokens(usage), computeCompletionTokens(usage)];
  // Nothing was counted: 0 would say that the call used nothing.
  if (input + output === 0) return;
  series.input ??= metrics.tokens.child(...labels, "input");
  series.input.observe(input);
  series.output ??= metrics.tokens.child(...labels, "output");
  series.output.observe(output);
}
