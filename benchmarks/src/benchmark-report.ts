/** `docs/benchmarks.md`: one section per benchmark, written only by its run. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { join, relative } from "node:path";

const root = join(import.meta.dirname, "../..");
const file = join(root, "docs/benchmarks.md");

/** Replaces or adds the section with this title, headed by command, date and machine. */
export function writeSection(title: string, lines: readonly string[]): void {
  const old = existsSync(file) ? readFileSync(file, "utf8") : "# Benchmarks\n\nWritten by the runs alone.\n";
  const command = ["node", relative(root, process.argv[1] ?? ""), ...process.argv.slice(2)].join(" ");
  const day = new Date().toISOString().slice(0, 10);
  const run = `\`${command}\`, ${day}, ${cpus().length} cores, Node ${process.version}`;
  const section = [`## ${title}`, "", run, "", ...lines].join("\n");
  const others = old.split(/^(?=## )/m).filter((part) => !part.startsWith(`## ${title}\n`));
  writeFileSync(file, `${[...others.map((part) => part.trimEnd()), section.trimEnd()].join("\n\n")}\n`);
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
