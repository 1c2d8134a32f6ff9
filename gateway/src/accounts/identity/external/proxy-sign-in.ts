/**
 * Users who arrive by the header of a reverse proxy. The account is the name there, as issuer and
 * subject are with OpenID Connect. Pure.
 */
import { proxyAccountProvider } from "@tollgate/contract/accounts/external-providers.ts";
import type { ClaimRule } from "@tollgate/contract/accounts/oidc-providers.ts";
import { refuse } from "../../../http/refusal.ts";
import type { ProxyUser } from "../../../http/trusted-header.ts";
import { evaluateClaimRules } from "../oidc/claim-rules.ts";
import { cleanName, type ExternalIdentity } from "./external-rules.ts";
import type { SignInEntitlement } from "./sign-in-entitlement.ts";

interface ProxyArrival {
  provider: typeof proxyAccountProvider;
  identity: ExternalIdentity;
  entitlement: SignInEntitlement;
  sid: undefined;
  idToken: undefined;
}

/** `rules` look at the claim `groups`. */
export function readProxyArrival(
  user: ProxyUser | undefined,
  rules: readonly ClaimRule[],
): ProxyArrival {
  if (!user) throw refuse("proxy_user_missing");
  // Some proxies name people by their mail address; the part before the @ is what they are called.
  // It identifies no account.
  const name = cleanName(user.name).split("@")[0] ?? "";
  return {
    provider: proxyAccountProvider,
    identity: { id: user.name, name },
    sid: undefined,
    idToken: undefined,
    entitlement: {
      verdict: evaluateClaimRules(rules, false, { groups: user.groups }),
      claimNames: [],
      isForKnownPeople: false,
      linksVerifiedMail: false,
      title: "",
      // The header does not say what the proxy checked.
      hasSecondFactor: false,
    },
  };
}
