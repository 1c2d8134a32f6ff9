/**
 * Decisions of the settings of identity providers about the people who are bound to them, beside
 * their roles and groups.
 */
import { buildOidcAccountProvider } from "@tollgate/contract/accounts/external-sign-in.ts";
import { roles } from "@tollgate/contract/accounts/roles.ts";
import type { ExternalStore } from "../external/external-store.ts";
import type { LiveOidcProviders, OidcProviderRow } from "./oidc-provider-store.ts";
import { computeRestingStart } from "./rest-keys.ts";

interface ProviderPeopleDeps {
  external: Pick<ExternalStore, "ofUser">;
  oidcProviders: LiveOidcProviders;
}

export type ProviderPeople = ReturnType<typeof createProviderPeople>;

export function createProviderPeople({ external, oidcProviders }: ProviderPeopleDeps) {
  const isHeld = ({ closes_password, keys_rest_days }: OidcProviderRow) =>
    closes_password === 1 || keys_rest_days > 0;

  return {
    /** Never for root, whom no provider may lock out. */
    async isPasswordClosed({ id, role }: { id: number; role: number }): Promise<boolean> {
      const closing = oidcProviders
        .enabled()
        .filter(({ closes_password }) => closes_password === 1);
      if (role >= roles.root || closing.length === 0) return false;
      const bound = await external.ofUser(id);
      return closing.some(({ issuer }) =>
        bound.some(({ provider }) => provider === buildOidcAccountProvider(issuer)),
      );
    },

    /**
     * Has not signed in with a provider for so long that keys of its people rest. Those of
     * programs, which carry a person's rights, end with it at once and on every node: they could
     * wake the others. Never root.
     */
    async isAway({ id, role }: { id: number; role: number }, now: number): Promise<boolean> {
      const resting = oidcProviders.enabled().filter(({ keys_rest_days }) => keys_rest_days > 0);
      if (role >= roles.root || resting.length === 0) return false;
      const bound = await external.ofUser(id);
      return resting.some(({ issuer, keys_rest_days }) => {
        const before = computeRestingStart(keys_rest_days, now);
        const own = bound.find(({ provider }) => provider === buildOidcAccountProvider(issuer));
        return own !== undefined && own.signed_in_at < before && own.created_at < before;
      });
    },

    /** Unbinding would leave what the provider holds its people to. */
    mayUnbind: (provider: string, { role }: { role: number }): boolean =>
      role >= roles.root ||
      !oidcProviders
        .enabled()
        .some((row) => isHeld(row) && buildOidcAccountProvider(row.issuer) === provider),
  };
}
