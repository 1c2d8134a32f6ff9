/** How a channel fares at the moment, and each of its keys where it has several. */
import * as z from "zod/mini";
import { unixMillis } from "./scalars.ts";

/** A model for which the channel just failed. Kept in memory: it is what the node that answers has seen. */
export const channelBreaker = z.object({
  model: z.string(),
  /** `open`: tried last. `limited`: not tried, since the provider named a time. `half_open`: one call may try. */
  state: z.enum(["open", "limited", "half_open"]),
  reason: z.string(),
  /** 0 when half open. */
  seconds_left: z.int(),
});
export type ChannelBreaker = z.output<typeof channelBreaker>;

/** One of the keys of a channel that has several. */
export const channelKey = z.object({
  /** From 1 on, in the order of the lines. */
  place: z.int(),
  /** The last four characters, or empty. */
  hint: z.string(),
  /** 1 enabled, 2 disabled by hand, 3 disabled automatically. */
  status: z.int(),
  reason: z.string(),
  /** Of the status; 0 when it never changed. */
  changed_at: unixMillis,
  /** Seconds that an enabled key still rests because its provider refused it, on the node that answers. */
  seconds_left: z.int(),
});
export type ChannelKey = z.output<typeof channelKey>;
