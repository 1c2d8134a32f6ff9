/** The public list of models and prices. */
import * as z from "zod/mini";
import { endpoint } from "../api/endpoint.ts";

/** Token prices are US dollars per million tokens, before the ratio of the user's group. */
const displayedModel = z.object({
  input_price: z.number(),
  cached_input_price: z.number(),
  cache_write_5m_price: z.number(),
  cache_write_1h_price: z.number(),
  output_price: z.number(),
  /**
   * Rates for a whole call whose prompt has more than `above` tokens; the highest matching tier
   * applies.
   */
  tiers: z.optional(
    z.array(
      z.object({
        above: z.int(),
        input_price: z.number(),
        cached_input_price: z.number(),
        output_price: z.number(),
      }),
    ),
  ),
  /** US dollars per image, where the channel names it. */
  image_price: z.optional(z.number()),
  /** The longest completion; 0 where no limit is known. */
  max_tokens: z.int(),
  /** Tokens of prompt and completion together; missing where it is not known. */
  context_window: z.optional(z.int()),
  /** False where the price was not confirmed against the provider's published one. */
  price_verified: z.boolean(),
});
export type DisplayedModel = z.output<typeof displayedModel>;

const displayedProvider = z.object({
  /** The channel's name for administrators, the provider's name for others. */
  channel_name: z.string(),
  channel_type: z.int(),
  models: z.record(z.string(), displayedModel),
});
export type DisplayedProvider = z.output<typeof displayedProvider>;

export const listDisplayedModels = endpoint("GET", "/api/models/display", {
  access: "public",
  scope: "none",
  summary:
    "Models and their prices by provider: all models for visitors, those of the user's group after sign-in",
  data: z.record(z.string(), displayedProvider),
  beforePasswordChange: true,
});
