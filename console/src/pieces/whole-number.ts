import * as z from "zod/mini";

/** Digits as typed, made a number; what is no whole number or below the least is refused with the one message. */
export const wholeNumber = (message: string, least = 0) =>
  z.pipe(
    z.string().check(z.trim(), z.regex(/^-?\d+$/, message)),
    z.pipe(
      z.transform((digits: string) => Number(digits)),
      z.int(message).check(z.minimum(least, message)),
    ),
  );
