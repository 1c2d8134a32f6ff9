/** Changes a user's own account. A new password or mail address requires reauthentication. */

import type { updateSelf } from "@tollgate/contract/accounts/sessions.ts";
import type { BodyOf } from "@tollgate/contract/api/endpoint.ts";
import { refuse } from "../../../http/refusal.ts";
import { type AuthenticatedContext, hashSession } from "../../../http/request-context.ts";
import { normalizeAddress } from "../../../notices/mail/mail-code-rules.ts";
import { composePasswordChangedMail } from "../../../notices/mail/mail-messages.ts";
import type { MailOutbox } from "../../../notices/mail/mail-outbox.ts";
import type { OptionReader } from "../../../settings/live-options.ts";
import type { Database, Write } from "../../../storage/database.ts";
import type { PasskeyStore } from "../passkeys/passkey-store.ts";
import type { AddressVerification } from "../registration/verify-address.ts";
import type { PasswordGuard } from "../sessions/password-guard.ts";
import type { Reauthenticate } from "../sessions/reauthenticate.ts";
import type { SessionStore } from "../sessions/session-store.ts";
import { checkPassword } from "../users/common-passwords.ts";
import { endOtherSignIns } from "../users/end-sign-ins.ts";
import { checkDomain } from "../users/mail-domain.ts";
import { ownAccount } from "../users/own-account.ts";
import { hashPassword, passwordMatches } from "../users/passwords.ts";
import type { UserAccount, UserStore } from "../users/user-store.ts";
import { readNewName } from "../users/username-rules.ts";

type SelfInput = BodyOf<typeof updateSelf>;

export interface ChangeSelfDeps {
  db: Database;
  users: UserStore;
  sessions: SessionStore;
  options: OptionReader;
  reauthenticate: Reauthenticate;
  guard: PasswordGuard;
  address: AddressVerification;
  outbox: MailOutbox;
  passkeys: PasskeyStore;
}

export function createSelfEditor(deps: ChangeSelfDeps) {
  const { db, users, sessions, options, reauthenticate, guard, address, outbox, passkeys } = deps;
  /** Mailboxes never differ in case alone, so a change of case needs no code. */
  const mustBeProved = (email: string, account: UserAccount): boolean =>
    options.flag("EmailVerificationEnabled") &&
    normalizeAddress(email) !== normalizeAddress(account.email);

  /** The first call mails the code and changes nothing; the second one carries it. */
  const provedAddress = async (
    email: string,
    code: string | undefined,
    call: AuthenticatedContext,
  ): Promise<Write> => {
    if (code) return await address.consume(email, code, call);
    await address.send(email, call);
    throw refuse("email_code_required");
  };

  return async (input: SelfInput, call: AuthenticatedContext): Promise<void> => {
    const account = await ownAccount(users, call.principal);
    const { password, change } = buildChange(account, input);
    if (Object.keys(change).length === 0 && password === undefined) return;
    if (change.email) checkDomain(change.email, options);
    if (password !== undefined) checkPassword(password, account.username);
    if (password !== undefined || change.email !== undefined)
      await reauthenticate(account, input, call);
    const proof =
      change.email && mustBeProved(change.email, account)
        ? [await provedAddress(change.email, input.email_verification_code, call)]
        : [];
    // The comparison reveals whether a guess is the current password, so attempts are limited as at
    // sign-in.
    const attempt =
      password === undefined ? undefined : await guard.begin(account.username, account.id, call);
    if (
      password !== undefined &&
      (await passwordMatches(password, account.password_hash, call.address))
    )
      throw refuse("password_unchanged", {
        fields: { password: "The new password must differ from the current one" },
      });

    const hashed =
      password === undefined
        ? {}
        : {
            password_hash: await hashPassword(password, call.address),
            must_change_password: 0 as const,
          };
    // An attacker who knew the old password may have signed in with it.
    const ended =
      password === undefined
        ? []
        : [
            ...endOtherSignIns(db, call.principal),
            sessions.markAuthenticated(hashSession(call.principal), call.now),
          ];
    await attempt?.succeeded();
    const batch = [
      ...proof,
      users.update(account.id, {
        ...change,
        ...(proof.length > 0 && { email_verified_at: call.now }),
        ...hashed,
        updated_at: call.now,
      }),
      ...ended,
      ...call.audit("user.change_self", account.uuid, {
        ...change,
        ...(password !== undefined && { password: "changed" }),
      }),
    ];
    await db.write(batch, { changes: ["users"] });
    if (proof.length > 0 && change.email) address.notifyPrevious(account, change.email);
    if (password !== undefined) {
      const kept = await passkeys.ofUser(account.id);
      // To the address of before: a stranger who changes both must not be the only one to read it.
      outbox.notify("password changed", account, (reader, site) =>
        composePasswordChangedMail(reader, site, { isByLink: false, passkeys: kept }),
      );
    }
  };
}

/** The fields that differ. Forms send an empty password when the user typed none. */
function buildChange(account: UserAccount, { username, display_name, email, password }: SelfInput) {
  const renamed = readNewName(account.username, username);
  return {
    password: password || undefined,
    change: {
      ...(renamed !== undefined && { username: renamed }),
      ...(display_name !== undefined && display_name !== account.display_name && { display_name }),
      ...(email !== undefined && email !== account.email && { email }),
    },
  };
}
