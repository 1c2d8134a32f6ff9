/**
 * The host and the origin of passkeys: browsers bind them to the host, and their answers name the
 * whole origin.
 */

export interface RelyingParty {
  id: string;
  origin: string;
}

/**
 * The relying party of a server at this address; undefined where browsers make no passkeys: without
 * an address, over plain HTTP (but on localhost) and at an IP address.
 */
export function findRelyingParty(publicUrl: string | undefined): RelyingParty | undefined {
  if (publicUrl === undefined) return;
  const { protocol, hostname, origin } = new URL(publicUrl);
  const isLocal = hostname === "localhost" || hostname.endsWith(".localhost");
  // The parser writes every IPv4 address as four numbers, and IPv6 in brackets.
  const isAddress = /^[\d.]+$/.test(hostname) || hostname.startsWith("[");
  if (isAddress || (protocol !== "https:" && !isLocal)) return;
  return { id: hostname, origin };
}
