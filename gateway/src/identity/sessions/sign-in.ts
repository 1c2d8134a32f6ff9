/** Signing in with a password: limited attempts, and equal work and equal replies whether or not the account exists. */
import { roles, userStatus } from "@tollgate/contract/users.ts";
import { refuse } from "../../http/refusal.ts";
import type { RequestContext } from "../../http/request-context.ts";
import type { OptionReader } from "../../settings/live-options.ts";
import type { Database } from "../../storage/database.ts";
import type { SecondFactorCheck, SecondFactorInput } from "../totp/second-factor.ts";
import { hashPassword, isOutdated, passwordMatches } from "../users/passwords.ts";
import type { UserAccount, UserStore } from "../users/user-store.ts";
import { createSession } from "./create-session.ts";
import type { PasswordGuard } from "./password-guard.ts";
import type { SessionCookie } from "./session-cookie.ts";
import type { SessionStore } from "./session-store.ts";

export interface SignInDeps {
  db: Database;
  users: UserStore;
  sessions: SessionStore;
  options: OptionReader;
  cookie: SessionCookie;
  secondFactor: SecondFactorCheck;
  guard: PasswordGuard;
}

export interface Credentials extends SecondFactorInput {
  username: string;
  password: string;
}

export function createSignIn({ users, sessions, options, cookie, secondFactor, guard }: SignInDeps) {
  return async (credentials: Credentials, call: RequestContext): Promise<UserAccount> => {
    await guard.begin(credentials.username, call);
    const account = await users.byLogin(credentials.username);
    const matches = await passwordMatches(credentials.password, account?.password_hash);
    if (!account || !matches || account.status !== userStatus.enabled) {
      await guard.failed(credentials.username, call);
      throw refuse("wrong_credentials");
    }
    await guard.succeeded(credentials.username, call);
    if (!options.flag("PasswordLoginEnabled") && account.role < roles.root) throw refuse("password_login_off");
    // Only after the password: a guess must not reveal whether the account has a second factor.
    const factor = await secondFactor.of(account.id);
    if (factor && !credentials.totp_code && !credentials.recovery_code)
      throw await secondFactor.startChallenge(account, call.now);

    const { id, writes } = createSession(sessions, account.id, call);
    const rehashed = isOutdated(account.password_hash)
      ? [users.update(account.id, { password_hash: await hashPassword(credentials.password) })]
      : [];
    const batch = [...writes, ...rehashed];
    if (factor) await secondFactor.use(account, factor, credentials, call, batch);
    else await secondFactor.writeWithoutFactor(account, call.now, batch);
    call.responseHeaders.append("Set-Cookie", cookie.set(id));
    return account;
  };
}
