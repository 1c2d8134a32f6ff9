/** Signing in with a password: bounded tries, equal work and equal answers whether or not the account exists. */
import { roles, userStatus } from "@tollgate/contract/users.ts";
import type { Caller, Circumstances } from "../http/caller.ts";
import { refuse } from "../http/refusal.ts";
import type { Options } from "../settings/options.ts";
import type { Database } from "../storage/database.ts";
import type { PresentedCode, SecondFactorCheck } from "../totp/second-factor.ts";
import { hashPassword, isOutdated, passwordMatches } from "../users/passwords.ts";
import type { Account, UserStore } from "../users/user-store.ts";
import { openSession } from "./open-session.ts";
import type { PasswordGuard } from "./password-guard.ts";
import type { SessionCookie } from "./session-cookie.ts";
import type { SessionStore } from "./session-store.ts";

export interface SignInParts {
  db: Database;
  users: UserStore;
  sessions: SessionStore;
  options: Options;
  cookie: SessionCookie;
  secondFactor: SecondFactorCheck;
}

export interface Presented extends PresentedCode {
  username: string;
  password: string;
}

export function signInWith({ users, sessions, options, cookie, secondFactor }: SignInParts, guard: PasswordGuard) {
  return async (presented: Presented, call: Circumstances & { caller: Caller | undefined }): Promise<Account> => {
    await guard.begin(presented.username, call);
    const account = await users.byLogin(presented.username);
    const matches = await passwordMatches(presented.password, account?.password_hash);
    if (!account || !matches || account.status !== userStatus.enabled) {
      await guard.failed(presented.username, call);
      throw refuse("wrong_credentials");
    }
    await guard.succeeded(presented.username, call);
    if (!options.flag("PasswordLoginEnabled") && account.role < roles.root) throw refuse("password_login_off");
    // Only now: until the password is right nobody learns whether the account has a second factor.
    const factor = await secondFactor.of(account.id);
    if (factor && !presented.totp_code && !presented.recovery_code) throw await secondFactor.ask(account, call.now);

    const { id, writes } = openSession(sessions, account.id, call);
    const rehashed = isOutdated(account.password_hash)
      ? [users.update(account.id, { password_hash: await hashPassword(presented.password) })]
      : [];
    const batch = [...writes, ...rehashed];
    if (factor) await secondFactor.use(account, factor, presented, call, batch);
    else await secondFactor.enterWithout(account, call.now, batch);
    call.reply.append("Set-Cookie", cookie.set(id));
    return account;
  };
}
