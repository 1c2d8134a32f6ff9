/** Which calls audit --usage compares: its arguments. */

export interface UsageAuditRange {
  /** Milliseconds since the epoch; calls from here on. */
  from: number;
  /** Calls before this moment. */
  to: number;
  /** Without one, all channels. */
  channelId?: number | undefined;
  /** How far the provider's costs may differ from ours, in percent. */
  thresholdPercent: number;
}

export const usageAuditArguments =
  "audit --usage takes --from=YYYY-MM-DD, --to=YYYY-MM-DD (UTC, both days included), --channel=<id> and --threshold=<percent>";

const daysByDefault = 30;
const dayMs = 86_400_000;
const thresholdByDefault = 1;

/** The arguments behind `audit --usage`; undefined where one is wrong. Without dates, the last 30 days. */
export function readUsageAuditRange(args: readonly string[], now: number): UsageAuditRange | undefined {
  const range: UsageAuditRange = { from: now - daysByDefault * dayMs, to: now, thresholdPercent: thresholdByDefault };
  for (const argument of args) {
    const [, name, value = ""] =
      /^--(from|to|channel|threshold)=(\d{4}-\d\d-\d\d|\d{1,15}(?:\.\d{1,3})?)$/.exec(argument) ?? [];
    const day = dayAt(value);
    if (name === "channel" && /^\d+$/.test(value)) range.channelId = Number(value);
    else if (name === "threshold" && !value.includes("-")) range.thresholdPercent = Number(value);
    else if (name === "from" && day !== undefined) range.from = day;
    else if (name === "to" && day !== undefined) range.to = day + dayMs;
    else return undefined;
  }
  return range.from < range.to ? range : undefined;
}

/** Undefined for a day that no calendar has: 30 February would be 2 March. */
function dayAt(text: string): number | undefined {
  const at = Date.parse(`${text}T00:00:00Z`);
  return Number.isFinite(at) && new Date(at).toISOString().startsWith(text) ? at : undefined;
}
