import { expect, test } from "vitest";
import { countTests, fileTimes } from "./vitest-report.ts";

const file = (name: string, status: string, results: string[], message = "") => ({
  name: `/repo/${name}`,
  status,
  message,
  assertionResults: results.map((result, index) => ({
    fullName: `test ${index}`,
    status: result,
    failureMessages: result === "failed" ? ["Error: 1 is not 2\n    at page"] : [],
  })),
});

test("tests are counted by how they ended, and failed and skipped ones are named", () => {
  const report = {
    testResults: [file("a.test.ts", "failed", ["passed", "failed", "skipped", "todo", "pending"])],
  };
  expect(countTests(report, true, "/repo")).toEqual({
    passed: 1,
    failed: 1,
    skipped: ["a.test.ts: test 2", "a.test.ts: test 4"],
    failures: ["a.test.ts: test 1: Error: 1 is not 2"],
    repeated: [],
    failedFiles: ["a.test.ts"],
  });
});

test("a test that a filter left out is not counted", () => {
  const variant = { fullName: "opens in German", status: "skipped", tags: ["variant"] };
  const other = { fullName: "opens", status: "skipped", tags: ["F-01"] };
  const report = {
    testResults: [{ ...file("a.test.ts", "passed", []), assertionResults: [variant, other] }],
  };
  const isOther = (tags: readonly string[]): boolean => !tags.includes("variant");
  expect(countTests(report, false, "/repo", isOther)).toMatchObject({
    failed: 0,
    skipped: ["a.test.ts: opens"],
  });
});

test("a test that passed only when it was repeated is named with what failed first", () => {
  const retried = {
    fullName: "opens",
    status: "passed",
    failureMessages: ["Error: not there\n    at page"],
  };
  const report = {
    testResults: [{ ...file("a.test.ts", "passed", ["passed"]), assertionResults: [retried] }],
  };
  expect(countTests(report, false, "/repo")).toEqual({
    passed: 1,
    failed: 0,
    skipped: [],
    failures: [],
    repeated: ["a.test.ts: opens: Error: not there"],
    failedFiles: [],
  });
});

test("a file that does not load is one failure", () => {
  const broken = file("a.test.ts", "failed", [], "SyntaxError: odd\n    at line 1");
  const report = { testResults: [broken, file("b.test.ts", "passed", ["passed"])] };
  expect(countTests(report, true, "/repo")).toMatchObject({
    passed: 1,
    failed: 1,
    failures: ["a.test.ts: SyntaxError: odd"],
    failedFiles: ["a.test.ts"],
  });
});

test("an error outside any test is one failure", () => {
  const report = { testResults: [file("a.test.ts", "passed", ["passed"])] };
  expect(countTests(report, true, "/repo")).toMatchObject({
    passed: 1,
    failed: 1,
    failedFiles: [],
  });
  expect(countTests(report, false, "/repo")).toMatchObject({ passed: 1, failed: 0 });
});

test("a run without a report failed", () => {
  expect(countTests(undefined, false, "/repo")).toMatchObject({ passed: 0, failed: 1 });
});

test("the time of a file is that between its start and its end", () => {
  const timed = {
    ...file("a.test.ts", "passed", ["passed", "passed"]),
    startTime: 1_000,
    endTime: 3_500,
  };
  expect(fileTimes({ testResults: [timed] })).toEqual([
    { name: "/repo/a.test.ts", seconds: 2.5, tests: 2 },
  ]);
});
