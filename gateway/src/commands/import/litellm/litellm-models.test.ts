import * as fc from "fast-check";
import { expect, test } from "vitest";
import { type LitellmCatalogue, narrowScope, readModelScope } from "./litellm-models.ts";

const catalogue: LitellmCatalogue = {
  names: ["gpt-4o", "gpt-4o-mini", "claude-sonnet", "eu/gpt-4o"],
  byGroup: new Map([["cheap", ["gpt-4o-mini"]]]),
  aliasesOf: new Map([["eu/gpt-4o", ["european"]]]),
};

test.each<[string[], "all" | string[]]>([
  [[], "all"],
  [["all-proxy-models", "gpt-4o"], "all"],
  [["all-team-models"], "all"],
  [["*"], "all"],
  [["no-default-models"], []],
  [["no-default-models", "gpt-4o"], ["gpt-4o"]],
  [["cheap"], ["gpt-4o-mini"]],
  [["gpt-4o*"], ["gpt-4o", "gpt-4o-mini"]],
  [
    ["*/gpt-4o", "unknown"],
    ["eu/gpt-4o", "european", "unknown"],
  ],
  [["european"], ["european"]],
  [["one,two"], []],
])("%j allows %j", (list, expected) => {
  const scope = readModelScope(list, catalogue);
  expect(scope === "all" ? scope : [...scope]).toEqual(expected);
});

const names = fc.constantFrom(
  "gpt-4o",
  "gpt-4o-mini",
  "cheap",
  "gpt-*",
  "no-default-models",
  "claude-sonnet",
  "x,y",
);
const lists = fc.array(names, { maxLength: 4 });

test("a key allows no model that its own list or that of its team leaves out, and no list that names something is empty of meaning", () => {
  fc.assert(
    fc.property(lists, lists, (own, team) => {
      const [a, b] = [readModelScope(own, catalogue), readModelScope(team, catalogue)];
      const both = narrowScope(a, b);
      if (both === "all") expect([a, b]).toEqual(["all", "all"]);
      else
        for (const name of both) {
          expect(a === "all" || a.has(name)).toBe(true);
          expect(b === "all" || b.has(name)).toBe(true);
        }
    }),
  );
});

test("a pattern matches as a regular expression with its stars would", () => {
  const text = fc.string({ unit: fc.constantFrom("a", "b", "*"), maxLength: 6 });
  const name = fc.string({ unit: fc.constantFrom("a", "b"), maxLength: 6 });
  fc.assert(
    fc.property(text, name, (pattern, candidate) => {
      fc.pre(pattern.includes("*") && pattern !== "*" && candidate !== "");
      const scope = readModelScope([pattern], {
        names: [candidate],
        byGroup: new Map(),
        aliasesOf: new Map(),
      });
      expect(scope !== "all" && scope.has(candidate)).toBe(
        new RegExp(`^${pattern.replaceAll("*", ".*")}$`).test(candidate),
      );
    }),
  );
});
