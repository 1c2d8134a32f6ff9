/** Rows of OpenID Connect providers. */
import type { Generated } from "kysely";
import type { Flag, Millis } from "./column-types.ts";

export interface OidcProvidersTable {
  id: Generated<number>;
  uuid: string;
  slug: string;
  name: string;
  issuer: string;
  client_id: string;
  /** Null for a public client. */
  secret_sealed: string | null;
  /** Space-separated. */
  scopes: string;
  enabled: Flag;
  position: number;
  known_people_only: Flag;
  refuses_unmatched: Flag;
  trusts_second_factor: Flag;
  /** A sign-out here ends the session at the provider too. */
  ends_session: Generated<Flag>;
  /** A first sign-in with a verified address is that of the user who has the address here. */
  links_verified_mail: Generated<Flag>;
  /** The provider's people sign in with a password no longer. */
  closes_password: Generated<Flag>;
  /** Days without a sign-in after which a person's keys rest; 0 for never. */
  keys_rest_days: Generated<number>;
  /** A JSON array of strings. */
  acr_values: string;
  /** A JSON array of `ClaimRule` (contract/src/accounts/oidc-providers.ts). */
  rules: string;
  /** The configuration file that it belongs to; empty: none. */
  managed_by: Generated<string>;
  created_at: Millis;
  updated_at: Millis;
}
