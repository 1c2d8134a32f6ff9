/** Slows guessing of one account's password from many sources. Temporary always: nobody can be locked out for good. */

export interface Lockout {
  /** Seconds to wait before the next try, 0 when it may be made now. */
  wait(account: string, now: number): number;
  failed(account: string, now: number): void;
  succeeded(account: string): void;
}

interface Failures {
  /** Of the failures that still count. */
  at: number[];
  /** How often in a row the account was locked. */
  locks: number;
  lockedUntil: number;
}

const windowMs = 15 * 60_000;
const freeFailures = 5;
const lockMinutes = [1, 2, 4, 8, 15] as const;
const accountsMax = 20_000;

export function lockout(): Lockout {
  const accounts = new Map<string, Failures>();

  return {
    wait(account, now) {
      const lockedUntil = accounts.get(account)?.lockedUntil ?? 0;
      return Math.max(0, Math.ceil((lockedUntil - now) / 1000));
    },

    failed(account, now) {
      const known = accounts.get(account) ?? { at: [], locks: 0, lockedUntil: 0 };
      const at = [...known.at.filter((time) => now - time < windowMs), now].slice(-freeFailures);
      const locks = now - known.lockedUntil < windowMs ? known.locks : 0;
      // Within a streak of locks every further failure locks again.
      const locksNow = locks > 0 || at.length >= freeFailures;
      const minutes = lockMinutes[Math.min(locks, lockMinutes.length - 1)] ?? 15;
      accounts.delete(account);
      accounts.set(account, {
        at,
        locks: locksNow ? locks + 1 : locks,
        lockedUntil: locksNow ? now + minutes * 60_000 : known.lockedUntil,
      });
      if (accounts.size > accountsMax) accounts.delete(accounts.keys().next().value ?? account);
    },

    succeeded(account) {
      accounts.delete(account);
    },
  };
}
