/**
 * `npm test` runs what a change must pass before it is proposed; `npm run check` is its fast part.
 * Two words leave a test out of both: `large` in the name of its file, among its tags or by the
 * list `furtherFiles`, and the tag `variant`. `npm test -- --large` has all that is large (runs of
 * `x.large.test.ts` in their short form) and a twelfth of the variants, another one for each commit
 * in turn; CI runs it where the machine leaves time for it (`--large-within`). Every step runs,
 * whatever failed before. The last line counts the checks that passed: one for each test, and one
 * for each step without tests.
 */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, join, relative } from "node:path";
import {
  type PostgresCluster,
  removeAbandonedClusters,
  startPostgresCluster,
} from "../tests/src/harness/postgres-cluster.ts";
import { changedSources } from "./changed-sources.ts";
import { ensureGatewayBuild } from "./gateway-build.ts";
import { gatewayEnvironment } from "./gateway-node-options.ts";
import {
  chooseFiles,
  everyWidthAndDatabase,
  excludeFurtherFiles,
  furtherTests,
  largePartTests,
  shardOfCommit,
  shortLargeTests,
  variantTests,
  walkedScreens,
} from "./left-out-tests.ts";
import { runCommand } from "./run-command.ts";
import { readScriptOptions } from "./script-options.ts";
import {
  browser,
  caddy,
  imageTools,
  installMissing,
  leanBrowser,
  mariadb,
  nginx,
  pgbouncer,
  postgres,
  prometheus,
  redis,
} from "./system-packages.ts";
import { makeTestFolder, removeTestFolder } from "./test-folder.ts";
import { type StepTime, stepTimesFile, testReportsDir } from "./test-reports-dir.ts";
import { everydayTests, largeTag, variantTag, withoutVariants } from "./test-tags.ts";
import { countTests, type TestCounts, type VitestReport } from "./vitest-report.ts";

const root = join(import.meta.dirname, "..");
const { values: flags } = readScriptOptions({
  command: process.argv.includes("--fast") ? "npm run check" : "npm test",
  summary: "every check and test; the last line counts",
  options: {
    fast: {
      type: "boolean",
      help: "types, lint, format, arrows and unit tests alone, as npm run check has it",
    },
    large: {
      type: "boolean",
      help: "a twelfth of the variants and short forms of the large runs besides",
    },
    "large-within": {
      type: "string",
      default: "",
      value: "MINUTES",
      help: "the same, if the rest has ended within so many minutes; otherwise it says what it left out",
    },
  },
});
const testFolder = makeTestFolder();
process.env.TMPDIR = testFolder;
const env: NodeJS.ProcessEnv = {
  ...process.env,
  PATH: join(root, "node_modules/.bin") + delimiter + process.env.PATH,
  // Many tests open a gateway in their own process, whose threads load its modules from the
  // sources.
  NODE_COMPILE_CACHE: gatewayEnvironment.NODE_COMPILE_CACHE,
  // The output is read in logs as well.
  NO_COLOR: "1",
};
const isStrict = Boolean(process.env.CI);

/**
 * `counts` says which tests of Vitest's report are the step's own; a step without it has no tests.
 */
type TestStep = {
  name: string;
  command: string[];
  env?: Record<string, string>;
  counts?: (tags: readonly string[]) => boolean;
};
/** `tests` are the arguments of Vitest that choose them. */
type SuiteStep = TestStep & Required<Pick<TestStep, "counts">> & { tests: readonly string[] };
const isVariant = (tags: readonly string[]): boolean => tags.includes(variantTag.name);
const ownTests = flags.large ? withoutVariants : everydayTests;
const isOwnTest = (tags: readonly string[]): boolean =>
  !isVariant(tags) && (flags.large || !tags.includes(largeTag.name));

const packagesOfLarge = [caddy, mariadb, prometheus, ...imageTools];

/** Each of these keeps about one processor busy; more at once would only compete. */
const stepsAtOnce = 2;
/** Parts of the longest suite without a browser: the line that is free first takes the next one. */
const apiPartCount = 2;

/**
 * So many files that failed are run once more in CI, alone, when all else has ended: a machine that
 * others share stalls now and then. What fails twice is a failure, and who passed only so is named.
 */
const secondTriesMax = 3;

/** `formatted` is what biome reads. */
const formatted = [".ts", ".tsx", ".js", ".cjs", ".json", ".html"];
// The longest first, so that none of them is left for the end.
const checks: TestStep[] = [
  suite("unit", ["unit", "unit-isolated"]),
  { name: "types", command: ["tsc", "-p", "."] },
  { name: "types of the console", command: ["tsc", "-p", "console"] },
  ...ofChanges(
    { name: "floating promises", command: ["oxlint", "--type-aware"] },
    ".oxlintrc.json",
    [".ts", ".tsx"],
  ),
  ...ofChanges(
    { name: "lint and format", command: ["biome", "check", "--no-errors-on-unmatched"] },
    "biome.json",
    formatted,
  ),
  { name: "arrows", command: ["node", "scripts/check-imports.ts"] },
];
const build: TestStep = { name: "console build", command: ["node", "scripts/ensure-console.ts"] };

