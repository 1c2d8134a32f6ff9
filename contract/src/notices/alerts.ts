/**
 * Alerts: what the gateway noticed, each with its state. They exist whether or not a destination is
 * told.
 */
import * as z from "zod/mini";
import { endpoint } from "../api/endpoint.ts";
import { makeAboutField } from "../api/field-message.ts";
import { byId } from "../api/ids.ts";
import { listExtras, pageFields } from "../api/page.ts";
import { count, unixMillis } from "../api/scalars.ts";
import { languageCodes } from "../site/languages.ts";
import { alertRules, alertSubjectKinds, severities } from "./alert-rule-table.ts";

/** A month. An operator who never wants a rule leaves it out of the destinations. */
export const muteHoursMax = 720;

export const alertStates = ["firing", "resolved"] as const;

export const alert = z.object({
  id: z.int(),
  uuid: z.string(),
  rule: z.enum(alertRules),
  severity: z.enum(severities),
  subject_kind: z.enum(alertSubjectKinds),
  /** An id or a name, by kind. */
  subject_id: z.string(),
  subject_name: z.string(),
  state: z.enum(alertStates),
  since: unixMillis,
  resolved_at: z.nullable(unixMillis),
  seen_at: unixMillis,
  /** Events since it began. */
  count,
  /**
   * `value` is what the rule measured when it last told of the cause, in the unit that
   * docs/webhooks.md names; null where it measures nothing.
   */
  value: z.nullable(z.number()),
  /** `threshold` is where the rule begins. */
  threshold: z.nullable(z.number()),
  /** The title in the language that was asked for, else in English. */
  title: z.string(),
  text: z.string(),
  /** `remedy` is what can be done about it while it fires. */
  remedy: z.string(),
  /** `flapping` changes so often that it is not told. */
  flapping: z.boolean(),
  /** 0 unless it is muted. */
  muted_until: unixMillis,
});
export type Alert = z.output<typeof alert>;

/** `muted`: those that fire and send no notices. */
export const alertFilters = ["", ...alertStates, "muted"] as const;
export type AlertFilter = (typeof alertFilters)[number];

export const listAlerts = endpoint("GET", "/api/alert/", {
  access: "admin",
  scope: "alerts:read",
  summary: "Alerts: those that fire, or all that were seen within 30 days",
  query: z.object({
    ...pageFields,
    state: z.optional(z.enum(alertFilters)),
    language: z.optional(z.enum(["", ...languageCodes])),
  }),
  data: z.array(alert),
  extras: listExtras,
});

export const countAlerts = endpoint("GET", "/api/alert/count", {
  access: "admin",
  scope: "alerts:read",
  summary: "How many alerts fire and are not muted",
  data: z.object({ firing: count, critical: count }),
});

export const muteAlert = endpoint("POST", "/api/alert/:id/mute", {
  access: "admin",
  scope: "alerts:write",
  summary: "Send no notices of an alert for some hours; 0 ends that",
  params: byId,
  body: z.object({
    hours: z
      .int()
      .check(
        z.minimum(0, makeAboutField("must be 0 or more")),
        z.maximum(muteHoursMax, makeAboutField(`must be at most ${muteHoursMax}`)),
      ),
  }),
  data: alert,
});
