/**
 * Resets a password by a mailed link. It opens no session and leaves the second factor as it is.
 */

import type {
  listResetWays,
  resetPassword,
  WaysIn,
} from "@tollgate/contract/accounts/registration.ts";
import { userStatus } from "@tollgate/contract/accounts/roles.ts";
import type { BodyOf } from "@tollgate/contract/api/endpoint.ts";
import type { CriticalLimit } from "../../../http/critical-limit.ts";
import { refuse } from "../../../http/refusal.ts";
import type { RequestContext } from "../../../http/request-context.ts";
import { makeLinkToken, normalizeAddress } from "../../../notices/mail/mail-code-rules.ts";
import type { MailCodeStore } from "../../../notices/mail/mail-code-store.ts";
import {
  composePasswordChangedMail,
  composePasswordResetMail,
  mailLanguage,
} from "../../../notices/mail/mail-messages.ts";
import type { MailOutbox } from "../../../notices/mail/mail-outbox.ts";
import type { Database } from "../../../storage/database.ts";
import { disableTokens } from "../../tokens/token-store.ts";
import type { LastingWays } from "../accounts/lasting-ways.ts";
import { bindingTopics } from "../external/end-binding.ts";
import { endAccountLock } from "../lockouts/lockout-store.ts";
import type { PasskeyStore } from "../passkeys/passkey-store.ts";
import type { KnownDevices } from "../sessions/known-devices.ts";
import { checkPassword } from "../users/common-passwords.ts";
import { endSignIns } from "../users/end-sign-ins.ts";
import { hashPassword } from "../users/passwords.ts";
import type { UserAccount, UserStore } from "../users/user-store.ts";

export interface PasswordResetDeps {
  db: Database;
  users: UserStore;
  codes: MailCodeStore;
  outbox: MailOutbox;
  critical: CriticalLimit;
  devices: KnownDevices;
  passkeys: PasskeyStore;
  lastingWays: LastingWays;
}

export function createPasswordReset(deps: PasswordResetDeps) {
  const { db, users, codes, outbox, critical, devices, passkeys, lastingWays } = deps;

  const accountOf = async (
    link: BodyOf<typeof listResetWays>,
    now: number,
  ): Promise<UserAccount> => {
    const email = normalizeAddress(link.email);
    const userId = await codes.userOf({ purpose: "reset", email, code: link.token, now });
    const account = userId === undefined ? undefined : await users.byId(userId);
    // An address that another account has taken over since proves nothing about this account.
    if (
      !account ||
      normalizeAddress(account.email) !== email ||
      account.status !== userStatus.enabled
    )
      throw refuseStaleLink();
    return account;
  };

  return {
    /** The link stays good. */
    async ways(body: BodyOf<typeof listResetWays>, call: RequestContext): Promise<WaysIn> {
      await critical.take(call);
      const ways = await lastingWays.of(await accountOf(body, call.now), call);
      critical.refund(call);
      return ways;
    },

    async request(email: string, call: RequestContext): Promise<void> {
      await outbox.request({
        purpose: "reset",
        email,
        call,
        async compose(to, site) {
          const owner = await users.byEmail(to);
          if (owner?.status !== userStatus.enabled) return undefined;
          const token = makeLinkToken();
          await db.write([
            codes.put({
              purpose: "reset",
              email: to,
              code: token,
              userId: owner.id,
              now: call.now,
            }),
          ]);
          return composePasswordResetMail(
            { to, language: mailLanguage(owner.language) },
            site,
            token,
          );
        },
      });
    },

    async complete(body: BodyOf<typeof resetPassword>, call: RequestContext): Promise<void> {
      await critical.take(call);
      const { now } = call;
      const account = await accountOf(body, now);
      const mailCode = {
        purpose: "reset",
        email: normalizeAddress(body.email),
        code: body.token,
        now,
      } as const;
      checkPassword(body.password, account.username);
      const password = {
        password_hash: await hashPassword(body.password, call.address),
        must_change_password: 0 as const,
      };
      const ended = {
        passkeys: body.end_passkeys === true,
        external: body.end_external_accounts === true,
      };
      const change = {
        password: "changed",
        ...(body.disable_tokens && { api_keys: "disabled" }),
        ...(ended.passkeys && { passkeys: "ended" }),
        ...(ended.external && { external_accounts: "ended" }),
      };
      const batch = [
        codes.consume(mailCode),
        // An edit since the link was checked may have moved the address away, so the link counts as
        // used.
        {
          ...users.edit(account, {
            ...password,
            email_verified_at: now,
            updated_at: Math.max(now, account.updated_at + 1),
          }),
          missed: "reset_link_invalid" as const,
        },
        ...endSignIns(db, account.id),
        endAccountLock(db, account.id),
        ...(await lastingWays.end(account, ended, call)),
        ...(body.disable_tokens ? [disableTokens(db, account.id, now)] : []),
        ...call.audit("user.reset_password", account.uuid, change, account.id),
      ];
      await db.write(batch, { changes: bindingTopics });
      // Who can read the owner's mail is no stranger: guesses from elsewhere must not keep this
      // browser out.
      await devices.remember(account.id, call);
      const kept = await passkeys.ofUser(account.id);
      outbox.notify("password changed", account, (reader, site) =>
        composePasswordChangedMail(reader, site, { isByLink: true, passkeys: kept }),
      );
    },
  };
}

const refuseStaleLink = () => refuse("reset_link_invalid");
