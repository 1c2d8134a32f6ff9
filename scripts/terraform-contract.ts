/**
 * terraform/internal/provider/contract.json: the resources of the Terraform provider, from the
 * schemas that make the OpenAPI document. Pure, but for the comments, which it reads in the sources.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { managementKeyPrefix } from "@tollgate/contract/accounts/management-keys.ts";
import type { Endpoint, EndpointSchema } from "@tollgate/contract/api/endpoint.ts";
import { dryRunHeader, idempotencyHeader } from "@tollgate/contract/api/envelope.ts";
import { bodyReference } from "@tollgate/contract/api/ids.ts";
import { type DocumentSchema, formatBoundsText } from "@tollgate/contract/api/schema-text.ts";
import { isSecretOption } from "@tollgate/contract/site/options.ts";
import { buildJsonSchema } from "@tollgate/gateway/http/openapi-schemas.ts";
import {
  type TerraformResource,
  terraformLists,
  terraformResources,
} from "./terraform-resources.ts";

const contractDir = join(import.meta.dirname, "../contract/src");
/** `<member>_read` carries the value that a change is a difference to. */
const readSuffix = "_read";
/** The members that a request names its row and version by. */
const requestMembers: ReadonlySet<string> = new Set([...Object.keys(bodyReference), "updated_at"]);
/** The members of replies that a resource has beside those that requests send. */
const identity = ["id", "uuid"] as const;

/** `TerraformType` is the type of an attribute: a scalar, or one that holds others. */
export type TerraformType =
  | { kind: "string" | "integer" | "number" | "boolean" }
  | { kind: "list" | "map"; of: TerraformType }
  | { kind: "object"; members: Readonly<Record<string, TerraformMember>> };

/** A member of an object within an attribute: of these the whole is sent and compared. */
export interface TerraformMember {
  type: TerraformType;
  description: string;
  required: boolean;
}

export interface TerraformAttribute extends TerraformMember {
  /** The member of the reply that has its value; without one it stays as it was written. */
  read?: string;
  /** `read` counts where the attribute `subject` has this value. */
  read_where_subject?: string;
  /** In no reply: the state keeps it as sensitive, or nothing keeps it (`<name>_wo`). */
  secret?: true;
  /** Read and compared, and never printed. */
  sensitive?: true;
  /** In the reply to the creation alone. */
  shown_once?: true;
  in_creation?: true;
  in_change?: true;
  /** A change after the creation sends it. */
  after_creation?: true;
  /** The member that carries the value before a change. */
  difference?: string;
}

interface TerraformCall {
  method: string;
  path: string;
  scope: string;
}

const buildCall = ({ method, path, scope }: Endpoint): TerraformCall => ({
  method,
  path: path.replace(/:(\w+)/g, "{$1}"),
  scope,
});

const isNull = ({ type, const: only }: DocumentSchema): boolean => type === "null" || only === null;

/** The alternatives of a type have one kind, besides null. */
function readType(schema: DocumentSchema, where: string): TerraformType {
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) {
    const types = choices.filter((one) => !isNull(one)).map((one) => readType(one, where));
    const [first] = types;
    if (!first || types.some(({ kind }) => kind !== first.kind))
      throw new Error(`${where}: Terraform has no type for a choice of several`);
    return first;
  }
  if (schema.enum || schema.const !== undefined) {
    const kind = typeof (schema.enum?.[0] ?? schema.const);
    if (kind === "string" || kind === "boolean") return { kind };
    if (kind === "number") return { kind: "integer" };
  }
  switch (schema.type) {
    case "string":
    case "integer":
    case "number":
    case "boolean":
      return { kind: schema.type };
    case "array":
      return { kind: "list", of: readType(schema.items ?? {}, where) };
    case "object":
      if (schema.properties)
        return {
          kind: "object",
          members: Object.fromEntries(
            Object.entries(schema.properties).map(([name, member]) => [
              name,
              {
                type: readType(member, `${where}.${name}`),
                description: describe(member),
                required: schema.required?.includes(name) ?? false,
              },
            ]),
          ),
        };
      if (typeof schema.additionalProperties === "object")
        return { kind: "map", of: readType(schema.additionalProperties, where) };
  }
  throw new Error(`${where}: Terraform has no type for ${JSON.stringify(schema)}`);
}

/** The values that a text or number may have; none where any may. */
function listValues(schema: DocumentSchema): readonly unknown[] {
  if (schema.enum) return schema.enum;
  if (schema.const !== undefined) return [schema.const];
  const choices = (schema.anyOf ?? schema.oneOf ?? []).filter((one) => !isNull(one));
  const values = choices.map(listValues);
  return values.every((some) => some.length > 0) ? values.flat() : [];
}

function describe(schema: DocumentSchema, sentence = ""): string {
  const one = (schema.anyOf ?? schema.oneOf)?.find((choice) => !isNull(choice));
  const values = listValues(schema).map((value) => JSON.stringify(value));
  const bounds = formatBoundsText(one ? { ...one, ...schema } : schema);
  return [sentence, values.join(", "), bounds]
    .map((part) => part.replace(/\.$/, ""))
    .filter(Boolean)
    .map((part) => part.charAt(0).toUpperCase() + part.slice(1))
    .join(". ");
}

