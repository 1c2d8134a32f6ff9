/** What may go by now. Pure. */
import { dayMs } from "./log-filter.ts";

/** Undefined keeps everything. */
export interface RetentionCutoffs {
  logs: number | undefined;
  traces: number | undefined;
}

/** Whole days, 0 for ever. A trace is reached through its log row only, so it goes with it at the latest. */
export function cutoffsOf(logDays: number, traceDays: number, now: number): RetentionCutoffs {
  const cutoff = (days: number) => (days > 0 ? now - days * dayMs : undefined);
  const logs = cutoff(logDays);
  const traces = cutoff(traceDays);
  return { logs, traces: logs !== undefined && (traces === undefined || traces < logs) ? logs : traces };
}
