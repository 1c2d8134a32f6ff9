/** Rows of passkeys. */
import type { Generated } from "kysely";
import type { Flag, Millis } from "./column-types.ts";

export interface PasskeysTable {
  id: Generated<number>;
  uuid: string;
  user_id: number;
  /**
   * 32 random bytes (base64url), the same for all passkeys of a user: devices store it, and it
   * names no account elsewhere.
   */
  user_handle: string;
  /** Base64url. */
  credential_id: string;
  /** SubjectPublicKeyInfo in DER (base64url). */
  public_key: string;
  counter: number;
  /** Comma-joined; hints for browsers. */
  transports: string;
  backed_up: Flag;
  name: string;
  created_at: Millis;
  used_at: Generated<Millis | null>;
}

export interface PasskeyChallengeRow {
  /** SHA-256 (hex) of the challenge. */
  challenge_hash: string;
  /** SHA-256 (hex) of the cookie of the browser that asked for it. */
  browser_hash: string;
  purpose: "register" | "sign_in" | "proof";
  /** Null for a sign-in. */
  user_id: number | null;
  /** `user_handle` is that of a registration: the handle that the new passkey gets. */
  user_handle: string | null;
  expires_at: Millis;
}
