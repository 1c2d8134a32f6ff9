/**
 * Tracks connections and running calls, so that a stop can close the ones and wait for the others.
 */
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/**
 * `ConnectionState` is what is known of an open connection. It stays with the connection: a map
 * that changes with every call costs garbage.
 */
interface ConnectionState {
  isAnswering: boolean;
  /** Since when it is idle, in monotonic milliseconds, and how many bytes had arrived by then. */
  idleSince: number;
  bytes: number;
}

export interface ConnectionWatch {
  /** Number of open connections. */
  count(): number;
  /**
   * Closes connections that have been idle for that long and have not begun to send another
   * request.
   */
  closeIdle(forMs?: number): void;
}

/**
 * Idle connections can be closed without cutting a response. Node counts a connection as idle as
 * soon as the response is written, even while a slow client still has most of it to read.
 */
export function watchConnections(server: Server): ConnectionWatch {
  const open = new Map<Socket, ConnectionState>();
  server.on("connection", (socket: Socket) => {
    open.set(socket, { isAnswering: false, idleSince: performance.now(), bytes: 0 });
    socket.once("close", () => open.delete(socket));
  });
  server.on("request", ({ socket }: IncomingMessage, response: ServerResponse) => {
    const state = open.get(socket);
    if (!state) return;
    state.isAnswering = true;
    response.on("close", () => {
      state.isAnswering = false;
      state.idleSince = performance.now();
      state.bytes = socket.bytesRead;
    });
  });
  return {
    count: () => open.size,
    closeIdle(forMs = 0) {
      const latest = performance.now() - forMs;
      for (const [socket, { isAnswering, idleSince, bytes }] of open) {
        if (!isAnswering && idleSince <= latest && socket.bytesRead === bytes) socket.destroy();
      }
    },
  };
}

/** Calls in flight. */
export function createInFlightTracker() {
  let running = 0;
  /** A second stop may wait while the first one does. */
  const waiting: (() => void)[] = [];
  const end = (): void => {
    running -= 1;
    if (running === 0) for (const drained of waiting.splice(0)) drained();
  };
  return {
    add(work: Promise<unknown>): void {
      running += 1;
      void work.then(end, end);
    },
    /** A response whose client has left never finishes, so it ends with the connection. */
    addResponse(response: ServerResponse): void {
      running += 1;
      response.on("close", end);
    },
    /** True when all calls have ended within the time. */
    async drained(ms: number): Promise<boolean> {
      if (running === 0) return true;
      return await new Promise((resolve) => {
        const timer = setTimeout(() => resolve(running === 0), ms);
        waiting.push(() => {
          clearTimeout(timer);
          resolve(true);
        });
      });
    },
  };
}
