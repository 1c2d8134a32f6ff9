/** Checks that a call which changes something comes from our own pages and not from a link or form on another site. */
import type { Endpoint } from "@tollgate/contract/endpoint.ts";
import { consoleHeader } from "@tollgate/contract/envelope.ts";
import type { Principal } from "./request-context.ts";

const isSameOrigin = (headers: Headers) =>
  headers.get("sec-fetch-site") === "same-origin" || headers.get(consoleHeader.name) === consoleHeader.value;

/**
 * Only cookies need the check: browsers attach them to requests from other sites too. A public call with a JSON body
 * (signing in) is exempt, because another site cannot send that content type without a preflight, which the gateway
 * never grants.
 */
const needsCsrfCheck = (endpoint: Endpoint, principal: Principal | undefined) =>
  principal?.credential.kind === "cookie" &&
  (endpoint.method !== "GET" || endpoint.proof === "same-origin") &&
  !(endpoint.access === "public" && endpoint.body !== undefined);

export const failsCsrfCheck = (endpoint: Endpoint, principal: Principal | undefined, headers: Headers) =>
  needsCsrfCheck(endpoint, principal) && !isSameOrigin(headers);
