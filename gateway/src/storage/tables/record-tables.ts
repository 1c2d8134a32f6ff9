/** Rows of the record of changes, and of what an import brought. */
import type { Generated } from "kysely";
import type { Millis } from "./column-types.ts";

export interface AuditRow {
  id: Generated<number>;
  at: Millis;
  actor_id: number;
  address: string;
  action: string;
  target: string;
  /** JSON of what changed, without secrets. */
  change: string;
  previous_hash: string;
  hash: string;
}

/** A row of another system, and the row here that an import made of it. */
export interface ImportedRow {
  /** The name that the operator gave the other system. */
  source: string;
  /** An `ImportEntity` (import/import-items.ts). */
  entity: string;
  source_id: string;
  our_id: number;
  /** What the source said when it was last read, as JSON. */
  state: string;
}
