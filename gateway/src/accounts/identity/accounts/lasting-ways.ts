/**
 * The ways in that outlive a new password: passkeys and external accounts. Whoever takes an account
 * back by its mailbox sees which there are and says whether they end (decision 76).
 */
import type { WaysIn } from "@tollgate/contract/accounts/registration.ts";
import type { RequestContext } from "../../../http/request-context.ts";
import type { Write } from "../../../storage/database.ts";
import type { EndBinding } from "../external/end-binding.ts";
import type { ExternalAccount, ExternalStore } from "../external/external-store.ts";
import type { ProviderPeople } from "../oidc/provider-people.ts";
import type { PasskeyStore } from "../passkeys/passkey-store.ts";
import type { KnownDevices } from "../sessions/known-devices.ts";
import type { UserAccount } from "../users/user-store.ts";

interface LastingWaysDeps {
  passkeys: PasskeyStore;
  external: ExternalStore;
  devices: KnownDevices;
  people: Pick<ProviderPeople, "mayUnbind">;
  endBinding: EndBinding;
}

/** `EndedWays` says which of them end. */
export interface EndedWays {
  passkeys: boolean;
  external: boolean;
}

export type LastingWays = ReturnType<typeof createLastingWays>;

export function createLastingWays({
  passkeys,
  external,
  devices,
  people,
  endBinding,
}: LastingWaysDeps) {
  /**
   * Not those by which a provider holds its people: without one, keys of a person who left would
   * wake.
   */
  const endable = async (account: UserAccount): Promise<ExternalAccount[]> =>
    (await external.ofUser(account.id)).filter(({ provider }) =>
      people.mayUnbind(provider, account),
    );

  return {
    /**
     * `of` also gives the last sign-in of the asking browser: a younger way in may be a stranger's.
     */
    async of(account: UserAccount, call: RequestContext): Promise<WaysIn> {
      return {
        passkeys: (await passkeys.ofUser(account.id)).map(({ name, created_at }) => ({
          name,
          created_at,
        })),
        external_accounts: (await endable(account)).map(({ provider, name, created_at }) => ({
          provider,
          name,
          created_at,
        })),
        last_sign_in_at: (await devices.lastSignIn(account.id, call)) ?? 0,
      };
    },

    async end(account: UserAccount, ended: EndedWays, call: RequestContext): Promise<Write[]> {
      const bound = ended.external ? await endable(account) : [];
      const writes: Write[] = [];
      for (const row of bound)
        writes.push(...(await endBinding(account, row, call)), external.remove(row));
      return [...(ended.passkeys ? [passkeys.removeAll(account.id)] : []), ...writes];
    },
  };
}
