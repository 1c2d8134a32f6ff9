/**
 * Members of LiteLLM's requests: read, or refused by their name, so that no script believes in a
 * limit that nothing keeps. Pure.
 */
import * as z from "zod/mini";
import { ForeignRefused } from "./foreign-call.ts";

/** Units to the dollar. */
const unitsPerDollar = 500_000;
export const computeUnits = (dollars: number): number => Math.round(dollars * unitsPerDollar);
export const formatDollars = (units: number): number => units / unitsPerDollar;

/**
 * `isNothing` gives what asks for nothing: a program that fills in every member of a form sends
 * such values.
 */
function isNothing(value: unknown): boolean {
  if (value === null || value === undefined || value === "" || value === false) return true;
  return typeof value === "object" && Object.keys(value).length === 0;
}

/** Parses the members of a schema; any other that asks for something is refused. */
export function buildMembers<Shape extends z.ZodMiniObject>(
  schema: Shape,
  body: Readonly<Record<string, unknown>>,
): z.output<Shape> {
  const known = Object.keys(schema._zod.def.shape);
  const other = Object.keys(body).find((name) => !known.includes(name) && !isNothing(body[name]));
  if (other !== undefined) throw new ForeignRefused(400, `${other} has no counterpart here`, other);
  const named = Object.fromEntries(
    known.filter((name) => (body[name] ?? null) !== null).map((name) => [name, body[name]]),
  );
  const parsed = z.safeParse(schema, named);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const field = String(issue?.path[0] ?? "");
  throw new ForeignRefused(400, `${field} is not as expected`, field);
}

const secondsOf: Readonly<Record<string, number>> = {
  s: 1,
  m: 60,
  h: 3_600,
  d: 86_400,
  w: 604_800,
  mo: 2_592_000,
};

/** `30s`, `30m`, `30h`, `30d`, `2w` or `1mo`, in milliseconds. */
export const duration = z.pipe(
  z.string().check(z.regex(/^\d{1,6}(s|m|h|d|w|mo)$/)),
  z.transform((text) => {
    const [, count = "0", unit = "s"] = /^(\d+)(\D+)$/.exec(text) ?? [];
    return Number(count) * (secondsOf[unit] ?? 1) * 1000;
  }),
);

/** Dollars; above this, units leave the range of exact integers. */
export const budget = z.number().check(z.minimum(0), z.maximum(1_000_000_000));
export const shortText = z.string().check(z.maxLength(256));
export const isUuid = (text: string): boolean =>
  /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text);

/** Lists are counted from page 1. */
const sizeMax = 100;
export function readPage(
  query: Readonly<Record<string, string>>,
  sizeName: string,
): { page: number; size: number } {
  const whole = (name: string, fallback: number): number => {
    const value = Number(query[name] ?? fallback);
    if (!Number.isSafeInteger(value) || value < 1)
      throw new ForeignRefused(400, `${name} must be 1 or more`, name);
    return value;
  };
  return { page: whole("page", 1), size: Math.min(whole(sizeName, 10), sizeMax) };
}
