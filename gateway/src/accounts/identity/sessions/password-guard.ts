/**
 * Limits attempts to guess a password, wherever one is checked. Failures count for each place that
 * they come from, so that a stranger's do not lock the owner out, and for the account as a whole,
 * so that many places are no way around it.
 */
import type { CriticalLimit } from "../../../http/critical-limit.ts";
import { refuse } from "../../../http/refusal.ts";
import type { RequestContext } from "../../../http/request-context.ts";
import { rateLimitSource } from "../../../http/request-head.ts";
import type { Database } from "../../../storage/database.ts";
import type { StrangerCheck } from "../captcha/check-stranger.ts";
import { createLockout, type LockoutAlarm } from "../lockouts/lockout.ts";
import { accountRules, sourceRules } from "../lockouts/lockout-rules.ts";
import { accountLockKind, composeAccountId, type LockoutStore } from "../lockouts/lockout-store.ts";
import type { KnownDevices } from "./known-devices.ts";

/**
 * Failures after which strangers are checked, where that is on: from one place, and of an account
 * from everywhere.
 */
const failuresBeforeCheck = 2;
const strangersFailuresBeforeCheck = 10;

interface PasswordGuardDeps {
  db: Database;
  critical: CriticalLimit;
  locks: LockoutStore;
  devices: KnownDevices;
  onLocked: LockoutAlarm;
  strangerCheck: StrangerCheck;
}

interface PasswordAttempt {
  /**
   * Seconds for which the account accepts no password alone, because strangers have used up its
   * failures of the day. Always 0 for a browser that the account knows.
   */
  accountLockedS: number;
  failed(): Promise<void>;
  succeeded(): Promise<void>;
}

export type PasswordGuard = ReturnType<typeof createPasswordGuard>;

export function createPasswordGuard({
  db,
  critical,
  locks,
  devices,
  onLocked,
  strangerCheck,
}: PasswordGuardDeps) {
  const bySource = createLockout(db, locks, "password", { ...sourceRules, onLocked });
  const byAccount = createLockout(db, locks, accountLockKind, { ...accountRules, onLocked });

  /** The caller as one who may know the account; undefined for a stranger. */
  const acquaintanceOf = async (
    userId: number | undefined,
    call: RequestContext,
  ): Promise<string | undefined> => {
    if (userId === undefined) return;
    if (call.principal?.id === userId) {
      const { credential } = call.principal;
      return credential.kind === "cookie" ? `session ${credential.sessionHash}` : "access token";
    }
    const device = await devices.find(userId, call);
    return device === undefined ? undefined : `device ${device}`;
  };

  /**
   * After a typing mistake or two from one place, or several from anywhere but a browser that the
   * account knows.
   */
  const isGuessed = async (
    attempted: string,
    account: string,
    acquaintance: string | undefined,
  ): Promise<boolean> =>
    (await bySource.failures(attempted)) >= failuresBeforeCheck ||
    (acquaintance === undefined &&
      (await byAccount.failures(account)) >= strangersFailuresBeforeCheck);

  return {
    /**
     * Refuses, or counts an attempt, which `succeeded` returns. `userId` is undefined where no
     * account has this name: attempts on such a name are limited alike, or the limit would reveal
     * which accounts exist.
     */
    async begin(
      login: string,
      userId: number | undefined,
      call: RequestContext,
    ): Promise<PasswordAttempt> {
      await critical.take(call);
      const { now } = call;
      // By id, or name and mail address of one account would have limits of their own.
      const account =
        userId === undefined
          ? `name ${login.normalize("NFKC").toLowerCase()}`
          : composeAccountId(userId);
      const acquaintance = await acquaintanceOf(userId, call);
      const attempted = `${account} from ${acquaintance ?? `source ${rateLimitSource(call.address)}`}`;
      const retryAfter = await bySource.wait(attempted, now);
      if (retryAfter > 0) throw refuse("sign_in_locked", { retryAfter });
      if (strangerCheck.isOn() && (await isGuessed(attempted, account, acquaintance))) {
        // Nothing was tried yet.
        critical.refund(call);
        await strangerCheck.of("sign-in", call);
        await critical.take(call);
      }
      const accountLockedS = acquaintance === undefined ? await byAccount.wait(account, now) : 0;
      return {
        accountLockedS,
        async failed() {
          await bySource.failed(attempted, now);
          if (accountLockedS === 0) await byAccount.failed(account, now);
        },
        async succeeded() {
          critical.refund(call);
          // The failures of the account stay: a stranger gets no new tries because the owner signs
          // in.
          await bySource.succeeded(attempted);
        },
      };
    },
  };
}
