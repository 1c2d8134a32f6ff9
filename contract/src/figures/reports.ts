/** The spending of a month, from roll-ups alone. Months are UTC. */
import * as z from "zod/mini";
import { tagKey } from "../accounts/tags.ts";
import { teamFilter } from "../accounts/team-filter.ts";
import { endpoint } from "../api/endpoint.ts";
import { makeAboutField } from "../api/field-message.ts";
import { reference } from "../api/ids.ts";
import { knownCost } from "../catalogue/known-cost.ts";

export const reportKinds = ["user", "key", "model", "channel", "tag"] as const;
export type ReportKind = (typeof reportKinds)[number];

/** `2026-11`; roll-ups of calls before 2020 do not exist. */
export const reportMonth = z
  .string()
  .check(
    z.regex(
      /^20[2-9][0-9]-(?:0[1-9]|1[0-2])$/,
      makeAboutField("must be a month as YYYY-MM, from 2020 on"),
    ),
  );

const sums = {
  requests: z.int(),
  failures: z.int(),
  prompt_tokens: z.int(),
  /** Part of the prompt tokens. */
  cached_prompt_tokens: z.int(),
  completion_tokens: z.int(),
  /** Quota units. */
  quota: z.int(),
  /**
   * `cost` is for administrators, in reports of all users by model or channel: null where no call
   * has a known cost.
   */
  cost: z.optional(z.nullable(knownCost)),
};

export const reportRow = z.object({
  ...sums,
  /** Integer id of user, key or channel; 0 for a model, and for all keys that were deleted. */
  id: z.int(),
  /**
   * Empty for what was deleted, for calls without the tag, and for the services of a team, which
   * are user 0.
   */
  name: z.string(),
  /** The user of a key; empty for others. */
  owner: z.string(),
});
export type ReportRow = z.output<typeof reportRow>;

const query = z.object({
  month: reportMonth,
  by: z.enum(reportKinds),
  /** `tag_key` is the tag whose values are reported, where `by` is `tag`. */
  tag_key: z.optional(tagKey),
  /**
   * `all` is for administrators; by default the caller. Users, channels and tags are reported for
   * all alone.
   */
  user_id: z.optional(
    z.union([z.literal("all"), reference], makeAboutField("must be an id, a uuid or all")),
  ),
  /** A team is reported by user, key or model. */
  ...teamFilter,
});

/** Rows of one reply of JSON, those that spent most; the CSV has all. */
export const reportRowsMax = 500;

export const getMonthReport = endpoint("GET", "/api/report/", {
  access: "user",
  scope: "usage:read",
  inTeam: true,
  summary:
    "What the caller spent in a month by key or model, or a team also by user; administrators may ask for all, also by channel or tag",
  query,
  data: z.object({
    month: reportMonth,
    by: z.enum(reportKinds),
    /** The days of a month that has not ended are not all there. */
    is_finished: z.boolean(),
    rows: z.array(reportRow),
    /** True: there are more rows than `rows` has. */
    is_cut: z.boolean(),
    total: z.object(sums),
    /** `tag_keys` are the keys that `tag_key` may name, for those who may ask for all users. */
    tag_keys: z.array(z.string()),
  }),
});

export const exportMonthReport = endpoint("GET", "/api/report/export", {
  access: "user",
  scope: "usage:read",
  inTeam: true,
  summary:
    "All rows of a month's report as CSV, in quota units and US dollars; by model or channel of all users with known costs and margins",
  query,
  stream: "text/csv",
});
