/**
 * `npm test` runs everything; `npm run check` is its fast part. Every step runs, whatever failed before. The last line
 * counts the checks that passed: one for each test, and one for each step without tests.
 */
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, join, relative } from "node:path";
import { parseArgs } from "node:util";
import {
  type PostgresCluster,
  removeAbandonedClusters,
  startPostgresCluster,
} from "../tests/src/harness/postgres-cluster.ts";
import { changedSources } from "./changed-sources.ts";
import { ensureGatewayBuild } from "./gateway-build.ts";
import { gatewayEnvironment } from "./gateway-node-options.ts";
import { browser, installMissing, leanBrowser, nginx, pgbouncer, postgres, redis } from "./system-packages.ts";
import { makeTestFolder, removeTestFolder } from "./test-folder.ts";
import { type StepTime, stepTimesFile, testReportsDir } from "./test-reports-dir.ts";
import { withoutVariants } from "./variant-tag.ts";
import { countTests, type TestCounts, type VitestReport } from "./vitest-report.ts";

const root = join(import.meta.dirname, "..");
const testFolder = makeTestFolder();
process.env.TMPDIR = testFolder;
const env: NodeJS.ProcessEnv = {
  ...process.env,
  PATH: join(root, "node_modules/.bin") + delimiter + process.env.PATH,
  // Many tests open a gateway in their own process, whose threads load its modules from the sources.
  NODE_COMPILE_CACHE: gatewayEnvironment.NODE_COMPILE_CACHE,
  // The output is read in logs as well.
  NO_COLOR: "1",
};
const isStrict = Boolean(process.env.CI);
const { values: flags } = parseArgs({ options: { fast: { type: "boolean", default: false } } });

/** `projects` are those of vitest.config.ts that a step runs. */
type TestStep = { name: string; command: string[]; projects?: boolean };

/** Each of these keeps about one processor busy; more at once would only compete. */
const stepsAtOnce = 2;

// The longest first, so that none of them is left for the end.
const checks: TestStep[] = [
  suite("unit", ["unit", "unit-isolated"]),
  { name: "types", command: ["tsc", "-p", "."] },
  { name: "types of the console", command: ["tsc", "-p", "console"] },
  ...floatingPromises(),
  { name: "lint and format", command: ["biome", "check", "."] },
  { name: "arrows", command: ["node", "scripts/check-imports.ts"] },
];
const build: TestStep = { name: "console build", command: ["npm", "run", "build", "--workspace", "console"] };

const total: { passed: number; failed: number; remarks: string[] } = { passed: 0, failed: 0, remarks: [] };
const stepTimes: StepTime[] = [];
const startedAt = performance.now();
let cluster: PostgresCluster | undefined;

rmSync(testReportsDir, { recursive: true, force: true });
mkdirSync(testReportsDir, { recursive: true });
try {
  if (flags.fast) await runSteps(checks);
  else await runEverything();
} finally {
  await cluster?.stop();
  removeTestFolder(testFolder);
}
stepTimes.push({ name: flags.fast ? "npm run check" : "npm test", seconds: secondsSince(startedAt) });
writeFileSync(stepTimesFile, JSON.stringify(stepTimes));

for (const remark of total.remarks) console.log(remark);
console.log(`${total.passed} passed, ${total.failed} failed`);
process.exitCode = total.failed === 0 ? 0 : 1;

async function runEverything(): Promise<void> {
  for (const line of installMissing([leanBrowser, postgres, pgbouncer, redis, nginx])) console.log(line);
  const [isBuilt] = await runSteps([build, ...checks]);
  await providePostgres();
  env.GATEWAY_MAIN ??= relative(root, await ensureGatewayBuild(root));
  // Each of the two lines waits for a third of its time or more: together they keep two processors busy.
  await Promise.all([runJourneys(isBuilt), runStep(suite("database")).then(() => runStep(suite("api")))]);
}