const total: { passed: number; failed: number; remarks: string[] } = {
  passed: 0,
  failed: 0,
  remarks: [],
};
const noTests = { skipped: [], failures: [], repeated: [], failedFiles: [] };
const failedSuites: { step: SuiteStep; counts: TestCounts }[] = [];
const stepTimes: StepTime[] = [];
const startedAt = performance.now();
let cluster: PostgresCluster | undefined;

rmSync(testReportsDir, { recursive: true, force: true });
mkdirSync(testReportsDir, { recursive: true });
try {
  if (flags.fast) await runSteps(checks);
  else await runEverything();
  if (isStrict) await runSecondTries();
} finally {
  await cluster?.stop();
  removeTestFolder(testFolder);
}
stepTimes.push({
  name: flags.fast ? "npm run check" : "npm test",
  seconds: secondsSince(startedAt),
});
writeFileSync(stepTimesFile, JSON.stringify(stepTimes));

for (const remark of total.remarks) console.log(remark);
console.log(`${total.passed} passed, ${total.failed} failed`);
process.exitCode = total.failed === 0 ? 0 : 1;

async function runEverything(): Promise<void> {
  provide([leanBrowser, postgres, pgbouncer, redis, nginx]);
  if (flags.large) provide(packagesOfLarge);
  const [isBuilt] = await runSteps([build, ...checks]);
  await providePostgres();
  env.GATEWAY_MAIN ??= relative(root, await ensureGatewayBuild(root));
  // The large runs wait long for packages of other languages, so a line has them alone and whole.
  const inBrowser = withBrowser(isBuilt, [
    suite("journeys"),
    ...(flags.large ? [largeRuns()] : []),
  ]);
  const waiting = [
    suite("database"),
    ...inBrowser,
    ...apiParts(),
    ...(flags.large ? [variants()] : []),
  ];
  // Each of the two lines waits for a third of its time or more: together they keep two processors
  // busy.
  await runSteps(waiting);
  if (flags["large-within"] !== "") await runLargeWithin(Number(flags["large-within"]), isBuilt);
}

/** `runLargeWithin` adds what is large, where the machine was quick enough for it. */
async function runLargeWithin(minutes: number, isBuilt: boolean | undefined): Promise<void> {
  const taken = secondsSince(startedAt) / 60;
  if (taken > minutes) {
    total.remarks.push(
      `LEFT OUT: what is large; the rest took ${taken.toFixed(1)} minutes here, more than ${minutes}`,
    );
    return;
  }
  provide(packagesOfLarge);
  const isCounted = (tags: readonly string[]): boolean => !isVariant(tags);
  const large = suiteStep("large parts", largePartTests(), isCounted);
  const further = suiteStep("further files", furtherTests(), isCounted);
  await runSteps([
    { ...large, env: walkedScreens },
    ...withBrowser(isBuilt, [largeRuns(), further]),
    variants(),
  ]);
}

async function runSecondTries(): Promise<void> {
  const files = failedSuites.flatMap(({ counts }) => counts.failedFiles);
  if (files.length > secondTriesMax) return;
  for (const { step, counts } of failedSuites.splice(0)) {
    if (counts.failedFiles.length === 0) continue;
    const again = suiteStep(
      `${step.name} again`,
      chooseFiles(step.tests, counts.failedFiles),
      step.counts,
    );
    if (!(await runStep({ ...again, ...(step.env && { env: step.env }) }, false))) continue;
    total.passed += counts.failed;
    total.failed -= counts.failed;
    for (const failure of counts.failures)
      total.remarks.push(`PASSED ON ITS SECOND TRY: ${failure}`);
  }
}

function provide(packages: Parameters<typeof installMissing>[0]): void {
  for (const line of installMissing(packages)) console.log(line);
}

function withBrowser(
  isBuilt: boolean | undefined,
  steps: readonly SuiteStep[],
): readonly SuiteStep[] {
  if (browser.isAvailable() && isBuilt) return steps;
  const names = steps.map(({ name }) => name).join(" and ");
  cannotRun(names, browser.isAvailable() ? "the console was not built" : browser.reason());
  return [];
}

async function providePostgres(): Promise<void> {
  if (process.env.TEST_POSTGRES_URL) return;
  if (!postgres.isAvailable()) return cannotRun("everything on PostgreSQL", postgres.reason());
  try {
    await removeAbandonedClusters();
    cluster = await startPostgresCluster();
    env.TEST_POSTGRES_URL = cluster.url;
  } catch (cause) {
    cannotRun("everything on PostgreSQL", String(cause));
  }
}

