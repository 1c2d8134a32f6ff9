import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { largeTag, variantTag } from "./scripts/test-tags.ts";
import { promiseTags } from "./tests/src/trust/promises.ts";

// A test belongs to a project by its name: x.test.ts needs nothing, x.db.test.ts a database,
// x.api.test.ts a running gateway, x.journey.test.ts a browser besides; x.large.test.ts, as any
// test with the tag `large`, is left out of `npm test`, and CI runs it. Deadlines of the slower
// kinds are about ten times what the slowest of a kind takes.
const slowerSetup = ["postgres", "sqlite", "gateway"].map(
  (what) => `tests/src/harness/${what}-setup.ts`,
);
const slowerKinds = ["**/*.{db,api,journey,large}.test.ts"];
// Files that replace whole modules: in a worker that has loaded such a module already they would
// replace nothing.
const replacesModules = [
  "gateway/src/egress/egress.test.ts",
  "gateway/src/egress/egress-proxy.test.ts",
  "console/src/api-call.test.ts",
  "console/src/session.test.ts",
];
// Files of one worker share the modules that they load: loading them anew for each file is half of
// all the work.
const isolate = false;
// Vitest would leave one of two processors to itself, which needs a tenth of it.
const unitWorkers = 2;
// Tests wait for what they watch: databases a third of their time, gateways and browsers most of
// it.
const databaseWorkers = 3;
const apiWorkers = 5;
const journeyWorkers = 3;
/**
 * They wait for nothing but the processor, so the deadline is only for one that hangs: ten programs
 * at once may slow it down.
 */
const unitTimeoutMs = 60_000;
/** Above the waits of `eventually`, so that a test says what it waited for. */
const waitingTimeoutMs = 60_000;
/**
 * What a test polls comes from another thread, process or page, and on a busy machine vitest's
 * usual second is too short for it.
 */
const patience = { poll: { timeout: 15_000 } };
// These put the machine under load themselves.
const largeWorkers = 2;

/**
 * `longRunning` comes without times of an earlier run the largest files start first. These are
 * short and run long: at the end one would run alone.
 */
const longRunning = [
  "conformance.api.test.ts",
  ...["invalid-input", "audit", "call-forecast", "provider-people", "rotate-key"].map(
    (name) => `${name}.db.test.ts`,
  ),
];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification) =>
      longRunning.some((name) => moduleId.endsWith(`/${name}`));
    const sorted = await super.sort(files);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

export default defineConfig({
  test: {
    tags: [...promiseTags, variantTag, largeTag],
    // The suites of a run, and the runs of a developer, share what was transformed once.
    fsModuleCache: true,
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          name: "unit",
          include: [
            "{contract,gateway,simulator,console,tests,trust,benchmarks}/src/**/*.test.{ts,tsx}",
            "scripts/**/*.test.ts",
          ],
          exclude: [...slowerKinds, ...replacesModules],
          expect: patience,
          isolate,
          maxWorkers: unitWorkers,
          testTimeout: unitTimeoutMs,
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          name: "unit-isolated",
          expect: patience,
          maxWorkers: unitWorkers,
          include: replacesModules,
          testTimeout: unitTimeoutMs,
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          name: "database",
          expect: patience,
          isolate,
          maxWorkers: databaseWorkers,
          include: ["{gateway,tests,trust}/src/**/*.db.test.ts", "scripts/**/*.db.test.ts"],
          globalSetup: slowerSetup,
          testTimeout: waitingTimeoutMs,
          hookTimeout: 60_000,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          name: "api",
          expect: patience,
          isolate,
          maxWorkers: apiWorkers,
          include: ["{tests,trust}/src/**/*.api.test.ts"],
          globalSetup: slowerSetup,
          testTimeout: waitingTimeoutMs,
          hookTimeout: 60_000,
          sequence: { groupOrder: 2 },
        },
      },
      {
        test: {
          name: "journeys",
          expect: patience,
          include: ["{tests,trust}/src/**/*.journey.test.ts"],
          globalSetup: slowerSetup,
          testTimeout: 120_000,
          hookTimeout: 120_000,
          // A browser on a machine that others share stalls now and then; who passed only so is
          // named at the end.
          retry: process.env.CI ? 1 : 0,
          isolate,
          maxWorkers: journeyWorkers,
          sequence: { groupOrder: 3 },
        },
      },
      {
        test: {
          name: "large",
          expect: patience,
          isolate,
          maxWorkers: largeWorkers,
          include: ["{gateway,tests,trust}/src/**/*.large.test.ts"],
          globalSetup: slowerSetup,
          testTimeout: 120_000,
          hookTimeout: 120_000,
          sequence: { groupOrder: 4 },
        },
      },
    ],
  },
});