async function runJourneys(isBuilt: boolean | undefined): Promise<void> {
  if (!browser.isAvailable()) cannotRun("journeys", browser.reason());
  else if (!isBuilt) cannotRun("journeys", "the console was not built");
  else await runStep(suite("journeys"));
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

function suite(name: string, projects: readonly string[] = [name]): TestStep {
  const reporters = ["--reporter=dot", "--reporter=json", `--outputFile.json=${reportFile(name)}`];
  return {
    name,
    projects: true,
    command: ["vitest", "run", withoutVariants, ...projects.flatMap((project) => ["--project", project]), ...reporters],
  };
}

function reportFile(name: string): string {
  return join(testReportsDir, `${name}.json`);
}

/** Types of the whole program take this check most of its time: `npm run check` looks at what changed, CI at everything. */
function floatingPromises(): TestStep[] {
  const everything = { name: "floating promises", command: ["oxlint", "--type-aware"] };
  if (isStrict || !flags.fast) return [everything];
  const changed = changedSources(root);
  if (changed === undefined) return [everything];
  return changed.length === 0 ? [] : [{ ...everything, command: [...everything.command, ...changed] }];
}

/** What cannot run is always reported, and in CI it is a failure. */
function cannotRun(what: string, reason: string): void {
  total.remarks.push(`NOT RUN: ${what} (${reason})`);
  if (isStrict) total.failed += 1;
}

/** Whether each step passed, in the order of the steps. */
async function runSteps(steps: readonly TestStep[]): Promise<boolean[]> {
  const passed: boolean[] = [];
  const waiting = steps.map((step, index) => ({ step, index }));
  async function runWaiting(): Promise<void> {
    for (let next = waiting.shift(); next; next = waiting.shift()) passed[next.index] = await runStep(next.step);
  }
  await Promise.all(Array.from({ length: stepsAtOnce }, runWaiting));
  return passed;
}

async function runStep(step: TestStep): Promise<boolean> {
  const start = performance.now();
  const [program = "", ...args] = step.command;
  const { code, output } = await runCommand(program, args);
  const isGood = code === 0;
  const counts = step.projects
    ? countSuite(step.name, !isGood)
    : { passed: +isGood, failed: +!isGood, skipped: [], failures: [], repeated: [] };

  stepTimes.push({ name: step.name, seconds: secondsSince(start) });
  const seconds = secondsSince(start).toFixed(1);
  const tests = step.projects ? `${counts.passed} passed, ${counts.failed} failed` : "";
  console.log(`${isGood ? "ok  " : "FAIL"}  ${step.name.padEnd(20)} ${seconds.padStart(6)} s  ${tests}`.trimEnd());
  for (const failure of counts.failures) console.log(`FAILED: ${failure}`);
  if (!isGood) console.log(withoutDots(output));

  total.passed += counts.passed;
  total.failed += counts.failed;
  for (const skipped of counts.skipped) cannotRun(skipped, "the test was skipped");
  for (const repeated of counts.repeated) total.remarks.push(`PASSED ON ITS SECOND TRY: ${repeated}`);
  return isGood;
}

function secondsSince(start: number): number {
  return (performance.now() - start) / 1000;
}

function countSuite(name: string, hasFailed: boolean): TestCounts {
  const file = reportFile(name);
  const report: VitestReport | undefined = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : undefined;
  return countTests(report, hasFailed, root);
}

/** Thousands of dots would hide the one line that says what failed. */
function withoutDots(output: string): string {
  const lines = output.split("\n").filter((line) => !/^[·x*-]{20,}$/.test(line.trim()));
  return lines.join("\n").trimEnd();
}

type CommandResult = { code: number | null; output: string };

/** Output is shown only where something failed: a good run is a dozen lines. */
function runCommand(program: string, args: string[]): Promise<CommandResult> {
  const child = spawn(program, args, { cwd: root, env, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  }
  return new Promise((resolve) => {
    child.once("error", (cause) => resolve({ code: 1, output: `${program} cannot be started: ${cause.message}` }));
    child.once("close", (code) => resolve({ code, output }));
  });
}
