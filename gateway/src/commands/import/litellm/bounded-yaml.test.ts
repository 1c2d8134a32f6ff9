import { expect, test } from "vitest";
import { parseBoundedYaml, yamlBytesMax } from "./bounded-yaml.ts";

const nested = (line: (name: string, before: string) => string): string =>
  [
    "a: &a { x: 1 }",
    ...[..."bcdefghijk"].map((name, at) => line(name, "abcdefghij"[at] ?? "")),
  ].join("\n");

test.each([
  [
    "aliases of aliases",
    nested((name, before) => `${name}: &${name} [${`*${before}, `.repeat(9)}]`),
    /a million/,
  ],
  [
    "merges of merges",
    nested((name, before) => `${name}: &${name}\n  <<: [${`*${before}, `.repeat(9)}]`),
    /a million/,
  ],
  ["an alias of itself", "a: &a [*a]", /stands for itself/],
  ["an alias of nothing", "a: *secret", /stands for itself or for nothing$/],
  ["ten thousand levels", "[".repeat(10_000), /nested too deeply/],
  ["ten thousand lists in one line", "- ".repeat(10_000), /^f:1:\d+ is no valid YAML/],
  ["a million commas", `[${",".repeat(1_000_000)}]`, /more than 300000 words/],
  ["ten thousand aliases", `a: &a 1\n${"b: *a\n".repeat(10_000)}`, /more than 2000 aliases/],
  ["a size beyond the bound", "#".repeat(yamlBytesMax + 1), /larger than 2 MiB/],
  ["a tab", "a:\n\tsecret: 1", /^f:2:1 is no valid YAML \(tab as indent\)$/],
  ["two documents", "a: 1\n---\nb: 2", /^f:2:1 .*multiple docs/],
])("%s is refused, without a word of the text", (_, text, message) => {
  expect(() => parseBoundedYaml(text, "f")).toThrow(message);
  expect(() => parseBoundedYaml(text, "f")).not.toThrow(/secret/);
});

test("values are shared by anchors and merged, dates stay text, and the last of two equal keys counts", () => {
  const text =
    "base: &base { api_base: http://one, n: 1 }\nmodels:\n  - { <<: *base, n: 2, at: 2024-06-01, n: 3 }";
  expect(parseBoundedYaml(text, "f")).toMatchObject({
    models: [{ api_base: "http://one", n: 3, at: "2024-06-01" }],
  });
});
