/**
 * Signing in with a password: limited attempts, and equal work and equal replies whether or not the
 * account exists.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { roles, userStatus } from "@tollgate/contract/accounts/roles.ts";
import { refuse } from "../../../http/refusal.ts";
import type { RequestContext } from "../../../http/request-context.ts";
import type { OptionReader } from "../../../settings/live-options.ts";
import type { Database } from "../../../storage/database.ts";
import type { SecondFactorCheck, SecondFactorInput } from "../totp/second-factor.ts";
import { isOutdated, passwordMatches, renewHash } from "../users/passwords.ts";
import type { UserAccount, UserStore } from "../users/user-store.ts";
import { createSession, type SignInAlarm } from "./create-session.ts";
import type { KnownDevices } from "./known-devices.ts";
import type { PasswordGuard } from "./password-guard.ts";
import type { SessionCookie } from "./session-cookie.ts";
import type { SessionStore } from "./session-store.ts";

export interface SignInDeps {
  db: Database;
  users: UserStore;
  sessions: SessionStore;
  noteSignIn: SignInAlarm;
  options: OptionReader;
  cookie: SessionCookie;
  secondFactor: SecondFactorCheck;
  guard: PasswordGuard;
  devices: KnownDevices;
  /**
   * `isPasswordClosed` says whether the operator closes passwords to the people of an identity
   * provider that the account is bound to.
   */
  isPasswordClosed(account: UserAccount): Promise<boolean>;
}

/** Longer than a comparison with the usual hash of another system. */
const importedFloorMs = 400;

export interface Credentials extends SecondFactorInput {
  username: string;
  password: string;
}

export function createSignIn({
  users,
  sessions,
  noteSignIn,
  options,
  cookie,
  secondFactor,
  guard,
  devices,
  isPasswordClosed,
}: SignInDeps) {
  return async (credentials: Credentials, call: RequestContext): Promise<UserAccount> => {
    const started = performance.now();
    const account = await users.byLogin(credentials.username);
    const attempt = await guard.begin(credentials.username, account?.id, call);
    const locked = () => refuse("sign_in_account_locked", { retryAfter: attempt.accountLockedS });
    const matches = await passwordMatches(
      credentials.password,
      account?.password_hash,
      call.address,
    );
    if (!account || !matches || account.status !== userStatus.enabled) {
      await attempt.failed();
      // Only the owner knows the password, and should not reset it in vain.
      if (matches && account?.status === userStatus.disabled && attempt.accountLockedS === 0)
        throw refuse("account_disabled");
      // Hashes of other systems take longer than ours: the time of the reply must not reveal which
      // accounts exist.
      if (await users.hasImported())
        await sleep(Math.max(0, started + importedFloorMs - performance.now()));
      // To a stranger the same as below: the reply must not reveal that a password was right.
      throw attempt.accountLockedS > 0 ? locked() : refuse("wrong_credentials");
    }
    const factor = await secondFactor.of(account.id);
    if (attempt.accountLockedS > 0 && !factor) {
      await attempt.failed();
      throw locked();
    }
    await attempt.succeeded();
    if (!options.flag("PasswordLoginEnabled") && account.role < roles.root)
      throw refuse("password_login_off");
    if (await isPasswordClosed(account)) throw refuse("password_at_provider");
    // Only after the password: a guess must not reveal whether the account has a second factor.
    if (factor && !credentials.totp_code && !credentials.recovery_code)
      throw await secondFactor.startChallenge(account, call.now);

    const { id, writes } = createSession({ sessions, noteSignIn }, account, call, {
      hasSecondFactor: factor !== undefined,
    });
    const rehashed = isOutdated(account.password_hash)
      ? [
          users.update(account.id, {
            password_hash: await renewHash(
              credentials.password,
              account.password_hash,
              call.address,
            ),
          }),
        ]
      : [];
    const batch = [...writes, ...rehashed];
    if (factor) await secondFactor.use(account, factor, credentials, call, batch);
    else await secondFactor.writeWithoutFactor(account, call.now, batch);
    call.responseHeaders.append("Set-Cookie", cookie.set(id));
    await devices.remember(account.id, call);
    return account;
  };
}
