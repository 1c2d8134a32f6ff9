/** Usage by day. Days are UTC. */
import * as z from "zod/mini";
import { teamFilter } from "../accounts/team-filter.ts";
import { endpoint } from "../api/endpoint.ts";
import { makeAboutField } from "../api/field-message.ts";
import { reference } from "../api/ids.ts";
import { utcDay } from "../api/scalars.ts";
import { knownCost } from "../catalogue/known-cost.ts";
import { callCount } from "./recent-calls.ts";

/** Compatible servers have the capitalised members; the others are specific to this gateway. */
const measures = {
  Day: z.string(),
  RequestCount: z.int(),
  Quota: z.int(),
  PromptTokens: z.int(),
  CompletionTokens: z.int(),
  CachedPromptTokens: z.int(),
  CacheHitCount: z.int(),
  CacheHitQuota: z.int(),
  failures: z.int(),
  /** Per cent, null without requests. */
  success_rate: z.nullable(z.number()),
  /** Milliseconds, null without requests. */
  avg_latency_ms: z.nullable(z.number()),
  p95_latency_ms: z.nullable(z.number()),
  /** Average milliseconds to the first byte; null when none was measured. */
  ttft_ms: z.nullable(z.number()),
};

export const modelUsage = z.object({ ...measures, ModelName: z.string() });
export const userUsage = z.object({
  ...measures,
  Username: z.string(),
  user_id: z.int(),
  user_uuid: z.string(),
});
export const tokenUsage = z.object({
  ...measures,
  TokenName: z.string(),
  Username: z.string(),
  user_id: z.int(),
  user_uuid: z.string(),
});
export type ModelUsage = z.output<typeof modelUsage>;
export type UserUsage = z.output<typeof userUsage>;
export type TokenUsage = z.output<typeof tokenUsage>;

export const dashboard = z.object({
  logs: z.array(modelUsage),
  /** The users and tokens that spent most; for all users only in the last week of the range. */
  user_logs: z.array(userUsage),
  token_logs: z.array(tokenUsage),
  /**
   * The balance, including what running calls hold; null of a team whose members may not know it.
   */
  total_quota: z.nullable(z.int()),
  used_quota: z.int(),
  /** `debt` is what the account owes; missing for all users. */
  debt: z.optional(z.int()),
  status: z.string(),
  /**
   * The previous UTC day until the time of day that it is now: what an unfinished day compares
   * with. Null when the range does not end today, and when that day has more calls than one request
   * may add up.
   */
  same_time: z.nullable(z.object({ requests: z.int(), quota: z.int(), tokens: z.int() })),
});
export type Dashboard = z.output<typeof dashboard>;

const allUsers = z.literal("all");

export const getDashboard = endpoint("GET", "/api/user/dashboard", {
  access: "user",
  scope: "usage:read",
  inTeam: true,
  summary:
    "The caller's totals and usage by day, or a team's; administrators may name another user, or all",
  query: z.object({
    from_date: z.optional(utcDay),
    to_date: z.optional(utcDay),
    user_id: z.optional(
      z.union([allUsers, reference], makeAboutField("must be an id, a uuid or all")),
    ),
    ...teamFilter,
  }),
  data: dashboard,
});

/** The further figures of a range, from roll-ups alone; hours and weekdays are UTC. */
export const dashboardInsight = z.object({
  /** Days with calls, oldest first. */
  days: z.array(
    z.object({
      Day: z.string(),
      RequestCount: z.int(),
      failures: z.int(),
      /** Milliseconds, of calls that did not fail; null without any. */
      p95_latency_ms: z.nullable(z.number()),
      /** Average milliseconds to the first byte; null when none was measured. */
      ttft_ms: z.nullable(z.number()),
    }),
  ),
  /**
   * `pace` is what one account spent a day, the mean of its last finished days, at most seven; null
   * for all users, and for an account with fewer than three finished days.
   */
  pace: z.nullable(z.object({ quota_per_day: z.number(), days: z.int() })),
  /**
   * The busiest channels in the last week of the range, with their last 24 hours, oldest first;
   * null for one account.
   */
  channels: z.nullable(
    z.array(
      z.object({
        id: z.int(),
        name: z.string(),
        requests: z.int(),
        failures: z.int(),
        quota: z.int(),
        /** Null where no call has a known cost. */
        cost: z.optional(z.nullable(knownCost)),
        hours: z.array(callCount),
      }),
    ),
  ),
  /**
   * The models with calls of known cost in the range, those that were charged most; null for one
   * account.
   */
  model_costs: z.optional(z.nullable(z.array(z.object({ model: z.string(), cost: knownCost })))),
  /**
   * `prompt_marks` are the calls of the range in whose prompts the gateway set marks for the cache
   * of the provider, and the units that they saved, less what writing cost. Null where no call had
   * any.
   */
  prompt_marks: z.optional(z.nullable(z.object({ requests: z.int(), saved: z.int() }))),
  /**
   * Calls by weekday (0 is Monday) and hour in the last four weeks of the range: 7 rows of 24; null
   * for one account.
   */
  week: z.nullable(z.array(z.array(callCount))),
});
export type DashboardInsight = z.output<typeof dashboardInsight>;

export const getDashboardInsight = endpoint("GET", "/api/user/dashboard/insight", {
  access: "user",
  scope: "usage:read",
  inTeam: true,
  summary:
    "Latency by day, pace of spending, and for all users channels and hours; administrators may name a user, or all; a team has no latency",
  query: getDashboard.query,
  data: dashboardInsight,
});

/** The first entry stands for all users and has the id `all`. */
export const listDashboardUsers = endpoint("GET", "/api/user/dashboard/users", {
  access: "admin",
  scope: "usage:read",
  summary: "The users that the dashboard can show",
  data: z.array(
    z.object({
      id: z.union([z.int(), allUsers]),
      uuid: z.string(),
      username: z.string(),
      display_name: z.string(),
    }),
  ),
});
