/**
 * Google's API reads every member in two spellings, `functionDeclarations` and
 * `function_declarations`; translations read one.
 */
import { isRecord, type JsonRecord } from "../wire/json-parts.ts";

/**
 * `ownNames` are what the client or its tools wrote: names in there are the client's own. Schemas
 * are read by `buildJsonSchema`.
 */
const ownNames = new Set([
  "args",
  "response",
  "parameters",
  "parametersJsonSchema",
  "responseSchema",
  "responseJsonSchema",
  "labels",
]);

/** Google reads one entry as a list of one, and its own examples write it so. */
const listMembers = new Set(["contents", "parts", "tools", "functionDeclarations"]);

const readCamelCase = (name: string): string =>
  name.includes("_")
    ? name.replaceAll(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
    : name;

/**
 * A request with all names of Google's API in camel case, and how the client spelled those that it
 * wrote otherwise.
 */
export interface SpelledRequest {
  json: JsonRecord;
  spelled: ReadonlyMap<string, string>;
}

/** `inCamelCase` takes the camel case of two spellings of one name, unless it is null. */
export function inCamelCase(request: JsonRecord): SpelledRequest {
  const spelled = new Map<string, string>();

  function converted(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(converted);
    return isRecord(value) ? convertedMembers(value) : value;
  }

  function convertedMembers(json: JsonRecord): JsonRecord {
    const members = new Map<string, unknown>();
    // In less than half of the time of a list of the entries: there may be a hundred thousand.
    for (const given in json) {
      const value = json[given];
      const name = readCamelCase(given);
      if (name !== given) {
        if (Object.hasOwn(json, name) && json[name] !== null) continue;
        spelled.set(name, given);
      }
      const read = ownNames.has(name) ? value : converted(value);
      members.set(name, listMembers.has(name) && isRecord(read) ? [read] : read);
    }
    return Object.fromEntries(members);
  }

  return { json: convertedMembers(request), spelled };
}

/** Keywords whose members are names of the client, with a schema each. */
const namedSchemas = new Set(["properties", "$defs", "defs"]);
const schemaKeywords = new Set([
  "items",
  "additionalProperties",
  "anyOf",
  "oneOf",
  "allOf",
  "prefixItems",
]);

/**
 * Google's own schemas are JSON schemas with types in upper case, and keywords in both spellings.
 */
export function buildJsonSchema(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(buildJsonSchema);
  if (!isRecord(schema)) return schema;
  const members = Object.entries(schema).map(([spelled, value]) => {
    const keyword = readCamelCase(spelled);
    if (keyword === "type" && typeof value === "string") return [keyword, value.toLowerCase()];
    if (schemaKeywords.has(keyword)) return [keyword, buildJsonSchema(value)];
    if (!namedSchemas.has(keyword) || !isRecord(value)) return [keyword, value];
    return [
      keyword,
      Object.fromEntries(
        Object.entries(value).map(([name, property]) => [name, buildJsonSchema(property)]),
      ),
    ];
  });
  return Object.fromEntries(members);
}
