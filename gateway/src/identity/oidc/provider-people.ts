/** What the settings of identity providers decide about the people who are bound to them, beside their roles and groups. */
import { oidcAccountProvider } from "@tollgate/contract/external-sign-in.ts";
import { roles } from "@tollgate/contract/roles.ts";
import type { ExternalStore } from "../external/external-store.ts";
import type { LiveOidcProviders, OidcProviderRow } from "./oidc-provider-store.ts";

interface ProviderPeopleDeps {
  external: Pick<ExternalStore, "ofUser">;
  oidcProviders: LiveOidcProviders;
}

export type ProviderPeople = ReturnType<typeof createProviderPeople>;

export function createProviderPeople({ external, oidcProviders }: ProviderPeopleDeps) {
  const isHeld = ({ closes_password, keys_rest_days }: OidcProviderRow) => closes_password === 1 || keys_rest_days > 0;

  return {
    /** Never for root, whom no provider may lock out. */
    async isPasswordClosed({ id, role }: { id: number; role: number }): Promise<boolean> {
      const closing = oidcProviders.enabled().filter(({ closes_password }) => closes_password === 1);
      if (role >= roles.root || closing.length === 0) return false;
      const bound = await external.ofUser(id);
      return closing.some(({ issuer }) => bound.some(({ provider }) => provider === oidcAccountProvider(issuer)));
    },

    /** Unbinding would leave what the provider holds its people to. */
    mayUnbind: (provider: string, { role }: { role: number }): boolean =>
      role >= roles.root ||
      !oidcProviders.enabled().some((row) => isHeld(row) && oidcAccountProvider(row.issuer) === provider),
  };
}
