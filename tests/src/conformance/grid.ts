// What was tried in this run, and what came of it: the only source of docs/conformance.md.
import { test } from "vitest";

/** One field of the grid: a table, its row and its column. */
export interface Place {
  table: string;
  row: string;
  column: string;
}

/** Some look at every byte, and machines may be busy. */
const patienceMs = 120_000;

type Outcome = "waiting" | "passed" | "failed";
type Field = { tests: Map<string, Outcome>; reasons: Map<string, string>; isLacking: boolean };

export class Grid {
  readonly #fields = new Map<string, Field>();

  /** A test whose passing fills a field; `by` tells those of one field apart. */
  try(place: Place, by: string, run: () => Promise<void>): void {
    const { tests } = this.#field(place);
    if (tests.has(by)) throw new Error(`${name(place)} is tried twice by ${by}`);
    tests.set(by, "waiting");
    test(
      titleOf(place, by),
      async () => {
        tests.set(by, "failed");
        await run();
        tests.set(by, "passed");
      },
      patienceMs,
    );
  }

  /** What there is nothing of, and a test that this is so. */
  lacks(place: Place, reason: string, by: string, run: () => Promise<void>): void {
    this.#field(place).isLacking = true;
    this.cannot(place, reason);
    this.try(place, by, run);
  }

  /** Why there is nothing to try: at all, or by the one that is named. */
  cannot(place: Place, reason: string, by = ""): void {
    this.#field(place).reasons.set(by, reason);
  }

  /** A table in Markdown with the reasons below it; a field of it that nothing is known of throws. */
  table(table: string, rows: readonly string[], columns: readonly string[]): string {
    const notes: string[] = [];
    const lines = [
      ["Provider", ...columns],
      ["---", ...columns.map(() => "---")],
      ...rows.map((row) => [row, ...columns.map((column) => this.#shown({ table, row, column }, notes))]),
    ];
    const reasons = notes.map((note, at) => `${at + 1}. ${note}`);
    return [...lines.map((cells) => `| ${cells.join(" | ")} |`), "", ...reasons].join("\n").trimEnd();
  }

  #shown(place: Place, notes: string[]): string {
    const field = this.#fields.get(name(place));
    if (!field) throw new Error(`${name(place)} is empty: try it, or say why not`);
    const { reasons } = field;
    const marks = [...reasons].map(([by, reason]) => markOf(notes, by === "" ? reason : `${by}: ${reason}`));
    const word = wordFor(field);
    return marks.length > 0 ? `${word} (${marks.join(", ")})` : word;
  }

  #field(place: Place): Field {
    const field = this.#fields.get(name(place)) ?? { tests: new Map(), reasons: new Map(), isLacking: false };
    this.#fields.set(name(place), field);
    return field;
  }
}

const name = ({ table, row, column }: Place): string => `${table} over ${row}, ${column}`;

const titleOf = (place: Place, by: string): string => (by === "" ? name(place) : `${name(place)}: ${by}`);

function wordFor({ tests, isLacking }: Field): string {
  const outcomes = [...tests.values()];
  if (outcomes.includes("failed")) return "**failing**";
  if (outcomes.includes("waiting")) return "not run";
  return outcomes.length === 0 || isLacking ? "not supported" : "tested";
}

function markOf(notes: string[], note: string): number {
  if (!notes.includes(note)) notes.push(note);
  return notes.indexOf(note) + 1;
}
