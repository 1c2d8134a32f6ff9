/** A batch of things that are made from a list of names. Pure. */
import { readCsvCell } from "@tollgate/contract/figures/log-csv.ts";

/** Each is a request of its own; more would meet the rate limit of the management API. */
export const batchMax = 100;

/**
 * `BatchEntry` is what became of one name: `secret` once it is made, `failure` where the server
 * refused it, neither before its turn.
 */
export type BatchEntry = { name: string; secret?: string; failure?: string };

/** `parseNames` gives one name a line, without blanks, empty lines and repetitions. */
export function parseNames(text: string): string[] {
  return [...new Set(text.split("\n").map((line) => line.trim()))].filter((name) => name !== "");
}

/** Rows for a spreadsheet's clipboard. */
export const formatBatchText = (entries: readonly BatchEntry[]): string =>
  listMadeRows(entries)
    .map((cells) => cells.join("\t"))
    .join("\n");

/** The byte order mark tells spreadsheets that the text is UTF-8. */
export const readBatchCsv = (
  heads: readonly [string, string],
  entries: readonly BatchEntry[],
): string =>
  `\ufeff${[heads, ...listMadeRows(entries)].map((cells) => `${cells.map(readCsvCell).join(",")}\r\n`).join("")}`;

const listMadeRows = (entries: readonly BatchEntry[]): [name: string, secret: string][] =>
  entries.flatMap(({ name, secret }) => (secret === undefined ? [] : [[name, secret]]));
