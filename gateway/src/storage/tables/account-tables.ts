/** Rows of accounts and of the ways to sign in. */
import type { ExternalAccountProvider } from "@tollgate/contract/accounts/external-sign-in.ts";
import type { Generated } from "kysely";
import type { Flag, Millis, QuotaUnits } from "./column-types.ts";

export interface UserRow {
  id: Generated<number>;
  uuid: string;
  username: string;
  /**
   * The folded name, unique; null for a name of before version 0.2.0 that looks like that of
   * another account.
   */
  username_key: Generated<string | null>;
  display_name: string;
  email: string;
  /**
   * `email_verified_at` is when a mailed code or link showed that the account's owner reads this
   * address; null: nothing did. A new address clears it.
   */
  email_verified_at: Generated<Millis | null>;
  password_hash: string;
  /** 1 user, 10 admin, 100 root. */
  role: number;
  /** An auditor, where the role is 10: sees what administrators see, and changes the own account alone. */
  read_only: Generated<Flag>;
  /** 1 enabled, 2 disabled, 3 deleted. */
  status: number;
  group: string;
  wallet_id: number;
  used_quota: Generated<QuotaUnits>;
  request_count: Generated<number>;
  must_change_password: Flag;
  /** SHA-256 (hex) of the personal access token, or null. */
  access_token_hash: string | null;
  /** Null without a token, and for one of before version 0.2.0. */
  access_token_created_at: Generated<Millis | null>;
  /** Exact to minutes. */
  access_token_used_at: Generated<Millis | null>;
  /** The owner of the invitation code used at registration. */
  inviter_id: Generated<number | null>;
  /**
   * The language of mails (a `LanguageCode`), as the console last sent it; empty when it sent none.
   */
  language: Generated<string>;
  /** Unique among accounts that are not deleted. */
  external_id: Generated<string | null>;
  created_at: Millis;
  updated_at: Millis;
}

export interface SessionRow {
  /** SHA-256 (hex) of the session id in the cookie. */
  id_hash: string;
  user_id: number;
  created_at: Millis;
  seen_at: Millis;
  expires_at: Millis;
  /** `proved_at` is when the password or the second factor was last verified in this session. */
  proved_at: Millis;
  address: string;
  user_agent: string;
  /** The OpenID Connect sign-in that opened it; null after any other. */
  provider: string | null;
  provider_subject: string | null;
  /** The provider's own name of the session; null where it sends none. */
  provider_sid: string | null;
  /** The id token, sealed; null where the provider ends no session, and after any other sign-in. */
  id_token_sealed: string | null;
  /**
   * `second_factor` says whether two factors have opened it, or a passkey, or the second factor was
   * set up in it.
   */
  second_factor: Generated<Flag>;
}

/** A logout token that was obeyed. */
export interface LogoutTokenRow {
  /** SHA-256 (hex) of issuer and `jti`. */
  id_hash: string;
  expires_at: Millis;
}

export interface SecondFactorRow {
  user_id: number;
  /** The seed, sealed and bound to the user's uuid. */
  secret_sealed: string;
  created_at: Millis;
  /** Null until the user confirms the seed; until then the factor is not in force. */
  enabled_at: Millis | null;
  /** The 30-second step of the last accepted code; only later steps are accepted. */
  last_step: Generated<number>;
  /**
   * `challenged_at` is when the password was last given without a code; `tries` counts the codes
   * since then.
   */
  challenged_at: Generated<Millis>;
  tries: Generated<number>;
}

export interface MailCodeRow {
  purpose: "verify" | "reset" | "destination" | "link";
  /** `email` is in lower case; of a destination of notices its uuid. */
  email: string;
  /** SHA-256 (hex) of purpose, address and code. */
  code_hash: string;
  /**
   * The user whose password a link resets, who adds a destination or whom a sign-in was found for;
   * null for a new address.
   */
  user_id: number | null;
  tries: Generated<number>;
  expires_at: Millis;
}

export interface ExternalAccountRow {
  provider: ExternalAccountProvider;
  /**
   * The provider's immutable id: GitHub's number, Lark's open_id, the subject of OpenID Connect.
   */
  external_id: string;
  user_id: number;
  /** The name of the account at the provider when it was bound. */
  name: string;
  created_at: Millis;
  /**
   * `given_role` is what the provider's rules gave and a later sign-in may take away; null:
   * nothing.
   */
  given_role: Generated<number | null>;
  given_group: Generated<string | null>;
  /** The last sign-in with it; 0 before the first one. */
  signed_in_at: Generated<Millis>;
}

/** `OauthStateRow` is one OAuth flow. */
export interface OauthStateRow {
  /** SHA-256 (hex) of the state. */
  state_hash: string;
  /** SHA-256 (hex) of the cookie of the browser that started it. */
  browser_hash: string;
  /** The user who binds an account; null for a sign-in. */
  bind_user_id: number | null;
  expires_at: Millis;
  /**
   * SHA-256 (hex) of provider and code of the first callback, the only one that the state is valid
   * for.
   */
  request_hash: Generated<string | null>;
  used_at: Generated<Millis | null>;
  /** Until then one request is processing the callback. */
  attempt_until: Generated<Millis>;
  /** The result, sealed, for a repeated callback. */
  result: Generated<string | null>;
  /**
   * Provider, verifier and nonce of a sign-in with OpenID Connect, sealed; null for other
   * providers.
   */
  flow_sealed: Generated<string | null>;
}
