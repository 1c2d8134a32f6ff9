/** Enables or disables one key of a channel with several, for an administrator. */
import type { Reference } from "@tollgate/contract/api/ids.ts";
import { refuse } from "../../http/refusal.ts";
import type { AuthenticatedContext } from "../../http/request-context.ts";
import type { Database } from "../../storage/database.ts";
import type { ChannelKeyStore } from "./channel-key-store.ts";
import type { ChannelRow, ChannelStore } from "./channel-store.ts";

export interface ChannelKeyEdit {
  place: number;
  status: number;
  updated_at?: number | undefined;
}

export async function updateChannelKey(
  { db, channels, keys }: { db: Database; channels: ChannelStore; keys: ChannelKeyStore },
  reference: Reference,
  edit: ChannelKeyEdit,
  { now, audit }: AuthenticatedContext,
): Promise<ChannelRow> {
  const channel = await channels.find(reference);
  if (!channel) throw refuse("channel_not_found");
  if (edit.updated_at !== undefined && edit.updated_at !== channel.updated_at)
    throw refuse("changed_meanwhile");
  const key = (await keys.ofChannels([channel.uuid])).find(({ place }) => place === edit.place);
  if (!key) throw refuse("channel_key_not_found");
  const { place, hint } = key;
  const change = { place, hint, status: edit.status };
  await db.write(
    [
      channels.update(channel, { updated_at: Math.max(now, channel.updated_at + 1) }),
      keys.change(key, { status: edit.status, reason: "", changed_at: now }),
      ...audit("channel.update_key", channel.uuid, change),
    ],
    { changes: ["channels"] },
  );
  const changed = await channels.find({ id: channel.id });
  if (!changed) throw refuse("channel_not_found");
  return changed;
}
