/**
 * How many calls an API key may send to a channel: `ratelimit` of the channel in any three minutes, counted in slices so
 * that a busy key costs no more memory than a quiet one. Each node counts for itself.
 */

export const limitWindowMs = 180_000;
const sliceMs = 10_000;
const slices = limitWindowMs / sliceMs;
/** Pairs of key and channel beyond this push out the one that was quiet longest. */
const pairsMax = 20_000;

export interface ChannelLimits {
  /** Milliseconds until the key may send another call, 0 for now. */
  waitMs(tokenId: number, channel: Limited): number;
  /** Counts one call; false when there were too many. */
  take(tokenId: number, channel: Limited): boolean;
}

interface Limited {
  id: number;
  /** 0 is no limit. */
  ratelimit: number;
}

interface Slice {
  /** Number of the slice since 1970. */
  at: number;
  calls: number;
}

export function openChannelLimits(now: () => number): ChannelLimits {
  const pairs = new Map<string, Slice[]>();

  /** A slice counts until all of it is out of the window: then no three minutes hold more than the limit. */
  const recent = (name: string): Slice[] => {
    const oldest = Math.floor(now() / sliceMs) - slices;
    return (pairs.get(name) ?? []).filter(({ at }) => at >= oldest);
  };

  function waitMs(tokenId: number, { id, ratelimit }: Limited): number {
    if (ratelimit <= 0) return 0;
    const found = recent(`${tokenId} ${id}`);
    let over = found.reduce((sum, { calls }) => sum + calls, 0) - ratelimit + 1;
    for (const { at, calls } of found) {
      if (over <= 0) break;
      over -= calls;
      if (over <= 0) return (at + 1 + slices) * sliceMs - now();
    }
    return 0;
  }

  return {
    waitMs,
    take(tokenId, channel) {
      if (channel.ratelimit <= 0) return true;
      if (waitMs(tokenId, channel) > 0) return false;
      const name = `${tokenId} ${channel.id}`;
      const found = recent(name);
      const at = Math.floor(now() / sliceMs);
      const last = found.at(-1);
      if (last?.at === at) last.calls += 1;
      else found.push({ at, calls: 1 });
      // Deleted first, so that the order of the map is that of the latest calls.
      pairs.delete(name);
      pairs.set(name, found);
      if (pairs.size > pairsMax) pairs.delete(pairs.keys().next().value ?? name);
      return true;
    },
  };
}
