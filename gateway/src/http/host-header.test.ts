import { expect, test } from "vitest";
import { hasDuplicateHost } from "./host-header.ts";

test.each<[string, string[], boolean]>([
  ["one", ["Host", "a", "X-Host", "b"], false],
  ["none", ["accept", "host"], false],
  ["two that differ", ["host", "a", "accept", "*/*", "host", "b"], true],
  ["two that are the same, spelled otherwise", ["Host", "a", "HOST", "a"], true],
])("a request with %s", (_what, rawHeaders, expected) => {
  expect(hasDuplicateHost(rawHeaders)).toBe(expected);
});
