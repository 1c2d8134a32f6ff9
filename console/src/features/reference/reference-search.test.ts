import { expect, test } from "vitest";
import { buildReference, searchReference } from "./reference-search.ts";

const operation = (operationId: string, tag: string, summary: string, scope?: string) => ({
  operationId,
  tags: [tag],
  summary,
  security: scope === undefined ? [] : [{ session: [] }, { managementKey: [scope] }],
  "x-lowest-role": "user",
});
const reference = buildReference({
  paths: {
    "/api/token/": {
      get: operation("listTokens", "tokens", "The caller's tokens", "tokens:read"),
      post: operation("createToken", "tokens", "Create an API key", "tokens:write"),
    },
    "/v1/models": { get: operation("listModels", "client-api", "The models that the key may use") },
  },
  "x-refusals": { token_not_found: [404, "This token does not exist"], odd: "not a row" },
  "x-scopes": { "tokens:read": "user" },
});
const idsOf = ({ groups }: typeof reference) =>
  groups.flatMap(({ operations }) => operations.map(({ id }) => id));

test("the client API comes first, then each subject", () => {
  expect(reference.groups.map(({ name }) => name)).toEqual(["client-api", "tokens"]);
  expect(reference.refusals).toEqual([
    { code: "token_not_found", status: 404, message: "This token does not exist" },
  ]);
});

test.each([
  ["", ["listModels", "listTokens", "createToken"], 1],
  ["POST token", ["createToken"], 0],
  ["tokens:read", ["listTokens"], 0],
  ["404", [], 1],
  ["no such thing", [], 0],
])("a search for %j finds what has each of its words", (searched, ids, refusals) => {
  const found = searchReference(reference, searched);
  expect(idsOf(found)).toEqual(ids);
  expect(found.refusals).toHaveLength(refusals);
});

test.each([[{}], [{ paths: [] }], [{ paths: { "/api/x": null, "/api/y": { get: 7 } } }]])(
  "a description of another shape, %j, breaks nothing",
  (document) => {
    expect(buildReference(document).refusals).toEqual([]);
  },
);
