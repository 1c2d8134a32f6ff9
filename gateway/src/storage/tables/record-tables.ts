/** Rows of the record of changes, and of what an import brought. */
import type { SiteImport } from "@tollgate/contract/commands/site-imports.ts";
import type { Generated } from "kysely";
import type { Millis, QuotaUnits } from "./column-types.ts";

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

/**
 * `ClockSpanRow`: ids of a node from `from_at` to `until_at` were made from `started_at` on,
 * sixteen times as fast (storage/id-clock.ts).
 */
export interface ClockSpanRow {
  node: number;
  started_at: Millis;
  from_at: Millis;
  until_at: Millis;
}

/**
 * `ImportedLogSumRow` is what the log rows of one source that were carried add up to, by UTC day
 * (days since 1970) or by the id of the user there.
 */
export interface ImportedLogSumRow {
  source: string;
  kind: "day" | "user";
  subject: number;
  /** Rows of every kind. */
  row_count: number;
  /** Calls that became rows of the log here, and not sums alone. */
  kept_calls: number;
  /** `calls` and the members after it are of calls alone. */
  calls: number;
  quota: QuotaUnits;
  prompt_tokens: number;
  completion_tokens: number;
}

/** A call of a dual run; its log row has the same id. */
export interface ShadowCallRow {
  id: number;
  /** `model_name` is as the client asked for it. */
  model_name: string;
  /** The id by which the other gateway logs the call; empty where it told none. */
  upstream_id: string;
  /** `not_served`, `failed`, `estimated`, or empty. */
  reason: string;
  /** `charge` is the cost that the call would have had here. */
  charge: QuotaUnits;
  /** `source_charge` is what it cost there; null until that is known. */
  source_charge: QuotaUnits | null;
}

/** A row of another system, and the row here that an import made of it. */
/** An import from the console; there is one. */
export interface SiteImportRow {
  id: 1;
  /** Names the file, and the sealed text to the row. */
  uuid: string;
  name: string;
  kind: SiteImport["kind"];
  label: string;
  system: string;
  /**
   * `source_sealed` is the place of the source and the way in which it is read, as JSON; empty once
   * it is forgotten.
   */
  source_sealed: string;
  phase: SiteImport["phase"];
  /** `interrupted` is `running` beyond its lease. */
  state: Exclude<SiteImport["state"], "interrupted">;
  failure: string;
  /** Counts, findings and comparison, as JSON. */
  report: string;
  started_by: string;
  started_at: Millis;
  ended_at: Millis | null;
  lease_until: Millis;
}

export interface ImportedRow {
  /** The name that the operator gave the other system. */
  source: string;
  /** An `ImportEntity` (commands/import/import-items.ts). */
  entity: string;
  source_id: string;
  our_id: number;
  /** `state` is what the source said when it was last read, as JSON. */
  state: string;
}
