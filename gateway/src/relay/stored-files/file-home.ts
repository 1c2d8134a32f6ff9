/** Chooses the account that keeps a user's next file: an upload names no model. Pure. */
import { channelStatus } from "@tollgate/contract/channels.ts";
import type { RelayCaller } from "../admission/api-keys.ts";
import { groupServing, inGroupOrder } from "../routing/channel-groups.ts";
import type { ChannelSnapshot, RelayChannel } from "../routing/channel-table.ts";
import { byPriorityAndWeight } from "../routing/choose-channels.ts";
import { besideResponses, modelWithObjects, type ObjectApi, type ObjectHome } from "./provider-objects.ts";

interface FileHomeWanted {
  pin: string | undefined;
  latestChannelId: number | undefined;
  api?: ObjectApi;
}

/**
 * A channel that the caller may use, with the API (Responses without another): by priority, then the one with the user's latest file, so
 * that a request can name several, then drawn by weight. Undefined where there is none.
 */
export function fileHome(
  caller: Pick<RelayCaller, "groups" | "models">,
  { channels }: Pick<ChannelSnapshot, "channels">,
  { pin, latestChannelId, api = besideResponses }: FileHomeWanted,
  random: () => number,
): ObjectHome | undefined {
  const usable = channels.filter((channel) => mayKeepFiles(channel, caller, api) && isPinned(channel, pin));
  for (const channel of inGroupOrder(usable, caller.groups, (some) =>
    byPriorityAndWeight(some, random, latestChannelId),
  )) {
    const key = channel.keys.find(({ status }) => status === channelStatus.enabled);
    if (key) return { channel, key };
  }
  return undefined;
}

/** Whether a channel is the one that the caller requires, by id or uuid; every channel is where none is required. */
export const isPinned = ({ id, uuid }: RelayChannel, pin: string | undefined): boolean =>
  pin === undefined || String(id) === pin || uuid === pin;

const mayKeepFiles = (
  channel: RelayChannel,
  { groups, models }: Pick<RelayCaller, "groups" | "models">,
  api: ObjectApi,
): boolean =>
  channel.status === channelStatus.enabled &&
  groupServing(channel, groups) !== undefined &&
  [...channel.models].some((model) => !channel.hiddenModels.has(model) && (models === null || models.has(model))) &&
  modelWithObjects(channel, api) !== undefined;
