/** JSON schemas of tools in the part of the language that a provider reads. Pure. */
import { isRecord, type JsonRecord, record, records, text } from "../wire/json-parts.ts";

const depthMax = 64;
const alternatives = ["oneOf", "anyOf", "allOf"] as const;

export const emptyObjectSchema: JsonRecord = { type: "object", properties: {} };

const isObjectSchema = ({ type }: JsonRecord): boolean => type === "object";

/**
 * "schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top
 * level", nor null properties.
 */
export const isRefusedRoot = (schema: unknown): boolean =>
  !isRecord(schema) ||
  !isObjectSchema(schema) ||
  (schema.properties !== undefined && !isRecord(schema.properties)) ||
  [...alternatives, "enum", "not"].some((word) => schema[word] !== undefined);

/**
 * `addObjectRoot` gives one object in place of alternatives: every property of any, and what all of
 * them require.
 */
export function addObjectRoot(schema: unknown): JsonRecord {
  const { oneOf, anyOf, allOf, enum: _, not: __, ...root } = record(schema);
  const choices = [...records(oneOf), ...records(anyOf)];
  const parts = records(allOf);
  const requiredBy = (one: JsonRecord): unknown[] =>
    Array.isArray(one.required) ? (one.required as unknown[]) : [];
  const inAll = choices
    .map(requiredBy)
    .reduce<unknown[] | undefined>(
      (common, names) =>
        common === undefined ? names : common.filter((name) => names.includes(name)),
      undefined,
    );
  const required = new Set([...requiredBy(root), ...parts.flatMap(requiredBy), ...(inAll ?? [])]);
  const properties = Object.assign(
    {},
    ...[...choices, ...parts, root].map((one) => record(one.properties)),
  ) as JsonRecord;
  const { required: ___, ...others } = root;
  return {
    ...others,
    type: "object",
    properties,
    ...(required.size > 0 && { required: [...required] }),
  };
}

/** Members whose values are maps from names to schemas, schemas, and lists of schemas. */
const schemaMaps = ["properties", "patternProperties", "$defs", "definitions"];
const schemaMembers = [
  "items",
  "additionalProperties",
  "not",
  "if",
  "then",
  "else",
  "contains",
  "propertyNames",
];
const schemaLists = ["anyOf", "oneOf", "allOf", "prefixItems"];

type SchemaChange = (schema: JsonRecord) => JsonRecord;

/**
 * The schema and every schema in it, changed from the outside inwards; the same object where
 * nothing changes.
 */
export function mapSchemas(schema: JsonRecord, change: SchemaChange, depth = 0): JsonRecord {
  if (depth > depthMax) return schema;
  let changed = change(schema);
  const put = (name: string, value: unknown): void => {
    if (value !== changed[name]) changed = { ...changed, [name]: value };
  };
  const inner = (one: unknown): unknown =>
    isRecord(one) ? mapSchemas(one, change, depth + 1) : one;
  for (const name of schemaMaps) {
    const map = changed[name];
    if (!isRecord(map)) continue;
    const entries = Object.entries(map).map(([key, one]) => [key, inner(one)] as const);
    if (entries.some(([key, one]) => map[key] !== one)) put(name, Object.fromEntries(entries));
  }
  for (const name of schemaMembers) if (isRecord(changed[name])) put(name, inner(changed[name]));
  for (const name of schemaLists) {
    const list = changed[name];
    if (!Array.isArray(list)) continue;
    const mapped = (list as unknown[]).map(inner);
    if (mapped.some((one, index) => one !== (list as unknown[])[index])) put(name, mapped);
  }
  return changed;
}

const isArraySchema = ({ type }: JsonRecord): boolean =>
  type === "array" || (Array.isArray(type) && (type as unknown[]).includes("array"));

/** "array schema missing items". */
export const withItems = (schema: JsonRecord): JsonRecord =>
  mapSchemas(schema, (one) =>
    isArraySchema(one) && one.items === undefined && one.prefixItems === undefined
      ? { ...one, items: {} }
      : one,
  );

/**
 * `removeReferences` gives a schema without references and addresses: in the place of a `$ref`
 * stands the schema that it names, and a schema that names itself is any object.
 */
export function removeReferences(schema: JsonRecord): JsonRecord {
  const { $defs, definitions } = schema;
  const named: JsonRecord = { ...record(definitions), ...record($defs) };
  const resolve = (one: JsonRecord, seen: readonly string[]): JsonRecord => {
    const { $ref, $schema: _, $id: __, $defs: ___, definitions: ____, ...rest } = one;
    const name = /^#\/(?:\$defs|definitions)\/(.+)$/.exec(text($ref))?.[1];
    if (name === undefined) return rest;
    const target = named[name];
    if (seen.includes(name) || !isRecord(target)) return { type: "object", ...rest };
    return expand({ ...target, ...rest }, [...seen, name]);
  };
  const expand = (one: JsonRecord, seen: readonly string[]): JsonRecord =>
    mapInner(resolve(one, seen), (inner) => expand(inner, seen));
  return expand(schema, []);
}

