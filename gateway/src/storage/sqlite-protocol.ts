/**
 * Messages between the main thread and the SQLite threads. They are arrays because every message is
 * cloned.
 */
import type { SQLInputValue } from "node:sqlite";
import type { MoneyCommand, SettleCommand } from "./money-commands.ts";

export type WriteStatement = [
  sql: string,
  parameters: SQLInputValue[],
  rows: number | null,
  /** The packed log row of a call that joins the roll-ups. */
  counted?: SQLInputValue[],
];
/**
 * A settle with its log row as an array in the order of `logColumns`: cloning an object of 22
 * members costs more.
 */
export type PackedSettle = Omit<SettleCommand, "log"> & { log: SQLInputValue[] };
export type MoneyWork = Exclude<MoneyCommand, SettleCommand> | PackedSettle;
export type WriterRequest = [sequence: number, work: MoneyWork | WriteStatement[]];
export type ReaderRequest = [sequence: number, sql: string, parameters: SQLInputValue[]];

export type SqliteFailure =
  | { kind: "missed"; statement: number }
  /** `statement` is the index in the batch; absent for a money command. */
  | { kind: "conflict"; constraint: string; statement?: number }
  | { kind: "unavailable"; message: string }
  | { kind: "bug"; message: string };

export type SqliteReply = [sequence: number, failure: SqliteFailure | null, value: unknown];

export interface SqliteThreadData {
  file: string;
  node: number;
  hasLittleMemory: boolean;
}

const busy = 5;
const full = 13;
const ioError = 10;
const cantOpen = 14;
const readOnly = 8;
const corrupt = 11;
const notADatabase = 26;

/** Classifies an error of node:sqlite by what the caller can do about it. */
export function classifyFailure(error: unknown): SqliteFailure {
  const code = (error as { errcode?: number }).errcode;
  const message = error instanceof Error ? error.message : String(error);
  // SQLite reports an index on an expression by its name, any other by its columns.
  const conflict = /^UNIQUE constraint failed: (?:index ')?(.+?)'?$/.exec(message)?.[1];
  if (conflict)
    return { kind: "conflict", constraint: conflict.replace(/, \w+\./g, "_").replace(".", "_") };
  if (code !== undefined && [busy, full, ioError, cantOpen, readOnly].includes(code & 0xff)) {
    return { kind: "unavailable", message };
  }
  if (code !== undefined && [corrupt, notADatabase].includes(code & 0xff)) {
    const advice = "the database file is damaged; restore a copy of it, as docs/operations.md says";
    return { kind: "unavailable", message: `${advice} (${message})` };
  }
  return { kind: "bug", message };
}
