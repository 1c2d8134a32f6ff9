// docs/api.md is written by `npm run reference`.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { openApiDocument } from "@tollgate/gateway/http/openapi.ts";
import { expect, test } from "vitest";
import { apiReference } from "./api-reference.ts";

const headings = (page: string) =>
  [...page.matchAll(/^### `(\w+ \S+)`$/gm)].map(([, heading]) => heading);
const document = openApiDocument("", undefined);
const paths = document.paths as Record<string, Record<string, unknown>>;
const committed = readFileSync(join(import.meta.dirname, "../docs/api.md"), "utf8");

test("the reference has each operation of the contract once, with its query, body and reply", () => {
  const page = apiReference(document);
  const all = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  expect(headings(page).sort()).toEqual(all.sort());
  const [, rotation = ""] = page.split("### `POST /api/token/rotate`");
  expect(rotation).toContain("`tokens:write`");
  expect(rotation).toContain("overlap_seconds: integer // 0 to 604800");
});

test("the committed page shows no operation that is gone, and the texts of today", () => {
  const today = apiReference(document);
  expect(headings(committed).filter((heading) => !headings(today).includes(heading))).toEqual([]);
  const beforeScopes = (page: string) => page.slice(0, page.indexOf("## Scopes"));
  expect(beforeScopes(committed)).toBe(beforeScopes(today));
});
