/** Where a request comes from. Forwarded headers count only when a proxy that the operator named wrote them. */
import { type AddressBlock, blockContains, blockText, parseAddress } from "@tollgate/contract/cidr.ts";

/**
 * Walks `X-Forwarded-For` from the right, past every proxy we trust: the first hop that we do not trust is the client.
 * Everything left of it is what that client claims.
 */
export function clientAddress(
  peer: string,
  forwardedFor: string | undefined,
  trusted: readonly AddressBlock[],
): string {
  // Without a proxy of ours there is nothing to ask an address.
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

/** IPv4 that arrived over an IPv6 socket is written as IPv4. */
const plain = (address: string) => address.replace(/^::ffff:(?=\d+\.)/i, "");

/** One customer usually holds a whole IPv6 /64, so limits count that as one source. */
export function rateLimitSource(address: string): string {
  const bytes = parseAddress(address);
  if (bytes?.length !== 16) return address;
  return blockText({ bytes: [...bytes.slice(0, 8), ...Array<number>(8).fill(0)], bits: 64 });
}
