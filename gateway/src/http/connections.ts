/**
 * Which connections are idle, for a stop that must cut nobody. The http server's own notion counts a connection as idle
 * from the moment its answer was given, even while a slow reader still waits for most of it.
 */
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";

export interface ConnectionWatch {
  /** How many are open. */
  count(): number;
  /** Ends the connections on which nothing has been under way for so long, not even the beginning of a request. */
  closeIdle(forMs?: number): void;
}

export function watchConnections(server: Server): ConnectionWatch {
  /** Connections between two requests, when they fell quiet, and how many bytes had come by then. */
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
