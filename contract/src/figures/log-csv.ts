/**
 * The log as CSV, identical in the console (one page) and the gateway (all rows): raw numbers, safe
 * cells.
 */

import { formatTagListText } from "../accounts/tags.ts";
import type { Log } from "./logs.ts";

/** `heads` are in English, because programs read them. */
const heads = [
  "Time",
  "Type",
  "Model",
  "Token",
  "Username",
  "Quota",
  "Prompt Tokens",
  "Completion Tokens",
  "Latency",
  "Content",
];

export type CsvLog = Pick<
  Log,
  | "model_name"
  | "token_name"
  | "username"
  | "quota"
  | "prompt_tokens"
  | "completion_tokens"
  | "elapsed_time"
  | "content"
> & {
  time: string;
  type: string;
  /** Present, and empty for a call without tags, where the file has the column. */
  tags?: Readonly<Record<string, string>> | undefined;
};

const line = (cells: readonly (string | number)[]) => `${cells.map(readCsvCell).join(",")}\r\n`;

/** The byte order mark tells spreadsheets that the text is UTF-8. */
export const csvHead = `\ufeff${line(heads)}`;
/**
 * The column of tags is the last one, so that programs that count columns read the others as
 * before.
 */
export const csvHeadWithTags = `\ufeff${line([...heads, "Tags"])}`;

/** Latency in milliseconds. */
export const formatCsvLine = (log: CsvLog): string =>
  line([
    log.time,
    log.type,
    log.model_name,
    log.token_name,
    log.username,
    log.quota,
    log.prompt_tokens,
    log.completion_tokens,
    log.elapsed_time,
    log.content,
    ...(log.tags === undefined ? [] : [formatTagListText(Object.entries(log.tags))]),
  ]);

/**
 * Spreadsheets evaluate a cell that begins like a formula, full-width signs included; an apostrophe
 * makes it text.
 */
export function readCsvCell(value: string | number): string {
  if (typeof value === "number") return String(value);
  const safe =
    /^\s*[=+\-@\t\r|%\uff1d\uff0b\uff0d\uff20]/.test(value) && value !== "-" ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
