/**
 * An OpenID Connect provider as a configuration document writes it, and the settings that it asks
 * for. Pure.
 */

import { roles } from "@tollgate/contract/accounts/roles.ts";
import type { ConfiguredIdentityProvider } from "@tollgate/contract/commands/configuration.ts";
import {
  changeOidcProvider,
  type OidcProviderSettings,
} from "../../accounts/identity/oidc/oidc-provider-rules.ts";
import type { OidcProviderRow } from "../../accounts/identity/oidc/oidc-provider-store.ts";
import { readSecretReference } from "./secret-reference.ts";

/** `isEnabled`: of the stored provider, for a document that does not say. */
export const buildIdentityProviderSettings = (
  wanted: ConfiguredIdentityProvider,
  isEnabled: boolean,
): OidcProviderSettings => ({
  name: wanted.name ?? wanted.slug,
  issuer: wanted.issuer,
  client_id: wanted.clientId,
  scopes: [...new Set(["openid", ...wanted.scopes])].join(" "),
  enabled: wanted.enabled ?? isEnabled,
  position: wanted.position,
  known_people_only: wanted.knownPeopleOnly,
  refuses_unmatched: wanted.unmatched === "refuse",
  trusts_second_factor: wanted.trustsSecondFactor,
  acr_values: wanted.acrValues,
  ends_session: wanted.endsSession,
  links_verified_mail: wanted.linksVerifiedMail,
  closes_password: wanted.closesPassword,
  keys_rest_days: wanted.keysRestDays,
  rules: wanted.rules.map(({ claim, value, role, group }) => ({
    claim,
    value,
    role: role === undefined ? null : roles[role],
    group: group ?? "",
  })),
});

/** `readStoredProviderSettings` gives the stored row as `OidcProviderSettings`. */
export const readStoredProviderSettings = (row: OidcProviderRow): OidcProviderSettings =>
  changeOidcProvider(row, {});

const findRoleName = (role: number | null) =>
  role === roles.admin ? "admin" : role === roles.user ? "user" : undefined;

export function buildConfiguredIdentityProvider(row: OidcProviderRow): ConfiguredIdentityProvider {
  const settings = readStoredProviderSettings(row);
  return {
    slug: row.slug,
    name: settings.name,
    issuer: settings.issuer,
    clientId: settings.client_id,
    // Empty for a public client.
    clientSecret:
      row.secret_sealed === null
        ? ""
        : readSecretReference("TOLLGATE_IDENTITY_PROVIDER", row.slug, "secret"),
    scopes: settings.scopes.split(" "),
    ...(!settings.enabled && { enabled: false }),
    position: settings.position,
    knownPeopleOnly: settings.known_people_only,
    unmatched: settings.refuses_unmatched ? "refuse" : "admit",
    trustsSecondFactor: settings.trusts_second_factor,
    acrValues: settings.acr_values,
    endsSession: settings.ends_session,
    linksVerifiedMail: settings.links_verified_mail,
    closesPassword: settings.closes_password,
    keysRestDays: settings.keys_rest_days,
    rules: settings.rules.map(({ claim, value, role, group }) => {
      const name = findRoleName(role);
      return {
        claim,
        value,
        ...(name !== undefined && { role: name }),
        ...(group !== "" && { group }),
      };
    }),
  };
}
