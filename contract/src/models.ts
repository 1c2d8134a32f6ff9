/** Which models there are and what they cost, for anybody who considers using them. */
import * as z from "zod/mini";
import { endpoint } from "./endpoint.ts";

/** Token prices are US dollars per million tokens, before the ratio of the caller's group. */
const displayedModel = z.object({
  input_price: z.number(),
  cached_input_price: z.number(),
  cache_write_5m_price: z.number(),
  cache_write_1h_price: z.number(),
  output_price: z.number(),
  /** What all of a call costs whose prompt has more than so many tokens; the last that fits counts. */
  tiers: z.optional(
    z.array(
      z.object({ above: z.int(), input_price: z.number(), cached_input_price: z.number(), output_price: z.number() }),
    ),
  ),
  /** US dollars for one image, where the channel names it. */
  image_price: z.optional(z.number()),
  /** The longest answer; 0 where no limit is known. */
  max_tokens: z.int(),
  /** False where nobody has confirmed the price against what the provider publishes. */
  price_verified: z.boolean(),
});
export type DisplayedModel = z.output<typeof displayedModel>;

const displayedProvider = z.object({
  /** The provider's name again, except for administrators. */
  channel_name: z.string(),
  channel_type: z.int(),
  models: z.record(z.string(), displayedModel),
});
export type DisplayedProvider = z.output<typeof displayedProvider>;

export const listDisplayedModels = endpoint("GET", "/api/models/display", {
  access: "public",
  summary: "Models and their prices by provider: all for visitors, those of their group for who is signed in",
  data: z.record(z.string(), displayedProvider),
  beforePasswordChange: true,
});
