/** The channels that may serve a call: the question to routing, and its choice. */
import { computeLowestGroupRatio, readGroupRatio } from "../money/prices/price-book.ts";
import { choosePin } from "./admission/authenticate.ts";
import type { CallerIdentity, CallerReach } from "./admission/caller-parts.ts";
import type { RelayCall } from "./formats/api-format.ts";
import type { AskedSize } from "./formats/call-parts.ts";
import { type CostMember, findCostMembers } from "./formats/hold-size/cost-members.ts";
import { holdAmount } from "./formats/hold-size/token-estimate.ts";
import { buildExtrasInPriceUnit } from "./formats/usage/media-usage.ts";
import type { GroupRatioSettings, RoutingSettings } from "./relay-settings.ts";
import type { Breakers } from "./routing/breakers.ts";
import { type GroupedChannel, groupServing } from "./routing/channel-groups.ts";
import type { ChannelLimits, ChannelWaits } from "./routing/channel-limits.ts";
import type { ChannelIdentity, ServedModels } from "./routing/channel-parts.ts";
import type { ChannelPrice, RelayChannelTable } from "./routing/channel-table.ts";
import {
  type ChannelChoice,
  chooseChannels,
  type RoutingRequest,
} from "./routing/choose-channels.ts";
import { chooseTargets } from "./routing/choose-targets.ts";
import type { ModelPace } from "./routing/model-pace.ts";
import type { PreferredChannel } from "./routing/session-affinity.ts";
import type { ToldLimits } from "./routing/told-limits.ts";
import { planUpstreamCall } from "./routing/translation-registry.ts";

/** `RoutingDeps` are what routing reads. */
export interface RoutingDeps {
  channels: RelayChannelTable;
  breakers: Breakers;
  channelLimits: ChannelLimits;
  toldLimits: ToldLimits;
  modelPace: ModelPace;
  now(): number;
  random(): number;
}

/**
 * Throws `RelayRefused` when no channel can be tried. Synchronous where no channel of the model has
 * a limit.
 */
export function routeCall(
  request: RoutingRequest,
  { channels, breakers, channelLimits, toldLimits, modelPace, now, random }: RoutingDeps,
): ChannelChoice | Promise<ChannelChoice> {
  const { snapshot } = channels;
  const { model, fallbackModels, tokenId } = request;
  const { channelsBehind } = snapshot;
  const routed = snapshot.routed(model, fallbackModels);
  const reached = fallbackModels
    ? [model, ...fallbackModels].flatMap(channelsBehind)
    : channelsBehind(model);
  const choose = (waits: ChannelWaits): ChannelChoice => {
    const state = { breakers, waits, toldLimits };
    return routed
      ? chooseTargets(request, routed, snapshot, state, modelPace, now(), random)
      : chooseChannels(request, snapshot, state, now(), random);
  };
  const waits = channelLimits.waitsFor(tokenId, reached);
  return waits instanceof Promise ? waits.then(choose) : choose(waits);
}

export const buildRoutingRequest = (
  call: RelayCall,
  caller: CallerIdentity & CallerReach,
  pin: string | undefined,
  settings: RoutingSettings,
  preferred?: PreferredChannel,
): RoutingRequest => ({
  model: call.model,
  endpoint: call.client.endpoint,
  refersTo: call.refersTo,
  ownApiFor: call.ownApiFor,
  neededTools: call.neededTools,
  variant: call.variant,
  costMembersAt: call.costMembers && ((channel, model) => listCostMembers(channel, model, call)),
  groups: caller.groups,
  groupOf: caller.namesGroups ? chooseGroup(caller) : undefined,
  groupRatioFor: chooseGroupRatio(caller, settings),
  pin: choosePin(caller, pin),
  tokenId: caller.tokenId,
  userId: caller.userId,
  fallbackModels: call.fallbackModels,
  conversationId: call.conversation?.id,
  estimateAt: (cost) => computeComparableCost(call, cost),
  preferred,
  storesResponses: settings.holdsAnswers(),
  attemptsMax: 1 + settings.retryTimes(),
});

/**
 * Completion tokens of an answer without a limit, for comparing prices: the longest answers of
 * models differ widely.
 */
const comparedOutputTokens = 1_000;

function computeComparableCost(call: AskedSize, { price, frozen }: ChannelPrice): number {
  const output = (call.maxOutputTokens ?? comparedOutputTokens) * call.choiceCount;
  const extras = call.extras && buildExtrasInPriceUnit(call.extras, price.rates);
  return holdAmount(price, call.promptEstimate, 0, output, frozen.group_ratio, extras);
}

/** A translation may leave members out: what it leaves out neither costs nor is refused. */
function listCostMembers(
  channel: ChannelIdentity & ServedModels,
  model: string,
  call: RelayCall,
): readonly CostMember[] {
  const upstreamModel = channel.modelMapping.get(model) ?? model;
  const urls = channel.urlsFor(upstreamModel);
  if (urls[call.client.endpoint]) return call.costMembers?.members ?? [];
  const { body, form } = planUpstreamCall(call, urls, upstreamModel, channel.type).call;
  if (form) return call.costMembers?.members ?? [];
  return findCostMembers(JSON.parse(body.toString("utf8")))?.members ?? [];
}

export function chooseGroupRatio(
  caller: CallerIdentity & CallerReach,
  settings: GroupRatioSettings,
): (channel: GroupedChannel) => number {
  const ratios = settings.groupRatios();
  if (settings.chargesByChannel())
    return (channel) => computeLowestGroupRatio(channel.groups, ratios);
  if (caller.namesGroups) return (channel) => readGroupRatio(chooseGroup(caller)(channel), ratios);
  const own = readGroupRatio(caller.group, ratios);
  return () => own;
}

/**
 * `chooseGroup` says in whose name a key with groups of its own uses a channel. A channel that an
 * administrator pins may be outside of all of them.
 */
const chooseGroup =
  ({ groups, group }: CallerIdentity & CallerReach) =>
  (channel: GroupedChannel): string =>
    groupServing(channel, groups) ?? groups[0] ?? group;
