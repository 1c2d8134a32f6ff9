// Values for generated requests: mostly valid, sometimes just outside of the schema, sometimes
// nonsense.
import { invalidValues, type JsonSchemaNode } from "@tollgate/tests/api/invalid-values.ts";

export type RandomSource = () => number;

export const pick = <Thing>(random: RandomSource, things: readonly Thing[]): Thing =>
  things[Math.floor(random() * things.length)] as Thing;
export const chance = (random: RandomSource, share: number): boolean => random() < share;

const uuid = "01994a10-0000-7000-8000-000000000001";
/** Texts that have broken parsers, databases, logs and pages elsewhere. */
const oddTexts = [
  "",
  " ",
  "x",
  "a\u0000b",
  "\ud800",
  "\u202e\u2066",
  "ＩＤ",
  "' or 1=1 --",
  "$(id)",
  "{{7*7}}",
  "<script>alert(1)</script>",
  "../../etc/passwd",
  "%00%ff",
  "__proto__",
  "constructor",
  "null",
  "NaN",
  "1e309",
  "-0",
  "9".repeat(40),
  "0x7fffffffffffffff",
  "x".repeat(300),
  "é".repeat(5_000),
  "😀".repeat(60),
  "a,b,,c",
  "{}",
  "[",
  '{"a":1}',
  "\r\nset-cookie: a=b",
  uuid,
  "0199aa10-0000-4000-8000-000000000001",
];
const oddNumbers = [
  0,
  1,
  -1,
  2,
  7,
  0.5,
  1e15,
  2 ** 53,
  2 ** 63,
  -(2 ** 63),
  1e300,
  -1e300,
  253_402_300_800,
  4_294_967_296,
];

export const oddText = (random: RandomSource): string => pick(random, oddTexts);

/** Any JSON value. */
export function nonsense(random: RandomSource, depth = 3): unknown {
  const kind = random();
  if (kind < 0.3) return oddText(random);
  if (kind < 0.55) return pick(random, oddNumbers);
  if (kind < 0.65) return pick(random, [null, true, false]);
  if (depth === 0) return [];
  const length = Math.floor(random() * 4);
  if (kind < 0.8) return Array.from({ length }, () => nonsense(random, depth - 1));
  return Object.fromEntries(
    Array.from({ length }, () => [oddText(random), nonsense(random, depth - 1)]),
  );
}

/** Existing values by field name, so that requests pass the first check. */
export type KnownValues = Readonly<Record<string, readonly unknown[]>>;

/**
 * A value for a field: an existing one, a valid one, one just outside of the schema, or any JSON.
 */
export function valueFor(
  random: RandomSource,
  name: string,
  schema: JsonSchemaNode,
  known: KnownValues,
): unknown {
  const kind = random();
  const defaults = known[name];
  if (defaults && kind < 0.7) return pick(random, defaults);
  if (kind < 0.82) return validValue(random, schema, known);
  if (kind < 0.93) return pick(random, valuesOutside(schema));
  return nonsense(random);
}

const outside = new WeakMap<JsonSchemaNode, unknown[]>();
function valuesOutside(schema: JsonSchemaNode): unknown[] {
  const found = outside.get(schema) ?? [...invalidValues(schema), null];
  outside.set(schema, found);
  return found;
}

function validValue(random: RandomSource, schema: JsonSchemaNode, known: KnownValues): unknown {
  if (schema.anyOf) return validValue(random, pick(random, schema.anyOf), known);
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return pick(random, schema.enum);
  const { minimum = 0, maximum = 1_000_000 } = schema;
  switch (schema.type) {
    case "boolean":
      return chance(random, 0.5);
    case "integer":
    case "number":
      return pick(random, [minimum, minimum + 1, maximum, Math.min(maximum, Math.max(minimum, 5))]);
    case "null":
      return null;
    case "array":
      return Array.from({ length: Math.floor(random() * 3) }, () => nonsense(random, 1));
    case "object":
      return bodyFor(random, schema, known);
    default:
      return pick(random, [
        "x",
        "a name",
        "{}",
        "[]",
        `n${Math.floor(random() * 1e6)}`,
        uuid,
        "2026-11-20",
        "5",
      ]).slice(0, schema.maxLength);
  }
}

/** Members of an object schema, each sometimes missing, and sometimes an unknown one. */
export function bodyFor(
  random: RandomSource,
  { properties = {}, required = [] }: JsonSchemaNode,
  known: KnownValues,
): unknown {
  const body: Record<string, unknown> = {};
  for (const [name, schema] of Object.entries(properties))
    if (chance(random, required.includes(name) ? 0.95 : 0.4))
      body[name] = valueFor(random, name, schema, known);
  if (chance(random, 0.05)) body[oddText(random)] = nonsense(random);
  return body;
}
