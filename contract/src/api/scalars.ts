/** Scalar schemas that many schemas share. */
import * as z from "zod/mini";
import { makeAboutField } from "./field-message.ts";

export const quotaMax = 9_000_000_000_000_000;
/** The last second of the year 9999: a later value is in the wrong unit. */
const secondsMax = 253_402_300_799;

export const quotaUnits = z
  .int()
  .check(
    z.minimum(0, "Quota must be non-negative"),
    z.maximum(quotaMax, makeAboutField(`must be at most ${quotaMax}`)),
  );

/** `movedUnits` are what one act gives to a balance. */
export const movedUnits = z
  .int()
  .check(
    z.minimum(1, makeAboutField("must be more than 0")),
    z.maximum(quotaMax, makeAboutField(`must be at most ${quotaMax}`)),
  );

export const count = z.int().check(z.minimum(0));
export const unixSeconds = z
  .int()
  .check(z.minimum(0), z.maximum(secondsMax, makeAboutField("must be unix seconds")));
export const unixMillis = z.int().check(z.minimum(0));

/** `-1` and `0` both mean never. */
export const expirySeconds = z
  .int("Invalid expiration time")
  .check(
    z.minimum(-1, "Invalid expiration time"),
    z.maximum(secondsMax, "Invalid expiration time"),
  );

/** `line` gives one line of text without control characters. */
export const line = (max: number) =>
  z
    .string()
    .check(
      z.maxLength(max),
      z.regex(/^[^\p{Cc}]*$/u, makeAboutField("must not contain control characters")),
    );

/** The tag of channels. */
export const channelTag = z.pipe(
  line(64),
  z.transform((text) => text.trim()),
);

/** Text of several lines. PostgreSQL cannot store NUL, so it is refused. */
export const prose = (max: number) =>
  z.string().check(
    z.maxLength(max),
    // biome-ignore lint/suspicious/noControlCharactersInRegex: NUL is what we look for
    z.regex(/^[^\u0000]*$/, makeAboutField("must not contain NUL characters")),
  );

/** Comma-joined names: trimmed, without empty and duplicate ones. */
export const nameList = (max: number) =>
  z.pipe(
    line(max),
    z.transform((text) =>
      [...new Set(text.split(",").map((name) => name.trim()))].filter(Boolean).join(","),
    ),
  );

/** An integer as text in a query string, or as a number. */
export const queryInteger = (min: number, max: number) =>
  z.pipe(
    z.union(
      [z.int(), z.string().check(z.regex(/^-?[0-9]{1,16}$/, makeAboutField("must be an integer")))],
      makeAboutField("must be an integer"),
    ),
    z.pipe(z.transform(Number), z.int().check(z.minimum(min), z.maximum(max))),
  );

export const querySeconds = queryInteger(0, secondsMax);

/** True unless empty, `0`, `false` or `no`. */
export const queryFlag = z.pipe(
  z.union([z.boolean(), z.string().check(z.maxLength(16))]),
  z.transform((value) =>
    typeof value === "boolean" ? value : !["", "0", "false", "no"].includes(value.toLowerCase()),
  ),
);

/** A day as `YYYY-MM-DD`, read as UTC. */
export const utcDay = z
  .string()
  .check(
    z.regex(/^[0-9]{4}-[0-9]{2}-[0-9]{2}$/, makeAboutField("must be a date as YYYY-MM-DD")),
    z.refine(isDay, makeAboutField("must be a date as YYYY-MM-DD")),
  );

function isDay(text: string): boolean {
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}
