/**
 * Chooses the channels to try for a call, best first, and gives the reason for every other one.
 * Pure.
 */
import { channelStatus } from "@tollgate/contract/catalogue/channels.ts";
import { freezePrice } from "../../money/prices/price.ts";
import type { ApiEndpoint } from "../formats/api-format.ts";
import type { OwnApiFeature } from "../formats/call-parts.ts";
import type { NeededTools } from "../formats/declared-tools.ts";
import type { CostMember } from "../formats/hold-size/cost-members.ts";
import type { StateBinding } from "../provider-states/provider-states.ts";
import type { EndpointUrls } from "../providers/endpoint-urls.ts";
import {
  RelayRefused,
  refuseBadRequest,
  refuseDenied,
  refuseModelNotFound,
  refuseNoUsableChannel,
  refusePreviousResponseNotFound,
} from "../wire/relay-refusal.ts";
import { formatGroupsText, type GroupedChannel, groupServing } from "./channel-groups.ts";
import type {
  ChannelAccess,
  ChannelIdentity,
  ChannelStanding,
  ServedModels,
} from "./channel-parts.ts";
import type { ChannelPrice, ChannelSnapshot, RelayChannel } from "./channel-table.ts";
import {
  buildHeldPrice,
  membersSent,
  type PriceTerms,
  refusedMember,
} from "./cost-member-rules.ts";
import { servesName } from "./listed-models.ts";
import { type OrderedChannels, orderChannels, type RoutingState } from "./order-channels.ts";
import type { RoutedName } from "./routed-name.ts";
import {
  computeSeconds,
  type ExclusionReason,
  nameEndpoint,
  type SelectionReason,
} from "./routing-reasons.ts";
import type { PreferredChannel } from "./session-affinity.ts";
import type { OrderedTarget } from "./target-order.ts";
import { canServe, losesTools } from "./translation-registry.ts";

export interface ChannelCandidate {
  channel: RelayChannel;
  /**
   * The model that the channel is chosen for, before its mapping: the requested one, or a target of
   * it.
   */
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
  /** `candidates` are in the order of attempts, at most one per channel and model. */
  candidates: ChannelCandidate[];
  excluded: { channel: ChannelIdentity; reason: ExclusionReason; target?: OrderedTarget }[];
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
  /**
   * `ownApiFor` names a part that only channels can do that speak the client's format themselves.
   */
  ownApiFor?: OwnApiFeature | undefined;
  /** `neededTools` are what the call needs of its tools. */
  neededTools?: NeededTools | undefined;
  /** `variant` is what the price depends on besides the model (`ParsedRequest`). */
  variant?: string | undefined;
  /** `groups` says whose channels may be tried: those of the first group first. */
  groups: readonly string[];
  /** Only for a key that names groups: in whose name it uses a channel. */
  groupOf?: ((channel: GroupedChannel) => string) | undefined;
  /** The group ratio of a channel for this key, in millionths. */
  groupRatioFor(channel: GroupedChannel): number;
  /**
   * The gateway stores responses itself: one that neither it nor a channel knows does not exist.
   */
  storesResponses?: boolean;
  /**
   * The members that change the price, as they would reach this channel; missing for nearly every
   * call.
   */
  costMembersAt?:
    | ((channel: ChannelIdentity & ServedModels, model: string) => readonly CostMember[])
    | undefined;
  /** `state` is where calls may go that name something which a provider keeps. */
  state?: StateBinding | undefined;
  /** The channel that an administrator requires, by id or uuid. */
  pin: string | undefined;
  tokenId: number;
  /** Models to try after `model`. */
  fallbackModels?: readonly string[] | undefined;
  /** `userId` says whose calls stay with one target of a virtual model. */
  userId: number;
  conversationId?: string | undefined;
  /**
   * Units that the call is likely to cost at a price, to compare the targets of a virtual model.
   */
  estimateAt?: ((cost: ChannelPrice) => number) | undefined;
  /** The channel and key that answered this conversation last. */
  preferred: PreferredChannel | undefined;
  attemptsMax: number;
}

