/** The row of a channel's copy. Pure except for the seal. */
import { channelStatus } from "@tollgate/contract/catalogue/channels.ts";
import type { Insertable } from "kysely";
import type { Sealer } from "../../secrets/seal.ts";
import type { ChannelsTable } from "../../storage/tables/channel-tables.ts";
import { openHeaderValues, sealHeaderValues } from "./channel-headers.ts";
import { openChannelKey, sealChannelKey } from "./channel-key.ts";
import { copyProxy } from "./channel-proxy.ts";
import type { ChannelRow } from "./channel-store.ts";

const nameMax = 100;
const suffix = " (copy)";

/** Secrets are sealed for one row, so the copy seals them again. */
export function buildChannelCopy(channel: ChannelRow, uuid: string, now: number, seal: Sealer) {
  const { id: _, used_quota: __, ...copied } = channel;
  return {
    ...copied,
    uuid,
    name: channel.name.slice(0, nameMax - suffix.length) + suffix,
    // An administrator reviews the copy before it serves calls.
    status: channelStatus.disabled,
    disabled_reason: "",
    external_id: null,
    managed_by: "",
    key_sealed: sealChannelKey(seal, uuid, openChannelKey(seal, channel)),
    headers_sealed: sealHeaderValues(seal, uuid, openHeaderValues(seal, channel)),
    proxy_sealed: copyProxy(seal, channel, uuid),
    balance_micros: null,
    balance_updated_at: 0,
    response_time: 0,
    tested_at: 0,
    created_at: now,
    updated_at: now,
  } satisfies Insertable<ChannelsTable>;
}
