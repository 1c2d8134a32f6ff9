/** Which channels to try for a call, best first, and for every other one the reason why not. Pure. */
import { channelEndpoints } from "@tollgate/contract/channel-endpoints.ts";
import type { ApiEndpoint } from "../formats/api-format.ts";
import type { EndpointUrls } from "../providers/endpoint-urls.ts";
import { badRequest, denied, previousResponseNotFound, type RelayRefused } from "../wire/relay-refusal.ts";
import type { Breakers } from "./breakers.ts";
import type { ChannelWaits } from "./channel-limits.ts";
import type { ChannelPrice, ChannelSnapshot, RelayChannel } from "./channel-table.ts";
import { canServe } from "./translation-registry.ts";

export const limitReached = "the API key has reached the rate limit of this channel";

export interface ChannelCandidate {
  channel: RelayChannel;
  cost: ChannelPrice;
  reason: string;
}

export interface ChannelChoice {
  /** In the order in which they are tried; at most one per channel. */
  candidates: ChannelCandidate[];
  excluded: { channel: RelayChannel; reason: string }[];
}

export interface RoutingRequest {
  model: string;
  /** What the caller called. */
  endpoint: ApiEndpoint;
  /** What of the call only the provider's own interface can know. */
  refersTo?: string | undefined;
  /** What else the price depends on (`Asked`). */
  variant?: string | undefined;
  group: string;
  /** What the caller pays on this channel, in millionths of the price. */
  groupRatioFor(channel: RelayChannel): number;
  /** The gateway keeps answers itself: one that neither it nor a channel knows does not exist. */
  storesResponses?: boolean;
  /** An administrator's pinned channel, id or uuid. */
  pin: string | undefined;
  tokenId: number;
  /** The channel that answered this conversation last. */
  preferredChannelId: number | undefined;
  attemptsMax: number;
}

/** What is remembered of channels between calls. */
export interface RoutingState {
  breakers: Breakers;
  /** Of this key, for the channels of this model. */
  waits: ChannelWaits;
}

export function chooseChannels(
  request: RoutingRequest,
  snapshot: ChannelSnapshot,
  memory: RoutingState,
  now: number,
  random: () => number,
): ChannelChoice {
  if (request.pin !== undefined) return choosePinned(request, request.pin, snapshot, memory, now);
  const ready: RelayChannel[] = [];
  const fallback: RelayChannel[] = [];
  const reasons = new Map<RelayChannel, string>();
  const excluded: ChannelChoice["excluded"] = [];
  const summary = { retryAfterMs: Number.POSITIVE_INFINITY, lacksHistory: false, isOurLimit: true };

  for (const channel of snapshot.channelsFor(request.model)) {
    const exclusion = exclusionReason(channel, request);
    if (exclusion) {
      excluded.push({ channel, reason: exclusion });
      summary.lacksHistory ||= exclusion === cannotResolveReference;
      continue;
    }
    const { reason, state, waitMs } = availabilityOf(channel, request, memory, now);
    if (state === "out") {
      excluded.push({ channel, reason });
      summary.retryAfterMs = Math.min(summary.retryAfterMs, waitMs);
      summary.isOurLimit &&= reason.startsWith(limitReached);
    } else {
      reasons.set(channel, reason);
      (state === "last" ? fallback : ready).push(channel);
    }
  }

  const ordered = [
    ...byPriorityAndWeight(ready, random, request.preferredChannelId),
    ...byPriorityAndWeight(fallback, random),
  ];
  if (ordered.length === 0) throw noChannelError(request, summary);
  const candidates = ordered.slice(0, request.attemptsMax).map((channel) => ({
    channel,
    reason: reasons.get(channel) ?? "",
    cost: snapshot.price(channel, request.model, request.groupRatioFor(channel), now, request.variant),
  }));
  for (const channel of ordered.slice(request.attemptsMax))
    excluded.push({ channel, reason: "beyond the number of tries" });
  return { candidates, excluded };
}

/** Where a channel that fits stands among the others: in its turn, after all of them, or out for `waitMs`. */
interface ChannelAvailability {
  state: "turn" | "last" | "out";
  reason: string;
  waitMs: number;
}

