/**
 * The path below which a site is served, where `PUBLIC_URL` has one: `https://host/gate`. A reverse
 * proxy may keep it in the requests that it passes on, or take it off.
 */
import type { IncomingMessage } from "node:http";

/** `readBasePath` gives `/gate`, without a slash at its end; empty for a site at the root. */
export const readBasePath = (publicUrl: URL | undefined): string =>
  publicUrl?.pathname.replace(/\/+$/, "") ?? "";

/** `composeSiteAddress` is what every path of the gateway is appended to. */
export const composeSiteAddress = (publicUrl: URL | undefined): string | undefined =>
  publicUrl && publicUrl.origin + readBasePath(publicUrl);

/**
 * RFC 8414 (3.1) puts the name of a document between the host and the path of the issuer, so that
 * a proxy may pass `/.well-known/NAME/gate` on.
 */
const wellKnownDocument = /^\/\.well-known\/[\w.-]+(?=\/)/;

/** `stripBasePath` gives the target of a request as a site at the root would get it. */
export function stripBasePath(target: string, basePath: string): string {
  if (basePath === "") return target;
  const document = wellKnownDocument.exec(target)?.[0] ?? "";
  const rest = target.slice(document.length);
  if (!rest.startsWith(basePath)) return target;
  const below = rest.slice(basePath.length);
  if (document !== "") return below === "" || below.startsWith("?") ? document + below : target;
  if (below.startsWith("/")) return below;
  return below === "" || below.startsWith("?") ? `/${below}` : target;
}

const entered = new WeakSet<IncomingMessage>();

/**
 * `enterBasePath` rewrites the request, once: every handler after it reads the target as that of a
 * site at the root.
 */
export function enterBasePath(request: IncomingMessage, basePath: string): void {
  if (basePath === "" || entered.has(request)) return;
  entered.add(request);
  request.url = stripBasePath(request.url ?? "", basePath);
}
