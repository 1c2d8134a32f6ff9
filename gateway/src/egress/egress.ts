/**
 * The only exit: every HTTP call to another machine goes through here. The checked address is the
 * one that is connected to, and redirects are not followed.
 */
import { lookup } from "node:dns";
import { isIP, type LookupFunction, Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { buildConnector, type Dispatcher, Pool } from "undici";
import {
  findUrlViolation,
  isPublicAddress,
  type PrivateHosts,
  readHostAndPort,
} from "./address-policy.ts";
import { findProxyViolation, type ProxyAddress, readProxyHostAndPort } from "./proxy-address.ts";
import { openTunnel } from "./proxy-tunnel.ts";

const defaultConnectTimeoutMs = 10_000;
/**
 * `defaultIdleTimeoutMs` says how long an upstream may be silent before and during its response.
 */
const defaultIdleTimeoutMs = 120_000;
const keepAliveMs = 30_000;
const connectionsPerHostMax = 4_096;
const poolsMax = 500;
const responseHeaderBytesMax = 64 * 1024;
/** Far more proxies than sites have for their channels. */
const exitsMax = 200;

/** `Exit` is one way out: directly, or through one proxy. */
export interface Exit {
  /**
   * The connection pool of a URL's host; throws `EgressBlocked` when the policy forbids the URL.
   */
  pool(url: URL): Dispatcher;
  /** Options for a connection outside of the pools, such as a WebSocket; throws like `pool`. */
  socketOptions(url: URL): OutgoingSocketOptions;
}

export interface Egress extends Exit {
  /**
   * The exit through this proxy in place of that of the settings, with the same checks; without
   * one, the usual exit.
   */
  through(proxy: ProxyAddress | undefined): Exit;
  /** Number of connections of the pools, including those being established. */
  openSockets(): number;
  /** `violation` says why a URL must not be called, or undefined. */
  violation(url: string): string | undefined;
  /**
   * Lets running requests end on their connections; the next ones are checked anew, since the
   * private hosts have changed.
   */
  renew(): void;
  close(): Promise<void>;
}

export class EgressBlocked extends Error {}

export interface OutgoingSocketOptions {
  lookup?: LookupFunction;
  /** Opens the connection through the proxy, as `http.request` takes it. */
  createConnection?: (
    options: object,
    opened: (error: Error | null, socket: Socket) => void,
  ) => undefined;
}

export interface OutboundProxy {
  /**
   * Read for each call; the same object while nothing changed. Throws `EgressBlocked` where it
   * cannot be read.
   */
  current(): ProxyAddress | undefined;
  /** The `host:port` pairs at which a proxy may be despite a private address. */
  privateHosts: PrivateHosts;
}

const noProxy: OutboundProxy = { current: () => undefined, privateHosts: new Set() };

export interface EgressSettings {
  idleTimeoutMs?: number;
  connectTimeoutMs?: number;
  /** The environment variable that allows private hosts, for the words of a refusal. */
  privateHostsVariable?: string;
}

export function createEgress(
  privateHosts: PrivateHosts,
  settings: EgressSettings = {},
  outbound: OutboundProxy = noProxy,
): Egress {
  const sockets = { open: 0 };
  const usual = openExit(privateHosts, settings, outbound, sockets);
  /** `others` go by their proxies, the oldest first. */
  const others = new Map<string, OpenExit>();

  function openThrough(proxy: ProxyAddress, name: string): OpenExit {
    const [oldest] = others.size >= exitsMax ? others : [];
    if (oldest) {
      others.delete(oldest[0]);
      oldest[1].retire();
    }
    const outboundProxy = { current: () => proxy, privateHosts: outbound.privateHosts };
    const exit = openExit(privateHosts, settings, outboundProxy, sockets);
    others.set(name, exit);
    return exit;
  }

  return {
    pool: usual.pool,
    socketOptions: usual.socketOptions,
    through(proxy) {
      if (!proxy) return usual;
      const name = JSON.stringify(proxy);
      return others.get(name) ?? openThrough(proxy, name);
    },
    openSockets: () => sockets.open,
    violation: (url) => findUrlViolation(url, privateHosts, settings.privateHostsVariable),
    renew() {
      for (const exit of [usual, ...others.values()]) exit.retire();
    },
    async close() {
      await Promise.all([usual, ...others.values()].map((exit) => exit.close()));
      others.clear();
    },
  };
}

interface OpenExit extends Exit {
  /** Lets running requests end. */
  retire(): void;
  close(): Promise<void>;
}

function openExit(
  privateHosts: PrivateHosts,
  {
    idleTimeoutMs = defaultIdleTimeoutMs,
    connectTimeoutMs = defaultConnectTimeoutMs,
    privateHostsVariable,
  }: EgressSettings,
  outbound: OutboundProxy,
  sockets: { open: number },
): OpenExit {
  const pools = new Map<string, Pool>();
  let usedProxy: ProxyAddress | undefined;

  function check(url: URL): void {
    const violation = findUrlViolation(url.href, privateHosts, privateHostsVariable);
    if (violation) throw new EgressBlocked(`the upstream address ${violation}`);
  }

  /**
   * The proxy to use for a URL: a private host that the operator allows is connected to directly.
   */
  function proxyFor(url: URL): ProxyAddress | undefined {
    if (privateHosts.has(readHostAndPort(url))) return undefined;
    const proxy = outbound.current();
    const violation = proxy && findProxyViolation(proxy, outbound.privateHosts);
    if (violation) throw new EgressBlocked(`the outbound proxy ${violation}`);
    return proxy;
  }

  /** A connection to the checked address of a URL, without its TLS. */
  async function tunnelTo(url: URL, proxy: ProxyAddress): Promise<Socket> {
    const hostname = readHost(url);
    const address = isIP(hostname) ? hostname : await resolvePublic(hostname);
    const isPrivateProxy = outbound.privateHosts.has(readProxyHostAndPort(proxy));
    return openTunnel({
      proxy,
      lookup: isPrivateProxy ? undefined : publicLookup,
      target: { address, port: Number(url.port) || (isEncrypted(url) ? 443 : 80) },
      timeoutMs: connectTimeoutMs,
    });
  }

  function socketOptions(url: URL): OutgoingSocketOptions {
    check(url);
    const proxy = proxyFor(url);
    if (proxy) {
      return {
        createConnection: (_options, opened) => {
          tunnelTo(url, proxy).then(
            (socket) => opened(null, isEncrypted(url) ? secured(socket, url) : socket),
            // Beside an error the socket is not used.
            (error: Error) => opened(error, new Socket()),
          );
          return undefined;
        },
      };
    }
    return privateHosts.has(readHostAndPort(url)) ? {} : { lookup: publicLookup };
  }

  /** After the proxy changed, no connection through the one before takes another call. */
  function currentPools(): Map<string, Pool> {
    const proxy = outbound.current();
    if (proxy !== usedProxy) {
      retire();
      usedProxy = proxy;
    }
    return pools;
  }

  function retire(): void {
    for (const pool of pools.values()) void pool.close();
    pools.clear();
  }

  function openPool(url: URL): Pool {
    check(url);
    const proxy = proxyFor(url);
    const isDirect = privateHosts.has(readHostAndPort(url));
    const options = {
      timeout: connectTimeoutMs,
      noDelay: true,
      allowH2: false,
      ...(!isDirect && { lookup: publicLookup }),
    };
    const connect = buildConnector(options);
    if (pools.size >= poolsMax) {
      const [oldest] = pools;
      if (oldest) {
        pools.delete(oldest[0]);
        void oldest[1].close();
      }
    }
    const pool = new Pool(url.origin, {
      // With HTTP/2, calls wait in line for the first connection, each for the whole timeout where
      // a host accepts none.
      allowH2: false,
      connections: connectionsPerHostMax,
      pipelining: 1,
      headersTimeout: idleTimeoutMs,
      bodyTimeout: idleTimeoutMs,
      keepAliveTimeout: keepAliveMs,
      maxHeaderSize: responseHeaderBytesMax,
      connect: countedConnector(proxy ? throughProxy(url, proxy, connect) : connect),
    });
    pools.set(url.origin, pool);
    return pool;
  }

  const throughProxy =
    (url: URL, proxy: ProxyAddress, connect: buildConnector.connector): buildConnector.connector =>
    (target, callback) => {
      tunnelTo(url, proxy).then(
        (socket) => {
          if (isEncrypted(url)) connect({ ...target, httpSocket: socket }, callback);
          else callback(null, socket);
        },
        (error: Error) => callback(error, null),
      );
    };

  // All connections share their listeners: those of its own cost each one 0.5 kB.
  const countClosed = (): void => {
    sockets.open -= 1;
  };

  function countedConnector(connect: buildConnector.connector): buildConnector.connector {
    return (target, callback) => {
      sockets.open += 1;
      connect(target, (...result) => {
        const [, socket] = result;
        if (socket) socket.on("close", countClosed).on("error", noteBytesRead);
        else countClosed();
        callback(...result);
      });
    };
  }

  return {
    pool: (url) => currentPools().get(url.origin) ?? openPool(url),
    socketOptions,
    retire,
    async close() {
      await Promise.all([...pools.values()].map((pool) => pool.destroy()));
      pools.clear();
    },
  };
}

/** A call may be sent again only if its connection broke before any byte was received. */
function noteBytesRead(this: Socket, error: Error): void {
  Object.assign(error, { bytesRead: this.bytesRead });
}

const isEncrypted = ({ protocol }: URL): boolean => protocol === "https:" || protocol === "wss:";

const readHost = (url: URL): string => url.hostname.replace(/^\[|\]$/g, "");

/** TLS with the name of the URL, whatever the connection leads through. */
function secured(socket: Socket, url: URL): Socket {
  const host = readHost(url);
  return connectTls({ socket, host, ...(!isIP(host) && { servername: host }) });
}

/** The first address of a name all of whose addresses are public. */
export const resolvePublic = (hostname: string): Promise<string> =>
  new Promise((resolve, reject) => {
    publicLookup(hostname, {}, (error, address) => {
      if (error) reject(error);
      else resolve(String(address));
    });
  });

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
