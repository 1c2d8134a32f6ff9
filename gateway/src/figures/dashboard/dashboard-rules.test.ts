import { rollupMeasures } from "@tollgate/tests/support/rollup-measures.ts";
import { expect, test } from "vitest";
import { findPercentile } from "../../storage/rollups.ts";
import {
  buildUsageView,
  formatDayText,
  readRequestedDays,
  readStatusOfSite,
} from "./dashboard-rules.ts";

const now = Date.UTC(2026, 10, 20, 12);
const requested = (from: string | undefined, to: string | undefined, role = 1) =>
  readRequestedDays(from, to, role, now);

test("without dates it is the last seven days", () => {
  const { first, last } = requested(undefined, undefined);
  expect([formatDayText(first), formatDayText(last)]).toEqual(["2026-11-14", "2026-11-20"]);
});

test.each([
  ["2026-11-20", "2026-11-19", 1, "date_order"],
  ["2026-11-20", "2026-11-23", 1, "date_in_future"],
  ["2026-11-13", "2026-11-20", 1, "date_range_week"],
  ["2026-11-01", "2026-11-05", 1, "date_too_old_week"],
  ["2025-11-01", "2026-11-20", 10, "date_range_year"],
  ["2025-01-01", "2025-01-05", 10, "date_too_old_year"],
])("from %s to %s as role %i is refused: %s", (from, to, role, code) => {
  expect(() => requested(from, to, role)).toThrow(expect.objectContaining({ code }));
});

test("a week for users, a year for administrators", () => {
  expect(() => requested("2026-11-14", "2026-11-20")).not.toThrow();
  expect(() => requested("2025-11-20", "2026-11-20", 10)).not.toThrow();
});

test("percentiles are interpolated within their bucket", () => {
  // Buckets end at 100, 250, 500, ... ms.
  expect(findPercentile([100, 0, 0], 0.95)).toBe(95);
  expect(findPercentile([0, 0, 100], 0.5)).toBe(375);
  expect(findPercentile([90, 10], 0.95)).toBe(175);
  expect(findPercentile([], 0.95)).toBeNull();
  expect(findPercentile([...Array<number>(11).fill(0), 5], 0.95)).toBe(120_000);
});

test("failed calls lower the success rate and are excluded from latencies", () => {
  const counted = {
    requests: 4,
    failures: 1,
    elapsed_ms: 300,
    latency_1: 3,
    ttft_ms: 100,
    ttft_0: 2,
    quota: 7,
  };
  const row = rollupMeasures(counted);
  expect(buildUsageView(20_000, row)).toMatchObject({
    success_rate: 75,
    avg_latency_ms: 100,
    ttft_ms: 50,
    RequestCount: 4,
    Quota: 7,
  });
  // Two uploads, whose time is not counted.
  expect(buildUsageView(20_000, { ...row, requests: row.requests + 2 })).toMatchObject({
    avg_latency_ms: 100,
    RequestCount: 6,
  });
  expect(buildUsageView(20_000, rollupMeasures())).toMatchObject({
    success_rate: null,
    avg_latency_ms: null,
    p95_latency_ms: null,
    ttft_ms: null,
  });
});

test("the status of all users as text", () => {
  expect([readStatusOfSite(0, 3), readStatusOfSite(3, 3), readStatusOfSite(2, 3)]).toEqual([
    "No Active Users",
    "All Active",
    "2/3 Active",
  ]);
});
