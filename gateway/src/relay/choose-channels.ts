/** Which channels to try for a call, best first, and for every other one the reason why not. Pure. */
import { channelEndpoints } from "@tollgate/contract/channel-endpoints.ts";
import type { Breakers } from "./breakers.ts";
import type { Waits } from "./channel-limits.ts";
import type { ChannelPrice, ChannelSnapshot, RelayChannel } from "./channel-table.ts";
import type { EntryUrls } from "./providers/entry-urls.ts";
import { badRequest, denied, previousNotFound, type Refused } from "./relay-refusal.ts";
import type { Entry } from "./shapes/shape.ts";
import { canServe } from "./ways.ts";

export const limitReached = "the API key has reached the rate limit of this channel";

export interface Candidate {
  channel: RelayChannel;
  cost: ChannelPrice;
  reason: string;
}

export interface Choice {
  /** In the order in which they are tried; at most one per channel. */
  candidates: Candidate[];
  excluded: { channel: RelayChannel; reason: string }[];
}

export interface Wish {
  model: string;
  /** What the caller called. */
  entry: Entry;
  /** What of the call only the provider's own interface can know. */
  refersTo?: string | undefined;
  /** What else the price depends on (`Asked`). */
  variant?: string | undefined;
  group: string;
  /** What the caller pays on this channel, in millionths of the price. */
  ratioOn(channel: RelayChannel): number;
  /** The gateway keeps answers itself: one that neither it nor a channel knows does not exist. */
  holdsAnswers?: boolean;
  /** An administrator's pinned channel, id or uuid. */
  pin: string | undefined;
  tokenId: number;
  /** The channel that answered this conversation last. */
  lastChannelId: number | undefined;
  triesMax: number;
}

/** What is remembered of channels between calls. */
export interface ChannelMemory {
  breakers: Breakers;
  /** Of this key, for the channels of this model. */
  waits: Waits;
}

export function chooseChannels(
  wish: Wish,
  snapshot: ChannelSnapshot,
  memory: ChannelMemory,
  now: number,
  random: () => number,
): Choice {
  if (wish.pin !== undefined) return pinned(wish, wish.pin, snapshot, memory, now);
  const ready: RelayChannel[] = [];
  const resting: RelayChannel[] = [];
  const reasons = new Map<RelayChannel, string>();
  const excluded: Choice["excluded"] = [];
  const without = { soonestMs: Number.POSITIVE_INFINITY, isForgotten: false, isOurLimit: true };

  for (const channel of snapshot.listing(wish.model)) {
    const unfitting = unfit(channel, wish);
    if (unfitting) {
      excluded.push({ channel, reason: unfitting });
      without.isForgotten ||= unfitting === keepsNothing;
      continue;
    }
    const { reason, at, waitMs } = standing(channel, wish, memory, now);
    if (at === "out") {
      excluded.push({ channel, reason });
      without.soonestMs = Math.min(without.soonestMs, waitMs);
      without.isOurLimit &&= reason.startsWith(limitReached);
    } else {
      reasons.set(channel, reason);
      (at === "last" ? resting : ready).push(channel);
    }
  }

  const ordered = [...byPriorityAndWeight(ready, random, wish.lastChannelId), ...byPriorityAndWeight(resting, random)];
  if (ordered.length === 0) throw nobody(wish, without);
  const candidates = ordered.slice(0, wish.triesMax).map((channel) => ({
    channel,
    reason: reasons.get(channel) ?? "",
    cost: snapshot.price(channel, wish.model, wish.ratioOn(channel), now, wish.variant),
  }));
  for (const channel of ordered.slice(wish.triesMax)) excluded.push({ channel, reason: "beyond the number of tries" });
  return { candidates, excluded };
}

/** Where a channel that fits stands among the others: in its turn, after all of them, or out for `waitMs`. */
interface Standing {
  at: "turn" | "last" | "out";
  reason: string;
  waitMs: number;
}

function standing(channel: RelayChannel, wish: Wish, { breakers, waits }: ChannelMemory, now: number): Standing {
  const waitMs = waits.get(channel.id) ?? 0;
  if (waitMs > 0) return { at: "out", reason: `${limitReached}, ${secondsOf(waitMs)} s left`, waitMs };
  const priority = `priority ${channel.priority}`;
  const breaker = breakers.find(channel.id, wish.model);
  if (!breaker) {
    const isLast = channel.id === wish.lastChannelId;
    return { at: "turn", reason: isLast ? `${priority}, answered this conversation last` : priority, waitMs };
  }
  if (breaker.isOnTrial)
    return { at: "last", reason: `last resort: another call tries it after ${breaker.reason}`, waitMs };
  if (!breaker.isOpen) return { at: "turn", reason: `${priority}, tried again after ${breaker.reason}`, waitMs };
  const leftMs = breaker.until - now;
  const told = `suspended after ${breaker.reason}, ${secondsOf(leftMs)} s left`;
  return breaker.isHard
    ? { at: "out", reason: told, waitMs: leftMs }
    : { at: "last", reason: `last resort: ${told}`, waitMs };
}

