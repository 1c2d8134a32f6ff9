/**
 * The failures of an incident as the bars of a chart: of minutes, or of five of them where the span
 * is long. Pure.
 */
import { type Incident, incidentSpanMaxMs } from "@tollgate/contract/notices/incidents.ts";

const minuteMs = 60_000;
/** More bars of a minute would be narrower than a pixel of a phone. */
const minuteBarsMax = 360;
const longBarMinutes = 5;

export type IncidentBars = {
  /** Unix seconds. */
  firstS: number;
  stepS: number;
  failed: readonly number[];
  rescued: readonly number[];
};

export function buildIncidentBars({
  from,
  to,
  minutes,
}: Pick<Incident, "from" | "to" | "minutes">): IncidentBars {
  const stepMs = to - from > minuteBarsMax * minuteMs ? longBarMinutes * minuteMs : minuteMs;
  const first = Math.floor(from / stepMs);
  // Moments of a server that sends others than asked for must not draw bars without end.
  const count = Math.min(Math.ceil(to / stepMs) - first, incidentSpanMaxMs / stepMs + 1) || 0;
  const failed = Array.from({ length: Math.max(0, count) }, () => 0);
  const rescued = [...failed];
  for (const minute of minutes) {
    const place = Math.floor(minute.at / stepMs) - first;
    if (!(place in failed)) continue;
    failed[place] = (failed[place] ?? 0) + minute.failed;
    rescued[place] = (rescued[place] ?? 0) + minute.rescued;
  }
  return { firstS: (first * stepMs) / 1_000, stepS: stepMs / 1_000, failed, rescued };
}
