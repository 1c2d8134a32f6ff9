/** The log: calls, refused calls, and actions of users and administrators. */
import * as z from "zod/mini";
import { singleTag } from "../accounts/tags.ts";
import { teamFilter } from "../accounts/team-filter.ts";
import { endpoint } from "../api/endpoint.ts";
import { makeAboutField } from "../api/field-message.ts";
import { reference } from "../api/ids.ts";
import { listExtras, pageFields, sortFields } from "../api/page.ts";
import { queryFlag, queryInteger, querySeconds, unixMillis } from "../api/scalars.ts";
import { isTimeZone } from "../api/time-zones.ts";
import { logEventFields } from "./log-events.ts";

export const logTypes = {
  all: 0,
  topup: 1,
  consume: 2,
  management: 3,
  system: 4,
  test: 5,
  tool: 7,
  refused: 8,
  /** A call of a dual run: another gateway answered and charged it. */
  shadow: 9,
} as const;

/** Rows that carry charges: calls of models, and of tools. */
export const chargedLogTypes = [logTypes.consume, logTypes.tool] as const;

/** The calculation of a charge, line by line. */
export const priceExplanation = z.object({
  lines: z.array(
    z.object({
      /**
       * A bucket of the gateway's prices: `input`, `output`, `input_audio`, `images`, `seconds`,
       * `web_searches`, …
       */
      bucket: z.string(),
      tokens: z.int(),
      /** US dollars per million, decimal text. */
      price_per_million: z.string(),
      /** Whole picodollars as digits: they may exceed a JSON number. */
      picodollars: z.string(),
    }),
  ),
  /** Decimal text. */
  group_ratio: z.string(),
  /** Only of a key that names groups: the one whose ratio it is. */
  group: z.optional(z.string()),
  total_picodollars: z.string(),
  quota: z.int(),
  /** The source of the price and the day it was read. */
  source: z.string(),
  source_date: z.string(),
  /** False when the price was not confirmed on a page of the provider. */
  verified: z.boolean(),
});
export type PriceExplanation = z.output<typeof priceExplanation>;

/**
 * `loggedUsage` is what the provider reported for a call, and why the charge differs from it where
 * it does.
 */
export const loggedUsage = z.object({
  /**
   * `none_reported`, `ended_early`, `distrusted`, `duration_unknown`; missing where the provider's
   * final count is charged.
   */
  reason: z.optional(z.string()),
  /** `usage_capped`, `usage_far`, `usage_corrected`, `fee_unknown`. */
  marks: z.optional(z.array(z.string())),
  /**
   * `family` is for administrators: the provider's counts by their path, and those that the gateway
   * does not know.
   */
  family: z.optional(z.string()),
  reported: z.optional(z.record(z.string(), z.union([z.number(), z.string()]))),
  unknown: z.optional(z.array(z.string())),
});
export type LoggedUsage = z.output<typeof loggedUsage>;

export const log = z.object({
  id: z.int(),
  uuid: z.string(),
  user_id: z.int(),
  user_uuid: z.nullable(z.string()),
  /** The team that paid; missing where the account did. */
  team_id: z.optional(z.int()),
  /** Unix seconds. */
  created_at: z.int(),
  updated_at: unixMillis,
  type: z.int(),
  content: z.string(),
  ...logEventFields,
  username: z.string(),
  token_name: z.string(),
  token_uuid: z.nullable(z.string()),
  /** The priced model, after mapping. */
  model_name: z.string(),
  /** The model that the client requested. */
  origin_model_name: z.string(),
  /** The channel's integer id; 0 when there is none, and always 0 for ordinary users. */
  channel: z.int(),
  channel_uuid: z.nullable(z.string()),
  channel_name: z.optional(z.string()),
  quota: z.int(),
  prompt_tokens: z.int(),
  completion_tokens: z.int(),
  cached_prompt_tokens: z.int(),
  cached_completion_tokens: z.int(),
  request_id: z.string(),
  trace_id: z.string(),
  /** Milliseconds. */
  elapsed_time: z.int(),
  /** Milliseconds to the upstream's first byte; 0 when there was none. */
  ttft: z.int(),
  is_stream: z.boolean(),
  system_prompt_reset: z.boolean(),
  /**
   * `success`, `failed`, `client_left`, `cut`, `quota_ran_out`, `interrupted`, `refused`, `shadow`;
   * empty for other types.
   */
  outcome: z.string(),
  /** Missing for a call without tags. */
  tags: z.optional(z.record(z.string(), z.string())),
  /** The run of an agent that the call belongs to; missing for a call that named none. */
  run: z.optional(z.string()),
  /**
   * Attempts after the first, on another channel or with another key; missing where only the trace
   * knows.
   */
  retries: z.optional(z.int()),
  price: z.nullable(priceExplanation),
  usage: z.optional(loggedUsage),
  metadata: z.optional(
    z.object({
      cache_write_tokens: z.optional(z.object({ ephemeral_5m: z.int(), ephemeral_1h: z.int() })),
    }),
  ),
});
export type Log = z.output<typeof log>;

