/** Chooses the channels to try for a call, best first, and gives the reason for every other one. Pure. */
import { channelStatus } from "@tollgate/contract/channels.ts";
import { freezePrice } from "../../money/price.ts";
import type { ApiEndpoint, OwnApiFeature } from "../formats/api-format.ts";
import type { CostMember } from "../formats/cost-members.ts";
import type { NeededTools } from "../formats/declared-tools.ts";
import type { StateBinding } from "../provider-states/provider-states.ts";
import type { EndpointUrls } from "../providers/endpoint-urls.ts";
import {
  badRequest,
  denied,
  modelNotFound,
  noUsableChannel,
  previousResponseNotFound,
  RelayRefused,
} from "../wire/relay-refusal.ts";
import type { Breakers } from "./breakers.ts";
import { groupServing, groupsText, inGroupOrder } from "./channel-groups.ts";
import type { ChannelWaits } from "./channel-limits.ts";
import type { ChannelPrice, ChannelSnapshot, RelayChannel } from "./channel-table.ts";
import { heldPrice, membersSent, type PriceTerms, refusedMember } from "./cost-member-rules.ts";
import type { RoutedName } from "./routed-name.ts";
import { type ExclusionReason, nameEndpoint, type SelectionReason, secondsOf } from "./routing-reasons.ts";
import type { PreferredChannel } from "./session-affinity.ts";
import type { OrderedTarget } from "./target-order.ts";
import { canServe, losesTools } from "./translation-registry.ts";

export interface ChannelCandidate {
  channel: RelayChannel;
  /** The model that the channel is chosen for, before its mapping: the requested one, or a target of it. */
  model: string;
  /** Only where the requested model is virtual. */
  target?: OrderedTarget;
  cost: ChannelPrice;
  reason: SelectionReason;
  /** Only for a key that names groups: in whose name the channel is tried. */
  group?: string;
  /** Only for a call with members that change the price: `cost` is then the price to hold for. */
  terms?: PriceTerms;
}

export interface ChannelChoice {
  /** In the order of attempts, at most one per channel and model. */
  candidates: ChannelCandidate[];
  excluded: { channel: RelayChannel; reason: ExclusionReason; target?: OrderedTarget }[];
  /** Only where the requested model is virtual. */
  routed?: RoutedName;
}

/** No channel can be tried: the refusal, and the reason for every channel that lists the model. */
export class NoChannel extends RelayRefused {
  readonly excluded: ChannelChoice["excluded"];
  constructor({ refusal }: RelayRefused, excluded: ChannelChoice["excluded"]) {
    super(refusal);
    this.excluded = excluded;
  }
}

export interface RoutingRequest {
  model: string;
  /** The endpoint that the client called. */
  endpoint: ApiEndpoint;
  /** The request field that refers to something which only the provider's own API knows. */
  refersTo?: string | undefined;
  /** What only channels can do that speak the client's format themselves. */
  ownApiFor?: OwnApiFeature | undefined;
  /** What the call needs of its tools. */
  neededTools?: NeededTools | undefined;
  /** What the price depends on besides the model (`ParsedRequest`). */
  variant?: string | undefined;
  /** Whose channels may be tried: those of the first group first. */
  groups: readonly string[];
  /** Only for a key that names groups: in whose name it uses a channel. */
  groupOf?: ((channel: RelayChannel) => string) | undefined;
  /** The group ratio of a channel for this key, in millionths. */
  groupRatioFor(channel: RelayChannel): number;
  /** The gateway stores responses itself: one that neither it nor a channel knows does not exist. */
  storesResponses?: boolean;
  /** The members that change the price, as they would reach this channel; missing for nearly every call. */
  costMembersAt?: ((channel: RelayChannel, model: string) => readonly CostMember[]) | undefined;
  /** Where calls may go that name something which a provider keeps. */
  state?: StateBinding | undefined;
  /** The channel that an administrator requires, by id or uuid. */
  pin: string | undefined;
  tokenId: number;
  /** Models to try after `model`. */
  fallbackModels?: readonly string[] | undefined;
  /** Whose calls stay with one target of a virtual model. */
  userId: number;
  conversationId?: string | undefined;
  /** Units that the call is likely to cost at a price, to compare the targets of a virtual model. */
  estimateAt?: ((cost: ChannelPrice) => number) | undefined;
  /** The channel and key that answered this conversation last. */
  preferred: PreferredChannel | undefined;
  attemptsMax: number;
}

