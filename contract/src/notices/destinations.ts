/**
 * Destinations of the notices of alerts, and the fate of these. Addresses are secrets: many
 * services have the key in them.
 */
import * as z from "zod/mini";
import { byExternalId, externalIdFilter, externalIdOrNone } from "../accounts/external-ids.ts";
import { endpoint } from "../api/endpoint.ts";
import { makeAboutField } from "../api/field-message.ts";
import { byId } from "../api/ids.ts";
import { listExtras, pageFields } from "../api/page.ts";
import { count, line, prose, unixMillis } from "../api/scalars.ts";
import { languageCodes } from "../site/languages.ts";
import { alertRules, operatorRules, severities } from "./alert-rule-table.ts";
import { noticeTemplateMax } from "./notice-templates.ts";

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
  /** The name that a program gave it; empty for none. */
  external_id: z.string(),
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
  /** `disabled_reason` says why the gateway disabled it; empty where an operator did. */
  disabled_reason: z.string(),
  /** Since when every try has failed. */
  failing_since: z.nullable(unixMillis),
  /**
   * False for mail while no mail server is set up, or root has no address: nothing is sent then.
   */
  reachable: z.boolean(),
});
export type NoticeDestination = z.output<typeof destination>;

const kind = z.enum(destinationKinds);
const name = line(50).check(z.minLength(1, "Name is required"));
const severity = z.enum(severities);
const rules = z.array(z.enum(operatorRules)).check(z.maxLength(operatorRules.length));
const language = z.enum(["", ...languageCodes]);
const address = line(1_000);
const secret = line(200);
const recipient = line(100);
const headers = prose(4_000);
const template = prose(noticeTemplateMax);

const fields = {
  name,
  severity: z._default(severity, "info"),
  rules: z._default(rules, []),
  language: z._default(language, ""),
};

/**
 * `destinationTarget` is what leads to the receiver; which members a kind needs is in
 * `destinationTargetIssue`.
 */
export const destinationTarget = {
  /** The mail address, or the address of the webhook, bot or topic. */
  address: z._default(address, ""),
  /**
   * The signing secret of Feishu or DingTalk, the token of a Telegram bot, the access token of
   * ntfy.
   */
  secret: z._default(secret, ""),
  /** The chat of a Telegram bot. */
  recipient: z._default(recipient, ""),
};

/** `customTarget` is that of a custom destination besides. */
const customTarget = {
  /** A header in each line, such as `X-Gotify-Key: secret`. */
  headers: z._default(headers, ""),
  /** The body, as JSON with placeholders (notice-templates.ts). */
  template: z._default(template, ""),
};

export const listDestinations = endpoint("GET", "/api/destination/", {
  access: "root",
  scope: "options:read",
  summary: "Where notices of alerts go",
  query: z.object(externalIdFilter),
  data: z.array(destination),
});

export const destinationInput = z.object({
  external_id: externalIdOrNone,
  kind,
  ...fields,
  ...destinationTarget,
  ...customTarget,
  disabled: z._default(z.boolean(), false),
});
export type DestinationInput = z.output<typeof destinationInput>;

/**
 * A missing member keeps its value. What leads to the receiver never changes, and need not be sent
 * again.
 */
export const destinationByExternalId = z.object({
  kind: z.optional(kind),
  name: z.optional(name),
  severity: z.optional(severity),
  rules: z.optional(rules),
  language: z.optional(language),
  address: z.optional(address),
  secret: z.optional(secret),
  recipient: z.optional(recipient),
  headers: z.optional(headers),
  template: z.optional(template),
  disabled: z.optional(z.boolean()),
});
export type DestinationByExternalId = z.output<typeof destinationByExternalId>;

const destinationMade = z.extend(destination, { signing_secret: z.optional(z.string()) });

export const createDestination = endpoint("POST", "/api/destination/", {
  access: "root",
  scope: "options:write",
  summary: "Add a destination of notices; for a webhook only this reply shows the signing secret",
  body: destinationInput,
  data: destinationMade,
});

export const putDestination = endpoint("PUT", "/api/destination/by-external/:external_id", {
  access: "root",
  scope: "options:write",
  summary:
    "Add the destination of this external_id, or change what it is told; a repetition changes nothing",
  params: byExternalId,
  body: destinationByExternalId,
  data: destinationMade,
});

/** The address is never shown, so another one is another destination. */
export const updateDestination = endpoint("POST", "/api/destination/:id", {
  access: "root",
  scope: "options:write",
  summary: "Change what a destination is told, or disable or enable it",
  params: byId,
  body: z.object({ ...fields, disabled: z.boolean(makeAboutField("must be true or false")) }),
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
  /** `next_at` is that of one that waits. */
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
