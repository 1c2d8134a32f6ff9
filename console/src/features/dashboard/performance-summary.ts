import { isMeasured, type MeasuredUsage } from "../../compat/dashboard-compat.ts";
import {
  computeAverageCost,
  computeTokensPerRequest,
  sumUsage,
  type UsageRow,
} from "./usage-metrics.ts";

type MeasuredRow = UsageRow & MeasuredUsage;

export type PerformanceSummary = {
  /** Milliseconds. */
  responseMs: number;
  successRate: number;
  firstByteMs: number | undefined;
  estimated: boolean;
};

const clamp = (low: number, value: number, high: number): number =>
  Math.min(high, Math.max(low, value));

/**
 * Measured values if the server sends them; otherwise an estimate from tokens and cost, marked as
 * such.
 */
export function summarizePerformance(
  rows: readonly MeasuredRow[],
  quotaPerUnit: number,
): PerformanceSummary {
  const responseMs = findWeightedMean(rows, (row) => row.avg_latency_ms);
  const successRate = findWeightedMean(rows, (row) => row.success_rate);
  const measures = rows.some(isMeasured);
  if (measures || rows.length === 0) {
    return {
      responseMs: responseMs ?? 0,
      successRate: successRate ?? 0,
      firstByteMs: findWeightedMean(rows, (row) => row.ttft_ms),
      estimated: false,
    };
  }
  return estimatePerformance(rows, quotaPerUnit);
}

export function estimatePerformance(
  rows: readonly UsageRow[],
  quotaPerUnit: number,
): PerformanceSummary {
  const totals = sumUsage(rows);
  const idle = totals.requests === 0;
  return {
    responseMs: idle ? 0 : clamp(200, computeTokensPerRequest(totals) * 10, 2_000),
    successRate: idle
      ? 0
      : clamp(85, 100 - (computeAverageCost(totals) / quotaPerUnit) * 1_000, 99.5),
    firstByteMs: undefined,
    estimated: true,
  };
}

/** The mean of a measured value, weighted by requests. */
function findWeightedMean(
  rows: readonly MeasuredRow[],
  measure: (row: MeasuredRow) => number | null,
): number | undefined {
  let sum = 0;
  let weight = 0;
  for (const row of rows) {
    const value = measure(row);
    if (value === null || Number.isNaN(value)) continue;
    sum += value * row.RequestCount;
    weight += row.RequestCount;
  }
  return weight === 0 ? undefined : sum / weight;
}
