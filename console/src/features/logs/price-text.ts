import { buildDecimals, readDecimalPoint } from "../../ui/format.ts";

const picoDigits = 12;
const shownDigits = 9;

export const isDigits = (text: string): boolean => /^-?\d+$/.test(text);

/** Picodollars as dollars with up to nine decimals, without trailing zeros beyond the cents. */
export function formatPicodollars(digits: string): string {
  if (!isDigits(digits)) return digits;
  const value = BigInt(digits);
  const sign = value < 0n ? "-" : "";
  const text = (value < 0n ? -value : value).toString().padStart(picoDigits + 1, "0");
  const whole = buildDecimals(0, 0).format(BigInt(text.slice(0, -picoDigits)));
  const fraction = text
    .slice(-picoDigits, -picoDigits + shownDigits)
    .replace(/0+$/, "")
    .padEnd(2, "0");
  const isBelowShown = value !== 0n && whole === "0" && /^0+$/.test(fraction);
  const least = "1".padStart(shownDigits, "0");
  return isBelowShown
    ? `${sign}<$0${readDecimalPoint()}${least}`
    : `${sign}$${whole}${readDecimalPoint()}${fraction}`;
}

/**
 * Dollars for a million tokens as the list of models writes them, with all the decimals that the
 * price has.
 */
export function formatPerMillion(text: string): string {
  const [, whole, fraction = ""] = /^(\d+)(?:\.(\d+))?$/.exec(text) ?? [];
  return whole === undefined
    ? text
    : `$${buildDecimals(0, 0).format(BigInt(whole))}${readDecimalPoint()}${fraction.padEnd(2, "0")}`;
}
