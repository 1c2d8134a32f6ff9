/** The current health of a channel and of its keys. */
import * as z from "zod/mini";
import { unixMillis } from "../api/scalars.ts";

/** A model for which the channel failed recently. Each node keeps its own list in memory. */
export const channelBreaker = z.object({
  model: z.string(),
  /**
   * `open`: tried last. `limited`: not tried until the time that the provider named. `half_open`:
   * one call may try.
   */
  state: z.enum(["open", "limited", "half_open"]),
  reason: z.string(),
  /** 0 when half open. */
  seconds_left: z.int(),
});
export type ChannelBreaker = z.output<typeof channelBreaker>;

/** A key of a channel with several keys. */
export const channelKey = z.object({
  /** Counted from 1, in the order of the lines. */
  place: z.int(),
  /** The last four characters, or empty. */
  hint: z.string(),
  /** 1 enabled, 2 disabled manually, 3 disabled automatically. */
  status: z.int(),
  reason: z.string(),
  /** The last change of the status; 0 when it never changed. */
  changed_at: unixMillis,
  /** Seconds of cooldown left after the provider refused the key, on the node that answers. */
  seconds_left: z.int(),
});
export type ChannelKey = z.output<typeof channelKey>;

/** Usage of a channel's provider that does not fit, counted by each node since it started. */
export const channelUsageMark = z.object({
  /**
   * `usage_capped`: more than one call can have, charged at the ceiling. `usage_far`: far from what
   * was seen. `usage_unknown`: counts that the gateway does not know.
   */
  mark: z.enum(["usage_capped", "usage_far", "usage_unknown"]),
  calls: z.int(),
  last_at: unixMillis,
  /** The unknown counts of the last such call. */
  members: z.array(z.string()),
});
export type ChannelUsageMark = z.output<typeof channelUsageMark>;
