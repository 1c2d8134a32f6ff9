/** Rules for storing, changing and showing OpenID Connect providers. Pure. */
import {
  type ClaimRule,
  type OidcProviderChange,
  type OidcProviderInput,
  oidcProvider,
  type OidcProvider as ShownProvider,
} from "@tollgate/contract/accounts/oidc-providers.ts";
import * as z from "zod/mini";
import { checkFileAllows } from "../../../http/managed-by-file.ts";
import { refuse } from "../../../http/refusal.ts";
import type { OidcProviderRow } from "./oidc-provider-store.ts";

type StoredSettings = Pick<OidcProviderRow, "rules" | "acr_values">;

/** Throws for a row that holds no rules: none is written by this program. */
export const parseClaimRules = ({ rules }: StoredSettings): ClaimRule[] =>
  z.parse(oidcProvider.shape.rules, JSON.parse(rules));
export const parseAcrValues = ({ acr_values }: StoredSettings): string[] =>
  z.parse(oidcProvider.shape.acr_values, JSON.parse(acr_values));

/**
 * `composeOidcRedirectUri` says where providers send users back to; undefined until the operator
 * has set PUBLIC_URL.
 */
export const composeOidcRedirectUri = (
  publicUrl: string | undefined,
  slug: string,
): string | undefined => (publicUrl === undefined ? undefined : `${publicUrl}/oauth/oidc/${slug}`);

/** `postLogoutRedirectUri` says where providers send users after a sign-out; undefined likewise. */
export const postLogoutRedirectUri = (publicUrl: string | undefined): string | undefined =>
  publicUrl === undefined ? undefined : `${publicUrl}/login`;

export function viewOidcProvider(
  row: OidcProviderRow,
  publicUrl: string | undefined,
): ShownProvider {
  return {
    ...row,
    enabled: row.enabled === 1,
    known_people_only: row.known_people_only === 1,
    refuses_unmatched: row.refuses_unmatched === 1,
    trusts_second_factor: row.trusts_second_factor === 1,
    ends_session: row.ends_session === 1,
    links_verified_mail: row.links_verified_mail === 1,
    closes_password: row.closes_password === 1,
    acr_values: parseAcrValues(row),
    rules: parseClaimRules(row),
    has_secret: row.secret_sealed !== null,
    redirect_uri: composeOidcRedirectUri(publicUrl, row.slug) ?? "",
  };
}

/** The settings of a provider, without its secret. */
export type OidcProviderSettings = Omit<
  OidcProviderInput,
  "slug" | "client_secret" | "current_password" | "totp_code"
>;

const flag = (isSet: boolean) => (isSet ? (1 as const) : (0 as const));

export const buildOidcProviderColumns = (settings: OidcProviderSettings) => ({
  name: settings.name,
  issuer: settings.issuer,
  client_id: settings.client_id,
  scopes: settings.scopes,
  enabled: flag(settings.enabled),
  position: settings.position,
  known_people_only: flag(settings.known_people_only),
  refuses_unmatched: flag(settings.refuses_unmatched),
  trusts_second_factor: flag(settings.trusts_second_factor),
  ends_session: flag(settings.ends_session),
  links_verified_mail: flag(settings.links_verified_mail),
  closes_password: flag(settings.closes_password),
  keys_rest_days: settings.keys_rest_days,
  acr_values: JSON.stringify(settings.acr_values),
  rules: JSON.stringify(settings.rules),
});

/** The settings after a change: a missing member keeps its value. */
export function changeOidcProvider(
  row: OidcProviderRow,
  change: OidcProviderChange,
): OidcProviderSettings {
  if (change.updated_at !== undefined && change.updated_at !== row.updated_at)
    throw refuse("changed_meanwhile");
  checkFileAllows(row, change);
  const stored = viewOidcProvider(row, undefined);
  return {
    name: change.name ?? stored.name,
    issuer: change.issuer ?? stored.issuer,
    client_id: change.client_id ?? stored.client_id,
    scopes: change.scopes ?? stored.scopes,
    enabled: change.enabled ?? stored.enabled,
    position: change.position ?? stored.position,
    known_people_only: change.known_people_only ?? stored.known_people_only,
    refuses_unmatched: change.refuses_unmatched ?? stored.refuses_unmatched,
    trusts_second_factor: change.trusts_second_factor ?? stored.trusts_second_factor,
    ends_session: change.ends_session ?? stored.ends_session,
    links_verified_mail: change.links_verified_mail ?? stored.links_verified_mail,
    closes_password: change.closes_password ?? stored.closes_password,
    keys_rest_days: change.keys_rest_days ?? stored.keys_rest_days,
    acr_values: change.acr_values ?? stored.acr_values,
    rules: change.rules ?? stored.rules,
  };
}

/**
 * `isSameIssuer` ignores the last slash: by OpenID Connect Discovery 1.0, section 4.1, an issuer
 * has its document where the one without it has it. One of the two is right, as the document says,
 * and the people of both are the same.
 */
export const isSameIssuer = (one: string, other: string): boolean =>
  one.replace(/\/$/, "") === other.replace(/\/$/, "");

export const isSameDocument = (
  stored: Pick<OidcProviderRow, "issuer" | "client_id">,
  other: { issuer: string; client_id: string },
): boolean => isSameIssuer(stored.issuer, other.issuer) && stored.client_id === other.client_id;

/**
 * `isSameClient` says whether a stored secret may be sent: it was entered for this issuer and this
 * client, and goes nowhere else.
 */
export const isSameClient = (
  stored: Pick<OidcProviderRow, "issuer" | "client_id">,
  other: { issuer: string; client_id: string },
): boolean => stored.issuer === other.issuer && stored.client_id === other.client_id;
