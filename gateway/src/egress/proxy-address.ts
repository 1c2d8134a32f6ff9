/** The outbound proxy as an operator writes it, and the addresses at which one may be. Pure. */
import { isIP } from "node:net";
import { isPublicAddress, type PrivateHosts } from "./address-policy.ts";

export interface ProxyAddress {
  protocol: "http" | "https" | "socks5";
  /** `hostname` comes without the brackets of IPv6. */
  hostname: string;
  port: number;
  /** Both empty for a proxy without a password. */
  username: string;
  password: string;
}

const defaultPorts = { http: 80, https: 443, socks5: 1080 } as const;
/** SOCKS5 counts their bytes in one byte (RFC 1929). */
const credentialBytesMax = 255;

/**
 * `http://`, `https://` or `socks5://`, then `[user:password@]host[:port]`; undefined for anything
 * else.
 */
export function parseProxy(text: string): ProxyAddress | undefined {
  const [, protocol] = /^(https?|socks5):\/\/[^\s\\]+$/.exec(text) ?? [];
  if (protocol !== "http" && protocol !== "https" && protocol !== "socks5") return undefined;
  const rest = text.slice(protocol.length);
  if (!URL.canParse(`http${rest}`)) return undefined;
  // The parser normalises hosts of web addresses alone, and leaves the port out where it is the
  // usual one of the scheme.
  const url = new URL(`http${rest}`);
  const port = url.port || new URL(`https${rest}`).port || defaultPorts[protocol];
  if (
    url.pathname !== "/" ||
    url.search !== "" ||
    url.hash !== "" ||
    text.includes("?") ||
    text.includes("#")
  ) {
    return undefined;
  }
  const username = decoded(url.username);
  const password = decoded(url.password);
  if (username === undefined || password === undefined || username.includes(":")) return undefined;
  if (username === "" && password !== "") return undefined;
  if ([username, password].some((part) => Buffer.byteLength(part) > credentialBytesMax))
    return undefined;
  return {
    protocol,
    hostname: url.hostname.replace(/^\[|\]$/g, ""),
    port: Number(port),
    username,
    password,
  };
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

export const readProxyHostAndPort = ({
  hostname,
  port,
}: Pick<ProxyAddress, "hostname" | "port">): string =>
  `${isIP(hostname) === 6 ? `[${hostname}]` : hostname}:${port}`;

/**
 * `findProxyViolation` says why a proxy must not be used, or undefined. Host names are checked
 * again when they are resolved.
 */
export function findProxyViolation(
  proxy: ProxyAddress,
  privateHosts: PrivateHosts,
): string | undefined {
  const named = readProxyHostAndPort(proxy);
  if (privateHosts.has(named)) return undefined;
  const { hostname } = proxy;
  const isPrivate = isIP(hostname)
    ? !isPublicAddress(hostname)
    : /(^|\.)localhost\.?$/i.test(hostname);
  return isPrivate
    ? `is at a private address; to allow it, add ${named} to PROXY_PRIVATE_HOSTS`
    : undefined;
}
