/**
 * The only exit: every HTTP call to another machine goes through here. The checked address is the one that is connected to, and
 * redirects are not followed.
 */
import { lookup } from "node:dns";
import type { LookupFunction } from "node:net";
import { buildConnector, type Dispatcher, Pool } from "undici";
import { hostAndPort, isPublicAddress, type PrivateHosts, urlViolation } from "./address-policy.ts";

const defaultConnectTimeoutMs = 10_000;
/** How long an upstream may be silent before and during its response. */
const defaultIdleTimeoutMs = 120_000;
const keepAliveMs = 30_000;
const connectionsPerHostMax = 4_096;
const poolsMax = 500;
const responseHeaderBytesMax = 64 * 1024;

export interface Egress {
  /** The connection pool of a URL's host; throws `EgressBlocked` when the policy forbids the URL. */
  pool(url: URL): Dispatcher;
  /** Options for a connection outside of the pools, such as a WebSocket; throws like `pool`. */
  socketOptions(url: URL): { lookup?: LookupFunction };
  /** Number of connections of the pools, including those being established. */
  openSockets(): number;
  /** Why a URL must not be called, or undefined. */
  violation(url: string): string | undefined;
  close(): Promise<void>;
}

export class EgressBlocked extends Error {}

export interface EgressSettings {
  idleTimeoutMs?: number;
  connectTimeoutMs?: number;
  /** The environment variable that allows private hosts, for the words of a refusal. */
  privateHostsVariable?: string;
}

export function createEgress(
  privateHosts: PrivateHosts,
  {
    idleTimeoutMs = defaultIdleTimeoutMs,
    connectTimeoutMs = defaultConnectTimeoutMs,
    privateHostsVariable,
  }: EgressSettings = {},
): Egress {
  const pools = new Map<string, Pool>();
  let sockets = 0;

  /** A private host that the operator allows is connected to directly; every other name must resolve to public addresses. */
  function socketOptions(url: URL): { lookup?: LookupFunction } {
    const violation = urlViolation(url.href, privateHosts, privateHostsVariable);
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
          // A call may be sent again only if its connection broke before any byte was received.
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
    violation: (url) => urlViolation(url, privateHosts, privateHostsVariable),
    async close() {
      await Promise.all([...pools.values()].map((pool) => pool.destroy()));
      pools.clear();
    },
  };
}

/** Resolves a name and accepts it only if every address is public: a mix of both is an attack. */
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
