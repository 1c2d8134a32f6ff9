/**
 * The operations of an OpenAPI document of this gateway, as references for people show them. Pure.
 */
import { isJsonRecord } from "./json-record.ts";
import type { DocumentSchema } from "./schema-text.ts";

export interface DescribedOperation {
  /** The `operationId`. */
  id: string;
  method: string;
  /** `path` comes with `{name}` for what varies. */
  path: string;
  /** The subject in the contract, or `clientGroup`. */
  group: string;
  summary: string;
  description: string;
  /** The lowest role that may call it; undefined for the client API. */
  role: string | undefined;
  /** `scope` is what a management key needs; undefined where none may call. */
  scope: string | undefined;
  /** The vendor's description of the format. */
  format: string | undefined;
  query: DocumentSchema | undefined;
  body: DocumentSchema | undefined;
  /** A body that works once its model is one that the gateway offers. */
  example: unknown;
  /** `data` of a reply in the envelope. */
  data: DocumentSchema | undefined;
}

/** The group of every operation under /v1 and /v1beta. */
export const clientGroup = "client-api";

const readRecord = (value: unknown): Record<string, unknown> => (isJsonRecord(value) ? value : {});
const readList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const findText = (value: unknown): string | undefined =>
  typeof value === "string" ? value : undefined;
/** Every member of a schema may be absent, so that any record is one. */
const findSchema = (value: unknown): DocumentSchema | undefined =>
  isJsonRecord(value) ? value : undefined;
const buildJson = (holder: unknown) =>
  readRecord(readRecord(readRecord(holder).content)["application/json"]);

/** The parameters of the query as one schema; undefined without any. */
function buildQuery(parameters: unknown): DocumentSchema | undefined {
  const named = readList(parameters)
    .map(readRecord)
    .filter((one) => one.in === "query");
  if (named.length === 0) return undefined;
  return {
    properties: Object.fromEntries(
      named.map(({ name, schema }) => [String(name), findSchema(schema) ?? {}]),
    ),
    required: named.filter(({ required }) => required === true).map(({ name }) => String(name)),
  };
}

/** `findData` gives the content of `data` in a reply in the envelope. */
function findData(responses: unknown): DocumentSchema | undefined {
  const choices = findSchema(buildJson(readRecord(responses)["200"]).schema)?.anyOf;
  const success = readList(choices)
    .map(findSchema)
    .find((choice) => choice?.properties?.success !== undefined);
  const data = success?.properties?.data;
  return data?.type === "null" ? undefined : data;
}

const findScope = (security: unknown): string | undefined =>
  readList(security)
    .map((one) => findText(readList(readRecord(one).managementKey)[0]))
    .find((scope) => scope !== undefined);

/**
 * A document of this gateway has a few thousand references in all; one of another server may have
 * any number.
 */
const expandedMax = 20_000;

/**
 * Puts schemas in the place of the names that refer to them; one that names itself stays a name,
 * and so does what is too much.
 */
function createExpansion(schemas: Record<string, unknown>) {
  let expanded = 0;
  const expand = (part: unknown, within: readonly string[] = []): unknown => {
    if (Array.isArray(part)) return part.map((one) => expand(one, within));
    if (!isJsonRecord(part)) return part;
    const name = findText(part.$ref)?.split("/").at(-1);
    if (name === undefined)
      return Object.fromEntries(
        Object.entries(part).map(([key, value]) => [key, expand(value, within)]),
      );
    expanded += 1;
    if (within.includes(name) || schemas[name] === undefined || expanded > expandedMax) return part;
    return expand(schemas[name], [...within, name]);
  };
  return expand;
}

function describe(
  method: string,
  path: string,
  operation: Record<string, unknown>,
): DescribedOperation {
  const group = findText(readList(operation.tags)[0]) ?? "";
  const request = buildJson(operation.requestBody);
  return {
    id: findText(operation.operationId) ?? `${method} ${path}`,
    method: method.toUpperCase(),
    path,
    group,
    summary: findText(operation.summary) ?? "",
    description: findText(operation.description) ?? "",
    role: findText(operation["x-lowest-role"]),
    scope: findScope(operation.security),
    format: findText(readRecord(operation.externalDocs).url),
    query: buildQuery(operation.parameters),
    // Of the client API, bodies are the vendor's, and only the example says something.
    body: group === clientGroup ? undefined : findSchema(request.schema),
    example: request.example,
    data: findData(operation.responses),
  };
}

/**
 * `listDescribedOperations` follows the document's order, the client API first. Parts of another
 * shape than the gateway's are left out.
 */
export function listDescribedOperations(document: unknown): DescribedOperation[] {
  const { paths, components } = readRecord(document);
  const expand = createExpansion(readRecord(readRecord(components).schemas));
  const all = Object.entries(readRecord(paths)).flatMap(([path, methods]) =>
    Object.entries(readRecord(methods)).map(([method, operation]) =>
      describe(method, path, readRecord(expand(operation))),
    ),
  );
  const isOfClients = ({ group }: DescribedOperation) => group === clientGroup;
  return [...all.filter(isOfClients), ...all.filter((one) => !isOfClients(one))];
}
