/** The calls that have kept contents. */
import type { Millis } from "./column-types.ts";

export interface CallBodiesTable {
  /** `id` is that of the call. */
  id: number;
  user_id: number;
  token_id: number;
  mode: "redacted" | "full";
  /** The key of its object, sealed; empty once it is erased, until the object is removed. */
  key_sealed: string;
  created_at: Millis;
}
