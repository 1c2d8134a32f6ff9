/** Refuses calls beyond a rate limit. */
import type { Counters, RateWindow } from "../limits/counters.ts";
import { type RefusalDetails, refuse } from "./refusal.ts";

/** Counts one call, or throws the refusal that says how long to wait. */
export async function enforceLimit(
  counters: Counters,
  window: RateWindow,
  details: RefusalDetails = {},
): Promise<void> {
  const decision = await counters.take(window);
  if (decision.allowed) return;
  const headers = { "RateLimit-Limit": String(window.limit) };
  throw refuse("too_many_requests", { retryAfter: Math.ceil(decision.retryAfterMs / 1000), headers, ...details });
}
