/**
 * The shape of a reply as small data: the console reads it in place of the schema, which needs the
 * schema library.
 */
import type * as z from "zod/mini";

export type ReplyShape =
  | "text"
  | "number"
  | "flag"
  | "any"
  | { list: ReplyShape }
  | { record: ReplyShape }
  | { members: Readonly<Record<string, ReplyShape>> }
  | { optional: ReplyShape }
  | { nullable: ReplyShape };

/**
 * The members of zod's definitions that the shape depends on; zod's own types tell them apart only
 * by class.
 */
type SchemaDefinition = {
  type: string;
  element?: Schema;
  shape?: Record<string, Schema>;
  valueType?: Schema;
  innerType?: Schema;
  out?: Schema;
  options?: readonly Schema[];
  values?: readonly unknown[];
};
type Schema = z.core.$ZodType;

/** Values of more than one kind (a union of a number and a text) are `any`. */
export function replyShape(schema: Schema): ReplyShape {
  const definition = schema._zod.def as unknown as SchemaDefinition;
  const inner = (part: Schema | undefined): ReplyShape =>
    part === undefined ? "any" : replyShape(part);
  switch (definition.type) {
    case "string":
    case "enum":
    case "template_literal":
      return "text";
    case "number":
      return "number";
    case "boolean":
      return "flag";
    case "literal":
      return definition.values?.every((value) => typeof value === "string") === true
        ? "text"
        : "any";
    case "array":
      return { list: inner(definition.element) };
    case "record":
      return { record: inner(definition.valueType) };
    case "object":
      return { members: buildMembers(definition.shape ?? {}) };
    case "optional":
      return { optional: inner(definition.innerType) };
    case "nullable":
      return { nullable: inner(definition.innerType) };
    case "default":
    case "readonly":
      return inner(definition.innerType);
    case "pipe":
      return inner(definition.out);
    case "union":
      return buildCommonShape((definition.options ?? []).map(replyShape));
    default:
      return "any";
  }
}

export const buildMembers = (shape: Readonly<Record<string, Schema>>): Record<string, ReplyShape> =>
  Object.fromEntries(Object.entries(shape).map(([name, member]) => [name, replyShape(member)]));

const buildCommonShape = ([first, ...rest]: ReplyShape[]): ReplyShape =>
  typeof first === "string" && rest.every((shape) => shape === first) ? first : "any";
