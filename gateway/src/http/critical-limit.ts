/**
 * The tight limit that all calls share which a stranger may try: sign-in, registration, password
 * reset.
 */
import type { Counters, RateWindow } from "../limits/counters.ts";
import { enforceLimit } from "./rate-limit.ts";
import type { RequestContext } from "./request-context.ts";
import { rateLimitSource } from "./request-head.ts";

const tries = { limit: 20, windowMs: 20 * 60_000 };

type LimitedRequest = Pick<RequestContext, "address">;

export function createCriticalLimit(counters: Counters) {
  const windowOf = ({ address }: LimitedRequest): RateWindow => ({
    ...tries,
    name: `critical ${rateLimitSource(address)}`,
  });
  return {
    /** Counts an attempt, or refuses it. */
    take: (call: LimitedRequest): Promise<void> => enforceLimit(counters, windowOf(call)),
    /** Returns an attempt that turned out to be harmless. */
    refund: (call: LimitedRequest): void => counters.refund(windowOf(call)),
  };
}
export type CriticalLimit = ReturnType<typeof createCriticalLimit>;
