/** Codes that prove an address, and making a proven one one's own. */
import type { BodyOf } from "@tollgate/contract/endpoint.ts";
import type { bindEmail } from "@tollgate/contract/registration.ts";
import type { Caller, Circumstances } from "../http/caller.ts";
import type { CriticalLimit } from "../http/critical-limit.ts";
import { refuse } from "../http/refusal.ts";
import { newMailCode, plainAddress } from "../mail/mail-code-rules.ts";
import type { MailCodeStore } from "../mail/mail-code-store.ts";
import { addressChangedLetter, alreadyRegisteredLetter, verificationLetter } from "../mail/mail-texts.ts";
import type { PostOffice } from "../mail/post-office.ts";
import type { ProveRecently } from "../sessions/recent-proof.ts";
import type { Options } from "../settings/options.ts";
import { Conflict, type Database } from "../storage/database.ts";
import { taken } from "../users/change-user.ts";
import type { UserStore } from "../users/user-store.ts";
import { onMissedCode } from "./register-user.ts";
import { checkDomain } from "./registration-rules.ts";

export interface AddressParts {
  db: Database;
  users: UserStore;
  codes: MailCodeStore;
  post: PostOffice;
  options: Options;
  critical: CriticalLimit;
  prove: ProveRecently;
}

type Call = Circumstances & { caller: Caller };

export function verifyAddressWith({ db, users, codes, post, options, critical, prove }: AddressParts) {
  return {
    async send(email: string, call: Circumstances): Promise<void> {
      checkDomain(email, options);
      await post.ask({
        purpose: "verify",
        email,
        call,
        async write(to, site) {
          if (await users.byEmail(to)) return alreadyRegisteredLetter(to, site);
          const code = newMailCode();
          await db.write([codes.put({ purpose: "verify", email: to, code, userId: null, now: call.now })]);
          return verificationLetter(to, site, code);
        },
      });
    },

    async bind({ code, ...body }: BodyOf<typeof bindEmail>, call: Call): Promise<void> {
      await critical.take(call);
      const { now, address, caller } = call;
      const account = await users.byId(caller.id);
      if (!account) throw refuse("not_logged_in");
      await prove(account, body, call);
      const email = plainAddress(body.email);
      const shown = { purpose: "verify", email, code, now } as const;
      await db.write([codes.try(shown)]).catch(onMissedCode);
      const batch = [
        codes.use(shown),
        users.update(account.id, { email, updated_at: Math.max(now, account.updated_at + 1) }),
        ...db.audit({
          at: now,
          actorId: account.id,
          address,
          action: "user.bind_email",
          target: account.uuid,
          change: { email },
        }),
      ];
      await db.write(batch, { changes: ["users"] }).catch((error: unknown) => {
        if (error instanceof Conflict) throw taken(error);
        onMissedCode(error);
      });
      if (plainAddress(account.email) !== email) post.tell("address changed", account.email, addressChangedLetter);
    },
  };
}
