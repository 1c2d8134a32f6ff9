/**
 * A notice as the event of a webhook (docs/webhooks.md): numbers, names, a reason and a link, and
 * nothing that is secret. Pure.
 */
import type { AlertSubjectKind } from "@tollgate/contract/notices/alert-rule-table.ts";
import type { NoticeTransition } from "@tollgate/contract/notices/destinations.ts";
import type { WebhookEventType } from "@tollgate/contract/notices/webhook-events.ts";
import { formatNoticeText, type MailSite } from "../mail/mail-messages.ts";
import type { NoticedAlert, NoticePayload } from "./notice-payload.ts";

const types: Readonly<Record<NoticeTransition | "example", WebhookEventType>> = {
  firing: "alert.firing",
  resolved: "alert.resolved",
  reminder: "alert.reminder",
  flapping: "alert.flapping",
  digest: "alert.digest",
  example: "alert.example",
};

const formatIso = (ms: number) => new Date(ms).toISOString();

/**
 * `isNumbered` says whether the id of a subject is that of a row. Others have names, which may look
 * like numbers.
 */
const isNumbered: Readonly<Record<AlertSubjectKind, boolean>> = {
  channel: true,
  model: false,
  user: true,
  job: false,
  destination: true,
  budget: true,
  token: true,
  management_key: false,
  team: true,
  site: false,
};

/** An id with a part behind it, such as the threshold of a budget, stays a text. */
const showSubject = ({ kind, id, name }: NoticedAlert["subject"]) => ({
  kind,
  id: isNumbered[kind] && String(Number(id)) === id ? Number(id) : id,
  name,
});

const buildEventData = ({ value = null, threshold = null, ...alert }: NoticedAlert) => ({
  rule: alert.rule,
  severity: alert.severity,
  subject: showSubject(alert.subject),
  since: formatIso(alert.since),
  reason: formatNoticeText(alert.facts),
  value,
  threshold,
  count: alert.count,
  ...(alert.resolvedAt !== null && {
    resolved_at: formatIso(alert.resolvedAt),
    lasted_seconds: Math.max(0, Math.round((alert.resolvedAt - alert.since) / 1000)),
  }),
});

export function buildNoticeEvent(
  transition: NoticeTransition | "example",
  { alerts }: NoticePayload,
  { site, link }: { site: MailSite; link: string },
): { type: WebhookEventType; data: unknown } {
  const about = { site: site.name, link: link === "" ? null : link };
  const [first] = alerts;
  const data =
    transition === "digest" || !first
      ? { alerts: alerts.map(buildEventData) }
      : buildEventData(first);
  return { type: types[transition], data: { ...data, ...about } };
}

/** `buildVerificationEvent` gives what proves that a user reads the webhook. */
export const buildVerificationEvent = (
  code: string,
  site: MailSite,
): { type: WebhookEventType; data: unknown } => ({
  type: "destination.verification",
  data: { code, site: site.name },
});
