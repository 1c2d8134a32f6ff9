/** The OpenAPI 3.1 document, generated from the contract. */

import { scopeAccess } from "@tollgate/contract/accounts/scopes.ts";
import { apiExamples, readExampleCommand } from "@tollgate/contract/api/api-examples.ts";
import type { ClientOperation } from "@tollgate/contract/api/client-operation.ts";
import { clientOperations } from "@tollgate/contract/api/client-operations.ts";
import { clientGroup } from "@tollgate/contract/api/described-operations.ts";
import type { Endpoint, EndpointSchema } from "@tollgate/contract/api/endpoint.ts";
import { consoleHeader, failure, success } from "@tollgate/contract/api/envelope.ts";
import { errorTable } from "@tollgate/contract/api/errors.ts";
import { catalogue, type NamedEndpoint } from "@tollgate/contract/catalogue/catalogue.ts";
import * as z from "zod/mini";
import {
  buildJsonSchema,
  createSchemaNames,
  type OpenApiObject,
  pickReferred,
} from "./openapi-schemas.ts";

function listParameters(
  schema: EndpointSchema | undefined,
  location: "path" | "query",
): OpenApiObject[] {
  if (!schema) return [];
  const { properties = {}, required = [] } = buildJsonSchema(schema, "input") as {
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

/** `NamedShapes` are what an operation reads and answers, by name. */
interface NamedShapes {
  body: OpenApiObject | undefined;
  reply: OpenApiObject;
}

/** The schemas of all operations, each under its name, and what each operation refers to. */
function buildNamedShapes(): {
  schemas: OpenApiObject;
  shapes: ReadonlyMap<Endpoint, NamedShapes>;
} {
  const names = createSchemaNames();
  const replies = catalogue.map(({ name, endpoint }) => {
    const { data = z.null(), extras, bare, body } = endpoint;
    const answered = bare ? data : success(data, extras);
    if (body) names.add(body, `${name}Body`);
    names.add(answered, `${name}Reply`);
    return { endpoint, answered };
  });
  names.add(failure, "failure");
  const { schemas, refer } = names.close([failure, ...replies.map(({ answered }) => answered)]);
  const shapes = replies.map(({ endpoint, answered }): [Endpoint, NamedShapes] => {
    const refused = refer(failure, "output");
    const reply = refer(answered, "output");
    const body = endpoint.body && refer(endpoint.body, "input");
    return [endpoint, { body, reply: endpoint.bare ? reply : { anyOf: [reply, refused] } }];
  });
  return { schemas, shapes: new Map(shapes) };
}

const json = (schema: OpenApiObject) => ({ "application/json": { schema } });
const content = (endpoint: Endpoint, { reply }: NamedShapes) =>
  endpoint.stream ? { [endpoint.stream]: { schema: { type: "string" } } } : json(reply);

const scopeText = ({ access, scope, inTeam }: Endpoint): string => {
  if (access === "public") return "Needs no credential.";
  if (scope === "none") return "No management key may call it.";
  const bound = inTeam ? " A key of a team may call it for that team." : "";
  return `A management key needs the scope \`${scope}\`.${bound}`;
};

const listSecurity = ({ access, scope }: Endpoint): OpenApiObject[] => {
  if (access === "public") return [];
  return [
    { session: [] },
    { accessToken: [] },
    ...(scope === "none" ? [] : [{ managementKey: [scope] }]),
  ];
};

function operation({ name, subject, endpoint }: NamedEndpoint, shapes: NamedShapes): OpenApiObject {
  return {
    operationId: name,
    tags: [subject],
    summary: endpoint.summary,
    description: `Needs: ${endpoint.access}. ${scopeText(endpoint)}`,
    parameters: [
      ...listParameters(endpoint.params, "path"),
      ...listParameters(endpoint.query, "query"),
    ],
    ...(shapes.body && { requestBody: { required: true, content: json(shapes.body) } }),
    security: listSecurity(endpoint),
    "x-lowest-role": endpoint.access,
    responses: {
      200: {
        description: "The result, or a refusal with its code",
        content: content(endpoint, shapes),
      },
      default: {
        description: "A refusal",
        content: json({ $ref: "#/components/schemas/Failure" }),
      },
    },
  };
}

/**
 * Two operations with the same method and path that a query key tells apart are one in OpenAPI:
 * their bodies are alternatives.
 */
function merged(primary: OpenApiObject, variant: OpenApiObject): OpenApiObject {
  const bodies = [primary, variant].map(
    (one) =>
      (one.requestBody as { content: { "application/json": { schema: OpenApiObject } } }).content[
        "application/json"
      ].schema,
  );
  const parameters = [
    ...(primary.parameters as OpenApiObject[]),
    ...(variant.parameters as OpenApiObject[]).map((one) => ({ ...one, required: false })),
  ];
  return {
    ...primary,
    parameters,
    requestBody: { required: true, content: json({ anyOf: bodies }) },
  };
}

/** Bodies and replies are those of the vendor's API, so they are named rather than described. */
function buildClientOperation(
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
    parameters: names.map((part) => ({
      name: part,
      in: "path",
      required: true,
      schema: { type: "string" },
    })),
    ...(body && {
      requestBody: {
        required: true,
        content: { [media]: { ...anything, ...(example && { example }) } },
      },
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
  const { schemas, shapes } = buildNamedShapes();
  for (const named of catalogue) {
    const shape = shapes.get(named.endpoint);
    if (!shape) continue;
    const path = named.endpoint.path.replace(/:(\w+)/g, "{$1}");
    const method = named.endpoint.method.toLowerCase();
    const methods = paths[path] ?? {};
    paths[path] = methods;
    const other = methods[method] as OpenApiObject | undefined;
    methods[method] = other ? merged(other, operation(named, shape)) : operation(named, shape);
  }
  for (const [name, one] of Object.entries(clientOperations))
    paths[one.path] = {
      ...paths[one.path],
      [one.method.toLowerCase()]: buildClientOperation(name, one),
    };
  const codes = Object.entries(errorTable).map(
    ([code, [status, message]]) => `- \`${code}\` (${status}): ${message}`,
  );
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
    "x-examples": Object.fromEntries(
      apiExamples.map((one) => [one.title, readExampleCommand(one)]),
    ),
    paths,
    components: {
      schemas: pickReferred(schemas, paths),
      securitySchemes: {
        session: { type: "apiKey", in: "cookie", name: "session" },
        accessToken: {
          type: "http",
          scheme: "bearer",
          description:
            "A personal access token: all rights of its user. Programs need a management key",
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
          description:
            "A management key: the scopes that it was given, as far as its maker still has them",
        },
      },
    },
  };
}
