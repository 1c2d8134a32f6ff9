// The results of the large runs in docs/assurance/trust-runs.json: only this file writes it, and
// `npm run pages` shows it.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { availableParallelism, cpus, loadavg } from "node:os";
import { join } from "node:path";
import { repositoryDir } from "@tollgate/tests/harness/repository-dir.ts";

export interface RunRecord {
  /** The `run` of one of `largeRuns`. */
  run: string;
  command: string;
  /** The size of the run in its own unit: kills, stories, requests, minutes. */
  size: number;
  passed: boolean;
  /** The measurements, as a line of text. */
  figures: string;
  /** A day in UTC, `YYYY-MM-DD`. */
  date: string;
  /** The short commit id of the code that ran. */
  commit: string;
  machine: string;
}

const file = join(repositoryDir, "docs/assurance/trust-runs.json");

export const readRuns = (): RunRecord[] =>
  existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as RunRecord[]) : [];

/**
 * A run replaces an earlier one that is not larger. A failed run replaces any, and any run replaces
 * a failed one.
 */
export function mergeRecord(retained: readonly RunRecord[], found: RunRecord): RunRecord[] {
  const earlier = retained.find(({ run }) => run === found.run);
  const isKept = earlier?.passed && found.passed && earlier.size > found.size;
  const others = retained.filter(({ run }) => run !== found.run);
  return [...others, isKept ? earlier : found].sort((one, other) =>
    one.run.localeCompare(other.run, "en"),
  );
}

/** A result says little about a program that has changed for longer than this. */
const staleAfterDays = 14;

/** The first day on which the run is due again. */
export const staleFrom = ({ date }: RunRecord): string =>
  new Date(Date.parse(date) + staleAfterDays * 86_400_000).toISOString().slice(0, 10);

export type RunFindings = Pick<RunRecord, "run" | "size" | "passed" | "figures">;

export function recordRun(found: RunFindings): void {
  const record: RunRecord = {
    ...found,
    command: commandLine(),
    date: new Date().toISOString().slice(0, 10),
    commit: commit(),
    machine: `${availableParallelism()} × ${cpus()[0]?.model.trim() ?? "processor"}, load ${loadavg()[1]?.toFixed(1)}`,
  };
  writeFileSync(file, `${JSON.stringify(mergeRecord(readRuns(), record), null, 2)}\n`);
  console.log(`${record.passed ? "passed" : "FAILED"}: ${record.figures}`);
}

/** As an operator repeats it. */
function commandLine(): string {
  const [script = "", ...args] = process.argv
    .slice(1)
    .map((word) => word.replace(`${repositoryDir}/`, ""));
  return [
    ...(script === "trust/src/trust.ts" ? ["npm run trust --"] : ["node", script]),
    ...args,
  ].join(" ");
}

/** The short id of the code that runs; empty outside a repository. */
export function commit(): string {
  try {
    return execFileSync("git", ["rev-parse", "--short", "HEAD"], {
      cwd: repositoryDir,
      encoding: "utf8",
    }).trim();
  } catch {
    return "";
  }
}
