/**
 * The windows of budgets: when the one around a moment begins and ends. They cover all time without
 * gap or overlap, also where clocks are set forward or back and a day has 23 or 25 hours. Pure.
 */
import {
  type BudgetWindow,
  type CalendarWindow,
  computeWindowDays,
  isCountedInDays,
} from "@tollgate/contract/accounts/budget-kinds.ts";

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

/** `TimeWindow` is in milliseconds since 1970. */
export interface TimeWindow {
  start: number;
  /** The first moment after it; null for a window without an end. */
  end: number | null;
}

const hourMs = 3_600_000;

/** A moment before `counts_from` belongs to the first window. */
export function findWindow(rule: WindowRule, at: number): TimeWindow {
  const { window, zone, anchor, counts_from } = rule;
  const moment = Math.max(at, counts_from);
  const { start, end } = isCountedInDays(window)
    ? findPeriod(
        defineDays(Temporal.PlainDate.from(anchor), computeWindowDays(window)),
        zone,
        moment,
      )
    : calendarWindows[window](rule, moment);
  return { start: Math.max(start, counts_from), end };
}

const calendarWindows: Readonly<
  Record<CalendarWindow, (rule: WindowRule, moment: number) => TimeWindow>
> = {
  hour: ({ zone }, moment) => findHour(zone, moment),
  day: ({ zone }, moment) => findPeriod(eachDay, zone, moment),
  week: ({ zone, first_day }, moment) =>
    findPeriod(defineDays(makeWeekDay(first_day), daysPerWeek), zone, moment),
  month: ({ zone, first_day }, moment) => findPeriod(defineMonths(first_day), zone, moment),
  lifetime: ({ counts_from }) => ({ start: counts_from, end: null }),
};

/**
 * Whole hours since midnight: with clocks set back by half an hour, the last one of the day is
 * short.
 */
function findHour(zone: string, moment: number): { start: number; end: number } {
  const day = findPeriod(eachDay, zone, moment);
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

function findPeriod(
  { firstOf, nextOf }: PeriodDates,
  zone: string,
  moment: number,
): { start: number; end: number } {
  let from = firstOf(findDate(moment, zone));
  let start = computeStart(from, zone);
  for (;;) {
    const next = nextOf(from);
    const end = computeStart(next, zone);
    // Clocks that are set back at midnight repeat a part of the day before.
    if (moment < end) return { start, end };
    from = next;
    start = end;
  }
}

const computeStart = (date: Temporal.PlainDate, zone: string): number =>
  date.toZonedDateTime(zone).epochMilliseconds;

const findDate = (moment: number, zone: string): Temporal.PlainDate =>
  Temporal.Instant.fromEpochMilliseconds(moment).toZonedDateTimeISO(zone).toPlainDate();

/** `formatDay` writes the day as an anchor states it. */
export const formatDay = (zone: string, moment: number): string =>
  findDate(moment, zone).toString();

function defineDays(anchor: Temporal.PlainDate, days: number): PeriodDates {
  const nextOf = (first: Temporal.PlainDate) => first.add({ days });
  const firstOf = (date: Temporal.PlainDate) => {
    const passed = anchor.until(date).days % days;
    return date.subtract({ days: passed < 0 ? passed + days : passed });
  };
  return { firstOf, nextOf };
}

const daysPerWeek = 7;
/** A date on this day of the week, of which 1 is Monday: the 3rd of January 2000 was one. */
const makeWeekDay = (day: number): Temporal.PlainDate =>
  new Temporal.PlainDate(2000, 1, 2).add({ days: day });
const eachDay = defineDays(makeWeekDay(1), 1);

function defineMonths(firstDay: number): PeriodDates {
  return {
    firstOf(date) {
      const thisMonth = clampDayOfMonth(date, firstDay);
      const hasBegun = Temporal.PlainDate.compare(thisMonth, date) <= 0;
      return hasBegun
        ? thisMonth
        : clampDayOfMonth(date.with({ day: 1 }).subtract({ months: 1 }), firstDay);
    },
    nextOf: (first) => clampDayOfMonth(first.with({ day: 1 }).add({ months: 1 }), firstDay),
  };
}

const clampDayOfMonth = (date: Temporal.PlainDate, day: number): Temporal.PlainDate =>
  date.with({ day: Math.min(day, date.daysInMonth) });
