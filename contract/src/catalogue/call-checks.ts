/**
 * Checks of a call that is not made: the code that admits and routes real calls says if it would
 * work now, without sending or charging anything.
 */
import * as z from "zod/mini";
import { buildEachTokenLimit } from "../accounts/token-restrictions.ts";
import { endpoint } from "../api/endpoint.ts";
import { makeAboutField } from "../api/field-message.ts";
import { reference } from "../api/ids.ts";
import { line, queryInteger } from "../api/scalars.ts";
import { priceExplanation } from "../figures/logs.ts";

/** `callCheckSteps` are in the order in which a call passes them. */
export const callCheckSteps = ["key", "model", "route", "limits", "balance"] as const;
export type CallCheckStep = (typeof callCheckSteps)[number];

/** Endpoints that a check can ask for, by their names in channel settings. */
export const checkedEndpoints = [
  "chat_completions",
  "completions",
  "response_api",
  "claude_messages",
  "embeddings",
  "moderations",
  "rerank",
  "ocr",
  "images_generations",
  "audio_speech",
] as const;
export type CheckedEndpoint = (typeof checkedEndpoints)[number];

const tokensMax = 10_000_000;

export const callCheck = z.object({
  model: z.string(),
  endpoint: z.enum(checkedEndpoints),
  username: z.string(),
  /** The user's. */
  group: z.string(),
  /** `groups` says whose channels the call tries, in this order. */
  groups: z.array(z.string()),
  token_name: z.string(),
  would_work: z.boolean(),
  /** The model to which a budget that is used up sends the call. */
  model_instead: z.optional(z.string()),
  /**
   * `refusals` has the answer that the client would get first; the others are obstacles behind it.
   * Empty when the call would work.
   */
  refusals: z.array(
    z.object({
      step: z.enum(callCheckSteps),
      /** The HTTP status, and the words that the client gets. */
      status: z.int(),
      code: z.string(),
      message: z.string(),
      /** Seconds; missing where waiting does not help. */
      retry_after: z.optional(z.int()),
    }),
  ),
  /** Addresses from which the key may be used; empty for any. */
  subnets: z.array(z.string()),
  /** Channels that list the model: those to try in their order, and those that are left out. */
  candidates: z.int(),
  excluded: z.int(),
  /** `channels` are the same by name with reasons; empty except for administrators. */
  channels: z.array(
    z.object({
      id: z.int(),
      uuid: z.string(),
      name: z.string(),
      is_candidate: z.boolean(),
      reason: z.string(),
      /** The model that the provider is asked for; empty for a channel that is left out. */
      upstream_model: z.string(),
    }),
  ),
  /**
   * `price` is what the call costs at most at the first candidate: the estimated prompt and the
   * longest answer.
   */
  price: z.nullable(priceExplanation),
  /** Calls and tokens per minute and calls at once; 0 is no limit. */
  limits: z.object(buildEachTokenLimit(() => z.int())),
  /** `balance` is in units. Null for a key without a limit of its own. */
  balance: z.object({ available: z.int(), debt: z.int(), key_available: z.nullable(z.int()) }),
  /**
   * Null without a candidate. `granted` is what would be held: less than `wanted` where the answer
   * would be limited.
   */
  hold: z.nullable(
    z.object({
      wanted: z.int(),
      granted: z.nullable(z.int()),
      /** Completion tokens of one answer, where the balance limits it. */
      output_limit: z.nullable(z.int()),
    }),
  ),
});
export type CallCheck = z.output<typeof callCheck>;

export const checkCall = endpoint("GET", "/api/call_check", {
  access: "user",
  scope: "tokens:read",
  summary: "Whether a call would work now, and why not; nothing is sent or charged",
  query: z
    .object({
      /** Users name their own; administrators any. */
      token: z.optional(reference),
      /** A user without one of their keys: administrators name any, others themselves or none. */
      user: z.optional(reference),
      model: line(200).check(z.minLength(1, makeAboutField("is required"))),
      endpoint: z._default(z.enum(checkedEndpoints), "chat_completions"),
      max_tokens: z.optional(queryInteger(1, tokensMax)),
      prompt_tokens: z.optional(queryInteger(1, tokensMax)),
    })
    .check(
      z.refine(({ token, user }) => !(token && user), makeAboutField("or user is given, not both")),
    ),
  data: callCheck,
});