const secondsOf = (ms: number): number => Math.ceil(ms / 1000);

const keepsNothing = "it cannot know what the call refers to";

function unfit(channel: RelayChannel, { model, group, entry, refersTo }: Wish): string | undefined {
  const urls = urlsOf(channel, model);
  if (channel.status === 3) return `disabled automatically: ${channel.disabledReason || "no reason recorded"}`;
  if (channel.status !== 1) return "disabled";
  if (!hasKey(channel)) return "every key of it is disabled";
  if (!channel.groups.has(group)) return `not for the group ${group}`;
  if (channel.hidden.has(model)) return "the model is hidden on this channel";
  if (!canServe(entry, urls)) return `its type does not serve ${nameOf(entry)}`;
  if (refersTo !== undefined && !urls[entry]) return keepsNothing;
  return undefined;
}

const hasKey = ({ keys }: RelayChannel): boolean => keys.some(({ status }) => status === 1);

const urlsOf = (channel: RelayChannel, model: string): EntryUrls =>
  channel.urlsFor(channel.mapping.get(model) ?? model);

const nameOf = (entry: Entry): string =>
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
  const tried = (tier: RelayChannel[]): RelayChannel[] => [
    ...tier.filter(({ id }) => id === first),
    ...drawn(
      tier.filter(({ id }) => id !== first),
      random,
    ),
  ];
  return priorities.flatMap((priority) => tried(tiers.get(priority) ?? []));
}

function drawn(tier: readonly RelayChannel[], random: () => number): RelayChannel[] {
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

function pinned(wish: Wish, pin: string, snapshot: ChannelSnapshot, { waits }: ChannelMemory, now: number): Choice {
  const channel = snapshot.channels.find(({ id, uuid }) => String(id) === pin || uuid === pin);
  if (!channel) throw denied(400, `There is no channel ${pin}`);
  if (channel.status !== 1 || !hasKey(channel)) throw denied(403, `The channel ${pin} is disabled`);
  const urls = urlsOf(channel, wish.model);
  if (!channel.models.has(wish.model) || !canServe(wish.entry, urls)) {
    throw denied(400, `The channel ${pin} does not serve ${wish.model} here`);
  }
  if (wish.refersTo !== undefined && !urls[wish.entry]) throw forgotten(wish, wish.refersTo);
  const waitMs = waits.get(channel.id) ?? 0;
  if (waitMs > 0) throw limited(wish.model, waitMs);
  const cost = snapshot.price(channel, wish.model, wish.ratioOn(channel), now, wish.variant);
  return { candidates: [{ channel, cost, reason: "pinned by the key" }], excluded: [] };
}

function forgotten({ model, holdsAnswers }: Wish, refersTo: string): Refused {
  if (holdsAnswers && refersTo === "previous_response_id") return previousNotFound();
  const message = `${refersTo}: no channel for the model ${model} keeps earlier answers; send the whole conversation in input instead`;
  return badRequest("invalid_request_error", message, refersTo);
}

interface Without {
  /** Until the first channel that only has to wait may be asked again. */
  soonestMs: number;
  isForgotten: boolean;
  /** Whether all that wait do so for a limit of ours. */
  isOurLimit: boolean;
}

function nobody(wish: Wish, { soonestMs, isForgotten, isOurLimit }: Without): Refused {
  const { model, group, refersTo } = wish;
  if (Number.isFinite(soonestMs)) {
    if (isOurLimit) return limited(model, soonestMs);
    return denied(429, `Every channel for ${model} is rate limited upstream`, Math.max(1, secondsOf(soonestMs)));
  }
  if (isForgotten && refersTo !== undefined) return forgotten(wish, refersTo);
  return denied(503, `No channel is available for the model ${model} in the group ${group}`);
}

/** The caller's key has sent all that the channels for a model take of one key. */
export const limited = (model: string, waitMs: number): Refused =>
  denied(429, `The API key has reached the rate limit of every channel for ${model}`, Math.max(1, secondsOf(waitMs)));
