/** Adds up the calls of a batch before it runs: each is checked as if it were sent by itself. */
import { hasOfficialHost } from "@tollgate/contract/catalogue/official-hosts.ts";
import { freezePrice } from "../../money/prices/price.ts";
import { applyBatchFactor } from "../../money/prices/price-factors.ts";
import { findModelRefusal } from "../admission/authenticate.ts";
import type { CallerIdentity, CallerReach } from "../admission/caller-parts.ts";
import type { CallFormats, RelayCall } from "../formats/api-format.ts";
import type { AskedModel, AskedSize, SentBody } from "../formats/call-parts.ts";
import { buildUsageLimits } from "../formats/usage/usage-limits.ts";
import type { ObjectHome, StateBinding } from "../provider-states/provider-states.ts";
import type { EstimateSettings, HoldSettings, RoutingSettings } from "../relay-settings.ts";
import { buildRoutingRequest } from "../route-call.ts";
import type { ChannelAccess, ServedModels } from "../routing/channel-parts.ts";
import type { ChannelPrice, RelayChannelTable } from "../routing/channel-table.ts";
import type { ChannelCandidate } from "../routing/choose-channels.ts";
import { sellerOfType } from "../routing/cost-member-rules.ts";
import { servesName } from "../routing/listed-models.ts";
import { computeCandidateUnits, readWantedHold } from "../wanted-hold.ts";
import { record } from "../wire/json-parts.ts";
import type { RelayRefused } from "../wire/relay-refusal.ts";

/** `CheckDeps` are what a call of a batch is checked with. */
export interface CheckDeps {
  channels: Pick<RelayChannelTable, "snapshot">;
  settings: RoutingSettings & HoldSettings & EstimateSettings;
  now(): number;
}

/** `CheckedCalls` are what checked calls ask for together. */
export interface CheckedCalls {
  model: string;
  cost: ChannelPrice;
  lines: number;
  /** Units for the whole answers of all lines, and the least that the batch starts with. */
  amount: number;
  least: number;
  /** Units that the channel's own budgets hold for it. */
  onChannel: number;
  promptEstimate: number;
  promptMax: number;
  completionMax: number;
  isPromptSeen: boolean;
}

/** `BatchSetting` says whose batch it is, and where it would run. */
export interface BatchSetting {
  caller: CallerIdentity & CallerReach;
  home: ObjectHome;
}

/**
 * `changesRequests` says whether the channel writes into requests, which it can do neither in a
 * file at the provider nor at the price of a batch.
 */
export const changesRequests = ({ systemPrompt, settings }: ChannelAccess): boolean =>
  systemPrompt !== null || Object.keys(record(settings.config.param_override)).length > 0;

/**
 * `servesInBatches` says whether the channel serves a model in batches: under the name that the
 * lines have.
 */
export const servesInBatches = (
  { model, client }: AskedModel & CallFormats,
  channel: ServedModels,
): boolean =>
  servesName(channel, model) &&
  !channel.hiddenModels.has(model) &&
  (channel.modelMapping.get(model) ?? model) === model &&
  channel.urlsFor(model)[client.endpoint] !== undefined;

/**
 * Throws `RelayRefused` where the caller may not send the call, or it cannot be one of this batch;
 * `wrong` says the latter.
 */
export function addCall(
  before: CheckedCalls | undefined,
  call: RelayCall,
  state: StateBinding | undefined,
  { caller, home }: BatchSetting,
  wrong: (why: string) => RelayRefused,
  deps: CheckDeps,
): CheckedCalls {
  const { snapshot } = deps.channels;
  const refused = findModelRefusal(caller, call, snapshot.namesNeeded);
  if (refused) throw refused;
  const key = state?.keyFor(home.channel);
  if (state && (!state.mayReceive(home.channel) || (key && key.key !== home.key.key)))
    throw wrong("what it names is kept by another account than the one that runs the batch");
  const cost = before?.cost ?? buildCost(call, caller, home, deps);
  if (before && before.model !== call.model)
    throw wrong(`a batch has one model, and this is ${before.model}`);
  if (
    !before &&
    (snapshot.routed(call.model) !== undefined || !servesInBatches(call, home.channel))
  )
    throw wrong(
      `the channel that runs the batch does not offer ${call.model.slice(0, 200)} in batches`,
    );
  return plus(before, call, cost, state?.contextTokens, home, deps);
}

/**
 * The price of the batch: that of a call on this channel, or what the provider takes for batches at
 * its own host.
 */
function buildCost(
  call: RelayCall,
  caller: CallerIdentity & CallerReach,
  { channel }: ObjectHome,
  deps: CheckDeps,
): ChannelPrice {
  const { groupOf, groupRatioFor } = buildRoutingRequest(call, caller, undefined, deps.settings);
  const ratio = groupRatioFor(channel);
  const listed = deps.channels.snapshot.price(channel, call.model, ratio, deps.now());
  const price = applyBatchFactor(
    listed.price,
    hasOfficialHost(channel.type, channel.settings.base, channel.settings.config)
      ? sellerOfType[channel.type]
      : undefined,
  );
  const frozen = freezePrice(price, ratio, groupOf?.(channel));
  return { model: listed.model, price, frozen, json: JSON.stringify(frozen) };
}

function plus(
  before: CheckedCalls | undefined,
  call: AskedModel & AskedSize & SentBody,
  cost: ChannelPrice,
  contextTokens: readonly number[] | undefined,
  { channel }: ObjectHome,
  { settings }: Pick<CheckDeps, "settings">,
): CheckedCalls {
  const candidate: ChannelCandidate = {
    channel,
    model: call.model,
    cost,
    reason: { reason: "pinned" },
  };
  const { amount, least } = readWantedHold(
    call,
    { candidates: [candidate] },
    settings,
    contextTokens,
  );
  const limits = buildUsageLimits(call, cost.price, channel.mayReportFalseUsage);
  return {
    model: call.model,
    cost,
    lines: (before?.lines ?? 0) + 1,
    amount: (before?.amount ?? 0) + amount,
    least: (before?.least ?? 0) + least,
    onChannel:
      (before?.onChannel ?? 0) + computeCandidateUnits(call, candidate, settings, contextTokens),
    promptEstimate: (before?.promptEstimate ?? 0) + call.promptEstimate,
    promptMax: Math.max(before?.promptMax ?? 0, limits.promptMax),
    completionMax: Math.max(before?.completionMax ?? 0, limits.completionMax),
    isPromptSeen: (before?.isPromptSeen ?? true) && limits.isPromptSeen(),
  };
}
