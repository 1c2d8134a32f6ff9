/**
 * `OidcPreset` is what a widely used identity provider needs in the form. A part in braces is
 * replaced by the operator.
 */
export type OidcPreset = { name: string; slug: string; issuer: string; scopes: string };

const standardScopes = "openid profile email";

/** oidc-words.ts has a hint for each. */
export const oidcPresets: readonly OidcPreset[] = [
  { name: "Google", slug: "google", issuer: "https://accounts.google.com", scopes: standardScopes },
  {
    name: "Microsoft Entra",
    slug: "entra",
    issuer: "https://login.microsoftonline.com/{tenant}/v2.0",
    scopes: standardScopes,
  },
  {
    name: "Okta",
    slug: "okta",
    issuer: "https://{organisation}.okta.com",
    scopes: "openid profile email groups",
  },
  {
    name: "Keycloak",
    slug: "keycloak",
    issuer: "https://{host}/realms/{realm}",
    scopes: standardScopes,
  },
  {
    name: "Authentik",
    slug: "authentik",
    issuer: "https://{host}/application/o/{application}/",
    scopes: standardScopes,
  },
  {
    name: "Feishu",
    slug: "feishu",
    issuer: "https://anycross.feishu.cn/{path}",
    scopes: standardScopes,
  },
];
