/** `docs/benchmarks.md`: one section per benchmark, written only by its run. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { join, relative } from "node:path";

const root = join(import.meta.dirname, "../..");
const file = join(root, "docs/benchmarks.md");

/** Replaces or adds the section with this title, headed by command, date and machine. */
export function writeSection(title: string, lines: readonly string[]): void {
  const old = existsSync(file)
    ? readFileSync(file, "utf8")
    : "# Benchmarks\n\nWritten by the runs alone.\n";
  const command = ["node", relative(root, process.argv[1] ?? ""), ...process.argv.slice(2)].join(
    " ",
  );
  const day = new Date().toISOString().slice(0, 10);
  const run = `\`${command}\`, ${day}, ${cpus().length} cores, Node ${process.version}`;
  const section = [`## ${title}`, "", run, "", ...lines].join("\n");
  const others = old.split(/^(?=## )/m).filter((part) => !part.startsWith(`## ${title}\n`));
  writeFileSync(
    file,
    `${[...others.map((part) => part.trimEnd()), section.trimEnd()].join("\n\n")}\n`,
  );
}

/**
 * `figureOnPage` gives what the section of the page says in the column of a row; undefined where it
 * has no such number.
 */
export function figureOnPage(
  page: string,
  title: string,
  row: string,
  column: string,
): number | undefined {
  const section = page.split(/^(?=## )/m).find((part) => part.startsWith(`## ${title}\n`)) ?? "";
  const [header, ...rows] = section
    .split("\n")
    .filter((line) => line.startsWith("| "))
    .map((line) => line.split("|").map((cell) => cell.trim()));
  const at = header?.indexOf(column) ?? -1;
  const figure = Number.parseFloat(rows.find((cells) => cells[1] === row)?.[at] ?? "");
  return Number.isNaN(figure) ? undefined : figure;
}

/** `recordedFigure` does the same on the page in the repository. */
export const recordedFigure = (title: string, row: string, column: string): number | undefined =>
  figureOnPage(existsSync(file) ? readFileSync(file, "utf8") : "", title, row, column);

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
