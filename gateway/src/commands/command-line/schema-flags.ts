/** Flags of a command from the schema of what it sends. Pure. */
import type { EndpointSchema } from "@tollgate/contract/api/endpoint.ts";
import { isJsonRecord } from "@tollgate/contract/api/json-record.ts";
import * as z from "zod/mini";
import { issueMessage } from "../../http/validation-errors.ts";
import { CommandError } from "./management-client.ts";

export interface SchemaFlag {
  /** The member of the schema. */
  member: string;
  /** `name` comes without the two dashes. */
  name: string;
  kind: "text" | "integer" | "boolean";
  /** `help` is what the schema says of the value. */
  help: string;
  isNullable: boolean;
}

interface JsonSchema {
  type?: string;
  const?: unknown;
  enum?: readonly unknown[];
  minimum?: number;
  maximum?: number;
  maxLength?: number;
  anyOf?: readonly JsonSchema[];
  properties?: Readonly<Record<string, JsonSchema>>;
}

export const defineJsonSchema = (schema: EndpointSchema): JsonSchema & Record<string, unknown> => {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
  return rest as JsonSchema & Record<string, unknown>;
};

/** Members that name the resource, or that the command line fills in itself. */
const ownMembers: ReadonlySet<string> = new Set(["id", "uuid", "updated_at"]);

export function listFlags(schema: EndpointSchema | undefined): SchemaFlag[] {
  if (!schema) return [];
  return (
    Object.entries(defineJsonSchema(schema).properties ?? {})
      .filter(([member]) => !ownMembers.has(member) && !member.endsWith("_read"))
      // What has members of its own is for programs: no flag could say it.
      .filter(([, property]) => listAlternatives(property).every(({ type }) => type !== "object"))
      .map(([member, property]) => buildFlag(member, property))
  );
}

const listAlternatives = (schema: JsonSchema): readonly JsonSchema[] =>
  schema.anyOf?.flatMap(listAlternatives) ?? [schema];

function buildFlag(member: string, property: JsonSchema): SchemaFlag {
  const parts = listAlternatives(property);
  const types = new Set(parts.map(({ type }) => type));
  const flag = { member, name: member.replaceAll("_", "-"), isNullable: types.has("null") };
  if (types.has("integer") || types.has("number"))
    return { ...flag, kind: "integer", help: rangeText(parts) };
  if (types.has("boolean")) return { ...flag, kind: "boolean", help: "true or false" };
  return { ...flag, kind: "text", help: formatChoicesText(parts) };
}

function rangeText(parts: readonly JsonSchema[]): string {
  const exact = parts.flatMap((part) => (typeof part.const === "number" ? [part.const] : []));
  if (exact.length > 0) return exact.join(", ");
  const [{ minimum = Number.MIN_SAFE_INTEGER, maximum = Number.MAX_SAFE_INTEGER } = {}] =
    parts.filter(({ type }) => type === "integer");
  const [least, most] = [minimum > Number.MIN_SAFE_INTEGER, maximum < Number.MAX_SAFE_INTEGER];
  if (least && most) return `${minimum} to ${maximum}`;
  return least ? `${minimum} or more` : "a number";
}

function formatChoicesText(parts: readonly JsonSchema[]): string {
  const choices = parts.flatMap((part) => part.enum ?? []);
  if (choices.length > 0) return choices.join(", ");
  const longest = Math.max(...parts.map(({ maxLength = 0 }) => maxLength));
  return longest > 0 ? `up to ${longest} characters` : "text";
}

/** The word for null, which removes a restriction. */
const none = "none";

/** Throws `CommandError` for a value of another kind. */
export function flagValue({ name, kind, isNullable }: SchemaFlag, text: string): unknown {
  if (isNullable && text === none) return null;
  switch (kind) {
    case "text":
      return text;
    case "boolean":
      if (text !== "true" && text !== "false") throw new CommandError(`--${name} is true or false`);
      return text === "true";
    case "integer":
      if (!/^-?\d{1,16}$/.test(text)) throw new CommandError(`--${name} is a whole number`);
      return Number(text);
  }
}

/**
 * Throws `CommandError` that names every member which does not fit. The values themselves are not
 * repeated.
 */
export function requireFitting(schema: EndpointSchema | undefined, value: unknown): void {
  if (!schema) return;
  const parsed = z.safeParse(schema, value, { error: issueMessage });
  if (parsed.success) return;
  const lines = parsed.error.issues.slice(0, 20).map(({ path, message }) => {
    const flag = String(path[0] ?? "").replaceAll("_", "-");
    return flag === "" ? message : `--${flag}: ${message}`;
  });
  throw new CommandError(lines.join("\n"));
}

/**
 * The members of a document that was given as JSON; throws `CommandError` for anything but an
 * object.
 */
export function buildJsonMembers(text: string, label: string): Record<string, unknown> {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    throw new CommandError(`${label} holds no JSON`);
  }
  if (!isJsonRecord(parsed)) throw new CommandError(`${label} holds no JSON object`);
  return parsed;
}
