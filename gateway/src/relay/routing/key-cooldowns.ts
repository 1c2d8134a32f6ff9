/** The keys of a channel that has several: whose turn it is, and which rest because their provider refused them. */
import { channelStatus } from "@tollgate/contract/channels.ts";
import type { RelayChannel, RelayChannelKey } from "./channel-table.ts";

const defaultCooldownMs = 60_000;
const retryAfterMaxMs = 60_000;
/** More than there are channels with several keys; the oldest go first. */
const entriesMax = 20_000;

export interface KeyCooldown {
  channelId: number;
  keyIndex: number;
  reason: string;
  until: number;
}

export interface KeyCooldowns {
  /** The keys that may be used, in the order in which they are tried: each call begins with another one, or with `first`. */
  keysToTry(channel: Pick<RelayChannel, "id" | "keys">, first?: number): RelayChannelKey[];
  coolDown(channelId: number, keyIndex: number, status: number, retryAfterMs: number | undefined): void;
  list(): KeyCooldown[];
}

export function createKeyCooldowns(now: () => number): KeyCooldowns {
  const cooldowns = new Map<string, KeyCooldown & { isHard: boolean }>();
  const nextStarts = new Map<number, number>();

  function current(name: string) {
    const cooldown = cooldowns.get(name);
    if (cooldown === undefined || cooldown.until > now()) return cooldown;
    cooldowns.delete(name);
    return undefined;
  }

  return {
    keysToTry({ id, keys }, first) {
      const enabled = keys.filter(({ status }) => status === channelStatus.enabled);
      if (enabled.length <= 1) return enabled;
      const start = nextStarts.get(id) ?? 0;
      remember(nextStarts, id, (start + 1) % enabled.length);
      const rotated = [...enabled.slice(start % enabled.length), ...enabled.slice(0, start % enabled.length)];
      const ordered = rotated.sort((a, b) => Number(b.index === first) - Number(a.index === first));
      const cooldownOf = (key: RelayChannelKey) => current(`${id} ${key.index}`);
      const available = ordered.filter((key) => !cooldownOf(key));
      // Asked for a pause, a key is left alone while there is another; the rest is better than nothing.
      const coolingDown = ordered.filter(
        (key) => cooldownOf(key) && (available.length === 0 || !cooldownOf(key)?.isHard),
      );
      return [...available, ...coolingDown];
    },
    coolDown(channelId, keyIndex, status, retryAfterMs) {
      const isHard = status === 429 && retryAfterMs !== undefined;
      const ms = isHard ? Math.min(Math.max(retryAfterMs, 0), retryAfterMaxMs) : defaultCooldownMs;
      const cooldown = { channelId, keyIndex, reason: `status ${status}`, until: now() + ms, isHard };
      remember(cooldowns, `${channelId} ${keyIndex}`, cooldown);
    },
    list: () => [...cooldowns.keys()].flatMap((name) => current(name) ?? []),
  };
}

function remember<Key, Value>(into: Map<Key, Value>, key: Key, value: Value): void {
  into.delete(key);
  into.set(key, value);
  if (into.size > entriesMax) into.delete(into.keys().next().value ?? key);
}
