/**
 * The windows of budgets: when the one around a moment begins and ends. They cover all time without gap or overlap, also where
 * clocks are set forward or back and a day has 23 or 25 hours. Pure.
 */
import { type BudgetWindow, type CalendarWindow, isCountedInDays, windowDays } from "@tollgate/contract/budgets.ts";

export interface WindowRule {
  window: BudgetWindow;
  /** Day of the week (1 is Monday) or of the month; in a shorter month, its last day. */
  first_day: number;
  /** `2026-11-02`, from which the windows of `days:N` are counted; empty for others. */
  anchor: string;
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

/** A moment before `counts_from` belongs to the first window. */
export function windowAt(rule: WindowRule, at: number): TimeWindow {
  const { window, zone, anchor, counts_from } = rule;
  const moment = Math.max(at, counts_from);
  const { start, end } = isCountedInDays(window)
    ? periodAt(daysFrom(Temporal.PlainDate.from(anchor), windowDays(window)), zone, moment)
    : calendarWindows[window](rule, moment);
  return { start: Math.max(start, counts_from), end };
}

const calendarWindows: Readonly<Record<CalendarWindow, (rule: WindowRule, moment: number) => TimeWindow>> = {
  hour: ({ zone }, moment) => hourAt(zone, moment),
  day: ({ zone }, moment) => periodAt(eachDay, zone, moment),
  week: ({ zone, first_day }, moment) => periodAt(daysFrom(weekDay(first_day), daysPerWeek), zone, moment),
  month: ({ zone, first_day }, moment) => periodAt(monthsFrom(first_day), zone, moment),
  lifetime: ({ counts_from }) => ({ start: counts_from, end: null }),
};

/** Whole hours since midnight: with clocks set back by half an hour, the last one of the day is short. */
function hourAt(zone: string, moment: number): { start: number; end: number } {
  const day = periodAt(eachDay, zone, moment);
  const start = day.start + Math.floor((moment - day.start) / hourMs) * hourMs;
  return { start, end: Math.min(start + hourMs, day.end) };
}

/** The dates on which periods begin. */
interface PeriodDates {
  /** The first date of the period of a date. */
  firstOf(date: Temporal.PlainDate): Temporal.PlainDate;
  /** The one after a first date. */
  nextOf(first: Temporal.PlainDate): Temporal.PlainDate;
}

function periodAt({ firstOf, nextOf }: PeriodDates, zone: string, moment: number): { start: number; end: number } {
  let from = firstOf(dateAt(moment, zone));
  let start = startOf(from, zone);
  for (;;) {
    const next = nextOf(from);
    const end = startOf(next, zone);
    // Clocks that are set back at midnight repeat a part of the day before.
    if (moment < end) return { start, end };
    from = next;
    start = end;
  }
}

const startOf = (date: Temporal.PlainDate, zone: string): number => date.toZonedDateTime(zone).epochMilliseconds;

const dateAt = (moment: number, zone: string): Temporal.PlainDate =>
  Temporal.Instant.fromEpochMilliseconds(moment).toZonedDateTimeISO(zone).toPlainDate();

/** As an anchor states it. */
export const dayIn = (zone: string, moment: number): string => dateAt(moment, zone).toString();

function daysFrom(anchor: Temporal.PlainDate, days: number): PeriodDates {
  const nextOf = (first: Temporal.PlainDate) => first.add({ days });
  const firstOf = (date: Temporal.PlainDate) => {
    const passed = anchor.until(date).days % days;
    return date.subtract({ days: passed < 0 ? passed + days : passed });
  };
  return { firstOf, nextOf };
}

const daysPerWeek = 7;
/** A date on this day of the week, of which 1 is Monday: the 3rd of January 2000 was one. */
const weekDay = (day: number): Temporal.PlainDate => new Temporal.PlainDate(2000, 1, 2).add({ days: day });
const eachDay = daysFrom(weekDay(1), 1);

function monthsFrom(firstDay: number): PeriodDates {
  return {
    firstOf(date) {
      const thisMonth = dayOfMonth(date, firstDay);
      const hasBegun = Temporal.PlainDate.compare(thisMonth, date) <= 0;
      return hasBegun ? thisMonth : dayOfMonth(date.with({ day: 1 }).subtract({ months: 1 }), firstDay);
    },
    nextOf: (first) => dayOfMonth(first.with({ day: 1 }).add({ months: 1 }), firstDay),
  };
}

const dayOfMonth = (date: Temporal.PlainDate, day: number): Temporal.PlainDate =>
  date.with({ day: Math.min(day, date.daysInMonth) });
