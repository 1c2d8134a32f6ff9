/** A batch of things that are made from a list of names. Pure. */
import { csvCell } from "@tollgate/contract/log-csv.ts";

/** Each is a request of its own; more would meet the rate limit of the management API. */
export const batchMax = 100;

/** What became of one name: `secret` once it is made, `failure` where the server refused it, neither before its turn. */
export type BatchEntry = { name: string; secret?: string; failure?: string };

/** One name a line, without blanks, empty lines and repetitions. */
export function namesIn(text: string): string[] {
  return [...new Set(text.split("\n").map((line) => line.trim()))].filter((name) => name !== "");
}

/** Rows for a spreadsheet's clipboard. */
export const batchText = (entries: readonly BatchEntry[]): string =>
  madeRows(entries)
    .map((cells) => cells.join("\t"))
    .join("\n");

/** The byte order mark tells spreadsheets that the text is UTF-8. */
export const batchCsv = (heads: readonly [string, string], entries: readonly BatchEntry[]): string =>
  `\ufeff${[heads, ...madeRows(entries)].map((cells) => `${cells.map(csvCell).join(",")}\r\n`).join("")}`;

const madeRows = (entries: readonly BatchEntry[]): [name: string, secret: string][] =>
  entries.flatMap(({ name, secret }) => (secret === undefined ? [] : [[name, secret]]));