function availabilityOf(
  channel: RelayChannel,
  request: RoutingRequest,
  { breakers, waits }: RoutingState,
  now: number,
): ChannelAvailability {
  const waitMs = waits.get(channel.id) ?? 0;
  if (waitMs > 0) return { state: "out", reason: `${limitReached}, ${secondsOf(waitMs)} s left`, waitMs };
  const priority = `priority ${channel.priority}`;
  const breaker = breakers.find(channel.id, request.model);
  if (!breaker) {
    const isPreferred = channel.id === request.preferredChannelId;
    return { state: "turn", reason: isPreferred ? `${priority}, answered this conversation last` : priority, waitMs };
  }
  if (breaker.isOnTrial)
    return { state: "last", reason: `last resort: another call tries it after ${breaker.reason}`, waitMs };
  if (!breaker.isOpen) return { state: "turn", reason: `${priority}, tried again after ${breaker.reason}`, waitMs };
  const leftMs = breaker.openUntil - now;
  const suspended = `suspended after ${breaker.reason}, ${secondsOf(leftMs)} s left`;
  return breaker.isHard
    ? { state: "out", reason: suspended, waitMs: leftMs }
    : { state: "last", reason: `last resort: ${suspended}`, waitMs };
}

const secondsOf = (ms: number): number => Math.ceil(ms / 1000);

const cannotResolveReference = "it cannot know what the call refers to";

function exclusionReason(
  channel: RelayChannel,
  { model, group, endpoint, refersTo }: RoutingRequest,
): string | undefined {
  const urls = urlsOf(channel, model);
  if (channel.status === 3) return `disabled automatically: ${channel.disabledReason || "no reason recorded"}`;
  if (channel.status !== 1) return "disabled";
  if (!hasKey(channel)) return "every key of it is disabled";
  if (!channel.groups.has(group)) return `not for the group ${group}`;
  if (channel.hiddenModels.has(model)) return "the model is hidden on this channel";
  if (!canServe(endpoint, urls)) return `its type does not serve ${nameOf(endpoint)}`;
  if (refersTo !== undefined && !urls[endpoint]) return cannotResolveReference;
  return undefined;
}

const hasKey = ({ keys }: RelayChannel): boolean => keys.some(({ status }) => status === 1);

const urlsOf = (channel: RelayChannel, model: string): EndpointUrls =>
  channel.urlsFor(channel.modelMapping.get(model) ?? model);

const nameOf = (entry: ApiEndpoint): string =>
  (channelEndpoints.find(({ name }) => name === entry)?.description ?? entry).toLowerCase();

/**
 * The highest priority first; inside one, `first` and then those drawn by weight without putting back (all weights 0:
 * evenly).
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
  if (channel.status !== 1 || !hasKey(channel)) throw denied(403, `The channel ${pin} is disabled`);
  const urls = urlsOf(channel, request.model);
  if (!channel.models.has(request.model) || !canServe(request.endpoint, urls)) {
    throw denied(400, `The channel ${pin} does not serve ${request.model} here`);
  }
  if (request.refersTo !== undefined && !urls[request.endpoint]) throw historyUnavailable(request, request.refersTo);
  const waitMs = waits.get(channel.id) ?? 0;
  if (waitMs > 0) throw keyRateLimited(request.model, waitMs);
  const cost = snapshot.price(channel, request.model, request.groupRatioFor(channel), now, request.variant);
  return { candidates: [{ channel, cost, reason: "pinned by the key" }], excluded: [] };
}

function historyUnavailable({ model, storesResponses }: RoutingRequest, refersTo: string): RelayRefused {
  if (storesResponses && refersTo === "previous_response_id") return previousResponseNotFound();
  const message = `${refersTo}: no channel for the model ${model} keeps earlier answers; send the whole conversation in input instead`;
  return badRequest("invalid_request_error", message, refersTo);
}

interface ExclusionSummary {
  /** Until the first channel that only has to wait may be asked again. */
  retryAfterMs: number;
  lacksHistory: boolean;
  /** Whether all that wait do so for a limit of ours. */
  isOurLimit: boolean;
}

function noChannelError(
  request: RoutingRequest,
  { retryAfterMs, lacksHistory, isOurLimit }: ExclusionSummary,
): RelayRefused {
  const { model, group, refersTo } = request;
  if (Number.isFinite(retryAfterMs)) {
    if (isOurLimit) return keyRateLimited(model, retryAfterMs);
    return denied(429, `Every channel for ${model} is rate limited upstream`, Math.max(1, secondsOf(retryAfterMs)));
  }
  if (lacksHistory && refersTo !== undefined) return historyUnavailable(request, refersTo);
  return denied(503, `No channel is available for the model ${model} in the group ${group}`);
}

/** The caller's key has sent all that the channels for a model take of one key. */
export const keyRateLimited = (model: string, waitMs: number): RelayRefused =>
  denied(429, `The API key has reached the rate limit of every channel for ${model}`, Math.max(1, secondsOf(waitMs)));