/** Routing state that outlives a call. */
export interface RoutingState {
  breakers: Breakers;
  /** Of this API key, for the channels of this model. */
  waits: ChannelWaits;
}

/** Channels that one call may try where targets or groups have tries of their own: a client waits for all of them. */
export const candidatesMax = 12;

/** Throws `NoChannel` when there is no channel to try. */
export function chooseChannels(
  request: RoutingRequest,
  snapshot: ChannelSnapshot,
  state: RoutingState,
  now: number,
  random: () => number,
): ChannelChoice {
  if (request.pin !== undefined) return choosePinned(request, request.pin, snapshot, state, now);
  const ready: RelayChannel[] = [];
  const fallback: RelayChannel[] = [];
  const reasons = new Map<RelayChannel, SelectionReason>();
  const excluded: ChannelChoice["excluded"] = [];
  const summary: ExclusionSummary = {
    retryAfterMs: Number.POSITIVE_INFINITY,
    lacksHistory: false,
    hasStateElsewhere: false,
    isOurLimit: true,
    lacksOwnApi: false,
    hasLostTools: false,
    isListed: false,
    isServedHere: false,
  };

  for (const channel of snapshot.channelsFor(request.model)) {
    const exclusion = exclusionReason(channel, request);
    if (exclusion) {
      if (isListing(channel, request)) {
        summary.isListed = true;
        summary.isServedHere ||= canServe(request.endpoint, urlsOf(channel, request.model));
      }
      excluded.push({ channel, reason: exclusion });
      summary.lacksHistory ||= exclusion.reason === "reference_unknown";
      summary.hasLostTools ||= exclusion.reason === "tools_lost";
      summary.lacksOwnApi ||= exclusion.reason === "endpoint_not_served";
      summary.hasStateElsewhere ||= exclusion.reason === "state_elsewhere";
      if (exclusion.reason === "member_refused") summary.refusedMember ??= exclusion.member;
      continue;
    }
    const availability = availabilityOf(channel, request, state, now);
    if (availability.state === "excluded") {
      const { reason, waitMs } = availability;
      excluded.push({ channel, reason });
      summary.retryAfterMs = Math.min(summary.retryAfterMs, waitMs);
      summary.isOurLimit &&= reason.reason === "limit_reached";
    } else {
      reasons.set(channel, availability.reason);
      (availability.state === "fallback" ? fallback : ready).push(channel);
    }
  }

  const inOrder = [
    ...inGroupOrder(ready, request.groups, (channels) =>
      byPriorityAndWeight(channels, random, request.preferred?.channelId),
    ),
    ...inGroupOrder(fallback, request.groups, (channels) => byPriorityAndWeight(channels, random)),
  ];
  const bound = request.preferred?.isBound && ready.find(({ id }) => id === request.preferred?.channelId);
  const ordered = bound ? [bound, ...inOrder.filter((channel) => channel !== bound)] : inOrder;
  if (ordered.length === 0) throw new NoChannel(noChannelError(request, summary), excluded);
  const tried = withinTries(ordered, request);
  const candidates = tried.map((channel) => ({
    channel,
    model: request.model,
    reason: reasons.get(channel) as SelectionReason,
    ...costOf(channel, request, snapshot, now),
  }));
  if (tried.length < ordered.length) {
    const isTried = new Set(tried);
    for (const channel of ordered)
      if (!isTried.has(channel)) excluded.push({ channel, reason: { reason: "attempts_used_up" } });
  }
  return { candidates, excluded };
}

