/** The calls that audit --usage compares, by its options. */

export interface UsageAuditRange {
  /** Milliseconds since the epoch; calls from here on. */
  from: number;
  /** Calls before this moment. */
  to: number;
  /** `channelId` is undefined for all channels. */
  channelId?: number | undefined;
  /** `thresholdPercent` says how far the provider's costs may differ from ours, in percent. */
  thresholdPercent: number;
}

export const usageAuditOptions =
  "audit --usage takes --from=YYYY-MM-DD, --to=YYYY-MM-DD (UTC, both days included), --channel=<id> and --threshold=<percent>";

/** `UsageAuditTexts` are as they were typed. */
export type UsageAuditTexts = Readonly<
  Partial<Record<"from" | "to" | "channel" | "threshold", string | undefined>>
>;

const daysByDefault = 30;
const dayMs = 86_400_000;
const thresholdByDefault = 1;

/** Undefined where one of the options is wrong. Without dates, the last 30 days. */
export function readUsageAuditRange(
  texts: UsageAuditTexts,
  now: number,
): UsageAuditRange | undefined {
  const { from, to, channel, threshold = String(thresholdByDefault) } = texts;
  const first = from === undefined ? now - daysByDefault * dayMs : parseDay(from);
  const last = to === undefined ? now - dayMs : parseDay(to);
  const isNumeric =
    (channel === undefined || /^\d{1,15}$/.test(channel)) &&
    /^\d{1,15}(?:\.\d{1,3})?$/.test(threshold);
  if (first === undefined || last === undefined || !isNumeric || first >= last + dayMs)
    return undefined;
  return {
    from: first,
    to: last + dayMs,
    thresholdPercent: Number(threshold),
    ...(channel !== undefined && { channelId: Number(channel) }),
  };
}

/** Undefined for a day that no calendar has: 30 February would be 2 March. */
function parseDay(text: string): number | undefined {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return undefined;
  const at = Date.parse(`${text}T00:00:00Z`);
  return Number.isFinite(at) && new Date(at).toISOString().startsWith(text) ? at : undefined;
}
