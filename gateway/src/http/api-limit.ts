/**
 * The rate limit of `/api`, per user or, before sign-in, per client address: far above what a
 * console needs, far below a flood. Each route has a limit of its own, so that one busy route does
 * not block the rest of a page.
 */

import { managementKeyCallsPerMinute } from "@tollgate/contract/accounts/management-keys.ts";
import type { Endpoint } from "@tollgate/contract/api/endpoint.ts";
import { buildMeaning } from "@tollgate/contract/api/errors.ts";
import type { Counters, RateWindow } from "../limits/counters.ts";
import { enforceLimit } from "./rate-limit.ts";
import type { Principal, RequestContext } from "./request-context.ts";
import { rateLimitSource } from "./request-head.ts";

const windowMs = 180_000;
/**
 * The limit of all routes together, as a multiple of the limit of one: spreading calls over many
 * routes is no way around it.
 */
const routesAtFullRate = 4;
/** Searches read many rows, whatever they look for. */
const searches = { limit: 30, windowMs: 60_000 };
const downloads = { limit: 5, windowMs: 60_000 };
const callsOfKey = { limit: managementKeyCallsPerMinute, windowMs: 60_000 };

type LimitedRoute = Pick<Endpoint, "method" | "path" | "stream">;

const isSearch = (route: LimitedRoute | undefined) => route?.path.endsWith("/search") === true;

/**
 * A `readCallsMax` of 0 turns the limit off. The refusal also has the form that clients of compatible
 * servers expect.
 */
export function createApiLimit(counters: Counters, readCallsMax: () => number) {
  const ofRoute = (subject: string, route: LimitedRoute | undefined): RateWindow => {
    if (route?.stream) return { ...downloads, name: `${subject} downloads` };
    if (isSearch(route)) return { ...searches, name: `${subject} searches` };
    return {
      limit: readCallsMax(),
      windowMs,
      name: `${subject} ${route ? `${route.method} ${route.path}` : "unknown"}`,
    };
  };

  return {
    /** `route` is undefined for an unknown path: probing for routes is limited too. */
    async take(
      { address, requestId }: Pick<RequestContext, "address" | "requestId">,
      route: LimitedRoute | undefined,
      principal: Pick<Principal, "id" | "credential"> | undefined,
    ): Promise<void> {
      const callsMax = readCallsMax();
      if (callsMax === 0) return;
      const { message } = buildMeaning("too_many_requests");
      const extras = {
        error: { message: `${message} (request id: ${requestId})`, type: "one_api_error" },
      };
      if (principal?.credential.kind === "management_key") {
        // Of its own, so that a program cannot use up what its maker needs in the console, or the
        // other way round.
        const subject = `management-key ${principal.credential.id}`;
        await enforceLimit(counters, { ...callsOfKey, name: subject }, { extras });
        if (route?.stream || isSearch(route))
          await enforceLimit(counters, ofRoute(subject, route), { extras });
        return;
      }
      const subject = principal
        ? `api-user ${principal.id}`
        : `api-source ${rateLimitSource(address)}`;
      // The route comes first: a call that it refuses does not count against the other routes.
      await enforceLimit(counters, ofRoute(subject, route), { extras });
      await enforceLimit(
        counters,
        { limit: routesAtFullRate * callsMax, windowMs, name: subject },
        { extras },
      );
    },
  };
}
export type ApiLimit = ReturnType<typeof createApiLimit>;
