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
  /** The body of an answer without refusal, once all of it is there. */
  text?: string | undefined;
  /** Settles when `text` is there or will not be; absent for the request of the page's head. */
  arrival?: Promise<void>;
}

declare global {
  /** Set in the page's head. */
  var earlyReply: EarlyReply | undefined;
}

/** Keeps the text of the reply, so that a page that is drawn later is drawn with it at once. */
async function keepText(early: EarlyReply): Promise<void> {
  // The call that takes the reply reports a failure.
  const response = await early.response.catch(() => undefined);
  if (response?.ok)
    early.text = await response
      .clone()
      .text()
      .catch(() => undefined);
}
if (globalThis.earlyReply !== undefined) void keepText(globalThis.earlyReply);

/** Sets the request that has begun for the page of a link. */
export function expectReply(asked: EarlyReply): void {
  globalThis.earlyReply = asked;
  asked.arrival = keepText(asked);
}

/** Shorter than what a user takes for a delay. */
const waitMaxMs = 100;
/** `given` are addresses whose reply is in the query cache: no page waits for another one. */
const given = new Set<string>();

/**
 * Waits a moment for what was asked for while the link to the page was pressed: a list drawn
 * without its rows would be drawn a second time for them. Undefined where there is nothing to wait
 * for.
 */
export function waitForEarlyReply(path: string): Promise<void> | undefined {
  const early = globalThis.earlyReply;
  if (early?.arrival === undefined || early.url !== firstRequests[path]?.url) return undefined;
  if (given.has(early.url)) return undefined;
  const enough = new Promise<void>((resolve) => setTimeout(resolve, waitMaxMs));
  return Promise.race([early.arrival, enough]);
}

/** The text of a reply that is there already, for the page that is drawn with it. */
export const readEarlyText = (url: string): string | undefined =>
  globalThis.earlyReply?.url === url ? globalThis.earlyReply.text : undefined;

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
  giveEarlyReply(url);
  signal.addEventListener("abort", () => early.abort.abort(signal.reason), { once: true });
  return early.response;
}

/** No later call takes the reply of this address. */
export function giveEarlyReply(url: string): void {
  given.add(url);
  globalThis.earlyReply = undefined;
}

/**
 * The reply belongs to a session that has ended: the page that asks after the next sign-in would be
 * refused by it.
 */
export function dropEarlyReply(): void {
  globalThis.earlyReply = undefined;
}
