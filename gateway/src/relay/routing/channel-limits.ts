/**
 * Limits how many calls an API key may send to a channel: the channel's `ratelimit` in any three
 * minutes.
 */
import type { Counters, RateWindow } from "../../limits/counters.ts";

export const limitWindowMs = 180_000;

/**
 * Milliseconds until the key may send another call, by channel id. A channel that is missing has no
 * wait.
 */
export type ChannelWaits = ReadonlyMap<number, number>;
export const noWaits: ChannelWaits = new Map();

export interface ChannelLimits {
  /** Synchronous when no channel has a limit. */
  waitsFor(
    tokenId: number,
    channels: readonly LimitedChannel[],
  ): ChannelWaits | Promise<ChannelWaits>;
  /** Counts one call; false when the limit is reached. */
  consume(tokenId: number, channel: LimitedChannel): Promise<boolean>;
}

interface LimitedChannel {
  id: number;
  /** 0 means no limit. */
  ratelimit: number;
}

export const isLimited = ({ ratelimit }: LimitedChannel): boolean => ratelimit > 0;

const buildWindow = (tokenId: number, { id, ratelimit }: LimitedChannel): RateWindow => ({
  name: `channel ${tokenId} ${id}`,
  limit: ratelimit,
  windowMs: limitWindowMs,
});

export function createChannelLimits(counters: Counters): ChannelLimits {
  const readWaits = async (
    tokenId: number,
    channels: readonly LimitedChannel[],
  ): Promise<ChannelWaits> =>
    new Map(
      await Promise.all(
        channels
          .filter(isLimited)
          .map(
            async (channel) =>
              [channel.id, await counters.wait(buildWindow(tokenId, channel))] as const,
          ),
      ),
    );
  return {
    waitsFor: (tokenId, channels) =>
      channels.some(isLimited) ? readWaits(tokenId, channels) : noWaits,
    async consume(tokenId, channel) {
      return !isLimited(channel) || (await counters.take(buildWindow(tokenId, channel))).allowed;
    },
  };
}
