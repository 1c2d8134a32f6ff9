import type { Log } from "@tollgate/contract/logs.ts";
import { formatSeconds } from "../../ui/format.ts";

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

type CsvLog = Pick<
  Log,
  | "created_at"
  | "type"
  | "model_name"
  | "token_name"
  | "username"
  | "quota"
  | "prompt_tokens"
  | "completion_tokens"
  | "elapsed_time"
  | "content"
>;

/** Raw numbers, latency in milliseconds. Heads stay English: programs read them. */
export function toCsv(logs: readonly CsvLog[], typeName: (type: number) => string): string {
  const rows = logs.map((log) => [
    formatSeconds(log.created_at),
    typeName(log.type),
    log.model_name,
    log.token_name,
    log.username,
    log.quota,
    log.prompt_tokens,
    log.completion_tokens,
    log.elapsed_time,
    log.content,
  ]);
  return `${[heads, ...rows].map((row) => row.map(cell).join(",")).join("\r\n")}\r\n`;
}

/** A spreadsheet runs a cell that begins like a formula; an apostrophe in front keeps it text. */
export function cell(value: string | number): string {
  if (typeof value === "number") return String(value);
  const safe = /^[\s]*[=+\-@\t\r|%]/.test(value) && value !== "-" ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** The mark in front tells spreadsheets that the text is UTF-8. */
export function saveCsv(name: string, csv: string) {
  const address = URL.createObjectURL(new Blob(["\ufeff", csv], { type: "text/csv;charset=utf-8" }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 1_000);
}
