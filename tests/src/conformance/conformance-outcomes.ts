/** What a run of the conformance tests found, and the file that keeps it. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { repositoryDir } from "../harness/repository-dir.ts";

/** `usualOutcome` is that of a cell of which a table says nothing. */
export const usualOutcome = "tested";

export interface OutcomeTable {
  title: string;
  /** The head of the first column. */
  rowsAre: string;
  columns: string[];
  /** By row, then by column: `not supported (1)`, whose number is one of `notes`, counted from 1. */
  rows: Record<string, Record<string, string>>;
  notes: string[];
}

export interface ConformanceOutcomes {
  conversations: OutcomeTable[];
  other: OutcomeTable;
  kept: OutcomeTable;
  mcp: OutcomeTable;
  failures: OutcomeTable[];
}

export const conformanceFile = join(repositoryDir, "docs/assurance/conformance.json");

/** `writeOutcomes` gives each row of a table a line of its own, so that a change shows alone. */
export const writeOutcomes = (outcomes: ConformanceOutcomes): string =>
  `${JSON.stringify(outcomes, null, 1).replaceAll(
    /: (\{[^{}]*\}|\[[^[\]{}]*\])/g,
    (_, value: string) =>
      `: ${value.replaceAll(/\n\s*/g, " ").replaceAll(/([{[]) | ([}\]])/g, "$1$2")}`,
  )}\n`;

export const readOutcomes = (): ConformanceOutcomes =>
  JSON.parse(readFileSync(conformanceFile, "utf8")) as ConformanceOutcomes;
