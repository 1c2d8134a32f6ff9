/**
 * Counts what is limited: tries, calls, tokens in a sliding window, and places that calls occupy while they run. Here for
 * one node, in memory; several nodes count together in redis-counters.ts.
 */

export interface RateWindow {
  /** What is counted and for whom, its kind first: `token-calls 17`. Each kind has its own bounded memory. */
  name: string;
  /** At least 1; callers that know "0 is no limit" do not ask. */
  limit: number;
  windowMs: number;
}

export type RateDecision = { allowed: true } | { allowed: false; retryAfterMs: number };

export interface Counters {
  /** Counts `amount` (1) in a window, or refuses when that would be more than `most`. */
  take(window: RateWindow, amount?: number): Promise<RateDecision>;
  /** Milliseconds until `amount` (1) would be allowed, 0 for now; counts nothing. */
  wait(window: RateWindow, amount?: number): Promise<number>;
  /**
   * Gives `amount` (1) back that was taken `ageMs` (0) ago; a negative one is counted without asking. Never refused, never
   * below 0, and without effect when what was taken has left the window.
   */
  refund(window: RateWindow, amount?: number, ageMs?: number): void;
  /** Takes one of `most` places under a name, until it is left or the node that looks after it has died. */
  acquire(name: string, limit: number, member: string): Promise<boolean>;
  release(name: string, member: string): void;
}

/** What is counted within a slot leaves the window together, with the last of it. */
interface WindowSlot {
  until: number;
  amount: number;
}

/** A busy name costs no more memory than so many slots, whatever its limit is. */
const slotsMax = 20;
/** Names of one kind beyond this push out the one that was quiet longest. */
export const namesMax = 20_000;

/** Small limits are counted to the millisecond, larger ones in slots of this length. */
export const slotMs = ({ limit, windowMs }: RateWindow): number =>
  limit <= slotsMax ? 1 : Math.ceil(windowMs / slotsMax);

export interface LocalCounters extends Counters {
  /** The same without a promise, for whoever counts here besides. */
  takeNow(window: RateWindow, amount?: number): RateDecision;
  waitNow(window: RateWindow, amount?: number): number;
  acquireNow(name: string, limit: number, member: string): boolean;
  /** Who is inside, by name. */
  members(): Iterable<[string, ReadonlySet<string>]>;
}

export function createMemoryCounters(now: () => number): LocalCounters {
  const windows = createBoundedMap<WindowSlot[]>();
  const holders = new Map<string, Set<string>>();

  /** What still counts, oldest first. A clock that was set back would otherwise keep its slots for as long. */
  const recent = (window: RateWindow): WindowSlot[] => {
    const time = now();
    const latest = time + window.windowMs + slotMs(window);
    const slots = (windows.get(window.name) ?? []).filter(({ until }) => until > time);
    for (const slot of slots) slot.until = Math.min(slot.until, latest);
    return slots;
  };

  const waitFor = (slots: readonly WindowSlot[], { limit, windowMs }: RateWindow, amount: number): number => {
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
    const length = slotMs(window);
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
    return { allowed: true };
  }

  const waitNow = (window: RateWindow, amount = 1): number => waitFor(recent(window), window, amount);

  function acquireNow(name: string, limit: number, member: string): boolean {
    const members = holders.get(name) ?? new Set();
    if (!members.has(member) && members.size >= limit) return false;
    holders.set(name, members.add(member));
    return true;
  }

  return {
    takeNow,
    waitNow,
    acquireNow,
    members: () => holders,
    take: async (window, amount) => takeNow(window, amount),
    wait: async (window, amount) => waitNow(window, amount),
    refund(window, amount = 1, ageMs = 0) {
      const slots = recent(window);
      if (amount < 0) return count(slots, window, -amount);
      if (ageMs >= window.windowMs) return;
      // From the oldest: what stays counted then counts rather too long than too short.
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
    release(name, member) {
      const members = holders.get(name);
      members?.delete(member);
      if (members?.size === 0) holders.delete(name);
    },
  };
}

/** One kind of names, say addresses that anybody can forge, never pushes out another's. */
function createBoundedMap<Value>() {
  const kinds = new Map<string, Map<string, Value>>();
  const kindOf = (name: string): string => name.split(" ", 1)[0] ?? name;
  return {
    get: (name: string): Value | undefined => kinds.get(kindOf(name))?.get(name),
    set(name: string, value: Value): void {
      const kind = kindOf(name);
      const values = kinds.get(kind) ?? new Map<string, Value>();
      kinds.set(kind, values);
      // Deleted first, so that the order of the map is that of the latest use.
      values.delete(name);
      values.set(name, value);
      if (values.size > namesMax) values.delete(values.keys().next().value ?? name);
    },
  };
}
