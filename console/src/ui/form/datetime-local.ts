import { formatDate } from "../format.ts";

/**
 * Unix seconds as the value of a `datetime-local` input in the browser's time zone, such as
 * `2026-11-21T09:30:05`.
 */
export const buildDateTimeLocal = (seconds: number): string =>
  writeMoment(seconds).replace(" ", "T");

/** Undefined for an empty or invalid text. */
export function fromDateTimeLocal(text: string): number | undefined {
  const ms = new Date(text).getTime();
  return text === "" || Number.isNaN(ms) ? undefined : Math.floor(ms / 1000);
}

/** Unix seconds as every cell writes them, such as `2026-11-21 09:30:05`; empty for none. */
export const writeMoment = (seconds: number | undefined): string =>
  seconds === undefined ? "" : formatDate(new Date(seconds * 1000));

/**
 * A day, or a day and a time with or without seconds, in the browser's time zone. Undefined for
 * anything else.
 */
export function readMoment(text: string): number | undefined {
  const [, day, time = "00:00"] =
    /^\s*(\d{4}-\d\d-\d\d)(?:[T ]+(\d\d:\d\d(?::\d\d)?))?\s*$/.exec(text) ?? [];
  const seconds = day === undefined ? undefined : fromDateTimeLocal(`${day}T${time}`);
  // February has no 30th, which the engine takes for the 2nd of March.
  return seconds !== undefined && writeMoment(seconds).startsWith(day ?? "") ? seconds : undefined;
}
