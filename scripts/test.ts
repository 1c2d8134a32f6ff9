// `npm test` runs everything; `npm run check` is the fast part of it. Every step runs, whatever failed before, and the
// last line says how many checks passed: one for each test, and one for each step that is no test.
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { parseArgs } from "node:util";
import {
  type PostgresCluster,
  removeAbandonedClusters,
  startPostgresCluster,
} from "../tests/src/harness/postgres-cluster.ts";
import { browser, installMissing, nginx, postgres, redis } from "./system-packages.ts";
import { countTests, type TestCounts, type VitestReport } from "./vitest-report.ts";

const root = join(import.meta.dirname, "..");
const env: NodeJS.ProcessEnv = {
  ...process.env,
  PATH: join(root, "node_modules/.bin") + delimiter + process.env.PATH,
  // What is printed is read in logs as well.
  NO_COLOR: "1",
};
const isStrict = Boolean(process.env.CI);
const { values: flags } = parseArgs({ options: { fast: { type: "boolean", default: false } } });

type TestStep = { name: string; commands: string[][]; project?: string };

const checks: TestStep[] = [
  {
    name: "types",
    commands: [["tsc", "-p", "."], ...(existsSync(join(root, "console/src")) ? [["tsc", "-p", "console"]] : [])],
  },
  { name: "lint and format", commands: [["biome", "check", "."]] },
  { name: "floating promises", commands: [["oxlint", "--type-aware"]] },
  { name: "arrows", commands: [["node", "scripts/check-imports.ts"]] },
];
const build: TestStep = { name: "console build", commands: [["npm", "run", "build", "--workspace", "console"]] };

const reports = mkdtempSync(join(tmpdir(), "tollgate-reports-"));
const total: { passed: number; failed: number; remarks: string[] } = { passed: 0, failed: 0, remarks: [] };
let cluster: PostgresCluster | undefined;

try {
  if (flags.fast) {
    for (const step of [...checks, suite("unit")]) await runStep(step);
  } else {
    await runEverything();
  }
} finally {
  await cluster?.stop();
  rmSync(reports, { recursive: true, force: true });
}

for (const remark of total.remarks) console.log(remark);
console.log(`${total.passed} passed, ${total.failed} failed`);
process.exitCode = total.failed === 0 ? 0 : 1;

async function runEverything(): Promise<void> {
  for (const line of installMissing([browser, postgres, redis, nginx])) console.log(line);
  for (const step of [...checks, suite("unit")]) await runStep(step);

  await providePostgres();
  await runStep(suite("database"));
  const isBuilt = !existsSync(join(root, "console/vite.config.ts")) || (await runStep(build));
  await runStep(suite("api"));
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

function suite(project: string): TestStep {
  const report = join(reports, `${project}.json`);
  const reporters = ["--reporter=dot", "--reporter=json", `--outputFile.json=${report}`];
  return { name: project, project, commands: [["vitest", "run", "--project", project, ...reporters]] };
}

/** What cannot run is never passed over in silence, and in CI it is a failure. */
function cannotRun(what: string, reason: string): void {
  total.remarks.push(`NOT RUN: ${what} (${reason})`);
  if (isStrict) total.failed += 1;
}

async function runStep(step: TestStep): Promise<boolean> {
  const start = performance.now();
  const results: CommandResult[] = [];
  for (const [program = "", ...args] of step.commands) results.push(await runCommand(program, args));
  const isGood = results.every(({ code }) => code === 0);
  const counts = step.project
    ? countProject(step.project, !isGood)
    : { passed: +isGood, failed: +!isGood, skipped: [], repeated: [] };

  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  const tests = step.project ? `${counts.passed} passed, ${counts.failed} failed` : "";
  console.log(`${isGood ? "ok  " : "FAIL"}  ${step.name.padEnd(18)} ${seconds.padStart(6)} s  ${tests}`.trimEnd());
  if (!isGood) for (const { code, output } of results) if (code !== 0) console.log(withoutDots(output));

  total.passed += counts.passed;
  total.failed += counts.failed;
  for (const skipped of counts.skipped) cannotRun(skipped, "the test was skipped");
  for (const repeated of counts.repeated) total.remarks.push(`PASSED ON ITS SECOND TRY: ${repeated}`);
  return isGood;
}

function countProject(project: string, hasFailed: boolean): TestCounts {
  const file = join(reports, `${project}.json`);
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
