/** Spending as FinOps tools read it: https://focus.finops.org, version 1.2. Days are UTC. */
import * as z from "zod/mini";
import { endpoint } from "./endpoint.ts";
import { aboutField } from "./field-message.ts";
import { reference } from "./ids.ts";
import { queryInteger, utcDay } from "./scalars.ts";

export const focusVersion = "1.2";
/** A year with both of its ends. */
export const focusDaysMax = 366;
export const focusPreviewMax = 1_000;

export const exportFocus = endpoint("GET", "/api/usage/focus", {
  access: "user",
  scope: "usage:read",
  summary:
    "Spending as FOCUS 1.2 CSV by UTC day, user, key, model and kind of usage: the caller's own; administrators may name another user, or all",
  query: z.object({
    /** Both ends are inclusive. */
    from: utcDay,
    to: utcDay,
    /** How many rows at the most, for a preview; all without it. */
    limit: z.optional(queryInteger(1, focusPreviewMax)),
    user_id: z.optional(z.union([z.literal("all"), reference], aboutField("must be an id, a uuid or all"))),
  }),
  stream: "text/csv",
});
