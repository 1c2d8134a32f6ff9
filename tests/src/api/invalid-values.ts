// Values that a JSON Schema forbids: every wrong type, and just outside every bound.
export interface JsonSchemaNode {
  type?: string;
  anyOf?: JsonSchemaNode[];
  enum?: unknown[];
  const?: unknown;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  properties?: Record<string, JsonSchemaNode>;
  required?: string[];
}

const typeSamples: [type: string, value: unknown][] = [
  ["null", null],
  ["boolean", true],
  ["integer", 7],
  ["number", 1.5],
  ["string", "\u2028 text that means nothing"],
  ["array", []],
  ["array", [1]],
  ["object", {}],
  ["object", { id: 1 }],
];

const alternatives = (schema: JsonSchemaNode): JsonSchemaNode[] =>
  schema.anyOf ? schema.anyOf.flatMap(alternatives) : [schema];

/** `isAllowed` says whether a value is fine for one alternative, as far as types and bounds say. */
function isAllowed({ type, ...bounds }: JsonSchemaNode, value: unknown): boolean {
  if (bounds.const !== undefined) return value === bounds.const;
  if (bounds.enum) return bounds.enum.includes(value);
  switch (type) {
    case undefined:
      return true;
    case "null":
      return value === null;
    case "boolean":
      return typeof value === "boolean";
    case "integer":
    case "number":
      return (
        typeof value === "number" &&
        (type === "number" || Number.isSafeInteger(value)) &&
        value >= (bounds.minimum ?? Number.NEGATIVE_INFINITY) &&
        value <= (bounds.maximum ?? Number.POSITIVE_INFINITY)
      );
    case "string":
      return (
        typeof value === "string" &&
        value.length >= (bounds.minLength ?? 0) &&
        value.length <= (bounds.maxLength ?? Number.POSITIVE_INFINITY) &&
        (bounds.pattern === undefined || new RegExp(bounds.pattern, "u").test(value))
      );
    case "array":
      return Array.isArray(value);
    default:
      return typeof value === "object" && value !== null && !Array.isArray(value);
  }
}

function outOfBounds({
  type,
  minimum,
  maximum,
  minLength,
  maxLength,
  enum: members,
}: JsonSchemaNode): unknown[] {
  if (type === "integer" || type === "number")
    return [
      ...(minimum === undefined ? [] : [minimum - 1]),
      // Beyond the safe integers the next number is further away.
      ...(maximum === undefined ? [] : [maximum + 2, 1e300]),
      0.5,
      Number.MAX_SAFE_INTEGER + 2,
    ];
  if (type === "string")
    return [
      ...(minLength ? ["x".repeat(minLength - 1)] : []),
      ...(maxLength === undefined ? [] : ["x".repeat(maxLength + 1)]),
      ...(members ? ["not one of them"] : []),
      "with\u0000nul",
    ];
  return [];
}

export function invalidValues(schema: JsonSchemaNode): unknown[] {
  const all = alternatives(schema);
  const candidates = [...typeSamples.map(([, value]) => value), ...all.flatMap(outOfBounds)];
  return candidates.filter(
    (value) =>
      (typeof value === "string" && value.includes("\0")) ||
      !all.some((one) => isAllowed(one, value)),
  );
}
