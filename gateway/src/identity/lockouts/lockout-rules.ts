/** How failed attempts delay the next one. Always temporary: no attacker can lock a user out for good. */

export interface SignInFailures {
  /** Times of the failures that still count. */
  at: number[];
  /** How often in a row the account was locked. */
  locks: number;
  lockedUntil: number;
}

const windowMs = 15 * 60_000;
const freeFailures = 5;
const lockMinutes = [1, 2, 4, 8, 15] as const;

export function afterFailure(failures: SignInFailures | undefined, now: number): SignInFailures {
  const { at, locks, lockedUntil } = failures ?? { at: [], locks: 0, lockedUntil: 0 };
  const recent = [...at.filter((time) => now - time < windowMs), now].slice(-freeFailures);
  const inARow = now - lockedUntil < windowMs ? locks : 0;
  // Within a series of locks every further failure locks again.
  if (inARow === 0 && recent.length < freeFailures) return { at: recent, locks: inARow, lockedUntil };
  const minutes = lockMinutes[Math.min(inARow, lockMinutes.length - 1)] ?? 15;
  return { at: recent, locks: inARow + 1, lockedUntil: now + minutes * 60_000 };
}

/** Seconds to wait before the next attempt, 0 when it may be made now. */
export const secondsLocked = (failures: SignInFailures | undefined, now: number): number =>
  Math.max(0, Math.ceil(((failures?.lockedUntil ?? 0) - now) / 1000));

/** From this moment the failures have no effect. */
export const failuresExpireAt = ({ at, lockedUntil }: SignInFailures): number =>
  Math.max(lockedUntil, at.at(-1) ?? 0) + windowMs;
