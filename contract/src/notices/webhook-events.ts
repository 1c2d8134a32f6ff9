/** The events that a webhook of the kind `webhook` gets, by type. */
import * as z from "zod/mini";
import { alertRules, alertSubjectKinds, severities } from "./alert-rule-table.ts";

const moment = z.iso.datetime();

const alertMembers = {
  rule: z.enum(alertRules),
  severity: z.enum(severities),
  /** The number of a row, or a text: a name, or a number with a part behind it. */
  subject: z.object({
    kind: z.enum(alertSubjectKinds),
    id: z.union([z.int(), z.string()]),
    name: z.string(),
  }),
  since: moment,
  /** A sentence in English. */
  reason: z.string(),
  /**
   * `value` is what the rule measured last, and beyond which figure it begins, in the unit of the
   * rule.
   */
  value: z.nullable(z.number()),
  threshold: z.nullable(z.number()),
  /** `count` is that of the events that the alert stands for. */
  count: z.int().check(z.minimum(0)),
};

const endMembers = { resolved_at: moment, lasted_seconds: z.int().check(z.minimum(0)) };

const siteMembers = {
  /** The name of the site. */
  site: z.string(),
  /** A link to the page for an operator; null while the address of the server is not configured. */
  link: z.nullable(z.string()),
};

const alertInDigest = z.object({
  ...alertMembers,
  resolved_at: z.optional(endMembers.resolved_at),
  lasted_seconds: z.optional(endMembers.lasted_seconds),
});

const lastingAlert = z.object({ ...alertMembers, ...siteMembers });
const endedAlert = z.object({ ...alertMembers, ...endMembers, ...siteMembers });
/** `unsteadyAlert` tells whether the last change was the beginning or the end of the alert. */
const unsteadyAlert = z.object({ ...alertInDigest.shape, ...siteMembers });
const alertList = z.object({ alerts: z.array(alertInDigest), ...siteMembers });

export const webhookEventData = {
  "alert.firing": lastingAlert,
  "alert.resolved": endedAlert,
  "alert.reminder": lastingAlert,
  "alert.flapping": unsteadyAlert,
  "alert.digest": alertList,
  "alert.example": alertList,
  "destination.verification": z.object({ code: z.string(), site: siteMembers.site }),
};
export type WebhookEventType = keyof typeof webhookEventData;
export const webhookEventTypes = Object.keys(webhookEventData) as WebhookEventType[];

/** The whole body of a request. */
export const defineWebhookEvent = (type: WebhookEventType) =>
  z.object({ type: z.literal(type), timestamp: moment, data: webhookEventData[type] });
