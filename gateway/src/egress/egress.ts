/**
 * The one way out: every call to another machine goes through here. The address that is checked is the address that is
 * connected to, and redirects are not followed.
 */
import { lookup } from "node:dns";
import type { LookupFunction } from "node:net";
import { buildConnector, type Dispatcher, Pool } from "undici";
import { hostAndPort, isPublicAddress, type PrivateHosts, urlViolation } from "./address-policy.ts";

const defaultConnectTimeoutMs = 10_000;
/** How long another machine may be silent: before its answer begins, and in the middle of it. */
const defaultIdleTimeoutMs = 120_000;
const keepAliveMs = 30_000;
const connectionsPerHostMax = 4_096;
const poolsMax = 500;
const responseHeaderBytesMax = 64 * 1024;

export interface Egress {
  /** The pool of connections for a URL's host; throws `EgressRefused` when the policy forbids the URL. */
  pool(url: URL): Dispatcher;
  /** How to connect past the pools, for what is not answered and over; throws as `pool` does. */
  socketOptions(url: URL): { lookup?: LookupFunction };
  /** Connections of the pools, also those that are coming about. */
  openSockets(): number;
  /** Why a URL may not be called, or undefined. */
  violation(url: string): string | undefined;
  close(): Promise<void>;
}

export class EgressBlocked extends Error {}

export interface EgressTimeouts {
  idleTimeoutMs?: number;
  connectTimeoutMs?: number;
}

export function createEgress(
  privateHosts: PrivateHosts,
  { idleTimeoutMs = defaultIdleTimeoutMs, connectTimeoutMs = defaultConnectTimeoutMs }: EgressTimeouts = {},
): Egress {
  const pools = new Map<string, Pool>();
  let sockets = 0;

  /** A private host that the operator named is connected to as it is; every other name must be public. */
  function socketOptions(url: URL): { lookup?: LookupFunction } {
    const violation = urlViolation(url.href, privateHosts);
    if (violation) throw new EgressBlocked(`the upstream address ${violation}`);
    return privateHosts.has(hostAndPort(url)) ? {} : { lookup: publicLookup };
  }

  function openPool(url: URL): Pool {
    const options = socketOptions(url);
    if (pools.size >= poolsMax) {
      const [oldest] = pools;
      if (oldest) {
        pools.delete(oldest[0]);
        void oldest[1].close();
      }
    }
    const pool = new Pool(url.origin, {
      connections: connectionsPerHostMax,
      pipelining: 1,
      headersTimeout: idleTimeoutMs,
      bodyTimeout: idleTimeoutMs,
      keepAliveTimeout: keepAliveMs,
      maxHeaderSize: responseHeaderBytesMax,
      connect: countedConnector({ timeout: connectTimeoutMs, noDelay: true, ...options }),
    });
    pools.set(url.origin, pool);
    return pool;
  }

  function countedConnector(options: buildConnector.BuildOptions): buildConnector.connector {
    const connect = buildConnector(options);
    return (target, callback) => {
      sockets += 1;
      connect(target, (...result) => {
        const [, socket] = result;
        if (!socket) sockets -= 1;
        else {
          socket.once("close", () => {
            sockets -= 1;
          });
          // Whether a connection had served before it broke decides whether the call on it may be sent again.
          socket.once("error", (error: Error) => void Object.assign(error, { bytesRead: socket.bytesRead }));
        }
        callback(...result);
      });
    };
  }

  return {
    pool: (url) => pools.get(url.origin) ?? openPool(url),
    openSockets: () => sockets,
    socketOptions,
    violation: (url) => urlViolation(url, privateHosts),
    async close() {
      await Promise.all([...pools.values()].map((pool) => pool.destroy()));
      pools.clear();
    },
  };
}

/** Resolves a name and hands on only if every address is public: a name that mixes both is up to something. */
const publicLookup: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    if (error) return callback(error, "", 0);
    const privateAddress = addresses.find(({ address }) => !isPublicAddress(address));
    const [first] = addresses;
    if (privateAddress || !first) {
      return callback(new EgressBlocked(`${hostname} resolves to a private address`), "", 0);
    }
    if (options.all) callback(null, addresses);
    else callback(null, first.address, first.family);
  });
};