/** Each group has its own tries, so that many channels of the first one do not keep the next from its turn. */
function withinTries(ordered: readonly RelayChannel[], { groups, attemptsMax }: RoutingRequest): RelayChannel[] {
  if (groups.length === 1) return ordered.slice(0, attemptsMax);
  const used = new Map<string | undefined, number>();
  const tried = ordered.filter((channel) => {
    const group = groupServing(channel, groups);
    const count = (used.get(group) ?? 0) + 1;
    used.set(group, count);
    return count <= attemptsMax;
  });
  return tried.slice(0, candidatesMax);
}

function costOf(
  channel: RelayChannel,
  { model, groupOf, groupRatioFor, variant, costMembersAt }: RoutingRequest,
  snapshot: ChannelSnapshot,
  now: number,
): Pick<ChannelCandidate, "cost" | "terms" | "group"> {
  const group = groupOf?.(channel);
  const priced = snapshot.price(channel, model, groupRatioFor(channel), now, variant);
  const listed = group === undefined ? priced : priceInGroup(priced, group);
  const ofGroup = group !== undefined && { group };
  const members = membersSent(costMembersAt?.(channel, model) ?? [], channel);
  if (members.length === 0) return { cost: listed, ...ofGroup };
  const terms: PriceTerms = { listed, type: channel.type, members };
  return { cost: heldPrice(terms), terms, ...ofGroup };
}

/** The log row then names the group whose ratio was charged. */
function priceInGroup({ model, price, frozen }: ChannelPrice, group: string): ChannelPrice {
  const inGroup = freezePrice(price, frozen.group_ratio, group);
  return { model, price, frozen: inGroup, json: JSON.stringify(inGroup) };
}

function refusedMemberAt(channel: RelayChannel, { model, costMembersAt }: RoutingRequest): string | undefined {
  if (!costMembersAt) return undefined;
  return refusedMember(costMembersAt(channel, model), channel, channel.modelMapping.get(model) ?? model)?.name;
}

/** Whether a suitable channel may be tried: by its priority, after all others, or not for `waitMs`. */
type ChannelAvailability =
  | { state: "ready" | "fallback"; reason: SelectionReason }
  | { state: "excluded"; reason: ExclusionReason; waitMs: number };

function availabilityOf(
  channel: RelayChannel,
  { model, preferred }: RoutingRequest,
  { breakers, waits }: RoutingState,
  now: number,
): ChannelAvailability {
  const waitMs = waits.get(channel.id) ?? 0;
  if (waitMs > 0) return { state: "excluded", reason: { reason: "limit_reached", waitMs }, waitMs };
  const { priority } = channel;
  const breaker = breakers.find(channel.id, model);
  if (!breaker) {
    const isPreferred = channel.id === preferred?.channelId;
    return { state: "ready", reason: { reason: "priority", priority, isPreferred } };
  }
  const { reason: failure } = breaker;
  if (breaker.isOnTrial) return { state: "fallback", reason: { reason: "on_trial", failure } };
  if (!breaker.isOpen) return { state: "ready", reason: { reason: "half_open", priority, failure } };
  const leftMs = breaker.openUntil - now;
  return breaker.isHard
    ? { state: "excluded", reason: { reason: "suspended", failure, leftMs }, waitMs: leftMs }
    : { state: "fallback", reason: { reason: "last_resort", failure, leftMs } };
}

function exclusionReason(channel: RelayChannel, request: RoutingRequest): ExclusionReason | undefined {
  const { model, groups, endpoint, refersTo, ownApiFor } = request;
  const urls = urlsOf(channel, model);
  if (channel.status === channelStatus.autoDisabled) return { reason: "auto_disabled", cause: channel.disabledReason };
  if (channel.status !== channelStatus.enabled) return { reason: "disabled" };
  if (!hasKey(channel)) return { reason: "no_enabled_key" };
  if (groupServing(channel, groups) === undefined) return { reason: "wrong_group", groups };
  if (channel.hiddenModels.has(model)) return { reason: "model_hidden" };
  if (!canServe(endpoint, urls) || (ownApiFor && !urls[endpoint])) return { reason: "endpoint_not_served", endpoint };
  if (refersTo !== undefined && !urls[endpoint]) return { reason: "reference_unknown" };
  if (request.state && !request.state.mayReceive(channel)) return { reason: "state_elsewhere" };
  if (losesTools(endpoint, urls, request.neededTools)) return { reason: "tools_lost" };
  const member = refusedMemberAt(channel, request);
  return member === undefined ? undefined : { reason: "member_refused", member };
}