/** Throws `NoChannel` when there is no channel to try. */
export function chooseChannels(
  request: RoutingRequest,
  snapshot: ChannelSnapshot,
  state: RoutingState,
  now: number,
  random: () => number,
): ChannelChoice {
  if (request.pin !== undefined) return choosePinned(request, request.pin, snapshot, state, now);
  const suitable: RelayChannel[] = [];
  const excluded: ChannelChoice["excluded"] = [];
  const summary: ExclusionSummary = {
    lacksHistory: false,
    hasStateElsewhere: false,
    lacksOwnApi: false,
    hasLostTools: false,
    isListed: false,
    isServedHere: false,
  };
  for (const channel of snapshot.channelsFor(request.model)) {
    const exclusion = findExclusionReason(channel, request);
    if (!exclusion) {
      suitable.push(channel);
      continue;
    }
    if (isListing(channel, request)) {
      summary.isListed = true;
      summary.isServedHere ||= canServe(request.endpoint, buildUrls(channel, request.model));
    }
    excluded.push({ channel, reason: exclusion });
    summary.lacksHistory ||= exclusion.reason === "reference_unknown";
    summary.hasLostTools ||= exclusion.reason === "tools_lost";
    summary.lacksOwnApi ||= exclusion.reason === "endpoint_not_served";
    summary.hasStateElsewhere ||= exclusion.reason === "state_elsewhere";
    if (exclusion.reason === "member_refused") summary.refusedMember ??= exclusion.member;
  }
  const order = orderChannels(suitable, request, state, now, random);
  excluded.push(...order.excluded);
  if (order.tried.length === 0)
    throw new NoChannel(
      buildWaitRefusal(request.model, order) ?? refuseNoChannel(request, summary),
      excluded,
    );
  const candidates = order.tried.map((channel) => ({
    channel,
    model: request.model,
    reason: order.reasons.get(channel) as SelectionReason,
    ...buildCost(channel, request, snapshot, now),
  }));
  return { candidates, excluded };
}

function buildCost(
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
  return { cost: buildHeldPrice(terms), terms, ...ofGroup };
}

/** The log row then names the group whose ratio was charged. */
function priceInGroup({ model, price, frozen }: ChannelPrice, group: string): ChannelPrice {
  const inGroup = freezePrice(price, frozen.group_ratio, group);
  return { model, price, frozen: inGroup, json: JSON.stringify(inGroup) };
}

function findRefusedMember(
  channel: ChannelIdentity & ServedModels & ChannelAccess,
  { model, costMembersAt }: RoutingRequest,
): string | undefined {
  if (!costMembersAt) return undefined;
  return refusedMember(
    costMembersAt(channel, model),
    channel,
    channel.modelMapping.get(model) ?? model,
  )?.name;
}

function findExclusionReason(
  channel: ChannelIdentity & ChannelStanding & ServedModels & ChannelAccess & GroupedChannel,
  request: RoutingRequest,
): ExclusionReason | undefined {
  const { model, groups, endpoint, refersTo, ownApiFor } = request;
  const urls = buildUrls(channel, model);
  if (channel.status === channelStatus.autoDisabled)
    return { reason: "auto_disabled", cause: channel.disabledReason };
  if (channel.status !== channelStatus.enabled) return { reason: "disabled" };
  if (!hasKey(channel)) return { reason: "no_enabled_key" };
  if (groupServing(channel, groups) === undefined) return { reason: "wrong_group", groups };
  if (channel.hiddenModels.has(model)) return { reason: "model_hidden" };
  if (!canServe(endpoint, urls) || (ownApiFor && !urls[endpoint]))
    return { reason: "endpoint_not_served", endpoint };
  if (refersTo !== undefined && !urls[endpoint]) return { reason: "reference_unknown" };
  if (request.state && !request.state.mayReceive(channel)) return { reason: "state_elsewhere" };
  if (losesTools(endpoint, urls, request.neededTools)) return { reason: "tools_lost" };
  const member = findRefusedMember(channel, request);
  return member === undefined ? undefined : { reason: "member_refused", member };
}

