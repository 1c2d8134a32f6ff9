/**
 * An OpenID Connect provider as a configuration document writes it, and the settings that it asks
 * for. Pure.
 */

import type { ClaimRule } from "@tollgate/contract/accounts/oidc-providers.ts";
import { roles } from "@tollgate/contract/accounts/roles.ts";
import type { ConfiguredIdentityProvider } from "@tollgate/contract/commands/configuration.ts";
import {
  changeOidcProvider,
  type OidcProviderSettings,
} from "../../accounts/identity/oidc/oidc-provider-rules.ts";
import type { OidcProviderRow } from "../../accounts/identity/oidc/oidc-provider-store.ts";
import { computeUnitsOfAmount, readDollarAmount } from "./configured-budget.ts";
import { readSecretReference } from "./secret-reference.ts";

/** `FindConfiguredTeam` gives the uuid of a team that the document or the site has, or refuses. */
export type FindConfiguredTeam = (name: string) => string;

/** `isEnabled`: of the stored provider, for a document that does not say. */
export const buildIdentityProviderSettings = (
  wanted: ConfiguredIdentityProvider,
  isEnabled: boolean,
  findTeam: FindConfiguredTeam,
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
  rules: wanted.rules.map(({ claim, value, role, group, team, ...given }) => ({
    claim,
    value,
    role: role === undefined ? null : roles[role],
    group: group ?? "",
    team: team === undefined ? "" : findTeam(team),
    team_role: given.teamRole ?? "member",
    team_budget:
      given.teamBudget === undefined
        ? null
        : { ...given.teamBudget, amount: computeUnitsOfAmount(given.teamBudget.amount) },
  })),
});

/** `readStoredProviderSettings` gives the stored row as `OidcProviderSettings`. */
export const readStoredProviderSettings = (row: OidcProviderRow): OidcProviderSettings =>
  changeOidcProvider(row, {});

const findRoleName = (role: number | null) =>
  role === roles.admin ? "admin" : role === roles.user ? "user" : undefined;

/** `teams` are the names of the teams in the document, by their uuids. */
export function buildConfiguredIdentityProvider(
  row: OidcProviderRow,
  teams: ReadonlyMap<string, string>,
): ConfiguredIdentityProvider {
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
    rules: settings.rules.flatMap((rule) => showRule(rule, teams)),
  };
}

/** A rule says nothing of a team that was deleted, and is left out where it gave nothing else. */
function showRule(
  { claim, value, role, group, team: uuid, team_role, team_budget }: ClaimRule,
  teams: ReadonlyMap<string, string>,
): ConfiguredIdentityProvider["rules"] {
  const name = findRoleName(role);
  const team = teams.get(uuid);
  if (name === undefined && group === "" && team === undefined) return [];
  return [
    {
      ...{ claim, value },
      ...(name !== undefined && { role: name }),
      ...(group !== "" && { group }),
      ...(team !== undefined && {
        ...{ team, teamRole: team_role },
        ...(team_budget && {
          teamBudget: { ...team_budget, amount: readDollarAmount(team_budget.amount) },
        }),
      }),
    },
  ];
}
