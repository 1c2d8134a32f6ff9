/**
 * The addresses that outgoing calls may reach: the public internet, and the private hosts that the
 * operator allows.
 */
import { BlockList, isIP } from "node:net";

const reserved4 = new BlockList();
for (const [net, prefix] of [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  // A public address, but on Azure it is the host's agent, which issues certificates.
  ["168.63.129.16", 32],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4],
] as const) {
  reserved4.addSubnet(net, prefix, "ipv4");
}

/**
 * Only 2000::/3 is global unicast; ranges within it for IPv4 tunnels and documentation are refused
 * too.
 */
const global6 = new BlockList();
global6.addSubnet("2000::", 3, "ipv6");
const reserved6 = new BlockList();
for (const [net, prefix] of [
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["3fff::", 20],
] as const) {
  reserved6.addSubnet(net, prefix, "ipv6");
}

/** `isPublicAddress` says whether an IP address is on the public internet. */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 4) return !reserved4.check(address, "ipv4");
  if (family === 6) return global6.check(address, "ipv6") && !reserved6.check(address, "ipv6");
  return false;
}

/** The `host:port` pairs that may be called despite a private address. */
export type PrivateHosts = ReadonlySet<string>;

export const readHostAndPort = (url: URL): string =>
  `${url.hostname.toLowerCase()}:${url.port || (url.protocol === "https:" ? "443" : "80")}`;

/**
 * `findUrlViolation` says why a URL must not be called, or undefined. Host names are checked again
 * when they are resolved.
 */
export function findUrlViolation(
  text: string,
  privateHosts: PrivateHosts,
  privateHostsVariable = "UPSTREAM_PRIVATE_HOSTS",
): string | undefined {
  if (!URL.canParse(text)) return "is not a URL";
  const url = new URL(text);
  if (url.protocol !== "https:" && url.protocol !== "http:")
    return "must begin with https:// or http://";
  if (url.username || url.password) return "must not contain a user name or password";
  if (privateHosts.has(readHostAndPort(url))) return undefined;
  const literal = url.hostname.replace(/^\[|\]$/g, "");
  if (isIP(literal) && !isPublicAddress(literal)) {
    return `is a private address; to allow it, add ${readHostAndPort(url)} to ${privateHostsVariable}`;
  }
  if (/(^|\.)localhost\.?$/i.test(url.hostname)) {
    return `names this machine; to allow it, add ${readHostAndPort(url)} to ${privateHostsVariable}`;
  }
  return undefined;
}
