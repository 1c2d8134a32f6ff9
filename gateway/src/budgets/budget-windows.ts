/**
 * The windows of budgets: when the one around a moment begins and ends. They cover all time without gap or overlap, also where
 * clocks are set forward or back and a day has 23 or 25 hours. Pure.
 */
import type { BudgetWindow } from "@tollgate/contract/budgets.ts";

export interface WindowRule {
  window: BudgetWindow;
  /** Day of the week (1 is Monday) or of the month; in a shorter month, its last day. */
  first_day: number;
  zone: string;
  /** The first counter begins here, in the middle of a window. */
  counts_from: number;
}

/** In milliseconds since 1970. */
export interface TimeWindow {
  start: number;
  /** The first moment after it; null for a window without an end. */
  end: number | null;
}

const hourMs = 3_600_000;

export function isTimeZone(zone: string): boolean {
  try {
    new Intl.DateTimeFormat("en", { timeZone: zone });
    return true;
  } catch {
    return false;
  }
}

/** A moment before `counts_from` belongs to the first window. */
export function windowAt({ window, first_day, zone, counts_from }: WindowRule, at: number): TimeWindow {
  const moment = Math.max(at, counts_from);
  const { start, end } =
    window === "lifetime"
      ? { start: counts_from, end: null }
      : window === "hour"
        ? hourAt(zone, moment)
        : periodAt(window, first_day, zone, moment);
  return { start: Math.max(start, counts_from), end };
}

/** Whole hours since midnight: with clocks set back by half an hour, the last one of the day is short. */
function hourAt(zone: string, moment: number): { start: number; end: number } {
  const day = periodAt("day", 1, zone, moment);
  const start = day.start + Math.floor((moment - day.start) / hourMs) * hourMs;
  return { start, end: Math.min(start + hourMs, day.end) };
}

function periodAt(
  window: "day" | "week" | "month",
  firstDay: number,
  zone: string,
  moment: number,
): { start: number; end: number } {
  const today = Temporal.Instant.fromEpochMilliseconds(moment).toZonedDateTimeISO(zone).toPlainDate();
  let from = firstDateOf(window, firstDay, today);
  let start = startOf(from, zone);
  for (;;) {
    const next = nextDateOf(window, firstDay, from);
    const end = startOf(next, zone);
    // Clocks that are set back at midnight repeat a part of the day before.
    if (moment < end) return { start, end };
    from = next;
    start = end;
  }
}

const startOf = (date: Temporal.PlainDate, zone: string): number => date.toZonedDateTime(zone).epochMilliseconds;

function firstDateOf(
  window: "day" | "week" | "month",
  firstDay: number,
  today: Temporal.PlainDate,
): Temporal.PlainDate {
  if (window === "day") return today;
  if (window === "week") return today.subtract({ days: (today.dayOfWeek - firstDay + 7) % 7 });
  const thisMonth = dayOfMonth(today, firstDay);
  const hasBegun = Temporal.PlainDate.compare(thisMonth, today) <= 0;
  return hasBegun ? thisMonth : dayOfMonth(today.with({ day: 1 }).subtract({ months: 1 }), firstDay);
}

function nextDateOf(window: "day" | "week" | "month", firstDay: number, from: Temporal.PlainDate): Temporal.PlainDate {
  if (window === "month") return dayOfMonth(from.with({ day: 1 }).add({ months: 1 }), firstDay);
  return from.add({ days: window === "week" ? 7 : 1 });
}

const dayOfMonth = (date: Temporal.PlainDate, day: number): Temporal.PlainDate =>
  date.with({ day: Math.min(day, date.daysInMonth) });
