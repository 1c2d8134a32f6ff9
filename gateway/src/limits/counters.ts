/**
 * Rate and concurrency limits: attempts, calls and tokens in a sliding window, and slots that calls
 * occupy while they run. This file counts for one node, in memory; redis-counters.ts counts for
 * several nodes.
 */

export interface RateWindow {
  /**
   * The kind and the subject of the limit: `token-calls 17`. The memory of each kind is bounded
   * separately.
   */
  name: string;
  /** `limit` is at least 1; where 0 means no limit, the caller skips the check. */
  limit: number;
  windowMs: number;
}

/** `left` is what the window has left, and `resetMs` how long until all of it is free. */
export type RateDecision =
  | { allowed: true; left: number; resetMs: number }
  | { allowed: false; retryAfterMs: number };

export interface Counters {
  /** Counts `amount` (default 1) in a window, or refuses when the sum would exceed `limit`. */
  take(window: RateWindow, amount?: number): Promise<RateDecision>;
  /** Milliseconds until `amount` (default 1) is allowed, 0 for now; counts nothing. */
  wait(window: RateWindow, amount?: number): Promise<number>;
  /**
   * Refunds `amount` (default 1) that was counted `ageMs` (default 0) ago; a negative amount is
   * counted without a check. The sum never falls below 0. No effect when the counted amount has
   * left the window.
   */
  refund(window: RateWindow, amount?: number, ageMs?: number): void;
  /** Acquires one of `limit` slots under a name, until it is released or its node has died. */
  acquire(name: string, limit: number, member: string): Promise<boolean>;
  /** `hasFreeSlot` says whether one of `limit` slots is free; acquires none. */
  hasFreeSlot(name: string, limit: number): Promise<boolean>;
  release(name: string, member: string): void;
}

/** A time slice of a window: everything counted in it leaves the window together. */
interface WindowSlot {
  until: number;
  amount: number;
}

/** Maximum number of slices per name, so that memory does not depend on the limit. */
const slotsMax = 20;
/** Beyond this many names of one kind, the least recently used one is evicted. */
export const namesMax = 20_000;

/** Small limits are counted to the millisecond, larger ones in slices of this length. */
export const computeSlotMs = ({ limit, windowMs }: RateWindow): number =>
  limit <= slotsMax ? 1 : Math.ceil(windowMs / slotsMax);

export interface LocalCounters extends Counters {
  /** `takeNow` does the same synchronously, for the shared counters. */
  takeNow(window: RateWindow, amount?: number): RateDecision;
  waitNow(window: RateWindow, amount?: number): number;
  acquireNow(name: string, limit: number, member: string): boolean;
  hasFreeSlotNow(name: string, limit: number): boolean;
  /** The holders of slots, by name. */
  members(): Iterable<[string, ReadonlySet<string>]>;
}

export function createMemoryCounters(now: () => number): LocalCounters {
  const windows = createBoundedMap<WindowSlot[]>();
  const holders = new Map<string, Set<string>>();

  /**
   * The slices still in the window, oldest first. Clamped, because a clock that was set back would
   * keep them for too long.
   */
  const recent = (window: RateWindow): WindowSlot[] => {
    const time = now();
    const latest = time + window.windowMs + computeSlotMs(window);
    const slots = (windows.get(window.name) ?? []).filter(({ until }) => until > time);
    for (const slot of slots) slot.until = Math.min(slot.until, latest);
    return slots;
  };

  const waitFor = (
    slots: readonly WindowSlot[],
    { limit, windowMs }: RateWindow,
    amount: number,
  ): number => {
    if (amount > limit) return windowMs;
    let excess = slots.reduce((sum, slot) => sum + slot.amount, amount) - limit;
    for (const slot of slots) {
      if (excess <= 0) break;
      excess -= slot.amount;
      if (excess <= 0) return slot.until - now();
    }
    return 0;
  };

  const count = (slots: WindowSlot[], window: RateWindow, amount: number): void => {
    const length = computeSlotMs(window);
    const until = (Math.floor(now() / length) + 1) * length - 1 + window.windowMs;
    const last = slots.at(-1);
    if (last && (last.until >= until || slots.length > slotsMax)) {
      last.amount += amount;
      last.until = Math.max(last.until, until);
    } else slots.push({ until, amount });
    windows.set(window.name, slots);
  };

  function takeNow(window: RateWindow, amount = 1): RateDecision {
    const slots = recent(window);
    const retryAfterMs = waitFor(slots, window, amount);
    if (retryAfterMs > 0) return { allowed: false, retryAfterMs };
    count(slots, window, amount);
    const used = slots.reduce((sum, slot) => sum + slot.amount, 0);
    return {
      allowed: true,
      left: Math.max(0, window.limit - used),
      resetMs: (slots.at(-1)?.until ?? now()) - now(),
    };
  }

  const waitNow = (window: RateWindow, amount = 1): number =>
    waitFor(recent(window), window, amount);

  function acquireNow(name: string, limit: number, member: string): boolean {
    const members = holders.get(name) ?? new Set();
    if (!members.has(member) && members.size >= limit) return false;
    holders.set(name, members.add(member));
    return true;
  }

  const hasFreeSlotNow = (name: string, limit: number): boolean =>
    (holders.get(name)?.size ?? 0) < limit;

  return {
    takeNow,
    waitNow,
    acquireNow,
    hasFreeSlotNow,
    members: () => holders,
    take: async (window, amount) => takeNow(window, amount),
    wait: async (window, amount) => waitNow(window, amount),
    refund(window, amount = 1, ageMs = 0) {
      const slots = recent(window);
      if (amount < 0) return count(slots, window, -amount);
      if (ageMs >= window.windowMs) return;
      // From the oldest slice, so that the remaining amount counts too long rather than too short.
      let remaining = amount;
      for (const slot of slots) {
        const taken = Math.min(slot.amount, remaining);
        slot.amount -= taken;
        remaining -= taken;
      }
      windows.set(
        window.name,
        slots.filter((slot) => slot.amount > 0),
      );
    },
    acquire: async (name, limit, member) => acquireNow(name, limit, member),
    hasFreeSlot: async (name, limit) => hasFreeSlotNow(name, limit),
    release(name, member) {
      const members = holders.get(name);
      members?.delete(member);
      if (members?.size === 0) holders.delete(name);
    },
  };
}

/** Names of one kind, such as client-chosen addresses, never evict those of another kind. */
function createBoundedMap<Value>() {
  const kinds = new Map<string, Map<string, Value>>();
  const kindOf = (name: string): string => name.split(" ", 1)[0] ?? name;
  return {
    get: (name: string): Value | undefined => kinds.get(kindOf(name))?.get(name),
    set(name: string, value: Value): void {
      const kind = kindOf(name);
      const values = kinds.get(kind) ?? new Map<string, Value>();
      kinds.set(kind, values);
      // Deleted first, so that the map is ordered by latest use.
      values.delete(name);
      values.set(name, value);
      if (values.size > namesMax) values.delete(values.keys().next().value ?? name);
    },
  };
}