/** Whether the key may know that the channel has the model. One that was disabled automatically has it still, and comes back. */
const isListing = (channel: RelayChannel, { model, groups }: RoutingRequest): boolean =>
  (channel.status === channelStatus.enabled || channel.status === channelStatus.autoDisabled) &&
  groupServing(channel, groups) !== undefined &&
  !channel.hiddenModels.has(model);

const hasKey = ({ keys }: RelayChannel): boolean => keys.some(({ status }) => status === channelStatus.enabled);

const urlsOf = (channel: RelayChannel, model: string): EndpointUrls =>
  channel.urlsFor(channel.modelMapping.get(model) ?? model);

/**
 * Highest priority first. Within a priority, `first`, then the others drawn by weight without replacement (evenly if
 * all weights are 0).
 */
export function byPriorityAndWeight(
  channels: readonly RelayChannel[],
  random: () => number,
  first?: number,
): RelayChannel[] {
  if (channels.length <= 1) return [...channels];
  const tiers = Map.groupBy(channels, ({ priority }) => priority);
  const priorities = [...tiers.keys()].sort((a, b) => b - a);
  const tierOrder = (tier: RelayChannel[]): RelayChannel[] => [
    ...tier.filter(({ id }) => id === first),
    ...weightedOrder(
      tier.filter(({ id }) => id !== first),
      random,
    ),
  ];
  return priorities.flatMap((priority) => tierOrder(tiers.get(priority) ?? []));
}

function weightedOrder(tier: readonly RelayChannel[], random: () => number): RelayChannel[] {
  const left = [...tier];
  const order: RelayChannel[] = [];
  while (left.length > 0) {
    const total = left.reduce((sum, { weight }) => sum + weight, 0);
    let point = random() * (total || left.length);
    let index = left.findIndex(({ weight }) => {
      point -= total ? weight : 1;
      return point < 0;
    });
    if (index < 0) index = left.length - 1;
    order.push(...left.splice(index, 1));
  }
  return order;
}

function choosePinned(
  request: RoutingRequest,
  pin: string,
  snapshot: ChannelSnapshot,
  { waits }: RoutingState,
  now: number,
): ChannelChoice {
  const channel = snapshot.channels.find(({ id, uuid }) => String(id) === pin || uuid === pin);
  if (!channel) throw denied(400, `There is no channel ${pin}`);
  if (channel.status !== channelStatus.enabled || !hasKey(channel)) throw denied(403, `The channel ${pin} is disabled`);
  const urls = urlsOf(channel, request.model);
  if (!channel.models.has(request.model) || !canServe(request.endpoint, urls)) {
    throw denied(400, `The channel ${pin} does not serve ${request.model} here`);
  }
  if (request.ownApiFor && !urls[request.endpoint]) throw ownApiMissing(request.model, request.ownApiFor);
  if (request.refersTo !== undefined && !urls[request.endpoint]) throw historyUnavailable(request, request.refersTo);
  if (request.state && !request.state.mayReceive(channel)) throw stateElsewhere(request.model);
  if (losesTools(request.endpoint, urls, request.neededTools)) throw toolsNotServed(request.model);
  const waitMs = waits.get(channel.id) ?? 0;
  if (waitMs > 0) throw keyRateLimited(request.model, waitMs);
  const refused = refusedMemberAt(channel, request);
  if (refused !== undefined) throw memberNotPriced(request.model, refused);
  const cost = costOf(channel, request, snapshot, now);
  return { candidates: [{ channel, model: request.model, ...cost, reason: { reason: "pinned" } }], excluded: [] };
}

function historyUnavailable({ model, storesResponses }: RoutingRequest, refersTo: string): RelayRefused {
  if (storesResponses && refersTo === "previous_response_id") return previousResponseNotFound();
  const message = `${refersTo}: no channel for the model ${model} keeps earlier answers; send the whole conversation in input (the AI SDK does with store: false), or ask the operator to switch on ResponseStoreEnabled`;
  return badRequest("invalid_request_error", message, refersTo);
}

