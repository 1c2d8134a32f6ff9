/** Mails codes that verify an address, and binds a verified address to the account. */

import type { bindEmail } from "@tollgate/contract/accounts/registration.ts";
import type { BodyOf } from "@tollgate/contract/api/endpoint.ts";
import { buildLanguage, type LanguageCode } from "@tollgate/contract/site/languages.ts";
import { listAcceptedLanguages } from "../../../http/accepted-languages.ts";
import type { CriticalLimit } from "../../../http/critical-limit.ts";
import type { AuthenticatedContext, RequestContext } from "../../../http/request-context.ts";
import { makeMailCode, normalizeAddress } from "../../../notices/mail/mail-code-rules.ts";
import type { MailCodeStore } from "../../../notices/mail/mail-code-store.ts";
import {
  composeAddressChangedMail,
  composeAlreadyRegisteredMail,
  composeVerificationMail,
  mailLanguage,
} from "../../../notices/mail/mail-messages.ts";
import type { MailOutbox } from "../../../notices/mail/mail-outbox.ts";
import type { OptionReader } from "../../../settings/live-options.ts";
import type { Database, Write } from "../../../storage/database.ts";
import type { Reauthenticate } from "../sessions/reauthenticate.ts";
import { checkDomain } from "../users/mail-domain.ts";
import { ownAccount } from "../users/own-account.ts";
import type { UserAccount, UserStore } from "../users/user-store.ts";

export interface AddressVerificationDeps {
  db: Database;
  users: UserStore;
  codes: MailCodeStore;
  outbox: MailOutbox;
  options: OptionReader;
  critical: CriticalLimit;
  reauthenticate: Reauthenticate;
}

export type AddressVerification = ReturnType<typeof createAddressVerification>;

export function createAddressVerification({
  db,
  users,
  codes,
  outbox,
  options,
  critical,
  reauthenticate,
}: AddressVerificationDeps) {
  /**
   * `requestedLanguage` is that of the signed-in caller; a visitor has no account yet, but a
   * browser that names its languages.
   */
  const requestedLanguage = async ({
    principal,
    headers,
  }: RequestContext): Promise<LanguageCode> => {
    const account = principal && (await users.byId(principal.id));
    return account ? mailLanguage(account.language) : buildLanguage(listAcceptedLanguages(headers));
  };

  const verification = {
    async send(email: string, call: RequestContext): Promise<void> {
      checkDomain(email, options);
      await outbox.request({
        purpose: "verify",
        email,
        call,
        async compose(to, site) {
          const owner = await users.byEmail(to);
          if (owner)
            return composeAlreadyRegisteredMail(
              { to, language: mailLanguage(owner.language) },
              site,
            );
          const language = await requestedLanguage(call);
          const code = makeMailCode();
          await db.write([
            codes.put({ purpose: "verify", email: to, code, userId: null, now: call.now }),
          ]);
          return composeVerificationMail({ to, language }, site, code);
        },
      });
    },

    /**
     * Counts the attempt and returns the statement that consumes the code: the batch with it fails
     * on a wrong code.
     */
    async consume(email: string, code: string, call: RequestContext): Promise<Write> {
      await critical.take(call);
      const mailCode = {
        purpose: "verify",
        email: normalizeAddress(email),
        code,
        now: call.now,
      } as const;
      await db.write([codes.countAttempt(mailCode)]);
      return codes.consume(mailCode);
    },

    /** Tells the owner at the previous address, who may not have made the change. */
    notifyPrevious(account: Pick<UserAccount, "email" | "language">, email: string): void {
      if (normalizeAddress(account.email) !== normalizeAddress(email))
        outbox.notify("address changed", account, composeAddressChangedMail);
    },

    async bind(
      { code, ...body }: BodyOf<typeof bindEmail>,
      call: AuthenticatedContext,
    ): Promise<void> {
      const account = await ownAccount(users, call.principal);
      await reauthenticate(account, body, call);
      const email = normalizeAddress(body.email);
      const batch = [
        await verification.consume(email, code, call),
        users.update(account.id, {
          email,
          email_verified_at: call.now,
          updated_at: Math.max(call.now, account.updated_at + 1),
        }),
        ...call.audit("user.bind_email", account.uuid, { email }),
      ];
      await db.write(batch, { changes: ["users"] });
      verification.notifyPrevious(account, email);
    },
  };
  return verification;
}
