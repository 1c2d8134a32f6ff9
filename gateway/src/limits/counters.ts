/**
 * Counts what is limited: tries, calls, tokens in a sliding window, and places that calls occupy while they run. Here for
 * one node, in memory; several nodes count together in redis-counters.ts.
 */

export interface Window {
  /** What is counted and for whom, its kind first: `token-calls 17`. Each kind has its own bounded memory. */
  name: string;
  /** At least 1; callers that know "0 is no limit" do not ask. */
  most: number;
  windowMs: number;
}

export type Turn = { allowed: true } | { allowed: false; retryAfterMs: number };

export interface Counters {
  /** Counts `amount` (1) in a window, or refuses when that would be more than `most`. */
  take(window: Window, amount?: number): Promise<Turn>;
  /** Milliseconds until `amount` (1) would be allowed, 0 for now; counts nothing. */
  wait(window: Window, amount?: number): Promise<number>;
  /**
   * Gives `amount` (1) back that was taken `ageMs` (0) ago; a negative one is counted without asking. Never refused, never
   * below 0, and without effect when what was taken has left the window.
   */
  give(window: Window, amount?: number, ageMs?: number): void;
  /** Takes one of `most` places under a name, until it is left or the node that looks after it has died. */
  enter(name: string, most: number, member: string): Promise<boolean>;
  leave(name: string, member: string): void;
}

/** What is counted within a slot leaves the window together, with the last of it. */
interface Slot {
  until: number;
  amount: number;
}

/** A busy name costs no more memory than so many slots, whatever its limit is. */
const slotsMax = 20;
/** Names of one kind beyond this push out the one that was quiet longest. */
export const namesMax = 20_000;

/** Small limits are counted to the millisecond, larger ones in slots of this length. */
export const slotMs = ({ most, windowMs }: Window): number => (most <= slotsMax ? 1 : Math.ceil(windowMs / slotsMax));

export interface LocalCounters extends Counters {
  /** The same without a promise, for whoever counts here besides. */
  takeNow(window: Window, amount?: number): Turn;
  waitNow(window: Window, amount?: number): number;
  enterNow(name: string, most: number, member: string): boolean;
  /** Who is inside, by name. */
  inside(): Iterable<[string, ReadonlySet<string>]>;
}

export function memoryCounters(now: () => number): LocalCounters {
  const windows = boundedByKind<Slot[]>();
  const places = new Map<string, Set<string>>();

  /** What still counts, oldest first. A clock that was set back would otherwise keep its slots for as long. */
  const recent = (window: Window): Slot[] => {
    const time = now();
    const latest = time + window.windowMs + slotMs(window);
    const slots = (windows.get(window.name) ?? []).filter(({ until }) => until > time);
    for (const slot of slots) slot.until = Math.min(slot.until, latest);
    return slots;
  };

  const waitFor = (slots: readonly Slot[], { most, windowMs }: Window, amount: number): number => {
    if (amount > most) return windowMs;
    let over = slots.reduce((sum, slot) => sum + slot.amount, amount) - most;
    for (const slot of slots) {
      if (over <= 0) break;
      over -= slot.amount;
      if (over <= 0) return slot.until - now();
    }
    return 0;
  };

  const count = (slots: Slot[], window: Window, amount: number): void => {
    const length = slotMs(window);
    const until = (Math.floor(now() / length) + 1) * length - 1 + window.windowMs;
    const last = slots.at(-1);
    if (last && (last.until >= until || slots.length > slotsMax)) {
      last.amount += amount;
      last.until = Math.max(last.until, until);
    } else slots.push({ until, amount });
    windows.set(window.name, slots);
  };

  function takeNow(window: Window, amount = 1): Turn {
    const slots = recent(window);
    const retryAfterMs = waitFor(slots, window, amount);
    if (retryAfterMs > 0) return { allowed: false, retryAfterMs };
    count(slots, window, amount);
    return { allowed: true };
  }

  const waitNow = (window: Window, amount = 1): number => waitFor(recent(window), window, amount);

  function enterNow(name: string, most: number, member: string): boolean {
    const members = places.get(name) ?? new Set();
    if (!members.has(member) && members.size >= most) return false;
    places.set(name, members.add(member));
    return true;
  }

  return {
    takeNow,
    waitNow,
    enterNow,
    inside: () => places,
    take: async (window, amount) => takeNow(window, amount),
    wait: async (window, amount) => waitNow(window, amount),
    give(window, amount = 1, ageMs = 0) {
      const slots = recent(window);
      if (amount < 0) return count(slots, window, -amount);
      if (ageMs >= window.windowMs) return;
      // From the oldest: what stays counted then counts rather too long than too short.
      let left = amount;
      for (const slot of slots) {
        const taken = Math.min(slot.amount, left);
        slot.amount -= taken;
        left -= taken;
      }
      windows.set(
        window.name,
        slots.filter((slot) => slot.amount > 0),
      );
    },
    enter: async (name, most, member) => enterNow(name, most, member),
    leave(name, member) {
      const members = places.get(name);
      members?.delete(member);
      if (members?.size === 0) places.delete(name);
    },
  };
}

/** One kind of names, say addresses that anybody can forge, never pushes out another's. */
function boundedByKind<Value>() {
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
