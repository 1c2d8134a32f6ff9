/** A connection to a checked address through the outbound proxy. */
import { connect as connectPlain, isIP, type LookupFunction, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import type { ProxyAddress } from "./proxy-address.ts";
import { buildProxyHandshake, ProxyRefused, type TunnelTarget } from "./proxy-handshake.ts";

interface TunnelOptions {
  proxy: ProxyAddress;
  /** Resolves the name of the proxy; undefined for one that the operator allows to be private. */
  lookup: LookupFunction | undefined;
  target: TunnelTarget;
  /** `timeoutMs` are for the connection to the proxy and its answers together. */
  timeoutMs: number;
}

/**
 * Rejects with `ProxyRefused` or the error of the connection. The socket has nothing read from it.
 */
export function openTunnel({ proxy, lookup, target, timeoutMs }: TunnelOptions): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  const { hostname: host, port } = proxy;
  const options = { host, port, noDelay: true, ...(lookup && { lookup }) };
  const socket =
    proxy.protocol === "https"
      ? connectTls({
          ...options,
          ALPNProtocols: ["http/1.1"],
          ...(isIP(host) ? {} : { servername: host }),
        })
      : connectPlain(options);
  const handshake = buildProxyHandshake(proxy, target);
  const fail = (error: Error) => {
    clearTimeout(timer);
    socket.destroy();
    reject(error);
  };
  const timer = setTimeout(
    () => fail(new ProxyRefused("the outbound proxy did not answer in time")),
    timeoutMs,
  );
  const onEnd = () => fail(new ProxyRefused("the outbound proxy closed the connection"));
  const onReadable = () => {
    try {
      for (
        let bytes = socket.read() as Buffer | null;
        bytes !== null;
        bytes = socket.read() as Buffer | null
      ) {
        const { send, isDone } = handshake.take(bytes);
        if (send) socket.write(send);
        if (isDone) return done();
      }
    } catch (error) {
      fail(error as Error);
    }
  };
  const done = () => {
    clearTimeout(timer);
    socket.off("readable", onReadable).off("end", onEnd).off("close", onEnd).off("error", fail);
    resolve(socket);
  };
  socket.on("error", fail).on("end", onEnd).on("close", onEnd).on("readable", onReadable);
  socket.once(proxy.protocol === "https" ? "secureConnect" : "connect", () =>
    socket.write(handshake.opening),
  );
  return promise;
}
