/** The attempts of one call, each with its channel and key, in the order in which they are made. */
import { disablingReason } from "../../channels/channel-health-rules.ts";
import type { RelayCall } from "../formats/api-format.ts";
import type { StateBinding } from "../provider-states/provider-states.ts";
import type { UpstreamError } from "../upstream/upstream-error.ts";
import type { BreakerPass, Breakers } from "./breakers.ts";
import { type ChannelLimits, isLimited } from "./channel-limits.ts";
import type { RelayChannel, RelayChannelKey } from "./channel-table.ts";
import type { ChannelCandidate } from "./choose-channels.ts";
import type { KeyCooldowns } from "./key-cooldowns.ts";
import type { ModelPace, PacedCall } from "./model-pace.ts";
import type { ExclusionReason } from "./routing-reasons.ts";
import type { PreferredChannel } from "./session-affinity.ts";

export interface AttemptDeps {
  breakers: Breakers;
  channelLimits: ChannelLimits;
  keyCooldowns: KeyCooldowns;
  modelPace: ModelPace;
}

/** One attempt. If neither function is called, the attempt says nothing about its channel. */
export interface ChannelAttempt {
  candidate: ChannelCandidate;
  /** The channel with the key of this attempt. */
  channel: RelayChannel;
  key: RelayChannelKey;
  /** Sent in place of the call, on the attempt that `revise` asked for. */
  revised?: RelayCall;
  /** `firstContentAt`: milliseconds since the epoch, where there was content. */
  succeeded(firstContentAt?: number): void;
  failed(error: UpstreamError): void;
  /**
   * In place of `failed`, for a request that the provider refused and would take in another form: the next attempt sends it to the
   * same channel with the same key, and counts towards no limit. False where the call was revised before.
   */
  revise(revised: RelayCall): boolean;
  /** After `failed`: no other channel of the same model can help, so that another target of the virtual model is next. */
  giveUpModel(): void;
}

export interface AttemptOptions {
  tokenId: number;
  /** For each model, and each group of a key that names some: they have tries of their own. */
  attemptsMax: number;
  preferred: PreferredChannel | undefined;
  /** For a call that names what one of the keys keeps. */
  state?: Pick<StateBinding, "keyFor"> | undefined;
}

interface AttemptPlace {
  candidate: ChannelCandidate;
  key: RelayChannelKey;
  hasNextKey: boolean;
}

/** What the latest attempt says about the next place. */
interface AttemptCourse {
  /** The key was at fault, and the channel has another one. */
  triesNextKey: boolean;
}

/*
 * The generator functions stand outside of `attempts`: the engine gives each generator function that runs a hidden class of its own,
 * which only a full garbage collection frees, and with it all that the function can reach. One for each call kept every call.
 */
function* placesOn(
  candidate: ChannelCandidate,
  options: AttemptOptions,
  deps: AttemptDeps,
  course: AttemptCourse,
): Generator<AttemptPlace, void> {
  const { channel } = candidate;
  const first = options.preferred?.channelId === channel.id ? options.preferred.keyIndex : undefined;
  const issuer = options.state?.keyFor(channel);
  const several = channel.keys.length > 1 ? deps.keyCooldowns.keysToTry(channel, first) : channel.keys;
  const keys = issuer ? [issuer] : several;
  for (const [index, key] of keys.entries()) {
    course.triesNextKey = false;
    yield { candidate, key, hasNextKey: index + 1 < keys.length };
    if (!course.triesNextKey) return;
  }
}

function* placesInOrder(
  candidates: readonly ChannelCandidate[],
  options: AttemptOptions,
  deps: AttemptDeps,
  course: AttemptCourse,
): Generator<AttemptPlace, void> {
  const deferred: ChannelCandidate[] = [];
  for (const candidate of candidates) {
    const breaker = deps.breakers.find(candidate.channel.id, candidate.model);
    // Another call has taken the breaker's only trial since routing.
    if (breaker?.isOnTrial) deferred.push(candidate);
    else yield* placesOn(candidate, options, deps, course);
  }
  for (const candidate of deferred) yield* placesOn(candidate, options, deps, course);
}

