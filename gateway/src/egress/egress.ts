/**
 * The one way out: every call to another machine goes through here. The address that is checked is the address that is
 * connected to, and redirects are not followed.
 */
import { lookup } from "node:dns";
import type { LookupFunction } from "node:net";
import { buildConnector, type Dispatcher, Pool } from "undici";
import { hostAndPort, isPublicAddress, type PrivateHosts, urlTrouble } from "./address-policy.ts";

const usualConnectMs = 10_000;
/** How long another machine may be silent: before its answer begins, and in the middle of it. */
const usualSilenceMs = 120_000;
const keepAliveMs = 30_000;
const connectionsPerHostMax = 4_096;
const hostsMax = 500;
const answerHeadersMax = 64 * 1024;

export interface Egress {
  /** The pool of connections for a URL's host; throws `EgressRefused` when the policy forbids the URL. */
  pool(url: URL): Dispatcher;
  /** How to connect past the pools, for what is not answered and over; throws as `pool` does. */
  socketOptions(url: URL): { lookup?: LookupFunction };
  /** Connections of the pools, also those that are coming about. */
  openSockets(): number;
  /** Why a URL may not be called, or undefined. */
  trouble(url: string): string | undefined;
  close(): Promise<void>;
}

export class EgressRefused extends Error {}

export interface Patience {
  silenceMs?: number;
  connectMs?: number;
}

export function openEgress(
  privateHosts: PrivateHosts,
  { silenceMs = usualSilenceMs, connectMs = usualConnectMs }: Patience = {},
): Egress {
  const pools = new Map<string, Pool>();
  let sockets = 0;

  /** A private host that the operator named is connected to as it is; every other name must be public. */
  function socketOptions(url: URL): { lookup?: LookupFunction } {
    const trouble = urlTrouble(url.href, privateHosts);
    if (trouble) throw new EgressRefused(`the upstream address ${trouble}`);
    return privateHosts.has(hostAndPort(url)) ? {} : { lookup: publicLookup };
  }

  function open(url: URL): Pool {
    const options = socketOptions(url);
    if (pools.size >= hostsMax) {
      const [oldest] = pools;
      if (oldest) {
        pools.delete(oldest[0]);
        void oldest[1].close();
      }
    }
    const pool = new Pool(url.origin, {
      connections: connectionsPerHostMax,
      pipelining: 1,
      headersTimeout: silenceMs,
      bodyTimeout: silenceMs,
      keepAliveTimeout: keepAliveMs,
      maxHeaderSize: answerHeadersMax,
      connect: counted({ timeout: connectMs, noDelay: true, ...options }),
    });
    pools.set(url.origin, pool);
    return pool;
  }

  function counted(options: buildConnector.BuildOptions): buildConnector.connector {
    const connect = buildConnector(options);
    return (target, callback) => {
      sockets += 1;
      connect(target, (...made) => {
        const [, socket] = made;
        if (!socket) sockets -= 1;
        else {
          socket.once("close", () => {
            sockets -= 1;
          });
          // Whether a connection had served before it broke decides whether the call on it may be sent again.
          socket.once("error", (error: Error) => void Object.assign(error, { bytesRead: socket.bytesRead }));
        }
        callback(...made);
      });
    };
  }

  return {
    pool: (url) => pools.get(url.origin) ?? open(url),
    openSockets: () => sockets,
    socketOptions,
    trouble: (url) => urlTrouble(url, privateHosts),
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
    const hidden = addresses.find(({ address }) => !isPublicAddress(address));
    const [first] = addresses;
    if (hidden || !first) {
      return callback(new EgressRefused(`${hostname} resolves to a private address`), "", 0);
    }
    if (options.all) callback(null, addresses);
    else callback(null, first.address, first.family);
  });
};
