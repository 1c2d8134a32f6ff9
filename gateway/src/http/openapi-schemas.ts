/**
 * Names of schemas in the OpenAPI document: those of the contract's exports, and of the operation
 * for what it alone has.
 */
import type { EndpointSchema } from "@tollgate/contract/api/endpoint.ts";
import { contractModules } from "@tollgate/contract/catalogue/catalogue.ts";
import * as z from "zod/mini";

export type OpenApiObject = Record<string, unknown>;
const uri = (id: string): string => `#/components/schemas/${id}`;
const reference = /"#\/components\/schemas\/(\w+)"/g;
/** No export of the contract ends in it. */
const sentSuffix = "Sent";
type Direction = "input" | "output";

/**
 * Schemas that a generated client should have a type for; texts and numbers stand where they are
 * used.
 */
const namedTypes: ReadonlySet<string> = new Set([
  "object",
  "union",
  "enum",
  "record",
  "intersection",
]);

const isSchema = (value: unknown): value is EndpointSchema =>
  typeof value === "object" && value !== null && "_zod" in value;
const buildTypeName = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);

type Conversion = Pick<
  NonNullable<Parameters<typeof z.toJSONSchema>[1]>,
  "unrepresentable" | "override"
>;

/**
 * A default of what is sent stands in words: generators of clients take a member of a named schema
 * that has `default` for one that must be sent. The bounds that every whole number of JavaScript
 * has say nothing about a member.
 */
const buildConversion = (io: Direction): Conversion => ({
  unrepresentable: "any",
  override({ jsonSchema }) {
    if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
    if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
    if (io === "output" || jsonSchema.default === undefined) return;
    const words = `By default ${JSON.stringify(jsonSchema.default)}`;
    jsonSchema.description =
      jsonSchema.description === undefined ? words : `${jsonSchema.description}. ${words}`;
    delete jsonSchema.default;
  },
});

export function buildJsonSchema(schema: EndpointSchema, io: Direction): OpenApiObject {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, {
    io,
    ...buildConversion(io),
  }) as OpenApiObject;
  return rest;
}

/**
 * Schemas by name. A schema that is sent and answered in two forms, such as one with defaults, has
 * a second name for what is sent, which ends in `Sent`.
 */
export function createSchemaNames() {
  const registry = z.registry<{ id: string }>();
  const taken = new Set<string>();

  const add = (schema: EndpointSchema, name: string): void => {
    if (registry.has(schema)) return;
    let id = buildTypeName(name);
    for (let count = 2; taken.has(id); count += 1) id = `${buildTypeName(name)}${count}`;
    taken.add(id);
    registry.add(schema, { id });
  };

  for (const { exports } of contractModules)
    for (const [name, value] of Object.entries(exports))
      if (isSchema(value) && namedTypes.has(value._zod.def.type)) add(value, name);

  const convert = (io: Direction): Map<string, OpenApiObject> => {
    const { schemas } = z.toJSONSchema(registry, { io, uri, ...buildConversion(io) });
    return new Map(
      Object.entries(schemas).map(([id, converted]) => {
        const { $schema: _, $id: __, id: ___, ...schema } = converted as OpenApiObject;
        return [id, schema];
      }),
    );
  };

  return {
    add,
    /**
     * Every schema by its name, and a reference to each; `answered` are those that replies hold.
     * Nothing is named after this.
     */
    close(answered: readonly EndpointSchema[]) {
      const outputs = convert("output");
      const inputs = new Map(
        [...convert("input")].map(([id, schema]) => [id, JSON.stringify(schema)]),
      );
      const refers = (text: string, id: string): boolean => text.includes(`"${uri(id)}"`);
      const sent = new Set(
        [...inputs]
          .filter(([id, text]) => text !== JSON.stringify(outputs.get(id)))
          .map(([id]) => id),
      );
      // What refers to a schema of two forms has two forms itself.
      for (let before = -1; before !== sent.size; ) {
        before = sent.size;
        for (const [id, text] of inputs)
          if (!sent.has(id) && [...sent].some((other) => refers(text, other))) sent.add(id);
      }
      const idOf = (schema: EndpointSchema): string => registry.get(schema)?.id ?? "";
      const schemas = Object.fromEntries(outputs);
      const shown = new Set(
        Object.keys(
          pickReferred(
            schemas,
            answered.map((schema) => ({ $ref: uri(idOf(schema)) })),
          ),
        ),
      );
      const nameSent = (id: string): string =>
        sent.has(id) && shown.has(id) ? id + sentSuffix : id;
      for (const id of sent) {
        const text = inputs.get(id) ?? "{}";
        schemas[nameSent(id)] = JSON.parse(
          text.replaceAll(reference, (_, other: string) => `"${uri(nameSent(other))}"`),
        );
      }
      return {
        schemas,
        refer: (schema: EndpointSchema, io: Direction): OpenApiObject => ({
          $ref: uri(io === "input" ? nameSent(idOf(schema)) : idOf(schema)),
        }),
      };
    },
  };
}

/** The schemas that a part of the document names, and those that they name in turn. */
export function pickReferred(schemas: OpenApiObject, part: unknown): OpenApiObject {
  const picked = new Map<string, unknown>();
  const waiting = [part];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop())
    for (const [, name = ""] of JSON.stringify(next).matchAll(reference)) {
      if (picked.has(name)) continue;
      picked.set(name, schemas[name]);
      waiting.push(schemas[name]);
    }
  return Object.fromEntries([...picked].sort(([one], [other]) => (one < other ? -1 : 1)));
}
