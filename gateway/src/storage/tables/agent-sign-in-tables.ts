/** Rows of programs that sign in for a person. */
import type { Generated } from "kysely";
import type { Millis } from "./column-types.ts";

/** `DeviceCodeRow` is a program that waits for a person's answer. */
export interface DeviceCodeRow {
  /** SHA-256 (hex) of what the program asks with. */
  device_hash: string;
  /** SHA-256 (hex) of the code that the person enters. */
  user_code_hash: string;
  /** The agent that its user agent names; empty for another one. */
  agent: string;
  /** The address from which it runs. */
  address: string;
  user_agent: string;
  created_at: Millis;
  expires_at: Millis;
  /** Empty until a person has answered. */
  answer: Generated<"" | "approved" | "denied">;
  /** The person who has answered, and the session of theirs in which they did. */
  user_id: number | null;
  session_hash: string | null;
}

/** `AgentSignInRow` is what renews the key of a program's session. */
export interface AgentSignInRow {
  session_hash: string;
  /** SHA-256 (hex) of the secret that renews the key next. */
  refresh_hash: string;
  /** The one before: whoever uses it later than a lost reply explains has copied it. */
  earlier_hash: string | null;
  rotated_at: Millis;
}
