/** The days and times of the sentence about the pace of a budget. Pure. */

const dayMs = 86_400_000;

/** Dates as 30 November, in English too. */
const readLocale = (locale: string): string => (locale === "en" ? "en-GB" : locale);

const ordinals: Record<string, string> = { one: "st", two: "nd", few: "rd", other: "th" };
const readOrdinal = (day: number): string =>
  `${day}${ordinals[new Intl.PluralRules("en", { type: "ordinal" }).select(day)] ?? ""}`;

/** A server may know a zone that this browser does not. */
function createZoneFormat(
  timeZone: string,
  locale: string,
  style: Intl.DateTimeFormatOptions,
): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat(locale, { ...style, timeZone });
  } catch {
    return new Intl.DateTimeFormat(locale, { ...style, timeZone: "UTC" });
  }
}

export interface PaceMoments {
  /** The last day of the window, or its last moment where it is a day or less. */
  end: string;
  /**
   * `reached` is when the amount is used up: `the 23rd` in English where the month is that of the
   * end. Undefined where it is not by then.
   */
  reached: string | undefined;
  /** Both are times of a day. */
  isTime: boolean;
}

type PacedWindow = {
  window_start: number;
  resets_at: number;
  zone: string;
  usedUpAt: number | null;
};

export function paceMoments(
  { window_start, resets_at, zone, usedUpAt }: PacedWindow,
  locale: string,
): PaceMoments {
  // A day may have 25 hours.
  const isTime = resets_at - window_start <= 1.1 * dayMs;
  const style = isTime
    ? ({ timeStyle: "short" } as const)
    : ({ day: "numeric", month: "long" } as const);
  const format = createZoneFormat(zone, readLocale(locale), style);
  const end = format.format(isTime ? resets_at : resets_at - 1);
  if (usedUpAt === null || Number.isNaN(usedUpAt)) return { end, reached: undefined, isTime };
  const reached = format.format(usedUpAt);
  const [day = "", month] = reached.split(" ");
  const isSameMonth = !isTime && locale === "en" && end.split(" ")[1] === month;
  return { end, reached: isSameMonth ? `the ${readOrdinal(Number(day))}` : reached, isTime };
}
