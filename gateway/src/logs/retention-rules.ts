/** What may go by now. Pure. */
import { dayMs } from "./log-filter.ts";

/** Undefined keeps everything. */
export interface Cuts {
  logs: number | undefined;
  traces: number | undefined;
}

/** Whole days, 0 for ever. A trace is reached through its log row only, so it goes with it at the latest. */
export function cutsOf(logDays: number, traceDays: number, now: number): Cuts {
  const cut = (days: number) => (days > 0 ? now - days * dayMs : undefined);
  const logs = cut(logDays);
  const traces = cut(traceDays);
  return { logs, traces: logs !== undefined && (traces === undefined || traces < logs) ? logs : traces };
}
