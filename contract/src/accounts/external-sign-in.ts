/**
 * Sign-in with an account at a provider, in OpenID Connect or its own protocol, or by a reverse
 * proxy, and binding such an account to the caller's own.
 */
import * as z from "zod/mini";
import { endpoint } from "../api/endpoint.ts";
import { makeAboutField } from "../api/field-message.ts";
import { line, unixMillis } from "../api/scalars.ts";
import { confirmation, totpCode } from "./accounts.ts";
import {
  type ExternalProvider,
  externalProviders,
  proxyAccountProvider,
} from "./external-providers.ts";
import { oidcSlug } from "./oidc-providers.ts";
import { recoveryCode } from "./totp.ts";
import { user } from "./users.ts";

const oidcIssuerMax = 500;
/**
 * `ExternalAccountProvider` is where an account is: a user of an OpenID Connect provider is known
 * by its issuer, whatever the provider is called here.
 */
export type ExternalAccountProvider =
  | ExternalProvider
  | typeof proxyAccountProvider
  | `oidc:${string}`;
export const buildOidcAccountProvider = (issuer: string): ExternalAccountProvider =>
  `oidc:${issuer}`;
const accountProvider = z.union([
  z.enum([...externalProviders, proxyAccountProvider]),
  z.templateLiteral(["oidc:", z.string().check(z.maxLength(oidcIssuerMax))]),
]);

/** The purpose of a state. The default is `bind` for a signed-in caller and `sign-in` otherwise. */
const purpose = z.optional(z.enum(["sign-in", "bind"]));
const presented = (max: number) =>
  z.string().check(z.minLength(1, makeAboutField("is required")), z.maxLength(max));
const state = presented(200);

const newState = {
  access: "public",
  scope: "none",
  summary:
    "A state for one OAuth round trip: bound to this browser, single-use, valid for ten minutes",
  beforePasswordChange: true,
  data: z.string(),
  /**
   * The provider pages that the browser visits next. Those of GitHub and Lark get their parameters
   * from the caller; the others are complete, and empty for a provider that is off.
   * `oidc_authorize_url` is empty without `provider`.
   */
  extras: z.object({
    github_authorize_url: z.string(),
    lark_authorize_url: z.string(),
    discord_authorize_url: z.string(),
    linuxdo_authorize_url: z.string(),
    telegram_authorize_url: z.string(),
    oidc_authorize_url: z.string(),
  }),
  /** Discovery at the provider may take ten seconds of them. */
  timeoutMs: 15_000,
} as const;
/** The OpenID Connect provider that the state is for. */
const oidcProviderName = z.optional(oidcSlug);
export const newOauthState = endpoint("GET", "/api/oauth/state", {
  ...newState,
  query: z.object({ purpose, provider: oidcProviderName }),
});
export const newOauthStateByPost = endpoint("POST", "/api/oauth/state", {
  inReadOnly: true,
  ...newState,
  body: z.object({ purpose, provider: oidcProviderName, ...confirmation }),
  limit: "sign-in",
});

