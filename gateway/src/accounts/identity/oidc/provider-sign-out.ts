/**
 * The page of an OpenID Connect provider where a browser that signs out here ends its session there
 * (RP-Initiated Logout 1.0).
 */
import { setTimeout as sleep } from "node:timers/promises";
import { buildOidcAccountProvider } from "@tollgate/contract/accounts/external-sign-in.ts";
import type { Sealer } from "../../../secrets/seal.ts";
import type { SessionStore } from "../sessions/session-store.ts";
import type { OidcClient } from "./oidc-client.ts";
import { postLogoutRedirectUri } from "./oidc-provider-rules.ts";
import type { LiveOidcProviders } from "./oidc-provider-store.ts";
import { buildOidcClientSettings } from "./oidc-secret.ts";
import { openIdToken } from "./session-id-token.ts";

export interface ProviderSignOutDeps {
  sessions: SessionStore;
  seal: Sealer;
  oidcProviders: LiveOidcProviders;
  oidcClient: OidcClient;
  publicUrl: string | undefined;
  onOidcFailure(slug: string, reason: string): void;
}

/** Finishes the sign-out of a session that may have ended by then. */
export type ProviderSignOut = (sessionHash: string) => Promise<() => Promise<string | undefined>>;

/** A provider that is down must not hold up a sign-out. */
const patienceMs = 3_000;

export function createProviderSignOut(deps: ProviderSignOutDeps): ProviderSignOut {
  const { sessions, seal, oidcProviders, oidcClient, publicUrl, onOidcFailure } = deps;
  return async (sessionHash) => {
    const session = await sessions.opener(sessionHash);
    const row = oidcProviders
      .enabled()
      .find(({ issuer }) => buildOidcAccountProvider(issuer) === session?.provider);
    const returnTo = postLogoutRedirectUri(publicUrl);
    if (!session || row?.ends_session !== 1 || returnTo === undefined) return async () => undefined;
    const idToken = openIdToken(seal, sessionHash, session.id_token_sealed);
    const signOutUrl = () =>
      oidcClient
        .signOutUrl(buildOidcClientSettings(seal, row), { idToken, returnTo })
        .catch((error: unknown) => {
          onOidcFailure(
            row.slug,
            `sign-out: ${error instanceof Error ? error.message : String(error)}`,
          );
          return undefined;
        });
    return () => Promise.race([signOutUrl(), sleep(patienceMs, undefined, { ref: false })]);
  };
}
