/** A notice as the event of a webhook (docs/webhooks.md): numbers, names, a reason and a link, and nothing that is secret. Pure. */
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

const eventData = ({ rule, severity, subject, since, resolvedAt, count, facts }: NoticedAlert) => ({
  rule,
  severity,
  subject,
  since: isoOf(since),
  reason: noticeText(facts),
  count,
  ...(resolvedAt !== null && {
    resolved_at: isoOf(resolvedAt),
    lasted_seconds: Math.max(0, Math.round((resolvedAt - since) / 1000)),
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
