/** Where notices of alerts go, and what became of them. Addresses are secrets: many services have the key in them. */
import * as z from "zod/mini";
import { alertRules, operatorRules, severities } from "./alert-rule-table.ts";
import { endpoint } from "./endpoint.ts";
import { aboutField } from "./field-message.ts";
import { byId } from "./ids.ts";
import { languageCodes } from "./languages.ts";
import { noticeTemplateMax } from "./notice-templates.ts";
import { listExtras, pageFields } from "./page.ts";
import { count, line, prose, unixMillis } from "./scalars.ts";

export const destinationKinds = [
  "mail",
  "webhook",
  "slack",
  "discord",
  "feishu",
  "dingtalk",
  "wecom",
  "telegram",
  "ntfy",
  "custom",
] as const;
export type DestinationKind = (typeof destinationKinds)[number];

export const destinationsMax = 50;

export const destination = z.object({
  id: z.int(),
  uuid: z.string(),
  name: z.string(),
  kind: z.enum(destinationKinds),
  /** The host, or the mail address; empty for the address of root. */
  hint: z.string(),
  language: z.string(),
  /** The least severity that is told. */
  severity: z.enum(severities),
  /** Empty for all. */
  rules: z.array(z.enum(alertRules)),
  disabled: z.boolean(),
  /** Why the gateway disabled it; empty where an operator did. */
  disabled_reason: z.string(),
  /** Since when every try has failed. */
  failing_since: z.nullable(unixMillis),
  /** False for mail while no mail server is set up, or root has no address: nothing is sent then. */
  reachable: z.boolean(),
});
export type NoticeDestination = z.output<typeof destination>;

const fields = {
  name: line(50).check(z.minLength(1, "Name is required")),
  severity: z._default(z.enum(severities), "info"),
  rules: z._default(z.array(z.enum(operatorRules)).check(z.maxLength(operatorRules.length)), []),
  language: z._default(z.enum(["", ...languageCodes]), ""),
};

/** What leads to the receiver; which members a kind needs is in `destinationTargetIssue`. */
export const destinationTarget = {
  /** The mail address, or the address of the webhook, bot or topic. */
  address: z._default(line(1_000), ""),
  /** The signing secret of Feishu or DingTalk, the token of a Telegram bot, the access token of ntfy. */
  secret: z._default(line(200), ""),
  /** The chat of a Telegram bot. */
  recipient: z._default(line(100), ""),
};

/** Of a custom destination besides. */
const customTarget = {
  /** A header in each line, such as `X-Gotify-Key: secret`. */
  headers: z._default(prose(4_000), ""),
  /** The body, as JSON with placeholders (notice-templates.ts). */
  template: z._default(prose(noticeTemplateMax), ""),
};

export const listDestinations = endpoint("GET", "/api/destination/", {
  access: "root",
  scope: "options:read",
  summary: "Where notices of alerts go",
  data: z.array(destination),
});

export const createDestination = endpoint("POST", "/api/destination/", {
  access: "root",
  scope: "options:write",
  summary: "Add a destination of notices; for a webhook only this reply shows the signing secret",
  body: z.object({ kind: z.enum(destinationKinds), ...fields, ...destinationTarget, ...customTarget }),
  data: z.extend(destination, { signing_secret: z.optional(z.string()) }),
});

/** The address is never shown, so another one is another destination. */
export const updateDestination = endpoint("POST", "/api/destination/:id", {
  access: "root",
  scope: "options:write",
  summary: "Change what a destination is told, or disable or enable it",
  params: byId,
  body: z.object({ ...fields, disabled: z.boolean(aboutField("must be true or false")) }),
  data: destination,
});

export const deleteDestination = endpoint("DELETE", "/api/destination/:id", {
  access: "root",
  scope: "options:write",
  summary: "Delete a destination and its notices",
  params: byId,
});

export const rotateDestination = endpoint("POST", "/api/destination/:id/rotate", {
  access: "root",
  scope: "options:write",
  summary: "A new signing secret for a webhook; the old one signs too for 24 hours",
  params: byId,
  data: z.object({ signing_secret: z.string() }),
});

export const testDestination = endpoint("POST", "/api/destination/:id/test", {
  access: "root",
  scope: "options:write",
  summary: "Send an example, and tell what the receiver answered",
  params: byId,
  data: z.object({ delivered: z.boolean(), answer: z.string() }),
  timeoutMs: 30_000,
});

export const noticeStates = ["waiting", "sent", "failed", "merged"] as const;
export const noticeTransitions = ["firing", "resolved", "reminder", "flapping", "digest"] as const;
export type NoticeTransition = (typeof noticeTransitions)[number];

export const notice = z.object({
  id: z.int(),
  transition: z.enum(noticeTransitions),
  rule: z.string(),
  subject_name: z.string(),
  destination_id: z.int(),
  destination_name: z.string(),
  /** `merged`: it is part of a digest. */
  state: z.enum(noticeStates),
  tries: count,
  /** Of one that waits. */
  next_at: unixMillis,
  answer: z.string(),
  created_at: unixMillis,
  ended_at: z.nullable(unixMillis),
});
export type Notice = z.output<typeof notice>;

export const listNotices = endpoint("GET", "/api/delivery/", {
  access: "root",
  scope: "options:read",
  summary: "Notices of the last 30 days and what became of them, newest first",
  query: z.object({ ...pageFields, state: z.optional(z.enum(["", ...noticeStates])) }),
  data: z.array(notice),
  extras: listExtras,
});

export const resendNotice = endpoint("POST", "/api/delivery/:id/send", {
  access: "root",
  scope: "options:write",
  summary: "Send a notice again that was sent or has failed",
  params: byId,
});
