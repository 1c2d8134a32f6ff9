/** The attempts of one call, each with its channel and key, in the order in which they are made. */
import { findDisablingReason } from "../../catalogue/channels/channel-health-rules.ts";
import type { RelayCall } from "../formats/api-format.ts";
import type { StateBinding } from "../provider-states/provider-states.ts";
import type { UpstreamError } from "../upstream/upstream-error.ts";
import type { ValueRule } from "../value-rules/value-rule.ts";
import type { BreakerPass, Breakers } from "./breakers.ts";
import { type ChannelLimits, isLimited } from "./channel-limits.ts";
import type { RelayChannelKey } from "./channel-parts.ts";
import type { RelayChannel } from "./channel-table.ts";
import type { ChannelCandidate } from "./choose-channels.ts";
import type { KeyCooldowns } from "./key-cooldowns.ts";
import type { ModelPace, PacedCall } from "./model-pace.ts";
import type { ExclusionReason } from "./routing-reasons.ts";
import type { PreferredChannel } from "./session-affinity.ts";
import type { ToldLimits } from "./told-limits.ts";

export interface AttemptDeps {
  breakers: Breakers;
  channelLimits: ChannelLimits;
  keyCooldowns: KeyCooldowns;
  modelPace: ModelPace;
  toldLimits: ToldLimits;
}

/** A request that the provider refused, in a form that it may take. */
export interface Revision {
  call: RelayCall;
  /** The row of the table that says so, where one does. */
  rule?: ValueRule;
  /** `isLost` says whether a member was left out. */
  isLost?: boolean;
}

/**
 * `ChannelAttempt` is one attempt. If neither function is called, the attempt says nothing about
 * its channel.
 */
export interface ChannelAttempt {
  candidate: ChannelCandidate;
  /** The channel with the key of this attempt. */
  channel: RelayChannel;
  key: RelayChannelKey;
  /** Sent in place of the call, on the attempt that `revise` asked for. */
  revised?: Revision;
  /** `firstContentAt`: milliseconds since the epoch, where there was content. */
  succeeded(firstContentAt?: number): void;
  failed(error: UpstreamError): void;
  /**
   * `revise` takes the place of `failed` for a request that the provider refused and would take in
   * another form: the next attempt sends it to the same channel with the same key, and counts
   * towards no limit. False where the call was revised before.
   */
  revise(revised: Revision): boolean;
  /**
   * After `failed`: no other channel of the same model can help, so that another target of the
   * virtual model is next.
   */
  giveUpModel(): void;
}

export interface AttemptOptions {
  tokenId: number;
  /**
   * `attemptsMax` is for each model, and each group of a key that names some: they have tries of
   * their own.
   */
  attemptsMax: number;
  preferred: PreferredChannel | undefined;
  /**
   * The key of a channel that is tried first, where what a user keeps should lie at one account.
   */
  firstKeyOf?: ((channel: RelayChannel) => number | undefined) | undefined;
  /**
   * Sets aside what the call may come to on the budgets of a channel, before each attempt there;
   * the reason where they do not cover it. `lostAt` is a channel that may have done the work
   * already. Missing where no channel has a budget.
   */
  enter?:
    | ((candidate: ChannelCandidate, lostAt?: number) => Promise<ExclusionReason | undefined>)
    | undefined;
  /** `state` is for a call that names what one of the keys keeps. */
  state?: Pick<StateBinding, "keyFor"> | undefined;
}

interface AttemptPlace {
  candidate: ChannelCandidate;
  key: RelayChannelKey;
  hasNextKey: boolean;
}

/**
 * Walks the candidates and the keys of each: one object, as a call has one attempt and two nested
 * generators cost it 3 % of its time.
 */
class AttemptPlaces {
  readonly #candidates: readonly ChannelCandidate[];
  readonly #options: AttemptOptions;
  readonly #deps: AttemptDeps;
  /** Candidates whose breaker's only trial another call has taken since routing: they come last. */
  readonly #deferred: ChannelCandidate[] = [];
  #nextCandidate = 0;
  #candidate: ChannelCandidate | undefined;
  /** The keys of the present candidate. */
  #keys: readonly RelayChannelKey[] = [];
  #nextKey = 0;
  /** The key of the latest attempt was at fault, and the channel has another one. */
  triesNextKey = false;

  constructor(candidates: readonly ChannelCandidate[], options: AttemptOptions, deps: AttemptDeps) {
    this.#candidates = candidates;
    this.#options = options;
    this.#deps = deps;
  }

  next(): AttemptPlace | undefined {
    let key = this.triesNextKey ? this.#keys[this.#nextKey] : undefined;
    this.triesNextKey = false;
    while (!key) {
      this.#candidate = this.#takeCandidate();
      if (!this.#candidate) return undefined;
      this.#keys = this.#keysOf(this.#candidate);
      this.#nextKey = 0;
      [key] = this.#keys;
    }
    this.#nextKey += 1;
    return (
      this.#candidate && {
        candidate: this.#candidate,
        key,
        hasNextKey: this.#nextKey < this.#keys.length,
      }
    );
  }