export const logSorts = [
  "id",
  "created_at",
  "created_time",
  "prompt_tokens",
  "completion_tokens",
  "quota",
  "elapsed_time",
] as const;

/**
 * `outcomeFilters` says how a call ended, for a filter: `cut` is every answer that ended before its
 * end.
 */
export const outcomeFilters = ["ok", "failed", "cut", "client_left"] as const;
export type OutcomeFilter = (typeof outcomeFilters)[number];

/** A call that takes longer is slow, in milliseconds. */
export const slowFromMs = 3_000;

const exact = z.optional(z.string().check(z.maxLength(200)));
const callFilter = {
  type: z.optional(queryInteger(0, 9)),
  token_name: exact,
  model_name: exact,
  /** Inclusive, unix seconds. */
  start_timestamp: z.optional(querySeconds),
  end_timestamp: z.optional(querySeconds),
  outcome: z.optional(z.enum(outcomeFilters)),
  /** Calls with this tag, as `team=search`. */
  tag: z.optional(singleTag),
  retried: z.optional(queryFlag),
  slow: z.optional(queryFlag),
  /** Calls that did not go smoothly: any outcome but success, or a retry. */
  problem: z.optional(queryFlag),
  /**
   * Calls in the name of this group: the one that the key chose among its groups, else that of the
   * account today.
   */
  group: exact,
  /**
   * The one call with this id, its uuid or its trace id, whatever else is asked for; no row where
   * there is none.
   */
  request_id: exact,
  /** Calls of one run of an agent. */
  run: exact,
};
/** The caller's own rows, or those of a team. */
const ownFilter = { ...callFilter, ...teamFilter };
/** Administrators can also filter by user and channel. */
const fullFilter = { ...callFilter, username: exact, channel: z.optional(reference) };
const sorting = sortFields(logSorts);
const paging = {
  ...pageFields,
  ...sorting,
  /** Aliases of `size`, `sort` and `order`. */
  items_per_page: pageFields.size,
  sort_by: sorting.sort,
  sort_order: sorting.order,
};
const keyword = { keyword: z.optional(z.string().check(z.maxLength(200))) };
const time_zone = z.optional(
  z
    .string()
    .check(
      z.maxLength(64),
      z.refine(isTimeZone, makeAboutField("must be a time zone such as Europe/Berlin")),
    ),
);

const found = z.extend(listExtras, {
  /** The search stopped at this moment; older rows were not examined. Unix seconds. */
  searched_back_to: z.optional(z.int()),
});
const listing = { data: z.array(log), extras: found } as const;

export const listLogs = endpoint("GET", "/api/log/", {
  access: "admin",
  scope: "logs:read",
  summary: "Logs of all users, newest first",
  query: z.object({ ...paging, ...fullFilter }),
  ...listing,
});
export const listOwnLogs = endpoint("GET", "/api/log/self", {
  access: "user",
  scope: "logs:read",
  inTeam: true,
  summary: "The caller's logs, newest first",
  query: z.object({ ...paging, ...ownFilter }),
  ...listing,
});
export const searchLogs = endpoint("GET", "/api/log/search", {
  access: "admin",
  scope: "logs:read",
  summary:
    "Logs of all users whose content contains the keyword, or the one with this request id, trace id, uuid or id (#7)",
  query: z.object({ ...paging, ...fullFilter, ...keyword }),
  ...listing,
});
export const searchOwnLogs = endpoint("GET", "/api/log/self/search", {
  access: "user",
  scope: "logs:read",
  inTeam: true,
  summary:
    "The caller's logs whose content contains the keyword, or the one with this request id, trace id, uuid or id (#7)",
  query: z.object({ ...paging, ...ownFilter, ...keyword }),
  ...listing,
});

