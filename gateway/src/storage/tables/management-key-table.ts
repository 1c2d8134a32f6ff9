/** The row of a key for programs that manage the gateway. */
import type { Generated } from "kysely";
import type { Flag, Millis } from "./column-types.ts";

export interface ManagementKeysTable {
  id: Generated<number>;
  uuid: string;
  user_id: number;
  /** The one team that it may manage; null for a key that is bound to none. */
  team_id: Generated<number | null>;
  name: string;
  /** SHA-256 (hex) of the whole key. */
  key_hash: string;
  /** The last four characters. */
  hint: string;
  /** Comma-joined, never empty. */
  scopes: string;
  /** Comma-joined address blocks; empty allows every address. */
  subnet: string;
  disabled: Generated<Flag>;
  created_at: Millis;
  expires_at: Millis;
  /** Exact to minutes. */
  used_at: Generated<Millis | null>;
}
