/** Tracks connections and running calls, so that a stop can close the ones and wait for the others. */
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";

export interface ConnectionWatch {
  /** Number of open connections. */
  count(): number;
  /** Closes connections that have been idle for that long and have not begun to send another request. */
  closeIdle(forMs?: number): void;
}

/**
 * Idle connections can be closed without cutting a response. Node counts a connection as idle as soon as the response is
 * written, even while a slow client still has most of it to read.
 */
export function watchConnections(server: Server): ConnectionWatch {
  /** Idle connections: since when, and how many bytes had arrived by then. */
  const idle = new Map<Socket, { bytes: number; since: number }>();
  let open = 0;
  server.on("connection", (socket: Socket) => {
    open += 1;
    idle.set(socket, { bytes: 0, since: performance.now() });
    socket.once("close", () => {
      open -= 1;
      idle.delete(socket);
    });
  });
  server.on("request", ({ socket }: IncomingMessage, response: ServerResponse) => {
    idle.delete(socket);
    response.once("close", () => {
      if (!socket.destroyed) idle.set(socket, { bytes: socket.bytesRead, since: performance.now() });
    });
  });
  return {
    count: () => open,
    closeIdle(forMs = 0) {
      const latest = performance.now() - forMs;
      for (const [socket, { bytes, since }] of idle) {
        if (since <= latest && socket.bytesRead === bytes) socket.destroy();
      }
    },
  };
}

/** Calls in flight. */
export function createInFlightTracker() {
  const running = new Set<Promise<void>>();
  return {
    add(work: Promise<unknown>): void {
      const done: Promise<void> = work.then(
        () => void running.delete(done),
        () => void running.delete(done),
      );
      running.add(done);
    },
    /** True when all calls have ended within the time. */
    async drained(ms: number): Promise<boolean> {
      let timer: NodeJS.Timeout | undefined;
      const timeUp = new Promise<false>((resolve) => {
        timer = setTimeout(() => resolve(false), ms);
      });
      const finished = await Promise.race([Promise.all(running).then(() => true as const), timeUp]);
      clearTimeout(timer);
      return finished;
    },
  };
}
