/** From sums of roll-ups to latencies by day, the pace of an account, the week of a site and the hours of channels. Pure. */
import type { DashboardInsight } from "@tollgate/contract/dashboard.ts";
import { hourMs } from "../logs/log-filter.ts";
import type { RollupMeasures } from "../storage/tables/call-tables.ts";
import { type DayRange, today, usageView } from "./dashboard-rules.ts";

/** Fewer say too little about the next ones. */
const paceDaysMin = 3;
const paceDaysMax = 7;
const hoursOfDay = 24;
const daysOfWeek = 7;
/** The strip of a channel: the current hour and those before it. */
export const stripHours = 24;

export interface HourCount {
  hour: number;
  requests: number;
  failures: number;
}
export interface ChannelHour extends HourCount {
  channel_id: number;
}
export interface BusyChannel {
  id: number;
  name: string;
  requests: number;
  failures: number;
  quota: number;
}

export function insightDay(row: RollupMeasures & { day: number }): DashboardInsight["days"][number] {
  const { Day, RequestCount, failures, p95_latency_ms, ttft_ms } = usageView(row.day, row);
  return { Day, RequestCount, failures, p95_latency_ms, ttft_ms };
}

/** The last finished UTC days of an account, at most a week: `days` of them, none before it existed. */
export function finishedDays(createdAtMs: number, now: number): DayRange & { days: number } {
  const days = Math.min(paceDaysMax, today(now) - today(createdAtMs));
  return { first: today(now) - days, last: today(now) - 1, days };
}

export const paceOf = (quota: number, days: number): DashboardInsight["pace"] =>
  days < paceDaysMin ? null : { quota_per_day: quota / days, days };

/** Hours since 1970 as weekdays, of which 0 is Monday, and hours: 7 rows of 24. */
export function weekOf(hours: readonly HourCount[]): NonNullable<DashboardInsight["week"]> {
  const week = Array.from({ length: daysOfWeek }, () =>
    Array.from({ length: hoursOfDay }, () => ({ requests: 0, failures: 0 })),
  );
  for (const { hour, requests, failures } of hours) {
    // 1970-01-01 was a Thursday.
    const weekday = (Math.floor(hour / hoursOfDay) + 3) % daysOfWeek;
    const cell = week[weekday]?.[hour % hoursOfDay];
    if (!cell) continue;
    cell.requests += requests;
    cell.failures += failures;
  }
  return week;
}

/** Channels with their last hours, oldest first; an hour without calls is zero. */
export function withHours(
  channels: readonly BusyChannel[],
  hours: readonly ChannelHour[],
  now: number,
): NonNullable<DashboardInsight["channels"]> {
  const first = firstStripHour(now);
  const counts = new Map(hours.map((one) => [`${one.channel_id} ${one.hour}`, one]));
  return channels.map((channel) => ({
    ...channel,
    hours: Array.from({ length: stripHours }, (_, index) => {
      const { requests = 0, failures = 0 } = counts.get(`${channel.id} ${first + index}`) ?? {};
      return { requests, failures };
    }),
  }));
}

export const firstStripHour = (now: number): number => Math.floor(now / hourMs) - stripHours + 1;