/**
 * An attempt ends when the next one is asked for, or when the loop over them is left. Only `next` is asynchronous: two nested
 * async generators cost 2 % of a JSON call, which has one attempt.
 */
export function attempts(
  candidates: readonly ChannelCandidate[],
  options: AttemptOptions,
  deps: AttemptDeps,
  onSkip: (candidate: ChannelCandidate, reason: ExclusionReason) => void,
): AsyncIterable<ChannelAttempt> {
  const used = new Map<string, number>();
  const usedFor = (candidate: ChannelCandidate): number => used.get(turnOf(candidate)) ?? 0;
  const course: AttemptCourse = { triesNextKey: false };
  let pass: BreakerPass | undefined;
  let paced: PacedCall | undefined;
  let isRevised = false;
  let again: ChannelAttempt | undefined;

  function begin({ candidate, key, hasNextKey }: AttemptPlace): ChannelAttempt {
    const { channel, model } = candidate;
    const own = deps.breakers.acquire(channel.id, model);
    const pace = deps.modelPace.begin(model);
    pass = own;
    paced = pace;
    const attempt: ChannelAttempt = {
      candidate,
      channel: key.index === channel.keyIndex ? channel : { ...channel, key: key.key, keyIndex: key.index },
      key,
      succeeded(firstContentAt = 0) {
        own.succeeded();
        if (firstContentAt > 0) pace.measured(firstContentAt);
      },
      failed(error) {
        // A provider that falls silent is suspended like one that fails, although the call is not sent again.
        if (!error.isRetryable && error.lost?.cause !== "silent") return;
        const { status, retryAfterMs } = error;
        const isKeyAtFault = channel.keys.length > 1 && isKeyError(error);
        if (isKeyAtFault) deps.keyCooldowns.coolDown(channel.id, key.index, status, retryAfterMs);
        course.triesNextKey = isKeyAtFault && hasNextKey;
        if (!course.triesNextKey) own.failed(status, retryAfterMs);
      },
      revise(revised) {
        if (isRevised) return false;
        isRevised = true;
        again = { ...attempt, revised };
        return true;
      },
      giveUpModel() {
        for (const one of candidates) if (one.model === model) used.set(turnOf(one), options.attemptsMax);
      },
    };
    return attempt;
  }

  const places = placesInOrder(candidates, options, deps, course);
  const iterator: AsyncIterator<ChannelAttempt, undefined> = {
    async next() {
      if (again) {
        const value = again;
        again = undefined;
        return { done: false, value };
      }
      pass?.release();
      pass = undefined;
      paced?.end();
      while (true) {
        const { value: place } = places.next();
        if (!place) break;
        const { candidate } = place;
        const { channel } = candidate;
        if (usedFor(candidate) >= options.attemptsMax) continue;
        // Other calls of this key may have used the channel since routing.
        if (isLimited(channel) && !(await deps.channelLimits.consume(options.tokenId, channel))) {
          onSkip(candidate, { reason: "limit_reached" });
          continue;
        }
        used.set(turnOf(candidate), usedFor(candidate) + 1);
        return { done: false, value: begin(place) };
      }
      return { done: true, value: undefined };
    },
    return() {
      pass?.release();
      paced?.end();
      return Promise.resolve({ done: true, value: undefined });
    },
  };
  return { [Symbol.asyncIterator]: () => iterator };
}

/** Whose tries an attempt uses up. */
const turnOf = ({ model, group }: ChannelCandidate): string => (group === undefined ? model : `${group} ${model}`);

/** Whether another key of the same channel may succeed. */
const isKeyError = ({ status, reported, isCreditLow }: UpstreamError): boolean =>
  status === 403 ||
  status === 429 ||
  isCreditLow === true ||
  (reported !== undefined && disablingReason({ status, ...reported }) !== undefined);