function suite(name: string, projects: readonly string[] = [name]): SuiteStep {
  const tests = projects.flatMap((project) => [
    ...["--project", project],
    ...(flags.large ? [] : excludeFurtherFiles(project)),
  ]);
  const step = suiteStep(name, [ownTests, ...tests], isOwnTest);
  return flags.large ? { ...step, env: walkedScreens } : step;
}

function variants(): SuiteStep {
  return { ...suiteStep("variants", variantTests(shardOfCommit()), isVariant), env: walkedScreens };
}

function largeRuns(): SuiteStep {
  return { ...suiteStep("large", shortLargeTests(true), () => true), env: everyWidthAndDatabase };
}

function apiParts(): SuiteStep[] {
  const { name, tests, counts } = suite("api");
  return Array.from({ length: apiPartCount }, (_, index) => {
    const part = `${index + 1}/${apiPartCount}`;
    return suiteStep(`${name} ${part.replace("/", " of ")}`, [...tests, `--shard=${part}`], counts);
  });
}

function suiteStep(name: string, tests: readonly string[], counts: SuiteStep["counts"]): SuiteStep {
  const reporters = ["--reporter=dot", "--reporter=json", `--outputFile.json=${reportFile(name)}`];
  return { name, tests, command: ["vitest", "run", ...tests, ...reporters], counts };
}

function reportFile(name: string): string {
  return join(testReportsDir, `${name.replaceAll(" ", "-")}.json`);
}

/**
 * A check of one file at a time: `npm run check` looks at what changed, which takes a tenth of the
 * time, and at everything where the rules changed, as CI does.
 */
function ofChanges(everything: TestStep, rules: string, endings: readonly string[]): TestStep[] {
  if (isStrict || !flags.fast) return [everything];
  const changed = changedSources(root, [...endings, rules]);
  if (changed === undefined || changed.includes(rules)) return [everything];
  return changed.length === 0
    ? []
    : [{ ...everything, command: [...everything.command, ...changed] }];
}

/** What cannot run is always reported, and in CI it is a failure. */
function cannotRun(what: string, reason: string): void {
  total.remarks.push(`NOT RUN: ${what} (${reason})`);
  if (isStrict) total.failed += 1;
}

/** `runSteps` says whether each step passed, in the order of the steps. */
async function runSteps(steps: readonly TestStep[]): Promise<boolean[]> {
  const passed: boolean[] = [];
  const waiting = steps.map((step, index) => ({ step, index }));
  async function runWaiting(): Promise<void> {
    for (let next = waiting.shift(); next; next = waiting.shift())
      passed[next.index] = await runStep(next.step);
  }
  await Promise.all(Array.from({ length: stepsAtOnce }, runWaiting));
  return passed;
}

/** `isCounted` is false for a second try, whose tests are counted already. */
async function runStep(step: TestStep | SuiteStep, isCounted = true): Promise<boolean> {
  const start = performance.now();
  const [program = "", ...args] = step.command;
  // Output is shown only where something failed: a good run is a dozen lines.
  const { code, output } = await runCommand(program, args, {
    cwd: root,
    env: { ...env, ...step.env },
  });
  const isGood = code === 0;
  const counts = step.counts
    ? countSuite(step.name, !isGood, step.counts)
    : { passed: +isGood, failed: +!isGood, ...noTests };

  stepTimes.push({ name: step.name, seconds: secondsSince(start) });
  const seconds = secondsSince(start).toFixed(1);
  const tests = step.counts ? `${counts.passed} passed, ${counts.failed} failed` : "";
  console.log(
    `${isGood ? "ok  " : "FAIL"}  ${step.name.padEnd(20)} ${seconds.padStart(6)} s  ${tests}`.trimEnd(),
  );
  for (const failure of counts.failures) console.log(`FAILED: ${failure}`);
  if (!isGood) console.log(withoutDots(output));

  if (!isCounted) return isGood;
  if (!isGood && "tests" in step) failedSuites.push({ step, counts });
  total.passed += counts.passed;
  total.failed += counts.failed;
  for (const skipped of counts.skipped) cannotRun(skipped, "the test was skipped");
  for (const repeated of counts.repeated)
    total.remarks.push(`PASSED ON ITS SECOND TRY: ${repeated}`);
  return isGood;
}

function secondsSince(start: number): number {
  return (performance.now() - start) / 1000;
}

function countSuite(
  name: string,
  hasFailed: boolean,
  isCounted: NonNullable<TestStep["counts"]>,
): TestCounts {
  const file = reportFile(name);
  const report: VitestReport | undefined = existsSync(file)
    ? JSON.parse(readFileSync(file, "utf8"))
    : undefined;
  return countTests(report, hasFailed, root, isCounted);
}

/** Thousands of dots would hide the one line that says what failed. */
function withoutDots(output: string): string {
  const lines = output.split("\n").filter((line) => !/^[·x*-]{20,}$/.test(line.trim()));
  return lines.join("\n").trimEnd();
}
