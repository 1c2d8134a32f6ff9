/**
 * The settings in which systems of this family keep their one OpenID Connect provider. Here they
 * are on the way to a row of providers.
 */
import type { AuthenticatedContext } from "../http/request-context.ts";
import type { Write } from "../storage/database.ts";

/** `neededOidcKeys` come without these there is no provider. */
export const neededOidcKeys = ["OidcClientId", "OidcClientSecret", "OidcWellKnown"] as const;

/** The endpoints are among them for their removal: the provider's own document names them. */
export const singleOidcKeys = [
  "OidcEnabled",
  ...neededOidcKeys,
  "OidcAuthorizationEndpoint",
  "OidcTokenEndpoint",
  "OidcUserinfoEndpoint",
] as const;
export type SingleOidcKey = (typeof singleOidcKeys)[number];

export const isSingleOidcKey = (key: string): key is SingleOidcKey =>
  singleOidcKeys.some((single) => single === key);

/**
 * The statements that make a provider of the settings; undefined until they are complete. Throws a
 * refusal.
 */
export type TakeOverOidcSettings = (
  textAfter: (key: SingleOidcKey) => string,
  call: AuthenticatedContext,
) => Promise<Write[] | undefined>;
