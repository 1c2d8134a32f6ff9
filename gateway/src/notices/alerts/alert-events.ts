/**
 * Alerts are raised by a feature as an event row in the transaction of its cause, so that neither
 * exists without the other. A row is only added, so that it can make no such transaction fail;
 * `fold-alerts.ts` turns it into an alert.
 */
import type {
  AlertRuleName,
  AlertSubjectKind,
} from "@tollgate/contract/notices/alert-rule-table.ts";
import type { Database, Write } from "../../storage/database.ts";
import type { AlertEventRow } from "../../storage/tables/alert-tables.ts";
import type { RootNotice } from "../mail/root-notice.ts";

export interface AlertSubject {
  kind: AlertSubjectKind;
  /** An id or a name, by kind. */
  id: number | string;
  name: string;
}

/** `AlertMeasure` is what a rule compares. docs/webhooks.md names the unit of each rule. */
export interface AlertMeasure {
  value: number;
  /** Beyond which the alert begins; null where each occurrence is one. */
  threshold: number | null;
}

export interface AlertEvent {
  rule: AlertRuleName;
  subject: AlertSubject;
  /** Whom alone it concerns; absent for operators. */
  userId?: number;
  state: "firing" | "resolved";
  /** `facts` are what is told; an end without words of its own leaves it out. */
  facts?: RootNotice;
  /** Absent where nothing is measured, and for an end. */
  measure?: AlertMeasure;
}

/** `buildAlertEventRow` is for a statement that adds it under a condition. */
export const buildAlertEventRow = (
  id: number,
  { rule, subject, userId = 0, state, facts, measure }: AlertEvent,
  at: number,
): AlertEventRow => ({
  id,
  rule,
  subject_kind: subject.kind,
  subject_id: String(subject.id),
  subject_name: subject.name,
  state,
  facts: facts === undefined ? "" : JSON.stringify(facts),
  at,
  user_id: userId,
  value: measure === undefined ? null : readFigure(measure.value),
  threshold:
    measure === undefined || measure.threshold === null ? null : readFigure(measure.threshold),
});

const decimals = 1e6;
const readFigure = (figure: number): number | null =>
  Number.isFinite(figure) ? Math.round(figure * decimals) / decimals : null;

export const planAlertEvent = (
  { sql, mintId }: Pick<Database, "sql" | "mintId">,
  event: AlertEvent,
  at: number,
): Write => ({
  query: sql.insertInto("alert_events").values(buildAlertEventRow(mintId(), event, at)),
  rows: 1,
});
