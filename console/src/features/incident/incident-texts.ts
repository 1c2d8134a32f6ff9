/** Times and statuses of an incident as text. */
import type { IncidentChannel } from "@tollgate/contract/notices/incidents.ts";
import { formatInteger, formatSeconds, missing } from "../../ui/format.ts";

export const timeText = (ms: number | null): string =>
  ms === null ? missing : formatSeconds(ms / 1000);

/** `503 × 12, 429 × 3`; without a response there is no status. */
export const formatStatusesText = ({ statuses }: Pick<IncidentChannel, "statuses">): string =>
  statuses
    .map(({ status, attempts }) => `${status > 0 ? status : missing} × ${formatInteger(attempts)}`)
    .join(", ") || missing;

/** A single moment, or the first and the last one, whose day is said once. */
export function spanText(first: number | null, last: number | null): string {
  const [begin, end] = [timeText(first), timeText(last)];
  if (begin === end) return begin;
  const day = "2026-11-24 ".length;
  return `${begin} – ${begin.slice(0, day) === end.slice(0, day) ? end.slice(day) : end}`;
}
