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
const openMsMax = 300_000;
/** A trial that has not ended by then says nothing any more: another call may try. */
const trialMaxMs = 60_000;
/** A half-open breaker that no call came to for this long is forgotten, with its number of failures. */
const expiresAfterMs = 600_000;
/** Pairs of channel and model beyond this push out the oldest. */
const entriesMax = 20_000;

export interface Breaker {
  reason: string;
  /** Open before this moment, half open from it on. */
  openUntil: number;
  isOpen: boolean;
  /** Half open, and another call is trying. */
  isOnTrial: boolean;
  /** Open because the upstream named a time: before it there is no point in trying. */
  isHard: boolean;
}

/** One call on its way through a breaker; it ends by one of the three. */
export interface BreakerPass {
  succeeded(): void;
  failed(status: number, retryAfterMs: number | undefined): void;
  /** It says nothing about the channel: the caller left, or was refused for a mistake of theirs. */
  release(): void;
}

export interface Breakers {
  /** Undefined when it is closed. */
  find(channelId: number, model: string): Breaker | undefined;
  /** Takes the trial of a breaker that is half open and has none. */
  acquire(channelId: number, model: string): BreakerPass;
  /** All that are not closed. */
  list(): (Breaker & { channelId: number; model: string })[];
}

interface BreakerEntry {
  channelId: number;
  model: string;
  reason: string;
  openUntil: number;
  isHard: boolean;
  /** How often it opened without closing in between. */
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

  const isOnTrial = ({ trial }: BreakerEntry): boolean => trial !== undefined && trial.until > now();

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

  function open(channelId: number, model: string, openCount: number, status: number, retryAfterMs: number | undefined) {
    const name = nameOf(channelId, model);
    const isHard = status === 429 && retryAfterMs !== undefined;
    const ms = isHard ? Math.min(Math.max(retryAfterMs, 0), retryAfterMaxMs) : openMs(status, openCount);
    const reason = status === 0 ? "no answer" : `status ${status}`;
    entries.delete(name);
    entries.set(name, { channelId, model, reason, openUntil: now() + ms, isHard, openCount, trial: undefined });
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
          const isHard = status === 429 && retryAfterMs !== undefined;
          if (!entry || entry.trial?.by === pass) open(channelId, model, openCount + 1, status, retryAfterMs);
          // Calls that were under way at the same time fail for the same reason: that is no further failure. What is
          // open stays as it is, and a trial of somebody else decides; but a time that the upstream names counts.
          else if (isHard || (entry.openUntil <= now() && !isOnTrial(entry)))
            open(channelId, model, openCount, status, retryAfterMs);
        },
        release() {
          const entry = entries.get(name);
          if (entry?.trial?.by === pass) entry.trial = undefined;
        },
      };
      const entry = current(name);
      if (entry && entry.openUntil <= now() && !isOnTrial(entry)) entry.trial = { by: pass, until: now() + trialMaxMs };
      return pass;
    },
    list() {
      return [...entries.keys()].flatMap((name) => {
        const entry = current(name);
        return entry ? [{ channelId: entry.channelId, model: entry.model, ...stateOf(entry) }] : [];
      });
    },
  };
}

/** Twice as long each time that it fails again. */
function openMs(status: number, openCount: number): number {
  const first = status === 429 ? rateLimitedMs : status === 401 || status === 403 ? refusedKeyMs : failedMs;
  return Math.min(first * 2 ** (openCount - 1), openMsMax);
}
