/**
 * Reads vitest's JSON report: counts every failure, also those outside any test, and the time of
 * each file.
 */
import { relative } from "node:path";

/** The few fields we read of `--reporter=json`. */
export type VitestReport = {
  testResults: readonly {
    name: string;
    status: string;
    message: string;
    /** Milliseconds since 1970. */
    startTime?: number;
    endTime?: number;
    assertionResults: readonly {
      fullName: string;
      status: string;
      tags?: readonly string[];
      failureMessages?: readonly string[];
    }[];
  }[];
};

/**
 * `TestCounts` are those of each failed test its name and its first line of error; `repeated` are
 * the tests that failed before they passed. `failedFiles` is empty where something failed outside
 * any file.
 */
export type TestCounts = {
  passed: number;
  failed: number;
  skipped: readonly string[];
  failures: readonly string[];
  repeated: readonly string[];
  failedFiles: readonly string[];
};

/**
 * `hasFailed` is the exit code: an error outside any test fails the run without failing a test. Of
 * the tests that were left out, only those that `isCounted` are named as skipped: a filter leaves
 * out the others.
 */
export function countTests(
  report: VitestReport | undefined,
  hasFailed: boolean,
  rootDir: string,
  isCounted: (tags: readonly string[]) => boolean = () => true,
): TestCounts {
  let passed = 0;
  let failed = 0;
  const skipped: string[] = [];
  const failures: string[] = [];
  const repeated: string[] = [];
  const failedFiles: string[] = [];
  for (const file of report?.testResults ?? []) {
    const failedBefore = failed;
    for (const { status, fullName, tags = [], failureMessages = [] } of file.assertionResults) {
      const name = `${relative(rootDir, file.name)}: ${fullName}`;
      const failure = `${name}: ${failureMessages[0]?.split("\n")[0]}`;
      if (status === "passed") {
        passed += 1;
        if (failureMessages.length > 0) repeated.push(failure);
      } else if (status === "failed") {
        failed += 1;
        failures.push(failure);
      } else if (status !== "todo" && isCounted(tags)) skipped.push(name);
    }
    // A file that does not even load has no tests to fail.
    if (file.status === "failed" && failed === failedBefore) {
      failed += 1;
      failures.push(`${relative(rootDir, file.name)}: ${file.message.split("\n")[0]}`);
    }
    if (failed > failedBefore) failedFiles.push(relative(rootDir, file.name));
  }
  if (failed === 0 && (hasFailed || !report)) failed = 1;
  return { passed, failed, skipped, failures, repeated, failedFiles };
}

export interface TestFileTime {
  name: string;
  seconds: number;
  tests: number;
}

export const fileTimes = ({ testResults }: VitestReport): TestFileTime[] =>
  testResults.map(({ name, startTime = 0, endTime = 0, assertionResults }) => ({
    name,
    seconds: (endTime - startTime) / 1000,
    tests: assertionResults.length,
  }));
