/** The moments before which rows may be removed. Pure. */
import { dayMs } from "./log-filter.ts";

/** Undefined keeps everything. */
export interface RetentionCutoffs {
  logs: number | undefined;
  traces: number | undefined;
}

/**
 * Whole days; 0 keeps forever. A trace never outlives its log row, through which alone it is
 * reached.
 */
export function buildCutoffs(logDays: number, traceDays: number, now: number): RetentionCutoffs {
  const cutoff = (days: number) => (days > 0 ? now - days * dayMs : undefined);
  const logs = cutoff(logDays);
  const traces = cutoff(traceDays);
  return {
    logs,
    traces: logs !== undefined && (traces === undefined || traces < logs) ? logs : traces,
  };
}
