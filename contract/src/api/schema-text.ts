/**
 * A JSON Schema as people read it: the type in the notation of TypeScript, with its bounds as
 * comments. Pure.
 */

/** The parts of JSON Schema that the OpenAPI document of this gateway uses. */
export interface DocumentSchema {
  type?: string | readonly string[];
  properties?: Readonly<Record<string, DocumentSchema>>;
  required?: readonly string[];
  additionalProperties?: boolean | DocumentSchema;
  items?: DocumentSchema;
  anyOf?: readonly DocumentSchema[];
  oneOf?: readonly DocumentSchema[];
  allOf?: readonly DocumentSchema[];
  enum?: readonly unknown[];
  const?: unknown;
  $ref?: string;
  default?: unknown;
  description?: string;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
}

/**
 * Schemas refer to themselves only through `$ref`, which is not followed; the bound is against
 * documents of other servers.
 */
const depthMax = 12;

export function formatSchemaText(schema: DocumentSchema, indent = "", depth = 0): string {
  if (depth > depthMax) return "…";
  const inner = (part: DocumentSchema) => formatSchemaText(part, indent, depth + 1);
  if (schema.$ref !== undefined) return schema.$ref.split("/").at(-1) ?? "unknown";
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return [...new Set(choices.map(inner))].join(" | ");
  if (schema.allOf) return schema.allOf.map(inner).join(" & ");
  if (Array.isArray(schema.type)) return schema.type.join(" | ");
  if (schema.properties && Object.keys(schema.properties).length > 0) {
    const deeper = `${indent}  `;
    const lines = Object.entries(schema.properties).map(([name, member]) => {
      const mark = schema.required?.includes(name) ? "" : "?";
      const note = formatBoundsText(member);
      return `${deeper}${name}${mark}: ${formatSchemaText(member, deeper, depth + 1)}${note && ` // ${note}`}`;
    });
    return `{\n${lines.join("\n")}\n${indent}}`;
  }
  if (schema.type === "array") {
    const item = inner(schema.items ?? {});
    return item.includes(" | ") && !item.startsWith("{") ? `(${item})[]` : `${item}[]`;
  }
  if (schema.type === "object") {
    const { additionalProperties: more } = schema;
    return typeof more === "object" && Object.keys(more).length > 0
      ? `{ [name]: ${inner(more)} }`
      : "object";
  }
  return typeof schema.type === "string" ? schema.type : "any";
}

const isBound = (value: number | undefined): value is number =>
  value !== undefined && Math.abs(value) !== Number.MAX_SAFE_INTEGER;

/** The default of what is sent stands in the description of a member. */
const readDefaultText = ({ description = "" }: DocumentSchema): string => {
  const at = description.indexOf("By default ");
  return at < 0 ? "" : `b${description.slice(at + 1)}`;
};

/** Such as `0 to 604800`, `1 to 30 characters, by default ""`. */
export function formatBoundsText(schema: DocumentSchema): string {
  const range = (min: number | undefined, max: number | undefined, unit: string) => {
    const [from, to] = [isBound(min), isBound(max)];
    if (from && to) return `${min} to ${max}${unit}`;
    if (from) return `at least ${min}${unit}`;
    return to ? `at most ${max}${unit}` : "";
  };
  return [
    range(schema.minimum, schema.maximum, ""),
    range(schema.minLength, schema.maxLength, " characters"),
    range(schema.minItems, schema.maxItems, " entries"),
    schema.default === undefined
      ? readDefaultText(schema)
      : `by default ${JSON.stringify(schema.default)}`,
  ]
    .filter(Boolean)
    .join(", ");
}
