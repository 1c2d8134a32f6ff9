/**
 * The payload of a notice, kept with it from the moment of its cause: the alert may be another one
 * when it arrives.
 */
import {
  type AlertRuleName,
  type AlertSubjectKind,
  buildSeverity,
  type Severity,
} from "@tollgate/contract/notices/alert-rule-table.ts";
import type { RootNotice } from "../mail/root-notice.ts";
import type { AlertMemory } from "./next-alert.ts";

/** An alert as it was. */
export interface NoticedAlert {
  rule: AlertRuleName;
  severity: Severity;
  subject: { kind: AlertSubjectKind; id: string; name: string };
  /** Milliseconds since the epoch. */
  since: number;
  /** Null while it fires. */
  resolvedAt: number | null;
  count: number;
  facts: RootNotice;
  /** Absent in notices of older versions. */
  value?: number | null;
  threshold?: number | null;
}

/** `NoticePayload` is one alert, or those of a digest. */
export interface NoticePayload {
  alerts: NoticedAlert[];
}

export interface NamedAlert {
  rule: AlertRuleName;
  subject_kind: AlertSubjectKind;
  subject_id: string;
  subject_name: string;
  /** Whom alone it concerns; 0 for operators. */
  user_id: number;
}

export const buildNoticedAlert = (
  { rule, subject_kind: kind, subject_id: id, subject_name: name }: NamedAlert,
  { since, resolved_at: resolvedAt, count, facts, value, threshold }: AlertMemory,
): NoticedAlert => ({
  rule,
  severity: buildSeverity(rule),
  subject: { kind, id, name },
  since,
  resolvedAt,
  count,
  facts: JSON.parse(facts) as RootNotice,
  value,
  threshold,
});

export const readPayload = (payload: string): NoticePayload => JSON.parse(payload) as NoticePayload;
