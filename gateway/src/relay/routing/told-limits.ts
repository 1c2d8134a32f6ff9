/**
 * The rest of their rate limits that providers tell in the headers of answers. A channel with
 * nothing left for a model is tried after the others, before its provider has to refuse. Each node
 * keeps the words of its own answers, in bounded memory.
 */
import { channelStatus } from "@tollgate/contract/catalogue/channels.ts";
import type { ReplyHeaders } from "../wire/retry-after.ts";
import type { ChannelIdentity, ChannelStanding } from "./channel-parts.ts";

/**
 * The longest time for which a header is believed: providers count by the minute, and the next
 * answer tells anew.
 */
const believedMaxMs = 60_000;
/**
 * Providers fill their limits up evenly, so that long before the end there is enough for one more
 * call.
 */
const tokensOfCall = 4_096;
/** More than keys and models that run out in one minute; the oldest are dropped first. */
const entriesMax = 5_000;

/** Names of headers, and what must have come back before another call has room. */
interface ToldWindow {
  unit: "requests" | "tokens";
  remaining: string;
  limit: string;
  reset: string;
  roomFor: number;
}

const buildOpenAi = (unit: ToldWindow["unit"], roomFor: number): ToldWindow => ({
  unit,
  remaining: `x-ratelimit-remaining-${unit}`,
  limit: `x-ratelimit-limit-${unit}`,
  reset: `x-ratelimit-reset-${unit}`,
  roomFor,
});
const buildAnthropic = (name: string, unit: ToldWindow["unit"], roomFor: number): ToldWindow => ({
  unit,
  remaining: `anthropic-ratelimit-${name}-remaining`,
  limit: `anthropic-ratelimit-${name}-limit`,
  reset: `anthropic-ratelimit-${name}-reset`,
  roomFor,
});

/** OpenAI, Azure, Groq, xAI and servers of open models; Anthropic. */
const toldWindows: readonly ToldWindow[] = [
  buildOpenAi("requests", 1),
  buildOpenAi("tokens", tokensOfCall),
  buildAnthropic("requests", "requests", 1),
  buildAnthropic("tokens", "tokens", tokensOfCall),
  buildAnthropic("input-tokens", "tokens", tokensOfCall),
  buildAnthropic("output-tokens", "tokens", tokensOfCall),
];

const durationPart = /(\d{1,12}(?:\.\d{1,12})?)(ms|s|m|h|d)/gy;
const unitMs: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/**
 * `6m0s`, `1.2s` and `120ms`, a plain number of seconds, or a moment; undefined for anything else.
 */
export function readReset(text: string, now: number): number | undefined {
  if (/^\d{1,12}(?:\.\d{1,12})?$/.test(text)) return Number(text) * 1_000;
  durationPart.lastIndex = 0;
  let sum = 0;
  let end = 0;
  for (let part = durationPart.exec(text); part; part = durationPart.exec(text)) {
    sum += Number(part[1]) * (unitMs[part[2] ?? ""] ?? 0);
    end = durationPart.lastIndex;
  }
  if (end > 0) return end === text.length ? sum : undefined;
  const moment = /^\d{4}-/.test(text) ? Date.parse(text) - now : Number.NaN;
  return Number.isNaN(moment) ? undefined : Math.max(0, moment);
}

const readCount = (text: ReplyHeaders[string]): number | undefined =>
  typeof text === "string" && /^\d{1,15}$/.test(text) ? Number(text) : undefined;

/** `findEmptyMs` reads a window that has nothing left: the time until a call has room again. */
function findEmptyMs(headers: ReplyHeaders, window: ToldWindow, now: number): number | undefined {
  if (readCount(headers[window.remaining]) !== 0) return undefined;
  const reset = headers[window.reset];
  const resetMs = typeof reset === "string" ? readReset(reset.trim(), now) : undefined;
  const limit = readCount(headers[window.limit]);
  if (resetMs === undefined || limit === 0) return undefined;
  const share = limit === undefined ? 1 : Math.min(1, window.roomFor / limit);
  return Math.min(Math.ceil(resetMs * share), believedMaxMs);
}

interface ToldLimit {
  channelId: number;
  keyIndex: number;
  model: string;
  unit: ToldWindow["unit"];
  until: number;
}

export interface ToldLimits {
  /** Reads the headers of an answer. */
  hear(channelId: number, keyIndex: number, model: string, headers: ReplyHeaders): void;
  /**
   * `emptyMs` is the time for which no enabled key of the channel has anything left for the model;
   * 0 where one has, or nothing is known.
   */
  emptyMs(
    channel: Pick<ChannelIdentity, "id"> & Pick<ChannelStanding, "keys">,
    model: string,
  ): { leftMs: number; unit: ToldWindow["unit"] } | undefined;
  /** `isKeyEmpty` says whether this key has nothing left for the model. */
  isKeyEmpty(channelId: number, keyIndex: number, model: string): boolean;
  list(): ToldLimit[];
}

export function createToldLimits(now: () => number): ToldLimits {
  const empty = new Map<string, ToldLimit>();
  const nameOf = (channelId: number, keyIndex: number, model: string): string =>
    `${channelId} ${keyIndex} ${model}`;

  function find(name: string): ToldLimit | undefined {
    const told = empty.get(name);
    if (told === undefined || told.until > now()) return told;
    empty.delete(name);
    return undefined;
  }

  return {
    hear(channelId, keyIndex, model, headers) {
      let longest: { ms: number; unit: ToldWindow["unit"] } | undefined;
      for (const window of toldWindows) {
        if (headers[window.remaining] === undefined) continue;
        const ms = findEmptyMs(headers, window, now());
        if (ms !== undefined && ms > (longest?.ms ?? 0)) longest = { ms, unit: window.unit };
      }
      // Answers come in another order than the provider counted: one that says that there is more
      // takes nothing back.
      if (longest === undefined) return;
      const name = nameOf(channelId, keyIndex, model);
      empty.delete(name);
      empty.set(name, {
        channelId,
        keyIndex,
        model,
        unit: longest.unit,
        until: now() + longest.ms,
      });
      if (empty.size > entriesMax) empty.delete(empty.keys().next().value ?? name);
    },
    emptyMs({ id, keys }, model) {
      if (empty.size === 0) return undefined;
      let first: ToldLimit | undefined;
      for (const key of keys) {
        if (key.status !== channelStatus.enabled) continue;
        const told = find(nameOf(id, key.index, model));
        if (!told) return undefined;
        if (first === undefined || told.until < first.until) first = told;
      }
      return first && { leftMs: first.until - now(), unit: first.unit };
    },
    isKeyEmpty: (channelId, keyIndex, model) =>
      empty.size > 0 && find(nameOf(channelId, keyIndex, model)) !== undefined,
    list: () => [...empty.keys()].flatMap((name) => find(name) ?? []),
  };
}
