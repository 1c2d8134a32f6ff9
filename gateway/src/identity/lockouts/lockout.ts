/** Slows guessing of one account's secret from many sources, on all nodes together. */
import { type Database, tryWrite } from "../../storage/database.ts";
import { afterFailure, secondsLocked } from "./lockout-rules.ts";
import type { LockoutStore } from "./lockout-store.ts";

/** Failures of one account that were counted at the same moment: each goes round again behind the one before. */
const roundsMax = 20;

export type Lockout = ReturnType<typeof createLockout>;

/** `kind` says whose names they are: the same name may stand for something else elsewhere. */
export function createLockout(db: Database, store: LockoutStore, kind: string) {
  const keyOf = (account: string): string => `${kind} ${account}`;

  return {
    /** Seconds to wait before the next try, 0 when it may be made now. */
    wait: async (account: string, now: number): Promise<number> => secondsLocked(await store.find(keyOf(account)), now),

    async failed(account: string, now: number): Promise<void> {
      for (let round = 0; round < roundsMax; round += 1) {
        const failures = await store.find(keyOf(account));
        if (!(await tryWrite(db, [store.put(keyOf(account), failures, afterFailure(failures, now))]))) return;
      }
    },

    /** Only who failed before costs a write. */
    async succeeded(account: string): Promise<void> {
      if (await store.find(keyOf(account))) await db.write([store.remove(keyOf(account))]);
    },
  };
}
