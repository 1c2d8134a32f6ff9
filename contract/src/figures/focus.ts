/** Spending as FinOps tools read it: https://focus.finops.org, version 1.2. Days are UTC. */
import * as z from "zod/mini";
import { teamFilter } from "../accounts/team-filter.ts";
import { endpoint } from "../api/endpoint.ts";
import { makeAboutField } from "../api/field-message.ts";
import { reference } from "../api/ids.ts";
import { queryInteger, utcDay } from "../api/scalars.ts";

export const focusVersion = "1.2";
/** A year with both of its ends. */
export const focusDaysMax = 366;
export const focusPreviewMax = 1_000;

export const exportFocus = endpoint("GET", "/api/usage/focus", {
  access: "user",
  scope: "usage:read",
  inTeam: true,
  summary:
    "Spending as FOCUS 1.2 CSV by UTC day, user, key, model and kind of usage: the caller's own, or a team's; administrators may name another user, or all",
  query: z.object({
    /** Both ends are inclusive. */
    from: utcDay,
    to: utcDay,
    /** `limit` says how many rows at the most, for a preview; all without it. */
    limit: z.optional(queryInteger(1, focusPreviewMax)),
    user_id: z.optional(
      z.union([z.literal("all"), reference], makeAboutField("must be an id, a uuid or all")),
    ),
    ...teamFilter,
  }),
  stream: "text/csv",
});
