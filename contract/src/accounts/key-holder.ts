/**
 * The facts that an API key tells its holder about itself. The key is the credential, so these are
 * operations of the client API.
 */
import * as z from "zod/mini";
import { endpoint } from "../api/endpoint.ts";
import { keptBodies } from "../call-bodies.ts";
import { buildEachTokenLimit } from "./token-restrictions.ts";
import { tokenPause } from "./tokens.ts";

/** `keyState` is what a holder should know of a key besides its sums. */
const keyState = {
  /** Null for a key that is not paused. */
  paused: z.nullable(tokenPause),
  /**
   * `bodies` are what is kept of the contents of its calls: empty for nothing, `redacted` or
   * `full`.
   */
  bodies: z.enum(keptBodies),
};

/** `GET /api/usage/token`, as new-api answers it, and the limits besides. Sums are units. */
export const readKeyUsage = endpoint("GET", "/api/usage/token", {
  access: "public",
  scope: "none",
  summary: "What the key has used, may still use and may call",
  bare: true,
  data: z.object({
    data: z.object({
      name: z.string(),
      total_used: z.int(),
      /** 0 for a key that is used up. */
      total_available: z.int(),
      unlimited_quota: z.boolean(),
      model_limits: z.record(z.string(), z.boolean()),
      model_limits_enabled: z.boolean(),
      /** Unix seconds; 0 for never. */
      expires_at: z.int(),
      /** Each is 0 without a limit; the first two are by minute. */
      limits: z.object(buildEachTokenLimit(() => z.int())),
      ...keyState,
    }),
  }),
});

/** `GET /api/log/token`: the newest calls of the key, first the last one. */
export const readKeyLogs = endpoint("GET", "/api/log/token", {
  access: "public",
  scope: "none",
  summary: "The newest calls of the key",
  data: z.array(
    z.object({
      request_id: z.string(),
      /** Unix seconds. */
      created_at: z.int(),
      type: z.int(),
      content: z.string(),
      model_name: z.string(),
      quota: z.int(),
      prompt_tokens: z.int(),
      completion_tokens: z.int(),
      outcome: z.string(),
    }),
  ),
});

/** `GET /v1/budget`: sums are units. */
export const readKeyBudgets = endpoint("GET", "/v1/budget", {
  access: "public",
  scope: "none",
  summary: "The budgets of the key and of its owner",
  bare: true,
  data: z.object({
    data: z.array(
      z.object({
        id: z.int(),
        name: z.string(),
        /** Missing where they are the operator's alone. */
        amount: z.optional(z.int()),
        /** `granted` is a part of the amount, for this window alone; missing for none. */
        granted: z.optional(z.int()),
        spent: z.optional(z.int()),
        held: z.optional(z.int()),
        /** ISO 8601; missing for a budget that does not start anew. */
        resets_at: z.optional(z.string()),
      }),
    ),
    ...keyState,
  }),
});