const callback = {
  access: "public",
  scope: "none",
  beforePasswordChange: true,
  query: z.object({ code: presented(2000), state }),
  /** Null, with the message `bind`, after a binding. */
  data: z.nullable(user),
  extras: z.object({ bound: z.boolean() }),
  /** The call to the provider may take ten seconds of them. */
  timeoutMs: 15_000,
} as const;
export const finishGithub = endpoint("GET", "/api/oauth/github", {
  ...callback,
  summary: "Return from GitHub: sign in, or bind the account, depending on the state",
});
export const finishLark = endpoint("GET", "/api/oauth/lark", {
  ...callback,
  summary: "Return from Lark: sign in, or bind the account, depending on the state",
});
export const finishDiscord = endpoint("GET", "/api/oauth/discord", {
  ...callback,
  summary: "Return from Discord: sign in, or bind the account, depending on the state",
});
export const finishLinuxdo = endpoint("GET", "/api/oauth/linuxdo", {
  ...callback,
  summary: "Return from LinuxDO: sign in, or bind the account, depending on the state",
});
/** `code` is the signed result that Telegram appends to the address of the callback. */
export const finishTelegram = endpoint("GET", "/api/oauth/telegram", {
  ...callback,
  summary: "Return from Telegram: sign in, or bind the account, depending on the state",
});
/** `code` is what the official account has sent to the user. */
export const finishWechat = endpoint("GET", "/api/oauth/wechat", {
  ...callback,
  summary:
    "Sign in with a code of the site's WeChat official account, or bind the account, depending on the state",
  query: z.object({ code: presented(64), state }),
});
export const finishOidc = endpoint("GET", "/api/oauth/oidc/:slug", {
  ...callback,
  summary:
    "Return from an OpenID Connect provider: sign in, or bind the account, depending on the state",
  params: z.object({ slug: oidcSlug }),
  /** `iss` is whose answer it is, where the provider says so. */
  query: z.object({ code: presented(4000), state, iss: z.optional(presented(oidcIssuerMax)) }),
  /** Three calls to the provider share ten seconds each. */
  timeoutMs: 35_000,
});
/** Nothing of the query says who the user is: the proxy names them in its header. */
export const finishProxySignIn = endpoint("GET", "/api/oauth/proxy", {
  ...callback,
  summary:
    "Sign in as the user whom the reverse proxy names, or bind that name, depending on the state",
  query: z.object({ state }),
});

const logoutTokenMax = 16_000;
export const endAtProvider = endpoint("POST", "/oauth/oidc/:slug/backchannel", {
  access: "public",
  scope: "none",
  beforePasswordChange: true,
  takesForm: true,
  inReadOnly: true,
  summary:
    "End the sign-ins that a provider's logout token names (OpenID Connect Back-Channel Logout)",
  params: z.object({ slug: oidcSlug }),
  body: z.object({ logout_token: presented(logoutTokenMax) }),
});

export const finishExternalTotp = endpoint("POST", "/api/oauth/totp", {
  access: "public",
  scope: "none",
  inReadOnly: true,
  summary: "Complete an external sign-in with the code of the second factor, within five minutes",
  body: z
    .object({ state, totp_code: z.optional(totpCode), recovery_code: z.optional(recoveryCode) })
    .check(
      z.refine((body) => Boolean(body.totp_code ?? body.recovery_code), {
        ...makeAboutField("or recovery_code is required"),
        path: ["totp_code"],
      }),
    ),
  data: user,
  limit: "sign-in",
  beforePasswordChange: true,
});

export const finishExternalLink = endpoint("POST", "/api/oauth/link", {
  access: "public",
  scope: "none",
  summary:
    "Link a first sign-in to the account with its address, with the code that was mailed there; ends the other ways to sign in",
  body: z.object({
    state,
    verification_code: line(20).check(z.minLength(1, "Verification code is required")),
    /**
     * The account is the caller's: its password, sessions, passkeys and other external accounts
     * stay.
     */
    keep_sign_ins: z.optional(z.boolean()),
    /** Disables the account's API keys too. */
    disable_tokens: z.optional(z.boolean()),
  }),
  data: user,
  limit: "sign-in",
  beforePasswordChange: true,
});

export const listExternalAccounts = endpoint("GET", "/api/user/external", {
  access: "user",
  scope: "none",
  summary: "The external accounts bound to the caller's account",
  data: z.array(
    z.object({
      provider: accountProvider,
      /**
       * `slug` is what an OpenID Connect provider is called here; both are empty for one that is
       * off or deleted, and for the others.
       */
      slug: z.string(),
      title: z.string(),
      /** The account's name at the provider when it was bound. */
      name: z.string(),
      created_at: unixMillis,
    }),
  ),
});

export const unbindExternalAccount = endpoint("POST", "/api/user/external/unbind", {
  access: "user",
  scope: "none",
  summary: "Unbind an external account; refused for the only way to sign in",
  body: z.object({ provider: accountProvider, ...confirmation }),
  limit: "sign-in",
});
