/**
 * A process that runs tests repeatedly, each time with another text of one source file. Its parent
 * ends it when a text never finishes.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { repositoryDir } from "@tollgate/tests/harness/repository-dir.ts";
import { createVitest, type TestModule, type Vitest } from "vitest/node";
import { type SourceOverride, sourceOverrideVariable } from "./source-override.ts";

export interface MutantTrial {
  override: SourceOverride;
  /** Absolute paths of test files; the first that fails is the last that runs. */
  tests: readonly string[];
}

export interface MutantTrialResult {
  passed: boolean;
  /** The first failure, as one line. */
  failure: string;
}

const dir = mkdtempSync(join(tmpdir(), "tollgate-lane-"));
process.on("exit", () => rmSync(dir, { recursive: true, force: true }));
const servedAt = join(dir, "served.json");
const serve = (served: SourceOverride): void => writeFileSync(servedAt, JSON.stringify(served));

/** Far longer than any test takes: a busy machine must not count as a noticed mistake. */
const testTimeoutMs = 60_000;

async function openVitest(): Promise<Vitest> {
  const vitest = await createVitest("test", {
    root: repositoryDir,
    config: false,
    watch: false,
    // Without the configuration the tags of promises are not defined.
    strictTags: false,
    include: ["{contract,gateway,tests}/src/**/*.test.ts"],
    setupFiles: [join(import.meta.dirname, "fixed-seed.ts")],
    pool: "threads",
    maxWorkers: 1,
    isolate: true,
    // Node itself loads the files, here and in the threads of storage, and so uses the overridden
    // source.
    experimental: { viteModuleRunner: false },
    bail: 1,
    reporters: [{}],
    testTimeout: testTimeoutMs,
    hookTimeout: testTimeoutMs,
    env: { [sourceOverrideVariable]: servedAt },
    execArgv: ["--import", join(import.meta.dirname, "source-override.ts")],
  });
  await vitest.standalone();
  return vitest;
}

function failureOf(modules: readonly TestModule[], unhandled: readonly unknown[]): string {
  for (const module of modules) {
    const [error] = module.errors();
    if (error) return `${module.relativeModuleId}: ${error.message}`;
    for (const test of module.children.allTests("failed")) return test.fullName;
    for (const suite of module.children.allSuites())
      if (suite.errors().length > 0) return suite.fullName;
  }
  return unhandled.length > 0 ? String((unhandled[0] as Error).message) : "";
}

/** A skipped test proves nothing. */
const isPassed = (module: TestModule): boolean =>
  module.ok() &&
  [...module.children.allTests()].some((test) => test.result().state === "passed") &&
  [...module.children.allTests()].every((test) => test.result().state !== "pending");

async function run(vitest: Vitest, work: MutantTrial): Promise<MutantTrialResult> {
  serve(work.override);
  for (const test of work.tests) {
    // An earlier failure would count for `bail`, and would be the result of a file that does not
    // run again.
    vitest.state.filesMap.clear();
    vitest.state.idMap.clear();
    vitest.state.clearErrors();
    const { testModules, unhandledErrors } = await vitest.runTestSpecifications(
      [vitest.getRootProject().createSpecification(test)],
      false,
    );
    const failure = failureOf(testModules, unhandledErrors);
    if (failure !== "" || testModules.length === 0 || !testModules.every(isPassed))
      return { passed: false, failure: (failure || "not every test ran").split("\n")[0] ?? "" };
  }
  return { passed: true, failure: "" };
}

if (process.send) {
  serve({ file: "", text: "" });
  const vitest = await openVitest();
  process.on(
    "message",
    (work: MutantTrial) => void run(vitest, work).then((answer) => process.send?.(answer)),
  );
  process.on("disconnect", () => process.exit());
  process.send("ready");
}
