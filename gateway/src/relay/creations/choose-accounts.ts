/**
 * Chooses the accounts that may make what a user keeps at a provider: by what routing knows, as for
 * calls.
 */
import { channelStatus } from "@tollgate/contract/catalogue/channels.ts";
import type { CallerIdentity, CallerReach } from "../admission/caller-parts.ts";
import type { ObjectHome } from "../provider-states/provider-states.ts";
import type { GroupRatioSettings, RetrySettings } from "../relay-settings.ts";
import { chooseGroupRatio, type RoutingDeps } from "../route-call.ts";
import { groupServing } from "../routing/channel-groups.ts";
import type { ChannelAccess, ChannelIdentity, ServedModels } from "../routing/channel-parts.ts";
import { buildWaitRefusal, type ChannelChoice, NoChannel } from "../routing/choose-channels.ts";
import { namesOf, servesName } from "../routing/listed-models.ts";
import { orderChannels } from "../routing/order-channels.ts";
import type { SelectionReason } from "../routing/routing-reasons.ts";
import type { RelayRefused } from "../wire/relay-refusal.ts";
import { findModelWithObjects, type ObjectApi } from "./provider-objects.ts";

/** `AccountDeps` are what the choice of an account reads. */
export type AccountDeps = Omit<RoutingDeps, "modelPace"> & {
  settings: GroupRatioSettings & RetrySettings;
};

export interface AccountsWanted {
  /** `model` is what breakers, row and price call it: a model, or the kind of what is made. */
  model: string;
  /** `keeps` says whether a channel that the caller may use can make it. */
  keeps(channel: ChannelIdentity & ServedModels & ChannelAccess): boolean;
  /** The account that keeps what the request names: no other one is asked. */
  bound?: ObjectHome | undefined;
  /** The channel that an administrator requires, by id or uuid. */
  pin?: string | undefined;
  /** Before others of its priority: what one request names must lie at one account. */
  latestChannelId?: number | undefined;
  /** `missing` says where no channel can make it. */
  missing(): RelayRefused;
}

/** Throws `RelayRefused` where there is none, and where each has to wait. */
export async function chooseAccounts(
  { model, keeps, bound, pin, latestChannelId, missing }: AccountsWanted,
  caller: CallerIdentity & CallerReach,
  deps: AccountDeps,
): Promise<ChannelChoice> {
  const { channels, breakers, channelLimits, toldLimits, settings, now, random } = deps;
  const { snapshot } = channels;
  const { tokenId, groups, namesGroups } = caller;
  const usable = snapshot.channels.filter(
    (channel) =>
      channel.status === channelStatus.enabled &&
      groupServing(channel, groups) !== undefined &&
      channel.keys.some(({ status }) => status === channelStatus.enabled) &&
      isPinned(channel, pin) &&
      (bound === undefined || channel.id === bound.channel.id) &&
      keeps(channel),
  );
  if (usable.length === 0) throw missing();
  const waits = await channelLimits.waitsFor(tokenId, usable);
  const preferred =
    latestChannelId === undefined ? undefined : { channelId: latestChannelId, keyIndex: 0 };
  const terms = { model, groups, preferred, attemptsMax: 1 + settings.retryTimes() };
  const order = orderChannels(usable, terms, { breakers, waits, toldLimits }, now(), random);
  const waiting = order.tried.length === 0 ? buildWaitRefusal(model, order) : undefined;
  if (waiting) throw new NoChannel(waiting, order.excluded);
  const ratioOf = chooseGroupRatio(caller, settings);
  const candidates = order.tried.map((channel) => {
    const group = namesGroups ? groupServing(channel, groups) : undefined;
    return {
      channel,
      model,
      reason: order.reasons.get(channel) as SelectionReason,
      cost: snapshot.price(channel, model, ratioOf(channel), now()),
      ...(group !== undefined && { group }),
    };
  });
  return { candidates, excluded: order.excluded };
}

/**
 * `isPinned` says whether a channel is the one that the caller requires, by id or uuid; every
 * channel is where none is required.
 */
const isPinned = ({ id, uuid }: ChannelIdentity, pin: string | undefined): boolean =>
  pin === undefined || String(id) === pin || uuid === pin;

/**
 * `keepsObjects` says whether the channel keeps objects beside an API, and the key may use one of
 * its models.
 */
export const keepsObjects = (
  channel: ServedModels,
  { models }: Pick<CallerReach, "models">,
  api?: ObjectApi,
): boolean =>
  [...(models ?? namesOf(channel))].some(
    (model) => servesName(channel, model) && !channel.hiddenModels.has(model),
  ) && findModelWithObjects(channel, api) !== undefined;
