/**
 * Starts a sign-in with an OpenID Connect provider, and reads at its callback who came back and
 * what the rules give.
 */
import {
  buildOidcAccountProvider,
  type ExternalAccountProvider,
} from "@tollgate/contract/accounts/external-sign-in.ts";
import { refuse } from "../../../http/refusal.ts";
import type { Sealer } from "../../../secrets/seal.ts";
import {
  evaluateClaimRules,
  explainUnmatched,
  hasProvedSecondFactor,
} from "../oidc/claim-rules.ts";
import { type LogoutNotice, readSid } from "../oidc/logout-claims.ts";
import type { OidcClient, OidcFlow } from "../oidc/oidc-client.ts";
import {
  composeOidcRedirectUri,
  parseAcrValues,
  parseClaimRules,
} from "../oidc/oidc-provider-rules.ts";
import type { LiveOidcProviders, OidcProviderRow } from "../oidc/oidc-provider-store.ts";
import { buildOidcClientSettings } from "../oidc/oidc-secret.ts";
import type { ExternalIdentity } from "./external-rules.ts";
import type { OauthState } from "./external-store.ts";
import { readOidcIdentity } from "./oidc-identity.ts";
import type { SignInEntitlement } from "./sign-in-entitlement.ts";

export interface OidcArrival {
  provider: ExternalAccountProvider;
  identity: ExternalIdentity;
  entitlement: SignInEntitlement;
  sid: string | undefined;
  idToken: string | undefined;
}

/** `ProviderLogout` is what a provider's logout ends. */
export interface ProviderLogout extends LogoutNotice {
  provider: ExternalAccountProvider;
}

export interface OidcSignInDeps {
  seal: Sealer;
  oidcProviders: LiveOidcProviders;
  oidcClient: OidcClient;
  publicUrl: string | undefined;
  /**
   * `onOidcFailure` is for the operator: users get the same sentence for every fault of a provider.
   */
  onOidcFailure(slug: string, reason: string): void;
}

export type OidcSignIn = ReturnType<typeof createOidcSignIn>;

const flowPurpose = "oidc-flow";
const composeFlowContext = (stateHash: string) => `oauth_states/flow_sealed/${stateHash}` as const;

/** Sealed beside the state, so that the callback of one provider cannot end a flow of another. */
interface StoredFlow extends OidcFlow {
  providerUuid: string;
}

export function createOidcSignIn({
  seal,
  oidcProviders,
  oidcClient,
  publicUrl,
  onOidcFailure,
}: OidcSignInDeps) {
  const enabledProvider = (slug: string): { row: OidcProviderRow; redirectUri: string } => {
    const row = oidcProviders.enabled().find((one) => one.slug === slug);
    const redirectUri = composeOidcRedirectUri(publicUrl, slug);
    if (!row || redirectUri === undefined) throw refuse("external_off");
    return { row, redirectUri };
  };

  const settingsOf = (row: OidcProviderRow) => buildOidcClientSettings(seal, row);

  return {
    isOn: (): boolean => publicUrl !== undefined && oidcProviders.enabled().length > 0,

    /** The page of the provider, and what its callback needs. */
    async begin(
      slug: string,
      state: string,
      stateHash: string,
    ): Promise<{ url: string; flowSealed: string }> {
      const { row, redirectUri } = enabledProvider(slug);
      try {
        const { url, ...flow } = await oidcClient.begin(settingsOf(row), redirectUri, state);
        const stored: StoredFlow = { ...flow, providerUuid: row.uuid };
        return {
          url,
          flowSealed: seal.seal(flowPurpose, composeFlowContext(stateHash), JSON.stringify(stored)),
        };
      } catch (error) {
        onOidcFailure(slug, error instanceof Error ? error.message : String(error));
        throw refuse("external_unreachable");
      }
    },

    async identify(
      slug: string,
      { state_hash, flow_sealed }: OauthState,
      callback: { code: string; state: string; issuer: string | undefined },
    ): Promise<OidcArrival> {
      const { row, redirectUri } = enabledProvider(slug);
      if (flow_sealed === null) throw refuse("oauth_state_invalid");
      const flow = JSON.parse(
        seal.open(flowPurpose, composeFlowContext(state_hash), flow_sealed),
      ) as StoredFlow;
      if (flow.providerUuid !== row.uuid) throw refuse("oauth_state_invalid");
      const { verifier, nonce } = flow;
      const outcome = await oidcClient.finish(settingsOf(row), {
        ...callback,
        verifier,
        nonce,
        redirectUri,
      });
      if ("silent" in outcome) {
        onOidcFailure(slug, outcome.silent);
        throw refuse("external_unreachable");
      }
      const identity = "claims" in outcome ? readOidcIdentity(outcome.claims) : undefined;
      if ("refused" in outcome || !identity) {
        onOidcFailure(
          slug,
          "refused" in outcome ? outcome.refused : "the claim sub is missing or too long",
        );
        throw refuse("external_refused");
      }
      const rules = parseClaimRules(row);
      const verdict = evaluateClaimRules(rules, row.refuses_unmatched === 1, outcome.claims);
      if (verdict.is_overage)
        onOidcFailure(
          slug,
          "the provider sent no groups because there are too many; use application roles",
        );
      else if (!verdict.is_admitted) onOidcFailure(slug, explainUnmatched(rules, outcome.claims));
      return {
        provider: buildOidcAccountProvider(row.issuer),
        identity,
        sid: readSid(outcome.claims),
        idToken: row.ends_session === 1 ? outcome.idToken : undefined,
        entitlement: {
          verdict,
          claimNames: [...new Set(rules.map(({ claim }) => claim))],
          isForKnownPeople: row.known_people_only === 1,
          linksVerifiedMail: row.links_verified_mail === 1,
          title: row.name,
          hasSecondFactor:
            row.trusts_second_factor === 1 &&
            hasProvedSecondFactor(outcome.claims, parseAcrValues(row)),
        },
      };
    },

    /**
     * The neutral refusal of a token that a provider has not signed for this gateway, or not just
     * now.
     */
    async logout(slug: string, logoutToken: string, now: number): Promise<ProviderLogout> {
      const { row } = enabledProvider(slug);
      const outcome = await oidcClient.verifyLogout(settingsOf(row), logoutToken, now);
      if ("notice" in outcome)
        return { provider: buildOidcAccountProvider(row.issuer), ...outcome.notice };
      onOidcFailure(slug, `logout token: ${outcome.refused}`);
      throw refuse("invalid_request", { message: "The logout token was not accepted" });
    },
  };
}
