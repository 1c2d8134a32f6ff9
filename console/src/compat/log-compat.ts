/** Differences of compatible servers in logs, traces and times. */
import type { Trace } from "@tollgate/contract/traces.ts";

/** Values from here on are milliseconds: as seconds they would be in the year 5138. */
const millisecondsMin = 100_000_000_000;

/** The first time that is set, converted to seconds. */
export function toUnixSeconds(...times: (number | null | undefined)[]): number {
  const time = times.find((candidate) => typeof candidate === "number" && candidate !== 0) ?? 0;
  return time >= millisecondsMin ? Math.floor(time / 1000) : time;
}

/** Members of a log entry that compatible servers may omit. */
const logDefaults = { cached_prompt_tokens: 0, origin_model_name: "", request_id: "", trace_id: "", content: "" };
export const withLogDefaults = <Entry extends object>(entry: Entry): Entry => ({ ...logDefaults, ...entry });

export type TraceTimestamps = Trace["timestamps"];

/** Compatible servers put the timestamps under `log`. */
export function traceTimestamps(trace: Trace): TraceTimestamps {
  const inLog = (trace.log as { timestamps?: TraceTimestamps } | undefined)?.timestamps;
  return trace.timestamps ?? inLog ?? {};
}