  #takeCandidate(): ChannelCandidate | undefined {
    while (true) {
      const candidate = this.#candidates[this.#nextCandidate];
      if (!candidate) return this.#deferred.shift();
      this.#nextCandidate += 1;
      if (!this.#deps.breakers.find(candidate.channel.id, candidate.model)?.isOnTrial)
        return candidate;
      this.#deferred.push(candidate);
    }
  }

  #keysOf({ channel, model }: ChannelCandidate): readonly RelayChannelKey[] {
    const { preferred, state, firstKeyOf } = this.#options;
    const issuer = state?.keyFor(channel);
    if (issuer) return [issuer];
    if (channel.keys.length === 1) return channel.keys;
    const first = preferred?.channelId === channel.id ? preferred.keyIndex : firstKeyOf?.(channel);
    const keys = this.#deps.keyCooldowns.keysToTry(channel, first);
    const isEmpty = (key: RelayChannelKey): boolean =>
      this.#deps.toldLimits.isKeyEmpty(channel.id, key.index, model);
    return keys.some(isEmpty)
      ? keys.toSorted((one, other) => Number(isEmpty(one)) - Number(isEmpty(other)))
      : keys;
  }
}

/**
 * An attempt ends when the next one is asked for, or when the loop over them is left. Only `next`
 * is asynchronous: two nested async generators cost 2 % of a JSON call, which has one attempt.
 */
export function makeAttempts(
  candidates: readonly ChannelCandidate[],
  options: AttemptOptions,
  deps: AttemptDeps,
  onSkip: (candidate: ChannelCandidate, reason: ExclusionReason) => void,
): AsyncIterable<ChannelAttempt> {
  const used = new Map<string, number>();
  const usedFor = (candidate: ChannelCandidate): number => used.get(nameTurn(candidate)) ?? 0;
  const places = new AttemptPlaces(candidates, options, deps);
  let pass: BreakerPass | undefined;
  let paced: PacedCall | undefined;
  let isRevised = false;
  let again: ChannelAttempt | undefined;
  let lostAt: number | undefined;

  function begin({ candidate, key, hasNextKey }: AttemptPlace): ChannelAttempt {
    const { channel, model } = candidate;
    const own = deps.breakers.acquire(channel.id, model);
    const pace = deps.modelPace.begin(model);
    pass = own;
    paced = pace;
    const attempt: ChannelAttempt = {
      candidate,
      channel:
        key.index === channel.keyIndex
          ? channel
          : { ...channel, key: key.key, keyIndex: key.index },
      key,
      succeeded(firstContentAt = 0) {
        own.succeeded();
        if (firstContentAt > 0) pace.measured(firstContentAt);
      },
      failed(error) {
        if (error.lost) lostAt = channel.id;
        // A provider that falls silent is suspended like one that fails, although the call is not
        // sent again.
        if (!error.isRetryable && error.lost?.cause !== "silent") return;
        const { status, retryAfterMs } = error;
        const isKeyAtFault = channel.keys.length > 1 && isKeyError(error);
        if (isKeyAtFault) deps.keyCooldowns.coolDown(channel.id, key.index, status, retryAfterMs);
        places.triesNextKey = isKeyAtFault && hasNextKey;
        if (!places.triesNextKey) own.failed(status, retryAfterMs);
      },
      revise(revised) {
        if (isRevised) return false;
        isRevised = true;
        again = { ...attempt, revised };
        return true;
      },
      giveUpModel() {
        for (const one of candidates)
          if (one.model === model) used.set(nameTurn(one), options.attemptsMax);
      },
    };
    return attempt;
  }

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
        const place = places.next();
        if (!place) break;
        const { candidate } = place;
        const { channel } = candidate;
        if (usedFor(candidate) >= options.attemptsMax) continue;
        const full = options.enter && (await options.enter(candidate, lostAt));
        if (full) {
          onSkip(candidate, full);
          continue;
        }
        // Other calls of this key may have used the channel since routing.
        if (isLimited(channel) && !(await deps.channelLimits.consume(options.tokenId, channel))) {
          onSkip(candidate, { reason: "limit_reached" });
          continue;
        }
        used.set(nameTurn(candidate), usedFor(candidate) + 1);
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

/** `nameTurn` says whose tries an attempt uses up. */
const nameTurn = ({ model, group }: ChannelCandidate): string =>
  group === undefined ? model : `${group} ${model}`;

/** `isKeyError` says whether another key of the same channel may succeed. */
const isKeyError = ({ status, reported, isCreditLow }: UpstreamError): boolean =>
  status === 403 ||
  status === 429 ||
  isCreditLow === true ||
  (reported !== undefined && findDisablingReason({ status, ...reported }) !== undefined);
