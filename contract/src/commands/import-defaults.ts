/**
 * Values that the form of an import and its contract share, without schemas: the console loads it
 * without them.
 */

/**
 * Units of a wallet without a budget in LiteLLM: what the family of one-api gives its first
 * account, a billion dollars.
 */
export const unlimitedUnitsDefault = 500_000_000_000_000;

/** `isCalendarDay` says whether the text is a day like 2026-08-01; 30 February is none. */
export function isCalendarDay(text: string): boolean {
  const time = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().slice(0, 10) === text;
}
