/**
 * Sign-in providers whose rules decide on people here: what came by the groups of one is changed
 * there alone, as long as people sign in with it.
 */
import { proxyAccountProvider } from "@tollgate/contract/accounts/external-providers.ts";
import { buildOidcAccountProvider } from "@tollgate/contract/accounts/external-sign-in.ts";
import type { RulingProvider } from "@tollgate/contract/accounts/teams.ts";
import { buildMeaning } from "@tollgate/contract/api/errors.ts";
import { refuse } from "../http/refusal.ts";
import type { LiveOidcProviders } from "./identity/oidc/oidc-provider-store.ts";

export interface RulingProviders {
  /** Null for what was given by hand, and for a provider that nobody signs in with any more. */
  find(provider: string): RulingProvider | null;
}

export const createRulingProviders = (
  oidcProviders: LiveOidcProviders,
  hasProxySignIn: boolean,
): RulingProviders => ({
  find(provider) {
    if (provider === proxyAccountProvider && hasProxySignIn) return { slug: "", name: "" };
    const found = oidcProviders
      .enabled()
      .find(({ issuer }) => buildOidcAccountProvider(issuer) === provider);
    return found ? { slug: found.slug, name: found.name } : null;
  },
});

/** `checkByHand` refuses to change by hand what a provider gave. */
export function checkByHand(ruling: RulingProviders, provider: string): void {
  const ruler = ruling.find(provider);
  if (!ruler) return;
  const { message } = buildMeaning("team_member_by_provider");
  throw refuse(
    "team_member_by_provider",
    ruler.name === "" ? {} : { message: `${message} (${ruler.name})` },
  );
}
