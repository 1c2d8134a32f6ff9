/**
 * The exchange with a proxy before it passes bytes on: CONNECT (RFC 9110, section 9.3.6) or SOCKS5
 * (RFC 1928, 1929). Pure. The proxy is told an address, never a name: it must not resolve a name
 * that was checked here. No answer of a proxy appears in an error.
 */
import { isIP } from "node:net";
import type { ProxyAddress } from "./proxy-address.ts";

export class ProxyRefused extends Error {}

export interface TunnelTarget {
  /** An IP address. */
  address: string;
  port: number;
}

export interface ProxyHandshake {
  /** The first bytes to send. */
  opening: Buffer;
  /** Takes the next bytes of the proxy, in any cut. Throws `ProxyRefused`. */
  take(bytes: Buffer): { send?: Buffer; isDone: boolean };
}

export const buildProxyHandshake = (proxy: ProxyAddress, target: TunnelTarget): ProxyHandshake =>
  proxy.protocol === "socks5"
    ? buildSocksHandshake(proxy, target)
    : connectHandshake(proxy, target);

/** More than any proxy sends with its 200. */
const headBytesMax = 8_192;
const headEnd = "\r\n\r\n";

function connectHandshake(
  { username, password }: ProxyAddress,
  { address, port }: TunnelTarget,
): ProxyHandshake {
  const authority = `${isIP(address) === 6 ? `[${address}]` : address}:${port}`;
  const credentials = Buffer.from(`${username}:${password}`).toString("base64");
  const lines = [
    `CONNECT ${authority} HTTP/1.1`,
    `Host: ${authority}`,
    ...(username === "" ? [] : [`Proxy-Authorization: Basic ${credentials}`]),
  ];
  let head = Buffer.alloc(0);
  return {
    opening: Buffer.from(lines.join("\r\n") + headEnd),
    take(bytes) {
      head = Buffer.concat([head, bytes]);
      const end = head.indexOf(headEnd);
      if (end < 0) {
        if (head.byteLength > headBytesMax)
          throw new ProxyRefused("the outbound proxy answered with too long a head");
        return { isDone: false };
      }
      const [, status] =
        /^HTTP\/1\.[01] (\d{3})[ \r]/.exec(head.toString("latin1", 0, end + 2)) ?? [];
      if (status === undefined) throw new ProxyRefused("the outbound proxy does not speak HTTP");
      if (status === "407")
        throw new ProxyRefused("the outbound proxy refused its user name or password");
      if (!status.startsWith("2"))
        throw new ProxyRefused(`the outbound proxy refused to connect (${status})`);
      // The server at the other end speaks second: bytes before the first request are not its own.
      if (head.byteLength > end + headEnd.length) throw refuseEarlyBytes();
      return { isDone: true };
    },
  };
}

const socksVersion = 5;
const withoutPassword = 0;
const withPassword = 2;
const addressKinds = { ipv4: 1, name: 3, ipv6: 4 } as const;

function buildSocksHandshake(
  { username, password }: ProxyAddress,
  target: TunnelTarget,
): ProxyHandshake {
  const hasPassword = username !== "";
  let stage: "method" | "password" | "connection" = "method";
  let held = Buffer.alloc(0);

  /** The bytes of a whole answer, or undefined while some are missing. */
  const answer = (length: number): Buffer | undefined => {
    if (held.byteLength < length) return undefined;
    if (held.byteLength > length) throw refuseEarlyBytes();
    const whole = held;
    held = Buffer.alloc(0);
    return whole;
  };
  const connect = () => {
    stage = "connection";
    return { send: buildConnectionRequest(target), isDone: false };
  };

  return {
    opening: Buffer.from([
      socksVersion,
      ...(hasPassword ? [2, withoutPassword, withPassword] : [1, withoutPassword]),
    ]),
    take(bytes) {
      held = Buffer.concat([held, bytes]);
      switch (stage) {
        case "method": {
          const [version, method] = answer(2) ?? [];
          if (version === undefined) return { isDone: false };
          if (version !== socksVersion)
            throw new ProxyRefused("the outbound proxy does not speak SOCKS5");
          if (method === withoutPassword) return connect();
          if (method !== withPassword || !hasPassword) {
            throw new ProxyRefused("the outbound proxy asks for another sign-in");
          }
          stage = "password";
          return {
            send: Buffer.concat([Buffer.from([1]), counted(username), counted(password)]),
            isDone: false,
          };
        }
        case "password": {
          const [version, status] = answer(2) ?? [];
          if (version === undefined) return { isDone: false };
          if (version !== 1 || status !== 0) {
            throw new ProxyRefused("the outbound proxy refused its user name or password");
          }
          return connect();
        }
        case "connection": {
          if (held.byteLength < 2) return { isDone: false };
          const [version, status] = held;
          if (version !== socksVersion)
            throw new ProxyRefused("the outbound proxy does not speak SOCKS5");
          if (status !== 0)
            throw new ProxyRefused(`the outbound proxy refused to connect (${status})`);
          const length = findConnectionReplyLength(held);
          return { isDone: length !== undefined && answer(length) !== undefined };
        }
      }
    },
  };
}

const counted = (text: string): Buffer => {
  const bytes = Buffer.from(text);
  return Buffer.concat([Buffer.from([bytes.byteLength]), bytes]);
};

function buildConnectionRequest({ address, port }: TunnelTarget): Buffer {
  const bytes = buildAddressBytes(address);
  const kind = bytes.byteLength === 4 ? addressKinds.ipv4 : addressKinds.ipv6;
  return Buffer.concat([
    Buffer.from([socksVersion, 1, 0, kind]),
    bytes,
    Buffer.from([port >> 8, port & 255]),
  ]);
}

function buildAddressBytes(address: string): Buffer {
  if (isIP(address) === 4) return Buffer.from(address.split(".").map(Number));
  // The parser of URLs writes an address of IPv6 with at most one gap and without dots.
  const [head = "", tail] = new URL(`http://[${address}]/`).hostname.slice(1, -1).split("::");
  const groups = (text: string) =>
    text === "" ? [] : text.split(":").map((group) => Number.parseInt(group, 16));
  const [first, last] = [groups(head), groups(tail ?? "")];
  const all = [...first, ...Array<number>(8 - first.length - last.length).fill(0), ...last];
  return Buffer.from(all.flatMap((group) => [group >> 8, group & 255]));
}

/**
 * Version, status, a zero, the kind of address, the address and a port; undefined before the length
 * is known.
 */
function findConnectionReplyLength(held: Buffer): number | undefined {
  const [, , , kind, nameLength] = held;
  if (kind === undefined) return undefined;
  switch (kind) {
    case addressKinds.ipv4:
      return 4 + 4 + 2;
    case addressKinds.ipv6:
      return 4 + 16 + 2;
    case addressKinds.name:
      return nameLength === undefined ? undefined : 4 + 1 + nameLength + 2;
    default:
      throw new ProxyRefused("the outbound proxy does not speak SOCKS5");
  }
}

const refuseEarlyBytes = (): ProxyRefused =>
  new ProxyRefused("the outbound proxy sent bytes before the first request");
