import { readPrometheusText } from "@tollgate/tests/support/prometheus-text.ts";
import { expect, test } from "vitest";
import { noUsage } from "../money/prices/price.ts";
import { type CallMeasures, type CountedLog, createCallMetrics } from "./call-metrics.ts";
import { createGatewayMetrics, type MetricLabelChoice } from "./gateway-metrics.ts";
import { formatMetricText } from "./metric-text.ts";

function given({
  added = [],
  seriesMax = 10_000,
  findType,
}: {
  added?: MetricLabelChoice[];
  seriesMax?: number;
  findType?: (channelId: number) => number | undefined;
} = {}) {
  const metrics = createGatewayMetrics(seriesMax, added);
  const calls = createCallMetrics(metrics, (model) => model.startsWith("served"), findType);
  return {
    metrics,
    calls,
    read: async () => readPrometheusText(await formatMetricText(metrics.registry.families, "text")),
  };
}

const log = (more: Partial<CountedLog> = {}): CountedLog => ({
  origin_model_name: "served",
  channel_id: 7,
  token_id: 5,
  outcome: "success",
  is_stream: 0,
  elapsed_ms: 1_500,
  ttft_ms: 300,
  quota: 250_000,
  cost_nanos: null,
  ...more,
});
const measures = (more: Partial<CallMeasures> = {}): CallMeasures => ({
  entry: "chat_completions",
  group: "default",
  usage: { ...noUsage, input: 10, output: 3 },
  attempts: [
    { channelId: 6, result: "429", elapsedMs: 20 },
    { channelId: 7, result: "ok", elapsedMs: 1_400 },
  ],
  overheadMs: 2,
  ...more,
});

test("a settled call is in every metric of calls, in the units of their names", async () => {
  const { calls, read } = given();
  calls.settled(log({ cost_nanos: 400_000_000 }), measures());
  calls.settled(
    log({ is_stream: 1, outcome: "cut", ttft_ms: 0 }),
    measures({ overheadMs: 0, attempts: [] }),
  );
  const { sum } = await read();
  const ofCall = { entry: "chat_completions", model: "served", channel: "7" };
  expect(sum("tollgate_calls_total", { ...ofCall, outcome: "success", stream: "false" })).toBe(1);
  expect(sum("tollgate_calls_total", { ...ofCall, outcome: "cut", stream: "true" })).toBe(1);
  expect(sum("tollgate_call_duration_seconds_sum")).toBe(3);
  expect(sum("tollgate_call_duration_seconds_bucket", { le: "1" })).toBe(0);
  expect(sum("tollgate_call_duration_seconds_bucket", { le: "2" })).toBe(2);
  expect(sum("tollgate_first_content_seconds_count")).toBe(1);
  expect(sum("tollgate_overhead_seconds_sum")).toBe(0.002);
  expect(sum("tollgate_tokens_total", { bucket: "input" })).toBe(20);
  expect(sum("tollgate_tokens_total", { bucket: "output" })).toBe(6);
  expect(sum("tollgate_charged_dollars_total", { model: "served", group: "default" })).toBe(1);
  expect(sum("tollgate_cost_dollars_total", { channel: "7" })).toBe(0.4);
  expect(sum("tollgate_attempts_total", { channel: "6", result: "429" })).toBe(1);
  expect(sum("tollgate_attempts_total", { channel: "7", result: "ok" })).toBe(1);
});

test("by OpenTelemetry's names a call is counted where that was asked for, and a provider was", async () => {
  const { calls, read } = given({ findType: (id) => (id === 7 ? 1 : undefined) });
  const usage = { ...noUsage, input: 10, cache_read: 5, output: 3 };
  calls.settled(log({ is_stream: 1 }), measures({ usage }));
  calls.settled(log({ outcome: "failed" }), measures({ usage: noUsage }));
  calls.settled(log({ origin_model_name: "invented" }), measures({ usage }));
  calls.settled(log({ channel_id: 0 }), measures());
  const { sum } = await read();
  const asked = {
    gen_ai_operation_name: "chat",
    gen_ai_provider_name: "openai",
    gen_ai_request_model: "served",
  };
  const duration = "gen_ai_client_operation_duration_seconds";
  expect(sum(`${duration}_count`)).toBe(3);
  expect(sum(`${duration}_count`, { ...asked, error_type: "failed" })).toBe(1);
  expect(sum(`${duration}_bucket`, { ...asked, error_type: "failed", le: "1.28" })).toBe(0);
  expect(sum(`${duration}_bucket`, { ...asked, error_type: "failed", le: "2.56" })).toBe(1);
  expect(sum("gen_ai_client_operation_time_to_first_chunk_seconds_sum", asked)).toBe(0.3);
  const tokens = (gen_ai_token_type: string) =>
    sum("gen_ai_client_token_usage_sum", { ...asked, gen_ai_token_type });
  expect([tokens("input"), tokens("output")]).toEqual([15, 3]);
  expect(
    sum("gen_ai_client_token_usage_bucket", { ...asked, gen_ai_token_type: "input", le: "4" }),
  ).toBe(0);
  expect(
    sum("gen_ai_client_token_usage_bucket", { ...asked, gen_ai_token_type: "input", le: "16" }),
  ).toBe(1);
  expect(sum("gen_ai_client_token_usage_sum", { gen_ai_request_model: "other" })).toBe(18);
});

