/** Durations derived from the moments of a call. */
import type { TraceRecord } from "@tollgate/contract/figures/traces.ts";

type TraceMoments = TraceRecord["timestamps"];
type TraceMoment = keyof TraceMoments;

const spans = {
  processing_time: ["request_received", "request_forwarded"],
  upstream_response_time: ["request_forwarded", "first_upstream_response"],
  response_processing_time: ["first_upstream_response", "first_client_response"],
  streaming_time: ["first_client_response", "upstream_completed"],
  total_time: ["request_received", "request_completed"],
} as const satisfies Record<string, readonly [TraceMoment, TraceMoment]>;

/** A duration is absent when one of its moments is: 0 would be wrong. */
export function buildDurations(moments: TraceMoments): Partial<Record<keyof typeof spans, number>> {
  const known = Object.entries(spans).flatMap(([name, [start, end]]) => {
    const [from, to] = [moments[start], moments[end]];
    return from === undefined || to === undefined ? [] : [[name, to - from]];
  });
  return Object.fromEntries(known);
}
