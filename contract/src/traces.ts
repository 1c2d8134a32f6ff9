/** What happened to one call, moment by moment and channel by channel. */
import * as z from "zod/mini";
import { endpoint } from "./endpoint.ts";
import { aboutField } from "./field-message.ts";
import { byId } from "./ids.ts";
import { unixMillis } from "./scalars.ts";

const moment = z.optional(unixMillis);
const span = z.optional(z.int());

/** Server milliseconds; a key is absent when its moment was not reached. */
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
  /** Of a channel with several keys, the last characters of the one that was used. */
  key_hint: z.optional(z.string()),
  started_at: unixMillis,
  ended_at: z.nullable(unixMillis),
  /** The upstream's HTTP status, 0 when none came. */
  status: z.int(),
  outcome: z.string(),
  error: z.nullable(z.string()),
});

export const traceCandidate = z.object({
  channel_id: z.int(),
  channel_uuid: z.string(),
  channel_name: z.string(),
  taken: z.boolean(),
  /** Why it was taken or not. */
  reason: z.string(),
});

/** What is stored of a call; the rest of a trace follows from its log row. */
export const traceRecord = z.object({
  url: z.string(),
  method: z.string(),
  body_size: z.int(),
  status: z.int(),
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
  timestamps: traceTimestamps,
  /** Attempts and candidates name channels, which are the administrators' business: empty for others. */
  attempts: z.array(traceAttempt),
  candidates: z.array(traceCandidate),
  /** Asked for by log only. */
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
});
export type Trace = z.output<typeof trace>;

export const getTraceOfLog = endpoint("GET", "/api/trace/log/:id", {
  access: "user",
  summary: "The trace of a log entry, with durations",
  params: byId,
  data: trace,
});

export const getTrace = endpoint("GET", "/api/trace/:trace_id", {
  access: "user",
  summary: "A trace by its id",
  params: z.object({ trace_id: z.string().check(z.regex(/^[0-9a-zA-Z-]{1,64}$/, aboutField("must be a trace id"))) }),
  data: trace,
});