/** Each schema directly inside, changed; those further in are the change's own affair. */
function mapInner(schema: JsonRecord, change: SchemaChange): JsonRecord {
  const inner = (one: unknown): unknown => (isRecord(one) ? change(one) : one);
  const changed: Record<string, unknown> = { ...schema };
  for (const name of schemaMaps)
    if (isRecord(schema[name]))
      changed[name] = Object.fromEntries(
        Object.entries(schema[name]).map(([key, one]) => [key, inner(one)]),
      );
  for (const name of schemaMembers) if (isRecord(schema[name])) changed[name] = inner(schema[name]);
  for (const name of schemaLists)
    if (Array.isArray(schema[name])) changed[name] = (schema[name] as unknown[]).map(inner);
  return changed;
}

/**
 * `isCompleteForStrict` gives what OpenAI demands of a schema that is strict: every object closed,
 * all its properties required, and no `allOf`.
 */
export function isCompleteForStrict(schema: unknown): boolean {
  if (!isRecord(schema)) return false;
  let isComplete = true;
  mapSchemas(schema, (one) => {
    const names = isRecord(one.properties) ? Object.keys(one.properties) : [];
    const required: readonly unknown[] = Array.isArray(one.required) ? one.required : [];
    const isObject = one.type === "object" || names.length > 0;
    if (
      isObject &&
      (one.additionalProperties !== false || !names.every((name) => required.includes(name)))
    )
      isComplete = false;
    if (one.allOf !== undefined) isComplete = false;
    return one;
  });
  return isComplete;
}

/** Words for bounds, which a grammar of Anthropic's cannot keep: the model reads them instead. */
const boundWords = [
  ...["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"],
  ...["minLength", "maxLength", "maxItems", "uniqueItems", "minProperties", "maxProperties"],
  ...["patternProperties", "propertyNames", "contains", "not", "if", "then", "else"],
];
const grammarFormats = new Set<unknown>([
  ...["date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid"],
]);

/** The bounds of one schema that no grammar keeps. */
function listBounds(schema: JsonRecord): string[] {
  const { format, minItems } = schema;
  return [
    ...boundWords.filter((word) => schema[word] !== undefined),
    ...(format !== undefined && !grammarFormats.has(format) ? ["format"] : []),
    ...(typeof minItems === "number" && minItems > 1 ? ["minItems"] : []),
  ];
}

/**
 * `closeForGrammar` gives the schema of an answer as Anthropic takes it: every object closed, and
 * bounds in the description. https://platform.claude.com/docs/en/build-with-claude/structured-outputs
 */
export const closeForGrammar = (schema: JsonRecord): JsonRecord =>
  mapSchemas(schema, (one) => {
    const bounds = listBounds(one);
    const isObject = one.type === "object" || isRecord(one.properties);
    const isOpen = isObject && one.additionalProperties !== false;
    if (bounds.length === 0 && !isOpen && one.oneOf === undefined) return one;
    const { oneOf, ...rest } = one;
    const kept = Object.fromEntries(
      Object.entries(rest).filter(([name]) => !bounds.includes(name)),
    );
    const said = bounds.map((name) => `${name}: ${JSON.stringify(one[name])}`).join(", ");
    const description = [text(one.description), said && `{${said}}`].filter(Boolean).join(" ");
    return {
      ...kept,
      ...(oneOf !== undefined && { anyOf: one.anyOf ?? oneOf }),
      ...(description !== "" && { description }),
      ...(isOpen && { additionalProperties: false }),
    };
  });

/** `writeSchemaInWords` asks for JSON where the provider takes no schema. */
export const writeSchemaInWords = (schema: unknown): string =>
  schema === undefined
    ? "Answer in JSON."
    : `Answer in JSON of this schema: ${JSON.stringify(schema)}`;

/** `removeRepeatedNames` keeps the first tool of each name; the provider's own may have none. */
export const removeRepeatedNames = (tools: unknown): unknown => {
  const names = new Set<unknown>();
  return records(tools).filter(({ name }) => {
    const isRepeated = name !== undefined && names.has(name);
    names.add(name);
    return !isRepeated;
  });
};

export function hasRepeatedNames(tools: unknown): boolean {
  const names = records(tools).flatMap(({ name }) => (name === undefined ? [] : [name]));
  return new Set(names).size < names.length;
}
