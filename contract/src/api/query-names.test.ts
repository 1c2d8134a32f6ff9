import { expect, test } from "vitest";
import * as z from "zod/mini";
import { endpoint } from "./endpoint.ts";
import { buildIgnoredHeader, findUnknownNames } from "./query-names.ts";

const at = (method: "GET" | "POST" | "DELETE", path: string, more: object = {}) =>
  endpoint(method, path, {
    access: "user",
    scope: "none",
    summary: "",
    query: z.object({ p: z.optional(z.string()) }),
    ...more,
  });

test.each([
  ["GET", "/api/log/", "upstream_request_id", "upstream_request_id"],
  ["GET", "/api/log/self", "ip", "ip"],
  ["GET", "/api/log/self", "username", undefined],
  ["GET", "/api/channel/search", "status", "status"],
  ["GET", "/api/models/display", "feature", "feature"],
  ["GET", "/api/log/", "cache_buster", undefined],
  ["GET", "/api/user/self", "group", undefined],
  ["GET", "/api/log/", "turnstile", undefined],
  ["DELETE", "/api/token/", "anything", "anything"],
  ["POST", "/api/token/bulk", "anything", "anything"],
  ["POST", "/api/token/", "anything", undefined],
] as const)("%s %s with %s refuses %s", (method, path, name, refused) => {
  const found = findUnknownNames(at(method, path), ["p", name]);
  expect(found.refused).toBe(refused);
  expect(found.ignored).toEqual(name === "turnstile" ? [] : [name]);
});

test("a declared name is known, also as that which chooses between two operations", () => {
  expect(findUnknownNames(at("GET", "/api/log/", { variant: "group" }), ["p", "group"])).toEqual({
    ignored: [],
  });
  expect(findUnknownNames(at("DELETE", "/api/log/", { query: undefined }), ["p"])).toEqual({
    refused: "p",
    ignored: ["p"],
  });
});

test("a header names no more than it can hold, and nothing that is no name", () => {
  const names = [
    "a",
    "b\r\nset-cookie: x",
    "é",
    "x".repeat(65),
    ...Array.from({ length: 40 }, (_, index) => `n${index}`),
  ];
  const header = buildIgnoredHeader(names);
  expect(header).toMatch(/^a, n0, [\w, ]+$/);
  expect(header.split(", ")).toHaveLength(20);
});
