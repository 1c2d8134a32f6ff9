/**
 * Finds the account of a first sign-in by the address that the provider has verified, where root
 * lets the provider do that. Whoever had set another person's address here would be given that
 * person's sign-ins, so it counts at once only where a mailed code or link has proved this address;
 * otherwise a code is mailed to it first (decision 96).
 */

import type {
  ExternalAccountProvider,
  finishExternalLink,
} from "@tollgate/contract/accounts/external-sign-in.ts";
import { roles, userStatus } from "@tollgate/contract/accounts/roles.ts";
import type { BodyOf } from "@tollgate/contract/api/endpoint.ts";
import { refuse } from "../../../http/refusal.ts";
import { noActor, type RequestContext } from "../../../http/request-context.ts";
import { makeMailCode, normalizeAddress } from "../../../notices/mail/mail-code-rules.ts";
import type { MailCodeStore } from "../../../notices/mail/mail-code-store.ts";
import {
  composeProviderLinkedMail,
  composeProviderLinkMail,
  mailLanguage,
} from "../../../notices/mail/mail-messages.ts";
import type { MailOutbox } from "../../../notices/mail/mail-outbox.ts";
import type { Database, Write } from "../../../storage/database.ts";
import { disableTokens } from "../../tokens/token-store.ts";
import type { LastingWays } from "../accounts/lasting-ways.ts";
import { endSignIns } from "../users/end-sign-ins.ts";
import type { UserAccount, UserStore } from "../users/user-store.ts";
import { bindingTopics } from "./end-binding.ts";
import type { ExternalIdentity } from "./external-rules.ts";
import type { ExternalAccountOwner, ExternalStore } from "./external-store.ts";

export interface LinkByAddressDeps {
  db: Database;
  users: UserStore;
  external: ExternalStore;
  mailCodes: MailCodeStore;
  lastingWays: LastingWays;
  outbox: Pick<MailOutbox, "notify" | "request" | "canMail">;
}

interface AddressedLink {
  provider: ExternalAccountProvider;
  /** The name on the provider's button. */
  title: string;
  identity: ExternalIdentity;
  /** A deleted user who had this identity. */
  deleted: ExternalAccountOwner | undefined;
}

export function createLinkByAddress({
  db,
  users,
  external,
  mailCodes,
  lastingWays,
  outbox,
}: LinkByAddressDeps) {
  const isProved = ({ email_verified_at }: UserAccount): boolean => email_verified_at !== null;

  const bindWrites = (
    account: UserAccount,
    link: AddressedLink,
    call: RequestContext,
    more: object,
  ): Write[] => {
    const { provider, identity, deleted } = link;
    const bound = { provider, external_id: identity.id, name: identity.name, created_at: call.now };
    const change = { username: account.username, provider, external_id: identity.id, ...more };
    return [
      external.bind(bound, account.uuid, deleted),
      ...call.audit("external.link", account.uuid, change, noActor),
    ];
  };
  const tell = (account: UserAccount, { title }: AddressedLink): void =>
    outbox.notify("provider-linked", account, (reader, site) =>
      composeProviderLinkedMail(reader, site, { provider: title }),
    );

  return {
    isProved,

    /**
     * Never an administrator's, none that has another identity of this provider, and none whose
     * address cannot be proved.
     */
    async find(
      provider: ExternalAccountProvider,
      { email }: ExternalIdentity,
    ): Promise<UserAccount | undefined> {
      if (!email) return undefined;
      const account = await users.byEmail(email);
      if (account?.role !== roles.user || !(isProved(account) || outbox.canMail()))
        return undefined;
      if (account.status !== userStatus.enabled) throw refuse("external_user_disabled");
      const bound = await external.ofUser(account.id);
      return bound.some((row) => row.provider === provider) ? undefined : account;
    },

    async link(account: UserAccount, link: AddressedLink, call: RequestContext): Promise<void> {
      await db.write(bindWrites(account, link, call, {}));
      tell(account, link);
    },

    /** Mails the code that proves the address. */
    async mailCode(
      { id, email, username }: UserAccount,
      title: string,
      call: RequestContext,
    ): Promise<void> {
      await outbox.request({
        purpose: "link",
        email,
        call,
        async compose(to, site) {
          const owner = await users.byId(id);
          if (!owner) return undefined;
          const code = makeMailCode();
          await db.write([
            mailCodes.put({ purpose: "link", email: to, code, userId: id, now: call.now }),
          ]);
          const reader = { to, language: mailLanguage(owner.language) };
          return composeProviderLinkMail(reader, site, { provider: title, username, code });
        },
      });
    },

    /**
     * Links with the code. Until now nobody had shown that the owner of the address made the
     * account: what signs in to it ends, unless they say that it is theirs. `more` is written in
     * the same batch.
     */
    async linkWithCode(
      userId: number,
      link: AddressedLink,
      { verification_code: code, keep_sign_ins, disable_tokens }: BodyOf<typeof finishExternalLink>,
      call: RequestContext,
      more: readonly Write[],
    ): Promise<void> {
      const { now } = call;
      const email = link.identity.email ?? "";
      const proof = { purpose: "link", email, code, now } as const;
      await db.write([mailCodes.countAttempt(proof)]);
      const account = await users.byId(userId);
      // The code is for this account, and the account must still have the address.
      if (
        !account ||
        normalizeAddress(account.email) !== email ||
        (await mailCodes.userOf(proof)) !== userId
      )
        throw refuse("verification_code_invalid");
      if (account.status !== userStatus.enabled) throw refuse("external_user_disabled");
      if (account.role !== roles.user) throw refuse("changed_meanwhile");
      const updated_at = Math.max(now, account.updated_at + 1);
      const closed = keep_sign_ins ? {} : { password_hash: "", must_change_password: 0 as const };
      const told = {
        ...(!keep_sign_ins && { sign_ins: "ended" }),
        ...(disable_tokens && { api_keys: "disabled" }),
      };
      await db.write(
        [
          mailCodes.consume(proof),
          users.edit(account, { ...closed, email_verified_at: now, updated_at }),
          ...(keep_sign_ins
            ? []
            : [
                ...endSignIns(db, account.id),
                ...(await lastingWays.end(account, { passkeys: true, external: true }, call)),
              ]),
          ...(disable_tokens ? [disableTokens(db, account.id, now)] : []),
          ...bindWrites(account, link, call, told),
          ...more,
        ],
        { changes: bindingTopics },
      );
      tell(account, link);
    },
  };
}
