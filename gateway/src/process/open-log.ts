/**
 * The log, on standard output, which may be slow, gone or on a full disk: no call waits for it, and
 * it neither ends a process nor keeps one.
 */
import { type Logger, pino } from "pino";
import { openLogLines } from "./log-lines.ts";

/** `base` are members of every line. */
export function openLog(level: string, base: Record<string, unknown> | null): Logger {
  const lines = openLogLines(1);
  process.on("exit", () => lines.end());
  return pino({ level, base, timestamp: pino.stdTimeFunctions.isoTime }, lines);
}
