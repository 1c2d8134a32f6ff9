/**
 * Incidents: the events of a span of time, put together from log rows, traces, alerts and the
 * record of changes.
 */
import * as z from "zod/mini";
import { endpoint } from "../api/endpoint.ts";
import { count, querySeconds, unixMillis } from "../api/scalars.ts";
import { languageCodes } from "../site/languages.ts";

/** A day of a chart; a longer span is no incident. */
export const incidentSpanMaxMs = 24 * 3_600_000;
/** The newest problems of the span; older ones are left out, and the reply says so. */
export const incidentProblemsMax = 2_000;
/** `incidentRowsMax` bounds the users, channels and kinds of failures to those with most calls. */
export const incidentRowsMax = 50;

/** A minute in which calls did not go smoothly. */
const incidentMinute = z.object({
  at: unixMillis,
  /** Calls whose client got no whole answer. */
  failed: count,
  /** Calls that succeeded on another channel or with another key. */
  rescued: count,
});

/** A channel on which attempts failed, or that a breaker had suspended when a call was routed. */
export const incidentChannel = z.object({
  channel_id: z.int(),
  channel_name: z.string(),
  failed_attempts: count,
  /** Statuses of the provider, the most frequent first; 0 where there was no response. */
  statuses: z.array(z.object({ status: z.int(), attempts: count })),
  /** `last_error` is what the provider or the connection said last. */
  last_error: z.string(),
  /** Null where no attempt failed. */
  first_failed_at: z.nullable(unixMillis),
  last_failed_at: z.nullable(unixMillis),
  /** `first_suspended_at` is when calls first and last found it suspended; null where none did. */
  first_suspended_at: z.nullable(unixMillis),
  last_suspended_at: z.nullable(unixMillis),
});
export type IncidentChannel = z.output<typeof incidentChannel>;

export const incidentUser = z.object({
  user_id: z.int(),
  username: z.string(),
  failed: count,
  rescued: count,
});
export type IncidentUser = z.output<typeof incidentUser>;

/** Calls that failed alike. */
export const incidentFailure = z.object({
  outcome: z.string(),
  model: z.string(),
  reason: z.string(),
  calls: count,
});
export type IncidentFailure = z.output<typeof incidentFailure>;

/** `incidentEvent` is one line of the timeline. */
export const incidentEvent = z.object({
  at: unixMillis,
  kind: z.enum([
    "alert_began",
    "alert_ended",
    "channel_failing",
    "channel_suspended",
    "channel_quiet",
    "change",
  ]),
  /**
   * The title of an alert in the language that was asked for, the name of a channel, or that of
   * what was changed.
   */
  subject: z.string(),
  /** `action` is that of a change: its action, such as `channel.update`; empty for others. */
  action: z.string(),
  /** `actor` is that of a change: the administrator; empty for what the gateway did itself. */
  actor: z.string(),
});
export type IncidentEvent = z.output<typeof incidentEvent>;

export const incident = z.object({
  from: unixMillis,
  to: unixMillis,
  failed: count,
  rescued: count,
  /** The oldest problem that was read, where there are more; else null. */
  read_from: z.nullable(unixMillis),
  minutes: z.array(incidentMinute),
  /** Oldest first. Changes are for super administrators alone. */
  events: z.array(incidentEvent),
  channels: z.array(incidentChannel),
  users: z.array(incidentUser),
  failures: z.array(incidentFailure),
});
export type Incident = z.output<typeof incident>;

export const getIncident = endpoint("GET", "/api/incident/", {
  access: "admin",
  scope: "logs:read",
  summary:
    "What happened in up to a day: failures by minute, channels, alerts, changes, and whose calls failed",
  query: z.object({
    start_timestamp: querySeconds,
    /** Inclusive, as in the log. */
    end_timestamp: querySeconds,
    language: z.optional(z.enum(["", ...languageCodes])),
  }),
  data: incident,
});
