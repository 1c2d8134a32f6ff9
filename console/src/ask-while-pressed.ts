import { consoleHeader } from "@tollgate/contract/api/envelope.ts";
import { dropEarlyReply, expectReply, firstRequests } from "./early-replies.ts";
import { basePath, readPagePath } from "./site-path.ts";

/**
 * A pressed link opens its page at once; what was asked for a page that did not open must not
 * answer a later one.
 */
const pressedMaxMs = 1_000;

/**
 * Asks for the first rows of a list while the link to it is still pressed, so that they are on
 * their way when its page is drawn.
 *
 * @param path of a page whose link the user sees; a page that asks for nothing first is left alone.
 */
export function askWhilePressed(path: string): void {
  const first = firstRequests[path];
  if (first === undefined || path === readPagePath()) return;
  dropEarlyReply();
  const abort = new AbortController();
  const { url } = first;
  const headers = { [consoleHeader.name]: consoleHeader.value };
  const response = fetch(basePath + url, { headers, credentials: "include", signal: abort.signal });
  const asked = { url, response, abort };
  expectReply(asked);
  setTimeout(() => {
    if (globalThis.earlyReply !== asked) return;
    abort.abort();
    globalThis.earlyReply = undefined;
  }, pressedMaxMs);
}
