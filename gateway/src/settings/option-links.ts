/**
 * Checks of links that administrators enter: https only, no credentials, no framing of this
 * server's own pages.
 */
import { isIP } from "node:net";
import { isDataImage } from "@tollgate/contract/site/data-image.ts";
import { isPublicAddress } from "../egress/address-policy.ts";

/** The hosts of this server: a framed page of the same origin could act as the signed-in user. */
export interface LinkContext {
  ownHosts: readonly string[];
  /** `guardAddressIssue` says why the gateway must not call an address of the guard hook. */
  guardAddressIssue?: ((url: string) => string | undefined) | undefined;
}

const lengthMax = 2000;
/** `dataLengthMax` is for pictures as data: every page of the console carries the logo. */
const dataLengthMax = 16_384;

/**
 * `server` is this server's address, which may use http. A picture may be a path on this server, or
 * data.
 */
export function linkProblem(
  text: string,
  kind: "link" | "frame" | "picture" | "server",
  { ownHosts }: LinkContext,
): string | undefined {
  if (kind === "picture" && isDataImage(text))
    return text.length > dataLengthMax
      ? `must have at most ${dataLengthMax} characters`
      : undefined;
  if (text.length > lengthMax) return `must have at most ${lengthMax} characters`;
  if (/[\s\p{Cc}\\]/u.test(text)) return "must be an address without spaces";
  if (kind === "picture" && /^\/(?!\/)/.test(text)) return undefined;
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text))
    return "must be an address that begins with https://";
  const url = new URL(text);
  if (url.protocol !== "https:" && kind !== "server") return "must begin with https://";
  if (url.username || url.password) return "must not contain a user name or password";
  return kind === "frame" ? findFrameProblem(url, ownHosts) : undefined;
}

function findFrameProblem(
  { host, hostname }: URL,
  ownHosts: readonly string[],
): string | undefined {
  const plain = (name: string) => name.toLowerCase().replace(/\.$/, "").replace(/:443$/, "");
  if (ownHosts.some((own) => plain(own) === plain(host)))
    return "must not be a page of this server: a frame on the same origin could do everything that you can";
  const literal = hostname.replace(/^\[|\]$/g, "");
  if ((isIP(literal) && !isPublicAddress(literal)) || /(^|\.)localhost\.?$/i.test(hostname))
    return "must be a public address";
  return undefined;
}
