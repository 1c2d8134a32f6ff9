/**
 * A circuit breaker for each channel and model. A failure opens it; after a while it is half open,
 * and one call at a time may try the channel, which closes the breaker or opens it for longer.
 * Routing decides what an open breaker means for a call.
 */
import { findRestStated } from "../wire/retry-after.ts";

const rateLimitedMs = 60_000;
const refusedKeyMs = 60_000;
const failedMs = 30_000;
/** The longest a recovered provider goes unnoticed. */
const openMsMax = 300_000;
/** A trial without a result by then is void: another call may try. */
const trialMaxMs = 60_000;
/** A half-open breaker without calls for this long is dropped, with its count of failures. */
const expiresAfterMs = 600_000;
/** Beyond this, the oldest pairs of channel and model are dropped. */
const entriesMax = 20_000;

export interface Breaker {
  reason: string;
  /** Open before this time, half open from then on. */
  openUntil: number;
  isOpen: boolean;
  /** Half open, and another call is on trial. */
  isOnTrial: boolean;
  /** Open until a time that the upstream gave: earlier calls are pointless. */
  isHard: boolean;
}

export interface ListedBreaker extends Breaker {
  channelId: number;
  model: string;
  /** `since` is when it opened first since it was closed last. */
  since: number;
}

/** `BreakerPass` is one call through a breaker; it ends by exactly one of these functions. */
export interface BreakerPass {
  succeeded(): void;
  failed(status: number, retryAfterMs: number | undefined): void;
  /** The call says nothing about the channel: the client left, or made a mistake. */
  release(): void;
}

export interface Breakers {
  /** Undefined when the breaker is closed. */
  find(channelId: number, model: string): Breaker | undefined;
  /** Takes the trial of a half-open breaker that has none. */
  acquire(channelId: number, model: string): BreakerPass;
  /** `list` gives all breakers that are not closed. */
  list(): ListedBreaker[];
}

interface BreakerEntry {
  channelId: number;
  model: string;
  reason: string;
  since: number;
  openUntil: number;
  isHard: boolean;
  /** `openCount` says how often the breaker opened without closing in between. */
  openCount: number;
  trial: { by: BreakerPass; until: number } | undefined;
}

export function createBreakers(now: () => number): Breakers {
  const entries = new Map<string, BreakerEntry>();
  const nameOf = (channelId: number, model: string): string => `${channelId} ${model}`;

  function current(name: string): BreakerEntry | undefined {
    const entry = entries.get(name);
    if (entry && entry.openUntil + expiresAfterMs <= now()) {
      entries.delete(name);
      return undefined;
    }
    return entry;
  }

  const isOnTrial = ({ trial }: BreakerEntry): boolean =>
    trial !== undefined && trial.until > now();

  const stateOf = (entry: BreakerEntry): Breaker => {
    const isOpen = entry.openUntil > now();
    return {
      reason: entry.reason,
      openUntil: entry.openUntil,
      isOpen,
      isOnTrial: !isOpen && isOnTrial(entry),
      isHard: isOpen && entry.isHard,
    };
  };

  function open(
    channelId: number,
    model: string,
    openCount: number,
    status: number,
    retryAfterMs: number | undefined,
  ) {
    const name = nameOf(channelId, model);
    const stated = findRestStated(status, retryAfterMs);
    const openUntil = now() + (stated ?? openMs(status, openCount));
    const isHard = stated !== undefined;
    const reason = status === 0 ? "no answer" : `status ${status}`;
    const since = current(name)?.since ?? now();
    entries.delete(name);
    entries.set(name, {
      channelId,
      model,
      reason,
      since,
      openUntil,
      isHard,
      openCount,
      trial: undefined,
    });
    if (entries.size > entriesMax) entries.delete(entries.keys().next().value ?? name);
  }

  return {
    find(channelId, model) {
      const entry = current(nameOf(channelId, model));
      return entry && stateOf(entry);
    },
    acquire(channelId, model) {
      const name = nameOf(channelId, model);
      const pass: BreakerPass = {
        succeeded: () => void entries.delete(name),
        failed(status, retryAfterMs) {
          const entry = current(name);
          const openCount = entry?.openCount ?? 0;
          const isHard = findRestStated(status, retryAfterMs) !== undefined;
          if (!entry || entry.trial?.by === pass)
            open(channelId, model, openCount + 1, status, retryAfterMs);
          // Concurrent calls fail for the same reason, so this is no further failure. An open
          // breaker stays as it is, and another call's trial decides; but a time that the upstream
          // gave counts.
          else if (isHard || (entry.openUntil <= now() && !isOnTrial(entry)))
            open(channelId, model, openCount, status, retryAfterMs);
        },
        release() {
          const entry = entries.get(name);
          if (entry?.trial?.by === pass) entry.trial = undefined;
        },
      };
      const entry = current(name);
      if (entry && entry.openUntil <= now() && !isOnTrial(entry))
        entry.trial = { by: pass, until: now() + trialMaxMs };
      return pass;
    },
    list() {
      return [...entries.keys()].flatMap((name) => {
        const entry = current(name);
        if (!entry) return [];
        const { channelId, model, since } = entry;
        return [{ channelId, model, since, ...stateOf(entry) }];
      });
    },
  };
}

/** Doubles with each failure in a row. */
function openMs(status: number, openCount: number): number {
  const first =
    status === 429 ? rateLimitedMs : status === 401 || status === 403 ? refusedKeyMs : failedMs;
  return Math.min(first * 2 ** (openCount - 1), openMsMax);
}
