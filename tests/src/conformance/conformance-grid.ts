/** The tested combinations of this run and their outcomes. */
import { test } from "vitest";
import { largeTag } from "../../../scripts/test-tags.ts";
import { type OutcomeTable, usualOutcome } from "./conformance-outcomes.ts";
import { providerFamilies } from "./provider-families.ts";

/** `GridCell` is one field of the grid: a table, its row and its column. */
export interface GridCell {
  table: string;
  row: string;
  column: string;
}

/** `cellTimeoutMs` hold some tests cut at every byte, and machines may be busy. */
const cellTimeoutMs = 120_000;

/**
 * They differ from another provider in address and login alone, or in one format: of them `npm
 * test` tries what every call needs.
 */
const furtherRows = new Set(
  providerFamilies.flatMap(({ name, isAnotherAddress }) => (isAnotherAddress ? [name] : [])),
);
const usualColumns = ["chat", "stream", "bill"];

type CellOutcome = "waiting" | "passed" | "failed";
type CellState = {
  tests: Map<string, CellOutcome>;
  reasons: Map<string, string>;
  isLacking: boolean;
};

export class ConformanceGrid {
  readonly #fields = new Map<string, CellState>();

  /**
   * A test whose passing fills a field; `by` tells those of one field apart: all but the first are
   * large.
   */
  test(cell: GridCell, by: string, run: () => Promise<void>): void {
    const { tests } = this.#field(cell);
    if (tests.has(by)) throw new Error(`${name(cell)} is tried twice by ${by}`);
    const isNarrow =
      tests.size === 0 && (!furtherRows.has(cell.row) || usualColumns.includes(cell.column));
    tests.set(by, "waiting");
    test(titleOf(cell, by), {
      tags: isNarrow ? [] : [largeTag.name],
      timeout: cellTimeoutMs,
    }, async () => {
      tests.set(by, "failed");
      await run();
      tests.set(by, "passed");
    });
  }

  /** A missing feature, and a test that it is missing. */
  lacks(cell: GridCell, reason: string, by: string, run: () => Promise<void>): void {
    this.#field(cell).isLacking = true;
    this.cannot(cell, reason);
    this.test(cell, by, run);
  }

  /** `cannot` says why there is no test: at all, or by the library that is named. */
  cannot(cell: GridCell, reason: string, by = ""): void {
    this.#field(cell).reasons.set(by, reason);
  }

  /** `table` says what this run found; a cell without tests or reasons throws. */
  table(
    title: string,
    rows: readonly string[],
    columns: readonly string[],
    rowsAre = "Provider",
  ): OutcomeTable {
    const notes: string[] = [];
    const shown = rows.map((row) => {
      const cells = columns
        .map((column) => [column, this.#shown({ table: title, row, column }, notes)] as const)
        .filter(([, outcome]) => outcome !== usualOutcome);
      return [row, Object.fromEntries(cells)] as const;
    });
    return { title, rowsAre, columns: [...columns], rows: Object.fromEntries(shown), notes };
  }

  #shown(cell: GridCell, notes: string[]): string {
    const field = this.#fields.get(name(cell));
    if (!field) throw new Error(`${name(cell)} is empty: try it, or say why not`);
    const { reasons } = field;
    const marks = [...reasons].map(([by, reason]) =>
      noteNumber(notes, by === "" ? reason : `${by}: ${reason}`),
    );
    const word = cellText(field);
    return marks.length > 0 ? `${word} (${marks.join(", ")})` : word;
  }

  #field(cell: GridCell): CellState {
    const field = this.#fields.get(name(cell)) ?? {
      tests: new Map(),
      reasons: new Map(),
      isLacking: false,
    };
    this.#fields.set(name(cell), field);
    return field;
  }
}

const name = ({ table, row, column }: GridCell): string => `${table} over ${row}, ${column}`;

const titleOf = (cell: GridCell, by: string): string =>
  by === "" ? name(cell) : `${name(cell)}: ${by}`;

function cellText({ tests, isLacking }: CellState): string {
  const outcomes = [...tests.values()];
  if (outcomes.includes("failed")) return "**failing**";
  if (outcomes.includes("waiting")) return "not run";
  return outcomes.length === 0 || isLacking ? "not supported" : usualOutcome;
}

function noteNumber(notes: string[], note: string): number {
  if (!notes.includes(note)) notes.push(note);
  return notes.indexOf(note) + 1;
}
