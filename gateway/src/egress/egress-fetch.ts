/**
 * The exit as a `fetch`, for libraries that take one: no redirects, a bounded reply, one deadline.
 */
import type { Egress } from "./egress.ts";
import { readWholeReply } from "./request-text.ts";

export interface FetchRequest {
  method?: string | undefined;
  headers?: Record<string, string> | Headers | undefined;
  body?: unknown;
  signal?: AbortSignal | undefined;
}

export type EgressFetch = (url: string, request?: FetchRequest) => Promise<Response>;

export interface EgressFetchBounds {
  deadlineMs: number;
  replyBytesMax: number;
}

/** Statuses whose responses must not have a body. */
const bodylessStatuses = new Set([204, 205, 304]);

export function createEgressFetch(
  egress: Egress,
  { deadlineMs, replyBytesMax }: EgressFetchBounds,
): EgressFetch {
  return async (url, { method = "GET", headers, body, signal } = {}) => {
    const target = new URL(url);
    const deadline = AbortSignal.timeout(deadlineMs);
    const response = await egress.pool(target).request({
      origin: target.origin,
      path: target.pathname + target.search,
      method: method === "POST" ? "POST" : "GET",
      signal: signal ? AbortSignal.any([signal, deadline]) : deadline,
      headers: Object.fromEntries(new Headers(headers)),
      body: body === undefined || body === null ? null : formatBodyText(body),
    });
    const bytes = await readWholeReply(response.body, replyBytesMax);
    const replyHeaders = new Headers();
    for (const [name, value] of Object.entries(response.headers))
      for (const one of [value ?? []].flat()) replyHeaders.append(name, one);
    const content = bodylessStatuses.has(response.statusCode) ? null : bytes;
    return new Response(content, { status: response.statusCode, headers: replyHeaders });
  };
}

/** Libraries of OAuth send forms and texts alone. */
function formatBodyText(body: unknown): string {
  if (typeof body === "string") return body;
  if (body instanceof URLSearchParams) return body.toString();
  throw new TypeError("the body of a request must be text or a form");
}
