/** A TCP proxy between two programs that injects network faults, set by the test at any moment. */
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { setTimeout as pause, setImmediate as turn } from "node:timers/promises";
import { drainedOrClosed } from "./drained-or-closed.ts";

/** Faults of one direction, read again for each chunk. */
export interface Toxics {
  /** Before each chunk. */
  latencyMs?: number;
  bytesPerSecond?: number;
  /** Chunks of at most this size, each in its own write. */
  sliceBytes?: number;
  /** This share of the chunks, 0 to 1, waits this long: how packet loss looks to the reader. */
  stalls?: { share: number; ms: number };
  /** After so many bytes both sides are closed or reset, or the proxy silently stops forwarding. */
  limit?: { bytes: number; end: "close" | "reset" | "stop" };
  /** The end of one side reaches the other this much later. */
  slowCloseMs?: number;
  /** Nothing passes, not even the end. */
  isPaused?: boolean;
}

/** `ConnectionPolicy` is for new connections: forwarded, never answered, or reset at once. */
export type ConnectionPolicy = "pass" | "silence" | "reset";

export interface ChaosProxy {
  host: string;
  url: string;
  /** `host:port` or the address whose host and port are meant. */
  target: string;
  connectionPolicy: ConnectionPolicy;
  /** `up` comes from the client to the target. */
  up: Toxics;
  /** `down` comes from the target to the client. */
  down: Toxics;
  /** Removes all faults. */
  clearToxics(): void;
  /** Resets all open connections, like a machine that loses power. */
  resetConnections(): void;
  /** Connections accepted so far. */
  readonly connections: number;
  close(): Promise<void>;
}

interface ProxiedPair {
  near: Socket;
  far: Socket | undefined;
}

/** Numbers from 0 to 1, the same in each run. */
function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const stoppedLookMs = 10;

const waitForClose = (socket: Socket): Promise<void> =>
  new Promise((resolve) => {
    if (socket.destroyed) resolve();
    else socket.once("close", () => resolve());
  });

export async function startChaosProxy(target = "", seed = 1): Promise<ChaosProxy> {
  const pairs = new Set<ProxiedPair>();
  const random = seededRandom(seed);
  let connections = 0;
  const server = createServer({ allowHalfOpen: true }, (client) => void onConnection(client));

  function reset({ near: client, far }: ProxiedPair): void {
    client.resetAndDestroy();
    far?.resetAndDestroy();
  }

  async function onConnection(client: Socket): Promise<void> {
    connections += 1;
    const pair: ProxiedPair = { near: client, far: undefined };
    pairs.add(pair);
    client.on("error", () => undefined).once("close", () => pairs.delete(pair));
    if (proxy.connectionPolicy === "reset") return reset(pair);
    if (proxy.connectionPolicy === "silence") return;
    const { hostname, port } = new URL(
      proxy.target.includes("://") ? proxy.target : `tcp://${proxy.target}`,
    );
    const far = connect({ host: hostname, port: Number(port), allowHalfOpen: true, noDelay: true });
    pair.far = far;
    client.setNoDelay(true);
    // A reset of one side resets the other: a proper end would hide it.
    far.on("error", () => client.resetAndDestroy());
    client.once("error", () => far.resetAndDestroy());
    client.once("close", () => far.destroy());
    far.once("close", () => client.destroySoon());
    await Promise.all([
      carry(client, far, pair, () => proxy.up),
      carry(far, client, pair, () => proxy.down),
    ]).catch(() => undefined);
  }

  async function carry(
    from: Socket,
    to: Socket,
    pair: ProxiedPair,
    toxics: () => Toxics,
  ): Promise<void> {
    let carried = 0;
    const waitWhilePaused = async (): Promise<void> => {
      while (toxics().isPaused && !from.destroyed) await pause(stoppedLookMs);
    };
    for await (const chunk of from as AsyncIterable<Buffer>) {
      for (let at = 0; at < chunk.length; ) {
        await waitWhilePaused();
        const {
          latencyMs = 0,
          bytesPerSecond,
          sliceBytes = chunk.length,
          stalls,
          limit,
        } = toxics();
        const remaining = limit ? limit.bytes - carried : chunk.length;
        const piece = chunk.subarray(at, at + Math.max(0, Math.min(sliceBytes, remaining)));
        if (latencyMs > 0) await pause(latencyMs);
        if (stalls && random() < stalls.share) await pause(stalls.ms);
        if (bytesPerSecond) await pause((piece.length / bytesPerSecond) * 1_000);
        if (to.destroyed) return;
        if (piece.length > 0 && !to.write(piece)) await drainedOrClosed(to);
        at += piece.length;
        carried += piece.length;
        // Without a turn in between, the system would put the pieces together again.
        if (sliceBytes < chunk.length) await turn();
        if (limit && carried >= limit.bytes) {
          if (limit.end === "stop") return await waitForClose(from);
          if (limit.end === "reset") return reset(pair);
          pair.near.destroySoon();
          pair.far?.destroySoon();
          return;
        }
      }
    }
    await waitWhilePaused();
    await pause(toxics().slowCloseMs ?? 0);
    to.end();
  }

  await once(server.listen(0, "127.0.0.1"), "listening");
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const proxy: ChaosProxy = {
    host,
    url: `http://${host}`,
    target,
    connectionPolicy: "pass",
    up: {},
    down: {},
    clearToxics() {
      proxy.connectionPolicy = "pass";
      proxy.up = {};
      proxy.down = {};
    },
    resetConnections() {
      for (const pair of pairs) reset(pair);
    },
    get connections() {
      return connections;
    },
    async close() {
      proxy.clearToxics();
      proxy.resetConnections();
      server.close();
      await once(server, "close");
    },
  };
  return proxy;
}
