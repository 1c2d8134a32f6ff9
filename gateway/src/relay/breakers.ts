/**
 * A breaker for each channel and model. A failure opens it for a while; then one call at a time may try whether the
 * channel works again (half open), which closes it or opens it for longer. What "open" means for a call is decided by
 * whoever chooses channels.
 */

const rateLimitedMs = 60_000;
const refusedKeyMs = 60_000;
const failedMs = 30_000;
const retryAfterMaxMs = 60_000;
/** A provider that was away for an hour is noticed within this much of its return. */
const pauseMaxMs = 300_000;
/** A trial that has not ended by then says nothing any more: another call may try. */
const trialMaxMs = 60_000;
/** A half-open breaker that no call came to for this long is forgotten, with its number of failures. */
const forgottenAfterMs = 600_000;
/** Pairs of channel and model beyond this push out the oldest. */
const openMax = 20_000;

export interface Breaker {
  reason: string;
  /** Open before this moment, half open from it on. */
  until: number;
  isOpen: boolean;
  /** Half open, and another call is trying. */
  isOnTrial: boolean;
  /** Open because the upstream named a time: before it there is no point in trying. */
  isHard: boolean;
}

/** One call on its way through a breaker; it ends by one of the three. */
export interface Pass {
  worked(): void;
  failed(status: number, retryAfterMs: number | undefined): void;
  /** It says nothing about the channel: the caller left, or was refused for a mistake of theirs. */
  ended(): void;
}

export interface Breakers {
  /** Undefined when it is closed. */
  find(channelId: number, model: string): Breaker | undefined;
  /** Takes the trial of a breaker that is half open and has none. */
  enter(channelId: number, model: string): Pass;
  /** All that are not closed. */
  all(): (Breaker & { channelId: number; model: string })[];
}

interface Entry {
  channelId: number;
  model: string;
  reason: string;
  until: number;
  isHard: boolean;
  /** How often it opened without closing in between. */
  times: number;
  trial: { by: Pass; until: number } | undefined;
}

export function openBreakers(now: () => number): Breakers {
  const entries = new Map<string, Entry>();
  const nameOf = (channelId: number, model: string): string => `${channelId} ${model}`;

  function current(name: string): Entry | undefined {
    const entry = entries.get(name);
    if (entry && entry.until + forgottenAfterMs <= now()) {
      entries.delete(name);
      return undefined;
    }
    return entry;
  }

  const isOnTrial = ({ trial }: Entry): boolean => trial !== undefined && trial.until > now();

  const shown = (entry: Entry): Breaker => {
    const isOpen = entry.until > now();
    return {
      reason: entry.reason,
      until: entry.until,
      isOpen,
      isOnTrial: !isOpen && isOnTrial(entry),
      isHard: isOpen && entry.isHard,
    };
  };

  function open(channelId: number, model: string, times: number, status: number, retryAfterMs: number | undefined) {
    const name = nameOf(channelId, model);
    const isHard = status === 429 && retryAfterMs !== undefined;
    const ms = isHard ? Math.min(Math.max(retryAfterMs, 0), retryAfterMaxMs) : pauseMs(status, times);
    const reason = status === 0 ? "no answer" : `status ${status}`;
    entries.delete(name);
    entries.set(name, { channelId, model, reason, until: now() + ms, isHard, times, trial: undefined });
    if (entries.size > openMax) entries.delete(entries.keys().next().value ?? name);
  }

  return {
    find(channelId, model) {
      const entry = current(nameOf(channelId, model));
      return entry && shown(entry);
    },
    enter(channelId, model) {
      const name = nameOf(channelId, model);
      const pass: Pass = {
        worked: () => void entries.delete(name),
        failed(status, retryAfterMs) {
          const entry = current(name);
          const times = entry?.times ?? 0;
          const isHard = status === 429 && retryAfterMs !== undefined;
          if (!entry || entry.trial?.by === pass) open(channelId, model, times + 1, status, retryAfterMs);
          // Calls that were under way at the same time fail for the same reason: that is no further failure. What is
          // open stays as it is, and a trial of somebody else decides; but a time that the upstream names counts.
          else if (isHard || (entry.until <= now() && !isOnTrial(entry)))
            open(channelId, model, times, status, retryAfterMs);
        },
        ended() {
          const entry = entries.get(name);
          if (entry?.trial?.by === pass) entry.trial = undefined;
        },
      };
      const entry = current(name);
      if (entry && entry.until <= now() && !isOnTrial(entry)) entry.trial = { by: pass, until: now() + trialMaxMs };
      return pass;
    },
    all() {
      return [...entries.keys()].flatMap((name) => {
        const entry = current(name);
        return entry ? [{ channelId: entry.channelId, model: entry.model, ...shown(entry) }] : [];
      });
    },
  };
}

/** Twice as long each time that it fails again. */
function pauseMs(status: number, times: number): number {
  const first = status === 429 ? rateLimitedMs : status === 401 || status === 403 ? refusedKeyMs : failedMs;
  return Math.min(first * 2 ** (times - 1), pauseMaxMs);
}
