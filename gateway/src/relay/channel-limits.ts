/** How many calls an API key may send to a channel: `ratelimit` of the channel in any three minutes. */
import type { Counters, RateWindow } from "../limits/counters.ts";

export const limitWindowMs = 180_000;

/** Milliseconds until the key may send another call, by the id of the channel; what is not in it has not to be waited for. */
export type Waits = ReadonlyMap<number, number>;
export const noWaits: Waits = new Map();

export interface ChannelLimits {
  /** Nothing is asked, and nothing waited for, where no channel has a limit. */
  waits(tokenId: number, channels: readonly Limited[]): Waits | Promise<Waits>;
  /** Counts one call; false when there were too many. */
  take(tokenId: number, channel: Limited): Promise<boolean>;
}

interface Limited {
  id: number;
  /** 0 is no limit. */
  ratelimit: number;
}

export const isLimited = ({ ratelimit }: Limited): boolean => ratelimit > 0;

const windowOf = (tokenId: number, { id, ratelimit }: Limited): RateWindow => ({
  name: `channel ${tokenId} ${id}`,
  limit: ratelimit,
  windowMs: limitWindowMs,
});

export function openChannelLimits(counters: Counters): ChannelLimits {
  const asked = async (tokenId: number, channels: readonly Limited[]): Promise<Waits> =>
    new Map(
      await Promise.all(
        channels
          .filter(isLimited)
          .map(async (channel) => [channel.id, await counters.wait(windowOf(tokenId, channel))] as const),
      ),
    );
  return {
    waits: (tokenId, channels) => (channels.some(isLimited) ? asked(tokenId, channels) : noWaits),
    async take(tokenId, channel) {
      return !isLimited(channel) || (await counters.take(windowOf(tokenId, channel))).allowed;
    },
  };
}
