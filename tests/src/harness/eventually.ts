/** Waits for a condition without guessing how long it takes. */
import { setTimeout as pause } from "node:timers/promises";

export type PollOptions = { timeoutMs?: number; everyMs?: number };

/**
 * Quick on an idle machine; where ten programs share two processors, a tokenizer alone takes ten
 * seconds to load.
 */
const defaultTimeoutMs = 25_000;

/**
 * Repeats `attempt` until it does not throw and returns its result; after the timeout it throws the
 * last error.
 */
export async function eventually<T>(
  attempt: () => T | Promise<T>,
  { timeoutMs = defaultTimeoutMs, everyMs = 20 }: PollOptions = {},
): Promise<T> {
  const giveUpAt = performance.now() + timeoutMs;
  while (true) {
    try {
      return await attempt();
    } catch (cause) {
      if (performance.now() >= giveUpAt) throw cause;
    }
    await pause(everyMs);
  }
}
