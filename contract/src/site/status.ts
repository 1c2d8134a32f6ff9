/** The facts that the console needs before sign-in. */
import * as z from "zod/mini";
import { captchaServices } from "../accounts/captcha.ts";
import { externalProviders } from "../accounts/external-providers.ts";
import { endpoint } from "../api/endpoint.ts";

export const systemStatus = z.object({
  version: z.string(),
  /**
   * `build` is for root alone: the commit of the program, where it is known, and the schema of its
   * database.
   */
  build: z.optional(z.object({ commit: z.nullable(z.string()), schema: z.int() })),
  /**
   * `features` are the abilities of this server beyond those of every server of the family
   * (`features.ts`). Other servers send none.
   */
  features: z.optional(z.array(z.string())),
  /** Unix seconds of the process start. */
  start_time: z.int(),
  system_name: z.string(),
  logo: z.string(),
  footer_html: z.string(),
  server_address: z.string(),
  top_up_link: z.string(),
  chat_link: z.string(),
  /**
   * `status_page` says whether users, or visitors too, may see the status page. Other servers send
   * none.
   */
  status_page: z.optional(z.enum(["public", "users", "off"])),
  /**
   * `keeps_bodies` says whether keys may keep the contents of their calls. Other servers send none.
   */
  keeps_bodies: z.optional(z.boolean()),
  /**
   * `read_only` says whether everything but sign-ins and calls of API keys is refused. Other
   * servers send none.
   */
  read_only: z.optional(z.boolean()),
  /**
   * `caches_answers` says whether keys may get answers of the response cache. Other servers send
   * none.
   */
  caches_answers: z.optional(z.boolean()),
  /**
   * `counts_key_networks` says whether keys that are used from many networks are found. Other
   * servers send none.
   */
  counts_key_networks: z.optional(z.boolean()),
  /**
   * `proves_key_owner` says whether lists mask API keys, and one is shown again after recent proof
   * alone. Other servers send none.
   */
  proves_key_owner: z.optional(z.boolean()),
  /** `makes_teams` says whether users make teams of their own. Other servers send none. */
  makes_teams: z.optional(z.boolean()),
  /** `transfers_to_users` says whether users move quota to each other. Other servers send none. */
  transfers_to_users: z.optional(z.boolean()),
  quota_per_unit: z.number(),
  display_in_currency: z.boolean(),
  email_verification: z.boolean(),
  password_login: z.boolean(),
  password_register: z.boolean(),
  /**
   * `invites_register` says whether an invitation into a team opens the registration that is off.
   * Other servers send none.
   */
  invites_register: z.optional(z.boolean()),
  github_oauth: z.boolean(),
  github_client_id: z.string(),
  lark_client_id: z.string(),
  /**
   * The providers whose accounts sign in, besides those of OpenID Connect. Other servers send none.
   */
  external_providers: z.optional(z.array(z.enum(externalProviders))),
  /**
   * The OpenID Connect providers to sign in with, in the order of their buttons. Other servers send
   * none.
   */
  oidc_providers: z.optional(z.array(z.object({ slug: z.string(), name: z.string() }))),
  /**
   * `proxy_login` says whether the reverse proxy in front of this server may sign users in. Other
   * servers send none.
   */
  proxy_login: z.optional(z.boolean()),
  /** `passkey_login` says whether passkeys sign in at `server_address`. Other servers send none. */
  passkey_login: z.optional(z.boolean()),
  oidc: z.boolean(),
  oidc_client_id: z.string(),
  oidc_well_known: z.string(),
  oidc_authorization_endpoint: z.string(),
  oidc_token_endpoint: z.string(),
  oidc_userinfo_endpoint: z.string(),
  wechat_login: z.boolean(),
  wechat_qrcode: z.string(),
  /**
   * `captcha` is what strangers solve before they register, have a mail sent, or sign in after
   * failures. Other servers send none.
   */
  captcha: z.optional(z.enum(["none", ...captchaServices])),
  turnstile_check: z.boolean(),
  turnstile_site_key: z.string(),
  stripe_enabled: z.boolean(),
  min_topup_usd: z.int(),
});
export type SystemStatus = z.output<typeof systemStatus>;

export const getStatus = endpoint("GET", "/api/status", {
  access: "public",
  scope: "none",
  summary: "Names, links and switches of this server",
  data: systemStatus,
  beforePasswordChange: true,
});