const ownApiSentences: Readonly<Record<OwnApiFeature, string>> = {
  compaction: "shortens conversations; let the client summarise the conversation itself",
  videos: "makes videos by OpenAI's API (POST /v1/videos)",
  token_ids: "reads token ids; send the text itself (in LangChain: check_embedding_ctx_length=False)",
};

function ownApiMissing(model: string, feature: OwnApiFeature): RelayRefused {
  const message = `No channel for the model ${model} ${ownApiSentences[feature]}`;
  // The same question can be asked in another way.
  if (feature === "token_ids") return badRequest("invalid_text_request", message, "input");
  return new RelayRefused({ status: 501, type: "one_api_error", code: "api_not_implemented", message });
}

const stateElsewhere = (model: string): RelayRefused =>
  badRequest(
    "stored_object_unavailable",
    `The channel that keeps what the request names does not serve the model ${model} at the moment`,
  );

function memberNotPriced(model: string, member: string): RelayRefused {
  const message = `${member} changes the model or the price, and no channel for the model ${model} can charge for this value; leave it out, or ask the operator to pass it on`;
  return badRequest("member_not_priced", message, member);
}

const notServedHere = (model: string, endpoint: ApiEndpoint): RelayRefused =>
  badRequest(
    "model_not_supported",
    `The model ${model} is not served by this endpoint (${nameEndpoint(endpoint)})`,
    "model",
  );

const toolsNotServed = (model: string): RelayRefused =>
  badRequest(
    "tools_not_served",
    `No channel for the model ${model} can carry any of the tools of this request; leave them out, or choose a model that has them`,
    "tools",
  );

interface ExclusionSummary {
  /** Until the first channel that only has to wait may be tried again. */
  retryAfterMs: number;
  lacksHistory: boolean;
  /** Whether a channel was left out because another one keeps what the call names. */
  hasStateElsewhere: boolean;
  /** Whether all waits come from the gateway's own limits. */
  isOurLimit: boolean;
  /** Whether a channel was left out because it does not speak the client's format itself. */
  lacksOwnApi: boolean;
  /** Whether a channel was left out because none of the tools would reach it. */
  hasLostTools: boolean;
  /** Whether a channel of the key's groups has the model, and whether one of those serves the endpoint. */
  isListed: boolean;
  isServedHere: boolean;
  /** The first member that a channel refused. */
  refusedMember?: string;
}

function noChannelError(request: RoutingRequest, summary: ExclusionSummary): RelayRefused {
  const { model, groups, refersTo, ownApiFor, endpoint } = request;
  const { retryAfterMs, lacksHistory, lacksOwnApi, hasLostTools, hasStateElsewhere, isOurLimit, refusedMember } =
    summary;
  if (groups.length === 0) return denied(403, "The owner of this API key may use none of the groups that it names");
  if (Number.isFinite(retryAfterMs)) {
    if (isOurLimit) return keyRateLimited(model, retryAfterMs);
    return denied(429, `Every channel for ${model} is rate limited upstream`, Math.max(1, secondsOf(retryAfterMs)));
  }
  if (lacksHistory && refersTo !== undefined) return historyUnavailable(request, refersTo);
  if (hasStateElsewhere) return stateElsewhere(model);
  if (lacksOwnApi && ownApiFor) return ownApiMissing(model, ownApiFor);
  if (refusedMember !== undefined) return memberNotPriced(model, refusedMember);
  if (hasLostTools) return toolsNotServed(model);
  if (!summary.isListed) return modelNotFound(model);
  if (!summary.isServedHere) return notServedHere(model, endpoint);
  return noUsableChannel(`No channel is available for the model ${model} in the ${groupsText(groups)}`);
}

/** The API key has used up the rate limit of every channel for a model. */
export const keyRateLimited = (model: string, waitMs: number): RelayRefused =>
  denied(429, `The API key has reached the rate limit of every channel for ${model}`, Math.max(1, secondsOf(waitMs)));
