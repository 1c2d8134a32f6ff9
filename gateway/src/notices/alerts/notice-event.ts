/** A notice as the event of a webhook (docs/webhooks.md): numbers, names, a reason and a link, and nothing that is secret. Pure. */
import type { AlertSubjectKind } from "@tollgate/contract/alert-rule-table.ts";
import type { NoticeTransition } from "@tollgate/contract/destinations.ts";
import type { WebhookEventType } from "@tollgate/contract/webhook-events.ts";
import { type MailSite, noticeText } from "../mail/mail-messages.ts";
import type { NoticedAlert, NoticePayload } from "./notice-payload.ts";

const types: Readonly<Record<NoticeTransition | "example", WebhookEventType>> = {
  firing: "alert.firing",
  resolved: "alert.resolved",
  reminder: "alert.reminder",
  flapping: "alert.flapping",
  digest: "alert.digest",
  example: "alert.example",
};

const isoOf = (ms: number) => new Date(ms).toISOString();

/** Whether the id of a subject is that of a row. Others have names, which may look like numbers. */
const isNumbered: Readonly<Record<AlertSubjectKind, boolean>> = {
  channel: true,
  model: false,
  user: true,
  job: false,
  destination: true,
  budget: true,
  token: true,
  management_key: false,
  site: false,
};

/** An id with a part behind it, such as the threshold of a budget, stays a text. */
const subjectOf = ({ kind, id, name }: NoticedAlert["subject"]) => ({
  kind,
  id: isNumbered[kind] && String(Number(id)) === id ? Number(id) : id,
  name,
});

const eventData = ({ value = null, threshold = null, ...alert }: NoticedAlert) => ({
  rule: alert.rule,
  severity: alert.severity,
  subject: subjectOf(alert.subject),
  since: isoOf(alert.since),
  reason: noticeText(alert.facts),
  value,
  threshold,
  count: alert.count,
  ...(alert.resolvedAt !== null && {
    resolved_at: isoOf(alert.resolvedAt),
    lasted_seconds: Math.max(0, Math.round((alert.resolvedAt - alert.since) / 1000)),
  }),
});

export function noticeEvent(
  transition: NoticeTransition | "example",
  { alerts }: NoticePayload,
  { site, link }: { site: MailSite; link: string },
): { type: WebhookEventType; data: unknown } {
  const about = { site: site.name, link: link === "" ? null : link };
  const [first] = alerts;
  const data = transition === "digest" || !first ? { alerts: alerts.map(eventData) } : eventData(first);
  return { type: types[transition], data: { ...data, ...about } };
}

/** What proves that a user reads the webhook. */
export const verificationEvent = (code: string, site: MailSite): { type: WebhookEventType; data: unknown } => ({
  type: "destination.verification",
  data: { code, site: site.name },
});
