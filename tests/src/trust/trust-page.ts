// docs/trust.md, word for word.
import { type Fault, faults } from "./faults.ts";
import { type Invariant, invariants } from "./invariants.ts";
import { type KnownFailure, knownFailures } from "./known-failures.ts";
import { type LargeRun, largeRuns } from "./large-runs.ts";
import { type Evidence, type PromiseState, promiseStateOf } from "./promise.ts";
import { type RunRecord, readRuns } from "./runs/run-record.ts";

const introduction = `# Trust

How gateways of this kind have failed, what can go wrong around one, and what shows that it does not happen here. The page
is made of the lists in \`tests/src/trust\`; a page that says something else fails the tests, and
\`npx vitest run --project unit tests/src/trust -u\` writes it anew. \`npm run trust\` runs every test that is named here and
prints a line for each promise.

- **tested**: the tests that are named show it, in every full run.
- **tested in part**: the same, and what they leave out is said.
- **not applicable**: there is nothing here that could fail so, and why.
- **open**: no test shows it.`;

/** A bar would end the cell. */
const cell = (text: string): string => text.replaceAll("|", "\\|");

function shownBy({ tests = [], notApplicable, open }: Evidence): string {
  const named = tests.map(([file, title]) => `\`${file}\`: ${title}`);
  const why = notApplicable ?? open;
  return cell(
    [...named, ...(why === undefined ? [] : [`*${tests.length > 0 ? "Left out: " : ""}${why}*`])].join("<br>"),
  );
}

function counted(rows: readonly Evidence[]): string {
  const counts = new Map<PromiseState, number>();
  for (const row of rows) counts.set(promiseStateOf(row), (counts.get(promiseStateOf(row)) ?? 0) + 1);
  return `${rows.length} rows: ${[...counts].map(([verdict, count]) => `${count} ${verdict}`).join(", ")}.`;
}

const table = (heads: readonly string[], rows: readonly string[][]): string =>
  [heads, heads.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");

const failureRow = (row: KnownFailure): string[] => [row.id, cell(row.promise), promiseStateOf(row), shownBy(row)];
const invariantRow = (row: Invariant): string[] => [row.id, cell(row.promise), promiseStateOf(row), shownBy(row)];
const faultRow = (row: Fault): string[] => [cell(row.fault), cell(row.promise), promiseStateOf(row), shownBy(row)];

const largeIntroduction = `These take hours, so no full run holds them; each writes what it found into
\`docs/trust-runs.json\` by itself, and its short form is among the tests above. A run stays until one as large takes its
place, or one that fails.`;

function stateOf(goalSize: number, found: RunRecord | undefined): string {
  if (found === undefined) return "not run";
  if (!found.passed) return "FAILED";
  return found.size < goalSize ? "passed, short of the goal" : "passed";
}

function largeRunRow({ run, promise, command, goal, goalSize = 0 }: LargeRun, records: readonly RunRecord[]): string[] {
  const found = records.find((record) => record.run === run);
  const state = stateOf(goalSize, found);
  const when = found === undefined ? "" : `${found.date}, ${found.commit}, ${found.machine}`;
  return [cell(promise), `\`${command}\``, goal, state, cell(found?.figures ?? ""), cell(when)];
}

export const trustPage = (records: readonly RunRecord[] = readRuns()): string =>
  [
    introduction,
    "## Known failures",
    counted(knownFailures),
    table(["Id", "Promise", "State", "Shown by"], knownFailures.map(failureRow)),
    "## Invariants of money",
    counted(invariants),
    table(["Id", "Promise", "State", "Shown by"], invariants.map(invariantRow)),
    "## Faults",
    counted(faults),
    table(["Fault", "Promise", "State", "Shown by"], faults.map(faultRow)),
    "## Large runs",
    largeIntroduction,
    table(
      ["Promise", "Command", "Goal", "State", "Figures", "When and where"],
      largeRuns.map((run) => largeRunRow(run, records)),
    ),
    "",
  ].join("\n\n");
