/** API routes for balances, copies, single keys, proxies and the deletion of disabled channels. */

import type { Reference } from "@tollgate/contract/api/ids.ts";
import {
  deleteDisabledChannels,
  duplicateChannel,
  updateBalance,
  updateBalanceByGet,
  updateChannelKey as updateChannelKeyEndpoint,
} from "@tollgate/contract/catalogue/channel-actions.ts";
import { updateChannelProxy } from "@tollgate/contract/catalogue/channel-proxies.ts";
import { channelStatus } from "@tollgate/contract/catalogue/channels.ts";
import { type ApiRoute, apiRoute } from "../../http/api-route.ts";
import { idempotent } from "../../http/idempotency.ts";
import { refuse } from "../../http/refusal.ts";
import type { Sealer } from "../../secrets/seal.ts";
import type { Database, Write } from "../../storage/database.ts";
import { readUuid7 } from "../../storage/time-ids.ts";
import { findBalanceApi } from "./balance-apis.ts";
import type { ChannelKeyStore } from "./channel-key-store.ts";
import { buildProxyColumns } from "./channel-proxy.ts";
import type { ChannelRow, ChannelStore } from "./channel-store.ts";
import { type ChannelViews, showBalance } from "./channel-view.ts";
import { buildChannelCopy } from "./copy-channel.ts";
import type { UpdateBalance } from "./update-balance.ts";
import { updateChannelKey } from "./update-channel-key.ts";

/** Channels deleted per transaction. */
const deleteBatchSize = 500;

interface ChannelActionDeps {
  db: Database;
  channels: ChannelStore;
  keys: ChannelKeyStore;
  seal: Sealer;
  updateBalance: UpdateBalance;
  view: ChannelViews;
  /** Statements that forget the report keys of deleted channels. */
  removeReports(uuids: readonly string[]): Write[];
}

export function buildChannelActionRoutes({
  db,
  channels,
  keys,
  seal,
  updateBalance: update,
  view,
  removeReports,
}: ChannelActionDeps): ApiRoute[] {
  const existing = async (reference: Reference): Promise<ChannelRow> => {
    const channel = await channels.find(reference);
    if (!channel) throw refuse("channel_not_found");
    return channel;
  };

  const balanceOf = async (reference: Reference) => {
    const channel = await existing(reference);
    if (!findBalanceApi(channel.type)) throw refuse("channel_balance_unsupported");
    const result = await update(channel);
    if ("error" in result)
      throw refuse("channel_balance_failed", {
        message: `The balance could not be read: ${result.error}`,
      });
    return { data: undefined, balance: showBalance(result.micros) };
  };

  return [
    ...[updateBalanceByGet, updateBalance].map((endpoint) =>
      apiRoute(endpoint, ({ params }) => balanceOf(params.id)),
    ),

    apiRoute(duplicateChannel, async (call) => {
      const channel = await existing(call.params.id);
      const copyUuid = await idempotent(db, call, {
        name: "channel.duplicate",
        body: { uuid: channel.uuid },
        async create(remember) {
          const copy = buildChannelCopy(channel, readUuid7(call.now), call.now, seal);
          const { uuid, name } = copy;
          const keyRows = (await keys.ofChannels([channel.uuid])).map((row) => ({
            ...row,
            channel_uuid: uuid,
          }));
          await db.write(
            [
              channels.insert(copy),
              ...keys.insert(keyRows),
              ...call.audit("channel.duplicate", uuid, { name, from: channel.uuid }),
              ...remember(uuid),
            ],
            { changes: ["channels"] },
          );
          return uuid;
        },
      });
      const { id, uuid, name } = await existing({ uuid: copyUuid });
      return { id, uuid, name };
    }),

    apiRoute(updateChannelKeyEndpoint, async (call) =>
      view.one(await updateChannelKey({ db, channels, keys }, call.params.id, call.body, call)),
    ),

    apiRoute(updateChannelProxy, async (call) => {
      const channel = await existing(call.params.id);
      const proxy = buildProxyColumns(seal, channel.uuid, call.body.proxy);
      await db.write(
        [
          channels.proxied(channel, proxy),
          ...call.audit("channel.update", channel.uuid, { proxy: proxy.proxy_hint }),
        ],
        { changes: ["channels"] },
      );
      return view.one(await existing({ id: channel.id }));
    }),

    apiRoute(deleteDisabledChannels, async ({ audit }) => {
      for (let deleted = 0; ; ) {
        const found = await channels.disabledOfNoFile(deleteBatchSize);
        if (found.length === 0) return deleted;
        const change = { deleted: found.map(({ uuid }) => uuid) };
        const ids = found.map(({ id }) => id);
        const { deleted: uuids } = change;
        const removed = [
          channels.removeWithStatus(ids, channelStatus.disabled),
          ...keys.remove(uuids),
          ...removeReports(uuids),
        ];
        const entry = audit("channel.delete_disabled", "channels", change);
        await db.write([...removed, ...entry], { changes: ["channels"] });
        deleted += found.length;
      }
    }),
  ];
}
