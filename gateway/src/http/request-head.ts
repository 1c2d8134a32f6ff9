/**
 * The facts that the gateway reads from the head of a request before any handler: the client's
 * address and a duplicate host.
 */
import type { IncomingMessage } from "node:http";
import {
  type AddressBlock,
  blockContains,
  blockText,
  parseAddress,
} from "@tollgate/contract/api/cidr.ts";

/**
 * Walks `X-Forwarded-For` from the right past every trusted proxy: the first untrusted hop is the
 * client. Everything to its left is only what that client claims.
 */
export function composeClientAddress(
  peer: string,
  forwardedFor: string | undefined,
  trusted: readonly AddressBlock[],
): string {
  // Without trusted proxies the header is never read.
  if (trusted.length === 0) return plain(peer);
  const isTrusted = (text: string) => {
    const bytes = parseAddress(text);
    return bytes !== undefined && trusted.some((block) => blockContains(block, bytes));
  };
  const hops = (forwardedFor ?? "").split(",").map((hop) => hop.trim());
  let client = plain(peer);
  while (isTrusted(client)) {
    const hop = hops.pop();
    if (hop === undefined || parseAddress(hop) === undefined) break;
    client = plain(hop);
  }
  return client;
}

/** Writes an IPv4 address that arrived over an IPv6 socket as IPv4. */
const plain = (address: string) => address.replace(/^::ffff:(?=\d+\.)/i, "");

/** Several forwarded headers are one list. */
const findForwarded = ({ headers }: IncomingMessage): string | undefined => {
  const value = headers["x-forwarded-for"];
  return Array.isArray(value) ? value.join(",") : value;
};

/** The client's address of a request, behind the trusted proxies. */
export const readAddressOfRequest = (
  request: IncomingMessage,
  trusted: readonly AddressBlock[],
): string =>
  composeClientAddress(request.socket.remoteAddress ?? "", findForwarded(request), trusted);

/**
 * `rateLimitSource` gives one customer usually holds a whole IPv6 /64, so rate limits count it as
 * one source.
 */
export function rateLimitSource(address: string): string {
  const bytes = parseAddress(address);
  if (bytes?.length !== 16) return address;
  return blockText({ bytes: [...bytes.slice(0, 8), ...Array<number>(8).fill(0)], bits: 64 });
}

/**
 * `isRepeatedHeader` says whether a header was sent more than once. `lowerName` is in lower case;
 * `rawHeaders` alternates names and values.
 */
export function isRepeatedHeader(rawHeaders: readonly string[], lowerName: string): boolean {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? "";
    if (name.length === lowerName.length && name.toLowerCase() === lowerName) count += 1;
  }
  return count > 1;
}

/**
 * RFC 9112 (3.2) requires refusing a request with two Host headers: another hop may read the other
 * one, and Node itself silently keeps the first.
 */
export const hasDuplicateHost = (rawHeaders: readonly string[]): boolean =>
  isRepeatedHeader(rawHeaders, "host");