/** The comment of each member within the exports of a module; the first of a name counts. */
export function readMemberComments(source: string, exports: readonly string[]) {
  const comments = new Map<string, string>();
  for (const name of exports) {
    const start = source.search(new RegExp(`^(?:export )?const ${name}\\b`, "m"));
    if (start < 0) throw new Error(`no export is called ${name}`);
    const text = source.slice(start, start + source.slice(start).search(/^[}) ]*\}?\)?.*;$/m));
    for (const [, comment = "", member = ""] of text.matchAll(
      /\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\s+(\w+):/g,
    ))
      if (!comments.has(member))
        comments.set(
          member,
          comment
            .replace(/^\s*\*/gm, "")
            .replace(/\s+/g, " ")
            .trim(),
        );
  }
  return comments;
}

function readComments({ comments }: TerraformResource): Map<string, string> {
  const all = Object.entries(comments).flatMap(([file, exports]) => [
    ...readMemberComments(readFileSync(join(contractDir, file), "utf8"), exports),
  ]);
  return new Map(all.toReversed());
}

interface SentMembers {
  properties: Readonly<Record<string, DocumentSchema>>;
  required: ReadonlySet<string>;
}

function readMembers(schema: EndpointSchema | undefined, io: "input" | "output"): SentMembers {
  const document = schema ? (buildJsonSchema(schema, io) as DocumentSchema) : {};
  const object = document.type === "array" ? (document.items ?? {}) : document;
  return { properties: object.properties ?? {}, required: new Set(object.required) };
}

/** The attributes of a resource: what its requests send, and what identifies it. */
export function buildAttributes(
  resource: TerraformResource,
  label: string,
): Record<string, TerraformAttribute> {
  const creation = readMembers(resource.create.body, "input");
  const change = readMembers(resource.update.body, "input");
  const reply = readMembers(resource.read.data, "output");
  const comments = readComments(resource);
  const { secrets = [], shownOnce = [], afterCreation = [], leftOut = [] } = resource;
  const sent = Object.keys({ ...creation.properties, ...change.properties }).filter(
    (name) => !requestMembers.has(name) && !name.endsWith(readSuffix) && !leftOut.includes(name),
  );
  const sentence = (name: string): string => resource.sentences?.[name] ?? comments.get(name) ?? "";

  const outputs = [...identity, ...shownOnce].map((name): [string, TerraformAttribute] => {
    const schema = reply.properties[name];
    if (!schema) throw new Error(`${label}.${name} is in no reply`);
    const isSecret = shownOnce.includes(name);
    return [
      name,
      {
        type: readType(schema, `${label}.${name}`),
        description: describe(schema, sentence(name)),
        required: false,
        read: name,
        ...(isSecret && { shown_once: true }),
      },
    ];
  });
  const inputs = sent.map((name): [string, TerraformAttribute] => {
    const schema = creation.properties[name] ?? change.properties[name] ?? {};
    const from = resource.readFrom?.[name];
    const isSecret = secrets.includes(name);
    const isRead = !isSecret && (from !== undefined || name in reply.properties);
    if (!isSecret && !isRead)
      throw new Error(`${label}.${name} is in no reply: a secret, left out, or read from where?`);
    const isLate = afterCreation.includes(name) || !(name in creation.properties);
    const difference = `${name}${readSuffix}`;
    return [
      name,
      {
        type: readType(schema, `${label}.${name}`),
        description: describe(schema, sentence(name)),
        // A secret may come as `<name>_wo` instead.
        required: creation.required.has(name) && !isSecret,
        ...(isRead && { read: from?.member ?? name }),
        ...(from && { read_where_subject: from.subject }),
        ...(isSecret && { secret: true }),
        ...(resource.sensitive?.includes(name) && { sensitive: true }),
        ...(!isLate && { in_creation: true }),
        ...(name in change.properties && { in_change: true }),
        ...(isLate && { after_creation: true }),
        ...(difference in change.properties && { difference }),
      },
    ];
  });
  return Object.fromEntries([...outputs, ...inputs]);
}

/** A key of a program may not call it, so Terraform disables what people delete. */
const isClosedToKeys = ({ scope }: Endpoint): boolean => scope === "none";

function buildResource(name: string, resource: TerraformResource) {
  const { summary, create, read, update, missing } = resource;
  return {
    description: summary,
    create: buildCall(create),
    // A creation that answers with a list makes one for each line of its secret.
    ...(create.data?._zod.def.type === "array" && { creates_one_a_line: true }),
    read: buildCall(read),
    update: buildCall(update),
    delete: buildCall(resource.delete),
    ...(isClosedToKeys(resource.delete) && { disables: true }),
    missing,
    attributes: buildAttributes(resource, name),
  };
}

/** `isSecretOption` as a pattern: its source says which names of settings are secret. */
const secretOptionPattern = /\/(.+)\/\.test/.exec(String(isSecretOption))?.[1] ?? "";

export function buildTerraformContract() {
  const lists = Object.entries(terraformLists).map(([name, endpoint]: [string, Endpoint]) => [
    name,
    { description: endpoint.summary, read: buildCall(endpoint) },
  ]);
  const resources = Object.entries(terraformResources).map(([name, resource]) => [
    name,
    buildResource(name, resource),
  ]);
  return {
    written_by: "npm run reference, from the contract",
    headers: { dry_run: dryRunHeader, idempotency: idempotencyHeader },
    management_key_prefix: managementKeyPrefix,
    secret_options: secretOptionPattern,
    resources: Object.fromEntries(resources) as Record<string, ReturnType<typeof buildResource>>,
    lists: Object.fromEntries(lists) as Record<
      string,
      { description: string; read: TerraformCall }
    >,
  };
}

export const formatTerraformContract = (): string =>
  `${JSON.stringify(buildTerraformContract(), null, 2)}\n`;
