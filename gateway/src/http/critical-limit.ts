/** The one tight bucket of tries that everything shares which a stranger may try: sign-in, registration, reset. */
import { sourceOf } from "./address.ts";
import type { Circumstances } from "./caller.ts";
import { rateLimiter } from "./rate-limit.ts";
import { refuse } from "./refusal.ts";

const triesPerSource = 20;
const windowMs = 20 * 60_000;

type Where = Pick<Circumstances, "address" | "now">;

export function criticalLimit() {
  const sources = rateLimiter(triesPerSource, windowMs);
  return {
    /** Counts a try, or refuses it. */
    take({ address, now }: Where): void {
      const turn = sources.take(sourceOf(address), now);
      if (!turn.allowed) throw refuse("too_many_requests", { retryAfter: turn.retryAfter });
    },
    /** Gives a try back that turned out to be harmless. */
    refund: ({ address, now }: Where) => sources.refund(sourceOf(address), now),
  };
}
export type CriticalLimit = ReturnType<typeof criticalLimit>;
