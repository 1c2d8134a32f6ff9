import { expect, test } from "vitest";
import { estimatePerformance, summarizePerformance } from "./performance-summary.ts";
import { findTips } from "./tips.ts";
import {
  buildUsageTrend,
  changePercent,
  compareDay,
  computeAverageCost,
  computeThroughput,
  computeTokensPerRequest,
  groupByDay,
  groupByModel,
  listModelEfficiencies,
  sumUsage,
  type UsageRow,
} from "./usage-metrics.ts";

const row = (
  Day: string,
  ModelName: string,
  RequestCount: number,
  Quota: number,
  PromptTokens: number,
  CompletionTokens: number,
): UsageRow => ({
  Day,
  ModelName,
  RequestCount,
  Quota,
  PromptTokens,
  CompletionTokens,
});

// Two days, two models. Day one: 10 + 5 requests; day two: 20 + 10.
const rows = [
  row("2026-11-20", "small", 10, 1_000, 400, 100),
  row("2026-11-20", "large", 5, 9_000, 300, 200),
  row("2026-11-21", "small", 20, 2_000, 800, 200),
  row("2026-11-21", "large", 10, 18_000, 600, 400),
];
const days = ["2026-11-19", "2026-11-20", "2026-11-21"];

test("totals add up every row", () => {
  // 10+5+20+10; 1,000+9,000+2,000+18,000; 400+300+800+600; 100+200+200+400
  expect(sumUsage(rows)).toEqual({
    requests: 45,
    quota: 30_000,
    prompt: 2_100,
    completion: 900,
    tokens: 3_000,
  });
});

test("a day without rows is a zero", () => {
  expect(
    groupByDay(rows, days).map(({ day, requests, quota, tokens }) => [
      day,
      requests,
      quota,
      tokens,
    ]),
  ).toEqual([
    ["2026-11-19", 0, 0, 0],
    ["2026-11-20", 15, 10_000, 1_000],
    ["2026-11-21", 30, 20_000, 2_000],
  ]);
});

test("a day with a time part counts as its day, a day outside the range is ignored", () => {
  expect(
    groupByDay(
      [row("2026-11-20T00:00:00Z", "a", 1, 2, 3, 4), row("2026-01-01", "a", 9, 9, 9, 9)],
      ["2026-11-20"],
    ),
  ).toEqual([{ day: "2026-11-20", requests: 1, quota: 2, prompt: 3, completion: 4, tokens: 7 }]);
});

test("models are sorted by requests", () => {
  // small 10+20, large 5+10
  expect(groupByModel(rows).map(({ model, requests, quota }) => [model, requests, quota])).toEqual([
    ["small", 30, 3_000],
    ["large", 15, 27_000],
  ]);
});

const finished = { periodBefore: undefined, sameTime: undefined, endsToday: false };

test("the change against the previous day is in per cent, and undefined after a day of zero", () => {
  const series = groupByDay(rows, days);
  expect(compareDay({ ...finished, days: series }, "requests")).toEqual({
    percent: 100,
    basis: "previous-day",
  });
  expect(changePercent(75, 100)).toBe(-25);
  expect(changePercent(5, 0)).toBeUndefined();
  expect(compareDay({ ...finished, days: series.slice(0, 2) }, "quota").percent).toBeUndefined();
});

test("a single day is compared with the previous period, if the user may read it", () => {
  const [, , today] = groupByDay(rows, days);
  const periodBefore = sumUsage(rows.slice(0, 2));
  const series = today === undefined ? [] : [today];
  expect(compareDay({ ...finished, days: series, periodBefore }, "quota").percent).toBe(100); // 10,000 to 20,000
  expect(compareDay({ ...finished, days: series }, "quota").percent).toBeUndefined();
});

test("an unfinished day is compared with the previous day until the same time, if the server sends that", () => {
  const today = { ...finished, days: groupByDay(rows, days), endsToday: true };
  const sameTime = { requests: 60, quota: 0, tokens: 1_000 };
  // 30 after 60 by this time, though the whole day before had 15
  expect(compareDay({ ...today, sameTime }, "requests")).toEqual({
    percent: -50,
    basis: "same-time",
  });
  expect(compareDay({ ...today, sameTime }, "quota").percent).toBeUndefined();
  expect(compareDay(today, "requests")).toEqual({ percent: 100, basis: "so-far-today" });
  // A range that ended earlier has only finished days.
  expect(compareDay({ ...today, sameTime, endsToday: false }, "requests").percent).toBe(100);
});

test("averages are per request, and zero without requests", () => {
  const totals = sumUsage(rows);
  expect(computeAverageCost(totals)).toBeCloseTo(666.667, 3); // 30,000 / 45
  expect(computeTokensPerRequest(totals)).toBeCloseTo(66.667, 3); // 3,000 / 45
  expect(computeAverageCost(sumUsage([]))).toBe(0);
  expect(computeTokensPerRequest(sumUsage([]))).toBe(0);
});

