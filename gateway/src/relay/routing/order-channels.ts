/** The order in which suitable channels are tried, and which of them cannot be tried now. Pure. */

import type { Breakers } from "./breakers.ts";
import { type GroupedChannel, groupServing, orderByGroup } from "./channel-groups.ts";
import type { ChannelWaits } from "./channel-limits.ts";
import type { ChannelIdentity, ChannelStanding, ServedModels } from "./channel-parts.ts";
import { orderByListing } from "./listed-models.ts";
import type { ExclusionReason, SelectionReason } from "./routing-reasons.ts";
import type { PreferredChannel } from "./session-affinity.ts";
import type { ToldLimits } from "./told-limits.ts";

/** Routing state that outlives a call. */
export interface RoutingState {
  breakers: Breakers;
  /** `waits` are those of this API key, for the channels of this model. */
  waits: ChannelWaits;
  toldLimits: Pick<ToldLimits, "emptyMs">;
}

/**
 * Channels that one call may try where targets or groups have tries of their own: a client waits
 * for all of them.
 */
export const candidatesMax = 12;

/** `OrderTerms` are what of a request decides the order. */
export interface OrderTerms {
  /** `model` says whose breakers count. */
  model: string;
  /** `groups` are those of the key. */
  groups: readonly string[];
  preferred: PreferredChannel | undefined;
  attemptsMax: number;
}

/** `OrderedChannel` is what the order of attempts goes by. */
type OrderedChannel = ChannelIdentity & ChannelStanding & ServedModels & GroupedChannel;

export interface OrderedChannels<Channel> {
  /** `tried` holds those to try, best first. */
  tried: Channel[];
  reasons: ReadonlyMap<Channel, SelectionReason>;
  excluded: { channel: Channel; reason: ExclusionReason }[];
  /** Until the first channel that only has to wait may be tried again; infinite without one. */
  retryAfterMs: number;
  /** `isOurLimit` says whether all waits come from the gateway's own limits. */
  isOurLimit: boolean;
}

/** `suitable`: channels that may be asked, in no order. */
export function orderChannels<Channel extends OrderedChannel>(
  suitable: readonly Channel[],
  terms: OrderTerms,
  state: RoutingState,
  now: number,
  random: () => number,
): OrderedChannels<Channel> {
  const ready: Channel[] = [];
  const fallback: Channel[] = [];
  const reasons = new Map<Channel, SelectionReason>();
  const excluded: OrderedChannels<Channel>["excluded"] = [];
  let retryAfterMs = Number.POSITIVE_INFINITY;
  let isOurLimit = true;
  for (const channel of suitable) {
    const availability = judgeAvailability(channel, terms, state, now);
    if (availability.state === "excluded") {
      const { reason, waitMs } = availability;
      excluded.push({ channel, reason });
      retryAfterMs = Math.min(retryAfterMs, waitMs);
      isOurLimit &&= reason.reason === "limit_reached";
    } else {
      reasons.set(channel, availability.reason);
      (availability.state === "fallback" ? fallback : ready).push(channel);
    }
  }
  const { groups, preferred } = terms;
  const inOrder = [
    ...orderByGroup(ready, groups, (channels) =>
      orderByListing(channels, terms.model, (equal) =>
        orderByPriority(equal, random, preferred?.channelId),
      ),
    ),
    ...orderByGroup(fallback, groups, (channels) =>
      orderByListing(channels, terms.model, (equal) => orderByPriority(equal, random)),
    ),
  ];
  const bound = preferred?.isBound && ready.find(({ id }) => id === preferred.channelId);
  const ordered = bound ? [bound, ...inOrder.filter((channel) => channel !== bound)] : inOrder;
  const tried = withinTries(ordered, terms);
  if (tried.length < ordered.length) {
    const isTried = new Set(tried);
    for (const channel of ordered)
      if (!isTried.has(channel)) excluded.push({ channel, reason: { reason: "attempts_used_up" } });
  }
  return { tried, reasons, excluded, retryAfterMs, isOurLimit };
}

/**
 * Each group has its own tries, so that many channels of the first one do not keep the next from
 * its turn.
 */
function withinTries<Channel extends GroupedChannel>(
  ordered: readonly Channel[],
  { groups, attemptsMax }: OrderTerms,
): Channel[] {
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

/**
 * `ChannelAvailability` says whether a suitable channel may be tried: by its priority, after all
 * others, or not for `waitMs`.
 */
type ChannelAvailability =
  | { state: "ready" | "fallback"; reason: SelectionReason }
  | { state: "excluded"; reason: ExclusionReason; waitMs: number };

function judgeAvailability(
  channel: ChannelIdentity & ChannelStanding,
  { model, preferred }: OrderTerms,
  { breakers, waits, toldLimits }: RoutingState,
  now: number,
): ChannelAvailability {
  const waitMs = waits.get(channel.id) ?? 0;
  if (waitMs > 0) return { state: "excluded", reason: { reason: "limit_reached", waitMs }, waitMs };
  const { priority } = channel;
  const breaker = breakers.find(channel.id, model);
  if (!breaker) {
    const isPreferred = channel.id === preferred?.channelId;
    // What another account signed it refuses: such a call has nowhere else to go.
    const told = isPreferred && preferred?.isBound ? undefined : toldLimits.emptyMs(channel, model);
    if (told) return { state: "fallback", reason: { reason: "told_limit", ...told } };
    return { state: "ready", reason: { reason: "priority", priority, isPreferred } };
  }
  const { reason: failure } = breaker;
  if (breaker.isOnTrial) return { state: "fallback", reason: { reason: "on_trial", failure } };
  if (!breaker.isOpen)
    return { state: "ready", reason: { reason: "half_open", priority, failure } };
  const leftMs = breaker.openUntil - now;
  return breaker.isHard
    ? { state: "excluded", reason: { reason: "suspended", failure, leftMs }, waitMs: leftMs }
    : { state: "fallback", reason: { reason: "last_resort", failure, leftMs } };
}

/**
 * Highest priority first. Within a priority, `first`, then the others drawn by weight without
 * replacement (evenly if all weights are 0).
 */
export function orderByPriority<Channel extends ChannelIdentity & ChannelStanding>(
  channels: readonly Channel[],
  random: () => number,
  first?: number,
): Channel[] {
  if (channels.length <= 1) return [...channels];
  const tiers = Map.groupBy(channels, ({ priority }) => priority);
  const priorities = [...tiers.keys()].sort((a, b) => b - a);
  const tierOrder = (tier: Channel[]): Channel[] => [
    ...tier.filter(({ id }) => id === first),
    ...weightedOrder(
      tier.filter(({ id }) => id !== first),
      random,
    ),
  ];
  return priorities.flatMap((priority) => tierOrder(tiers.get(priority) ?? []));
}

function weightedOrder<Channel extends ChannelStanding>(
  tier: readonly Channel[],
  random: () => number,
): Channel[] {
  const left = [...tier];
  const order: Channel[] = [];
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
