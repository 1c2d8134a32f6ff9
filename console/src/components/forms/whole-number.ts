import * as z from "zod/mini";

/**
 * Parses typed digits to a number. Anything but an integer within the range is refused with
 * `message`.
 */
export const defineWholeNumber = (message: string, min = 0, max = Number.MAX_SAFE_INTEGER) =>
  z.pipe(
    z.string().check(z.trim(), z.regex(/^-?\d+$/, message)),
    z.pipe(
      z.transform((digits: string) => Number(digits)),
      z
        .number()
        .check(
          z.refine((value) => Number.isSafeInteger(value) && value >= min && value <= max, message),
        ),
    ),
  );

/** The text of a field for a number that the server may not have sent. */
export const numberText = (value: number): string => (Number.isNaN(value) ? "" : String(value));

/** A typed whole number; NaN, which is shown as a dash, where it is none. */
export function computeAmountTyped(text: string): number {
  const units = text.trim() === "" ? Number.NaN : Number(text);
  return Number.isInteger(units) && units >= 0 ? units : Number.NaN;
}