test("without being asked, nothing is counted by other names", async () => {
  const { calls, read } = given();
  calls.settled(log({ is_stream: 1 }), measures());
  const { samples } = await read();
  expect(samples.filter(({ name }) => name.startsWith("gen_ai_"))).toEqual([]);
});

test("whatever the names of served models hold, each is one bounded series that is read back", async () => {
  const { calls, read, metrics } = given();
  const nonUtf8 = Buffer.from([0x73, 0xff, 0xfe, 0xc3, 0x28]).toString("utf8");
  const hostile = [
    'a"} 1',
    "line\nbreak\r",
    "back\\slash\\n",
    '{a="b"}',
    "\u2028\u0000",
    nonUtf8,
    "",
    "x".repeat(10_000),
  ];
  for (const end of hostile) calls.settled(log({ origin_model_name: `served ${end}` }), measures());
  // Alike once they are written.
  calls.settled(log({ origin_model_name: `served ${"x".repeat(20_000)}` }), measures());
  for (const lone of ["\ud800", "\udfff"])
    calls.settled(log({ origin_model_name: `served ${lone}` }), measures());
  const { samples, sum } = await read();
  const counted = samples
    .filter(({ name }) => name === "tollgate_calls_total")
    .map(({ labels }) => labels.model);
  expect(new Set(counted).size).toBe(counted.length);
  expect(new Set(counted)).toEqual(
    new Set([
      ...hostile.slice(0, -1).map((end) => `served ${end}`),
      `served ${"x".repeat(192)}…`,
      "served \ufffd",
    ]),
  );
  expect(sum("tollgate_calls_total")).toBe(hostile.length + 3);
  const text = await formatMetricText(metrics.registry.families, "openmetrics");
  expect(Math.max(...text.split("\n").map(({ length }) => length))).toBeLessThan(1_000);
});

test("a name that no enabled channel serves is counted as other, and names no series", async () => {
  const { calls, read } = given();
  for (let at = 0; at < 50; at += 1)
    calls.settled(log({ origin_model_name: `invented ${at}` }), measures());
  const { samples, sum } = await read();
  expect(sum("tollgate_calls_total", { model: "other" })).toBe(50);
  expect(new Set(samples.flatMap(({ labels }) => labels.model ?? []))).toEqual(new Set(["other"]));
});

test.each<[MetricLabelChoice[], string[]]>([
  [[], []],
  [["token"], ["token"]],
  [
    ["group", "token"],
    ["group", "token"],
  ],
])(
  "with METRICS_LABELS %j, calls and tokens have these labels besides: %j",
  async (added, names) => {
    const { calls, read } = given({ added });
    calls.settled(log(), measures());
    calls.settled(log({ token_id: 6 }), measures());
    const { samples } = await read();
    const labelsOf = (name: string) =>
      Object.keys(samples.find((one) => one.name === name)?.labels ?? {});
    const own = ["entry", "model", "channel", "outcome", "stream"];
    expect(labelsOf("tollgate_calls_total")).toEqual([...own, ...names]);
    expect(labelsOf("tollgate_tokens_total")).toEqual(["model", "channel", "bucket", ...names]);
    expect(labelsOf("tollgate_charged_dollars_total")).toEqual([
      "model",
      "group",
      ...names.filter((name) => name !== "group"),
    ]);
    const tokens = samples
      .filter(({ name }) => name === "tollgate_calls_total")
      .map(({ labels }) => labels.token);
    expect(tokens).toEqual(names.includes("token") ? ["5", "6"] : [undefined]);
  },
);

test("calls after their channel was forgotten begin new series", async () => {
  const { metrics, calls, read } = given();
  calls.settled(log(), measures());
  metrics.registry.forget("channel", "7");
  expect((await read()).sum("tollgate_calls_total")).toBe(0);
  calls.settled(log(), measures());
  expect((await read()).sum("tollgate_calls_total", { channel: "7" })).toBe(1);
});

test("what the sweeper settles is an interrupted call, and what it releases is none", async () => {
  const { calls, read } = given();
  calls.swept({ log: log({ outcome: "interrupted" }), usage: { ...noUsage, output: 4 } });
  calls.swept(undefined);
  const { sum } = await read();
  expect(sum("tollgate_swept_total", { end: "settled" })).toBe(1);
  expect(sum("tollgate_swept_total", { end: "released" })).toBe(1);
  expect(sum("tollgate_calls_total", { outcome: "interrupted", entry: "other" })).toBe(1);
  expect(sum("tollgate_calls_total")).toBe(1);
});

test("calls that run are counted by endpoint until they end", async () => {
  const { calls, read } = given();
  calls.began("chat_completions");
  calls.began("chat_completions");
  calls.ended("chat_completions");
  calls.began("realtime", true);
  const { sum } = await read();
  expect(sum("tollgate_calls_in_flight", { entry: "chat_completions" })).toBe(1);
  expect(sum("tollgate_realtime_open")).toBe(1);
});
