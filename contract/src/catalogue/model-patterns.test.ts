import { expect, test } from "vitest";
import {
  coversModel,
  findListing,
  findPatternIssue,
  listNames,
  ModelMapping,
  namesCoveredMax,
} from "./model-patterns.ts";

test.each([
  ["gpt-*", "gpt-5", true],
  ["gpt-*", "gpt-", false],
  ["gpt-*", "xgpt-5", false],
  ["openai/*", "openai/gpt-5", true],
  ["*", "anything", false],
  ["g*", "gpt", false],
  ["g*t", "gpt", false],
  ["gpt", "gpt", false],
])("%s covers %s: %s", (pattern, name, covers) => {
  expect(coversModel(pattern, name)).toBe(covers);
});

test("a name is listed by itself before patterns, and by the longest of these", () => {
  const list = ["gp*", "gpt-*", "gpt-5"];
  expect(["gpt-5", "gpt-4", "gpu", "llama"].map((name) => findListing(list, name))).toEqual([
    "exact",
    4,
    2,
    undefined,
  ]);
});

test("a mapping of a pattern keeps the rest of a name, and an entry of the name itself goes before it", () => {
  const mapping = new ModelMapping({
    "openai/*": "*",
    "openai/o*": "orig/*",
    "fixed/*": "one",
    "openai/gpt-5": "five",
  });
  const mapped = ["openai/gpt-5", "openai/gpt-4", "openai/o3", "fixed/any", "gpt-4", "openai/"].map(
    (name) => mapping.get(name),
  );
  expect(mapped).toEqual(["five", "gpt-4", "orig/3", "one", undefined, undefined]);
});

test("lists show known names in place of patterns, at most so many", () => {
  const known = ["gpt-4", "gpt-5", "o3", "openai/x"];
  const mapping = new ModelMapping({ "openai/*": "*" });
  expect(listNames(["a", "gpt-*"], mapping, () => known)).toEqual(["a", "gpt-4", "gpt-5"]);
  expect(listNames(["openai/*"], mapping, () => known)).toEqual([
    "openai/x",
    "openai/gpt-4",
    "openai/gpt-5",
    "openai/o3",
    "openai/openai/x",
  ]);
  const many = Array.from({ length: 500 }, (_, index) => `gpt-${index}`);
  expect(listNames(["gpt-*"], mapping, () => many)).toHaveLength(namesCoveredMax);
});

test.each(["*", "g*", "gpt-*-mini", "*gpt", "gpt-**"])(
  "%s is no pattern, and the list is refused",
  (wrong) => {
    expect(findPatternIssue(`a,${wrong}`)).toMatchObject({ params: { name: wrong } });
    expect(findPatternIssue("a,gpt-*,openai/*")).toBeUndefined();
  },
);