test("the trend rises when the last day beats the daily average", () => {
  // average (0 + 15 + 30) / 3 = 15, last day 30
  expect(buildUsageTrend(groupByDay(rows, days))).toEqual({
    direction: "rising",
    dailyRequests: 15,
  });
  // average 15, last day 15: not above it
  expect(buildUsageTrend(groupByDay(rows, ["2026-11-20"]))).toEqual({
    direction: "declining",
    dailyRequests: 15,
  });
  expect(buildUsageTrend([])).toEqual({ direction: undefined, dailyRequests: 0 });
});

test("throughput is requests per hour", () => {
  expect(computeThroughput(336, 7)).toBe(2); // 336 / (7 * 24)
});

test("efficiency is tokens per unit of currency", () => {
  const [small, large] = listModelEfficiencies(groupByModel(rows), 500_000);
  // small: 3,000 units = $0.006 for 1,500 tokens; 30 requests
  expect(small?.efficiency).toBeCloseTo(250_000, 6);
  expect(small?.cost).toBeCloseTo(0.0002, 10);
  // large: 27,000 units = $0.054 for 1,500 tokens; 15 requests
  expect(large?.efficiency).toBeCloseTo(27_777.78, 1);
  expect(large?.cost).toBeCloseTo(0.0036, 10);
  expect(
    listModelEfficiencies(groupByModel([row("2026-11-20", "free", 3, 0, 10, 10)]), 500_000)[0]
      ?.efficiency,
  ).toBe(0);
});

test("estimates are tokens per request times 10 and cost times 1,000, both clamped", () => {
  // 66.67 tokens a request: 666.7 ms; 666.67 units = $0.0013333: 100 - 1.3333
  const estimate = estimatePerformance(rows, 500_000);
  expect(estimate.responseMs).toBeCloseTo(666.667, 2);
  expect(estimate.successRate).toBeCloseTo(98.6667, 3);
  expect(estimate.estimated).toBe(true);
  // 10 tokens a request: 100, raised to 200; cost 0: 100, lowered to 99.5
  expect(estimatePerformance([row("d", "m", 1, 0, 5, 5)], 500_000)).toMatchObject({
    responseMs: 200,
    successRate: 99.5,
  });
  // 1,000 tokens: 10,000, lowered to 2,000; $0.02 a request: 80, raised to 85
  expect(estimatePerformance([row("d", "m", 1, 10_000, 500, 500)], 500_000)).toMatchObject({
    responseMs: 2_000,
    successRate: 85,
  });
  expect(estimatePerformance([], 500_000)).toMatchObject({ responseMs: 0, successRate: 0 });
});

test("measured values win, weighted by requests, and are not marked as an estimate", () => {
  const measured = [
    { ...row("d", "a", 30, 1, 1, 1), avg_latency_ms: 100, success_rate: 100, ttft_ms: 40 },
    { ...row("d", "b", 10, 1, 1, 1), avg_latency_ms: 500, success_rate: 90, ttft_ms: null },
    { ...row("d", "c", 0, 0, 0, 0), avg_latency_ms: null, success_rate: null, ttft_ms: null },
  ];
  // (30 * 100 + 10 * 500) / 40 = 200; (30 * 100 + 10 * 90) / 40 = 97.5; only a measured a first
  // byte
  expect(summarizePerformance(measured, 500_000)).toEqual({
    responseMs: 200,
    successRate: 97.5,
    firstByteMs: 40,
    estimated: false,
  });
  const unknown = { avg_latency_ms: Number.NaN, success_rate: Number.NaN, ttft_ms: Number.NaN };
  const unmeasured = rows.map((one) => ({ ...one, ...unknown }));
  expect(summarizePerformance(unmeasured, 500_000).estimated).toBe(true);
  expect(summarizePerformance([], 500_000)).toEqual({
    responseMs: 0,
    successRate: 0,
    firstByteMs: undefined,
    estimated: false,
  });
});

const model = (name: string, requests: number, quota: number, tokens: number) =>
  listModelEfficiencies(
    [{ model: name, requests, quota, prompt: tokens, completion: 0, tokens }],
    500_000,
  );

test("tips appear above their thresholds, not at them", () => {
  // $0.01 a request is not above 0.01
  expect(findTips(model("a", 1, 5_000, 0), 0, 7).map((tip) => tip.kind)).toEqual([]);
  expect(findTips(model("a", 1, 5_001, 0), 0, 7).map((tip) => tip.kind)).toEqual(["high-cost"]);
  // any token for money
  expect(findTips(model("a", 10, 500, 100), 0, 7)).toEqual([
    { kind: "most-efficient", model: "a", efficiency: 100_000 },
  ]);
  // $7 in 7 days is $30 a month; $24 is $102.86
  expect(findTips([], 7, 7)).toEqual([]);
  expect(findTips([], 24, 7)).toEqual([{ kind: "projection", monthly: (24 / 7) * 30 }]);
  expect(findTips([], 70 / 3, 7)).toEqual([]); // exactly $100
});

test("the concentration tip requires more than three models and more than 80 per cent", () => {
  const of = (...requests: number[]) =>
    requests.flatMap((count, index) => model(`m${index}`, count, 0, 0));
  expect(findTips(of(30, 30, 21, 19), 0, 7)).toEqual([{ kind: "concentration", percent: 81 }]);
  expect(findTips(of(30, 30, 20, 20), 0, 7)).toEqual([]);
  expect(findTips(of(50, 30, 20), 0, 7)).toEqual([]);
});
