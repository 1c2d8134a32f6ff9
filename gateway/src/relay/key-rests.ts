/** The keys of a channel that has several: whose turn it is, and which rest because their provider refused them. */
import type { ChannelKey, RelayChannel } from "./channel-table.ts";

const usualMs = 60_000;
const retryAfterMaxMs = 60_000;
/** More than there are channels with several keys; the oldest go first. */
const rememberedMax = 20_000;

export interface KeyRest {
  channelId: number;
  place: number;
  reason: string;
  until: number;
}

export interface KeyRests {
  /** The keys that may be used, in the order in which they are tried: each call begins with another one, or with `first`. */
  inTurn(channel: Pick<RelayChannel, "id" | "keys">, first?: number): ChannelKey[];
  rest(channelId: number, place: number, status: number, retryAfterMs: number | undefined): void;
  all(): KeyRest[];
}

export function openKeyRests(now: () => number): KeyRests {
  const rests = new Map<string, KeyRest & { isHard: boolean }>();
  const turns = new Map<number, number>();

  function current(name: string) {
    const rest = rests.get(name);
    if (rest === undefined || rest.until > now()) return rest;
    rests.delete(name);
    return undefined;
  }

  return {
    inTurn({ id, keys }, first) {
      const enabled = keys.filter(({ status }) => status === 1);
      if (enabled.length <= 1) return enabled;
      const turn = turns.get(id) ?? 0;
      remember(turns, id, (turn + 1) % enabled.length);
      const rotated = [...enabled.slice(turn % enabled.length), ...enabled.slice(0, turn % enabled.length)];
      const ordered = rotated.sort((a, b) => Number(b.place === first) - Number(a.place === first));
      const resting = (key: ChannelKey) => current(`${id} ${key.place}`);
      const awake = ordered.filter((key) => !resting(key));
      // Asked for a pause, a key is left alone while there is another; the rest is better than nothing.
      const asleep = ordered.filter((key) => resting(key) && (awake.length === 0 || !resting(key)?.isHard));
      return [...awake, ...asleep];
    },
    rest(channelId, place, status, retryAfterMs) {
      const isHard = status === 429 && retryAfterMs !== undefined;
      const ms = isHard ? Math.min(Math.max(retryAfterMs, 0), retryAfterMaxMs) : usualMs;
      const rest = { channelId, place, reason: `status ${status}`, until: now() + ms, isHard };
      remember(rests, `${channelId} ${place}`, rest);
    },
    all: () => [...rests.keys()].flatMap((name) => current(name) ?? []),
  };
}

function remember<Key, Value>(into: Map<Key, Value>, key: Key, value: Value): void {
  into.delete(key);
  into.set(key, value);
  if (into.size > rememberedMax) into.delete(into.keys().next().value ?? key);
}
