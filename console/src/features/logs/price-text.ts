const picoDigits = 12;
const shownDigits = 9;

export const isDigits = (text: string): boolean => /^-?\d+$/.test(text);

/** Picodollars as dollars with up to nine decimals, without trailing zeros beyond the cents. */
export function formatPicodollars(digits: string): string {
  if (!isDigits(digits)) return digits;
  const value = BigInt(digits);
  const sign = value < 0n ? "-" : "";
  const text = (value < 0n ? -value : value).toString().padStart(picoDigits + 1, "0");
  const whole = BigInt(text.slice(0, -picoDigits)).toLocaleString("en-US");
  const fraction = text
    .slice(-picoDigits, -picoDigits + shownDigits)
    .replace(/0+$/, "")
    .padEnd(2, "0");
  const isBelowShown = value !== 0n && whole === "0" && /^0+$/.test(fraction);
  return isBelowShown ? `${sign}<$0.000000001` : `${sign}$${whole}.${fraction}`;
}
