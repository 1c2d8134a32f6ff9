/** Rows as a table of plain text. Pure. */
import { visible } from "./visible-text.ts";

/** A longer value is in the output of --json. */
const cellMax = 40;

/**
 * Columns that no row has are left out. The last column is not padded, so that lines end where
 * their text does.
 */
export function formatTextTable(
  rows: readonly Readonly<Record<string, string>>[],
  columns: readonly string[],
): string[] {
  const shown = columns.filter((column) => rows.some((row) => row[column] !== undefined));
  const lines = [
    shown.map((column) => column.toUpperCase()),
    ...rows.map((row) => shown.map((name) => formatCell(row[name]))),
  ];
  const widths = shown.map((_, column) =>
    Math.max(...lines.map((line) => line[column]?.length ?? 0)),
  );
  return lines.map((line) =>
    line
      .map((text, column) => text.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  );
}

function formatCell(text = ""): string {
  const safe = visible(text, cellMax + 1);
  if (safe === "") return "-";
  return safe.length > cellMax ? `${safe.slice(0, cellMax - 1)}…` : safe;
}