/** The console polls this every few seconds. A call that ended now may have begun minutes ago. */
export const tailMinutes = 15;
export const tailLogs = endpoint("GET", "/api/log/tail", {
  access: "admin",
  scope: "logs:read",
  summary: "The newest logs of all users from the last minutes, without a total",
  query: z.object({ size: pageFields.size, ...fullFilter, ...keyword }),
  data: z.array(log),
});
export const tailOwnLogs = endpoint("GET", "/api/log/self/tail", {
  access: "user",
  scope: "logs:read",
  inTeam: true,
  summary: "The caller's newest logs from the last minutes, without a total",
  query: z.object({ size: pageFields.size, ...ownFilter, ...keyword }),
  data: z.array(log),
});

/** The number of exported rows; absent when it is not known in advance. */
export const exportTotalHeader = "X-Total-Count";
/** The calls' tags as a further, last column. */
const with_tags = z.optional(queryFlag);
export const exportLogs = endpoint("GET", "/api/log/export", {
  access: "admin",
  scope: "logs:read",
  summary: "All logs of all users that match the filter, newest first",
  query: z.object({ ...fullFilter, ...keyword, time_zone, with_tags }),
  stream: "text/csv",
});
export const exportOwnLogs = endpoint("GET", "/api/log/self/export", {
  access: "user",
  scope: "logs:read",
  inTeam: true,
  summary: "All of the caller's logs that match the filter, newest first",
  query: z.object({ ...ownFilter, ...keyword, time_zone, with_tags }),
  stream: "text/csv",
});

/** `capped`: no roll-up fits the filter and the sum covers only the newest rows. */
const stat = z.object({ quota: z.int(), capped: z.optional(z.boolean()) });
export const getLogStat = endpoint("GET", "/api/log/stat", {
  access: "admin",
  scope: "usage:read",
  summary: "The total cost of the calls that match the filter",
  query: z.object(fullFilter),
  data: stat,
});
export const getOwnLogStat = endpoint("GET", "/api/log/self/stat", {
  access: "user",
  scope: "usage:read",
  inTeam: true,
  summary: "The total cost of the caller's calls that match the filter",
  query: z.object(ownFilter),
  data: stat,
});

/** Calls that failed alike, or were slow alike. */
export const logProblem = z.object({
  outcome: z.string(),
  content: z.string(),
  model_name: z.string(),
  /** `channel` is as in a log entry: 0 for ordinary users, whose groups span channels. */
  channel: z.int(),
  channel_name: z.optional(z.string()),
  calls: z.int(),
  /** The affected users. */
  users: z.int(),
  /** Unix seconds. */
  first_at: z.int(),
  last_at: z.int(),
  /** The newest entry, whose trace shows what happened. */
  last_uuid: z.string(),
});
export type LogProblem = z.output<typeof logProblem>;

/** `problemsOverTime` is the same calls by time: each list has one count per step. */
const problemsOverTime = z.object({
  /** Unix seconds at which the first step begins. */
  from: z.int(),
  /** The length of a step in seconds. */
  step: z.int(),
  /** The reasons with most calls, most first. */
  reasons: z.array(z.object({ outcome: z.string(), content: z.string(), calls: z.array(z.int()) })),
  /** The calls of all other reasons. */
  other: z.array(z.int()),
  /**
   * `by_channel` is for administrators: the same calls by channel, most first, with the sum of all
   * others.
   */
  by_channel: z.optional(
    z.object({
      /** `channel` is 0 for calls that reached none. */
      channels: z.array(
        z.object({ channel: z.int(), channel_name: z.string(), calls: z.array(z.int()) }),
      ),
      other: z.array(z.int()),
    }),
  ),
});
export type ProblemsOverTime = z.output<typeof problemsOverTime>;

const problemListing = {
  data: z.array(logProblem),
  extras: z.object({
    searched_back_to: z.optional(z.int()),
    over_time: z.optional(problemsOverTime),
  }),
} as const;
export const listProblems = endpoint("GET", "/api/log/problems", {
  access: "admin",
  scope: "logs:read",
  summary:
    "What went wrong with the newest calls of all users: grouped by outcome, reason, channel and model, most calls first",
  query: z.object({ ...fullFilter, ...keyword }),
  ...problemListing,
});
export const listOwnProblems = endpoint("GET", "/api/log/self/problems", {
  access: "user",
  scope: "logs:read",
  inTeam: true,
  summary:
    "What went wrong with the caller's newest calls: grouped by outcome, reason and model, most calls first",
  query: z.object({ ...ownFilter, ...keyword }),
  ...problemListing,
});

export const clearLogs = endpoint("DELETE", "/api/log/", {
  access: "admin",
  scope: "logs:write",
  summary: "Delete all logs and traces from before a moment; ledger and totals stay",
  query: z.object({ target_timestamp: querySeconds }),
  /** The number of removed rows. */
  data: z.int(),
  timeoutMs: 120_000,
});