/**
 * `isListing` says whether the key may know that the channel has the model. One that was disabled
 * automatically has it still, and comes back.
 */
const isListing = (
  channel: ChannelStanding & ServedModels & GroupedChannel,
  { model, groups }: RoutingRequest,
): boolean =>
  (channel.status === channelStatus.enabled || channel.status === channelStatus.autoDisabled) &&
  groupServing(channel, groups) !== undefined &&
  !channel.hiddenModels.has(model);

const hasKey = ({ keys }: ChannelStanding): boolean =>
  keys.some(({ status }) => status === channelStatus.enabled);

const buildUrls = (channel: ServedModels, model: string): EndpointUrls =>
  channel.urlsFor(channel.modelMapping.get(model) ?? model);

function choosePinned(
  request: RoutingRequest,
  pin: string,
  snapshot: ChannelSnapshot,
  { waits }: RoutingState,
  now: number,
): ChannelChoice {
  const channel = snapshot.channels.find(({ id, uuid }) => String(id) === pin || uuid === pin);
  if (!channel) throw refuseDenied(400, `There is no channel ${pin}`);
  if (channel.status !== channelStatus.enabled || !hasKey(channel))
    throw refuseDenied(403, `The channel ${pin} is disabled`);
  const urls = buildUrls(channel, request.model);
  if (!servesName(channel, request.model) || !canServe(request.endpoint, urls)) {
    throw refuseDenied(400, `The channel ${pin} does not serve ${request.model} here`);
  }
  if (request.ownApiFor && !urls[request.endpoint])
    throw ownApiMissing(request.model, request.ownApiFor);
  if (request.refersTo !== undefined && !urls[request.endpoint])
    throw refuseHistoryUnavailable(request, request.refersTo);
  if (request.state && !request.state.mayReceive(channel)) throw stateElsewhere(request.model);
  if (losesTools(request.endpoint, urls, request.neededTools))
    throw refuseToolsNotServed(request.model);
  const waitMs = waits.get(channel.id) ?? 0;
  if (waitMs > 0) throw refuseKeyRateLimited(request.model, waitMs);
  const refused = findRefusedMember(channel, request);
  if (refused !== undefined) throw refuseMemberNotPriced(request.model, refused);
  const cost = buildCost(channel, request, snapshot, now);
  return {
    candidates: [{ channel, model: request.model, ...cost, reason: { reason: "pinned" } }],
    excluded: [],
  };
}

function refuseHistoryUnavailable(
  { model, storesResponses }: RoutingRequest,
  refersTo: string,
): RelayRefused {
  if (storesResponses && refersTo === "previous_response_id")
    return refusePreviousResponseNotFound();
  const message = `${refersTo}: no channel for the model ${model} keeps earlier answers; send the whole conversation in input (the AI SDK does with store: false), or ask the operator to switch on ResponseStoreEnabled`;
  return refuseBadRequest("invalid_request_error", message, refersTo);
}

const ownApiSentences: Readonly<Record<OwnApiFeature, string>> = {
  compaction: "shortens conversations; let the client summarise the conversation itself",
  videos: "makes videos by OpenAI's API (POST /v1/videos)",
  token_ids:
    "reads inputs that are no texts, such as token ids; send the text itself (in LangChain: check_embedding_ctx_length=False)",
};

function ownApiMissing(model: string, feature: OwnApiFeature): RelayRefused {
  const message = `No channel for the model ${model} ${ownApiSentences[feature]}`;
  // The same question can be asked in another way.
  if (feature === "token_ids") return refuseBadRequest("invalid_text_request", message, "input");
  return new RelayRefused({
    status: 501,
    type: "one_api_error",
    code: "api_not_implemented",
    message,
  });
}

