/**
 * The rights that the settings of a provider, and its words about a person, give at one sign-in.
 */
import type { ClaimVerdict } from "@tollgate/contract/accounts/oidc-providers.ts";

export interface SignInEntitlement {
  verdict: ClaimVerdict;
  /** The claims that the rules look at, for the refusal. */
  claimNames: readonly string[];
  isForKnownPeople: boolean;
  hasSecondFactor: boolean;
  /** A first sign-in may be that of a user who is known by the verified address. */
  linksVerifiedMail: boolean;
  /** The name on the button. */
  title: string;
}
