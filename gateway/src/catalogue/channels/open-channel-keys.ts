/** The keys of a channel in plain text with their states. Only the relay may use it. */
import type { Sealer } from "../../secrets/seal.ts";
import type { ChannelKeyRow } from "../../storage/tables/channel-tables.ts";
import { openChannelKey } from "./channel-key.ts";
import { hasSeveralKeys, listKeyRows, splitKeyLines } from "./channel-key-rules.ts";
import type { ChannelRow } from "./channel-store.ts";

export function openChannelKeys(seal: Sealer, channel: ChannelRow, rows: readonly ChannelKeyRow[]) {
  const text = openChannelKey(seal, channel);
  const keys = hasSeveralKeys(channel.config) ? splitKeyLines(text) : [];
  // A channel without several keys has one entry, possibly an empty key.
  if (keys.length === 0) return [{ index: 0, key: text, hint: channel.key_hint, status: 1 }];
  return listKeyRows(channel, keys, keys, rows).map(({ place, hint, status }) => ({
    index: place,
    key: keys[place - 1] ?? "",
    hint,
    status,
  }));
}

/** `openFirstKey` is for calls that work with any key of the account, such as its balance. */
export const openFirstKey = (seal: Sealer, channel: ChannelRow): string =>
  openChannelKeys(seal, channel, []).find(({ key }) => key !== "")?.key ?? "";
