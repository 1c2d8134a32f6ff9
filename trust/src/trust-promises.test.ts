import { expect, test } from "vitest";
import { promiseOutcome } from "./trust-promises.ts";
import type { TaggedTestResult } from "./trust-vitest.ts";

const file = "tests/src/a.test.ts";
const tagged = { file, title: "on %s", tags: ["F-01"], callee: "test.each(stores)" };
const result = (status: string, line = 7): TaggedTestResult => ({
  file,
  fullName: "on sqlite",
  line,
  status,
  tags: ["F-01"],
});

test.each<[string, TaggedTestResult[], string]>([
  ["all of its tests passed", [result("passed"), result("passed", 9)], "tested"],
  [
    "a table's test was skipped for one row only",
    [result("skipped"), result("passed"), result("passed", 9)],
    "tested",
  ],
  ["a test failed", [result("passed"), result("failed"), result("passed", 9)], "FAIL"],
  ["a test was skipped", [result("skipped"), result("passed", 9)], "NOT RUN"],
  ["a file did not run", [], "NOT RUN"],
])("where %s, the promise is shown so", (_, results, outcome) => {
  const tests = [
    { ...tagged, line: 7 },
    { ...tagged, line: 9 },
  ];
  expect(promiseOutcome("F-01", tests, results)).toBe(outcome);
});
