/**
 * Destinations at which users are told of their own things: a low balance, keys that end, budgets.
 * A destination is used once its user has typed the code that was sent there, so that the gateway
 * writes to no one who did not ask for it.
 */
import * as z from "zod/mini";
import { endpoint } from "../api/endpoint.ts";
import { makeAboutField } from "../api/field-message.ts";
import { byId } from "../api/ids.ts";
import { listExtras, pageFields } from "../api/page.ts";
import { line, quotaMax, unixMillis } from "../api/scalars.ts";
import { languageCodes } from "../site/languages.ts";
import { alertRules, ownRules } from "./alert-rule-table.ts";
import { destinationTarget, notice } from "./destinations.ts";

/** Services that one person uses; the others are rooms of teams. */
export const ownDestinationKinds = ["mail", "webhook", "telegram", "ntfy"] as const;
export type OwnDestinationKind = (typeof ownDestinationKinds)[number];

/** `ownDestinationsMax` is that of each user. */
export const ownDestinationsMax = 3;

export const ownDestination = z.object({
  id: z.int(),
  uuid: z.string(),
  name: z.string(),
  kind: z.enum(ownDestinationKinds),
  /** The host, or the mail address; empty for the address of the account. */
  hint: z.string(),
  /** Empty for that of the account. */
  language: z.string(),
  /** Empty for all. */
  rules: z.array(z.enum(alertRules)),
  /** False until the code that was sent there has been typed: nothing else is sent before. */
  verified: z.boolean(),
  disabled: z.boolean(),
  /** `disabled_reason` says why the gateway disabled it; empty where the user did. */
  disabled_reason: z.string(),
  /** Since when every try has failed. */
  failing_since: z.nullable(unixMillis),
  /** False for mail while no mail server is set up, or the account has no address. */
  reachable: z.boolean(),
});
export type OwnDestination = z.output<typeof ownDestination>;

const fields = {
  name: line(50).check(z.minLength(1, "Name is required")),
  rules: z._default(z.array(z.enum(ownRules)).check(z.maxLength(ownRules.length)), []),
  language: z._default(z.enum(["", ...languageCodes]), ""),
};

/** `sent` is what a receiver answered, when something was sent there at once. */
const sent = z.object({ delivered: z.boolean(), answer: z.string() });
const sendTimeoutMs = 30_000;

export const listOwnDestinations = endpoint("GET", "/api/own_destination/", {
  access: "user",
  scope: "none",
  summary: "Where the caller is told of what is the caller's",
  data: z.array(ownDestination),
});

const ownDestinationInput = z.object({
  kind: z.enum(ownDestinationKinds),
  ...fields,
  ...destinationTarget,
});
export type OwnDestinationInput = z.output<typeof ownDestinationInput>;

export const createOwnDestination = endpoint("POST", "/api/own_destination/", {
  access: "user",
  scope: "none",
  summary:
    "Add a destination of the caller; for a webhook only this reply shows the signing secret",
  body: ownDestinationInput,
  data: z.extend(ownDestination, { signing_secret: z.optional(z.string()) }),
});

/** The address is never shown, so another one is another destination. */
export const updateOwnDestination = endpoint("POST", "/api/own_destination/:id", {
  access: "user",
  scope: "none",
  summary: "Change what a destination of the caller is told, or disable or enable it",
  params: byId,
  body: z.object({ ...fields, disabled: z.boolean(makeAboutField("must be true or false")) }),
  data: ownDestination,
});

export const deleteOwnDestination = endpoint("DELETE", "/api/own_destination/:id", {
  access: "user",
  scope: "none",
  summary: "Delete a destination of the caller and its notices",
  params: byId,
});

export const rotateOwnDestination = endpoint("POST", "/api/own_destination/:id/rotate", {
  access: "user",
  scope: "none",
  summary: "A new signing secret for a webhook of the caller; the old one signs too for 24 hours",
  params: byId,
  data: z.object({ signing_secret: z.string() }),
});

export const sendOwnDestinationCode = endpoint("POST", "/api/own_destination/:id/code", {
  access: "user",
  scope: "none",
  summary: "Send a code to a destination of the caller, and tell what the receiver answered",
  params: byId,
  data: sent,
  timeoutMs: sendTimeoutMs,
});

export const verifyOwnDestination = endpoint("POST", "/api/own_destination/:id/verify", {
  access: "user",
  scope: "none",
  summary: "Prove with the code that the caller reads a destination",
  params: byId,
  body: z.object({
    verification_code: z.string().check(z.regex(/^\d{6}$/, "Enter the six digits of the code")),
  }),
  data: ownDestination,
});

export const testOwnDestination = endpoint("POST", "/api/own_destination/:id/test", {
  access: "user",
  scope: "none",
  summary: "Send an example to a destination of the caller, and tell what the receiver answered",
  params: byId,
  data: sent,
  timeoutMs: sendTimeoutMs,
});

export const listOwnNotices = endpoint("GET", "/api/own_notice/", {
  access: "user",
  scope: "none",
  summary:
    "Notices to destinations of the caller within 30 days and what became of them, newest first",
  query: z.object(pageFields),
  data: z.array(notice),
  extras: listExtras,
});

const noticeSettings = z.object({
  /** Units; the balance below which the caller is told. 0 for the threshold of the site. */
  balance_below: z
    .int()
    .check(
      z.minimum(0, makeAboutField("must be 0 or more")),
      z.maximum(quotaMax, makeAboutField(`must be at most ${quotaMax}`)),
    ),
});

export const getNoticeSettings = endpoint("GET", "/api/own_notice/settings", {
  access: "user",
  scope: "none",
  summary: "When the caller is told of a low balance",
  /** `site_balance_below`: the threshold that stands in for 0. */
  data: z.extend(noticeSettings, { site_balance_below: z.int() }),
});

export const setNoticeSettings = endpoint("PUT", "/api/own_notice/settings", {
  access: "user",
  scope: "none",
  summary: "Choose the balance below which the caller is told",
  body: noticeSettings,
});
