/**
 * Checks what a browser presents for a passkey, and records its use; a passkey that was copied is
 * reported to its owner.
 */
import type { PresentedCredential } from "@tollgate/contract/accounts/passkeys.ts";
import { userStatus } from "@tollgate/contract/accounts/roles.ts";
import { refuse } from "../../../http/refusal.ts";
import type { RequestContext } from "../../../http/request-context.ts";
import { composePasskeyCopiedMail } from "../../../notices/mail/mail-messages.ts";
import type { MailOutbox } from "../../../notices/mail/mail-outbox.ts";
import { type Database, tryWrite, type Write } from "../../../storage/database.ts";
import type { UserAccount, UserStore } from "../users/user-store.ts";
import type { AnsweredChallenge } from "./passkey-challenges.ts";
import { formatCanonical, verifyPresented } from "./passkey-rules.ts";
import type { PasskeyStore } from "./passkey-store.ts";

export interface CheckPasskeyDeps {
  db: Database;
  users: UserStore;
  passkeys: PasskeyStore;
  outbox: MailOutbox;
}

export type CheckPasskey = ReturnType<typeof createPasskeyCheck>;

export function createPasskeyCheck({ db, users, passkeys, outbox }: CheckPasskeyDeps) {
  /**
   * `purpose` is written together with the use of the passkey: both or neither. An unknown passkey
   * is refused like a wrong one.
   */
  return async (
    credential: PresentedCredential,
    challenge: AnsweredChallenge,
    call: RequestContext,
    purpose: (account: UserAccount) => readonly Write[],
  ): Promise<UserAccount> => {
    const passkey = await passkeys.byCredential(formatCanonical(credential.id));
    const proved = passkey && verifyPresented(credential, passkey, challenge);
    if (!passkey || proved === undefined || typeof proved === "string")
      throw refuse("passkey_wrong");
    const account = await users.byId(passkey.user_id);
    if (!account || account.status === userStatus.deleted) throw refuse("passkey_wrong");
    if (challenge.user_id !== null && challenge.user_id !== account.id)
      throw refuse("passkey_wrong");
    if (account.status !== userStatus.enabled) throw refuse("account_disabled");
    const used = passkeys.markUsed(passkey, proved, call.now);
    const rejected = await tryWrite(db, [used, ...purpose(account)]);
    if (rejected?.code === used.missed) {
      outbox.notify("passkey-copied", account, (reader, site) =>
        composePasskeyCopiedMail(reader, site, passkey),
      );
      await db.write(
        call.audit("passkey.refuse_copy", account.uuid, { name: passkey.name }, account.id),
      );
      throw refuse("passkey_copied");
    }
    if (rejected) throw rejected;
    return account;
  };
}
