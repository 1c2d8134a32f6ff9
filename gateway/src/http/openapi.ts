/** The OpenAPI 3.1 document, generated from the contract. */
import { apiExamples, exampleCommand } from "@tollgate/contract/api-examples.ts";
import { catalogue, type NamedEndpoint } from "@tollgate/contract/catalogue.ts";
import type { ClientOperation } from "@tollgate/contract/client-operation.ts";
import { clientOperations } from "@tollgate/contract/client-operations.ts";
import { clientGroup } from "@tollgate/contract/described-operations.ts";
import type { Endpoint, EndpointSchema } from "@tollgate/contract/endpoint.ts";
import { consoleHeader, failure, success } from "@tollgate/contract/envelope.ts";
import { errorTable } from "@tollgate/contract/errors.ts";
import { scopeAccess } from "@tollgate/contract/scopes.ts";
import * as z from "zod/mini";

type OpenApiObject = Record<string, unknown>;

function jsonSchema(schema: EndpointSchema, io: "input" | "output"): OpenApiObject {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: "any" }) as OpenApiObject;
  return rest;
}

function parametersOf(schema: EndpointSchema | undefined, location: "path" | "query"): OpenApiObject[] {
  if (!schema) return [];
  const { properties = {}, required = [] } = jsonSchema(schema, "input") as {
    properties?: OpenApiObject;
    required?: string[];
  };
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: location,
    required: location === "path" || required.includes(name),
    schema: property,
  }));
}

const reply = ({ data = z.null(), extras, bare }: Endpoint) =>
  bare
    ? jsonSchema(data, "output")
    : { anyOf: [jsonSchema(success(data, extras), "output"), { $ref: "#/components/schemas/Failure" }] };

const json = (schema: OpenApiObject) => ({ "application/json": { schema } });
const content = (endpoint: Endpoint) =>
  endpoint.stream ? { [endpoint.stream]: { schema: { type: "string" } } } : json(reply(endpoint));

const scopeText = ({ access, scope }: Endpoint): string => {
  if (access === "public") return "Needs no credential.";
  return scope === "none" ? "No management key may call it." : `A management key needs the scope \`${scope}\`.`;
};

const securityOf = ({ access, scope }: Endpoint): OpenApiObject[] => {
  if (access === "public") return [];
  return [{ session: [] }, { accessToken: [] }, ...(scope === "none" ? [] : [{ managementKey: [scope] }])];
};

function operation({ name, subject, endpoint }: NamedEndpoint): OpenApiObject {
  return {
    operationId: name,
    tags: [subject],
    summary: endpoint.summary,
    description: `Needs: ${endpoint.access}. ${scopeText(endpoint)}`,
    parameters: [...parametersOf(endpoint.params, "path"), ...parametersOf(endpoint.query, "query")],
    ...(endpoint.body && { requestBody: { required: true, content: json(jsonSchema(endpoint.body, "input")) } }),
    security: securityOf(endpoint),
    "x-lowest-role": endpoint.access,
    responses: {
      200: { description: "The result, or a refusal with its code", content: content(endpoint) },
      default: { description: "A refusal", content: json({ $ref: "#/components/schemas/Failure" }) },
    },
  };
}

/**
 * Two operations with the same method and path that a query key tells apart are one in OpenAPI: their bodies are
 * alternatives.
 */
function merged(primary: OpenApiObject, variant: OpenApiObject): OpenApiObject {
  const bodies = [primary, variant].map(
    (one) =>
      (one.requestBody as { content: { "application/json": { schema: OpenApiObject } } }).content["application/json"]
        .schema,
  );
  const parameters = [
    ...(primary.parameters as OpenApiObject[]),
    ...(variant.parameters as OpenApiObject[]).map((one) => ({ ...one, required: false })),
  ];
  return { ...primary, parameters, requestBody: { required: true, content: json({ anyOf: bodies }) } };
}

/** Bodies and replies are those of the vendor's API, so they are named rather than described. */
function clientOperation(
  name: string,
  { method, path, summary, body, example, format }: ClientOperation,
): OpenApiObject {
  const media = body === "form" ? "multipart/form-data" : "application/json";
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, part]) => part);
  const anything = { schema: { type: "object", additionalProperties: true } };
  return {
    operationId: name,
    tags: [clientGroup],
    summary,
    description: "Needs an API key.",
    ...(format && { externalDocs: { url: format } }),
    parameters: names.map((part) => ({ name: part, in: "path", required: true, schema: { type: "string" } })),
    ...(body && {
      requestBody: { required: true, content: { [media]: { ...anything, ...(example && { example }) } } },
    }),
    security: [{ apiKey: [] }],
    responses: {
      200: {
        description: "The answer in the format of the address",
        ...(method !== "DELETE" && { content: { "application/json": anything } }),
      },
      default: {
        description: "A refusal, in the error format of the address",
        content: { "application/json": anything },
      },
    },
  };
}

export function openApiDocument(version: string, serverUrl: string | undefined): OpenApiObject {
  const paths: Record<string, OpenApiObject> = {};
  for (const named of catalogue) {
    const path = named.endpoint.path.replace(/:(\w+)/g, "{$1}");
    const method = named.endpoint.method.toLowerCase();
    const methods = paths[path] ?? {};
    paths[path] = methods;
    const other = methods[method] as OpenApiObject | undefined;
    methods[method] = other ? merged(other, operation(named)) : operation(named);
  }
  for (const [name, one] of Object.entries(clientOperations))
    paths[one.path] = { ...paths[one.path], [one.method.toLowerCase()]: clientOperation(name, one) };
  const codes = Object.entries(errorTable).map(([code, [status, message]]) => `- \`${code}\` (${status}): ${message}`);
  return {
    openapi: "3.1.0",
    info: {
      title: "Tollgate",
      version,
      description: `State-changing calls that a cookie authenticates must come from the same origin: by \`Sec-Fetch-Site\`, \`Origin\` or the header \`${consoleHeader.name}: ${consoleHeader.value}\`. A program that sends none of them needs \`Content-Type: application/json\`, also without a body; GETs that change something need the first or the last.\n\nCodes:\n${codes.join("\n")}`,
    },
    ...(serverUrl && { servers: [{ url: serverUrl }] }),
    "x-scopes": scopeAccess,
    "x-refusals": errorTable,
    "x-examples": Object.fromEntries(apiExamples.map((one) => [one.title, exampleCommand(one)])),
    paths,
    components: {
      schemas: { Failure: jsonSchema(failure, "output") },
      securitySchemes: {
        session: { type: "apiKey", in: "cookie", name: "session" },
        accessToken: {
          type: "http",
          scheme: "bearer",
          description: "A personal access token: all rights of its user. Programs need a management key",
        },
        apiKey: {
          type: "http",
          scheme: "bearer",
          bearerFormat: "sk-…",
          description: "A token of a user, for the client API under /v1 and /v1beta",
        },
        managementKey: {
          type: "http",
          scheme: "bearer",
          bearerFormat: "tgm-…",
          description: "A management key: the scopes that it was given, as far as its maker still has them",
        },
      },
    },
  };
}
