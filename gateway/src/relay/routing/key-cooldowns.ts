/** Round-robin over a channel's keys, with a cooldown for keys that the provider rejected. */
import { channelStatus } from "@tollgate/contract/catalogue/channels.ts";
import { findRestStated } from "../wire/retry-after.ts";
import type { ChannelIdentity, ChannelStanding, RelayChannelKey } from "./channel-parts.ts";

const defaultCooldownMs = 60_000;
/** More than the keys of all channels; the oldest entries are dropped first. */
const entriesMax = 20_000;

export interface KeyCooldown {
  channelId: number;
  keyIndex: number;
  reason: string;
  until: number;
}

export interface KeyCooldowns {
  /**
   * The enabled keys in the order of attempts. Each call begins with the next key, or with `first`.
   */
  keysToTry(
    channel: Pick<ChannelIdentity, "id"> & Pick<ChannelStanding, "keys">,
    first?: number,
  ): RelayChannelKey[];
  coolDown(
    channelId: number,
    keyIndex: number,
    status: number,
    retryAfterMs: number | undefined,
  ): void;
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
      const rotated = [
        ...enabled.slice(start % enabled.length),
        ...enabled.slice(0, start % enabled.length),
      ];
      const ordered = rotated.sort((a, b) => Number(b.index === first) - Number(a.index === first));
      const cooldownOf = (key: RelayChannelKey) => current(`${id} ${key.index}`);
      const available = ordered.filter((key) => !cooldownOf(key));
      // A key with a time from the provider waits while there is another; the other cooling keys
      // are better than none.
      const coolingDown = ordered.filter(
        (key) => cooldownOf(key) && (available.length === 0 || !cooldownOf(key)?.isHard),
      );
      return [...available, ...coolingDown];
    },
    coolDown(channelId, keyIndex, status, retryAfterMs) {
      const stated = findRestStated(status, retryAfterMs);
      const until = now() + (stated ?? defaultCooldownMs);
      const cooldown = {
        channelId,
        keyIndex,
        reason: `status ${status}`,
        until,
        isHard: stated !== undefined,
      };
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
