/** What the API answers about balances, copies and the clearing out of channels. */
import {
  deleteDisabledChannels,
  duplicateChannel,
  updateBalance,
  updateBalanceByGet,
} from "@tollgate/contract/channel-actions.ts";
import { channelStatus } from "@tollgate/contract/channels.ts";
import type { Reference } from "@tollgate/contract/ids.ts";
import { answer, type Route } from "../http/answer.ts";
import { once } from "../http/idempotency.ts";
import { refuse } from "../http/refusal.ts";
import type { Sealer } from "../secrets/seal.ts";
import { type Database, StatementMissed } from "../storage/database.ts";
import { uuid7 } from "../storage/ids.ts";
import { balanceCall } from "./balance-calls.ts";
import type { Channel, ChannelStore } from "./channel-store.ts";
import { shownBalance } from "./channel-view.ts";
import { copyOf } from "./copy-channel.ts";
import type { UpdateBalance } from "./update-balance.ts";

/** In one transaction; what is left goes in the next one. */
const deletedAtOnce = 500;

interface Parts {
  db: Database;
  channels: ChannelStore;
  seal: Sealer;
  updateBalance: UpdateBalance;
}

export function channelActionRoutes({ db, channels, seal, updateBalance: update }: Parts): Route[] {
  const existing = async (reference: Reference): Promise<Channel> => {
    const channel = await channels.find(reference);
    if (!channel) throw refuse("channel_not_found");
    return channel;
  };

  const balanceOf = async (reference: Reference) => {
    const channel = await existing(reference);
    if (!balanceCall(channel.type)) throw refuse("channel_balance_unsupported");
    const answered = await update(channel);
    if ("trouble" in answered)
      throw refuse("channel_balance_failed", { message: `The balance could not be read: ${answered.trouble}` });
    return { data: undefined, balance: shownBalance(answered.micros) };
  };

  return [
    ...[updateBalanceByGet, updateBalance].map((endpoint) => answer(endpoint, ({ params }) => balanceOf(params.id))),

    answer(duplicateChannel, async (call) => {
      const channel = await existing(call.params.id);
      const made = await once(db, call, {
        name: "channel.duplicate",
        body: { uuid: channel.uuid },
        async create(remember) {
          const copy = copyOf(channel, uuid7(call.now), call.now, seal);
          const entry = { at: call.now, actorId: call.caller.id, address: call.address };
          const { uuid, name } = copy;
          await db.write(
            [
              channels.insert(copy),
              ...db.audit({
                ...entry,
                action: "channel.duplicate",
                target: uuid,
                change: { name, from: channel.uuid },
              }),
              ...remember(uuid),
            ],
            { changes: ["channels"] },
          );
          return uuid;
        },
      });
      const { id, uuid, name } = await existing({ uuid: made });
      return { id, uuid, name };
    }),

    answer(deleteDisabledChannels, async ({ caller, address, now }) => {
      const entry = { at: now, actorId: caller.id, address, action: "channel.delete_disabled", target: "channels" };
      for (let deleted = 0; ; ) {
        const found = await channels.withStatus([channelStatus.disabled], deletedAtOnce);
        if (found.length === 0) return deleted;
        const change = { deleted: found.map(({ uuid }) => uuid) };
        const ids = found.map(({ id }) => id);
        try {
          await db.write([channels.removeWithStatus(ids, channelStatus.disabled), ...db.audit({ ...entry, change })], {
            changes: ["channels"],
          });
        } catch (error) {
          // One of them was enabled or deleted at this moment.
          throw error instanceof StatementMissed ? refuse("changed_meanwhile") : error;
        }
        deleted += found.length;
      }
    }),
  ];
}
