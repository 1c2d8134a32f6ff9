/**
 * Bounds the log lines that calls without a sign-in cause when they are refused. Strangers choose
 * how many there are, and the log is a disk that fills up.
 */
import type { ApiLog } from "./error-reply.ts";

/** Enough to see what a stranger tries. */
const linesPerWindow = 100;
const windowMs = 60_000;

/**
 * Writes the first lines of each minute, and one with the number of the others when the minute has
 * passed.
 */
export function createStrangerLog(log: ApiLog, now: () => number) {
  let windowEndsAt = 0;
  let written = 0;
  let left = 0;

  const sum = (): void => {
    if (left > 0)
      log.info?.({ event: "api_refused", calls: left }, "further refused calls of strangers");
    left = 0;
  };

  return (fields: Record<string, unknown>, message: string): void => {
    const time = now();
    // A clock that was set back would keep the window open.
    if (time >= windowEndsAt || windowEndsAt - time > windowMs) {
      sum();
      windowEndsAt = time + windowMs;
      written = 0;
      setTimeout(sum, windowMs).unref();
    }
    written += 1;
    if (written <= linesPerWindow) log.info?.(fields, message);
    else left += 1;
  };
}
