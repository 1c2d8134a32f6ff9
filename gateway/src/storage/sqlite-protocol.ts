/** What the main thread and the SQLite threads say to each other. Arrays, because they are cloned for every call. */
import type { SQLInputValue } from "node:sqlite";
import type { MoneyCommand, SettleCommand } from "./money-commands.ts";

export type WriteStatement = [sql: string, parameters: SQLInputValue[], rows: number | null];
/** A settle, its log row as plain values in the order of `logColumns`: cloning an object of 22 members costs more. */
export type PackedSettle = { verb: "settle"; id: number; charge: number; log: SQLInputValue[]; trace: string };
export type MoneyWork = Exclude<MoneyCommand, SettleCommand> | PackedSettle;
export type WriterRequest = [sequence: number, work: MoneyWork | WriteStatement[]];
export type ReaderRequest = [sequence: number, sql: string, parameters: SQLInputValue[]];

export type SqliteFailure =
  | { kind: "missed"; statement: number }
  /** `statement` is the place in a batch; absent where a money command was rejected. */
  | { kind: "conflict"; constraint: string; statement?: number }
  | { kind: "unavailable"; message: string }
  | { kind: "bug"; message: string };

export type SqliteReply = [sequence: number, failure: SqliteFailure | null, value: unknown];

export interface SqliteThreadData {
  file: string;
  node: number;
}

const busy = 5;
const full = 13;
const ioError = 10;
const cantOpen = 14;
const readOnly = 8;
const corrupt = 11;
const notADatabase = 26;

/** Sorts an error of node:sqlite into what the caller can do about it. */
export function classifyFailure(error: unknown): SqliteFailure {
  const code = (error as { errcode?: number }).errcode;
  const message = error instanceof Error ? error.message : String(error);
  // An index on an expression is named, any other by its columns.
  const conflict = /^UNIQUE constraint failed: (?:index ')?(.+?)'?$/.exec(message)?.[1];
  if (conflict) return { kind: "conflict", constraint: conflict.replace(/, \w+\./g, "_").replace(".", "_") };
  if (code !== undefined && [busy, full, ioError, cantOpen, readOnly].includes(code & 0xff)) {
    return { kind: "unavailable", message };
  }
  if (code !== undefined && [corrupt, notADatabase].includes(code & 0xff)) {
    const advice = "the database file is damaged; restore a copy of it, as docs/operations.md says";
    return { kind: "unavailable", message: `${advice} (${message})` };
  }
  return { kind: "bug", message };
}
