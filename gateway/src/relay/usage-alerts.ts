/**
 * Tells operators when what providers report does not fit: a count above what one call can use, a
 * count far from what was seen, and counts that this gateway does not know. Each is counted by
 * channel since the process started; a warning is logged at most once in a minute for each channel
 * and kind, and an alert about capped usage is raised at most once in an hour for each channel.
 */
import type { AlertEvent } from "../notices/alerts/alert-events.ts";
import type { UsageMark } from "./formats/usage/reported-usage.ts";
import type { UsageDetails } from "./formats/usage/usage-details.ts";

export const alertedMarks = ["usage_capped", "usage_far", "usage_unknown"] as const;
export type AlertedMark = (typeof alertedMarks)[number];

const warnEveryMs = 60_000;
const raiseEveryMs = 3_600_000;

export interface UsageMarkCount {
  channelId: number;
  mark: AlertedMark;
  calls: number;
  /** Milliseconds since the epoch. */
  lastAt: number;
  /** The counts that are not known, of the last call. */
  members: readonly string[];
}

interface UsageAlertsDeps {
  now(): number;
  warn(event: Record<string, unknown>, message: string): void;
  raise(event: AlertEvent): void;
}

export interface UsageAlerts {
  record(channel: { id: number; name: string }, details: UsageDetails | undefined): void;
  list(): readonly UsageMarkCount[];
}

const explanations: Readonly<Record<AlertedMark, string>> = {
  usage_capped: "reported more usage than one call can have; the ceiling was charged",
  usage_far: "reported usage that is far from what was seen",
  usage_unknown: "reported counts that this gateway does not know and does not charge",
};

export function createUsageAlerts({ now, warn, raise }: UsageAlertsDeps): UsageAlerts {
  const counts = new Map<string, UsageMarkCount & { warnedAt: number; raisedAt: number }>();

  function count(
    channel: { id: number; name: string },
    mark: AlertedMark,
    members: readonly string[],
  ): void {
    const key = `${channel.id} ${mark}`;
    const known = counts.get(key);
    const at = now();
    const counted = {
      ...(known ?? { warnedAt: Number.NEGATIVE_INFINITY, raisedAt: Number.NEGATIVE_INFINITY }),
      channelId: channel.id,
      mark,
      calls: (known?.calls ?? 0) + 1,
      lastAt: at,
      members,
    };
    counts.set(key, counted);
    const text = `Channel ${channel.name} ${explanations[mark]}`;
    if (at - counted.warnedAt >= warnEveryMs) {
      counted.warnedAt = at;
      warn({ event: mark, channel_id: channel.id, calls: counted.calls, members }, text);
    }
    if (mark === "usage_capped" && at - counted.raisedAt >= raiseEveryMs) {
      counted.raisedAt = at;
      const { id, name } = channel;
      const subject = { kind: "channel", id, name } as const;
      raise({
        rule: "usage.capped",
        subject,
        state: "firing",
        facts: { kind: "usage_capped", channel: name },
      });
    }
  }

  const isAlerted = (mark: UsageMark): mark is AlertedMark & UsageMark =>
    mark !== "usage_corrected" && mark !== "fee_unknown";

  return {
    record(channel, { marks = [], unknown = [] } = {}) {
      for (const mark of marks) if (isAlerted(mark)) count(channel, mark, []);
      if (unknown.length > 0) count(channel, "usage_unknown", unknown);
    },
    list: () => [...counts.values()].map(({ warnedAt: _, raisedAt: __, ...shown }) => shown),
  };
}
