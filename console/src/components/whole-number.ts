import * as z from "zod/mini";

/** Parses typed digits to a number. Anything but an integer within the range is refused with `message`. */
export const wholeNumber = (message: string, min = 0, max = Number.MAX_SAFE_INTEGER) =>
  z.pipe(
    z.string().check(z.trim(), z.regex(/^-?\d+$/, message)),
    z.pipe(
      z.transform((digits: string) => Number(digits)),
      z.number().check(z.refine((value) => Number.isSafeInteger(value) && value >= min && value <= max, message)),
    ),
  );
