/** Reauthentication: required before anything that would outlive a stolen session. */

import { refuse } from "../../../http/refusal.ts";
import { type AuthenticatedContext, hashSession } from "../../../http/request-context.ts";
import type { Database } from "../../../storage/database.ts";
import type { SecondFactorCheck } from "../totp/second-factor.ts";
import { passwordMatches } from "../users/passwords.ts";
import type { UserAccount } from "../users/user-store.ts";
import type { PasswordGuard } from "./password-guard.ts";
import type { SessionStore } from "./session-store.ts";

/** A sign-in this recent needs no reauthentication. */
const freshSignInMs = 10 * 60_000;

export interface ReauthInput {
  current_password?: string | undefined;
  totp_code?: string | undefined;
}

interface ReauthDeps {
  db: Database;
  sessions: SessionStore;
  secondFactor: SecondFactorCheck;
  guard: PasswordGuard;
}

export type Reauthenticate = ReturnType<typeof createReauthenticate>;

export function createReauthenticate({ db, sessions, secondFactor, guard }: ReauthDeps) {
  return async (
    account: UserAccount,
    { current_password, totp_code }: ReauthInput,
    call: AuthenticatedContext,
  ): Promise<void> => {
    const authenticated = sessions.markAuthenticated(hashSession(call.principal), call.now);
    if (current_password !== undefined) {
      // Each check costs a hash and reveals whether a guess is right, so attempts are limited as at
      // sign-in.
      const attempt = await guard.begin(account.username, account.id, call);
      if (!(await passwordMatches(current_password, account.password_hash, call.address))) {
        await attempt.failed();
        throw refuse("current_password_wrong", {
          fields: { current_password: "The current password is incorrect" },
        });
      }
      await attempt.succeeded();
      await db.write([authenticated]);
      return;
    }
    const factor = totp_code === undefined ? undefined : await secondFactor.of(account.id);
    if (factor) await secondFactor.use(account, factor, { totp_code }, call, [authenticated]);
    else if (!isFresh(call)) throw refuse("reauth_required");
  };
}

const isFresh = ({ principal: { credential }, now }: AuthenticatedContext) =>
  credential.kind === "cookie" && now - credential.authenticatedAt < freshSignInMs;
