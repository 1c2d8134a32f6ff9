/** Proof that a call which changes something comes from our own pages and not from a link or form elsewhere. */
import type { Endpoint } from "@tollgate/contract/endpoint.ts";
import { consoleHeader } from "@tollgate/contract/envelope.ts";
import type { Principal } from "./request-context.ts";

const isSameOrigin = (headers: Headers) =>
  headers.get("sec-fetch-site") === "same-origin" || headers.get(consoleHeader.name) === consoleHeader.value;

/**
 * Only a cookie needs proof: browsers attach it to foreign links and forms, too. A public call with a JSON body (signing
 * in) is exempt, because no foreign page can send that content type without asking first, and we never agree.
 */
const needsCsrfCheck = (endpoint: Endpoint, principal: Principal | undefined) =>
  principal?.credential.kind === "cookie" &&
  (endpoint.method !== "GET" || endpoint.proof === "same-origin") &&
  !(endpoint.access === "public" && endpoint.body !== undefined);

export const failsCsrfCheck = (endpoint: Endpoint, principal: Principal | undefined, headers: Headers) =>
  needsCsrfCheck(endpoint, principal) && !isSameOrigin(headers);
