/** Counting windows in memory. Small interface, so that a shared store can take its place on several nodes. */

export interface RateLimiter {
  /** Counts one try; says how many seconds to wait when there were too many. */
  take(key: string, now: number): { allowed: true } | { allowed: false; retryAfter: number };
  /** Gives one try back: it turned out to be harmless. */
  refund(key: string, now: number): void;
}

interface Window {
  startedAt: number;
  tries: number;
}

/** Keys beyond this push out the oldest: memory stays bounded under forged sources. */
const keysMax = 20_000;

export function rateLimiter(triesMax: number, windowMs: number): RateLimiter {
  const windows = new Map<string, Window>();

  const current = (key: string, now: number): Window => {
    const known = windows.get(key);
    if (known && now - known.startedAt < windowMs) return known;
    const fresh = { startedAt: now, tries: 0 };
    // Deleted first, so that the map's order is the order of starting.
    windows.delete(key);
    windows.set(key, fresh);
    if (windows.size > keysMax) windows.delete(windows.keys().next().value ?? key);
    return fresh;
  };

  return {
    take(key, now) {
      const window = current(key, now);
      if (window.tries >= triesMax)
        return { allowed: false, retryAfter: Math.ceil((window.startedAt + windowMs - now) / 1000) };
      window.tries += 1;
      return { allowed: true };
    },
    refund(key, now) {
      const window = current(key, now);
      window.tries = Math.max(0, window.tries - 1);
    },
  };
}
