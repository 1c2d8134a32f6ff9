/**
 * Checks that a call which changes something comes from our own pages and not from a link or form
 * on another site.
 */
import type { Endpoint } from "@tollgate/contract/api/endpoint.ts";
import { consoleHeader } from "@tollgate/contract/api/envelope.ts";
import { isFormType, isJsonType } from "./read-json-body.ts";
import type { Principal } from "./request-context.ts";

/**
 * Another site cannot send the console's header without a preflight, which the gateway never
 * grants.
 */
const hasConsoleHeader = (headers: Headers): boolean =>
  headers.get(consoleHeader.name) === consoleHeader.value;

const isSameOrigin = (headers: Headers): boolean =>
  headers.get("sec-fetch-site") === "same-origin" || hasConsoleHeader(headers);

/**
 * Host and port of an address, with the default port of its protocol; undefined where it has no
 * host.
 */
function findHost(address: string): string | undefined {
  const url = URL.parse(address);
  if (!url?.host) return undefined;
  const defaultPort = url.protocol === "https:" ? "443" : "80";
  return `${url.hostname}:${url.port || defaultPort}`;
}

/** `Origin: null` (sandboxed frames, redirects) is foreign. */
function isOwnOrigin(origin: string, headers: Headers, publicUrl: string | undefined): boolean {
  const host = findHost(origin);
  if (host === undefined) return false;
  const { protocol } = new URL(origin);
  return (
    host === findHost(`${protocol}//${headers.get("host") ?? ""}`) ||
    host === findHost(publicUrl ?? "")
  );
}

/**
 * Browsers say where a write comes from; a client that says nothing is no browser. It still has to
 * declare JSON, which the forms of another site cannot, in case a browser is so old that it says
 * nothing either.
 */
function isOwnWrite(headers: Headers, publicUrl: string | undefined): boolean {
  if (hasConsoleHeader(headers)) return true;
  const site = headers.get("sec-fetch-site");
  if (site !== null) return site === "same-origin";
  const origin = headers.get("origin");
  if (origin !== null) return isOwnOrigin(origin, headers, publicUrl);
  return isJsonType(headers.get("content-type"));
}

/**
 * A form is the one body that another site sends without a preflight. The programs for which an
 * endpoint takes forms do not say where they are, as browsers do: else any page could begin
 * sign-ins at its visitors' addresses until these may begin none.
 */
const isFormOfAnotherSite = (headers: Headers, publicUrl: string | undefined): boolean =>
  isFormType(headers.get("content-type")) &&
  (headers.has("sec-fetch-site") || headers.has("origin")) &&
  !isOwnWrite(headers, publicUrl);

/**
 * Beside forms, only cookies need the check: browsers attach them to requests from other sites too.
 * A public call with a JSON body (signing in) is exempt, because another site cannot send that
 * content type without a preflight, which the gateway never grants.
 */
export function failsCsrfCheck(
  endpoint: Endpoint,
  principal: Principal | undefined,
  headers: Headers,
  publicUrl: string | undefined,
): boolean {
  if (endpoint.takesForm && isFormOfAnotherSite(headers, publicUrl)) return true;
  if (principal?.credential.kind !== "cookie") return false;
  if (endpoint.method === "GET") return endpoint.proof === "same-origin" && !isSameOrigin(headers);
  if (endpoint.access === "public" && endpoint.body !== undefined) return false;
  return !isOwnWrite(headers, publicUrl);
}
