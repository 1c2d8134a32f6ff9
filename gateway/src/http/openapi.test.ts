import { catalogue } from "@tollgate/contract/catalogue/catalogue.ts";
import { expect, test } from "vitest";
import { openApiDocument } from "./openapi.ts";

interface DocumentedOperation {
  operationId: string;
  requestBody?: { content: Record<string, { schema: Record<string, unknown> }> };
  responses: Record<string, { content?: Record<string, { schema: Record<string, unknown> }> }>;
}
const document = openApiDocument("1.2.3", undefined) as {
  paths: Record<string, Record<string, DocumentedOperation>>;
  components: { schemas: Record<string, unknown> };
};
const text = JSON.stringify(document);
const named = new Set(catalogue.map(({ name }) => name));
const operations = Object.values(document.paths)
  .flatMap((methods) => Object.values(methods))
  .filter(({ operationId }) => named.has(operationId));

const listParts = (schema: Record<string, unknown>): Record<string, unknown>[] =>
  (schema.anyOf as Record<string, unknown>[] | undefined) ?? [schema];

test("every body and reply of the management API is a named schema", () => {
  const unnamed = operations.flatMap(({ operationId, requestBody, responses }) =>
    [requestBody?.content, responses[200]?.content]
      .flatMap((content) => Object.values(content ?? {}))
      .flatMap(({ schema }) => listParts(schema))
      .filter((schema) => schema.$ref === undefined && schema.type !== "string")
      .map(() => operationId),
  );
  expect(unnamed).toEqual([]);
  expect(operations.length).toBeGreaterThan(250);
});

test("every reference names a schema that is there, and every schema is referred to", () => {
  const referred = new Set(
    text.matchAll(/"#\/components\/schemas\/(\w+)"/g).map(([, name]) => name),
  );
  const schemas = new Set(Object.keys(document.components.schemas));
  expect([...referred.difference(schemas)]).toEqual([]);
  expect([...schemas.difference(referred)]).toEqual([]);
});

test("members with defaults may be left out of what is sent, and never miss in what is answered", () => {
  const { TokenInput: sent, Token: answered } = document.components.schemas as Record<
    string,
    { required?: string[] }
  >;
  expect(sent?.required).toEqual(["name"]);
  expect(answered?.required).toContain("remain_quota");
});
