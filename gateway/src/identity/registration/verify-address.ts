/** Mails codes that verify an address, and binds a verified address to the account. */
import type { BodyOf } from "@tollgate/contract/endpoint.ts";
import type { bindEmail } from "@tollgate/contract/registration.ts";
import type { CriticalLimit } from "../../http/critical-limit.ts";
import type { AuthenticatedContext, RequestContext } from "../../http/request-context.ts";
import { newMailCode, normalizeAddress } from "../../mail/mail-code-rules.ts";
import type { MailCodeStore } from "../../mail/mail-code-store.ts";
import { addressChangedMail, alreadyRegisteredMail, verificationMail } from "../../mail/mail-messages.ts";
import type { MailOutbox } from "../../mail/mail-outbox.ts";
import type { OptionReader } from "../../settings/live-options.ts";
import type { Database } from "../../storage/database.ts";
import type { Reauthenticate } from "../sessions/reauthenticate.ts";
import { checkDomain } from "../users/mail-domain.ts";
import { ownAccount } from "../users/own-account.ts";
import type { UserStore } from "../users/user-store.ts";

export interface AddressVerificationDeps {
  db: Database;
  users: UserStore;
  codes: MailCodeStore;
  outbox: MailOutbox;
  options: OptionReader;
  critical: CriticalLimit;
  reauthenticate: Reauthenticate;
}

export function createAddressVerification({
  db,
  users,
  codes,
  outbox,
  options,
  critical,
  reauthenticate,
}: AddressVerificationDeps) {
  return {
    async send(email: string, call: RequestContext): Promise<void> {
      checkDomain(email, options);
      await outbox.request({
        purpose: "verify",
        email,
        call,
        async compose(to, site) {
          if (await users.byEmail(to)) return alreadyRegisteredMail(to, site);
          const code = newMailCode();
          await db.write([codes.put({ purpose: "verify", email: to, code, userId: null, now: call.now })]);
          return verificationMail(to, site, code);
        },
      });
    },

    async bind({ code, ...body }: BodyOf<typeof bindEmail>, call: AuthenticatedContext): Promise<void> {
      await critical.take(call);
      const { now } = call;
      const account = await ownAccount(users, call.principal);
      await reauthenticate(account, body, call);
      const email = normalizeAddress(body.email);
      const mailCode = { purpose: "verify", email, code, now } as const;
      await db.write([codes.countAttempt(mailCode)]);
      const batch = [
        codes.consume(mailCode),
        users.update(account.id, { email, updated_at: Math.max(now, account.updated_at + 1) }),
        ...call.audit("user.bind_email", account.uuid, { email }),
      ];
      await db.write(batch, { changes: ["users"] });
      if (normalizeAddress(account.email) !== email)
        outbox.notify("address changed", account.email, addressChangedMail);
    },
  };
}
