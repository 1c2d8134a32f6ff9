// docs/trust.md, word for word.
import { type Fault, faults } from "./faults.ts";
import { type KnownFailure, knownFailures } from "./known-failures.ts";
import { type Evidence, type Verdict, verdictOf } from "./promise.ts";

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
  const counts = new Map<Verdict, number>();
  for (const row of rows) counts.set(verdictOf(row), (counts.get(verdictOf(row)) ?? 0) + 1);
  return `${rows.length} rows: ${[...counts].map(([verdict, count]) => `${count} ${verdict}`).join(", ")}.`;
}

const table = (heads: readonly string[], rows: readonly string[][]): string =>
  [heads, heads.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");

const failureRow = (row: KnownFailure): string[] => [row.id, cell(row.promise), verdictOf(row), shownBy(row)];
const faultRow = (row: Fault): string[] => [cell(row.fault), cell(row.promise), verdictOf(row), shownBy(row)];

export const trustPage = (): string =>
  [
    introduction,
    "## Known failures",
    counted(knownFailures),
    table(["Id", "Promise", "State", "Shown by"], knownFailures.map(failureRow)),
    "## Faults",
    counted(faults),
    table(["Fault", "Promise", "State", "Shown by"], faults.map(faultRow)),
    "",
  ].join("\n\n");
