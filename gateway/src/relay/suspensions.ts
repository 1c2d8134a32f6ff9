/** Channels that just failed for a model: tried last for a while, or not at all while the upstream asked for a pause. */

const rateLimitedMs = 60_000;
const refusedKeyMs = 60_000;
const failedMs = 30_000;
const retryAfterMaxMs = 60_000;

export interface Suspension {
  until: number;
  reason: string;
  /** The upstream named a time: before it there is no point in trying. */
  isHard: boolean;
}

export interface Suspensions {
  note(channelId: number, model: string, status: number, retryAfterMs: number | undefined): void;
  clear(channelId: number, model: string): void;
  find(channelId: number, model: string): Suspension | undefined;
}

export function openSuspensions(now: () => number): Suspensions {
  const pairs = new Map<string, Suspension>();
  const nameOf = (channelId: number, model: string): string => `${channelId} ${model}`;
  return {
    note(channelId, model, status, retryAfterMs) {
      const askedFor = status === 429 && retryAfterMs !== undefined;
      const ms = askedFor ? Math.min(Math.max(retryAfterMs, 0), retryAfterMaxMs) : pauseMs(status);
      const reason = status === 0 ? "no answer" : `status ${status}`;
      pairs.set(nameOf(channelId, model), { until: now() + ms, reason, isHard: askedFor });
    },
    clear(channelId, model) {
      pairs.delete(nameOf(channelId, model));
    },
    find(channelId, model) {
      const found = pairs.get(nameOf(channelId, model));
      if (!found || found.until > now()) return found;
      pairs.delete(nameOf(channelId, model));
      return undefined;
    },
  };
}

function pauseMs(status: number): number {
  if (status === 429) return rateLimitedMs;
  return status === 401 || status === 403 ? refusedKeyMs : failedMs;
}
