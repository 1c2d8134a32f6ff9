/** The charges that providers report. */
import type { Flag, Millis } from "./column-types.ts";

/** The report key of a channel: with it the provider is asked what it charged (cost-reports). */
export interface CostReportRow {
  channel_uuid: string;
  key_sealed: string;
  /** Last four characters of the key. */
  key_hint: string;
  /**
   * `destination` is where the key may be sent (contract/src/accounts/key-destination.ts), as the
   * channel was when it was entered.
   */
  destination: string;
  /** A project, workspace or key id of the provider; empty for the whole account. */
  scope: string;
  /** Ids of the other channels of the account, as a JSON array. */
  channel_ids: string;
  /** The next scheduled attempt; a node that moves it makes the attempt. */
  due_at: Millis;
  /** 0 before the first attempt. */
  attempted_at: Millis;
  /** The last success. */
  read_at: Millis | null;
  /** A `CostReportFailure` of the last attempt; empty after a success. */
  failure: string;
  failure_status: number;
  updated_at: Millis;
}

/** A day for which a provider was asked. */
export interface CostReportDayRow {
  channel_uuid: string;
  /** UTC days since 1970. */
  day: number;
  read_at: Millis;
  /** Log rows of the day had been deleted before it was read. */
  is_incomplete: Flag;
}

/**
 * `CostReportLineRow` is one model of such a day, as charged here or as the provider reports it.
 * Null: not reported.
 */
export interface CostReportLineRow {
  channel_uuid: string;
  day: number;
  side: "charged" | "reported";
  model_name: string;
  requests: number | null;
  prompt_tokens: number | null;
  completion_tokens: number | null;
  /** Millionths of a dollar. */
  cost_micros: number | null;
}
