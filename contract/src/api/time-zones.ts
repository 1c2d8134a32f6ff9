/**
 * `isTimeZone` says whether this is a name of the IANA time zone database, or an offset, that dates
 * can be computed with.
 */
export function isTimeZone(zone: string): boolean {
  try {
    new Intl.DateTimeFormat("en", { timeZone: zone });
    return true;
  } catch {
    return false;
  }
}
