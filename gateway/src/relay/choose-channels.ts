/** Which channels to try for a call, best first, and for every other one the reason why not. Pure. */
import { channelEndpoints } from "@tollgate/contract/channel-endpoints.ts";
import type { ChannelPrice, ChannelSnapshot, RelayChannel } from "./channel-table.ts";
import type { EntryUrls } from "./providers/entry-urls.ts";
import { badRequest, denied, type Refused } from "./relay-refusal.ts";
import type { Entry } from "./shapes/shape.ts";
import type { Suspensions } from "./suspensions.ts";
import { canServe } from "./ways.ts";

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
  group: string;
  /** What the caller pays on this channel, in millionths of the price. */
  ratioOn(channel: RelayChannel): number;
  /** An administrator's pinned channel, id or uuid. */
  pin: string | undefined;
  triesMax: number;
}

export function chooseChannels(
  wish: Wish,
  snapshot: ChannelSnapshot,
  suspensions: Suspensions,
  now: number,
  random: () => number,
): Choice {
  if (wish.pin !== undefined) return pinned(wish, wish.pin, snapshot);
  const ready: RelayChannel[] = [];
  const resting: { channel: RelayChannel; reason: string }[] = [];
  const excluded: Choice["excluded"] = [];
  let soonestMs = Number.POSITIVE_INFINITY;
  let isForgotten = false;

  for (const channel of snapshot.listing(wish.model)) {
    const reason = unfit(channel, wish);
    if (reason) {
      excluded.push({ channel, reason });
      isForgotten ||= reason === keepsNothing;
      continue;
    }
    const suspension = suspensions.find(channel.id, wish.model);
    if (!suspension) {
      ready.push(channel);
      continue;
    }
    const leftMs = suspension.until - now;
    const told = `suspended after ${suspension.reason}, ${Math.ceil(leftMs / 1000)} s left`;
    if (suspension.isHard) {
      excluded.push({ channel, reason: told });
      soonestMs = Math.min(soonestMs, leftMs);
    } else resting.push({ channel, reason: `last resort: ${told}` });
  }

  const ordered = [
    ...byPriorityAndWeight(ready, random).map((channel) => ({ channel, reason: `priority ${channel.priority}` })),
    ...resting,
  ];
  if (ordered.length === 0) throw nobody(wish, soonestMs, isForgotten);
  const candidates = ordered.slice(0, wish.triesMax).map(({ channel, reason }) => ({
    channel,
    reason,
    cost: snapshot.price(channel, wish.model, wish.ratioOn(channel)),
  }));
  for (const { channel } of ordered.slice(wish.triesMax))
    excluded.push({ channel, reason: "beyond the number of tries" });
  return { candidates, excluded };
}

const keepsNothing = "it cannot know what the call refers to";

function unfit(channel: RelayChannel, { model, group, entry, refersTo }: Wish): string | undefined {
  const urls = urlsOf(channel, model);
  if (channel.status === 3) return `disabled automatically: ${channel.disabledReason || "no reason recorded"}`;
  if (channel.status !== 1) return "disabled";
  if (!channel.groups.has(group)) return `not for the group ${group}`;
  if (channel.hidden.has(model)) return "the model is hidden on this channel";
  if (!canServe(entry, urls)) return `its type does not serve ${nameOf(entry)}`;
  if (refersTo !== undefined && !urls[entry]) return keepsNothing;
  return undefined;
}

const urlsOf = (channel: RelayChannel, model: string): EntryUrls =>
  channel.urlsFor(channel.mapping.get(model) ?? model);

const nameOf = (entry: Entry): string =>
  (channelEndpoints.find(({ name }) => name === entry)?.description ?? entry).toLowerCase();

/** The highest priority first; inside one, drawn by weight without putting back (all weights 0: evenly). */
export function byPriorityAndWeight(channels: readonly RelayChannel[], random: () => number): RelayChannel[] {
  if (channels.length <= 1) return [...channels];
  const tiers = Map.groupBy(channels, ({ priority }) => priority);
  const priorities = [...tiers.keys()].sort((a, b) => b - a);
  return priorities.flatMap((priority) => drawn(tiers.get(priority) ?? [], random));
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

function pinned(wish: Wish, pin: string, snapshot: ChannelSnapshot): Choice {
  const channel = snapshot.channels.find(({ id, uuid }) => String(id) === pin || uuid === pin);
  if (!channel) throw denied(400, `There is no channel ${pin}`);
  if (channel.status !== 1) throw denied(403, `The channel ${pin} is disabled`);
  const urls = urlsOf(channel, wish.model);
  if (!channel.models.has(wish.model) || !canServe(wish.entry, urls)) {
    throw denied(400, `The channel ${pin} does not serve ${wish.model} here`);
  }
  if (wish.refersTo !== undefined && !urls[wish.entry]) throw forgotten(wish.model, wish.refersTo);
  const cost = snapshot.price(channel, wish.model, wish.ratioOn(channel));
  return { candidates: [{ channel, cost, reason: "pinned by the key" }], excluded: [] };
}

function forgotten(model: string, refersTo: string): Refused {
  const message = `${refersTo}: no channel for the model ${model} keeps earlier answers; send the whole conversation in input instead`;
  return badRequest("invalid_request_error", message, refersTo);
}

function nobody({ model, group, refersTo }: Wish, soonestMs: number, isForgotten: boolean): Refused {
  if (Number.isFinite(soonestMs)) {
    return denied(429, `Every channel for ${model} is rate limited upstream`, Math.max(1, Math.ceil(soonestMs / 1000)));
  }
  if (isForgotten && refersTo !== undefined) return forgotten(model, refersTo);
  return denied(503, `No channel is available for the model ${model} in the group ${group}`);
}
