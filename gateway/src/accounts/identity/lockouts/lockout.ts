/** Slows down guessing of one account's secret, on all nodes together. */
import { type Database, tryWrite } from "../../../storage/database.ts";
import { computeSecondsLocked, type LockoutRules } from "./lockout-rules.ts";
import type { LockoutStore } from "./lockout-store.ts";

/**
 * Attempts to store a failure while other failures of the same account are stored at the same
 * moment.
 */
const roundsMax = 20;

/** Called for each new lock. */
export type LockoutAlarm = (now: number) => Promise<void>;

export type Lockout = ReturnType<typeof createLockout>;

/**
 * `kind` is the namespace of the account names: the same name may mean something else elsewhere.
 */
export function createLockout(
  db: Database,
  store: LockoutStore,
  kind: string,
  rules: LockoutRules & { onLocked?: LockoutAlarm },
) {
  const keyOf = (account: string): string => `${kind} ${account}`;

  return {
    /** Seconds to wait before the next attempt, 0 when it may be made now. */
    wait: async (account: string, now: number): Promise<number> =>
      computeSecondsLocked(await store.find(keyOf(account)), now),

    /** `failures` says how many failures are remembered. */
    failures: async (account: string): Promise<number> =>
      (await store.find(keyOf(account)))?.at.length ?? 0,

    async failed(account: string, now: number): Promise<void> {
      for (let round = 0; round < roundsMax; round += 1) {
        const failures = await store.find(keyOf(account));
        const next = rules.afterFailure(failures, now);
        if (await tryWrite(db, [store.put(keyOf(account), failures, next, rules.expireAt(next))]))
          continue;
        if (next.lockedUntil > Math.max(now, failures?.lockedUntil ?? 0))
          await rules.onLocked?.(now);
        return;
      }
    },

    /** Writes only when there are failures to remove. */
    async succeeded(account: string): Promise<void> {
      if (await store.find(keyOf(account))) await db.write([store.remove(keyOf(account))]);
    },
  };
}
