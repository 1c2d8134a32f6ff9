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
  /** A JSON array of strings. */
  acr_values: string;
  /** A JSON array of `ClaimRule` (contract/src/oidc-providers.ts). */
  rules: string;
  /** The configuration file that it belongs to; empty: none. */
  managed_by: Generated<string>;
  created_at: Millis;
  updated_at: Millis;
}
