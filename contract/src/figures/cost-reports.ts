/**
 * The charges that providers report, beside those of this gateway. A channel whose provider has a
 * cost API takes a report key of its own: an administrator's key of the provider account, which is
 * written and never read.
 */
import * as z from "zod/mini";
import { endpoint } from "../api/endpoint.ts";
import { makeAboutField } from "../api/field-message.ts";
import { byId, entityId } from "../api/ids.ts";
import { unixMillis } from "../api/scalars.ts";

/** `costReportFailures` says why a report could not be read. */
export const costReportFailures = [
  "refused_key",
  "rate_limited",
  "provider_status",
  "no_answer",
  "unreachable",
  "unreadable",
  "too_long",
  "address_changed",
  "key_unreadable",
] as const;
export type CostReportFailure = (typeof costReportFailures)[number];

const costReportMembersMax = 50;

export const costReport = z.object({
  channel_id: z.int(),
  channel_uuid: z.string(),
  channel_name: z.string(),
  type: z.int(),
  /** The end of the report key. */
  key_hint: z.string(),
  /** A project, workspace or key id of the provider; empty for the whole account. */
  scope: z.string(),
  /**
   * Further channels that call with the same account: their calls are added to those of
   * `channel_id`.
   */
  channel_ids: z.array(z.int()),
  /** `read_at` is when the report was last read; null before that. */
  read_at: z.nullable(unixMillis),
  /** `failure` says why the last attempt failed; null after a success. */
  failure: z.nullable(z.enum(costReportFailures)),
  /** The status of the provider's answer, where it says more than `failure`; 0 for none. */
  failure_status: z.int(),
});
export type CostReport = z.output<typeof costReport>;

/** Calls, tokens and cost; null where the provider does not report it. */
const costFigures = z.object({
  requests: z.nullable(z.int()),
  prompt_tokens: z.nullable(z.int()),
  completion_tokens: z.nullable(z.int()),
  /** Millionths of a dollar, without any group ratio. */
  cost_micros: z.nullable(z.int()),
});
export type CostFigures = z.output<typeof costFigures>;

const comparedCost = z.object({
  /** The names of the model on both sides that the line adds up; empty for a total. */
  models: z.array(z.string()),
  /** Null where this gateway charged nothing. */
  charged: z.nullable(costFigures),
  /** Null where the provider reports nothing. */
  reported: z.nullable(costFigures),
  /**
   * `difference_micros` are what the provider charged beyond our figure; null where it cannot be
   * compared.
   */
  difference_micros: z.nullable(z.int()),
  /**
   * The difference in percent of what the provider reports, rounded to hundredths; null without a
   * report above 0.
   */
  difference_percent: z.nullable(z.number()),
});
export type ComparedCost = z.output<typeof comparedCost>;

const costDay = z.object({
  /** A UTC day, `YYYY-MM-DD`. */
  day: z.string(),
  /**
   * `open`: the provider may still add to it. `incomplete`: log rows of the day were deleted before
   * it was read, so our figures are too small. Only closed days count in the totals.
   */
  state: z.enum(["open", "closed", "incomplete"]),
  lines: z.array(comparedCost),
  total: comparedCost,
});
export type CostDay = z.output<typeof costDay>;

export const costComparison = z.object({
  /** The newest first. */
  days: z.array(costDay),
  /** The closed days by model, the most expensive first. */
  models: z.array(comparedCost),
  /** The closed days. */
  total: comparedCost,
  closed_days: z.int(),
});
export type CostComparison = z.output<typeof costComparison>;

export const listCostReports = endpoint("GET", "/api/cost_report/", {
  access: "admin",
  scope: "channels:read",
  summary: "The channels with a report key, and when their provider's costs were last read",
  data: z.array(costReport),
});

export const updateCostReport = endpoint("PUT", "/api/cost_report/:id", {
  access: "admin",
  scope: "channels:write",
  summary: "Set the report key of a channel, or what its report covers; another scope starts anew",
  params: byId,
  body: z.object({
    /** Stays when it is missing; must be given again where the address of the channel changed. */
    key: z.optional(
      z
        .string()
        .check(
          z.regex(
            /^[\x21-\x7e]{8,512}$/,
            makeAboutField("must be 8 to 512 characters without spaces"),
          ),
        ),
    ),
    scope: z.optional(z.string().check(z.maxLength(110))),
    channel_ids: z.optional(z.array(entityId).check(z.maxLength(costReportMembersMax))),
  }),
  data: costReport,
});

export const deleteCostReport = endpoint("DELETE", "/api/cost_report/:id", {
  access: "admin",
  scope: "channels:write",
  summary: "Forget the report key of a channel and the costs that were read with it",
  params: byId,
});

export const readCostReport = endpoint("POST", "/api/cost_report/:id/read", {
  access: "admin",
  scope: "channels:write",
  summary: "Read the provider's costs now; at most once a minute",
  params: byId,
  data: costReport,
  timeoutMs: 120_000,
});

const utcDay = z.string().check(z.regex(/^\d{4}-\d\d-\d\d$/, makeAboutField("must be YYYY-MM-DD")));

export const compareCostReport = endpoint("GET", "/api/cost_report/:id/days", {
  access: "admin",
  scope: "channels:read",
  summary:
    "What was charged beside what the provider reports, by UTC day and model; without a range, 30 days",
  params: byId,
  query: z.object({ from: z.optional(utcDay), to: z.optional(utcDay) }),
  data: costComparison,
});
