/**
 * Schemas of single fields as LiteLLM stores them: dollars as floating point, times in UTC, lists
 * of PostgreSQL, nested JSON. Pure.
 */
import { quotaMax } from "@tollgate/contract/api/scalars.ts";
import * as z from "zod/mini";
import { parseDecimal, roundHalfUp } from "../../../money/decimal.ts";

/** Units to the dollar. */
const unitsPerDollar = 500_000n;

/**
 * Units of an amount in dollars, halves rounded up, from its shortest decimal text; below zero is
 * 0. Undefined for no number.
 */
export function findUnitsOfDollars(text: string): number | undefined {
  if (/^-(\d|Infinity)/i.test(text)) return 0;
  if (/^Infinity$/i.test(text)) return quotaMax;
  const amount = parseDecimal(text);
  if (!amount) return undefined;
  const units = roundHalfUp(amount, unitsPerDollar);
  return units > BigInt(quotaMax) ? quotaMax : Number(units);
}

const textOrNull = z.transform((value: unknown) =>
  value === null || value === undefined ? null : String(value).trim(),
);

/** Units; null where the source has no amount. */
export const dollars = z.pipe(
  textOrNull,
  z.pipe(
    z.transform((text: string | null) =>
      text === null || text === "" ? null : (findUnitsOfDollars(text) ?? Number.NaN),
    ),
    z.nullable(z.int()),
  ),
);

/** Milliseconds, from a time without a zone, which is in UTC; undefined where there is none. */
export const utcTime = z.pipe(
  textOrNull,
  z.pipe(
    z.transform((text: string | null) => {
      if (text === null || text === "") return undefined;
      const [, day, time = "00:00:00", zone = "+00"] =
        /^(\d{4}-\d\d-\d\d)[ T]?(\d\d:\d\d(?::\d\d(?:\.\d+)?)?)?(Z|[+-]\d\d(?::?\d\d)?)?$/.exec(
          text,
        ) ?? [];
      if (day === undefined) return Number.NaN;
      return Date.parse(`${day}T${time}${/^[+-]\d\d$/.test(zone) ? `${zone}:00` : zone}`);
    }),
    z.optional(z.int()),
  ),
);

/** Null where the source sets no limit. */
export const limitNumber = z.pipe(
  textOrNull,
  z.pipe(
    z.transform((text: string | null) => (text === null || text === "" ? null : Number(text))),
    z.nullable(z.int().check(z.minimum(0))),
  ),
);

/** A list of PostgreSQL as text: `{a,"b, c",NULL}`. */
export const textList = z.pipe(
  textOrNull,
  z.pipe(
    z.transform((text: string | null) => (text === null || text === "" ? [] : listItems(text))),
    z.array(z.string()),
  ),
);

/** Undefined for a text that is no list of one dimension. */
export function listItems(text: string): string[] | undefined {
  if (!/^\{.*\}$/s.test(text)) return undefined;
  const items: string[] = [];
  const item = /(?:"((?:[^"\\]|\\.)*)"|([^",{}\\]+))(,|$)/gsy;
  const inner = text.slice(1, -1);
  if (inner === "") return [];
  while (item.lastIndex < inner.length) {
    const found = item.exec(inner);
    if (!found) return undefined;
    const [, quoted, plain, end] = found;
    if (quoted !== undefined) items.push(quoted.replaceAll(/\\(.)/gs, "$1"));
    else if (plain !== undefined && plain !== "NULL") items.push(plain);
    if (end === "," && item.lastIndex === inner.length) return undefined;
  }
  return items;
}

/**
 * The object in a column of JSON, which may hold a text with JSON inside; empty for anything else.
 */
export function buildNestedObject(value: unknown): Readonly<Record<string, unknown>> {
  let inner = value;
  for (let depth = 0; depth < 2 && typeof inner === "string"; depth += 1) inner = parseJson(inner);
  return typeof inner === "object" && inner !== null && !Array.isArray(inner)
    ? (inner as Readonly<Record<string, unknown>>)
    : {};
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** `saysSomething` says whether a column of JSON says anything. */
export const saysSomething = (text: string): boolean =>
  !["", "null", "{}", "[]", '""', '"{}"'].includes(text);

/** Limits of keys, users and teams, whose names are those of a token here. */
export const litellmLimitNames = ["rpm_limit", "tpm_limit", "max_parallel_requests"] as const;
export const litellmLimits = {
  rpm_limit: limitNumber,
  tpm_limit: limitNumber,
  max_parallel_requests: limitNumber,
} satisfies Record<(typeof litellmLimitNames)[number], typeof limitNumber>;
