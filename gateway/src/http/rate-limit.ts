/** Refuses calls beyond a rate limit. */
import type { Counters, RateWindow } from "../limits/counters.ts";
import { computeShare } from "../limits/share-ledger.ts";
import { type RefusalDetails, refuse } from "./refusal.ts";
import { rateLimitSource } from "./request-head.ts";

/** Counts one call, or throws the refusal that says how long to wait. */
export async function enforceLimit(
  counters: Counters,
  window: RateWindow,
  details: RefusalDetails = {},
): Promise<void> {
  const decision = await counters.take(window);
  if (decision.allowed) return;
  const headers = { "RateLimit-Limit": String(window.limit) };
  throw refuse("too_many_requests", {
    retryAfter: Math.ceil(decision.retryAfterMs / 1000),
    headers,
    ...details,
  });
}

/**
 * Counts one call of a stranger in a window that all share. One source takes no more of it than its
 * share, or than `sourceMax` where that is less; what is refused for that counts against nobody
 * else.
 */
export async function enforceSharedLimit(
  counters: Counters,
  ofAll: RateWindow,
  address: string,
  sourceMax = ofAll.limit,
): Promise<void> {
  const { name, limit } = ofAll;
  const ofSource = {
    limit: Math.min(sourceMax, computeShare(limit)),
    name: `${name}-source ${rateLimitSource(address)}`,
  };
  await enforceLimit(counters, { ...ofAll, ...ofSource });
  await enforceLimit(counters, ofAll);
}
