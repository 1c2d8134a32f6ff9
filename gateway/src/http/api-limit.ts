/** How many calls of `/api` one client address may make: far above what a console needs, far below a flood. */
import { meaningOf } from "@tollgate/contract/errors.ts";
import { sourceOf } from "./address.ts";
import type { Circumstances } from "./caller.ts";
import { rateLimiter } from "./rate-limit.ts";
import { refuse } from "./refusal.ts";

const windowMs = 180_000;

/** 0 is no limit. The refusal also has the shape that clients of compatible servers know from their limits. */
export function apiLimit(callsMax: number) {
  const sources = rateLimiter(callsMax, windowMs);
  return {
    take({ address, now, requestId }: Pick<Circumstances, "address" | "now" | "requestId">): void {
      if (callsMax === 0) return;
      const turn = sources.take(sourceOf(address), now);
      if (turn.allowed) return;
      const { message } = meaningOf("too_many_requests");
      throw refuse("too_many_requests", {
        retryAfter: turn.retryAfter,
        headers: { "RateLimit-Limit": String(callsMax) },
        extras: { error: { message: `${message} (request id: ${requestId})`, type: "one_api_error" } },
      });
    },
  };
}
export type ApiLimit = ReturnType<typeof apiLimit>;
