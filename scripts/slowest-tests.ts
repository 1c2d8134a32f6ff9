/**
 * Lists the slowest files of the last `npm test` or `npm run check`. With `--write` it also puts
 * the time of each step into docs/benchmarks.md, which only makes sense after a run on a machine
 * with nothing else to do.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { parseArgs } from "node:util";
import { writeSection } from "../benchmarks/src/benchmark-report.ts";
import { type StepTime, stepTimesFile, testReportsDir } from "./test-reports-dir.ts";
import { fileTimes, type VitestReport } from "./vitest-report.ts";

const root = join(import.meta.dirname, "..");
const { values: flags } = parseArgs({
  options: { count: { type: "string", default: "15" }, write: { type: "boolean", default: false } },
});

if (!existsSync(stepTimesFile))
  throw new Error("There are no reports: run `npm test` or `npm run check` first.");
const steps = JSON.parse(readFileSync(stepTimesFile, "utf8")) as readonly StepTime[];
const stepRows = steps.map(({ name, seconds }) => `| ${name} | ${seconds.toFixed(1)} s |`);

const suites = readdirSync(testReportsDir)
  .map((file) => join(testReportsDir, file))
  .filter((file) => file.endsWith(".json") && file !== stepTimesFile);
const files = suites
  .flatMap((file) => fileTimes(JSON.parse(readFileSync(file, "utf8")) as VitestReport))
  .sort((a, b) => b.seconds - a.seconds)
  .slice(0, Number(flags.count));
const fileRows = files.map(
  ({ name, seconds, tests }) =>
    `| \`${relative(root, name)}\` | ${tests} | ${seconds.toFixed(1)} s |`,
);

const lines = [
  "Wall time of each step of the last run; steps may run at the same time.",
  "",
  "| Step | Time |",
  "|---|---|",
  ...stepRows,
  "",
  "The slowest files, which run beside others:",
  "",
  "| File | Tests | Time |",
  "|---|---|---|",
  ...fileRows,
];
console.log(lines.join("\n"));
if (flags.write) writeSection("Test loop", lines);
