// What vitest's JSON report says, counted so that nothing that went wrong is lost.
import { relative } from "node:path";

/** The few fields we read of `--reporter=json`. */
export type VitestReport = {
  testResults: readonly {
    name: string;
    status: string;
    message: string;
    assertionResults: readonly { fullName: string; status: string; failureMessages?: readonly string[] }[];
  }[];
};

/** `repeated` are the tests that failed before they passed. */
export type TestCounts = { passed: number; failed: number; skipped: readonly string[]; repeated: readonly string[] };

/** `hasFailed` is the exit code's word: trouble outside any test fails the run without failing a test. */
export function countTests(report: VitestReport | undefined, hasFailed: boolean, rootDir: string): TestCounts {
  let passed = 0;
  let failed = 0;
  const skipped: string[] = [];
  const repeated: string[] = [];
  for (const file of report?.testResults ?? []) {
    const failedBefore = failed;
    for (const { status, fullName, failureMessages = [] } of file.assertionResults) {
      const name = `${relative(rootDir, file.name)}: ${fullName}`;
      if (status === "passed") {
        passed += 1;
        if (failureMessages.length > 0) repeated.push(`${name}: ${failureMessages[0]?.split("\n")[0]}`);
      } else if (status === "failed") failed += 1;
      else if (status !== "todo") skipped.push(name);
    }
    // A file that does not even load has no tests to fail.
    if (file.status === "failed" && failed === failedBefore) failed += 1;
  }
  if (failed === 0 && (hasFailed || !report)) failed = 1;
  return { passed, failed, skipped, repeated };
}
