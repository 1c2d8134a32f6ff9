// Runs every test that carries a promise, and says of each promise
// whether its tests passed.
import {
  alertPromises,
  budgetPromises,
  faults,
  invariants,
  knownFailures,
  managementKeyPromises,
} from "@tollgate/tests/trust/promises.ts";
import { type TaggedTest, taggedTests } from "@tollgate/tests/trust/tagged-tests.ts";
import { promiseState } from "@tollgate/tests/trust/trust-page.ts";
import { runVitest, type TaggedTestResult } from "./trust-vitest.ts";

export async function runPromises(): Promise<void> {
  const tests = taggedTests();
  const files = [...new Set(tests.map(({ file }) => file))];
  const { isGood, results } = await runVitest([
    ...files,
    "--tagsFilter",
    "F-* || MK-* || BU-* || AL-* || I-* || FT-*",
  ]);
  const promises = {
    ...knownFailures,
    ...managementKeyPromises,
    ...budgetPromises,
    ...alertPromises,
    ...invariants,
    ...Object.fromEntries(Object.entries(faults).map(([id, [fault]]) => [id, fault])),
  };
  const outcomes = Object.entries(promises).map(([id, promise]) => {
    const outcome = promiseOutcome(
      id,
      tests.filter(({ tags }) => tags.includes(id)),
      results,
    );
    console.log(`${outcome.padEnd(15)} ${id.padEnd(6)} ${promise}`);
    return outcome;
  });
  const failed = outcomes.filter((outcome) => outcome === "FAIL" || outcome === "NOT RUN").length;
  console.log(`${outcomes.length - failed} as the page of trust says, ${failed} not`);
  if (!isGood || failed > 0) process.exitCode = 1;
}

/** As the page says it, unless one of the tests failed or did not run. */
export function promiseOutcome(
  id: string,
  tests: readonly TaggedTest[],
  results: readonly TaggedTestResult[],
): string {
  const ran = tests.map(({ file, line }) =>
    results.filter(
      (result) => result.file === file && result.line === line && result.tags.includes(id),
    ),
  );
  if (ran.some((some) => some.some(({ status }) => status === "failed"))) return "FAIL";
  // A test that was skipped on one database may have run on the other.
  if (ran.some((some) => !some.some(({ status }) => status === "passed"))) return "NOT RUN";
  return promiseState(id, tests.length);
}
