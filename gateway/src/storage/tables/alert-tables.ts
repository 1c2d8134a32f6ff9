/** Tables of alerts: events, alerts, destinations, notices. */
import type { Generated } from "kysely";
import type { Flag, Millis, QuotaUnits } from "./column-types.ts";

/** `AlertSubjectColumns` are what an alert is about, in columns. */
export interface AlertSubjectColumns {
  subject_kind: string;
  /** An id or a name, by kind. */
  subject_id: string;
  /** `subject_name` is as it was called at the last event. */
  subject_name: string;
}

/**
 * `AlertMeasureColumns` are what a rule compared, in the units that docs/webhooks.md names; null
 * where it measures nothing, and of older versions.
 */
export interface AlertMeasureColumns {
  value: number | null;
  threshold: number | null;
}

/**
 * Something that happened, written in the transaction of its cause and folded into its alert a
 * moment later.
 */
export interface AlertEventRow extends AlertSubjectColumns, AlertMeasureColumns {
  /** A time id. */
  id: number;
  rule: string;
  state: "firing" | "resolved";
  /**
   * A `RootNotice` (notices/mail/root-notice.ts) as JSON; empty for an end without words of its
   * own.
   */
  facts: string;
  at: Millis;
  /** Whom alone it concerns; 0 for operators. */
  user_id: number;
}

export interface AlertsTable extends AlertSubjectColumns, AlertMeasureColumns {
  id: Generated<number>;
  uuid: string;
  rule: string;
  state: "firing" | "resolved";
  /** `since` is when it began to fire, the last time. */
  since: Millis;
  resolved_at: Millis | null;
  /** The last event. */
  seen_at: Millis;
  /** Events since it began. */
  count: number;
  facts: string;
  /** The `since` of the last firing that was told; 0 for none. */
  told_since: Millis;
  is_reminded: Flag;
  /** Changes of state within an hour from `changes_from` on. */
  changes: number;
  changes_from: Millis;
  /** 0 unless it changes too often to be told. */
  flapping_until: Millis;
  muted_until: Millis;
  /** Grows with each change of the row. */
  version: number;
  /** Whom alone it concerns; 0 for operators. */
  user_id: Generated<number>;
}

export interface DestinationsTable {
  id: Generated<number>;
  uuid: string;
  name: string;
  kind: string;
  /**
   * A `DestinationTarget` (notices/alerts/destination-target.ts) as JSON, sealed; empty for the
   * mail address of root.
   */
  target_sealed: string;
  /** `target_hint` is what may be shown of the address. */
  target_hint: string;
  /** A language of the contract; empty for that of root. */
  language: string;
  /** The least severity that is told. */
  severity: string;
  /** Comma-joined; empty for all. */
  rules: string;
  disabled: Flag;
  /** `disabled_reason` says why the gateway disabled it; empty where an operator did. */
  disabled_reason: string;
  failing_since: Millis | null;
  created_at: Millis;
  updated_at: Millis;
  /** The name that a program gave to one of the site. */
  external_id: Generated<string | null>;
  /** `user_id` says whose it is; 0 for the site's. */
  user_id: Generated<number>;
  /** Its user has typed the code that was sent there; nothing else is sent before. */
  verified: Generated<Flag>;
}

/** `NodeSuspensionsRow` is what a node has suspended, as it said last. */
export interface NodeSuspensionsRow {
  node: number;
  seen_at: Millis;
  /** A list of `Suspension` (notices/alerts/suspensions.ts) as JSON. */
  suspensions: string;
}

/** `NoticeSettingsRow` is what users choose about notices of their own. */
export interface NoticeSettingsRow {
  user_id: number;
  /** The balance below which the user is told; 0 for the threshold of the site. */
  balance_below: QuotaUnits;
}

/** A notice on its way to one destination. */
export interface NoticeRow {
  /** A time id, and the message id at the receiver: it stays over all tries. */
  id: number;
  /** 0 for a digest. */
  alert_id: number;
  transition: string;
  /** The `since` of the alert; of a digest, the id of the first notice in it. */
  since: number;
  destination_id: number;
  rule: string;
  /** A `NoticePayload` (notices/alerts/notice-payload.ts) as JSON. */
  payload: string;
  state: "waiting" | "sent" | "failed" | "merged";
  /** Counted before each try, so that a crash counts too. */
  tries: number;
  next_at: Millis;
  /** No other node tries before. */
  lease_until: Millis;
  /** `answer` is what the receiver answered last, shortened. */
  answer: string;
  created_at: Millis;
  ended_at: Millis | null;
}
