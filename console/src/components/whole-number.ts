import * as z from "zod/mini";

/** Digits as typed, made a number; what is no whole number or out of the range is refused with the one message. */
export const wholeNumber = (message: string, min = 0, max = Number.MAX_SAFE_INTEGER) =>
  z.pipe(
    z.string().check(z.trim(), z.regex(/^-?\d+$/, message)),
    z.pipe(
      z.transform((digits: string) => Number(digits)),
      z.number().check(z.refine((value) => Number.isSafeInteger(value) && value >= min && value <= max, message)),
    ),
  );
