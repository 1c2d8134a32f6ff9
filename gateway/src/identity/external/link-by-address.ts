/**
 * Finds the account of a first sign-in by the address that the provider has verified, where root lets the provider do that. A user
 * who had set another person's address here would be given that person's sign-ins, so it counts only while this server verifies addresses.
 */
import type { ExternalAccountProvider } from "@tollgate/contract/external-sign-in.ts";
import { roles, userStatus } from "@tollgate/contract/roles.ts";
import { refuse } from "../../http/refusal.ts";
import { noActor, type RequestContext } from "../../http/request-context.ts";
import { providerLinkedMail } from "../../mail/mail-messages.ts";
import type { MailOutbox } from "../../mail/mail-outbox.ts";
import type { OptionReader } from "../../settings/live-options.ts";
import type { Database } from "../../storage/database.ts";
import type { UserAccount, UserStore } from "../users/user-store.ts";
import type { ExternalIdentity } from "./external-rules.ts";
import type { ExternalAccountOwner, ExternalStore } from "./external-store.ts";

interface LinkByAddressDeps {
  db: Database;
  users: UserStore;
  external: ExternalStore;
  options: OptionReader;
  outbox: Pick<MailOutbox, "notify">;
}

interface AddressedLink {
  provider: ExternalAccountProvider;
  /** The name on the provider's button. */
  title: string;
  identity: ExternalIdentity;
  /** A deleted user who had this identity. */
  deleted: ExternalAccountOwner | undefined;
}

export function createLinkByAddress({ db, users, external, options, outbox }: LinkByAddressDeps) {
  return {
    /** Never an administrator's, and none that has another identity of this provider. */
    async find(provider: ExternalAccountProvider, { email }: ExternalIdentity): Promise<UserAccount | undefined> {
      if (!email || !options.flag("EmailVerificationEnabled")) return undefined;
      const account = await users.byEmail(email);
      if (!account || account.role !== roles.user) return undefined;
      if (account.status !== userStatus.enabled) throw refuse("external_user_disabled");
      const bound = await external.ofUser(account.id);
      return bound.some((row) => row.provider === provider) ? undefined : account;
    },

    async link(account: UserAccount, { provider, title, identity, deleted }: AddressedLink, call: RequestContext) {
      const bound = { provider, external_id: identity.id, name: identity.name, created_at: call.now };
      const change = { username: account.username, provider, external_id: identity.id };
      await db.write([
        external.bind(bound, account.uuid, deleted),
        ...call.audit("external.link", account.uuid, change, noActor),
      ]);
      outbox.notify("provider-linked", account, (reader, site) =>
        providerLinkedMail(reader, site, { provider: title }),
      );
    },
  };
}
