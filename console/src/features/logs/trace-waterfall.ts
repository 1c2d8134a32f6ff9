import type { Trace } from "@tollgate/contract/figures/traces.ts";

type TraceTimestamps = Trace["timestamps"];
export type TracePhase =
  | "processing"
  | "waiting"
  | "answering"
  | "streaming"
  | "finishing"
  | "attempt"
  | "failed";
export type WaterfallSegment = { phase: TracePhase; fromMs: number; ms: number };
export type WaterfallRow = {
  name: string;
  segments: WaterfallSegment[];
  /** `ms` come from the first timestamp to the last; undefined while it runs. */
  ms: number | undefined;
  /** The HTTP status of an attempt. */
  status?: number;
  error?: string | null;
};
export type Waterfall = { totalMs: number; rows: WaterfallRow[] };
const phaseSteps: { phase: TracePhase; from: keyof TraceTimestamps; to: keyof TraceTimestamps }[] =
  [
    { phase: "processing", from: "request_received", to: "request_forwarded" },
    { phase: "waiting", from: "request_forwarded", to: "first_upstream_response" },
    { phase: "answering", from: "first_upstream_response", to: "first_client_response" },
    { phase: "streaming", from: "first_client_response", to: "upstream_completed" },
    { phase: "finishing", from: "upstream_completed", to: "request_completed" },
  ];

/**
 * `buildWaterfall` gives one row for the request, divided into its phases, then one per attempt.
 * Times count from the arrival of the request.
 */
export function buildWaterfall(trace: Trace, requestName: string): Waterfall {
  const { timestamps: moments, attempts } = trace;
  const known = [
    ...Object.values(moments),
    ...attempts.flatMap((attempt) => [attempt.started_at, attempt.ended_at]),
  ].filter((moment): moment is number => Number.isFinite(moment));
  const start = moments.request_received ?? Math.min(...known);
  const end = moments.request_completed ?? Math.max(...known);
  if (known.length === 0) return { totalMs: 0, rows: [] };
  const rows: WaterfallRow[] = [
    {
      name: requestName,
      segments: listPhaseSegments(moments, start, end),
      ms: positive(end - start),
    },
  ];
  for (const attempt of attempts) {
    const until = attempt.ended_at ?? end;
    const succeeded = attempt.status >= 200 && attempt.status < 400;
    rows.push({
      name: attempt.key_hint
        ? `${attempt.channel_name} …${attempt.key_hint}`
        : attempt.channel_name,
      segments: listSegment(
        succeeded ? "attempt" : "failed",
        attempt.started_at - start,
        until - attempt.started_at,
      ),
      ms: attempt.ended_at === null ? undefined : positive(attempt.ended_at - attempt.started_at),
      status: attempt.status,
      error: attempt.error,
    });
  }
  return { totalMs: positive(end - start) ?? 0, rows };
}

/** A missing timestamp is skipped: its phase extends to the next one. */
function listPhaseSegments(
  moments: TraceTimestamps,
  start: number,
  end: number,
): WaterfallSegment[] {
  const found: WaterfallSegment[] = [];
  let position = start;
  for (const step of phaseSteps) {
    const until = moments[step.to];
    if (moments[step.from] === undefined || until === undefined) continue;
    found.push(...listSegment(step.phase, position - start, until - position));
    position = Math.max(position, until);
  }
  // A call that was refused has not left the gateway.
  const last = moments.request_forwarded === undefined ? "processing" : "finishing";
  if (end > position) found.push(...listSegment(last, position - start, end - position));
  return found;
}

/** Timestamps of concurrent writers may be out of order; such a segment has no length to draw. */
const listSegment = (phase: TracePhase, fromMs: number, ms: number): WaterfallSegment[] =>
  ms > 0 ? [{ phase, fromMs, ms }] : [];
const positive = (ms: number): number | undefined => (ms >= 0 ? ms : undefined);

/** The marks of the time axis: round values, about four. */
export function listAxisMarks(totalMs: number): number[] {
  if (totalMs <= 0) return [0];
  const rough = totalMs / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step =
    [1, 2, 2.5, 5, 10].map((factor) => factor * power).find((size) => size >= rough) ?? rough;
  return Array.from({ length: Math.floor(totalMs / step) + 1 }, (_, index) => index * step);
}
