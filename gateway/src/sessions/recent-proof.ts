/** Proof that it is still the same person: asked for before anything that would outlive a borrowed session. */
import type { Caller, Circumstances } from "../http/caller.ts";
import { refuse } from "../http/refusal.ts";
import type { Database } from "../storage/database.ts";
import type { SecondFactorCheck } from "../totp/second-factor.ts";
import { passwordMatches } from "../users/passwords.ts";
import type { Account } from "../users/user-store.ts";
import type { PasswordGuard } from "./password-guard.ts";
import { ownSessionOf, type SessionStore } from "./session-store.ts";

/** A sign-in this fresh counts as proof. */
const proofLastsMs = 10 * 60_000;

interface Shown {
  current_password?: string | undefined;
  totp_code?: string | undefined;
}

type Call = Circumstances & { caller: Caller };

interface Parts {
  db: Database;
  sessions: SessionStore;
  secondFactor: SecondFactorCheck;
}

export type ProveRecently = ReturnType<typeof proveRecentlyWith>;

export function proveRecentlyWith({ db, sessions, secondFactor }: Parts, guard: PasswordGuard) {
  return async (account: Account, { current_password, totp_code }: Shown, call: Call): Promise<void> => {
    const proved = sessions.proved(ownSessionOf(call.caller), call.now);
    if (current_password !== undefined) {
      // Each check costs a hash and tells something about the password, so tries are as few as when signing in.
      await guard.begin(account.username, call);
      if (!(await passwordMatches(current_password, account.password_hash))) {
        await guard.failed(account.username, call);
        throw refuse("current_password_wrong", { fields: { current_password: "The current password is incorrect" } });
      }
      await guard.succeeded(account.username, call);
      await db.write([proved]);
      return;
    }
    const factor = totp_code === undefined ? undefined : await secondFactor.of(account.id);
    if (factor) await secondFactor.use(account, factor, { totp_code }, call, [proved]);
    else if (!isFresh(call)) throw refuse("reauth_required");
  };
}

const isFresh = ({ caller: { proof }, now }: Call) => proof.by === "cookie" && now - proof.provedAt < proofLastsMs;
