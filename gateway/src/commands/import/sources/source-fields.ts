/**
 * Schemas of single fields as other systems store them: NULL for defaults, numbers as text, padded
 * and oversized texts.
 */
import { quotaMax } from "@tollgate/contract/api/scalars.ts";
import * as z from "zod/mini";
import type { SourceRow } from "./source-tables.ts";

const wholeText = /^-?\d{1,16}$/;

function buildWhole(value: unknown): unknown {
  if (typeof value === "bigint" || typeof value === "boolean") return Number(value);
  if (typeof value === "string") return wholeText.test(value.trim()) ? Number(value) : value;
  return value;
}

export const defineWholeNumber = (fallback = 0) =>
  z.pipe(
    z.transform((value: unknown) => buildWhole(value ?? fallback)),
    z.int(),
  );

/** Units, which may be owed. */
export const sourceUnits = z.pipe(
  z.transform((value: unknown) => buildWhole(value ?? 0)),
  z.int().check(z.minimum(-quotaMax), z.maximum(quotaMax)),
);

/**
 * Milliseconds, from seconds or milliseconds: later versions store both. Undefined for never and
 * unknown.
 */
const firstMilliseconds = 100_000_000_000;
/** The end of the year 9999. */
const lastMilliseconds = 253_402_300_799_999;
export const sourceTime = z.pipe(
  z.transform((value: unknown) => buildWhole(value ?? 0)),
  z.pipe(
    z.int().check(z.maximum(lastMilliseconds)),
    z.transform((time) => (time <= 0 ? undefined : time < firstMilliseconds ? time * 1000 : time)),
  ),
);

/**
 * `formatSourceText` leaves out the NUL characters that PostgreSQL cannot store, and the blanks
 * that pad fixed columns.
 */
export const formatSourceText = (max: number) =>
  z.pipe(
    z.transform((value: unknown) =>
      value === null || typeof value === "object" ? (value === null ? "" : value) : String(value),
    ),
    z.pipe(
      z.string().check(z.maxLength(max)),
      z.transform((text) => text.replaceAll("\u0000", "").trim()),
    ),
  );

export const sourceFlag = z.pipe(
  z.transform((value: unknown) => ["1", "t", "true"].includes(String(value ?? "").toLowerCase())),
  z.boolean(),
);

/** A row with every field of a schema: what the table lacks is NULL. */
export const fillRow = (
  row: SourceRow,
  shape: Readonly<Record<string, unknown>>,
): Record<string, unknown> =>
  Object.fromEntries(Object.keys(shape).map((name) => [name, row[name] ?? null]));

/** The object that a field holds as JSON; undefined where it holds something else. */
export function parseJsonObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}

/** The names in a comma-separated list: trimmed, without empty and repeated ones. */
export const parseNames = (list: string): string[] => [
  ...new Set(
    list
      .split(",")
      .map((name) => name.trim())
      .filter(Boolean),
  ),
];
