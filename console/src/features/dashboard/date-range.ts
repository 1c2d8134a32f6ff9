import type { TimeRange } from "../../components/time-ranges.ts";

/** Days are UTC and written `YYYY-MM-DD`, so they compare as text. */
export type DateRange = { from: string; to: string };

export type RangeProblem =
  | "order"
  | "future"
  | "too-old-year"
  | "too-long-year"
  | "too-old-week"
  | "too-long-week"
  | "incomplete";

const dayMs = 86_400_000;
const weekDays = 7;
const yearDays = 365;

export const buildDay = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
const computeDayStartMs = (day: string): number => Date.parse(`${day}T00:00:00Z`);
export const addDays = (day: string, days: number): string =>
  buildDay(computeDayStartMs(day) + days * dayMs);

/** Inclusive of both ends. */
export const computeDayCount = ({ from, to }: DateRange): number =>
  Math.round((computeDayStartMs(to) - computeDayStartMs(from)) / dayMs) + 1;

export const buildLastDays = (days: number, today: string): DateRange => ({
  from: addDays(today, 1 - days),
  to: today,
});

/** The usual ranges in words, as `time-ranges.ts` names them. */
export const dayRanges = [
  "today",
  "7d",
  "30d",
  "90d",
  "month",
  "last-month",
  "365d",
] as const satisfies TimeRange[];
export type UsualDays = (typeof dayRanges)[number];
const daysBack = { today: 1, "7d": 7, "30d": 30, "90d": 90, "365d": yearDays } as const;

export function buildDaysOfRange(range: UsualDays, today: string): DateRange {
  const monthStart = `${today.slice(0, "2026-11".length)}-01`;
  if (range === "month") return { from: monthStart, to: today };
  if (range !== "last-month") return buildLastDays(daysBack[range], today);
  const to = addDays(monthStart, -1);
  return { from: `${to.slice(0, "2026-11".length)}-01`, to };
}

/** `readYear` does the same day one year earlier; 29 February becomes 1 March. */
function readYear(day: string): string {
  const date = new Date(computeDayStartMs(day));
  date.setUTCFullYear(date.getUTCFullYear() - 1);
  return buildDay(date.getTime());
}

export const readEarliestDay = (today: string, admin: boolean): string =>
  admin ? readYear(today) : addDays(today, -weekDays);

/** The first rule that the range breaks, in the order of the specification. */
export function rangeProblem(
  range: DateRange,
  today: string,
  admin: boolean,
): RangeProblem | undefined {
  if (!isDay(range.from) || !isDay(range.to)) return "incomplete";
  if (range.from > range.to) return "order";
  if (range.to > today) return "future";
  if (range.from < readEarliestDay(today, admin)) return admin ? "too-old-year" : "too-old-week";
  if (computeDayCount(range) > (admin ? yearDays : weekDays))
    return admin ? "too-long-year" : "too-long-week";
  return undefined;
}

export const isDay = (text: string | undefined): text is string =>
  text !== undefined && /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(computeDayStartMs(text));

/**
 * The period of the same length before the range; undefined when the user may not read that far
 * back.
 */
export function findPreviousPeriod(
  range: DateRange,
  today: string,
  admin: boolean,
): DateRange | undefined {
  const before = {
    from: addDays(range.from, -computeDayCount(range)),
    to: addDays(range.from, -1),
  };
  return rangeProblem(before, today, admin) === undefined ? before : undefined;
}

export function listDays({ from, to }: DateRange): string[] {
  return Array.from({ length: computeDayCount({ from, to }) }, (_, index) => addDays(from, index));
}
