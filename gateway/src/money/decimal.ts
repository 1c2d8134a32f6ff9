/**
 * Exact decimals for prices: parsed from text, rounded once to an integer where the caller chooses.
 */

/** `digits × 10^-scale`. */
export interface Decimal {
  digits: bigint;
  scale: number;
}

const pattern = /^(\d{1,30})(?:\.(\d{1,30}))?(?:e([+-]?\d{1,2}))?$/i;

/** Reads a non-negative decimal such as `"2.5"` or a finite number; undefined for anything else. */
export function parseDecimal(value: string | number): Decimal | undefined {
  const match = pattern.exec(typeof value === "number" ? String(value) : value.trim());
  if (!match) return undefined;
  const [, whole = "0", fraction = "", exponent = "0"] = match;
  const scale = fraction.length - Number(exponent);
  const digits = BigInt(whole + fraction);
  return scale < 0 ? { digits: digits * 10n ** BigInt(-scale), scale: 0 } : { digits, scale };
}

/** `requireDecimal` does the same for a value that must be a decimal. */
export function requireDecimal(value: string | number): Decimal {
  const exact = parseDecimal(value);
  if (!exact) throw new RangeError(`${value} is not a price`);
  return exact;
}

export const multiply = (a: Decimal, b: Decimal): Decimal => ({
  digits: a.digits * b.digits,
  scale: a.scale + b.scale,
});

/** `value × factor` as an integer, halves rounded up. */
export function roundHalfUp({ digits, scale }: Decimal, factor: bigint): bigint {
  const divisor = 10n ** BigInt(scale);
  return (digits * factor * 2n + divisor) / (divisor * 2n);
}
