/** API route for the public status of this server. */

import { roles } from "@tollgate/contract/accounts/roles.ts";
import { isServed, servedFeatures } from "@tollgate/contract/site/features.ts";
import { getStatus, type SystemStatus } from "@tollgate/contract/site/status.ts";
import { type ApiRoute, apiRoute } from "../http/api-route.ts";
import { findRelyingParty } from "../http/relying-party.ts";
import { findCaptchaService } from "./captcha-options.ts";
import { isProviderOn, listProvidersThatAre } from "./external-provider-options.ts";
import type { OptionReader } from "./live-options.ts";

export type Build = NonNullable<SystemStatus["build"]>;

export interface StatusDeps {
  options: OptionReader;
  /** The OpenID Connect providers that users may sign in with. */
  oidcProviders: { enabled(): readonly { slug: string; name: string }[] };
  version: string;
  startedAt: number;
  publicUrl: string | undefined;
  /** `hasProxySignIn` says whether a reverse proxy signs users in. */
  hasProxySignIn: boolean;
  /** `keepsBodies` says whether there is a place for contents of calls. */
  keepsBodies: boolean;
  /** `isReadOnly` says whether management calls refuse every change. */
  isReadOnly(): boolean;
}

/** Fixed, because charging and display share it. */
const quotaPerUnit = 500_000;

export const buildStatusRoutes = (deps: StatusDeps, build: Build): ApiRoute[] => [
  apiRoute(getStatus, ({ principal }) => ({
    ...buildStatus(deps),
    // Strangers would learn which faults of an earlier build are still in this one.
    ...(principal?.role === roles.root && { build }),
  })),
];

const findStatusPage = (options: OptionReader): NonNullable<SystemStatus["status_page"]> => {
  if (options.flag("StatusPagePublicEnabled")) return "public";
  return options.flag("StatusPageEnabled") ? "users" : "off";
};

/**
 * `buildStatus` gives the status, which is also embedded in every console page, so that its first
 * paint does not wait for this call.
 */
export function buildStatus({
  options,
  oidcProviders,
  version,
  startedAt,
  publicUrl,
  hasProxySignIn,
  keepsBodies,
  isReadOnly,
}: StatusDeps): SystemStatus {
  return {
    version,
    features: [...servedFeatures],
    start_time: Math.floor(startedAt / 1000),
    system_name: options.text("SystemName"),
    logo: options.text("Logo"),
    footer_html: options.text("Footer"),
    server_address: publicUrl ?? options.text("ServerAddress"),
    top_up_link: options.text("TopUpLink"),
    chat_link: options.text("ChatLink"),
    status_page: findStatusPage(options),
    keeps_bodies: keepsBodies,
    read_only: isReadOnly(),
    caches_answers: options.flag("ResponseCacheEnabled"),
    counts_key_networks: options.number("KeyNetworksThreshold") > 0,
    proves_key_owner: options.flag("TokenKeyRevealEnabled") && options.flag("TokenKeyProofEnabled"),
    makes_teams: options.number("TeamsByUsers") > 0,
    transfers_to_users: options.flag("TransferFromUsers"),
    quota_per_unit: quotaPerUnit,
    display_in_currency: options.flag("DisplayInCurrencyEnabled"),
    email_verification: options.flag("EmailVerificationEnabled"),
    password_login: options.flag("PasswordLoginEnabled"),
    password_register: options.flag("RegisterEnabled") && options.flag("PasswordRegisterEnabled"),
    invites_register: options.flag("InvitesMayRegister") && options.flag("PasswordRegisterEnabled"),
    github_oauth: options.flag("GitHubOAuthEnabled"),
    github_client_id: options.flag("GitHubOAuthEnabled") ? options.text("GitHubClientId") : "",
    lark_client_id: options.text("LarkClientId"),
    external_providers: listProvidersThatAre(options),
    // Without the address that users come back to, the providers have nowhere to send them.
    oidc_providers:
      publicUrl === undefined
        ? []
        : oidcProviders.enabled().map(({ slug, name }) => ({ slug, name })),
    proxy_login: hasProxySignIn,
    passkey_login: findRelyingParty(publicUrl) !== undefined,
    oidc: isServed("oidc") && options.flag("OidcEnabled"),
    oidc_client_id: options.text("OidcClientId"),
    oidc_well_known: options.text("OidcWellKnown"),
    oidc_authorization_endpoint: options.text("OidcAuthorizationEndpoint"),
    oidc_token_endpoint: options.text("OidcTokenEndpoint"),
    oidc_userinfo_endpoint: options.text("OidcUserinfoEndpoint"),
    wechat_login: isProviderOn(options, "wechat"),
    wechat_qrcode: options.text("WeChatAccountQRCodeImageURL"),
    captcha: findCaptchaService(options) ?? "none",
    turnstile_check: findCaptchaService(options) === "turnstile",
    turnstile_site_key: options.text("TurnstileSiteKey"),
    stripe_enabled: isServed("stripe"),
    min_topup_usd: Math.max(1, Math.floor(options.number("MinTopUpUSD"))),
  };
}
