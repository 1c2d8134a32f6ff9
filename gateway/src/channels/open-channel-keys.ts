/** For the relay alone: the keys of a channel in clear, with the state of each. */
import type { Sealer } from "../secrets/seal.ts";
import type { ChannelKeyRow } from "../storage/schema.ts";
import { openChannelKey } from "./channel-key.ts";
import { hasSeveralKeys, keyLines, keyRows } from "./channel-key-rules.ts";
import type { ChannelRow } from "./channel-store.ts";

export function openChannelKeys(seal: Sealer, channel: ChannelRow, rows: readonly ChannelKeyRow[]) {
  const text = openChannelKey(seal, channel);
  const keys = hasSeveralKeys(channel.config) ? keyLines(text) : [];
  // A channel without a key has none to choose from either.
  if (keys.length === 0) return [{ index: 0, key: text, hint: channel.key_hint, status: 1 }];
  return keyRows(channel.uuid, keys, keys, rows).map(({ place, hint, status }) => ({
    index: place,
    key: keys[place - 1] ?? "",
    hint,
    status,
  }));
}

/** For what needs some key of the account, such as its balance. */
export const openFirstKey = (seal: Sealer, channel: ChannelRow): string =>
  openChannelKeys(seal, channel, []).find(({ key }) => key !== "")?.key ?? "";
