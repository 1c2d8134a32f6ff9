/** The operations of an OpenAPI document of this gateway, as references for people show them. Pure. */
import { isJsonRecord } from "./json-record.ts";
import type { DocumentSchema } from "./schema-text.ts";

export interface DescribedOperation {
  /** The `operationId`. */
  id: string;
  method: string;
  /** With `{name}` for what varies. */
  path: string;
  /** The subject in the contract, or `clientGroup`. */
  group: string;
  summary: string;
  description: string;
  /** The lowest role that may call it; undefined for the client API. */
  role: string | undefined;
  /** What a management key needs; undefined where none may call. */
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

const recordOf = (value: unknown): Record<string, unknown> => (isJsonRecord(value) ? value : {});
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const textOf = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);
/** Every member of a schema may be absent, so that any record is one. */
const schemaOf = (value: unknown): DocumentSchema | undefined => (isJsonRecord(value) ? value : undefined);
const jsonOf = (holder: unknown) => recordOf(recordOf(recordOf(holder).content)["application/json"]);

/** The parameters of the query as one schema; undefined without any. */
function queryOf(parameters: unknown): DocumentSchema | undefined {
  const named = listOf(parameters)
    .map(recordOf)
    .filter((one) => one.in === "query");
  if (named.length === 0) return undefined;
  return {
    properties: Object.fromEntries(named.map(({ name, schema }) => [String(name), schemaOf(schema) ?? {}])),
    required: named.filter(({ required }) => required === true).map(({ name }) => String(name)),
  };
}

/** Of a reply in the envelope, what `data` holds. */
function dataOf(responses: unknown): DocumentSchema | undefined {
  const choices = schemaOf(jsonOf(recordOf(responses)["200"]).schema)?.anyOf;
  const success = listOf(choices)
    .map(schemaOf)
    .find((choice) => choice?.properties?.success !== undefined);
  const data = success?.properties?.data;
  return data?.type === "null" ? undefined : data;
}

const scopeOf = (security: unknown): string | undefined =>
  listOf(security)
    .map((one) => textOf(listOf(recordOf(one).managementKey)[0]))
    .find((scope) => scope !== undefined);

function describe(method: string, path: string, operation: Record<string, unknown>): DescribedOperation {
  const group = textOf(listOf(operation.tags)[0]) ?? "";
  const request = jsonOf(operation.requestBody);
  return {
    id: textOf(operation.operationId) ?? `${method} ${path}`,
    method: method.toUpperCase(),
    path,
    group,
    summary: textOf(operation.summary) ?? "",
    description: textOf(operation.description) ?? "",
    role: textOf(operation["x-lowest-role"]),
    scope: scopeOf(operation.security),
    format: textOf(recordOf(operation.externalDocs).url),
    query: queryOf(operation.parameters),
    // Of the client API, bodies are the vendor's, and only the example says something.
    body: group === clientGroup ? undefined : schemaOf(request.schema),
    example: request.example,
    data: dataOf(operation.responses),
  };
}

/** In the document's order, the client API first. Parts of another shape than the gateway's are left out. */
export function describedOperations(document: unknown): DescribedOperation[] {
  const all = Object.entries(recordOf(recordOf(document).paths)).flatMap(([path, methods]) =>
    Object.entries(recordOf(methods)).map(([method, operation]) => describe(method, path, recordOf(operation))),
  );
  const isOfClients = ({ group }: DescribedOperation) => group === clientGroup;
  return [...all.filter(isOfClients), ...all.filter((one) => !isOfClients(one))];
}
