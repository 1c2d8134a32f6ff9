/** The history of one call: its moments and its attempts on channels. */
import * as z from "zod/mini";
import { endpoint } from "../api/endpoint.ts";
import { makeAboutField } from "../api/field-message.ts";
import { byId } from "../api/ids.ts";
import { unixMillis } from "../api/scalars.ts";
import { log } from "./logs.ts";

const moment = z.optional(unixMillis);
const span = z.optional(z.int());

/** Milliseconds of the gateway's clock; a member is absent when its moment was not reached. */
export const traceTimestamps = z.object({
  request_received: moment,
  request_forwarded: moment,
  first_upstream_response: moment,
  first_client_response: moment,
  upstream_completed: moment,
  request_completed: moment,
});

export const traceDurations = z.object({
  processing_time: span,
  upstream_response_time: span,
  response_processing_time: span,
  streaming_time: span,
  total_time: span,
});

export const traceAttempt = z.object({
  channel_id: z.int(),
  channel_uuid: z.string(),
  channel_name: z.string(),
  /** The target of a virtual model. */
  model: z.optional(z.string()),
  /** The last characters of the key that was used, for a channel with several. */
  key_hint: z.optional(z.string()),
  started_at: unixMillis,
  ended_at: z.nullable(unixMillis),
  /** The upstream's HTTP status; 0 when there was no response. */
  status: z.int(),
  outcome: z.string(),
  error: z.nullable(z.string()),
});

/**
 * `suspendedReason` says how the reason of a channel begins that a breaker had suspended, also
 * where it was tried as the last one left.
 */
export const suspendedReason = "suspended after ";

export const traceCandidate = z.object({
  channel_id: z.int(),
  channel_uuid: z.string(),
  channel_name: z.string(),
  /** The target of a virtual model. */
  model: z.optional(z.string()),
  taken: z.boolean(),
  /** `reason` says why the channel was chosen or not. */
  reason: z.string(),
});

/**
 * Completion tokens of one answer: the limit that the gateway wrote into a request without one, as
 * the balance covered no more.
 */
const outputLimit = z.optional(z.int());

/** `notes` are what the gateway did to the request or its answer: guards, the response cache. */
const notes = z.optional(z.readonly(z.array(z.string())));

/** The stored part of a trace; the rest follows from the log row of the call. */
export const traceRecord = z.object({
  url: z.string(),
  method: z.string(),
  body_size: z.int(),
  status: z.int(),
  output_limit: outputLimit,
  notes,
  timestamps: traceTimestamps,
  attempts: z._default(z.array(traceAttempt), []),
  candidates: z._default(z.array(traceCandidate), []),
});
export type TraceRecord = z.output<typeof traceRecord>;

export const trace = z.object({
  id: z.int(),
  uuid: z.string(),
  trace_id: z.string(),
  url: z.string(),
  method: z.string(),
  body_size: z.int(),
  status: z.int(),
  created_at: unixMillis,
  updated_at: unixMillis,
  output_limit: outputLimit,
  notes,
  timestamps: traceTimestamps,
  /** Empty except for administrators, because attempts and candidates name channels. */
  attempts: z.array(traceAttempt),
  candidates: z.array(traceCandidate),
  /** Present in the reply to a request by log only. */
  durations: z.optional(traceDurations),
  log: z.optional(
    z.object({
      id: z.int(),
      uuid: z.string(),
      user_id: z.int(),
      user_uuid: z.nullable(z.string()),
      channel_uuid: z.nullable(z.string()),
      username: z.string(),
      content: z.string(),
      type: z.int(),
    }),
  ),
  /**
   * `body` says how much is kept of the contents of the call, for those who may read it; only with
   * the reply to a request by log.
   */
  body: z.optional(z.object({ mode: z.enum(["redacted", "full"]), created_at: unixMillis })),
  /**
   * The whole log entry, so that a trace can be shown without its list; only with the reply to a
   * request by log.
   */
  entry: z.optional(log),
});
export type Trace = z.output<typeof trace>;

export const getTraceOfLog = endpoint("GET", "/api/trace/log/:id", {
  access: "user",
  scope: "logs:read",
  inTeam: true,
  summary: "The trace of a log entry, with durations",
  params: byId,
  data: trace,
});

export const getTrace = endpoint("GET", "/api/trace/:trace_id", {
  access: "user",
  scope: "logs:read",
  inTeam: true,
  summary: "A trace by its id",
  params: z.object({
    trace_id: z
      .string()
      .check(z.regex(/^[0-9a-zA-Z-]{1,64}$/, makeAboutField("must be a trace id"))),
  }),
  data: trace,
});
