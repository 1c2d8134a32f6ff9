/**
 * Amounts of quota as dollars in an input, and back, in whole numbers: money is never rounded by
 * accident. Pure.
 */

/** `decimals` are one unit of 500,000 to the dollar is two millionths of it. */
const decimals = 6;

/** A server may state any number; a fraction of a unit cannot be sent. */
const computeWholeUnits = (perUnit: number): bigint => BigInt(Math.max(1, Math.round(perUnit)));

const roundQuotient = (dividend: bigint, divisor: bigint): bigint =>
  (2n * dividend + divisor) / (2n * divisor);

/**
 * The dollars of a text of whole units, without trailing zeros; empty where the text is no such
 * number.
 */
export function formatDollars(units: string, perUnit: number): string {
  const text = units.trim();
  if (!/^\d+$/.test(text)) return "";
  const millionths = roundQuotient(
    BigInt(text) * 10n ** BigInt(decimals),
    computeWholeUnits(perUnit),
  );
  const digits = String(millionths).padStart(decimals + 1, "0");
  return `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`.replace(/\.?0+$/, "");
}

/** The whole units nearest to a text of dollars; undefined where the text is no amount. */
export function findUnits(dollars: string, perUnit: number): string | undefined {
  const [, whole = "", fraction = ""] = /^\$?(\d*)\.?(\d*)$/.exec(dollars.trim()) ?? [];
  if (whole === "" && fraction === "") return undefined;
  const units = roundQuotient(
    BigInt(whole + fraction) * computeWholeUnits(perUnit),
    10n ** BigInt(fraction.length),
  );
  return units <= BigInt(Number.MAX_SAFE_INTEGER) ? String(units) : undefined;
}
