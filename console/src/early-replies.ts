/**
 * Requests that begin before the code that needs their replies has run: on a slow connection a list
 * otherwise waits for its code first and asks for its rows then. `index.html` begins the first one
 * in the page's head, and `api-call.ts` takes a reply by its address, so that timeouts and refusals
 * follow the same rules as of any other call. Inside the console, the press of a link begins it
 * (`ask-while-pressed.ts`).
 */
interface FirstRequest {
  url: string;
  /** The least role that may ask. */
  role: number;
}

const everyRole = 1;
const adminRole = 10;
const firstPage = "?p=0&size=10&sort=id&order=desc";
/**
 * `firstRequests` are what the page of a list asks for when its address has no search. The build
 * writes it into the page's head.
 */
export const firstRequests: Readonly<Record<string, FirstRequest>> = {
  "/tokens": { url: `/api/token/${firstPage}`, role: everyRole },
  "/channels": { url: `/api/channel/${firstPage}`, role: adminRole },
  "/users": { url: `/api/user/${firstPage}`, role: adminRole },
  "/redemptions": { url: `/api/redemption/${firstPage}`, role: adminRole },
};

interface EarlyReply {
  url: string;
  response: Promise<Response>;
  abort: AbortController;
}

declare global {
  /** Set in the page's head. */
  var earlyReply: EarlyReply | undefined;
}

/**
 * The reply of a request that has begun already, or undefined. It is given once: the next call of
 * the address asks again.
 *
 * @param signal ends the request as it would have ended one that begins now.
 */
export function takeEarlyReply(
  method: string,
  url: string,
  signal: AbortSignal,
): Promise<Response> | undefined {
  const early = globalThis.earlyReply;
  if (method !== "GET" || early?.url !== url) return undefined;
  globalThis.earlyReply = undefined;
  signal.addEventListener("abort", () => early.abort.abort(signal.reason), { once: true });
  return early.response;
}

/**
 * The reply belongs to a session that has ended: the page that asks after the next sign-in would be
 * refused by it.
 */
export function dropEarlyReply(): void {
  globalThis.earlyReply = undefined;
}
