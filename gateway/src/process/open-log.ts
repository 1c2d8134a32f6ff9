/**
 * The log, on standard output, which may be slow or on a full disk: no call waits for it, and it
 * ends no process.
 */
import { type Logger, pino } from "pino";

/** `waitingBytesMax` is that of lines that wait to be written; the next ones are lost. */
const waitingBytesMax = 16 * 1024 * 1024;

/** `base` are members of every line. */
export function openLog(level: string, base: Record<string, unknown> | null): Logger {
  // Written in the background, several lines at a time: a slow terminal or pipe must not slow down
  // calls.
  const lines = pino.destination({
    dest: 1,
    sync: false,
    minLength: 4_096,
    periodicFlush: 100,
    maxLength: waitingBytesMax,
  });
  let isFailing = false;
  // The lines wait for the next try.
  lines.on("error", () => {
    isFailing = true;
  });
  lines.on("write", () => {
    isFailing = false;
  });
  // Before pino's own listener: at the end, pino tries until it succeeds.
  process.prependListener("exit", () => (isFailing ? lines.destroy() : lines.flushSync()));
  return pino({ level, base, timestamp: pino.stdTimeFunctions.isoTime }, lines);
}
