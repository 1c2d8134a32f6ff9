/** The statements that create a channel with its sealed key and headers, for one batch. */
import type { Sealer } from "../../secrets/seal.ts";
import type { Write } from "../../storage/database.ts";
import type { ChannelKeyRow } from "../../storage/tables/channel-tables.ts";
import { sealHeaderValues } from "./channel-headers.ts";
import { describeKey, sealChannelKey, splitKeys } from "./channel-key.ts";
import { hasSeveralKeys, limitKeyLines, listKeyRows } from "./channel-key-rules.ts";
import type { ChannelKeyStore } from "./channel-key-store.ts";
import { buildProxyColumns } from "./channel-proxy.ts";
import type { ChannelEdit } from "./channel-rules.ts";
import type { ChannelStore } from "./channel-store.ts";

export interface NewChannel extends Pick<ChannelEdit, "columns" | "headers"> {
  uuid: string;
  /** `key` is one key, or a key in each line for a channel with several. */
  key: string;
  createdAt: number;
  /** The configuration file that the channel belongs to. */
  managedBy?: string;
  /** Its own outbound proxy; refused where it is none. */
  proxy?: string;
  now: number;
  /** Changes the states of keys that were not all enabled before. */
  keyState?(row: ChannelKeyRow, key: string): ChannelKeyRow;
}

interface NewChannelDeps {
  channels: ChannelStore;
  keys: ChannelKeyStore;
  seal: Sealer;
}

export function planChannelWrites(
  { channels, keys, seal }: NewChannelDeps,
  channel: NewChannel,
): Write[] {
  const {
    uuid,
    columns,
    headers,
    key,
    createdAt,
    now,
    managedBy = "",
    proxy = "",
    keyState = (row) => row,
  } = channel;
  const lines = hasSeveralKeys(columns.config) ? limitKeyLines(key) : [];
  const states = listKeyRows({ uuid, type: columns.type }, lines).map((row, index) =>
    keyState(row, lines[index] ?? ""),
  );
  return [
    channels.insert({
      ...columns,
      uuid,
      key_sealed: sealChannelKey(seal, uuid, key),
      headers_sealed: sealHeaderValues(seal, uuid, headers),
      key_hint: describeKey(columns.type, splitKeys(key)[0] ?? ""),
      ...buildProxyColumns(seal, uuid, proxy),
      balance_micros: null,
      balance_updated_at: 0,
      response_time: 0,
      tested_at: 0,
      managed_by: managedBy,
      created_at: createdAt,
      updated_at: now,
    }),
    ...keys.insert(states),
  ];
}
