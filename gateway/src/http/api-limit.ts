/**
 * How many calls of `/api` one user may make, or one address that is nobody yet: far above what a console needs, far
 * below a flood. Each route has calls of its own, so that a noisy one leaves the rest of the page what it needs.
 */
import type { Endpoint } from "@tollgate/contract/endpoint.ts";
import { meaningOf } from "@tollgate/contract/errors.ts";
import type { Counters, RateWindow } from "../limits/counters.ts";
import { rateLimitSource } from "./client-address.ts";
import { enforceLimit } from "./rate-limit.ts";
import type { Principal, RequestContext } from "./request-context.ts";

const windowMs = 180_000;
/** All routes together may be called so many times as often as one: many routes are no way around the limit. */
const routesAtFullRate = 4;
/** These look at many rows, whatever the search is for. */
const searches = { limit: 30, windowMs: 60_000 };
const downloads = { limit: 5, windowMs: 60_000 };

type LimitedRoute = Pick<Endpoint, "method" | "path" | "stream">;

/** 0 is no limit. The refusal also has the shape that clients of compatible servers know from their limits. */
export function createApiLimit(counters: Counters, callsMax: number) {
  const ofRoute = (subject: string, route: LimitedRoute | undefined): RateWindow => {
    if (route?.stream) return { ...downloads, name: `${subject} downloads` };
    if (route?.path.endsWith("/search")) return { ...searches, name: `${subject} searches` };
    return { limit: callsMax, windowMs, name: `${subject} ${route ? `${route.method} ${route.path}` : "unknown"}` };
  };

  return {
    /** `route` is undefined where there is none: looking for routes is limited too. */
    async take(
      { address, requestId }: Pick<RequestContext, "address" | "requestId">,
      route: LimitedRoute | undefined,
      principal: Pick<Principal, "id"> | undefined,
    ): Promise<void> {
      if (callsMax === 0) return;
      const { message } = meaningOf("too_many_requests");
      const extras = { error: { message: `${message} (request id: ${requestId})`, type: "one_api_error" } };
      const subject = principal ? `api-user ${principal.id}` : `api-source ${rateLimitSource(address)}`;
      // The route first: what it refuses takes nothing from the others.
      await enforceLimit(counters, ofRoute(subject, route), { extras });
      await enforceLimit(counters, { limit: routesAtFullRate * callsMax, windowMs, name: subject }, { extras });
    },
  };
}
export type ApiLimit = ReturnType<typeof createApiLimit>;
