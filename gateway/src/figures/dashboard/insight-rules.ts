/** Latencies by day, the pace of an account and the week of a site, from sums of roll-ups. Pure. */
import type { DashboardInsight } from "@tollgate/contract/figures/dashboard.ts";
import { buildUsageView, computeToday, type DayRange } from "./dashboard-rules.ts";

/** Fewer say too little about the next ones. */
const paceDaysMin = 3;
const paceDaysMax = 7;
const hoursOfDay = 24;
const daysOfWeek = 7;

export interface HourCount {
  hour: number;
  requests: number;
  failures: number;
}

export function buildInsightDay(
  row: Parameters<typeof buildUsageView>[1] & { day: number },
): DashboardInsight["days"][number] {
  const { Day, RequestCount, failures, p95_latency_ms, ttft_ms } = buildUsageView(row.day, row);
  return { Day, RequestCount, failures, p95_latency_ms, ttft_ms };
}

/**
 * The last finished UTC days of an account, at most a week: `days` of them, none before it existed.
 */
export function buildFinishedDays(createdAtMs: number, now: number): DayRange & { days: number } {
  const days = Math.min(paceDaysMax, computeToday(now) - computeToday(createdAtMs));
  return { first: computeToday(now) - days, last: computeToday(now) - 1, days };
}

export const computePace = (quota: number, days: number): DashboardInsight["pace"] =>
  days < paceDaysMin ? null : { quota_per_day: quota / days, days };

/** Hours since 1970 as weekdays, of which 0 is Monday, and hours: 7 rows of 24. */
export function listWeek(hours: readonly HourCount[]): NonNullable<DashboardInsight["week"]> {
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
