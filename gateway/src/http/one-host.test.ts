import { expect, test } from "vitest";
import { namesTwoHosts } from "./one-host.ts";

test.each<[string, string[], boolean]>([
  ["one", ["Host", "a", "X-Host", "b"], false],
  ["none", ["accept", "host"], false],
  ["two that differ", ["host", "a", "accept", "*/*", "host", "b"], true],
  ["two that are the same, spelled otherwise", ["Host", "a", "HOST", "a"], true],
])("a request with %s", (_what, rawHeaders, expected) => {
  expect(namesTwoHosts(rawHeaders)).toBe(expected);
});