const stateElsewhere = (model: string): RelayRefused =>
  refuseBadRequest(
    "stored_object_unavailable",
    `The channel that keeps what the request names does not serve the model ${model} at the moment`,
  );

function refuseMemberNotPriced(model: string, member: string): RelayRefused {
  const message = `${member} changes the model or the price, and no channel for the model ${model} can charge for this value; leave it out, or ask the operator to pass it on`;
  return refuseBadRequest("member_not_priced", message, member);
}

const notServedHere = (model: string, endpoint: ApiEndpoint): RelayRefused =>
  refuseBadRequest(
    "model_not_supported",
    `The model ${model} is not served by this endpoint (${nameEndpoint(endpoint)})`,
    "model",
  );

const refuseToolsNotServed = (model: string): RelayRefused =>
  refuseBadRequest(
    "tools_not_served",
    `No channel for the model ${model} can carry any of the tools of this request; leave them out, or choose a model that has them`,
    "tools",
  );

interface ExclusionSummary {
  lacksHistory: boolean;
  /**
   * `hasStateElsewhere` says whether a channel was left out because another one keeps what the call
   * names.
   */
  hasStateElsewhere: boolean;
  /**
   * `lacksOwnApi` says whether a channel was left out because it does not speak the client's format
   * itself.
   */
  lacksOwnApi: boolean;
  /**
   * `hasLostTools` says whether a channel was left out because none of the tools would reach it.
   */
  hasLostTools: boolean;
  /**
   * `isListed` says whether a channel of the key's groups has the model, and whether one of those
   * serves the endpoint.
   */
  isListed: boolean;
  isServedHere: boolean;
  /** The first member that a channel refused. */
  refusedMember?: string;
}

function refuseNoChannel(request: RoutingRequest, summary: ExclusionSummary): RelayRefused {
  const { model, groups, refersTo, ownApiFor, endpoint } = request;
  const { lacksHistory, lacksOwnApi, hasLostTools, hasStateElsewhere, refusedMember } = summary;
  if (groups.length === 0)
    return refuseDenied(403, "The owner of this API key may use none of the groups that it names");
  if (lacksHistory && refersTo !== undefined) return refuseHistoryUnavailable(request, refersTo);
  if (hasStateElsewhere) return stateElsewhere(model);
  if (lacksOwnApi && ownApiFor) return ownApiMissing(model, ownApiFor);
  if (refusedMember !== undefined) return refuseMemberNotPriced(model, refusedMember);
  if (hasLostTools) return refuseToolsNotServed(model);
  if (!summary.isListed) return refuseModelNotFound(model);
  if (!summary.isServedHere) return notServedHere(model, endpoint);
  return refuseNoUsableChannel(
    `No channel is available for the model ${model} in the ${formatGroupsText(groups)}`,
  );
}

/** `buildWaitRefusal` says where channels only have to wait; undefined where none does. */
export function buildWaitRefusal(
  name: string,
  { retryAfterMs, isOurLimit }: Pick<OrderedChannels<RelayChannel>, "retryAfterMs" | "isOurLimit">,
): RelayRefused | undefined {
  if (!Number.isFinite(retryAfterMs)) return undefined;
  if (isOurLimit) return refuseKeyRateLimited(name, retryAfterMs);
  return refuseDenied(
    429,
    `Every channel for ${name} is rate limited upstream`,
    Math.max(1, computeSeconds(retryAfterMs)),
  );
}

/** The API key has used up the rate limit of every channel for a model. */
export const refuseKeyRateLimited = (model: string, waitMs: number): RelayRefused =>
  refuseDenied(
    429,
    `The API key has reached the rate limit of every channel for ${model}`,
    Math.max(1, computeSeconds(waitMs)),
  );
