/**
 * Delays of the next attempt after failed ones. Always temporary: no attacker can lock a user out
 * for good.
 */

export interface SignInFailures {
  /** Times of the failures that still count. */
  at: number[];
  /** `locks` says how often in a row attempts were locked. */
  locks: number;
  lockedUntil: number;
}

/** `LockoutRules` are when failures lock, and for how long they count. */
export interface LockoutRules {
  afterFailure(failures: SignInFailures | undefined, now: number): SignInFailures;
  /** `expireAt` is the moment from which the failures have no effect. */
  expireAt(failures: SignInFailures): number;
}

const windowMs = 15 * 60_000;
const freeFailures = 5;
const lockMinutes = [1, 2, 4, 8, 15] as const;

/** Attempts on one account from one place: after five failures, longer and longer waits. */
export const sourceRules: LockoutRules = {
  afterFailure(failures, now) {
    const { at, locks, lockedUntil } = failures ?? { at: [], locks: 0, lockedUntil: 0 };
    const recent = [...at.filter((time) => now - time < windowMs), now].slice(-freeFailures);
    const inARow = now - lockedUntil < windowMs ? locks : 0;
    // Within a series of locks every further failure locks again.
    if (inARow === 0 && recent.length < freeFailures)
      return { at: recent, locks: inARow, lockedUntil };
    const minutes = lockMinutes[Math.min(inARow, lockMinutes.length - 1)] ?? 15;
    return { at: recent, locks: inARow + 1, lockedUntil: now + minutes * 60_000 };
  },
  expireAt: ({ at, lockedUntil }) => Math.max(lockedUntil, at.at(-1) ?? 0) + windowMs,
};

const dayMs = 24 * 3_600_000;
/**
 * An owner with a bad memory stays far below; a guesser with many addresses learns next to nothing.
 */
const failuresPerDay = 100;

/** Attempts on one account from everywhere: a hundred failures within any 24 hours. */
export const accountRules: LockoutRules = {
  afterFailure(failures, now) {
    const at = [...(failures?.at ?? []).filter((time) => now - time < dayMs), now].slice(
      -failuresPerDay,
    );
    return { at, locks: 0, lockedUntil: at.length < failuresPerDay ? 0 : (at[0] ?? now) + dayMs };
  },
  expireAt: ({ at }) => (at.at(-1) ?? 0) + dayMs,
};

/** Seconds to wait before the next attempt, 0 when it may be made now. */
export const computeSecondsLocked = (failures: SignInFailures | undefined, now: number): number =>
  Math.max(0, Math.ceil(((failures?.lockedUntil ?? 0) - now) / 1000));
